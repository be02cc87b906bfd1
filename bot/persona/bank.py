"""The persona banks: traits are added, refreshed and superseded, never overwritten (LD-Agent §2.3, THEANINE)."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from bot.config import Persona
from bot.domain import Job, Scope, Trait, Utterance, VectorKind
from bot.indexing.indexing import Indexer
from bot.language.extractive import sentences, traits
from bot.language.facts import ended, renewed
from bot.language.untrusted import is_forged
from bot.language.withheld import Withheld, silenced
from bot.persona.extract import Extraction, Extractor, is_told
from bot.persona.own import is_echo, is_order, is_quoted
from bot.persona.relate import Relation, relate
from bot.ports import Encoder, Jobs, Traits, Utterances, VectorIndex

REPLIED_TO = 50
"""Lines before one of the companion's among which is what it replies to."""

HEARD = 12
"""Lines before one of the companion's in which what it repeats may have been said."""

_POSSESSES = re.compile(r"i(?:'m| am|'ve| have| had| was| own| live| work)\b", re.IGNORECASE)
LONGEST_STATEMENT = 60
"""Words of what somebody states of themselves in a line."""

PUT_RIGHT = timedelta(minutes=15)
"""Within which somebody's next line may put right what they told, without saying what: "*a Ford, not a Fiat"."""


@dataclass(kw_only=True, eq=False, repr=False)
class Bank:
    """Does the TRAITS jobs."""

    utterances: Utterances
    traits: Traits
    jobs: Jobs
    extractor: Extractor
    encoder: Encoder
    index: VectorIndex
    indexer: Indexer
    persona: Persona
    hear: Callable[[Utterance], Awaitable[Utterance]]
    """An utterance with what the voice hears in it."""
    withheld: Withheld
    """What no trait is made of."""
    telling: Callable[[str], str]
    """What of a text is left without what only asks or greets."""
    put_right: Callable[[str, str], str]
    """A trait as a line right behind it puts it right; empty where it does not."""

    async def run(self, job: Job) -> int:
        """Learns the traits of utterance `job.subject`; returns the model tokens used.

        Raises ModelError, and IndexUnusable.
        """
        found = await self.utterances.get([job.subject])
        if not found or found[0].off_record or await self._is_withheld(found[0]):
            await self.jobs.done(job.id)
            return 0
        told = found[0] if is_told(found[0]) else replace(found[0], text=self.telling(found[0].text))
        extraction = await self.extractor.extract(told) if told.text else Extraction(())
        statements = await self._own(found[0], extraction.statements)
        known = await self.traits.current(found[0].speaker.id, found[0].place)
        renewals = await self._righted(found[0], known) | _renewals(sentences(told.text), told, known)
        statements = tuple(one for one in statements if one not in renewals and not _renewals([one], told, known))
        if not statements and not renewals:
            await self.jobs.done(job.id)
            return extraction.tokens
        await self._learn(job, found[0], statements, known, renewals)
        return extraction.tokens

    async def _is_withheld(self, utterance: Utterance) -> bool:
        """Whether no trait is made of this: of withheld words, and of the companion's reply to such words."""
        if not utterance.speaker.is_agent:
            return await asyncio.to_thread(self.withheld, await self.hear(utterance))
        if utterance.reply_to is None:
            return False
        before = await self.utterances.before(utterance, REPLIED_TO)
        return utterance.id in await asyncio.to_thread(silenced, [*before, utterance], self.withheld)

    async def _own(self, utterance: Utterance, statements: tuple[str, ...]) -> tuple[str, ...]:
        """The statements that are the speaker's own. The companion's are not where it repeats what it answers.

        Nor what it is said to have where its line has no "I": of "A baby on the 20th!" a model makes "I have a baby.".
        """
        if utterance.speaker.is_agent and traits(utterance.text, LONGEST_STATEMENT) is None:
            statements = tuple(one for one in statements if not _POSSESSES.match(one))
        forged = is_forged(utterance.text)
        own = tuple(one for one in statements if not (forged or is_order(one) or is_quoted(one)))
        if not (own and utterance.speaker.is_agent and utterance.reply_to):
            return own
        lines = await self.utterances.before(utterance, HEARD)
        said = " ".join(line.text for line in lines if not line.speaker.is_agent)
        return tuple(statement for statement in own if not is_echo(statement, said))

    async def _righted(self, utterance: Utterance, known: Sequence[Trait]) -> dict[str, int]:
        """The trait of their line before that this one puts right, in its new words → its place in `known`.

        None where it is not plain which one is meant.
        """
        text = utterance.text
        if utterance.speaker.is_agent or is_forged(text) or is_order(text) or is_quoted(text):
            return {}
        before = await self.utterances.before(utterance, HEARD)
        own = [line for line in before if line.speaker.id == utterance.speaker.id]
        if not own or utterance.time - own[-1].time > PUT_RIGHT:
            return {}
        of_it = [place for place, trait in enumerate(known) if own[-1].id in trait.sources]
        righted = [(self.put_right(known[place].text, text), place) for place in of_it]
        plain = [(words, place) for words, place in righted if words]
        return dict(plain) if len(plain) == 1 else {}

    async def _learn(
        self,
        job: Job,
        utterance: Utterance,
        statements: tuple[str, ...],
        known: Sequence[Trait],
        renewals: dict[str, int],
    ) -> None:
        """Compares each statement with what is known from the same place (so that no origin is mixed with another)."""
        statements = (*statements, *renewals)
        cosines = await self._cosines(utterance, statements, known)
        new: list[Trait] = []
        refreshed: dict[int, datetime] = {}
        superseded: dict[int, int] = {}
        for row, statement in enumerate(statements):
            relations = [
                relate(trait.text, statement, float(cosines[row, column]), self.persona.restate_cosine)
                for column, trait in enumerate(known)
            ]
            restated = [column for column, relation in enumerate(relations) if relation is Relation.RESTATES]
            if restated and statement not in renewals:
                best = known[max(restated, key=lambda column: float(cosines[row, column]))]
                refreshed[best.id] = max(utterance.time, _last_said(best))
                continue
            if any(statement == other.text for other in new):
                continue
            over = _ended(statement, utterance.time, known) | {renewals.get(statement, -1)}
            against = [trait for at, trait in enumerate(known) if relations[at] is Relation.CONTRADICTS or at in over]
            for trait in against:
                if _last_said(trait) <= utterance.time:
                    superseded.setdefault(trait.id, len(new))
            renewed = known[renewals[statement]].sources if statement in renewals else ()
            new.append(_trait(utterance, statement, against, renewed))
        await self.traits.apply(
            job.id,
            new=new,
            refreshed=[(trait_id, time, (utterance.id,)) for trait_id, time in refreshed.items()],
            superseded=[(trait_id, position, utterance.time) for trait_id, position in superseded.items()],
        )
        await self.indexer.catch_up(passages=False)

    async def _cosines(
        self, utterance: Utterance, statements: Sequence[str], known: Sequence[Trait]
    ) -> NDArray[np.float32]:
        """Shape (len(statements), len(known)). Only known traits that the index lacks are encoded."""
        if not known:
            return np.zeros((len(statements), 0), dtype=np.float32)
        vectors = await self.encoder.encode(statements)
        cosines = np.full((len(statements), len(known)), np.nan, dtype=np.float32)
        scope = Scope(VectorKind.TRAIT, utterance.place.key)
        for row, vector in enumerate(vectors):
            ids, values = await self.index.similarities(scope, vector)
            found = dict(zip(ids.tolist(), values.tolist(), strict=True))
            cosines[row] = [found.get(trait.id, np.nan) for trait in known]
        missing = [column for column in range(len(known)) if np.isnan(cosines[:, column]).any()]
        if missing:
            lacking = await self.encoder.encode([known[column].text for column in missing])
            cosines[:, missing] = np.matmul(vectors, lacking.T)
        return cosines


def _renewals(texts: Sequence[str], told: Utterance, known: Sequence[Trait]) -> dict[str, int]:
    """What is true now by sentences that name nobody ("he turned seven") → the place in `known` of what that ends."""
    if told.speaker.is_agent:
        return {}
    said = [(trait.text, _last_said(trait)) for trait in known]
    renewals = ((words, place) for text in texts for place, words in renewed(text, told.time, said))
    return {words: place for words, place in renewals if said[place][1] <= told.time}


def _ended(statement: str, time: datetime, known: Sequence[Trait]) -> set[int]:
    """Places in `known` of what `statement` ends, and of what was said later and ends it."""
    said = [(trait.text, _last_said(trait)) for trait in known]
    by_it = {place for place in ended(statement, time, said) if said[place][1] <= time}
    later = {place for place, (text, last) in enumerate(said) if last > time and ended(text, last, [(statement, time)])}
    return by_it | later


def _trait(utterance: Utterance, text: str, against: Sequence[Trait], renewed: tuple[int, ...]) -> Trait:
    """A new trait; one that contradicts something said later (jobs may be late) has ended already, when that began.

    `renewed`: the sources of the trait whose words it has but for the value; erasing one of them erases it, too.
    """
    trait = Trait(
        speaker_id=utterance.speaker.id,
        place=utterance.place,
        text=text,
        since=utterance.time,
        sources=(*renewed, utterance.id),
    )
    later = [(_said_after(other, utterance.time), other.id) for other in against if _last_said(other) > utterance.time]
    if not later:
        return trait
    until, successor = min(later)
    return replace(trait, until=until, superseded_by=successor)


def _last_said(trait: Trait) -> datetime:
    return max(trait.since, trait.refreshed or trait.since)


def _said_after(trait: Trait, time: datetime) -> datetime:
    """When `trait` is first known to have been said after `time`."""
    return trait.since if trait.since > time else _last_said(trait)

"""What a check-in says (CareAgent, METHODS §4): N = llm(P ⊕ M ⊕ I), or the person's own words without a model.

    what was told → open threads → clues with one → scores → background M → intention I → opening N

Only what is open is talked about (`threads.py`). A model rates, summarises and words it, and every answer of its is
checked; where it fails twice, the words are the person's own. Nothing open: nothing is said.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeVar

from bot.care.checks import SUMMARY_WORDS, Intended, Opening, Rated, intention_of, opening_of_model, summary_of
from bot.care.decide import rating
from bot.care.policy import zone_of
from bot.care.reading import Reader, Told
from bot.care.threads import SAME
from bot.care.weighing import (
    Candidate,
    Found,
    Quiet,
    candidates,
    find,
    find_told,
    importance_by_rules,
    scores_of,
    told_clues,
)
from bot.care.wording import asked_as, day_ahead, opening_of, quiet_opening, quotable, remembered, told_when
from bot.config import Agent, Settings
from bot.domain import (
    CareScores,
    CareWishes,
    Character,
    Composed,
    GenerationRequest,
    Place,
    Priority,
    Trait,
    Utterance,
    Why,
)
from bot.language.speakers import plain_name
from bot.language.untrusted import as_words
from bot.memory.events import Summed
from bot.persona.character import portrait
from bot.ports import ChatModel, CheckIns, Clock, Jobs, TopicExtractor, Traits, Utterances
from bot.prompting.asking import Form, ask, trusted
from bot.prompting.templates import turns
from bot.texts import care as texts

T = TypeVar("T")

SPOKEN_OF = 100
"""Earlier check-ins whose subjects are not repeated."""
MOST_SHOWN = 10
"""Lines of a memory that a model is shown, those nearest to the open thread."""
LONGEST_SHOWN = 400
"""Characters of each."""
MOST_RATED = 3
"""Lines of a memory that are rated: the open one is among the nearest."""
MOST_TRAITS = 8
WORTH_TELLING = 0.5
"""Rating from which a model may talk about something that no rule takes for open."""
ANSWER_TOKENS = {"importance": 8, "clue": 2 * SUMMARY_WORDS + 16, "intention": 80, "opening": 160}
WITH_EXAMPLES = "importance"
"""The task that is shown with worked examples."""
FORMS: Mapping[str, type[Form]] = {"importance": Rated, "clue": Summed, "intention": Intended, "opening": Opening}


@dataclass(frozen=True, slots=True)
class _Person:
    """P_U: what is known of the person, and what it rests on."""

    name: str
    traits: tuple[Trait, ...]
    character: str = ""
    sources: Mapping[int, str] = field(default_factory=dict)
    """Id → words of the utterances that the traits come from, read before anything was made of it."""
    toned_by: Mapping[int, str] = field(default_factory=dict)
    """The same, of those that the character was guessed from."""

    @property
    def shown(self) -> str:
        return " ".join(as_words(trait.text) for trait in self.traits)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The memory that is talked about, with its scores."""

    candidate: Candidate
    scores: CareScores


async def no_character(_told: Told, _now: datetime) -> Character | None:
    """The `character_of` that knows nothing."""
    return None


@dataclass(kw_only=True, eq=False, repr=False)
class Composer:
    """Words check-ins. `character_of`: what somebody told → their personality type; None: none may be used."""

    reader: Reader
    checkins: CheckIns
    traits: Traits
    utterances: Utterances
    jobs: Jobs
    model: ChatModel | None
    topics: TopicExtractor
    clock: Clock
    settings: Settings
    card: Agent
    character_of: Callable[[Told, datetime], Awaitable[Character | None]] = no_character

    def __post_init__(self) -> None:
        writer = self.settings.care.writer
        self.model = trusted(self.model, "extractive" if writer == "rules" else writer)

    @property
    def by_model(self) -> bool:
        """Whether a model writes."""
        return self.model is not None

    async def compose(self, wishes: CareWishes, place: Place, now: datetime) -> Composed | Why:
        """What to say in `place`, a DM, at `now`; or why nothing. Raises ModelError, IndexUnusable, StorageError."""
        told = await self.reader.read(place, listens=True)
        zone = zone_of(wishes, self.settings.care) or UTC
        spoken = await self.checkins.spoken_of(wishes.speaker_id, SPOKEN_OF)
        found = await asyncio.to_thread(find, told, now, zone, spoken)
        if found.quiet is not None:
            return _quietly(found.quiet, plain_name(told.name), len(spoken))
        if self.model is not None and not found.threads and not found.settled:
            found = await asyncio.to_thread(find_told, told, now, zone, spoken)
        if not found.threads:
            return Why.SETTLED if found.settled else Why.NOTHING
        person = await self._person(place, told, now)
        chosen = await self._choose(told, found, self.model, now)
        if chosen is None:
            return Why.NOTHING
        local = now.astimezone(zone)
        if self.model is None:
            return _by_rules(chosen, person.name, local, len(spoken))
        return await self._by_model(self.model, chosen, person, local, len(spoken), told.person)

    async def foresee(self, wishes: CareWishes, at: datetime) -> Composed | Why | None:
        """What one at that moment would be about, if nobody said anything until then, or why there would be none.

        By rules alone: no model is asked, and nothing is stored; it may yet hear something graver. None: only the model
        can tell, when it is due. Raises IndexUnusable, ModelError (of the encoder), StorageError.
        """
        if wishes.place is None:
            return Why.NOTHING
        told, zone = await self.reader.read(wishes.place), zone_of(wishes, self.settings.care) or UTC
        spoken = await self.checkins.spoken_of(wishes.speaker_id, SPOKEN_OF)
        found = await asyncio.to_thread(find, told, at, zone, spoken)
        if found.quiet is not None:
            return _quietly(found.quiet, plain_name(told.name), len(spoken))
        if found.threads and (chosen := await self._choose(told, found, None, at)) is not None:
            return _by_rules(chosen, plain_name(told.name), at.astimezone(zone), len(spoken))
        if found.settled:
            return Why.SETTLED
        if self.model is not None and not found.threads:
            judged = await asyncio.to_thread(find_told, told, at, zone, spoken)
            if judged.threads:
                return None
        return None if await asyncio.to_thread(self.reader.is_undecided, told) else Why.NOTHING

    async def farewell(self, wishes: CareWishes, place: Place, now: datetime) -> Composed:
        """The one kind line that ends check-ins which nobody answered."""
        return Composed(texts.FAREWELL, texts.FAREWELL_BACKGROUND, texts.FAREWELL_INTENTION, (), None, farewell=True)

    async def still_fits(self, composed: Composed, place: Place, since: datetime) -> Why | None:
        """Whether the person said nothing since then that settles it, contradicts it, or is about it anyway."""
        newest = await self.reader.newest(place)
        later = [at for at, line in enumerate(newest.said) if line.time > since]
        if not later or not composed.sources:
            return None
        asked = await self.reader.encoder.encode([words for _, words in composed.sources])
        return Why.SETTLED if float((newest.vectors[later] @ asked.T).max()) >= SAME else None

    async def _person(self, place: Place, told: Told, now: datetime) -> _Person:
        name = plain_name(told.name)
        if self.model is None:
            return _Person(name, ())
        character = await self.character_of(told, now)
        traits = (await self.traits.readable_in(place, [told.person]))[-MOST_TRAITS:]
        known = [*(trait.sources for trait in traits), character.sources if character is not None else ()]
        words = await self._words_of((one for sources in known for one in sources), told)
        traits = [trait for trait in traits if words.keys() >= {*trait.sources}]
        if character is not None and not words.keys() >= {*character.sources}:
            character = None
        like = portrait(name, character) if character is not None else ""
        sources = {one: words[one] for trait in traits for one in trait.sources}
        toned_by = {one: words[one] for one in character.sources} if character is not None else {}
        return _Person(name, tuple(traits), like, sources, toned_by)

    async def _choose(self, told: Told, found: Found, model: ChatModel | None, now: datetime) -> _Chosen | None:
        """The memory with the highest score, and its thread. What only a model may judge must be rated high enough.

        `model`: the one that rates; None: rules do.
        """
        clues = await asyncio.to_thread(told_clues, told, self.settings.care)
        choices = candidates(told, clues, found.threads)
        rated = [(one, await self._importance(one, model, told, now)) for one in choices]
        kept = [(one, rate) for one, rate in rated if one.thread.kind.value != "told" or rate >= WORTH_TELLING]
        if not kept:
            return None
        scores = await asyncio.to_thread(scores_of, told, clues, kept, self.settings.care)
        return max(
            (_Chosen(one, some) for (one, _), some in zip(kept, scores, strict=True)),
            key=lambda chosen: (chosen.scores.total, chosen.candidate.thread.said),
        )

    async def _importance(self, candidate: Candidate, model: ChatModel | None, told: Told, now: datetime) -> float:
        by_rules = importance_by_rules(candidate)
        if model is None:
            return by_rules
        lines = self._lines(candidate, told.person, now)[-MOST_RATED:]
        values: dict[str, object] = {"told": [text for _, _, text in lines]}
        answer = await self._ask(model, "importance", values, rating)
        return by_rules if answer is None else answer

    async def _by_model(
        self, model: ChatModel, chosen: _Chosen, person: _Person, now: datetime, turn: int, speaker_id: str
    ) -> Composed | Why:
        """M, I and N by the model; each by rules where its answers fail the checks."""
        thread = chosen.candidate.thread
        plain = _by_rules(chosen, person.name, now, turn)
        shown = self._shown(chosen.candidate, speaker_id)
        lines = self._lines(chosen.candidate, speaker_id, now)
        values: dict[str, object] = {
            "agent": self.card,
            "person": person.name,
            "traits": person.shown,
            "character": person.character,
            "today": f"{texts.WEEKDAYS[now.weekday()]} {now.day} {texts.MONTHS[now.month - 1]} {now.year}",
            "lines": lines,
            "words": SUMMARY_WORDS,
        }
        names = (person.name, self.card.name)
        source = "\n".join(f"{when} {name}: {text}" for when, name, text in lines)
        topics = self.topics.topics
        memory = await self._ask(model, "clue", values, lambda text: summary_of(text, source, names, topics))
        quote = as_words(thread.quote)
        values |= {"memory": memory or plain.background, "quote": quote, "when": told_when(thread.said, now)}
        intention = await self._ask(model, "intention", values, lambda text: intention_of(text, names))
        values |= {"intention": intention or plain.intention, "ahead": day_ahead(thread, now)}
        source = "\n".join((source, person.shown, str(values["memory"]), f"{values['when']} {values['today']}"))
        opening = await self._ask(
            model,
            "opening",
            values,
            lambda text: opening_of_model(text, source, thread.quote, names, topics, before=thread.before),
        )
        if opening == "" or (opening is None and thread.kind.value == "told"):
            return Why.NOTHING
        sources = {line.id: line.text for line in shown} | dict(person.sources)
        return replace(
            plain,
            text=opening or plain.text,
            background=str(values["memory"]),
            intention=str(values["intention"]),
            sources=tuple(sorted(sources.items())),
            traits=tuple(trait.id for trait in person.traits),
            toned_by=tuple(sorted(person.toned_by.items())),
        )

    async def _words_of(self, sources: Iterable[int], told: Told) -> dict[int, str]:
        """Those that are still there, with the words that were read."""
        there = {line.id: line.text for line in await self.utterances.get(sorted({*sources}))}
        return there | {line.id: line.text for line in told.lines if line.id in there}

    async def _ask(self, model: ChatModel, task: str, values: dict[str, object], parse: Callable[[str], T]) -> T | None:
        """What the model answers, or None when both answers are malformed. Raises ModelError."""
        form = FORMS[task]
        schema = form.schema_for(model)
        request = GenerationRequest(
            turns(task, examples=task == WITH_EXAMPLES, json=schema is not None, **values),
            max_tokens=ANSWER_TOKENS[task],
            priority=Priority.BACKGROUND,
            deadline=self.settings.background.deadline,
            schema=schema,
        )
        answer = await ask(model, request, parse, f"check-in: {task}", form)
        await self.jobs.spend_tokens(self.clock.now().date(), answer.tokens)
        return answer.value

    def _shown(self, candidate: Candidate, speaker_id: str) -> list[Utterance]:
        """The person's own lines of a memory that a model is shown, in order: those nearest to the open thread."""
        own = [line for line in candidate.lines if line.speaker.id == speaker_id]
        at = next((at for at, line in enumerate(own) if line.id == candidate.thread.line.id), 0)
        nearest = sorted(range(len(own)), key=lambda other: (abs(other - at), other))[:MOST_SHOWN]
        return [own[one] for one in sorted(nearest)]

    def _lines(self, candidate: Candidate, speaker_id: str, now: datetime) -> list[tuple[str, str, str]]:
        shown = self._shown(candidate, speaker_id)
        names = (self.card.name, *(plain_name(line.speaker.name) for line in shown))
        return [
            (told_when(line.time, now), plain_name(line.speaker.name), as_words(line.text[:LONGEST_SHOWN], names))
            for line in shown
        ]


def _by_rules(chosen: _Chosen, name: str, now: datetime, turn: int) -> Composed:
    thread = chosen.candidate.thread
    return Composed(
        text=opening_of(thread, name, now, turn),
        background=remembered(thread.said, now, name, quotable(thread)),
        intention=texts.INTENTIONS[asked_as(thread)],
        sources=((thread.line.id, thread.line.text),),
        scores=chosen.scores,
        about=(thread.line.id,),
    )


def _quietly(quiet: Quiet, name: str, turn: int) -> Composed:
    """How are you: what was told is known by its id alone, so that it is asked about once."""
    return Composed(
        text=quiet_opening(quiet.language, name, turn),
        background=texts.QUIET_BACKGROUND.format(name=name),
        intention=texts.QUIET_INTENTION,
        sources=((quiet.line.id, quiet.line.text),),
        about=(quiet.line.id,),
    )

"""The persona banks: traits are added, refreshed and superseded, never overwritten (LD-Agent §2.3, THEANINE)."""

from __future__ import annotations

from bot.config import Persona
from bot.domain import Job, Trait, Utterance
from bot.indexing import Indexer
from bot.persona.extract import Extractor
from bot.persona.relate import Relation, relate
from bot.ports import Encoder, Jobs, Traits, Utterances


class Bank:
    """Does the TRAITS jobs."""

    def __init__(
        self,
        *,
        utterances: Utterances,
        traits: Traits,
        jobs: Jobs,
        extractor: Extractor,
        encoder: Encoder,
        indexer: Indexer,
        persona: Persona,
    ) -> None:
        self._utterances = utterances
        self._traits = traits
        self._jobs = jobs
        self._extractor = extractor
        self._encoder = encoder
        self._indexer = indexer
        self._persona = persona

    async def run(self, job: Job) -> int:
        """Learns the traits of utterance `job.subject`; returns the model tokens used. Raises ModelError."""
        found = await self._utterances.get([job.subject])
        if not found:
            await self._jobs.done(job.id)
            return 0
        extraction = await self._extractor.extract(found[0])
        if not extraction.statements:
            await self._jobs.done(job.id)
            return extraction.tokens
        await self._learn(job, found[0], extraction.statements)
        return extraction.tokens

    async def _learn(self, job: Job, utterance: Utterance, statements: tuple[str, ...]) -> None:
        """Compares each statement with what is known from the same place (so that no origin is mixed with another)."""
        known = await self._traits.current(utterance.speaker.id, utterance.place)
        vectors = await self._encoder.encode([*statements, *(trait.text for trait in known)])
        cosines = vectors[: len(statements)] @ vectors[len(statements) :].T
        new: list[Trait] = []
        refreshed: dict[int, None] = {}
        superseded: dict[int, int] = {}
        for row, statement in enumerate(statements):
            relations = [
                relate(trait.text, statement, float(cosines[row, column]), self._persona.restate_cosine)
                for column, trait in enumerate(known)
            ]
            restated = [column for column, relation in enumerate(relations) if relation is Relation.RESTATES]
            if restated:
                best = max(restated, key=lambda column: float(cosines[row, column]))
                refreshed[known[best].id] = None
                continue
            if any(statement == other.text for other in new):
                continue
            for column, relation in enumerate(relations):
                if relation is Relation.CONTRADICTS:
                    superseded.setdefault(known[column].id, len(new))
            new.append(_trait(utterance, statement))
        await self._traits.apply(
            job.id,
            new=new,
            refreshed=[(trait_id, utterance.time, (utterance.id,)) for trait_id in refreshed],
            superseded=[(trait_id, position, utterance.time) for trait_id, position in superseded.items()],
        )
        await self._indexer.catch_up()


def _trait(utterance: Utterance, text: str) -> Trait:
    return Trait(
        speaker_id=utterance.speaker.id,
        place=utterance.place,
        text=text,
        since=utterance.time,
        sources=(utterance.id,),
    )

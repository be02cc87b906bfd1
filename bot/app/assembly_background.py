"""How the background work is built: what is made of a conversation when the reply is out. `app.py` runs it."""

from collections.abc import Awaitable, Callable, Sequence

from bot.app.assembly import Engines, Ground
from bot.config import Settings
from bot.conversation.background import BackgroundWork
from bot.conversation.put_right import as_put_right
from bot.conversation.requests import telling
from bot.domain import ErasureReason, Job, JobKind, Selection, Skill
from bot.memory.archive import Archivist
from bot.memory.eraser import Eraser
from bot.memory.events import Summariser
from bot.memory.graph import Linker, linking_model
from bot.memory.told import Sentences
from bot.persona.bank import Bank
from bot.persona.extract import Extractor
from bot.prompting.asking import trusted


def build_background(ground: Ground, eraser: Eraser) -> BackgroundWork:
    """What works after the reply."""
    settings = ground.settings
    return BackgroundWork(
        jobs=ground.stores.jobs,
        work=build_work(ground, eraser),
        clock=ground.clock,
        settings=settings.background,
        unasked=unasked_kinds(settings, ground.engines),
        alone=ground.stores.shared is None,
    )


def unasked_kinds(settings: Settings, engines: Engines) -> frozenset[JobKind]:
    """The kinds of background work that ask no model as things are set."""
    asked = {
        JobKind.SUMMARISE: trusted(engines.model_for(Skill.SUMMARIZER), settings.memory.summariser, Skill.SUMMARIZER),
        JobKind.TRAITS: trusted(engines.model_for(Skill.EXTRACTOR), settings.persona.extractor, Skill.EXTRACTOR),
        JobKind.LINK: linking_model(engines.model, settings.memory),
    }
    return frozenset(kind for kind in JobKind if asked.get(kind) is None)


def build_work(ground: Ground, eraser: Eraser) -> dict[JobKind, Callable[[Job], Awaitable[int]]]:
    """What does each kind of background job.

    Nothing is derived from what may be a sign of danger, by a look that rather errs. The words themselves stay
    recallable unless they plainly are one: else one in forty ordinary lines would be forgotten.
    """
    settings, stores, crisis_responder = ground.settings, ground.stores, ground.crisis_responder

    async def forget(ids: Sequence[int]) -> None:
        await eraser.erase(Selection(utterances=tuple(ids)), ErasureReason.OFF_RECORD)

    summariser = Summariser(
        sessions=stores.sessions,
        events=stores.events,
        jobs=stores.jobs,
        model=ground.engines.model_for(Skill.SUMMARIZER),
        topics=ground.engines.topics,
        indexer=ground.indexer,
        memory=settings.memory,
        deadline=settings.background.deadline,
        forget=forget,
        hear=crisis_responder.hear,
        withheld=crisis_responder.withholds,
        telling=telling,
    )
    archivist = Archivist(
        sessions=stores.sessions,
        passages=stores.passages,
        indexer=ground.indexer,
        withheld=crisis_responder.surely_withholds,
    )
    return {
        JobKind.SUMMARISE: summariser.run,
        JobKind.ARCHIVE: archivist.run,
        JobKind.TRAITS: _bank(ground).run,
        JobKind.LINK: build_linker(ground).run,
    }


def _bank(ground: Ground) -> Bank:
    settings, stores, engines = ground.settings, ground.stores, ground.engines
    extractor = Extractor(
        model=engines.model_for(Skill.EXTRACTOR),
        gate=engines.gate,
        encoder=engines.encoder,
        topics=engines.topics,
        persona=settings.persona,
        deadline=settings.background.deadline,
    )
    return Bank(
        utterances=stores.utterances,
        traits=stores.traits,
        jobs=stores.jobs,
        extractor=extractor,
        encoder=engines.encoder,
        index=stores.index,
        indexer=ground.indexer,
        persona=settings.persona,
        hear=ground.crisis_responder.hear,
        withheld=ground.crisis_responder.withholds,
        telling=telling,
        put_right=as_put_right,
    )


def build_linker(ground: Ground) -> Linker:
    """What links events into the memory graph."""
    settings, stores, engines = ground.settings, ground.stores, ground.engines
    return Linker(
        events=stores.events,
        graph=stores.graph,
        sentences=Sentences(
            utterances=stores.utterances,
            encoder=engines.encoder,
            topics=engines.topics,
            withheld=ground.crisis_responder.withholds,
            telling=telling,
        ),
        index=stores.index,
        indexer=ground.indexer,
        model=engines.model,
        memory=settings.memory,
        deadline=settings.background.deadline,
    )

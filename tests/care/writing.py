"""What words check-ins, over the whole core on real SQLite and Chroma."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

from bot.care.compose import Composer, no_character
from bot.care.grave_voice import GraveVoice
from bot.care.opened import OpenedSessions
from bot.care.reading import Reader, Told
from bot.domain import CareWishes, Character
from bot.llm.scripted import ScriptedChatModel
from bot.ports import CheckIns
from tests.living import ANN, DM, OpenCore

WISHES = CareWishes(ANN.id, on=True, place=DM, zone="UTC")


class Nouns:
    """A TopicExtractor that knows the nouns of these tests."""

    def topics(self, text: str) -> frozenset[str]:
        """Those of the text."""
        known = {"driving", "test", "boston", "ferrari", "prüfung"}
        return frozenset(known.intersection(text.lower().replace(".", " ").replace("?", " ").split()))


def reader_of(core: OpenCore, voice: GraveVoice | None = None) -> Reader:
    """The reader over what the core has stored; words with "secret" in them are withheld."""
    stores = core.app.stores
    return Reader(
        passages=stores.passages,
        utterances=stores.utterances,
        index=stores.index,
        encoder=core.app.engines.encoder,
        withheld=lambda said: "secret" in said.text,
        voice=voice,
    )


def composer_of(
    core: OpenCore,
    model: ScriptedChatModel | None = None,
    character_of: Callable[[Told, datetime], Awaitable[Character | None]] = no_character,
    voice: GraveVoice | None = None,
) -> Composer:
    """A composer over what the core has stored."""
    stores, settings = core.app.stores, core.app.settings
    return Composer(
        reader=reader_of(core, voice),
        checkins=stores.checkins,
        traits=stores.traits,
        utterances=stores.utterances,
        jobs=stores.jobs,
        model=model,
        topics=Nouns(),
        clock=core.clock,
        settings=settings,
        card=settings.agent,
        character_of=character_of,
    )


def opened_of(core: OpenCore, checkins: CheckIns) -> OpenedSessions:
    """What is behind the core's sessions, as `checkins` says."""
    stores = core.app.stores
    return OpenedSessions(
        checkins=checkins,
        utterances=stores.utterances,
        reader=reader_of(core),
        clock=core.clock,
        care=core.app.settings.care,
    )

"""How check-ins are built, and what they wait for. `bot/app/app.py` puts them together with the rest."""

from bot.app.assembly import Ground
from bot.care.character import CharacterWork
from bot.care.checkins import CheckInWork
from bot.care.compose import Composer, no_character
from bot.care.grave_voice import grave_voice_for
from bot.care.opened import OpenedSessions
from bot.care.reading import Reader
from bot.care.reunions import Reunions
from bot.conversation.crisis.look import version_of_look
from bot.domain import AGENT_ID, ErasureReason, Selection, Speaker
from bot.memory.eraser import Eraser
from bot.memory.safety_review import SafetyReview
from bot.persona.character import CharacterNet
from bot.usecases.checkin import checkin_choices


def build_reader(ground: Ground) -> Reader:
    """What reads what a check-in may be made of: one, so that no line is heard for danger twice."""
    stores = ground.stores
    return Reader(
        passages=stores.passages,
        utterances=stores.utterances,
        index=stores.index,
        encoder=ground.engines.encoder,
        withheld=ground.crisis_responder.withholds,
        voice=grave_voice_for(ground.engines.model, ground.settings.care),
    )


def build_opened(ground: Ground, reader: Reader) -> OpenedSessions:
    """What knows why the companion opened a session."""
    stores = ground.stores
    return OpenedSessions(
        checkins=stores.checkins,
        utterances=stores.utterances,
        reader=reader,
        clock=ground.clock,
        care=ground.settings.care,
    )


def build_reunions(ground: Ground, reader: Reader) -> Reunions:
    """What knows what somebody who comes back has left open."""
    return Reunions(checkins=ground.stores.checkins, reader=reader, clock=ground.clock, settings=ground.settings)


def build_composer(ground: Ground, reader: Reader) -> Composer:
    """What words check-ins."""
    settings, stores = ground.settings, ground.stores
    return Composer(
        reader=reader,
        checkins=stores.checkins,
        traits=stores.traits,
        utterances=stores.utterances,
        jobs=stores.jobs,
        model=ground.engines.model,
        topics=ground.engines.topics,
        clock=ground.clock,
        settings=settings,
        card=settings.agent,
        character_of=character.of if (character := build_character(ground)) is not None else no_character,
    )


def build_character(ground: Ground) -> CharacterWork | None:
    """What guesses personality types; None: nothing does. Raises ModelUnavailable for the owner's weights."""
    care, stores = ground.settings.care, ground.stores
    if care.character == "off":
        return None
    net = None
    if care.character == "trained" and care.character_weights is not None:
        net = CharacterNet.load(care.character_weights, ground.engines.encoder.fingerprint)

    async def is_minor(speaker_id: str) -> bool:
        return (await ground.consents.of(speaker_id)).minor

    return CharacterWork(
        characters=stores.characters,
        jobs=stores.jobs,
        clock=ground.clock,
        is_minor=is_minor,
        deadline=ground.settings.background.deadline,
        net=net,
        model=ground.engines.model if care.character == "model" else None,
    )


def build_checkins(ground: Ground, eraser: Eraser, composer: Composer) -> CheckInWork:
    """The loop of check-ins."""

    async def unsay(utterance_id: int) -> None:
        await eraser.erase(Selection(utterances=(utterance_id,)), ErasureReason.UNSENT)

    return CheckInWork(
        checkins=ground.stores.checkins,
        jobs=ground.stores.jobs,
        consents=ground.consents,
        writing=composer,
        delivery=ground.delivery,
        unsay=unsay,
        clock=ground.clock,
        settings=ground.settings,
        speaker=Speaker(AGENT_ID, ground.settings.agent.name),
        by_model=composer.by_model,
        choices_of=checkin_choices,
    )


def build_safety_review(ground: Ground, eraser: Eraser) -> SafetyReview:
    """What goes over what was stored before the look for signs of danger existed."""
    return SafetyReview(
        reviews=ground.stores.safety_reviews,
        eraser=eraser,
        clock=ground.clock,
        look=version_of_look if ground.settings.safety.enabled else None,
        withheld=ground.crisis_responder.withholds,
    )

"""How the parts of the commands are built over the stores. `commands.py` puts them together."""

from collections.abc import Awaitable, Callable

from bot.config import Settings
from bot.conversation.last_prompts import LastPrompts
from bot.domain import Answer, Asker, Call
from bot.language.withheld import Withheld
from bot.persona.card import card_of
from bot.ports import Clock
from bot.usecases.checkin import CheckInRules
from bot.usecases.checkins_made import Origins
from bot.usecases.choosing import Choosing
from bot.usecases.correcting import Correcting, HelpFor
from bot.usecases.exporting import Exporting
from bot.usecases.forgetting import Forgetting
from bot.usecases.kept import Erasing, Kept
from bot.usecases.memory import Memories
from bot.usecases.offering import CheckInOffer, Decided
from bot.usecases.overseeing import Overseeing
from bot.usecases.privacy import PrivacyRules

OnConsent = Callable[[str, bool], Awaitable[None]]
OnChange = Callable[[str], None]


def offering_of(kept: Kept, settings: Settings, withheld: Withheld, decided: Decided) -> CheckInOffer:
    """What offers check-ins."""
    return CheckInOffer(
        checkins=kept.checkins,
        decided=decided,
        utterances=kept.utterances,
        events=kept.events,
        withheld=withheld,
        settings=settings,
    )


def checkin_rules_of(kept: Kept, clock: Clock, settings: Settings) -> CheckInRules:
    """What people choose about check-ins."""
    return CheckInRules(
        checkins=kept.checkins,
        privacies=kept.privacies,
        identities=kept.identities,
        utterances=kept.utterances,
        clock=clock,
        settings=settings,
    )


def overseeing_of(kept: Kept, clock: Clock, settings: Settings, prompts: LastPrompts) -> Overseeing:
    """What owners alone see."""
    return Overseeing(
        channels=kept.channels,
        utterances=kept.utterances,
        jobs=kept.jobs,
        usage=kept.usage,
        identities=kept.identities,
        prompts=prompts,
        clock=clock,
        settings=settings,
    )


def forgetting_of(memories: Memories, kept: Kept, clock: Clock, settings: Settings, eraser: Erasing) -> Forgetting:
    """What forgets."""
    choosing = Choosing(
        memories=memories,
        events=kept.events,
        utterances=kept.utterances,
        exports=kept.exports,
        clock=clock,
        origins=Origins(checkins=kept.checkins, utterances=kept.utterances),
    )
    return Forgetting(
        memories=memories,
        choosing=choosing,
        utterances=kept.utterances,
        erasures=kept.erasures,
        confirmations=kept.confirmations,
        eraser=eraser,
        clock=clock,
        settings=settings,
    )


def correcting_of(
    memories: Memories,
    kept: Kept,
    clock: Clock,
    settings: Settings,
    indexed: Callable[[], Awaitable[object]],
    help_for: HelpFor,
) -> Correcting:
    """What corrects."""
    return Correcting(
        memories=memories,
        utterances=kept.utterances,
        told=kept.told,
        privacies=kept.privacies,
        indexed=indexed,
        clock=clock,
        settings=settings.privacy,
        help_for=help_for,
    )


def exporting_of(memories: Memories, kept: Kept, clock: Clock, agent_name: str) -> Exporting:
    """What exports."""
    return Exporting(
        memories=memories,
        exports=kept.exports,
        events=kept.events,
        utterances=kept.utterances,
        privacies=kept.privacies,
        erasures=kept.erasures,
        checkins=kept.checkins,
        characters=kept.characters,
        clock=clock,
        agent_name=agent_name,
    )


def privacy_methods(
    kept: Kept, clock: Clock, settings: Settings, eraser: Erasing, on_consent: OnConsent, on_change: OnChange
) -> dict[str, Callable[[Call, Asker], Awaitable[Answer]]]:
    """What people decide."""
    rules = PrivacyRules(
        privacies=kept.privacies,
        identities=kept.identities,
        erasures=kept.erasures,
        confirmations=kept.confirmations,
        eraser=eraser,
        clock=clock,
        settings=settings,
        card=card_of(settings.agent),
        on_consent=on_consent,
        on_change=on_change,
    )
    return {
        "privacy policy": rules.policy,
        "privacy consent": rules.consent,
        "privacy pause": rules.pause,
        "privacy keep": rules.keep,
        "privacy channel": rules.channel,
        "privacy country": rules.country,
        "privacy age": rules.age,
        "privacy receipt": rules.receipt,
    }

"""Every command that people can use, in one place: may they, is it well put, and who answers it."""

import difflib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from bot.config import Settings
from bot.conversation.addressing import without_name
from bot.conversation.last_prompts import LastPrompts
from bot.domain import Answer, Asker, Call, Choice, ModelDescription, Place, PlaceKind, Utterance
from bot.domain.text import well_formed
from bot.language.withheld import Withheld
from bot.ports import Clock, Encoder
from bot.texts import checkin as checkin_texts
from bot.texts import commands as texts
from bot.texts import meeting
from bot.texts.translating import here
from bot.usecases.about import About, Vitals
from bot.usecases.calls import button, buttons, fits, usage
from bot.usecases.catalogue import CATALOGUE, GROUPS, Command, Who, command_named
from bot.usecases.channel import ChannelRules
from bot.usecases.character import CharacterRules
from bot.usecases.checkin import CheckInRules
from bot.usecases.checkins_made import CheckInsMade
from bot.usecases.correcting import Correcting, HelpFor
from bot.usecases.exporting import Exporting
from bot.usecases.forgetting import Forgetting
from bot.usecases.intents import forget_wish, is_checkin_refusal, says_stop
from bot.usecases.kept import Erasing, Kept
from bot.usecases.linking import Linking
from bot.usecases.links import OneTimeLinks, PageLinks
from bot.usecases.looking import Looking
from bot.usecases.markup import cut, joined, plain
from bot.usecases.memory import SUGGESTED, Memories
from bot.usecases.offering import CheckInOffer, Decided
from bot.usecases.overseeing import Overseeing
from bot.usecases.persona import Personas
from bot.usecases.planned import Foresee, PlannedCheckIns
from bot.usecases.pointing import Method, Pointing
from bot.usecases.privacy import PrivacyRules
from bot.usecases.reacting import Reacting
from bot.usecases.timeline import Timelines
from bot.usecases.typed import in_english

LONGEST_ECHO = 40
"""Characters of what was typed that come back in an answer."""
NEAR = 3


@dataclass(frozen=True, slots=True)
class Hearers:
    """Who is told of what commands change."""

    on_mode: Callable[[Place], None]
    """Of a channel whose mode was set."""
    on_change: Callable[[str], None]
    """Of an identity of whom anything was decided or linked."""
    on_consent: Callable[[str, bool], Awaitable[None]]
    """Of somebody who agreed (True) or refused."""
    receive: Callable[[Utterance], Awaitable[bool]]
    """Takes in what somebody says, as `Core.receive`."""
    hush: Callable[[Place, str], bool]
    """Gives up the reply that is thought of in a place, where this speaker asked for it."""


class Commands:
    """Does what a platform's front end asks for. What a person can mend is answered in words.

    `model` is None without one; `indexed` makes missing vectors; `vitals` tells how the program is doing; `help_for`
    has the text for somebody in danger, and nothing is made of what is `withheld`; `links` are those that `/web` opens.
    What the page shows is in `looking`, `planned` and `overseeing`.
    """

    def __init__(  # long: a table of who answers what
        self,
        *,
        kept: Kept,
        encoder: Encoder,
        model: ModelDescription | None,
        clock: Clock,
        settings: Settings,
        eraser: Erasing,
        indexed: Callable[[], Awaitable[object]],
        vitals: Callable[[], Awaitable[Vitals]],
        hearers: Hearers,
        help_for: HelpFor,
        links: OneTimeLinks,
        withheld: Withheld,
        decided: Decided,
        foresee: Foresee,
        prompts: LastPrompts,
    ) -> None:
        card = settings.agent
        memories = Memories(kept=kept, encoder=encoder, settings=settings, withheld=withheld)
        self._agent_name = card.name
        self._about = About(card=card, model=model, settings=settings.model, vitals=vitals)
        character = CharacterRules(kept=kept, care=settings.care)
        personas = Personas(kept=kept, card=card, character=character)
        channel = ChannelRules(channels=kept.channels, default=settings.channels.mode, on_mode=hearers.on_mode)
        linking = Linking(identities=kept.identities, clock=clock, on_change=hearers.on_change)
        forgetting = Forgetting(memories=memories, kept=kept, eraser=eraser, clock=clock, settings=settings)
        correcting = Correcting(
            memories=memories, kept=kept, indexed=indexed, clock=clock, settings=settings.privacy, help_for=help_for
        )
        exporting = Exporting(memories=memories, kept=kept, clock=clock, agent_name=card.name)
        timelines = Timelines(memories=memories, graph=kept.graph)
        privacy = PrivacyRules(
            kept=kept,
            eraser=eraser,
            clock=clock,
            settings=settings,
            on_consent=hearers.on_consent,
            on_change=hearers.on_change,
        )
        checkin = CheckInRules(kept=kept, clock=clock, settings=settings)
        made = CheckInsMade(kept=kept, clock=clock, enabled=settings.care.enabled)
        self.looking = Looking(memories=memories, kept=kept, clock=clock)
        self.overseeing = Overseeing(kept=kept, prompts=prompts, clock=clock, settings=settings)
        self.planned = PlannedCheckIns(rules=checkin, kept=kept, foresee=foresee)
        pointing = Pointing(
            memories=memories, kept=kept, edit=correcting.edit, forget=forgetting.forget, agent_name=card.name
        )
        self.reacting = Reacting(
            kept=kept, agent_name=card.name, run=self.run, receive=hearers.receive, hush=hearers.hush
        )
        self._offering = CheckInOffer(kept=kept, decided=decided, withheld=withheld, settings=settings)
        self._suggest = {
            "memory why": memories.suggest,
            "memory correct": memories.suggest,
            "memory forget": forgetting.suggest,
            "persona edit": correcting.suggest,
            "persona character": character.suggest,
        }
        self._methods: dict[str, Method] = {
            "help": self._help,
            "about": self._about.about,
            "web": PageLinks(links=links, settings=settings.web).web,
            "memory list": memories.show_list,
            "memory search": memories.search,
            "memory why": pointing.why,
            "memory remember": pointing.remember,
            "memory timeline": timelines.show,
            "persona show": personas.show,
            "persona character": character.choose,
            "channel mode": channel.mode,
            "channel default": channel.default,
            "channel sharing": channel.sharing,
            "link": linking.link,
            "unlink": linking.unlink,
            "status": self._about.status,
            "memory forget": pointing.forget,
            "memory correct": correcting.correct,
            "memory undo": correcting.undo,
            "memory export": exporting.export,
            "persona edit": correcting.edit,
            "privacy policy": privacy.policy,
            "privacy consent": privacy.consent,
            "privacy pause": privacy.pause,
            "privacy keep": privacy.keep,
            "privacy channel": privacy.channel,
            "privacy country": privacy.country,
            "privacy age": privacy.age,
            "privacy receipt": privacy.receipt,
            "checkin on": checkin.on,
            "checkin off": checkin.off,
            "checkin show": checkin.show,
            "checkin timezone": checkin.timezone,
            "checkin times": checkin.times,
            "checkin days": checkin.days,
            "checkin quiet": checkin.quiet,
            "checkin often": checkin.often,
            "checkin pause": checkin.pause,
            "checkin why": made.why,
            "checkin snooze": checkin.snooze,
            "checkin less": checkin.less,
            "checkin queue": made.queue,
            "checkin hold": made.hold,
        }

    async def wished(self, utterance: Utterance) -> Answer | None:
        """What to say to somebody who asks in ordinary words for what a command does; None: they do not.

        To forget something: the first of the two steps of `/memory forget`, so nothing is erased by it. Not to be
        written to first: `/checkin off`, which can be undone. In a channel nothing is shown.
        """
        said = without_name(utterance.text, self._agent_name).lstrip("@ ,:;-")
        if not utterance.speaker.is_agent and (
            is_checkin_refusal(said) or (says_stop(said) and await self._offering.is_answered_by(utterance))
        ):
            return await self._refused_checkins(utterance)
        what = None if utterance.speaker.is_agent else forget_wish(said)
        if what is None:
            return None
        if utterance.place.kind is PlaceKind.CHANNEL:
            show = Choice(meeting.SHOW_ME, _forget(what))
            return Answer(meeting.WISH_IN_CHANNEL, choices=buttons([show]))
        return await self.run(Call("memory forget", (("what", what),)), Asker(utterance.speaker, utterance.place))

    async def offered(self, utterance: Utterance) -> Answer | None:
        """The question whether somebody wants check-ins, to be put after the reply to `utterance`; None: none."""
        return await self._offering.offer(utterance)

    async def _refused_checkins(self, utterance: Utterance) -> Answer:
        if utterance.place.kind is PlaceKind.CHANNEL:
            stop = button(checkin_texts.STOP_THEM, "checkin off")
            return Answer(checkin_texts.WISH_IN_CHANNEL, choices=buttons([stop]))
        return await self.run(Call("checkin off"), Asker(utterance.speaker, utterance.place))

    async def run(self, call: Call, asker: Asker) -> Answer:
        """Does a command as `asker`. Raises StorageError only."""
        if call.command in GROUPS:
            return _overview(call.command, asker)
        command = command_named(call.command)
        if command is None:
            return _unknown(call.command, asker)
        call = in_english(_normal(call, command), command)
        if in_the_way := _refusal(command, asker) or _wrong(call, command):
            return Answer(in_the_way)
        return await self._methods[command.name](call, asker)

    async def suggest(self, command: str, parameter: str, typed: str, asker: Asker) -> list[tuple[str, str]]:
        """Completions for a parameter that is being typed: (label, value), 25 at most. Raises StorageError only."""
        known = command_named(command)
        wanted = next((one for one in known.parameters if one.name == parameter), None) if known else None
        if known is None or wanted is None or _refusal(known, asker):
            return []
        if wanted.choices:
            return [(value, value) for value in wanted.choices if typed.strip().casefold() in value][:SUGGESTED]
        return await self._suggest[known.name](well_formed(typed), asker) if wanted.suggests else []

    async def _help(self, call: Call, asker: Asker) -> Answer:
        if topic := call.get("topic"):
            return _overview(topic, asker)
        return self._about.help(_usable(asker), in_channel=asker.place.kind is PlaceKind.CHANNEL)


def _forget(what: str) -> Call:
    """The call of a button; of a long wish, as many words as it can carry."""
    words = what.split()
    while len(words) > 1 and not fits(Call("memory forget", (("what", " ".join(words)),))):
        words.pop()
    return Call("memory forget", (("what", " ".join(words)),))


def _refusal(command: Command, asker: Asker) -> str:
    """Why the asker cannot use this command here; empty when they can."""
    if command.in_channels_only and asker.place.kind is not PlaceKind.CHANNEL:
        return texts.ONLY_IN_CHANNELS
    if command.who is Who.OWNER and not asker.is_owner:
        how = here(texts.IF_YOU_OWN_ME).format(who=asker.speaker.id)  # for one who has not said yet who they are here
        return f"{texts.ONLY_OWNER} {how}" if asker.place.kind is PlaceKind.DM else texts.ONLY_OWNER
    if command.who is Who.MANAGER and not asker.may_manage:
        return texts.ONLY_MANAGERS
    if command.who is Who.SERVER and not asker.may_manage_server:
        return texts.ONLY_SERVER
    return ""


def _usable(asker: Asker) -> list[Command]:
    """The commands that the asker may use where they are."""
    return [command for command in CATALOGUE if not _refusal(command, asker)]


def _normal(call: Call, command: Command) -> Call:
    """The call without what the command does not take or no text can hold, and with choices as they are spelt."""
    arguments = [
        (parameter.name, value.casefold() if parameter.choices else value)
        for parameter in command.parameters
        if (value := well_formed(call.get(parameter.name)).strip())
    ]
    return replace(call, arguments=tuple(arguments))


def _wrong(call: Call, command: Command) -> str:
    """What is missing, or not among the choices, in words; empty when nothing is."""
    for parameter in command.parameters:
        value = call.get(parameter.name)
        if parameter.required and not value:
            help_ = here(parameter.help)
            help_ = help_[:1].lower() + help_[1:]
            return texts.MISSING.format(help=help_, usage=usage(command))
        if value and parameter.choices and value not in parameter.choices:
            choices = texts.listed([f"`{choice}`" for choice in parameter.choices], "or")
            return texts.NOT_A_CHOICE.format(value=plain(cut(value, LONGEST_ECHO)), choices=choices)
    return ""


def _overview(group: str, asker: Asker) -> Answer:
    """The commands of a group that the asker may use here, with a button for each that needs nothing more."""
    usable = [command for command in _usable(asker) if command.name.startswith(f"{group} ")]
    if not usable:
        reasons = [_refusal(command, asker) for command in CATALOGUE if command.name.startswith(f"{group} ")]
        return Answer(next(iter(reasons), texts.NOTHING_HERE))
    lines = [f"- `{usage(command)}` {plain(here(command.help))}" for command in usable]
    return Answer(joined([f"**{here(GROUPS[group])}**", *lines]), choices=_pressable(usable))


def _unknown(name: str, asker: Asker) -> Answer:
    """That there is no such command, and which ones it may have meant."""
    usable = _usable(asker)
    near = difflib.get_close_matches(name.casefold()[:LONGEST_ECHO], [command.name for command in usable], NEAR, 0.5)
    found = [command for close in near for command in usable if command.name == close]
    sentences = [texts.UNKNOWN.format(name=plain(cut(name, LONGEST_ECHO)))]
    if found:
        sentences.append(
            texts.DID_YOU_MEAN.format(names=texts.listed([f"`/{command.name}`" for command in found], "or"))
        )
    return Answer(" ".join([*sentences, texts.SEE_HELP]), choices=_pressable(found))


def _pressable(commands: Sequence[Command]) -> tuple[tuple[Choice, ...], ...]:
    ready = [command for command in commands if not any(parameter.required for parameter in command.parameters)]
    return buttons([button(f"/{command.name}", command.name) for command in ready])

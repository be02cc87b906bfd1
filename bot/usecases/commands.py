"""Every command that people can use, in one place: may they, is it well put, and who answers it."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from bot.config import Settings
from bot.domain import Answer, Asker, Call, Choice, ModelDescription, Place, PlaceKind
from bot.persona.card import Card
from bot.ports import Channels, Encoder, Events, Outbox, Traits, Utterances
from bot.texts import commands as texts
from bot.usecases.about import About
from bot.usecases.calls import buttons, usage
from bot.usecases.catalogue import CATALOGUE, GROUPS, Command, Who, command_named
from bot.usecases.channel import ChannelRules
from bot.usecases.markup import cut, joined, plain
from bot.usecases.memory import SUGGESTED, Memories
from bot.usecases.persona import Personas
from bot.usecases.vitals import Vitals

LONGEST_ECHO = 40
"""Characters of what was typed that come back in an answer."""
NEAR = 3


class Commands:
    """Does what a platform's front end asks for. What a person can mend is answered in words.

    `model` is None without one; `vitals` tells how the program is doing; `on_mode` hears which channel's mode changed.
    """

    def __init__(
        self,
        *,
        events: Events,
        traits: Traits,
        utterances: Utterances,
        outbox: Outbox,
        channels: Channels,
        encoder: Encoder,
        card: Card,
        model: ModelDescription | None,
        settings: Settings,
        vitals: Callable[[], Awaitable[Vitals]],
        on_mode: Callable[[Place], None],
    ) -> None:
        self._memories = Memories(
            events=events, traits=traits, utterances=utterances, outbox=outbox, encoder=encoder, agent_name=card.name
        )
        self._personas = Personas(traits=traits, utterances=utterances, card=card)
        self._channel = ChannelRules(channels=channels, default=settings.channels.mode, on_mode=on_mode)
        self._about = About(card=card, model=model, settings=settings.model, vitals=vitals)
        self._methods: dict[str, Callable[[Call, Asker], Awaitable[Answer]]] = {
            "help": self._help,
            "about": self._about.about,
            "memory list": self._memories.show_list,
            "memory search": self._memories.search,
            "memory why": self._memories.why,
            "persona show": self._personas.show,
            "channel mode": self._channel.mode,
            "status": self._about.status,
        }

    async def run(self, call: Call, asker: Asker) -> Answer:
        """Does a command as `asker`. Raises StorageError only."""
        if call.command in GROUPS:
            return _overview(call.command, asker)
        command = command_named(call.command)
        if command is None:
            return _unknown(call.command, asker)
        call = _normal(call, command)
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
        return await self._memories.suggest(typed, asker) if wanted.suggests else []

    async def _help(self, _call: Call, asker: Asker) -> Answer:
        return self._about.help(_usable(asker), in_channel=asker.place.kind is PlaceKind.CHANNEL)


def _refusal(command: Command, asker: Asker) -> str:
    """Why the asker cannot use this command here; empty when they can."""
    if command.in_channels_only and asker.place.kind is not PlaceKind.CHANNEL:
        return texts.ONLY_IN_CHANNELS
    if command.who is Who.OWNER and not asker.is_owner:
        return texts.ONLY_OWNER
    if command.who is Who.MANAGER and not asker.may_manage:
        return texts.ONLY_MANAGERS
    return ""


def _usable(asker: Asker) -> list[Command]:
    """The commands that the asker may use where they are."""
    return [command for command in CATALOGUE if not _refusal(command, asker)]


def _normal(call: Call, command: Command) -> Call:
    """The call without what the command does not take, and with choices as they are spelt."""
    arguments = [
        (parameter.name, value.casefold() if parameter.choices else value)
        for parameter in command.parameters
        if (value := call.get(parameter.name).strip())
    ]
    return replace(call, arguments=tuple(arguments))


def _wrong(call: Call, command: Command) -> str:
    """What is missing, or not among the choices, in words; empty when nothing is."""
    for parameter in command.parameters:
        value = call.get(parameter.name)
        if parameter.required and not value:
            help_ = parameter.help[:1].lower() + parameter.help[1:]
            return texts.MISSING.format(help=help_, usage=usage(command))
        if value and parameter.choices and value not in parameter.choices:
            choices = texts.listed([f"`{choice}`" for choice in parameter.choices])
            return texts.NOT_A_CHOICE.format(value=plain(cut(value, LONGEST_ECHO)), choices=choices)
    return ""


def _overview(group: str, asker: Asker) -> Answer:
    """The commands of a group that the asker may use here, with a button for each that needs nothing more."""
    usable = [command for command in _usable(asker) if command.name.startswith(f"{group} ")]
    if not usable:
        reasons = [_refusal(command, asker) for command in CATALOGUE if command.name.startswith(f"{group} ")]
        return Answer(next(iter(reasons), texts.NOTHING_HERE))
    lines = [f"- `{usage(command)}` {plain(command.help)}" for command in usable]
    return Answer(joined([f"**{GROUPS[group]}**", *lines]), choices=_pressable(usable))


def _unknown(name: str, asker: Asker) -> Answer:
    """That there is no such command, and which ones it may have meant."""
    usable = _usable(asker)
    near = difflib.get_close_matches(name.casefold()[:LONGEST_ECHO], [command.name for command in usable], NEAR, 0.5)
    found = [command for close in near for command in usable if command.name == close]
    sentences = [texts.UNKNOWN.format(name=plain(cut(name, LONGEST_ECHO)))]
    if found:
        sentences.append(texts.DID_YOU_MEAN.format(names=texts.listed([f"`/{command.name}`" for command in found])))
    return Answer(" ".join([*sentences, texts.SEE_HELP]), choices=_pressable(found))


def _pressable(commands: Sequence[Command]) -> tuple[tuple[Choice, ...], ...]:
    ready = [command for command in commands if not any(parameter.required for parameter in command.parameters)]
    return buttons([Choice(f"/{command.name}", Call(command.name)) for command in ready])

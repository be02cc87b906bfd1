"""What people do on a platform of ours and what they see of it, place by place, for `tests.platform.show`."""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from tests.platform import discord_server as discord
from tests.platform import telegram_server as telegram

QUIET_S = 3.0
"""Seconds without a change after which a place has come to rest."""
REPLY_S = 90.0
"""Seconds that a reply may take."""
QUOTED = 40
DM, CHANNEL = "private", "kitchen"

_SPOKEN = re.compile(r"`([^`]+)`|\\([^0-9A-Za-z\s])|\*\*|\*|<@!?(\d+)>|^(> )|^(- )", re.MULTILINE)
_RAW = re.compile(r"\\|\*\*|`|<@|(?<!\w)\*|\*(?!\w)")


@dataclass(frozen=True, slots=True)
class Seen:
    """One message as it stands on the screen."""

    key: int
    author: str
    text: str
    by_bot: bool
    only_for: str = ""
    replies_to: str = ""
    """Whom, and the beginning of what."""
    buttons: tuple[str, ...] = ()
    edits: int = 0
    rings: tuple[str, ...] = ()
    """Whose phone rings for a message of the bot."""


class Screen(ABC):
    """One platform. Places are `private` (with a person's name: "private Ann") and `kitchen`."""

    name: str

    def __init__(self) -> None:
        self.pages: dict[str, list[str]] = defaultdict(list)
        """What was seen, by place."""
        self.raw: list[str] = []
        """What was seen with marks of Markdown in it."""
        self._known: dict[tuple[str, int], str] = {}
        self._began = 0.0
        self._signs = 0
        """Typing indicators and drafts seen before the present act."""

    async def say(
        self, who: str, place: str, text: str, *, to_bot: bool = False, replying: bool = False, answered: bool = True
    ) -> None:
        """Says something; `to_bot` mentions the bot, `replying` replies to its last message. Waits for what follows."""
        self._begin(place)
        old = {one.key for one in self._messages(place)}
        await self._say(who, place, text, to_bot=to_bot, replying=replying)
        note = ""
        if answered:
            note = await self._first_word(place, old)
        await self._rest(place)
        self.look(place, note)

    async def say_quickly(self, who: str, place: str, *texts: str) -> None:
        """Says several things in a row, and waits for what follows."""
        self._begin(place)
        old = {one.key for one in self._messages(place)}
        for text in texts:
            await self._say(who, place, text, to_bot=False, replying=False)
        note = await self._first_word(place, old)
        await self._rest(place)
        self.look(place, note)

    async def show_photo(self, who: str, place: str) -> None:
        """Sends a photo without words."""
        self._begin(place)
        old = {one.key for one in self._messages(place)}
        await self._photo(who, place)
        note = await self._first_word(place, old)
        await self._rest(place)
        self.look(place, note)

    async def command(self, who: str, place: str, name: str, /, **options: str) -> None:
        """Uses a command, and waits for what follows."""
        self._begin(place)
        await self._command(who, place, name, options)
        await self._rest(place)
        for page in dict.fromkeys((place, f"{DM} {who}")):
            self.look(page)

    async def press(self, who: str, place: str, label: str) -> None:
        """Presses a button of the newest message that has it, and waits for what follows."""
        self._begin(place)
        self.pages[place].append(f"    ({who} presses [{label}])")
        try:
            alert = await self._press(who, place, label)
        except LookupError:
            alert = "NO SUCH BUTTON"
        await self._rest(place)
        if alert:
            self.pages[place].append(f"    (an alert for {who} alone: {alert})")
        for page in dict.fromkeys((place, f"{DM} {who}")):
            self.look(page)

    def note(self, text: str) -> None:
        """Writes a line of the narrator's on every page."""
        for lines in self.pages.values():
            lines.append(f"--- {text}")

    def look(self, place: str, note: str = "") -> None:
        """Writes down what is new in a place, and what reads differently now."""
        lines = self.pages[place]
        for one in self._messages(place):
            before = self._known.get((place, one.key))
            now = f"{one.text}{one.buttons}"
            if before == now:
                continue
            self._known[place, one.key] = now
            if one.by_bot:
                self.raw += [line for line in one.text.splitlines() if _RAW.search(line)]
            lines += self._written(one, note if one.by_bot else "", changed=before is not None)

    def _written(self, one: Seen, note: str, *, changed: bool) -> list[str]:
        about = [
            f"only {one.only_for} sees this" if one.only_for else "",
            "the message now reads" if changed else "",
            f"replying to {one.replies_to}" if one.replies_to else "",
            f"rings: {', '.join(one.rings)}" if one.rings else "",
        ]
        shown = "; ".join(part for part in about if part)
        first, *others = one.text.splitlines() or [""]
        lines = [f"{one.author}{f' ({shown})' if shown else ''}: {first}", *(f"    {line}" for line in others)]
        if one.buttons:
            lines.append("    " + " ".join(f"[{label}]" for label in one.buttons))
        if note:
            grown = f", {one.edits} edits" if one.edits else ""
            lines.append(f"    ({note}{grown})")
        return lines

    def _begin(self, place: str) -> None:
        self._began, self._signs = time.monotonic(), self._shown_signs(place)

    async def _first_word(self, place: str, old: set[int]) -> str:
        """Waits for something new of the bot's; how long it took, and what was to be seen meanwhile."""

        def come() -> bool:
            return any(one.by_bot and one.key not in old for one in self._messages(place))

        try:
            await self._until(come, REPLY_S)
        except TimeoutError:
            self.pages[place].append("    (NO ANSWER)")
            return ""
        signs = self._shown_signs(place) - self._signs
        return f"first seen after {time.monotonic() - self._began:.1f} s, {signs} signs of typing or drafts before"

    async def _rest(self, place: str) -> None:
        """Waits until nothing changes there any more."""
        while True:
            before = self._messages(place)
            try:
                await self._until(lambda before=before: self._messages(place) != before, QUIET_S)  # type: ignore[misc]
            except TimeoutError:
                return

    @abstractmethod
    def _messages(self, place: str) -> list[Seen]: ...

    @abstractmethod
    def _shown_signs(self, place: str) -> int: ...

    @abstractmethod
    async def _until(self, question: Callable[[], bool], seconds: float) -> None:
        """Raises TimeoutError."""

    @abstractmethod
    async def _say(self, who: str, place: str, text: str, *, to_bot: bool, replying: bool) -> None: ...

    @abstractmethod
    async def _photo(self, who: str, place: str) -> None: ...

    @abstractmethod
    async def _command(self, who: str, place: str, name: str, options: dict[str, str]) -> None: ...

    @abstractmethod
    async def _press(self, who: str, place: str, label: str) -> str: ...


class DiscordScreen(Screen):
    """Ann, Bob and another Ann (`Ann 2` here, `Ann` on the screen), and a server that Bob owns."""

    name = "Discord"

    def __init__(self, server: discord.DiscordServer) -> None:
        super().__init__()
        self.server = server
        self.people = {
            "Ann": server.add_user("ann", "Ann"),
            "Bob": server.add_user("bob", "Bob"),
            "Ann 2": server.add_user("annie_k", "Ann"),
        }
        guild = server.add_guild("Home", *self.people.values(), owner=self.people["Bob"])
        self._places = {f"{DM} {name}": server.open_dm(person) for name, person in self.people.items()}
        self._places[CHANNEL] = server.add_channel(guild, "kitchen")

    def _named(self, person: discord.User) -> str:
        if person.bot:
            return person.name
        return next(name for name, known in self.people.items() if known is person)

    def _messages(self, place: str) -> list[Seen]:
        return [self._seen(one) for one in list(self.server.world.in_channel[self._places[place].id])]

    def _seen(self, one: discord.Message) -> Seen:
        by_bot = one.author.bot
        answered = self.server.world.messages.get(one.reference or 0)
        return Seen(
            key=one.id,
            author=self._named(one.author),
            text=self._read(one.content) or ("" if not one.attachments else "(a photo)"),
            by_bot=by_bot,
            only_for=self._named(one.shown_to) if one.shown_to is not None else "",
            replies_to=f"{self._named(answered.author)} “{self._read(answered.content)[:QUOTED]}”" if answered else "",
            buttons=tuple(one.buttons),
            edits=len(one.edits),
            rings=tuple(map(self._named, one.pinged)) if by_bot else (),
        )

    def _read(self, markdown: str) -> str:
        """The letters that Discord's apps show for simple Markdown."""

        def spoken(found: re.Match[str]) -> str:
            code, escaped, person, quote, bullet = found.groups()
            if person:
                return f"@{self._named(self.server.world.users[int(person)])}"
            return code or escaped or ("| " if quote else "") or ("• " if bullet else "")

        return _SPOKEN.sub(spoken, markdown)

    def _shown_signs(self, place: str) -> int:
        return self.server.world.typed.count(self._places[place].id)

    async def _until(self, question: Callable[[], bool], seconds: float) -> None:
        await self.server.world.changes.until(question, seconds)

    async def _say(self, who: str, place: str, text: str, *, to_bot: bool, replying: bool) -> None:
        channel, bot = self._places[place], self.server.bot
        spoken = f"{bot.mention} {text}" if to_bot else text
        last = self.server.replies(channel)[-1] if replying else None
        await self.server.say(self.people[who], channel, spoken, reply_to=last)

    async def _photo(self, who: str, place: str) -> None:
        shown = [discord.Attachment("IMG_2041.jpg")]
        await self.server.say(self.people[who], self._places[place], attachments=shown)

    async def _command(self, who: str, place: str, name: str, options: dict[str, str]) -> None:
        given = "".join(f" {option}:{value}" for option, value in options.items())
        self.pages[place].append(f"    ({who} uses /{name}{given})")
        await self.server.answer(await self.server.slash(self.people[who], self._places[place], name, options))

    async def _press(self, who: str, place: str, label: str) -> str:
        person = self.people[who]
        messages = self.server.world.in_channel[self._places[place].id]
        found = [one for one in messages if label in one.buttons and one.shown_to in {None, person}]
        await self.server.answer(await self.server.press(person, found[-1], label))
        return ""


class TelegramScreen(Screen):
    """The same people, and a group that Bob created."""

    name = "Telegram"

    def __init__(self, server: telegram.TelegramServer) -> None:
        super().__init__()
        self.server, world = server, server.world
        self.people = {
            "Ann": world.add_user("Ann", username="ann_leeds"),
            "Bob": world.add_user("Bob", username="bob_home"),
            "Ann 2": world.add_user("Ann", username="annie_k", started=False),
        }
        group = world.add_group("kitchen", list(self.people.values()), admins=[self.people["Bob"]])
        self._places = {f"{DM} {name}": world.chats[person.id] for name, person in self.people.items()}
        self._places[CHANNEL] = group

    def _named(self, person: telegram.User) -> str:
        if person.is_bot:
            return person.first_name
        return next(name for name, known in self.people.items() if known is person)

    def _messages(self, place: str) -> list[Seen]:
        return [self._seen(one) for one in self.server.world.messages(self._places[place])]

    def _seen(self, one: telegram.Message) -> Seen:
        answered = one.reply_to
        return Seen(
            key=one.id,
            author=self._named(one.sender),
            text=_bulleted(one) or "(a photo)",
            by_bot=one.sender.is_bot,
            replies_to=f"{self._named(answered.sender)} “{answered.text[:QUOTED]}”" if answered else "",
            buttons=tuple(one.buttons),
            edits=len(one.earlier),
        )

    def _shown_signs(self, place: str) -> int:
        chat = self._places[place].id
        drafts = [one for one in self.server.calls if one.method.lower() == "sendmessagedraft"]
        mine = [one for one in drafts if str(one.asked.get("chat_id")) == str(chat)]
        return len(mine) + sum(there == chat for there, _ in self.server.world.actions)

    async def _until(self, question: Callable[[], bool], seconds: float) -> None:
        await self.server.world.until(question, seconds)

    async def _say(self, who: str, place: str, text: str, *, to_bot: bool, replying: bool) -> None:
        world, chat = self.server.world, self._places[place]
        spoken = f"@{world.bot.username} {text}" if to_bot else text
        last = next(one for one in reversed(world.messages(chat)) if one.sender.is_bot) if replying else None
        world.say(self.people[who], chat, spoken, reply_to=last)

    async def _photo(self, who: str, place: str) -> None:
        self.server.world.photo(self.people[who], self._places[place])

    async def _command(self, who: str, place: str, name: str, options: dict[str, str]) -> None:
        old = {(page, one.key) for page in self._places for one in self._messages(page)}
        line = " ".join([f"/{name}", *options.values()])
        self.server.world.say(self.people[who], self._places[place], line)

        def answered() -> bool:
            pages = (place, f"{DM} {who}")
            return any(one.by_bot and (page, one.key) not in old for page in pages for one in self._messages(page))

        await self._until(answered, REPLY_S)

    async def _press(self, who: str, place: str, label: str) -> str:
        world = self.server.world
        found = [one for one in world.messages(self._places[place]) if label in one.buttons]
        press = world.press(self.people[who], found[-1], label)
        await self._until(lambda: press.answered, REPLY_S)
        return press.text


def _bulleted(one: telegram.Message) -> str:
    """The text with a bar before what Telegram shows as a quotation."""
    encoded = one.text.encode("utf-16-le")
    quotes = [entity for entity in one.entities if entity["type"] == "blockquote"]
    for entity in sorted(quotes, key=lambda entity: -int(entity["offset"])):
        begin, end = 2 * entity["offset"], 2 * (entity["offset"] + entity["length"])
        quoted = encoded[begin:end].decode("utf-16-le").replace("\n", "\n| ")
        encoded = encoded[:begin] + f"| {quoted}".encode("utf-16-le") + encoded[end:]
    return encoded.decode("utf-16-le")

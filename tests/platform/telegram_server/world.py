"""Who is on this Telegram, what they say, and what they see."""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Wire = dict[str, Any]

DEFAULT_UPDATES = frozenset({"message", "edited_message", "callback_query", "my_chat_member"})
"""What is delivered, of what exists here, when a bot names nothing."""

_GRANTED = (
    "can_manage_chat can_delete_messages can_manage_video_chats can_restrict_members can_change_info can_invite_users"
)
_NOT_GRANTED = "can_be_edited is_anonymous can_promote_members can_post_stories can_edit_stories can_delete_stories"
ADMINISTRATOR = dict.fromkeys(_GRANTED.split(), True) | dict.fromkeys(_NOT_GRANTED.split(), False)
"""What an administrator may do here."""

MEDIA = frozenset({"photo", "video", "voice", "audio", "sticker", "animation", "document", "video_note"})
"""What has a caption, not a text."""

_WRITTEN = re.compile(
    r"(?P<bot_command>(?<!\S)/[A-Za-z0-9_]{1,32}(?:@\w+)?)|(?P<mention>(?<!\w)@\w{3,32})|(?P<url>https?://\S+)"
)


def units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def entities_of(text: str) -> list[Wire]:
    """The entities that Telegram's apps find in what a person types."""
    return [
        {"type": match.lastgroup, "offset": units(text[: match.start()]), "length": units(match[0])}
        for match in _WRITTEN.finditer(text)
    ]


@dataclass(slots=True)
class User:
    """A person or a bot."""

    id: int
    first_name: str
    username: str | None = None
    last_name: str | None = None
    is_bot: bool = False
    language_code: str | None = "en"
    started: bool = True
    """Whether the bot may write to this person."""
    blocked: bool = False
    deactivated: bool = False
    """Their account has been deleted."""

    def wire(self) -> Wire:
        """As the API gives it."""
        shown = {
            "id": self.id,
            "is_bot": self.is_bot,
            "first_name": self.first_name,
            "last_name": self.last_name,
            "username": self.username,
            "language_code": None if self.is_bot else self.language_code,
        }
        return {key: value for key, value in shown.items() if value is not None}


BOT = User(8000000001, "Monica", "monica_bot", is_bot=True)


@dataclass(slots=True)
class Chat:
    """A private chat (its id is the person's), a group or a supergroup."""

    id: int
    type: str
    title: str | None = None
    person: User | None = None
    status: dict[int, str] = field(default_factory=dict)
    """creator, administrator, member, left or kicked, by the user's id."""
    topics: dict[int, str] = field(default_factory=dict)
    untrusted: set[int] = field(default_factory=set)
    """Administrators who may not change what the chat is called."""
    upgraded_to: int | None = None

    def topic(self, name: str) -> int:
        """The id of a topic, which is that of the message that began it. Raises StopIteration."""
        return next(id_ for id_, title in self.topics.items() if title == name)

    def wire(self) -> Wire:
        """As the API gives it."""
        shown: Wire = {"id": self.id, "type": self.type}
        if self.person is not None:
            shown |= {"first_name": self.person.first_name, "username": self.person.username}
        else:
            shown |= {"title": self.title, "is_forum": bool(self.topics) or None}
        return {key: value for key, value in shown.items() if value is not None}


@dataclass(slots=True)
class Message:
    """One message, as people see it, and what it said before."""

    chat: Chat
    id: int
    sender: User
    date: int
    text: str
    entities: list[Wire] = field(default_factory=list)
    reply_to: Message | None = None
    topic: int | None = None
    keyboard: Wire | None = None
    extra: Wire = field(default_factory=dict)
    """What is no text: photo, voice, sticker and so on, as the API gives it."""
    edited: int | None = None
    earlier: list[str] = field(default_factory=list)
    """What it said before it was edited, oldest first."""
    deleted: bool = False

    @property
    def buttons(self) -> list[str]:
        """The labels of its inline keyboard."""
        return [button["text"] for row in (self.keyboard or {}).get("inline_keyboard", []) for button in row]

    def wire(self, depth: int = 1) -> Wire:
        """As the API gives it; what it replies to does not say what that replied to."""
        words = "caption" if MEDIA & self.extra.keys() else "text"
        shown: Wire = {
            "message_id": self.id,
            "from": self.sender.wire(),
            "chat": self.chat.wire(),
            "date": self.date,
            "edit_date": self.edited,
            words: self.text or None,
            "entities" if words == "text" else "caption_entities": self.entities or None,
            "message_thread_id": self.topic,
            "is_topic_message": True if self.topic else None,
            "reply_markup": self.keyboard,
            "reply_to_message": self.reply_to.wire(depth - 1) if self.reply_to is not None and depth else None,
        }
        return {key: value for key, value in (shown | self.extra).items() if value is not None}


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that the bot sent."""

    name: str
    content: bytes


@dataclass(slots=True)
class Press:
    """A button that somebody pressed, and what the bot answered: a short text, or an alert."""

    id: str
    user: User
    answered: bool = False
    text: str = ""
    alert: bool = False


class World:
    """All of it. What changes wakes whoever waits (`until`)."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self.now = now
        self.bot = User(BOT.id, BOT.first_name, BOT.username, is_bot=True)
        self.users: dict[int, User] = {self.bot.id: self.bot}
        self.chats: dict[int, Chat] = {}
        self.presses: dict[str, Press] = {}
        self.files: dict[str, Upload] = {}
        """By their id."""
        self.privacy = False
        """True: of groups the bot sees commands, mentions of it and replies to it only."""
        self.first_group = 1
        """The number from which groups are counted: another one for each world that meets the same database."""
        self.allowed = DEFAULT_UPDATES
        self.updates: deque[Wire] = deque()
        self.actions: list[tuple[int, str]] = []
        """Chat actions (typing): chat and action."""
        self.commands: dict[tuple[str, str], list[Wire]] = {}
        self._messages: dict[int, list[Message]] = defaultdict(list)
        self._drafts: dict[int, list[tuple[int, str]]] = defaultdict(list)
        self._read: dict[int, int] = defaultdict(int)
        self._last_update = 700_000_000
        self._changed = asyncio.Event()

    def changed(self) -> None:
        """Wakes whoever waits."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, true: Callable[[], bool], seconds: float = 60) -> None:
        """Waits until something is so. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while not true():
                await self._changed.wait()

    # Who there is

    def add_user(self, first_name: str, *, username: str | None = None, started: bool = True) -> User:
        """A person; `started` False: the bot may not write first."""
        user = User(1000 + len(self.users), first_name, username, started=started)
        self.users[user.id] = user
        self.chats[user.id] = Chat(user.id, "private", person=user)
        return user

    def add_group(
        self,
        title: str,
        members: Sequence[User],
        *,
        admins: Sequence[User] = (),
        topics: Sequence[str] = (),
        kind: str = "supergroup",
    ) -> Chat:
        """A group with the bot in it; the first of `admins` created it. Topics make it a forum."""
        number = self.first_group + sum(chat.type != "private" for chat in self.chats.values())
        chat = Chat((-1_002_000_000_000 if kind == "supergroup" else -4_000_000) - number, kind, title)
        chat.status = {user.id: "member" for user in (*members, self.bot)}
        chat.status |= {user.id: "administrator" for user in admins} | {user.id: "creator" for user in admins[:1]}
        self.chats[chat.id] = chat
        began: list[Wire] = [{"supergroup_chat_created": True}] if topics else []
        began += [{"forum_topic_created": {"name": name, "icon_color": 7322096}} for name in topics]
        for service in began:
            root = self.put(chat, (*admins, *members)[0], "", extra=service)
            if "forum_topic_created" in service:
                root.topic = root.id
                chat.topics[root.id] = service["forum_topic_created"]["name"]
        return chat

    # What people do

    def say(
        self,
        user: User,
        chat: Chat | User,
        text: str,
        *,
        reply_to: Message | None = None,
        entities: list[Wire] | None = None,
        topic: int | None = None,
        **extra: Any,
    ) -> Message:
        """Says something in a group, or to the bot in private (`say(ann, ann, "Hello")`).

        `extra` is what else the API gives: `photo=…`, `forward_origin=…`.
        """
        where = self.chats[chat.id]
        if topic is not None and reply_to is None:  # then it says that it replies to what began the topic
            reply_to = self.find(where, topic)
        if where.type == "private":
            user.started, user.blocked = True, False
        found = entities_of(text) if entities is None else entities
        message = self.put(where, user, text, entities=found, reply_to=reply_to, topic=topic, extra=extra)
        if self._bot_sees(message):
            self.deliver("message", message.wire())
        return message

    def photo(self, user: User, chat: Chat | User, caption: str = "") -> Message:
        """Shows a photo."""
        size = {"file_id": "P1", "file_unique_id": "p1", "width": 90, "height": 60, "file_size": 1200}
        return self.say(user, chat, caption, photo=[size])

    def voice(self, user: User, chat: Chat | User) -> Message:
        """Says something aloud."""
        return self.say(user, chat, "", voice={"file_id": "V1", "file_unique_id": "v1", "duration": 4})

    def sticker(self, user: User, chat: Chat | User, emoji: str = "😀") -> Message:
        """Sends a sticker."""
        shape = {"type": "regular", "width": 512, "height": 512, "is_animated": False, "is_video": False}
        return self.say(user, chat, "", sticker={"file_id": "S1", "file_unique_id": "s1", "emoji": emoji, **shape})

    def edit(self, message: Message, text: str) -> None:
        """Changes what somebody said."""
        self.rewrite(message, text, entities_of(text))
        if self._bot_sees(message):
            self.deliver("edited_message", message.wire())

    def delete(self, message: Message) -> None:
        """Deletes a message. No bot is told."""
        message.deleted = True
        self.changed()

    def press(self, user: User, message: Message, label: str) -> Press:
        """Presses a button of a message. Raises LookupError when it has none of that name."""
        rows = (message.keyboard or {}).get("inline_keyboard", [])
        button = next((button for row in rows for button in row if button["text"] == label), None)
        if button is None:
            raise LookupError(label)
        press = Press(str(4_000_000_000 + len(self.presses)), user)
        self.presses[press.id] = press
        query = {"id": press.id, "from": user.wire(), "message": message.wire(), "data": button["callback_data"]}
        self.deliver("callback_query", query | {"chat_instance": str(9_000_000_000 - message.chat.id)})
        return press

    def react(self, user: User, message: Message, *emoji: str) -> None:
        """Puts these emoji under a message in place of none. In a group only an administrator bot is told."""
        chat = message.chat
        if chat.type == "private" or chat.status.get(self.bot.id) == "administrator":
            new = [{"type": "emoji", "emoji": one} for one in emoji]
            change = {"chat": chat.wire(), "message_id": message.id, "user": user.wire(), "date": int(self.now())}
            self.deliver("message_reaction", change | {"old_reaction": [], "new_reaction": new})

    def block(self, user: User) -> None:
        """Blocks the bot."""
        user.blocked = True
        self._bot_became(self.chats[user.id], user, "member", "kicked")

    def kick(self, chat: Chat, admin: User) -> None:
        """Removes the bot from a group."""
        chat.status[self.bot.id] = "kicked"
        self._bot_became(chat, admin, "member", "kicked")

    def bring_back(self, chat: Chat, admin: User) -> None:
        """Adds the bot to a group again."""
        chat.status[self.bot.id] = "member"
        self._bot_became(chat, admin, "left", "member")

    def upgrade(self, chat: Chat) -> Chat:
        """A group becomes a supergroup, with another id."""
        new = Chat(chat.id - 1_002_000_000_000, "supergroup", chat.title, status=dict(chat.status))
        self.chats[new.id] = new
        chat.upgraded_to = new.id
        creator = self.users[next(iter(chat.status))]
        self.say(creator, chat, "", migrate_to_chat_id=new.id)
        self.say(creator, new, "", migrate_from_chat_id=chat.id)
        return new

    # What people see

    def messages(self, where: User | Chat) -> list[Message]:
        """What is to be seen in a chat, oldest first."""
        return [message for message in self._messages[where.id] if not message.deleted]

    def said(self, where: User | Chat) -> list[str]:
        """What the bot has said in a chat, as it stands."""
        return [message.text for message in self.messages(where) if message.sender is self.bot]

    def drafts(self, where: User | Chat) -> list[tuple[int, str]]:
        """The drafts that were shown since the last message: id and text."""
        return self._drafts[where.id]

    def uploads(self, where: User | Chat) -> list[Upload]:
        """The files that the bot has sent to a chat."""
        sent = [message.extra["document"] for message in self.messages(where) if message.sender is self.bot
                and "document" in message.extra]  # fmt: skip
        return [self.files[document["file_id"]] for document in sent]

    async def reply(self, where: User | Chat, seconds: float = 60) -> Message:
        """The next message of the bot in a chat: each is given once. Raises TimeoutError."""

        def unread() -> Message | None:
            later = self._messages[where.id][self._read[where.id] :]
            return next((message for message in later if message.sender is self.bot and not message.deleted), None)

        await self.until(lambda: unread() is not None, seconds)
        found = unread()
        assert found is not None
        self._read[where.id] = found.id
        return found

    # For the Bot API

    def find(self, chat: Chat, message_id: int) -> Message | None:
        """A message that is still there."""
        everything = self._messages[chat.id]
        found = everything[message_id - 1] if 0 < message_id <= len(everything) else None
        return found if found is not None and not found.deleted else None

    def put(self, chat: Chat, sender: User, text: str, **more: Any) -> Message:
        """A new message; ids count per chat."""
        message = Message(chat, len(self._messages[chat.id]) + 1, sender, int(self.now()), text, **more)
        self._messages[chat.id].append(message)
        if sender is self.bot:
            self._drafts[chat.id] = []
        self.changed()
        return message

    def rewrite(self, message: Message, text: str, entities: list[Wire]) -> None:
        """Changes a message."""
        message.earlier.append(message.text)
        message.text, message.entities, message.edited = text, entities, int(self.now())
        self.changed()

    def draft(self, chat: Chat, draft_id: int, text: str) -> None:
        """Shows a draft."""
        self._drafts[chat.id].append((draft_id, text))
        self.changed()

    def deliver(self, kind: str, content: Wire) -> None:
        """An update for the bot, if it wants that kind."""
        if kind in self.allowed:
            self._last_update += 1
            self.updates.append({"update_id": self._last_update, kind: content})
        self.changed()

    def member(self, chat: Chat, user: User) -> Wire:
        """A member of a chat as the API gives it."""
        status = chat.status.get(user.id, "left")
        shown: Wire = {"user": user.wire(), "status": status}
        if status == "creator":
            return shown | {"is_anonymous": False}
        if status == "kicked":
            return shown | {"until_date": 0}
        if status == "administrator":
            return shown | ADMINISTRATOR | {"can_change_info": user.id not in chat.untrusted}
        return shown

    def _bot_sees(self, message: Message) -> bool:
        if message.chat.type == "private":
            return True
        if message.chat.status.get(self.bot.id) not in {"member", "administrator", "creator"}:
            return False
        to_bot = f"@{self.bot.username}" in message.text or message.text.startswith("/")
        to_bot = to_bot or (message.reply_to is not None and message.reply_to.sender is self.bot)
        return to_bot or not self.privacy or message.chat.status[self.bot.id] != "member"

    def _bot_became(self, chat: Chat, user: User, old: str, new: str) -> None:
        states = [{"user": self.bot.wire(), "status": old}, {"user": self.bot.wire(), "status": new, "until_date": 0}]
        change = {"chat": chat.wire(), "from": user.wire(), "date": int(self.now())}
        self.deliver("my_chat_member", change | {"old_chat_member": states[0], "new_chat_member": states[1]})

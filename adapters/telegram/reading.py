"""A Telegram message as an utterance. Nothing is asked of Telegram, nothing is stored."""

from collections.abc import Iterator, Sequence

from telegram import (
    Chat,
    ChatMember,
    ChatMemberRestricted,
    ExternalReplyInfo,
    Message,
    MessageEntity,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
    User,
)

from bot.domain import AGENT_ID, Place, PlaceKind, Quotation, Speaker, Utterance
from bot.language.attachments import Kind, mark, with_marks
from bot.texts import platforms as texts

PLATFORM = "telegram"
KNOWN_TOPICS = 2000
"""Names of groups' topics that are kept in mind."""

_IN = (ChatMember.OWNER, ChatMember.ADMINISTRATOR, ChatMember.MEMBER)
_NAMES = (MessageEntity.MENTION, MessageEntity.TEXT_MENTION)


def message_id(message: Message) -> str:
    """Its id on the whole platform: Telegram counts messages in every chat anew."""
    return id_in(message.chat.id, message.message_id)


def id_in(chat: int, message: int) -> str:
    """The id of a message of a chat on the whole platform."""
    return f"{chat}/{message}"


def number_of(message: str) -> int:
    """The number of a message in its chat, from its id on the whole platform."""
    return int(message.rpartition("/")[2])


def place_of(message: Message) -> Place | None:
    """Where a message was said; None for a channel, which is not a place to talk.

    A topic hangs on its group's general one, as a thread on its channel, and has that one's mode if it has none.
    """
    if message.chat.type == Chat.PRIVATE:
        return dm_with(message.chat.id)
    if message.chat.type in {Chat.GROUP, Chat.SUPERGROUP}:
        topic = _topic(message)
        return Place(PLATFORM, PlaceKind.CHANNEL, f"{message.chat.id}/0" + (f"/{topic}" if topic else ""))
    return None


def dm_with(person: int) -> Place:
    """The private chat with a person, which has the person's id."""
    return Place(PLATFORM, PlaceKind.DM, str(person))


def chat_and_topic(place: Place) -> tuple[int, int | None]:
    """The chat behind a place, and the topic in it; None: no topic."""
    chat, _, topic = place.ref.partition("/")
    return int(chat), int(topic.rpartition("/")[2] or 0) or None


def is_of(place: Place, message: str) -> bool:
    """Whether a message with this id was said in the chat behind a place. A group that got another id counts anew."""
    return message.rpartition("/")[0] == str(chat_and_topic(place)[0])


def general(chat: int) -> Place:
    """The place of a group, or of the general topic where it has topics."""
    return Place(PLATFORM, PlaceKind.CHANNEL, f"{chat}/0")


def is_in(member: ChatMember) -> bool:
    """Whether somebody of whom Telegram tells is in the group, and can read it."""
    return member.status in _IN or (isinstance(member, ChatMemberRestricted) and member.is_member)


def speaker(person: User) -> Speaker:
    """A person, by their id and the name they go by."""
    name = (person.full_name or "").strip() or person.username or texts.UNKNOWN_PERSON
    return Speaker(f"{PLATFORM}:{person.id}", name)


def is_said(message: Message) -> bool:
    """Whether a person said this: not a bot, a channel, or an admin who hides behind the group."""
    return message.from_user is not None and not message.from_user.is_bot and message.sender_chat is None


def is_command(message: Message) -> bool:
    """Whether a message is a command, for us or for another bot. One that somebody passed on is none of theirs."""
    return message.forward_origin is None and any(
        entity.offset == 0 and entity.type == MessageEntity.BOT_COMMAND for entity in message.entities
    )


class Reader:
    """Reads messages as the bot `me`, whom people call `name`. Remembers what topics are called."""

    def __init__(self, me: User, name: str) -> None:
        self._me = me
        self._name = name
        self._topics: dict[tuple[int, int], str] = {}

    def utterance(self, message: Message) -> Utterance | None:
        """What a person said. None when nobody said anything."""
        person, place = message.from_user, place_of(message)
        text = self.words(message)
        if person is None or place is None or not text or not is_said(message):
            return None
        answered = replied_to(message)
        author = answered.from_user if answered is not None else None
        names_me, names_others = self._named(message, person)
        to_bot = place.kind is PlaceKind.DM or names_me or (author is not None and author.id == self._me.id)
        return Utterance(
            place=place,
            message_id=message_id(message),
            speaker=speaker(person),
            text=text,
            time=message.date,
            to_bot=to_bot,
            reply_to=None if answered is None else message_id(answered),
            to_other=not to_bot and (names_others or (author is not None and author.id != person.id)),
            place_name=self.place_name(message),
            place_public=None if place.kind is PlaceKind.DM else True,  # a group's members read all of its topics
            quoting=self._quoting(message),
        )

    def words(self, message: Message) -> str:
        """The text of a message as a person reads it, with marks for what is no text."""
        text = self._legible(message).strip()
        marks = list(_marks(message))
        if text and _is_passed_on(message):
            return with_marks("", [*marks, mark(Kind.FORWARD, text)])
        return with_marks(text, marks)

    def _quoting(self, message: Message) -> Quotation | None:
        """The words that a message replies to or quotes, here or from another chat."""
        answered, outside, quote = replied_to(message), message.external_reply, message.quote
        if answered is not None:
            words, author = self.words(answered), self._author(answered)
        elif outside is not None:
            words, author = with_marks("", list(_marks(outside))), _origin(outside.origin)
        else:
            return None
        text = quote.text if quote is not None else words
        return Quotation(author.name, text, author.id, part=quote is not None) if text else None

    def _author(self, message: Message) -> Speaker:
        """Whose message it is, as the chat shows it."""
        if message.from_user is not None and message.from_user.id == self._me.id:
            return Speaker(AGENT_ID, self._name)
        if message.sender_chat is not None or message.from_user is None:
            return Speaker("", (message.sender_chat or message.chat).effective_name or texts.UNKNOWN_PERSON)
        return speaker(message.from_user)

    def place_name(self, message: Message) -> str:
        """What people call a group, with its topic where that is known; empty for a private chat."""
        title = message.chat.title or ""
        topic = self._topics.get((message.chat.id, _topic(message)))
        return texts.TOPIC_NAME.format(topic=topic, group=title) if topic and title else title

    def learn_topic(self, message: Message) -> None:
        """Notes what a topic is called, where a message tells: its first message does, and replies to that."""
        root = message.reply_to_message
        for notice in (message, root):
            named = notice and (notice.forum_topic_edited or notice.forum_topic_created)
            if notice is not None and named and named.name:
                key = (message.chat.id, notice.message_thread_id or notice.message_id)
                if notice is root and key in self._topics:
                    continue  # the first message tells its first name, which may have been changed
                self._topics[key] = named.name
        while len(self._topics) > KNOWN_TOPICS:
            self._topics.pop(next(iter(self._topics)))

    def _legible(self, message: Message) -> str:
        """Text or caption, with our username as our name."""
        text, entities = _text(message)
        units = text.encode("utf-16-le", "surrogatepass")
        shown, begin = list[bytes](), 0
        for entity in sorted(entities, key=lambda entity: entity.offset):
            start, end = 2 * entity.offset, 2 * (entity.offset + entity.length)
            if entity.type == MessageEntity.MENTION and self._is_me(units[start:end].decode("utf-16-le", "replace")):
                shown += [units[begin:start], self._name.encode("utf-16-le")]
                begin = end
        return b"".join([*shown, units[begin:]]).decode("utf-16-le", "surrogatepass")

    def _named(self, message: Message, person: User) -> tuple[bool, bool]:
        """Whether we are mentioned, and whether somebody else is."""
        me = others = False
        found = {**message.parse_entities(list(_NAMES)), **message.parse_caption_entities(list(_NAMES))}
        for entity, shown in found.items():
            if entity.user is not None:
                mine, own = entity.user.id == self._me.id, entity.user.id == person.id
            else:
                mine = self._is_me(shown)
                own = shown.casefold() == f"@{person.username}".casefold()
            me, others = me or mine, others or not (mine or own)
        return me, others

    def _is_me(self, mention: str) -> bool:
        return mention.casefold() == f"@{self._me.username}".casefold()


def _text(message: Message) -> tuple[str, Sequence[MessageEntity]]:
    if message.text is not None:
        return message.text, message.entities
    return message.caption or "", message.caption_entities


def _topic(message: Message) -> int:
    """The topic of a forum; 0 for its general one, and where there are none (a thread of replies is no topic)."""
    return message.message_thread_id or 0 if message.is_topic_message else 0


def replied_to(message: Message) -> Message | None:
    """What a message replies to. In a topic, what replies to nothing seems to reply to its first message."""
    answered = message.reply_to_message
    if answered is None or answered.forum_topic_created is not None:
        return None
    if message.is_topic_message and answered.message_id == message.message_thread_id:
        return None
    return answered


def _origin(origin: MessageOrigin) -> Speaker:
    """Whose message was brought here from another chat."""
    match origin:
        case MessageOriginUser():
            return speaker(origin.sender_user)
        case MessageOriginHiddenUser():
            return Speaker("", origin.sender_user_name)
        case MessageOriginChat():
            return Speaker("", origin.sender_chat.effective_name or texts.UNKNOWN_PERSON)
        case MessageOriginChannel():
            return Speaker("", origin.chat.effective_name or texts.UNKNOWN_PERSON)
        case _:
            return Speaker("", texts.UNKNOWN_PERSON)


def _is_passed_on(message: Message) -> bool:
    """Whether these are words of somebody else: they are shown as an attachment, not taken for the person's."""
    origin = message.forward_origin
    if isinstance(origin, MessageOriginUser) and message.from_user is not None:
        return origin.sender_user.id != message.from_user.id
    return origin is not None


def _marks(message: Message | ExternalReplyInfo) -> Iterator[str]:
    """What is no text. Animations and venues come a second time in an older form, which is left out."""
    if message.photo:
        yield mark(Kind.PHOTO)
    if message.video or message.video_note:
        yield mark(Kind.VIDEO, (message.video.file_name or "") if message.video else "")
    if message.voice:
        yield mark(Kind.VOICE)
    if message.audio:
        yield mark(Kind.AUDIO, message.audio.title or message.audio.file_name or "")
    if message.sticker:
        yield mark(Kind.STICKER, message.sticker.emoji or "")
    if message.dice:
        yield mark(Kind.DICE, f"{message.dice.emoji} {message.dice.value}")
    if message.animation:
        yield mark(Kind.ANIMATION, message.animation.file_name or "")
    elif message.document:
        yield mark(Kind.FILE, message.document.file_name or "")
    yield from _shared(message)


def _shared(message: Message | ExternalReplyInfo) -> Iterator[str]:
    """Places, people, questions, and what stands for more than one file."""
    if message.venue:
        yield mark(Kind.LOCATION, message.venue.title)
    elif message.location:
        yield mark(Kind.LOCATION)
    if message.contact:
        yield mark(Kind.CONTACT, f"{message.contact.first_name} {message.contact.last_name or ''}")
    if message.poll:
        yield mark(Kind.POLL, message.poll.question)
    if message.paid_media:
        yield mark(Kind.PHOTO)
    if message.story:
        yield mark(Kind.STORY)
    if message.checklist:
        yield mark(Kind.FILE, message.checklist.title)
    if message.game:
        yield mark(Kind.GAME, message.game.title)
    if message.invoice or message.giveaway or message.giveaway_winners:
        yield mark(Kind.OTHER)

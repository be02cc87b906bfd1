"""The methods of the Bot API that the bot uses, with Telegram's own words for what it refuses.

The words were compared with what users of the real API report. Entities are read, parse modes are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tests.platform.telegram_server.world import Chat, Message, Upload, Wire, World, units

LONGEST_TEXT = 4096
LONGEST_BUTTON = 64
LARGEST_FILE = 50 * 1024 * 1024
ENTITY_TYPES = frozenset(
    "mention hashtag cashtag bot_command url email phone_number bold italic underline strikethrough spoiler blockquote "
    "expandable_blockquote code pre text_link text_mention custom_emoji".split()
)
ACTIONS = frozenset(
    "typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker "
    "find_location record_video_note upload_video_note".split()
)
NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current content "
    "and reply markup of the message"
)
TOO_OLD = "query is too old and response timeout expired or query ID is invalid"


class Refused(Exception):
    """What Telegram answers instead of a result."""

    def __init__(self, code: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters


def bad(reason: str) -> Refused:
    """400, with the reason in Telegram's words."""
    return Refused(400, f"Bad Request: {reason}")


class Asked:
    """The parameters of a request: a form's are strings, with JSON in them where they are no plain values."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def text(self, name: str) -> str:
        """A string, empty if it is not given."""
        return str(self.values.get(name) or "")

    def number(self, name: str) -> int | None:
        """A whole number."""
        value = self.values.get(name)
        return None if value in {None, ""} else int(str(value))

    def flag(self, name: str) -> bool:
        """True or false."""
        return str(self.values.get(name, "")).lower() == "true"

    def shape(self, name: str) -> Any:
        """A list or an object; None if it is not given."""
        value = self.values.get(name)
        return json.loads(value) if isinstance(value, str) and value else value or None


class Methods:
    """The methods, by their names. Each takes what was asked and gives the result, or raises Refused."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.by_name: dict[str, Callable[[Asked], Any]] = {
            "getme": self.get_me,
            "deletewebhook": self.delete_webhook,
            "sendmessage": self.send_message,
            "senddocument": self.send_document,
            "editmessagetext": self.edit_message_text,
            "editmessagereplymarkup": self.edit_message_reply_markup,
            "deletemessage": self.delete_message,
            "sendmessagedraft": self.send_message_draft,
            "sendchataction": self.send_chat_action,
            "setmycommands": self.set_my_commands,
            "getmycommands": self.get_my_commands,
            "deletemycommands": self.delete_my_commands,
            "getchat": self.get_chat,
            "getchatmember": self.get_chat_member,
            "getchatadministrators": self.get_chat_administrators,
            "answercallbackquery": self.answer_callback_query,
        }

    def get_me(self, asked: Asked) -> Wire:
        """Who the bot is."""
        more = {"can_join_groups": True, "supports_inline_queries": False}
        return self.world.bot.wire() | more | {"can_read_all_group_messages": not self.world.privacy}

    def delete_webhook(self, asked: Asked) -> bool:
        """There is none; but what waits may be dropped."""
        if asked.flag("drop_pending_updates"):
            self.world.updates.clear()
        return True

    def send_message(self, asked: Asked) -> Wire:
        """Says something."""
        chat = self._chat(asked)
        self._may_write(chat)
        text, entities = _said(asked)
        topic = asked.number("message_thread_id")
        if topic is not None and topic not in chat.topics:
            raise bad("message thread not found")
        message = self.world.put(
            chat,
            self.world.bot,
            text,
            entities=entities,
            reply_to=self._replied_to(chat, asked),
            topic=topic,
            keyboard=_keyboard(asked),
        )
        return message.wire()

    def send_document(self, asked: Asked) -> Wire:
        """Sends a file."""
        chat, file = self._chat(asked), asked.values.get("document")
        self._may_write(chat)
        if not isinstance(file, Upload):
            raise bad("there is no document in the request")
        if len(file.content) > LARGEST_FILE:
            raise Refused(413, "Request Entity Too Large")
        id_ = f"F{len(self.world.files) + 1}"
        self.world.files[id_] = file
        document = {"file_id": id_, "file_unique_id": id_, "file_name": file.name, "file_size": len(file.content)}
        return self.world.put(chat, self.world.bot, asked.text("caption"), extra={"document": document}).wire()

    def edit_message_text(self, asked: Asked) -> Wire:
        """Changes the text of a message, and its keyboard: without one it has none afterwards."""
        message = self._own(asked, "edit")
        text, entities = _said(asked)
        keyboard = _keyboard(asked)
        if (text, entities, keyboard) == (message.text, message.entities, message.keyboard):
            raise bad(NOT_MODIFIED)
        message.keyboard = keyboard
        self.world.rewrite(message, text, entities)
        return message.wire()

    def edit_message_reply_markup(self, asked: Asked) -> Wire:
        """Changes the keyboard of a message."""
        message = self._own(asked, "edit")
        keyboard = _keyboard(asked)
        if keyboard == message.keyboard:
            raise bad(NOT_MODIFIED)
        message.keyboard = keyboard
        self.world.changed()
        return message.wire()

    def delete_message(self, asked: Asked) -> bool:
        """Deletes a message."""
        self.world.delete(self._own(asked, "delete"))
        return True

    def send_message_draft(self, asked: Asked) -> bool:
        """Shows a message that is being written, in a private chat."""
        chat = self._chat(asked)
        if chat.type != "private":
            raise bad("TEXTDRAFT_PEER_INVALID")
        self._may_write(chat)
        number = asked.number("draft_id")
        if not number:
            raise bad("invalid draft_id specified")
        text = _said(asked)[0] if asked.text("text").strip() else ""
        self.world.draft(chat, number, text)
        return True

    def send_chat_action(self, asked: Asked) -> bool:
        """Shows that something is coming, for five seconds."""
        chat = self._chat(asked)
        self._may_write(chat)
        if asked.text("action") not in ACTIONS:
            raise bad("wrong parameter action in request")
        self.world.actions.append((chat.id, asked.text("action")))
        self.world.changed()
        return True

    def set_my_commands(self, asked: Asked) -> bool:
        """Sets the menu, for a scope and a language."""
        commands = asked.shape("commands") or []
        if len(commands) > 100:
            raise bad("BOT_COMMANDS_TOO_MUCH")
        for command in commands:
            if not re.fullmatch(r"[a-z0-9_]{1,32}", command["command"]):
                raise bad("BOT_COMMAND_INVALID")
            if not 1 <= len(command["description"]) <= 256:
                raise bad("BOT_COMMAND_DESCRIPTION_INVALID")
        self.world.commands[_menu(asked)] = commands
        self.world.changed()
        return True

    def get_my_commands(self, asked: Asked) -> list[Wire]:
        """The menu of exactly this scope and language."""
        return self.world.commands.get(_menu(asked), [])

    def delete_my_commands(self, asked: Asked) -> bool:
        """Removes a menu."""
        self.world.commands.pop(_menu(asked), None)
        return True

    def get_chat(self, asked: Asked) -> Wire:
        """A chat."""
        gifts = dict.fromkeys(
            ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels"), True
        )
        more = {"accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": gifts}
        return self._chat(asked).wire() | more

    def get_chat_member(self, asked: Asked) -> Wire:
        """What somebody may do in a chat."""
        chat, user = self._chat(asked), self.world.users.get(asked.number("user_id") or 0)
        if user is None:
            raise bad("user not found")
        if chat.person is None:
            self._may_write(chat)
        return self.world.member(chat, user)

    def get_chat_administrators(self, asked: Asked) -> list[Wire]:
        """Who runs a group."""
        chat = self._chat(asked)
        if chat.type == "private":
            raise bad("there are no administrators in the private chat")
        running = [id_ for id_, status in chat.status.items() if status in {"creator", "administrator"}]
        return [self.world.member(chat, self.world.users[id_]) for id_ in running]

    def answer_callback_query(self, asked: Asked) -> bool:
        """Answers somebody's press of a button: once, and only one that happened."""
        press = self.world.presses.get(asked.text("callback_query_id"))
        if press is None or press.answered:
            raise bad(TOO_OLD)
        if len(asked.text("text")) > 200:
            raise bad("MESSAGE_TOO_LONG")
        press.answered, press.text, press.alert = True, asked.text("text"), asked.flag("show_alert")
        self.world.changed()
        return True

    def _chat(self, asked: Asked) -> Chat:
        named = asked.text("chat_id")
        if not named:
            raise bad("chat_id is empty")
        chat = self.world.chats.get(int(named)) if re.fullmatch(r"-?\d+", named) else None
        if chat is None:
            raise bad("chat not found")
        if chat.upgraded_to is not None:
            reason = "Bad Request: group chat was upgraded to a supergroup chat"
            raise Refused(400, reason, migrate_to_chat_id=chat.upgraded_to)
        return chat

    def _may_write(self, chat: Chat) -> None:
        person = chat.person
        if person is not None and person.deactivated:
            raise Refused(403, "Forbidden: user is deactivated")
        if person is not None and person.blocked:
            raise Refused(403, "Forbidden: bot was blocked by the user")
        if person is not None and not person.started:
            raise Refused(403, "Forbidden: bot can't initiate conversation with a user")
        status = chat.status.get(self.world.bot.id, "left")
        if person is None and status == "kicked":
            raise Refused(403, f"Forbidden: bot was kicked from the {chat.type} chat")
        if person is None and status == "left":
            raise Refused(403, f"Forbidden: bot is not a member of the {chat.type} chat")

    def _own(self, asked: Asked, what: str) -> Message:
        """A message of the bot that is to be changed."""
        chat = self._chat(asked)
        message = self.world.find(chat, asked.number("message_id") or 0)
        if message is None:
            raise bad(f"message to {what} not found")
        if message.sender is not self.world.bot:
            raise bad(f"message can't be {what}ed" if what == "edit" else "message can't be deleted")
        return message

    def _replied_to(self, chat: Chat, asked: Asked) -> Message | None:
        wanted = asked.shape("reply_parameters") or {}
        if "message_id" not in wanted:
            return None
        message = self.world.find(chat, int(wanted["message_id"]))
        if message is None and not wanted.get("allow_sending_without_reply"):
            raise bad("message to be replied not found")
        return message


def _menu(asked: Asked) -> tuple[str, str]:
    scope = asked.shape("scope") or {"type": "default"}
    return json.dumps(scope, sort_keys=True), asked.text("language_code")


def _said(asked: Asked) -> tuple[str, list[Wire]]:
    """The text, without white space around it, and its entities, checked."""
    text = asked.text("text")
    if not text:
        raise bad("message text is empty")
    if asked.text("parse_mode"):
        raise bad("can't parse entities: this server reads entities, not parse modes")
    whole, begin = text.rstrip(), units(text) - units(text.lstrip())
    entities = sorted(asked.shape("entities") or [], key=lambda entity: (entity["offset"], -entity["length"]))
    _check(entities, text)
    if not whole:
        raise bad("text must be non-empty")
    moved = [_moved(entity, begin, units(whole.lstrip())) for entity in entities]
    if units(whole.lstrip()) > LONGEST_TEXT:
        raise bad("message is too long")
    return whole.lstrip(), [entity for entity in moved if entity["length"] > 0]


def _moved(entity: Wire, begin: int, length: int) -> Wire:
    start = max(entity["offset"] - begin, 0)
    end = min(entity["offset"] + entity["length"] - begin, length)
    return entity | {"offset": start, "length": end - start}


def _check(entities: list[Wire], text: str) -> None:
    """Every entity is of a known type, inside the text, beside or inside another one, and tears no character."""
    encoded = text.encode("utf-16-le", "surrogatepass")
    torn = {at for at in range(len(encoded) // 2) if 0xDC <= encoded[2 * at + 1] <= 0xDF}
    open_ends: list[int] = []
    for entity in entities:
        offset, end = entity["offset"], entity["offset"] + entity["length"]
        if entity["type"] not in ENTITY_TYPES:
            raise bad("can't parse MessageEntity: Unsupported type")
        for at, where in ((offset, "begins"), (end, f"beginning at UTF-16 offset {offset} ends")):
            if at in torn:
                byte = len(encoded[: 2 * at - 2].decode("utf-16-le", "surrogatepass").encode())
                raise bad(f"entity {where} in a middle of a UTF-16 symbol at byte offset {byte}")
        if entity["type"] == "text_link":
            _check_link(entity)
        while open_ends and open_ends[-1] <= offset:
            open_ends.pop()
        if end > units(text) or (open_ends and end > open_ends[-1]):
            raise bad(
                f"entity beginning at UTF-16 offset {offset} ends after the end of the text at UTF-16 offset {end}"
            )
        open_ends.append(end)


def _check_link(entity: Wire) -> None:
    """A link has an address that Telegram would open."""
    if "url" not in entity:
        raise bad("can't parse MessageEntity: Can't find field \"url\"")
    found = re.fullmatch(r"(?:([A-Za-z][A-Za-z0-9+-]*):(?!\d)/*)?(.*)", entity["url"])
    scheme, rest = (found[1] or "http").lower() if found else "", found[2] if found else ""
    reason = ""
    if scheme not in {"http", "https", "tg", "ton", "tonsite"}:
        reason = "Unsupported URL protocol"
    elif scheme in {"http", "https"} and not re.match(r"[^\s/?#]+\.[^\s/?#.]{2,}", rest):
        reason = "Wrong HTTP URL"
    if reason:
        raise bad(f"entity URL '{entity['url']}' is invalid: {reason}")


def _keyboard(asked: Asked) -> Wire | None:
    """An inline keyboard, checked."""
    markup = asked.shape("reply_markup")
    if not markup:
        return None
    for row in markup.get("inline_keyboard", []):
        for button in row:
            if not button.get("text"):
                raise bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
            if not 1 <= len(button.get("callback_data", "x").encode()) <= LONGEST_BUTTON:
                raise bad("BUTTON_DATA_INVALID")
    return dict(markup) if markup.get("inline_keyboard") else None

"""Telegram messages, as Telegram sends them, become utterances."""

from datetime import UTC, datetime
from typing import Any

import pytest
from telegram import ChatMember, Message, Update, User

from adapters.telegram.reading import Reader, chat_and_topic, is_in, is_said, message_id
from bot.domain import Place, PlaceKind, Speaker, Utterance
from bot.language.attachments import LONGEST_FORWARD

MONICA = {"id": 8, "is_bot": True, "first_name": "Monica", "username": "monica_bot"}
ANN = {"id": 1001, "is_bot": False, "first_name": "Ann", "last_name": "Lee", "username": "annlee"}
BOB = {"id": 1002, "is_bot": False, "first_name": "Bob"}
PRIVATE = {"id": 1001, "type": "private", "first_name": "Ann"}
GROUP = {"id": -100500, "type": "supergroup", "title": "Home"}
FILE = {"file_id": "F", "file_unique_id": "f"}
SIZE = {**FILE, "width": 9, "height": 6}


def wire(text: str | None = "Hello", **fields: Any) -> dict[str, Any]:
    shown = {"message_id": 7, "date": 1_795_000_000, "from": ANN, "chat": PRIVATE, "text": text, **fields}
    return {key: value for key, value in shown.items() if value is not None}


def message(text: str | None = "Hello", **fields: Any) -> Message:
    update = Update.de_json({"update_id": 1, "message": wire(text, **fields)}, None)
    assert update.message is not None
    return update.message


def reader() -> Reader:
    return Reader(User(8, "Monica", is_bot=True, username="monica_bot"), "Monica")


def read(text: str | None = "Hello", **fields: Any) -> Utterance:
    utterance = reader().utterance(message(text, **fields))
    assert utterance is not None
    return utterance


def entity(kind: str, offset: int, length: int, **more: Any) -> list[dict[str, Any]]:
    return [{"type": kind, "offset": offset, "length": length, **more}]


def test_a_private_message_is_for_the_bot() -> None:
    assert read() == Utterance(
        place=Place("telegram", PlaceKind.DM, "1001"),
        message_id="1001/7",
        speaker=Speaker("telegram:1001", "Ann Lee"),
        text="Hello",
        time=datetime.fromtimestamp(1_795_000_000, UTC),
        to_bot=True,
    )


def test_a_group_s_message_has_the_group_s_name_and_is_for_nobody() -> None:
    said = read(chat=GROUP)
    assert said.place == Place("telegram", PlaceKind.CHANNEL, "-100500/0")
    assert (said.message_id, said.place_name, said.to_bot, said.to_other) == ("-100500/7", "Home", False, False)
    assert (said.place.server, said.place.parent) == ("-100500", None)


@pytest.mark.parametrize(
    ("text", "fields", "shown", "to_bot", "to_other"),
    [
        ("@monica_bot hi", {"entities": entity("mention", 0, 11)}, "Monica hi", True, False),
        ("😀 @MONICA_BOT!", {"entities": entity("mention", 3, 11)}, "😀 Monica!", True, False),
        ("Monica hi", {"entities": entity("text_mention", 0, 6, user=MONICA)}, "Monica hi", True, False),
        ("@bobby hi", {"entities": entity("mention", 0, 6)}, "@bobby hi", False, True),
        ("Bob hi", {"entities": entity("text_mention", 0, 3, user=BOB)}, "Bob hi", False, True),
        ("@annlee is me", {"entities": entity("mention", 0, 7)}, "@annlee is me", False, False),
        (
            "yes",
            {"reply_to_message": wire("?", **{"from": MONICA, "chat": GROUP, "message_id": 3})},
            "yes",
            True,
            False,
        ),
        ("yes", {"reply_to_message": wire("?", **{"from": BOB, "chat": GROUP, "message_id": 3})}, "yes", False, True),
        ("and", {"reply_to_message": wire("?", **{"from": ANN, "chat": GROUP, "message_id": 3})}, "and", False, False),
        (
            None,
            {"caption": "@monica_bot look", "photo": [SIZE], "caption_entities": entity("mention", 0, 11)},
            "Monica look\n[photo]",
            True,
            False,
        ),
    ],
)
def test_whom_a_message_in_a_group_is_for(
    text: str | None, fields: dict[str, Any], shown: str, to_bot: bool, to_other: bool
) -> None:
    said = read(text, chat=GROUP, **fields)
    assert (said.text, said.to_bot, said.to_other) == (shown, to_bot, to_other)


def test_a_reply_refers_to_the_message_in_the_same_chat() -> None:
    assert read(chat=GROUP, reply_to_message=wire("?", chat=GROUP, message_id=3)).reply_to == "-100500/3"


TOPIC: dict[str, Any] = {"chat": GROUP | {"is_forum": True}, "message_thread_id": 12, "is_topic_message": True}
ROOT = wire(None, **TOPIC | {"message_id": 12, "forum_topic_created": {"name": "Food", "icon_color": 1}})


def test_a_topic_is_a_place_of_its_own_and_its_first_message_is_not_replied_to() -> None:
    said = read(**TOPIC, reply_to_message=ROOT)
    assert said.place.ref == "-100500/0/12"
    assert chat_and_topic(said.place) == (-100500, 12)
    assert said.reply_to is None
    assert not said.to_other


def test_a_topic_hangs_on_its_group_whose_mode_it_has() -> None:
    group = read(chat=GROUP | {"is_forum": True}).place
    assert read(**TOPIC).place.parent == group
    assert read(**TOPIC).place.server == group.server == "-100500"
    assert (group.parent, chat_and_topic(group)) == (None, (-100500, None))


def test_a_topic_s_name_is_learnt_and_follows_its_changes() -> None:
    knowing = reader()
    names = []
    for heard in (
        message(**TOPIC),
        message(**TOPIC, reply_to_message=ROOT),
        message(None, **TOPIC, forum_topic_edited={"name": "Cooking"}),
        message(**TOPIC, reply_to_message=ROOT),
    ):
        knowing.learn_topic(heard)
        names.append(knowing.place_name(heard))
    assert names == ["Home", "Food in Home", "Cooking in Home", "Cooking in Home"]


def test_a_thread_of_replies_is_no_topic() -> None:
    assert read(chat=GROUP, message_thread_id=12).place.ref == "-100500/0"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"photo": [SIZE]}, "[photo]"),
        ({"photo": [SIZE], "caption": "my cat"}, "my cat\n[photo]"),
        ({"video": {**SIZE, "duration": 3, "file_name": "a.mp4"}}, "[video: a.mp4]"),
        ({"video_note": {**FILE, "length": 3, "duration": 3}}, "[video]"),
        ({"voice": {**FILE, "duration": 3}}, "[voice note]"),
        ({"audio": {**FILE, "duration": 3, "title": "Song"}}, "[audio: Song]"),
        (
            {"sticker": {**SIZE, "type": "regular", "is_animated": False, "is_video": False, "emoji": "🐱"}},
            "[sticker: 🐱]",
        ),
        ({"animation": {**SIZE, "duration": 3}, "document": FILE}, "[animation]"),
        ({"document": {**FILE, "file_name": "cv.pdf"}}, "[file: cv.pdf]"),
        ({"location": {"latitude": 1.0, "longitude": 2.0}}, "[location]"),
        (
            {
                "venue": {"location": {"latitude": 1.0, "longitude": 2.0}, "title": "Café", "address": "x"},
                "location": {"latitude": 1.0, "longitude": 2.0},
            },
            "[location: Café]",
        ),
        ({"contact": {"phone_number": "1", "first_name": "Bob"}}, "[contact: Bob]"),
        ({"dice": {"emoji": "🎲", "value": 4}}, "[dice: 🎲 4]"),
        ({"game": {"title": "Snake", "description": "x", "photo": [SIZE]}}, "[game: Snake]"),
        ({"story": {"id": 1, "chat": PRIVATE}}, "[story]"),
        (
            {"giveaway": {"chats": [GROUP], "winners_selection_date": 1_795_000_000, "winner_count": 1}},
            "[attachment]",
        ),
        (
            {
                "poll": {
                    "id": "1",
                    "question": "Tea?",
                    "options": [],
                    "total_voter_count": 0,
                    "is_closed": False,
                    "is_anonymous": True,
                    "type": "regular",
                    "allows_multiple_answers": False,
                    "allows_revoting": False,
                    "members_only": False,
                }
            },
            "[poll: Tea?]",
        ),
    ],
)
def test_what_is_no_text_is_said_in_words(fields: dict[str, Any], text: str) -> None:
    assert read(None, **fields).text == text


def test_forwarded_words_are_not_taken_for_the_person_s_own() -> None:
    of_bob = {"type": "user", "date": 1, "sender_user": BOB}
    of_ann = {"type": "user", "date": 1, "sender_user": ANN}
    hidden = {"type": "hidden_user", "date": 1, "sender_user_name": "Somebody"}
    assert read("I love tea", forward_origin=of_bob).text == "[forwarded message: I love tea]"
    assert read("I love tea", forward_origin=hidden).text == "[forwarded message: I love tea]"
    assert read("I love tea", forward_origin=of_ann).text == "I love tea"
    assert read("tea " * 60, forward_origin=of_bob).text == f"[forwarded message: {('tea ' * 60).strip()}]"
    assert len(read("tea " * 600, forward_origin=of_bob).text) <= len("[forwarded message: ]") + LONGEST_FORWARD


@pytest.mark.parametrize(
    "fields",
    [
        {"text": None, "new_chat_title": "New"},
        {"text": None, "pinned_message": wire()},
        {"from": MONICA},
        {"from": BOB | {"is_bot": True}},
        {"chat": {"id": -5, "type": "channel", "title": "News"}},
        {"chat": GROUP, "sender_chat": GROUP},
        {
            "from": {"id": 777000, "is_bot": False, "first_name": "Telegram"},
            "sender_chat": {"id": -5, "type": "channel"},
            "chat": GROUP,
        },
    ],
)
def test_what_no_person_said_is_left_out(fields: dict[str, Any]) -> None:
    said = message(**fields)
    assert reader().utterance(said) is None
    assert message_id(said).endswith("/7")
    assert not is_said(said) or fields.get("chat", {}).get("type") == "channel" or fields.get("text", "") is None


def test_a_person_without_a_name_is_someone() -> None:
    nameless: dict[str, Any] = {"from": {"id": 5, "is_bot": False, "first_name": ""}}
    assert read(**nameless).speaker == Speaker("telegram:5", "someone")


@pytest.mark.parametrize(
    ("status", "there"),
    [("member", True), ("left", False), ("kicked", False), ("restricted", True), ("restricted", False)],
)
def test_somebody_who_may_not_write_can_read_a_group_as_long_as_they_are_in_it(status: str, there: bool) -> None:
    what = ["change_info", "invite_users", "pin_messages", "manage_topics", "edit_tag", "react_to_messages"]
    kinds = ["messages", "polls", "other_messages", "audios", "documents", "photos", "videos", "video_notes"]
    may = {
        f"can_{one}": False
        for one in ["add_web_page_previews", *what, *(f"send_{kind}" for kind in [*kinds, "voice_notes"])]
    }
    shown = {"user": BOB, "status": status, "until_date": 0, "is_member": there, **may}
    assert is_in(ChatMember.de_json(shown, None)) is there

"""What is no text, on our Telegram: every kind is answered with a sentence that fits it."""

from pathlib import Path
from typing import Any

import pytest

from tests.platform.telegram_server import TelegramServer
from tests.platform.test_telegram_faults import companion

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")

FILE = {"file_id": "F", "file_unique_id": "f"}
SIZE = {**FILE, "width": 9, "height": 6}
STICKER = {**SIZE, "type": "regular", "is_animated": False, "is_video": False}
PLACE = {"latitude": 1.0, "longitude": 2.0}
POLL_FLAGS = dict.fromkeys("is_closed is_anonymous allows_multiple_answers allows_revoting members_only".split(), False)
POLL = {"id": "1", "question": "Tea?", "options": [], "total_voter_count": 0, "type": "regular", **POLL_FLAGS}
SENT: list[tuple[dict[str, Any], str]] = [
    ({"sticker": {**STICKER, "emoji": "🐱"}}, "🐱 I see"),
    ({"sticker": STICKER}, "What is on your mind?"),
    ({"dice": {"emoji": "🎲", "value": 4}}, "Your throw: 🎲 4."),
    ({"poll": POLL}, "“Tea?”"),
    ({"location": PLACE}, "maps"),
    ({"venue": {"location": PLACE, "title": "Café", "address": "x"}, "location": PLACE}, "the place: Café."),
    ({"contact": {"phone_number": "1", "first_name": "Bob"}}, "Bob"),
    ({"voice": {**FILE, "duration": 3}}, "I cannot listen"),
    ({"audio": {**FILE, "duration": 3, "title": "Song"}}, "I cannot listen"),
    ({"video_note": {**FILE, "length": 3, "duration": 3}}, "the video"),
    ({"photo": [SIZE]}, "the photo"),
    ({"document": {**FILE, "file_name": "cv.pdf"}}, "the file"),
    ({"game": {"title": "Snake", "description": "x", "photo": [SIZE]}}, "“Snake”"),
    ({"story": {"id": 1, "chat": {"id": 5, "type": "private"}}}, "the story"),
    (
        {"giveaway": {"chats": [], "winners_selection_date": 1_795_000_000, "winner_count": 1}},
        "something that I cannot open",
    ),
]


async def test_every_kind_of_attachment_gets_a_sentence_that_fits(
    telegram_server: TelegramServer, tmp_path: Path
) -> None:
    ann = telegram_server.world.add_user("Ann")
    async with companion(telegram_server, tmp_path) as here:
        for content, fitting in SENT:
            telegram_server.world.say(ann, ann, "", **content)
            reply = await telegram_server.world.reply(ann)
            assert fitting in reply.text
            assert len(telegram_server.world.said(ann)[-1].splitlines()) == 1
            await here.core.app.idle()

"""What people pass on, on our Discord: it reaches the prompt as somebody else's words, and becomes no memory."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.domain import Place, PlaceKind
from bot.llm.scripted import ScriptedChatModel
from bot.texts import attached
from tests.platform.discord_client import Home
from tests.platform.test_discord_faults import living

PARTY = "I have a parrot and I live in a lighthouse on the coast, where the party is at nine on Friday evening."


def forward(content: str, *attachments: dict[str, Any]) -> dict[str, Any]:
    """The fields of a message that passes another one on, as Discord sends them."""
    snapshot = {
        "type": 0,
        "content": content,
        "embeds": [],
        "attachments": list(attachments),
        "timestamp": datetime(2026, 11, 2, tzinfo=UTC).isoformat(),
        "edited_timestamp": None,
        "flags": 0,
        "mentions": [],
        "mention_roles": [],
    }
    reference = {"type": 1, "message_id": "77", "channel_id": "78"}
    return {"flags": 1 << 14, "message_reference": reference, "message_snapshots": [{"message": snapshot}]}


async def test_forwarded_words_are_answered_as_somebody_else_s_and_become_no_trait(home: Home, tmp_path: Path) -> None:
    async with living(home.server, tmp_path, stream=False) as life:
        await home.server.until_connected()
        await home.server.say(home.ann, home.dm, extra=forward(PARTY))
        await home.server.until(lambda: home.server.replies(home.dm))
        model = life.app.engines.model
        assert isinstance(model, ScriptedChatModel)
        assert f"(forwarded message, {PARTY})" in "\n".join(one.content for one in model.requests[-1].messages)
        await life.app.idle()
        await life.app.settle()
        person = f"discord:{home.ann.id}"
        dm = Place("discord", PlaceKind.DM, str(home.ann.id))
        assert await life.app.stores.traits.current(person, dm) == []


@pytest.mark.parametrize(
    ("extra", "shown"),
    [
        (forward(""), ("forwarded message", "")),
        (
            forward(
                "", {"id": "5", "filename": "a.png", "size": 1, "url": "http://x/a.png", "proxy_url": "http://x/a.png"}
            ),
            ("photo", "a.png"),
        ),
    ],
)
async def test_a_forward_without_words_gets_a_fitting_sentence(
    home: Home, tmp_path: Path, extra: dict[str, Any], shown: tuple[str, str]
) -> None:
    async with living(home.server, tmp_path, stream=False) as life:
        await home.server.until_connected()
        await home.server.say(home.ann, home.dm, extra=extra)
        await home.server.until(lambda: home.server.replies(home.dm))
        assert [one.content for one in home.server.replies(home.dm)] == [attached([shown])]
        model = life.app.engines.model
        assert isinstance(model, ScriptedChatModel)
        assert model.requests == []

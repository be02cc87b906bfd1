"""What one message asks of the database. It is counted, so that growth is noticed: `make test` prints the counts.

A message that asks for more than was recorded fails here. Where less is enough, record less.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain import Place, PlaceKind, Speaker
from bot.llm.scripted import ScriptedChatModel
from tests.counting import Counted, counted
from tests.living import ANN, BOB, CHANNEL, DM, OpenCore, open_core

RECORDED = {"DM": Counted(27, 7, 3), "channel": Counted(30, 7, 4)}
"""What was counted last, beside what commit e21e01a asked for in the same conversation."""
BEFORE = {"DM": Counted(74, 19, 7), "channel": Counted(68, 17, 7)}

AS_SHIPPED = {"care__offer": True}
PLACES = {"DM": DM, "channel": CHANNEL}
TOLD = (
    "I have a cat called Pixel.",
    "My sister Mia lives in Bergen.",
    "I start a new job at the harbour museum on Thursday.",
)


async def remembered(core: OpenCore, place: Place) -> None:
    """Ann has told some things, which are remembered, and talks again."""
    for line in TOLD:
        await core.say(line, ANN, place)
    await core.passes(timedelta(days=3))
    await core.passes(timedelta(hours=1))
    for line in ("Hello, I am back.", "I am tired today.", "It rains in Bergen."):
        await core.say(line, ANN, place)
    await core.app.background.drain()


async def cost_of(core: OpenCore, place: Place) -> Counted:
    """What a question that memories answer asks for, from its arrival until its reply is sent."""
    with counted() as counts:
        turn = await core.say("How is my cat Pixel?", ANN, place)
    assert turn.reply
    assert turn.recalled.traits
    assert turn.recalled.fragments
    return counts


@pytest.mark.parametrize("kind", PLACES)
async def test_one_message_asks_no_more_than_was_recorded(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=AS_SHIPPED) as core:
        await remembered(core, PLACES[kind])
        counts = await cost_of(core, PLACES[kind])
    recorded = RECORDED[kind]
    figure = f"{kind}: {counts} (recorded: {recorded}; commit e21e01a: {BEFORE[kind]})"
    request.node.user_properties.append(("figure", figure))
    assert counts.statements <= recorded.statements
    assert counts.sessions <= recorded.sessions
    assert counts.commits <= recorded.commits


async def test_it_asks_the_same_whatever_others_have_said(tmp_path: Path) -> None:
    alone, among = tmp_path / "alone", tmp_path / "among"
    async with open_core(alone, model=ScriptedChatModel("I see.")) as core:
        await remembered(core, DM)
        counts = await cost_of(core, DM)
    async with open_core(among, model=ScriptedChatModel("I see.")) as core:
        for number, name in enumerate(("Bob", "Cleo", "Dan", "Eve")):
            other = Speaker(f"test:{name.lower()}", name)
            for line in TOLD * (number + 1):
                await core.say(line, other, Place("test", PlaceKind.DM, name.lower()))
        await core.say(TOLD[0], BOB, CHANNEL)
        await core.passes(timedelta(days=2))
        await remembered(core, DM)
        assert await cost_of(core, DM) == counts

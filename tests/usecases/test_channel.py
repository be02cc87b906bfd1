"""`/channel mode` and `/channel sharing`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from bot.domain import Call, ChannelMode, Place, PlaceKind
from bot.texts import commands as texts
from bot.texts import privacy
from bot.usecases.channel import ChannelRules
from tests.open_rows import open_rows
from tests.stored import ANN, HALL, OTHER_HALL, Rows
from tests.usecases.asking import in_channel, open_asking

THREAD = Place(HALL.platform, PlaceKind.CHANNEL, f"{HALL.ref}/7")
MANAGER = in_channel(may_manage=True)
SHOW = Call("channel sharing")


@asynccontextmanager
async def open_rules() -> AsyncIterator[tuple[ChannelRules, Rows]]:
    """The use case over an empty database."""
    async with open_rows() as rows:
        yield ChannelRules(channels=rows.channels, default=ChannelMode.MENTION, on_mode=lambda _: None), rows


async def test_the_mode_is_shown_with_all_four_and_a_button_for_each() -> None:
    async with open_asking() as asking:
        answer = await asking.answer("/channel mode", MANAGER)
        words = await asking.ask("/channel mode", MANAGER)
        [row] = answer.choices
        assert await asking.press(row[1].call, MANAGER) == await asking.ask("/channel mode listen", MANAGER)
    assert words.startswith("Here my mode is mention, because nobody has chosen one.")
    assert all(f"- {mode}: {what}" in words for mode, what in texts.MODES.items())
    assert [choice.label for choice in row] == [mode.value for mode in ChannelMode]


@pytest.mark.parametrize("mode", list(ChannelMode))
async def test_a_change_is_kept_told_to_everybody_and_passed_on(mode: ChannelMode) -> None:
    async with open_asking() as asking:
        manager = replace(MANAGER, speaker=replace(ANN, name="An*n"))
        answer = await asking.answer(f"/channel mode {mode.value.upper()}", manager)
        assert not answer.private
        assert answer.text.startswith(f"An\\*n has set me to **{mode}**")
        assert asking.changed == [HALL]
        assert await asking.rows.channels.mode(HALL) is mode
        assert f"my mode is {mode}. " in await asking.ask("/channel mode", manager)


async def test_a_thread_has_the_mode_of_its_channel_until_it_has_its_own() -> None:
    async with open_asking() as asking:
        in_thread = in_channel(place=THREAD, may_manage=True)
        assert "mention, because nobody has chosen one" in await asking.ask("/channel mode", in_thread)
        await asking.ask("/channel mode open", MANAGER)
        assert "open, as in the channel of this thread" in await asking.ask("/channel mode", in_thread)
        await asking.ask("/channel mode off", in_thread)
        assert "my mode is off. " in await asking.ask("/channel mode", in_thread)
        assert await asking.rows.channels.mode(HALL) is ChannelMode.OPEN
        assert asking.changed == [HALL, THREAD]


async def test_those_who_may_not_manage_change_nothing() -> None:
    async with open_asking() as asking:
        answer = await asking.answer("/channel mode open", in_channel())
        assert answer.text == texts.ONLY_MANAGERS
        assert answer.private
        assert await asking.rows.channels.mode(HALL) is None
        owner = replace(in_channel(), is_owner=True)
        assert await asking.ask("/channel mode open", owner) == texts.ONLY_MANAGERS
        assert asking.changed == []


async def test_sharing_is_off_until_somebody_switches_it_on_and_everybody_is_told() -> None:
    async with open_rules() as (rules, rows):
        shown = await rules.sharing(SHOW, MANAGER)
        assert shown.text == privacy.SHARING_OFF.format(meaning=privacy.NOT_SHARED)
        [[choice]] = shown.choices
        assert choice.label == privacy.SHARE
        on = await rules.sharing(choice.call, replace(MANAGER, speaker=replace(ANN, name="An*n")))
        assert on.text.startswith(
            "An\\*n has switched sharing **on**: from now on, what everybody on this server can read"
        )
        assert not on.private
        assert not shown.private
        assert await rows.channels.shares(OTHER_HALL), "of the whole server"
        now = await rules.sharing(SHOW, MANAGER)
        assert now.text == privacy.SHARING_ON.format(meaning=privacy.SHARED)
        [[choice]] = now.choices
        off = await rules.sharing(choice.call, MANAGER)
        assert off.text.startswith("Ann has switched sharing **off**: from now on, what is said in a channel, I use in")
        assert not await rows.channels.shares(HALL)


async def test_looking_at_it_changes_nothing() -> None:
    async with open_rules() as (rules, rows):
        await rows.channels.set_sharing(HALL, ANN.id, on=True)
        await rules.sharing(SHOW, MANAGER)
        assert await rows.channels.shares(HALL)


async def test_only_who_manages_the_server_may_share() -> None:
    async with open_asking() as asking:
        asker = replace(in_channel(may_manage=True), is_owner=True)
        assert await asking.ask("/channel sharing on", asker) == texts.ONLY_SERVER
        assert not await asking.rows.channels.shares(HALL)
        await asking.ask("/channel sharing on", replace(in_channel(), may_manage_server=True))
        assert await asking.rows.channels.shares(HALL)

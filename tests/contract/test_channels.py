"""The contract of `bot.ports.Channels`."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import select

from bot.domain import ChannelMode, Recollection, Scope, VectorKind
from bot.storage.conversation.channels import SqlChannels
from bot.storage.privacy.privacies import SqlPrivacies
from bot.storage.shared.tables import places
from tests.looking import open_session
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, HALL, OTHER_HALL, START, Rows, reply_to

DAY = timedelta(days=1)
THREAD = replace(HALL, ref=f"{HALL.ref}/thread")


@pytest.mark.parametrize("mode", ChannelMode)
async def test_a_mode_comes_back_also_where_nothing_was_said(rows: Rows, mode: ChannelMode) -> None:
    assert await rows.channels.mode(HALL) is None
    await rows.channels.set_mode(HALL, mode, ANN.id)
    assert await rows.channels.mode(HALL) is mode


async def test_the_last_mode_holds(rows: Rows) -> None:
    await rows.accept(place=HALL)
    await rows.channels.set_mode(HALL, ChannelMode.OFF, ANN.id)
    await rows.channels.set_mode(HALL, ChannelMode.OPEN, BEN.id)
    assert await rows.channels.mode(HALL) is ChannelMode.OPEN


async def test_a_mode_is_of_exactly_one_place(rows: Rows) -> None:
    await rows.channels.set_mode(HALL, ChannelMode.LISTEN, ANN.id)
    assert await rows.channels.mode(THREAD) is None
    assert await rows.channels.mode(OTHER_HALL) is None
    await rows.channels.set_mode(THREAD, ChannelMode.OFF, ANN.id)
    assert await rows.channels.mode(HALL) is ChannelMode.LISTEN
    assert await rows.channels.modes() == {HALL: ChannelMode.LISTEN, THREAD: ChannelMode.OFF}


async def versions_of(rows: Rows, *changes: Callable[[], Awaitable[None]]) -> list[bool]:
    """For each change: whether it made the version of the events another."""
    found = []
    for change in changes:
        before = await rows.events.version()
        await change()
        found.append(await rows.events.version() != before)
    return found


async def public(rows: Rows) -> dict[str, bool | None]:
    async with rows.database.reading() as connection:
        found = await connection.execute(select(places.c.key, places.c.public))
        return {row.key: row.public for row in found}


async def test_sharing_is_off_until_it_is_switched_on_and_is_the_whole_servers(rows: Rows) -> None:
    elsewhere = [replace(HALL, ref="other/hall"), replace(HALL, platform="post"), ANNS_DM]
    assert not await rows.channels.shares(HALL)
    await rows.channels.set_sharing(HALL, ANN.id, on=True)
    assert [await rows.channels.shares(place) for place in (HALL, OTHER_HALL, THREAD)] == [True] * 3
    assert [await rows.channels.shares(place) for place in elsewhere] == [False] * 3
    await rows.channels.set_sharing(OTHER_HALL, BEN.id, on=False)
    assert not await rows.channels.shares(HALL)


async def test_a_dm_shares_with_nobody(rows: Rows) -> None:
    with pytest.raises(ValueError, match="no server"):
        await rows.channels.set_sharing(ANNS_DM, ANN.id, on=True)


async def test_switching_sharing_changes_what_may_be_used(rows: Rows) -> None:
    switches = [partial(rows.channels.set_sharing, HALL, ANN.id, on=on) for on in (False, True, True, False, False)]
    assert await versions_of(rows, *switches) == [False, True, False, True, False]


async def test_who_can_read_a_channel_is_kept_also_of_unknown_ones(rows: Rows) -> None:
    await rows.accept(place=HALL)
    await rows.channels.set_public({HALL: True, THREAD: False})
    assert await public(rows) == {HALL.key: True, THREAD.key: False}
    await rows.channels.set_public({HALL: False})
    assert await public(rows) == {HALL.key: False, THREAD.key: False}


async def test_visibility_counts_only_where_it_is_shared(rows: Rows) -> None:
    await rows.accept(place=HALL)
    readable, closed = [partial(rows.channels.set_public, {HALL: public}) for public in (True, False)]
    assert await versions_of(rows, readable, closed) == [False, False]
    await rows.channels.set_sharing(OTHER_HALL, ANN.id, on=True)
    assert await versions_of(rows, closed, readable, readable, closed) == [False, True, False, True]


async def test_a_server_that_removed_the_companion_is_known_with_all_its_places(rows: Rows) -> None:
    other = replace(HALL, ref="other/hall")
    for place in (OTHER_HALL, HALL, THREAD, ANNS_DM, other, replace(HALL, platform="post")):
        await rows.accept(place=place)
    await rows.channels.left("chat", "server", START)
    await rows.channels.left("chat", "other", START - DAY)
    await rows.channels.left("post", "empty", START - DAY)
    assert await rows.channels.left_before(START - DAY) == []
    gone = [("chat", "other", [other]), ("post", "empty", [])]
    assert await rows.channels.left_before(START) == gone
    assert await rows.channels.left_before(START + DAY) == [*gone, ("chat", "server", [HALL, THREAD, OTHER_HALL])]


async def test_a_server_that_it_is_on_again_is_kept(rows: Rows) -> None:
    await rows.channels.set_sharing(HALL, ANN.id, on=True)
    await rows.channels.left("chat", "server", START)
    await rows.channels.left("chat", "server", None)
    await rows.channels.left("chat", "new", None)
    assert await rows.channels.left_before(START + DAY) == []
    assert await rows.channels.shares(HALL)


async def test_what_is_known_of_a_thread_does_not_outlast_its_channel(rows: Rows) -> None:
    """Platforms do not tell of threads that are archived, so the row of one says what was so before."""
    old, other = replace(HALL, ref=f"{HALL.ref}/old"), replace(OTHER_HALL, ref=f"{HALL.ref}_/thread")
    event = await rows.event(await rows.converse(old, [ANN]))
    await rows.channels.set_sharing(HALL, ANN.id, on=True)
    await rows.channels.set_public({old: True, other: True, OTHER_HALL: True})
    assert await rows.events.readable_in(OTHER_HALL) == []
    for public, shown in [(True, [event]), (False, []), (True, [event])]:
        await rows.channels.set_public({HALL: public})
        assert await rows.events.readable_in(OTHER_HALL) == shown
        assert await rows.traits.readable_in(OTHER_HALL, [ANN.id]) == []
        assert await rows.events.readable_in(old) == [event]


NEW_HALL = replace(HALL, ref="-100/hall")
NEW_THREAD = replace(THREAD, ref="-100/hall/thread")


def moving(rows: Rows) -> SqlChannels:
    return SqlChannels(rows.database, rows.events, rows.traits)


async def test_what_was_chosen_for_a_channel_goes_along_when_it_moves(rows: Rows) -> None:
    channels, privacies = moving(rows), SqlPrivacies(rows.database)
    await channels.set_mode(HALL, ChannelMode.OFF, ANN.id)
    await channels.set_mode(OTHER_HALL, ChannelMode.OPEN, ANN.id)
    await channels.set_sharing(HALL, ANN.id, on=True)
    await channels.set_public({HALL: True})
    for speaker, place, whole_server in [(ANN, HALL, False), (BEN, HALL, True), (AGENT, OTHER_HALL, False)]:
        await privacies.opt_out(speaker.id, place, out=True, whole_server=whole_server)
    for _ in range(2):  # both chats tell of it
        await channels.move(HALL, NEW_HALL, START)
        assert await channels.mode(NEW_HALL) is ChannelMode.OFF
        assert [await channels.mode(HALL), await channels.mode(OTHER_HALL)] == [None, ChannelMode.OPEN]
        assert [await channels.shares(NEW_HALL), await channels.shares(HALL)] == [True, False]
        assert (await public(rows))[NEW_HALL.key] is True
        read = [not await privacies.opted_out(speaker.id, NEW_HALL) for speaker in (ANN, BEN, AGENT)]
        assert read == [False, False, True]
        assert not await privacies.opted_out(ANN.id, HALL)
    assert await channels.servers("chat") == ["-100"]
    assert await channels.left_before(START + DAY) == [("chat", "server", [HALL, OTHER_HALL])]
    await channels.set_mode(NEW_HALL, ChannelMode.LISTEN, BEN.id)
    await channels.set_sharing(NEW_HALL, BEN.id, on=False)
    await channels.move(HALL, NEW_HALL, START + DAY)
    assert await channels.mode(NEW_HALL) is ChannelMode.LISTEN
    assert not await channels.shares(NEW_HALL)
    assert [server for _, server, _ in await channels.left_before(START + DAY)] == ["server"]


async def test_what_is_remembered_of_a_channel_goes_along_when_it_moves(rows: Rows) -> None:
    channels = moving(rows)
    session = await rows.converse(HALL, [ANN, BEN])
    event, trait = await rows.event(session), await rows.trait(session, ANN)
    hung = await rows.event(await rows.converse(THREAD, [ANN]))
    stays = await rows.event(await rows.converse(OTHER_HALL, [ANN]))
    said = await rows.accept(place=HALL)
    await rows.sessions.append(said, timedelta(hours=1), 1000)
    await rows.outbox.commit(reply_to(said, "Hello."), [said.id], Recollection((), ()), [])
    await rows.events.mark_indexed([event.id, hung.id, stays.id])
    await rows.traits.mark_indexed([trait.id])
    version = await rows.events.version()
    assert await rows.events.readable_in(HALL) == [event]  # they are in memory now
    assert await rows.traits.current(ANN.id, HALL) == [trait]
    where = [
        (Scope(VectorKind.EVENT, HALL.key), (event.id,)),
        (Scope(VectorKind.TRAIT, HALL.key), (trait.id,)),
        (Scope(VectorKind.EVENT, THREAD.key), (hung.id,)),
    ]
    assert await channels.move(HALL, NEW_HALL, START) == where
    assert await rows.events.version() != version
    assert await rows.events.readable_in(NEW_HALL) == [replace(event, place=NEW_HALL)]
    assert await rows.events.readable_in(NEW_THREAD) == [replace(hung, place=NEW_THREAD)]
    assert await rows.events.readable_in(HALL) == []
    assert await rows.events.readable_in(OTHER_HALL) == [stays]
    assert [one.id for one in await rows.events.readable_in(BENS_DM)] == [event.id]
    assert await rows.traits.current(ANN.id, NEW_HALL) == [replace(trait, place=NEW_HALL)]
    assert [one.id for one in await rows.events.unindexed(9)] == [event.id, hung.id]
    assert [one.id for one in await rows.traits.unindexed(9)] == [trait.id]
    current = await open_session(rows.sessions, NEW_HALL)
    assert current is not None
    assert [(one.text, one.place) for one in current.utterances] == [("hello", NEW_HALL), ("Hello.", NEW_HALL)]
    assert await open_session(rows.sessions, HALL) is None
    [outgoing] = await rows.outbox.undelivered()
    assert outgoing.place == NEW_HALL
    assert await channels.move(HALL, NEW_HALL, START) == []


async def test_a_session_that_was_open_ends_where_the_new_channel_has_one_and_drafts_are_left(rows: Rows) -> None:
    channels = moving(rows)
    for place in (HALL, NEW_HALL):
        await rows.sessions.append(await rows.accept(f"in {place.ref}", place=place), timedelta(hours=1), 1000)
    waiting = await rows.jobs.waiting()
    await rows.outbox.draft(HALL, "m1", "draft")
    await channels.move(HALL, NEW_HALL, START)
    current = await open_session(rows.sessions, NEW_HALL)
    assert current is not None
    assert [one.text for one in current.utterances] == [f"in {NEW_HALL.ref}"]
    assert await rows.jobs.waiting() == waiting + 2  # its summary and its passages
    assert await rows.outbox.unfinished() == []


async def test_a_dm_never_moves(rows: Rows) -> None:
    for old, new in [(ANNS_DM, NEW_HALL), (HALL, ANNS_DM)]:
        with pytest.raises(ValueError, match="DM"):
            await moving(rows).move(old, new, START)


async def test_all_servers_are_told_with_their_channels_and_none_that_was_left(rows: Rows) -> None:
    channels = rows.channels
    assert await channels.everywhere() == {}
    await channels.left("chat", "empty", None)
    await rows.accept(place=HALL)
    await rows.accept(place=ANNS_DM)
    await channels.set_public({OTHER_HALL: True})
    assert await channels.everywhere() == {("chat", "empty"): [], ("chat", "server"): [HALL, OTHER_HALL]}
    await channels.left("chat", "server", START)
    assert await channels.everywhere() == {("chat", "empty"): []}

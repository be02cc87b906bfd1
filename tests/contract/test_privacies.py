"""The contract of `bot.ports.Privacies`."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from bot.domain import Consent, Place, PlaceKind, Privacy, Speaker
from bot.storage.erasing.persons import erase_people
from bot.storage.privacy.decisions import store, unname_all
from bot.storage.privacy.privacies import SqlPrivacies
from bot.storage.shared.privacy_tables import identities, opt_outs
from bot.storage.shared.privacy_tables import privacy as decisions
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, HALL, OTHER_HALL, START, Rows

THREAD = replace(HALL, ref=f"{HALL.ref}/thread")
ELSEWHERE = Place("chat", PlaceKind.CHANNEL, "far/hall")
SAME_NUMBER = Place("talk", PlaceKind.CHANNEL, HALL.ref)
ANN_TOO = Speaker("talk:1", "Ann")
DAY = timedelta(days=1)
ALL = 100


@pytest.fixture
def privacies(rows: Rows) -> SqlPrivacies:
    return SqlPrivacies(rows.database)


async def join(rows: Rows, *speakers: Speaker) -> None:
    """Makes these speakers one person."""
    async with rows.database.writing() as connection:
        person = [{"speaker_id": one.id, "person_id": speakers[0].id} for one in speakers]
        await connection.execute(identities.insert(), person)


async def test_nobody_has_decided_anything_at_first(privacies: SqlPrivacies) -> None:
    assert await privacies.of(ANN.id) == Privacy(ANN.id, Consent.UNASKED, paused=False, keep_days=None, country="")
    assert await privacies.with_retention() == []
    assert not await privacies.opted_out(ANN.id, HALL)


async def test_all_that_was_decided_comes_back_and_the_last_word_holds(privacies: SqlPrivacies) -> None:
    first = Privacy(ANN.id, Consent.REFUSED, paused=True, keep_days=30, minor=True, country="DE")
    await privacies.put(first)
    assert await privacies.of(ANN.id) == first
    assert await privacies.of(BEN.id) == Privacy(BEN.id)
    second = Privacy(ANN.id, Consent.AGREED)
    await privacies.put(second)
    assert await privacies.of(ANN.id) == second


async def test_linked_identities_share_what_was_decided(rows: Rows, privacies: SqlPrivacies) -> None:
    await join(rows, ANN, ANN_TOO)
    await privacies.put(Privacy(ANN_TOO.id, Consent.AGREED, keep_days=7))
    assert await privacies.of(ANN.id) == Privacy(ANN.id, Consent.AGREED, keep_days=7)
    assert await privacies.of(ANN_TOO.id) == Privacy(ANN_TOO.id, Consent.AGREED, keep_days=7)
    await privacies.put(Privacy(ANN.id, Consent.AGREED, keep_days=9))
    assert [one.keep_days for one in await privacies.with_retention()] == [9], "one a person"
    await privacies.opt_out(ANN.id, HALL, out=True)
    assert await privacies.opted_out(ANN_TOO.id, HALL)


async def test_those_who_chose_a_time_are_told_of_once_each(privacies: SqlPrivacies) -> None:
    await privacies.put(Privacy(BEN.id, Consent.AGREED, keep_days=3))
    await privacies.put(Privacy(ANN.id, Consent.AGREED, keep_days=1))
    await privacies.put(Privacy(ANN_TOO.id, Consent.AGREED))
    assert [(one.speaker_id, one.keep_days) for one in await privacies.with_retention()] == [(ANN.id, 1), (BEN.id, 3)]


async def test_out_of_a_channel_is_out_of_its_threads_and_nowhere_else(privacies: SqlPrivacies) -> None:
    await privacies.opt_out(ANN.id, HALL, out=True)
    await privacies.opt_out(ANN.id, HALL, out=True)
    assert await privacies.opted_out(ANN.id, HALL)
    assert await privacies.opted_out(ANN.id, THREAD)
    assert not await privacies.opted_out(ANN.id, OTHER_HALL)
    assert not await privacies.opted_out(ANN.id, SAME_NUMBER)
    assert not await privacies.opted_out(ANN.id, ANNS_DM)
    assert not await privacies.opted_out(BEN.id, HALL)


async def test_out_of_a_thread_leaves_its_channel(privacies: SqlPrivacies) -> None:
    await privacies.opt_out(ANN.id, THREAD, out=True)
    assert await privacies.opted_out(ANN.id, THREAD)
    assert not await privacies.opted_out(ANN.id, HALL)


async def test_in_again_in_a_thread_is_in_again_in_its_channel(privacies: SqlPrivacies) -> None:
    await privacies.opt_out(ANN.id, HALL, out=True)
    await privacies.opt_out(BEN.id, HALL, out=True)
    await privacies.opt_out(ANN.id, THREAD, out=False)
    assert not await privacies.opted_out(ANN.id, THREAD)
    assert not await privacies.opted_out(ANN.id, HALL)
    assert await privacies.opted_out(BEN.id, HALL)


async def test_out_of_a_server_is_out_of_all_of_it_until_one_is_in_again(privacies: SqlPrivacies) -> None:
    await privacies.opt_out(ANN.id, HALL, out=True, whole_server=True)
    assert [await privacies.opted_out(ANN.id, place) for place in (HALL, THREAD, OTHER_HALL)] == [True] * 3
    assert not await privacies.opted_out(ANN.id, ELSEWHERE)
    assert not await privacies.opted_out(ANN.id, SAME_NUMBER)
    await privacies.opt_out(ANN.id, OTHER_HALL, out=False)
    assert await privacies.opted_out(ANN.id, OTHER_HALL), "that of one channel is not that of the server"
    await privacies.opt_out(ANN.id, OTHER_HALL, out=True)
    await privacies.opt_out(ANN.id, OTHER_HALL, out=False, whole_server=True)
    assert not await privacies.opted_out(ANN.id, HALL)
    assert await privacies.opted_out(ANN.id, OTHER_HALL), "what was chosen for one channel stays"


async def test_what_was_said_before_a_day_is_found_oldest_first(rows: Rows, privacies: SqlPrivacies) -> None:
    late = await rows.accept(place=HALL, after=2 * DAY)
    early = await rows.accept(place=ANNS_DM, after=DAY)
    await rows.accept(speaker=BEN, place=BENS_DM)
    await rows.accept(speaker=AGENT, place=ANNS_DM)
    first = await rows.accept(place=HALL)
    assert await privacies.said_before(ANN.id, START + 3 * DAY, ALL) == [first.id, early.id, late.id]
    assert await privacies.said_before(ANN.id, START + 2 * DAY, ALL) == [first.id, early.id], "not what was said then"
    assert await privacies.said_before(ANN.id, START + 3 * DAY, 2) == [first.id, early.id]
    assert await privacies.said_before(ANN.id, START, ALL) == []
    assert await privacies.said_before("chat:nobody", START + 3 * DAY, ALL) == []


async def test_what_was_said_since_a_day_can_be_asked_for_alone(rows: Rows, privacies: SqlPrivacies) -> None:
    said = [await rows.accept(place=HALL, after=days * DAY) for days in (0, 1, 2)]
    assert await privacies.said_before(ANN.id, START + 2 * DAY, ALL, START + DAY) == [said[1].id]


async def test_minors_have_a_time_without_having_chosen_one(rows: Rows, privacies: SqlPrivacies) -> None:
    await rows.accept(place=ANNS_DM)
    await privacies.put(Privacy(ANN.id, minor=True, minor_since=START))
    await privacies.put(Privacy(BEN.id, Consent.AGREED))
    assert await privacies.with_retention() == [Privacy(ANN.id, minor=True, minor_since=START)]


# what outlives an erasure


async def erase(rows: Rows, *speakers: Speaker) -> None:
    async with rows.database.writing() as connection:
        await erase_people(connection, [speaker.id for speaker in speakers])


async def ids(rows: Rows) -> set[str]:
    """Under which ids anything is decided."""
    async with rows.database.reading() as connection:
        found = [await connection.scalars(select(table.c.person_id)) for table in (decisions, opt_outs)]
        return {one for some in found for one in some}


async def test_a_refusal_a_pause_being_a_minor_and_opt_outs_outlive_their_person(
    rows: Rows, privacies: SqlPrivacies
) -> None:
    await privacies.put(Privacy(ANN.id, Consent.REFUSED, True, 30, minor=True, country="DE", minor_since=START))
    await privacies.opt_out(ANN.id, HALL, out=True)
    await erase(rows, ANN)
    assert await privacies.of(ANN.id) == Privacy(ANN.id, Consent.REFUSED, True, minor=True, minor_since=START)
    assert await privacies.opted_out(ANN.id, THREAD)
    assert await privacies.of(BEN.id) == Privacy(BEN.id)
    assert not await privacies.opted_out(BEN.id, HALL)
    assert await privacies.with_retention() == []
    [name] = await ids(rows)
    assert name.startswith("digest:")
    assert "ann" not in name


@pytest.mark.parametrize("consent", [Consent.AGREED, Consent.TOLD])
async def test_a_yes_does_not_and_neither_do_other_settings(
    rows: Rows, privacies: SqlPrivacies, consent: Consent
) -> None:
    await privacies.put(Privacy(ANN.id, consent, keep_days=30, country="DE"))
    await erase(rows, ANN)
    assert await privacies.of(ANN.id) == Privacy(ANN.id)
    assert await ids(rows) == set()
    await privacies.put(Privacy(ANN.id, consent, paused=True))
    await erase(rows, ANN)
    assert await privacies.of(ANN.id) == Privacy(ANN.id, Consent.UNASKED, paused=True)


async def test_it_holds_until_they_decide_anew_and_is_theirs_again_then(rows: Rows, privacies: SqlPrivacies) -> None:
    await privacies.put(Privacy(ANN.id, Consent.REFUSED))
    await privacies.opt_out(ANN.id, HALL, out=True)
    await erase(rows, ANN)
    await erase(rows, ANN)
    assert (await privacies.of(ANN.id)).consent is Consent.REFUSED, "also when they are erased again"
    await privacies.put(Privacy(ANN.id, Consent.AGREED))
    assert await privacies.of(ANN.id) == Privacy(ANN.id, Consent.AGREED)
    assert await privacies.opted_out(ANN.id, HALL), "a yes opens no channel"
    assert await ids(rows) == {ANN.id}


async def test_who_opts_in_again_after_an_erasure_is_in(rows: Rows, privacies: SqlPrivacies) -> None:
    await privacies.put(Privacy(ANN.id, paused=True))
    await privacies.opt_out(ANN.id, HALL, out=True)
    await privacies.opt_out(ANN.id, OTHER_HALL, out=True)
    await erase(rows, ANN)
    await privacies.opt_out(ANN.id, HALL, out=False)
    assert not await privacies.opted_out(ANN.id, HALL)
    assert await privacies.opted_out(ANN.id, OTHER_HALL)
    assert (await privacies.of(ANN.id)).paused
    assert not [one for one in await ids(rows) if ANN.id in one], "she never agreed"


async def test_it_outlives_every_identity_of_a_person_each_with_its_platform(
    rows: Rows, privacies: SqlPrivacies
) -> None:
    await join(rows, ANN, ANN_TOO)
    await privacies.put(Privacy(ANN.id, Consent.REFUSED))
    await privacies.opt_out(ANN_TOO.id, HALL, out=True)
    await privacies.opt_out(ANN_TOO.id, SAME_NUMBER, out=True)
    await erase(rows, ANN, ANN_TOO)
    for speaker in (ANN, ANN_TOO):
        assert await privacies.of(speaker.id) == Privacy(speaker.id, Consent.REFUSED)
    for place, out in ((HALL, [True, False]), (SAME_NUMBER, [False, True])):
        assert [await privacies.opted_out(speaker.id, place) for speaker in (ANN, ANN_TOO)] == out


async def test_what_was_said_on_the_other_platform_counts(rows: Rows, privacies: SqlPrivacies) -> None:
    here = await rows.accept(after=DAY)
    there = await rows.accept(speaker=ANN_TOO, place=Place("talk", PlaceKind.DM, "1"))
    later = START + 2 * DAY
    assert await privacies.said_before(ANN_TOO.id, later, ALL) == [there.id]
    await join(rows, ANN, ANN_TOO)
    assert await privacies.said_before(ANN_TOO.id, later, ALL) == [there.id, here.id]
    assert await privacies.said_before(ANN.id, later, ALL) == [there.id, here.id]


async def test_who_never_agreed_stands_under_no_id_and_is_known_all_the_same(rows: Rows) -> None:
    privacies = SqlPrivacies(rows.database)
    for decided in (Privacy(ANN.id, Consent.TOLD), Privacy(ANN.id, Consent.REFUSED, paused=True, country="DE")):
        await privacies.put(decided)
        await privacies.opt_out(ANN.id, HALL, out=True)
        assert await privacies.of(ANN.id) == decided
        assert await privacies.opted_out(ANN.id, HALL)
        async with rows.database.reading() as connection:
            ids = [*await connection.scalars(select(decisions.c.person_id))]
            ids += await connection.scalars(select(opt_outs.c.person_id))
        assert len(ids) == 2
        assert not [one for one in ids if ANN.id in one]
    await privacies.opt_out(ANN.id, HALL, out=False)
    assert not await privacies.opted_out(ANN.id, HALL)
    await privacies.put(Privacy(ANN.id, Consent.AGREED))
    assert await privacies.of(ANN.id) == Privacy(ANN.id, Consent.AGREED)


async def test_whom_an_earlier_version_kept_by_name_is_put_right(rows: Rows) -> None:
    async with rows.database.writing() as connection:
        for person in (ANN.id, BEN.id):
            await store(connection, person, Privacy(person, Consent.AGREED if person == BEN.id else Consent.TOLD))
        await unname_all(connection)
        assert [
            one for one in await connection.scalars(select(decisions.c.person_id)) if not one.startswith("digest:")
        ] == [BEN.id]
    assert (await SqlPrivacies(rows.database).of(ANN.id)).consent is Consent.TOLD

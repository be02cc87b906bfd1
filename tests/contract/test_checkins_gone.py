"""The contract of `bot.ports.CheckIns`: what becomes of them with their words, and with their people."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain import (
    CareWishes,
    Character,
    CheckInState,
    ErasureReason,
    Place,
    Selection,
    Trait,
    Utterance,
    Why,
)
from lab.evaluation.row_scan import find_in_tables
from tests.contract.checkins import (
    DAY,
    HOUR,
    LEASE,
    NOBODY,
    SCORES,
    WISHES,
    claimed,
    composed,
    link,
    message,
    put_out,
    said,
    sent,
    state_of,
)
from tests.looking import open_session
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL, START, Rows


async def test_what_was_surely_not_shown_can_be_withdrawn(rows: Rows) -> None:
    outgoing = await put_out(rows)
    [line] = await rows.utterances.recent(ANNS_DM, 5)
    assert await rows.checkins.withdraw(outgoing.checkin_id, Why.LATE) == line.id
    assert await rows.outbox.undelivered() == []
    assert await state_of(rows, outgoing.checkin_id) == (CheckInState.SKIPPED, Why.LATE, "")
    assert await rows.checkins.unsaid(9) == [line.id], "also for the next process"
    assert await rows.checkins.withdraw(outgoing.checkin_id, Why.CHANGED) == line.id
    await rows.erasures.erase(Selection(utterances=(line.id,)), ErasureReason.UNSENT, START)
    assert await rows.checkins.unsaid(9) == []
    assert await rows.checkins.withdraw(outgoing.checkin_id, Why.LATE) == 0
    assert await state_of(rows, outgoing.checkin_id) == (CheckInState.SKIPPED, Why.LATE, "")
    assert await open_session(rows.sessions, ANNS_DM) is None


async def test_what_may_have_been_shown_is_not_withdrawn(rows: Rows) -> None:
    outgoing = await put_out(rows)
    await rows.outbox.sending(outgoing.id)
    assert await rows.checkins.withdraw(outgoing.checkin_id, Why.LATE) == 0
    await rows.outbox.part_sent(outgoing.id, "p1")
    await rows.outbox.put_back(outgoing.id)
    assert await rows.checkins.withdraw(outgoing.checkin_id, Why.LATE) == 0
    assert [one.id for one in await rows.outbox.undelivered()] == [outgoing.id]
    assert await rows.checkins.withdraw(99, Why.LATE) == 0


async def test_another_memory_can_be_the_background(rows: Rows) -> None:
    exam, trip = await said(rows), await said(rows, "I go to Rome.")
    checkin = await claimed(rows)
    outgoing = await rows.checkins.compose(checkin, message(START + DAY), composed(sources=(exam,)), START)
    assert outgoing is not None
    session = await open_session(rows.sessions, ANNS_DM)
    assert session is not None
    assert not await rows.checkins.rethink(
        checkin.id, "Ann travels.", "To hear of it.", [(trip.id, "I went to Rome.")], 0
    )
    assert not await rows.checkins.rethink(99, "Ann travels.", "To hear of it.", [(trip.id, trip.text)], 0)
    assert await rows.checkins.rethink(checkin.id, "Ann travels.", "To hear of it.", [(trip.id, trip.text)], 0)
    opened = await rows.checkins.opened(session.id)
    assert opened is not None
    assert (opened.background, opened.intention) == ("Ann travels.", "To hear of it.")
    assert opened.sources == (exam.id, trip.id)
    await rows.erasures.erase_messages("chat", [trip.message_id], START)
    assert await rows.checkins.opened(session.id) is None


async def test_what_was_withdrawn_stays_until_its_words_are_erased(rows: Rows) -> None:
    outgoing = await put_out(rows)
    utterance_id = await rows.checkins.withdraw(outgoing.checkin_id, Why.LATE)
    assert await rows.checkins.prune(START + 9 * DAY) == 0
    await rows.erasures.erase(Selection(utterances=(utterance_id,)), ErasureReason.UNSENT, START)
    assert await rows.checkins.prune(START + 9 * DAY) == 1


@pytest.mark.parametrize("way", ["ready", "sending", "arrived", "sent", "uncertain", "refused"])
async def test_a_check_in_goes_with_what_it_is_made_of_and_its_state_stays(rows: Rows, way: str) -> None:
    exam = await said(rows)
    checkin = await claimed(rows)
    outgoing = await rows.checkins.compose(checkin, message(START + DAY), composed(sources=(exam,)), START)
    assert outgoing is not None
    if way in {"sending", "arrived"}:
        await rows.outbox.sending(outgoing.id)
    if way == "arrived":
        await rows.outbox.part_sent(outgoing.id, "p1")
    if way == "sent":
        await rows.outbox.sent(outgoing.id)
    if way in {"uncertain", "refused"}:
        await rows.outbox.failed(outgoing.id, way)
    erased = await rows.erasures.erase_messages("chat", [exam.message_id], START)
    assert {"Ann has an exam.", "Ask about the exam.", "How did it go?"} <= set(erased.texts)
    assert await find_in_tables(rows.database, erased.texts) == set()
    assert await rows.utterances.recent(ANNS_DM, 9) == []
    assert await rows.outbox.undelivered() == []
    expected = {
        "ready": (CheckInState.SKIPPED, Why.CHANGED, ""),
        "sending": (CheckInState.FAILED, None, "uncertain"),
        "arrived": (CheckInState.SENT, None, ""),
        "sent": (CheckInState.SENT, None, ""),
        "uncertain": (CheckInState.FAILED, None, "uncertain"),
        "refused": (CheckInState.FAILED, None, "refused"),
    }
    assert await state_of(rows, checkin.id) == expected[way]
    found = await rows.checkins.get(checkin.id)
    assert found is not None
    assert (found.utterance_id, found.scores) == (0, SCORES)
    seen = way not in {"ready", "refused"}
    assert len((await rows.checkins.circumstances(ANN.id, START + 2 * DAY)).sent) == int(seen)
    assert await rows.checkins.spoken_of(ANN.id, 9) == []


async def test_the_words_of_an_identity_that_parted_are_not_shown(rows: Rows) -> None:
    post = replace(ANN, id="post:ann")
    theirs = await rows.accept("I lost my job.", speaker=post, place=replace(ANNS_DM, platform="post"))
    await rows.inbox.remembered([theirs.id])
    await link(rows)
    words, late = composed(sources=(theirs,)), START + 2 * DAY
    outgoing = await rows.checkins.compose(await claimed(rows), message(START + DAY), words, START + DAY)
    session = await open_session(rows.sessions, ANNS_DM)
    assert outgoing is not None
    assert session is not None
    await rows.outbox.sent(outgoing.id)
    assert await rows.checkins.is_readable(outgoing.checkin_id)
    assert await rows.checkins.opened(session.id) is not None
    await rows.identities.unlink(ANN.id)
    assert not await rows.checkins.is_readable(outgoing.checkin_id)
    assert await rows.checkins.opened(session.id) is None
    assert not await rows.checkins.rethink(outgoing.checkin_id, "Work.", "Ask.", [(theirs.id, theirs.text)], 0)
    assert await rows.checkins.compose(await claimed(rows, late), message(late), words, late) is None


@pytest.mark.parametrize(("place", "with_ann"), [(HALL, True), (HALL, False), (BENS_DM, False), (ANNS_DM, True)])
async def test_of_others_only_what_the_person_heard_is_shown(rows: Rows, place: Place, with_ann: bool) -> None:
    session = await rows.converse(place, [BEN, ANN] if with_ann else [BEN])
    theirs = session.utterances[0]
    assert theirs.speaker.id == BEN.id
    words = composed(sources=(theirs,))
    outgoing = await rows.checkins.compose(await claimed(rows), message(START + DAY), words, START + HOUR)
    assert (outgoing is not None) is with_ann
    if outgoing is not None:
        assert await rows.checkins.is_readable(outgoing.checkin_id)


async def test_what_is_gone_is_not_readable(rows: Rows) -> None:
    exam = await said(rows)
    words = composed(sources=(exam,))
    outgoing = await rows.checkins.compose(await claimed(rows), message(START + DAY), words, START)
    assert outgoing is not None
    await rows.erasures.erase_messages("chat", [exam.message_id], START)
    assert not await rows.checkins.is_readable(outgoing.checkin_id)
    assert not await rows.checkins.is_readable(99)


async def learnt(rows: Rows, text: str, after: timedelta = HOUR) -> Trait:
    """A trait of Ann's, told in words of its own."""
    words = Utterance(ANNS_DM, f"told:{text}", ANN, text, START + after)
    return await rows.told.tell(words, text, now=START + after)


async def test_a_trait_that_was_in_view_must_still_be_true_when_it_is_composed_and_when_it_is_sent(rows: Rows) -> None:
    exam, nurse, runs = await said(rows), await learnt(rows, "I am a nurse."), await learnt(rows, "I run.")
    words = replace(composed(sources=(exam,)), traits=(nurse.id, runs.id))
    outgoing = await rows.checkins.compose(await claimed(rows), message(START + DAY), words, START + HOUR)
    assert outgoing is not None
    assert await rows.checkins.is_readable(outgoing.checkin_id)
    corrected = Utterance(ANNS_DM, "told:now", ANN, "I am a doctor.", START + DAY)
    await rows.told.tell(corrected, corrected.text, instead_of=[("trait", nurse.id)], now=START + DAY)
    assert not await rows.checkins.is_readable(outgoing.checkin_id)
    await rows.checkins.withdraw(outgoing.checkin_id, Why.CHANGED)
    again = await claimed(rows, START + 2 * DAY)
    for traits, fits in (((nurse.id,), False), ((99,), False), ((runs.id,), True)):
        late = replace(words, traits=traits)
        made = await rows.checkins.compose(again, message(START + DAY + HOUR), late, START + DAY + HOUR)
        assert (made is not None) is fits


async def test_a_check_in_goes_with_a_trait_that_was_in_view(rows: Rows) -> None:
    exam, nurse = await said(rows), await learnt(rows, "I am a nurse.")
    words = replace(composed(sources=(exam,)), traits=(nurse.id,))
    assert await rows.checkins.compose(await claimed(rows), message(START + DAY), words, START + HOUR) is not None
    erased = await rows.erasures.erase(Selection(utterances=nurse.sources), ErasureReason.ASKED, START)
    assert words.text in erased.texts
    assert [line.id for line in await rows.utterances.recent(ANNS_DM, 9)] == [exam.id]


async def test_what_gave_it_its_tone_goes_with_it_and_is_told_apart(rows: Rows) -> None:
    exam, shy, trip = await said(rows), await said(rows, "I am shy."), await said(rows, "I go to Rome.")
    await rows.characters.put(Character(ANN.id, "INFP", stability=0.5, sources=(exam.id, shy.id, trip.id)))
    toned_by = tuple((one.id, one.text) for one in (exam, shy, trip))
    words = replace(composed(sources=(exam,)), toned_by=toned_by)
    checkin = await claimed(rows)
    await rows.characters.put(Character(ANN.id, "", off=True))
    assert await rows.checkins.compose(checkin, message(START + DAY), words, START) is None, "none is wanted any more"
    await rows.characters.forget(ANN.id)
    await rows.characters.put(Character(ANN.id, "INFP", stability=0.5, sources=(exam.id, shy.id, trip.id)))
    assert await rows.checkins.compose(checkin, message(START + DAY), words, START) is not None
    session = await open_session(rows.sessions, ANNS_DM)
    assert session is not None
    opened = await rows.checkins.opened(session.id)
    assert opened is not None
    assert (opened.sources, opened.toned_by) == ((exam.id, shy.id, trip.id), (shy.id, trip.id))
    assert await rows.checkins.rethink(checkin.id, "Ann travels.", "To hear of it.", [(trip.id, trip.text)], 0)
    turned = await rows.checkins.opened(session.id)
    assert turned is not None
    assert turned.toned_by == (shy.id,), "it is about the other by now"
    await rows.erasures.erase_messages("chat", [shy.message_id], START)
    assert await rows.checkins.opened(session.id) is None


async def test_help_before_linking_counts_for_all_and_after_parting_for_each(rows: Rows) -> None:
    await rows.checkins.helped("post:ann", START)
    await rows.checkins.choose(WISHES)
    await link(rows)
    assert (await rows.checkins.circumstances(ANN.id, START + DAY)).helped == START
    await rows.identities.unlink(ANN.id)
    for one in (ANN.id, "post:ann"):
        assert (await rows.checkins.circumstances(one, START + DAY)).helped == START
    assert await rows.checkins.wishes(ANN.id) == WISHES


async def test_an_edit_takes_the_check_in_along(rows: Rows) -> None:
    exam = await said(rows)
    checkin = await claimed(rows)
    await rows.checkins.compose(checkin, message(START + DAY), composed(sources=(exam,)), START)
    await rows.corrections.edit("chat", exam.message_id, "I had an exam.")
    assert [line.text for line in await rows.utterances.recent(ANNS_DM, 9)] == ["I had an exam."]
    assert await rows.outbox.undelivered() == []


async def test_of_an_erased_person_no_check_in_stays(rows: Rows) -> None:
    await sent(rows)
    bens = CareWishes(BEN.id, on=True, place=BENS_DM, next_at=START)
    await rows.checkins.choose(bens)
    erased = await rows.erasures.erase(Selection(people=(ANN.id,)), ErasureReason.ASKED, START)
    assert await rows.checkins.latest(9) == []
    assert await rows.checkins.wishes(ANN.id) == NOBODY
    assert await rows.checkins.planned(9) == [bens]
    assert "Ann has an exam." in erased.texts
    receipt = await rows.erasures.receipt(erased.erasure_id)
    assert receipt is not None
    assert dict(receipt.counts)["settings"] == 1


async def test_linked_identities_share_it(rows: Rows) -> None:
    await rows.checkins.choose(WISHES)
    await rows.checkins.choose(CareWishes("post:ann", offered=True, zone="Asia/Tokyo"))
    await link(rows)
    assert await rows.checkins.wishes("post:ann") == replace(WISHES, speaker_id="post:ann", offered=True)
    assert await rows.checkins.planned(9) == [replace(WISHES, offered=True)]
    await sent(rows)
    assert len(await rows.checkins.latest(9, "post:ann")) == 1
    assert (await rows.checkins.circumstances("post:ann", START + DAY)).unanswered == 1
    await rows.checkins.choose(replace(WISHES, speaker_id="post:ann", on=False))
    assert not (await rows.checkins.wishes(ANN.id)).on


async def test_of_two_the_wishes_with_check_ins_win(rows: Rows) -> None:
    await rows.checkins.choose(replace(WISHES, on=False, next_at=None))
    tokyo = CareWishes("post:ann", on=True, place=replace(ANNS_DM, platform="post"), zone="Asia/Tokyo", next_at=START)
    await rows.checkins.choose(tokyo)
    await rows.checkins.helped("post:ann", START)
    await link(rows)
    assert await rows.checkins.wishes(ANN.id) == replace(tokyo, speaker_id=ANN.id)
    assert (await rows.checkins.circumstances(ANN.id, START)).helped == START
    claimed_one = await rows.checkins.claim(tokyo, None, START + LEASE)
    assert claimed_one is not None
    assert claimed_one.speaker_id == "post:ann"
    await rows.identities.unlink(ANN.id)
    assert await rows.checkins.wishes("post:ann") == replace(tokyo, next_at=None), "it stays where it comes"
    assert await rows.checkins.wishes(ANN.id) == NOBODY


@pytest.mark.parametrize("erased", ["post:ann", ANN.id])
async def test_when_one_identity_is_erased_the_other_keeps_what_was_chosen(rows: Rows, erased: str) -> None:
    await link(rows)
    await rows.checkins.choose(WISHES)
    await rows.erasures.erase(Selection(people=(erased,)), ErasureReason.ASKED, START)
    other = "post:ann" if erased == ANN.id else ANN.id
    kept = await rows.checkins.wishes(other)
    assert kept.zone == WISHES.zone
    nowhere = (False, None, None)
    assert (kept.on, kept.place, kept.next_at) == (nowhere if erased == ANN.id else (True, ANNS_DM, START + DAY))
    assert (await rows.checkins.wishes(erased)).zone == ""

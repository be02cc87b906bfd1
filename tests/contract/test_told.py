"""The contracts of `bot.ports.Told` and `bot.ports.Exports`."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.domain import ErasureReason, Place, PlaceKind, Selection, Speaker, Utterance
from bot.storage.conversation.told import SqlTold
from bot.storage.erasing.erasures import SqlErasures
from bot.storage.privacy.exports import SqlExports
from bot.storage.privacy.privacies import SqlPrivacies
from tests.looking import open_session
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, BETA, HALL, START, Rows, reply_to, trait_of
from tests.usecases.asking import shown

DAY = timedelta(days=1)
NOW = START + DAY


def told_by(speaker: Speaker, place: Place, text: str = "I live in Oslo.", number: int = 1) -> Utterance:
    return Utterance(place, f"told:{number}", speaker, text, NOW, to_bot=False)


def told_in(rows: Rows) -> SqlTold:
    return SqlTold(rows.database, rows.traits, rows.events)


async def test_what_is_told_is_an_utterance_that_is_dealt_with_and_a_trait_said_in_it(rows: Rows) -> None:
    trait = await told_in(rows).tell(told_by(ANN, ANNS_DM, "I live\x00 in Oslo."), "I live\ud800 in Oslo.", now=NOW)
    [said] = await rows.utterances.get(trait.sources)
    assert (said.text, said.speaker.id, said.place, said.time) == ("I live\ufffd in Oslo.", ANN.id, ANNS_DM, NOW)
    assert (said.session_id, said.off_record) == (0, False)
    assert (trait.text, trait.speaker_id, trait.place, trait.since) == ("I live\ufffd in Oslo.", ANN.id, ANNS_DM, NOW)
    assert await rows.traits.current(ANN.id, ANNS_DM) == [trait]
    assert await rows.traits.unindexed(9) == [trait]
    assert await rows.inbox.pending() == []
    assert await rows.jobs.waiting() == 0
    assert await open_session(rows.sessions, ANNS_DM) is None


async def test_what_it_replaces_is_superseded_and_stays(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN])
    old = await rows.trait(session, ANN, "I live in Rome.")
    other = await rows.trait(session, ANN, "I sing.")
    assert await rows.traits.current(ANN.id, HALL) == [old, other]
    new = await told_in(rows).tell(told_by(ANN, ANNS_DM), "I live in Oslo.", instead_of=[("trait", old.id)], now=NOW)
    assert await rows.traits.current(ANN.id, HALL) == [other]
    [kept, _, _] = await SqlExports(rows.database).traits_of([ANN.id])
    assert (kept.text, kept.until, kept.superseded_by) == ("I live in Rome.", NOW, new.id)
    assert (await rows.traits.unindexed(9))[0] == kept  # also where it was in memory


async def test_what_had_ended_before_keeps_its_time_and_successor(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    old = await rows.trait(session, ANN, "I live in Rome.")
    ended = [(old.id, 0, START)]
    [new] = await rows.traits.apply(await rows.leased(), [trait_of(session, ANN, "I live in Bern.")], superseded=ended)
    await told_in(rows).tell(told_by(ANN, ANNS_DM), "I live in Oslo.", instead_of=[("trait", old.id)], now=NOW)
    [kept, *_] = await SqlExports(rows.database).traits_of([ANN.id])
    assert (kept.until, kept.superseded_by) == (START, new.id)


async def test_a_corrected_event_is_recalled_no_more_until_the_correction_is_erased(rows: Rows) -> None:
    event = await rows.event(await rows.converse(ANNS_DM, [ANN, AGENT]))
    version = await rows.events.version()
    told = told_in(rows)
    trait = await told.tell(told_by(ANN, ANNS_DM), "I live in Oslo.", instead_of=[("event", event.id)], now=NOW)
    assert await rows.events.readable_in(ANNS_DM) == []
    assert await rows.events.version() != version
    await told.tell(told_by(ANN, ANNS_DM, number=2), "I live in Bern.", instead_of=[("event", event.id)], now=NOW)
    erasures = SqlErasures(rows.database, rows.events, rows.traits)
    await erasures.erase(Selection(utterances=trait.sources), ErasureReason.ASKED, NOW)
    assert await rows.events.readable_in(ANNS_DM) == []
    [newest] = await rows.traits.current(ANN.id, ANNS_DM)
    await erasures.erase(Selection(utterances=newest.sources), ErasureReason.ASKED, NOW)
    assert [one.id for one in await rows.events.readable_in(ANNS_DM)] == [event.id]


async def test_what_many_said_is_corrected_for_one_person_on_all_their_platforms(rows: Rows) -> None:
    post = Place("post", PlaceKind.DM, "ann")
    shared = await rows.event(await rows.converse(HALL, [ANN, BEN, AGENT]))
    alone = await rows.event(await rows.converse(HALL, [ANN, AGENT]))
    await rows.identities.offer("post:ann", "code", NOW)
    await rows.identities.link(ANN.id, "code", START)
    version = await rows.events.version()
    instead = [("event", shared.id), ("event", alone.id)]
    await told_in(rows).tell(told_by(Speaker("post:ann", "Ann"), post), "I live in Oslo.", instead_of=instead, now=NOW)
    assert await rows.events.version() != version

    async def readable(place: Place) -> list[int]:
        return [event.id for event in await rows.events.readable_in(place)]

    assert [await readable(place) for place in (ANNS_DM, post)] == [[], []]
    assert [await readable(place) for place in (HALL, BENS_DM)] == [[shared.id], [shared.id]]
    await rows.identities.unlink("post:ann")
    assert [await readable(place) for place in (ANNS_DM, HALL, BENS_DM)] == [
        [shared.id, alone.id], [shared.id, alone.id], [shared.id],
    ]  # fmt: skip


async def test_what_is_gone_meanwhile_is_passed_over_and_nothing_else_can_be_replaced(rows: Rows) -> None:
    told = told_in(rows)
    version = await rows.events.version()
    trait = await told.tell(told_by(ANN, ANNS_DM), "I row.", instead_of=[("trait", 99), ("event", 99)], now=NOW)
    assert await rows.traits.current(ANN.id, ANNS_DM) == [trait]
    assert await rows.events.version() == version
    with pytest.raises(ValueError, match="topic"):
        await told.tell(told_by(ANN, ANNS_DM, number=2), "I row.", instead_of=[("topic", 1)], now=NOW)


async def test_a_message_is_told_once_and_a_failure_stores_nothing(rows: Rows) -> None:
    told = told_in(rows)
    await told.tell(told_by(ANN, ANNS_DM), "I row.", now=NOW)
    with pytest.raises(Exception, match=r"(?i)unique"):
        await told.tell(told_by(ANN, ANNS_DM), "I sail.", now=NOW)
    assert [one.text for one in await rows.traits.current(ANN.id, ANNS_DM)] == ["I row."]


async def test_a_person_gets_what_they_said_page_by_page(rows: Rows) -> None:
    for number in range(5):
        await rows.accept(f"Line {number}.", after=number * DAY, place=HALL if number % 2 else ANNS_DM)
        await rows.accept("Not mine.", speaker=BEN, place=HALL, after=number * DAY)
    exports = SqlExports(rows.database)
    first = await exports.said_by([ANN.id], limit=3)
    rest = await exports.said_by([ANN.id], after=first[-1].id, limit=3)
    assert [one.text for one in [*first, *rest]] == [f"Line {number}." for number in range(5)]
    within = await exports.said_by([ANN.id], since=START + DAY, before=START + 3 * DAY, limit=9)
    assert [one.text for one in within] == ["Line 1.", "Line 2."]
    assert len(await exports.said_by([ANN.id, BEN.id], limit=99)) == 10
    assert [one.text for one in await exports.said_by([ANN.id], place=HALL, limit=9)] == ["Line 1.", "Line 3."]
    light = await exports.words_of([ANN.id], after=first[0].id, since=START + DAY, place=ANNS_DM, limit=1)
    assert light == [(first[2].id, "Line 2.")]
    assert [one.text for one in await exports.last_said([ANN.id], None, 2)] == ["Line 4.", "Line 3."]
    assert [one.text for one in await exports.last_said([ANN.id], HALL, 1)] == ["Line 3."]
    assert await exports.channels([ANN.id, BEN.id]) == [HALL]
    assert await exports.channels(["chat:nobody"]) == []


async def test_replies_are_those_of_the_places_that_are_asked_for(rows: Rows) -> None:
    for place, speaker, text in [(ANNS_DM, ANN, "To Ann."), (BENS_DM, BEN, "To Ben."), (ANNS_DM, ANN, "Again.")]:
        said = await rows.accept(speaker=speaker, place=place)
        await rows.sessions.append(said, BETA, 1000)
        assert await rows.outbox.commit(reply_to(said, text), [said.id], shown(), [])
    exports = SqlExports(rows.database)
    first = await exports.replies_in([ANNS_DM], limit=1)
    assert [one.text for one in first] == ["To Ann."]
    assert [one.text for one in await exports.replies_in([ANNS_DM], after=first[0].id, limit=9)] == ["Again."]
    assert await exports.replies_in([Place("chat", PlaceKind.DM, "nobody")], limit=9) == []


async def test_where_somebody_is_not_read_is_listed(rows: Rows) -> None:
    privacies = SqlPrivacies(rows.database)
    await privacies.opt_out(ANN.id, HALL, out=True)
    await privacies.opt_out(BEN.id, HALL, out=True, whole_server=True)
    exports = SqlExports(rows.database)
    assert await exports.opt_outs([ANN.id]) == [HALL.key]
    assert await exports.opt_outs([BEN.id]) == ["chat:server"]
    assert await exports.opt_outs(["chat:cat"]) == []


async def test_each_of_those_who_said_it_corrects_it_for_themselves(rows: Rows) -> None:
    shared = await rows.event(await rows.converse(HALL, [ANN, BEN, AGENT]))
    for number, (speaker, place) in enumerate([(ANN, ANNS_DM), (BEN, BENS_DM), (ANN, ANNS_DM)]):
        instead = [("event", shared.id)]
        await told_in(rows).tell(told_by(speaker, place, number=number), "I row.", instead_of=instead, now=NOW)
    assert [await rows.events.readable_in(place) for place in (ANNS_DM, BENS_DM, HALL)] == [[], [], [shared]]

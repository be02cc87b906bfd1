"""The contract of `bot.ports.Passages`: what is kept word for word, where it may be used, and when it goes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from bot.domain import (
    ErasureReason,
    Job,
    JobKind,
    Passage,
    Place,
    Recollection,
    Scope,
    Selection,
    Session,
    Speaker,
    Trait,
    Utterance,
    VectorKind,
)
from bot.storage.shared import index_marks
from bot.storage.shared.tables import utterances
from tests.looking import open_session
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, BETA, HALL, OTHER_HALL, START, Rows, reply_to, trait_of

LEASE = timedelta(minutes=5)
DAY = timedelta(days=1)
NOTHING = Recollection()


async def archived(rows: Rows, place: Place, speakers: Sequence[Speaker]) -> tuple[Session, list[Passage]]:
    """A session in which each said one thing, and its passages."""
    session = await rows.converse(place, speakers)
    assert await rows.passages.archive(session.id, [], 0) == len(speakers)
    return session, await of_session(rows, session)


async def of_session(rows: Rows, session: Session) -> list[Passage]:
    every = await rows.passages.get(range(1, 100))
    return [one for one in every if one.utterance.session_id == session.id]


async def readable(rows: Rows, place: Place) -> list[int]:
    found = await rows.passages.readable_in(place)
    assert found.dtype == np.int64
    assert found.ndim == 1
    return [int(one) for one in found]


async def job_of(rows: Rows, session: Session) -> Job:
    """The ARCHIVE job of a session, claimed."""
    while (job := await rows.jobs.claim(START, LEASE)) is not None:
        if (job.kind, job.subject) == (JobKind.ARCHIVE, session.id):
            return job
    raise AssertionError("there is no such job")


async def due(rows: Rows) -> set[tuple[JobKind, int]]:
    found = set()
    while (job := await rows.jobs.claim(START, LEASE)) is not None:
        found.add((job.kind, job.subject))
    return found


def ids(passages: Sequence[Passage]) -> list[int]:
    return [one.id for one in passages]


async def test_a_closed_session_becomes_passages_in_its_order(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, AGENT, BEN])
    job = await job_of(rows, session)
    version = await rows.passages.version()
    assert await rows.passages.archive(session.id, [session.utterances[1].id], job.id) == 2
    assert await rows.passages.version() != version
    passages = await rows.passages.get([3, 2, 1, 1])
    assert [one.utterance for one in passages] == [session.utterances[0], session.utterances[2]]
    assert await readable(rows, HALL) == ids(passages) == [1, 2]


async def test_a_job_archives_once(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    job = await job_of(rows, session)
    assert await rows.passages.archive(session.id, [], job.id) == 1
    await rows.converse(ANNS_DM, [ANN])
    version = await rows.passages.version()
    assert await rows.passages.archive(2, [], job.id) == 0
    assert await rows.passages.archive(session.id, [], 0) == 0
    assert await readable(rows, ANNS_DM) == [1]
    assert await rows.passages.version() == version
    await rows.jobs.release_all()
    assert (JobKind.ARCHIVE, session.id) not in await due(rows)


async def test_an_open_session_and_what_is_off_the_record_are_left(rows: Rows) -> None:
    said = await rows.accept()
    session = await rows.sessions.append(said, BETA, 100)
    assert await rows.passages.archive(session.id, [], 0) == 0
    async with rows.database.writing() as connection:
        await connection.exec_driver_sql("UPDATE utterances SET off_record = true")
    await rows.inbox.remembered([said.id])
    await rows.sessions.close(ANNS_DM)
    assert await rows.passages.archive(session.id, [], 0) == 0


async def test_replies_that_go_with_what_is_off_the_record_are_left(rows: Rows) -> None:
    secret = await rows.inbox.accept(replace(rows.utterance("between us"), off_record=True))
    assert secret is not None
    said = [secret, *[await rows.accept(text) for text in ("so?", "and the weather?")]]
    texts = ["I see.", "As you said between us …", "It rains."]
    for one, text in zip(said, texts, strict=True):
        await rows.sessions.append(one, BETA, 100)
        before = await rows.utterances.recent(ANNS_DM, 2)
        shown = {line.id: line.text for line in (before if one is said[1] else [one])}
        assert await rows.outbox.commit(reply_to(one, text), [one.id], NOTHING, [], shown) is not None
    session = await open_session(rows.sessions, ANNS_DM)
    assert session is not None
    assert await rows.sessions.close(ANNS_DM)
    assert await rows.passages.archive(session.id, [], 0) == 3
    left = ["so?", "and the weather?", "It rains."]
    assert [one.utterance.text for one in await of_session(rows, session)] == left
    await rows.erasures.erase(Selection(utterances=(secret.id,)), ErasureReason.OFF_RECORD, START)
    assert [line.text for line in await rows.utterances.recent(ANNS_DM, 9)] == left


async def test_where_a_person_is_linked_they_speak_under_the_id_they_have_there(rows: Rows) -> None:
    other = Speaker("post:ann", "Ann P.")
    _, passages = await archived(rows, HALL, [other, BEN])
    await rows.identities.offer(ANN.id, "owl", START + DAY)
    await rows.identities.link(other.id, "owl", START)

    async def speakers(place: Place | None) -> list[str]:
        return [one.utterance.speaker.id for one in await rows.passages.get(ids(passages), place)]

    assert await speakers(ANNS_DM) == [ANN.id, BEN.id]
    assert await speakers(None) == await speakers(HALL) == await speakers(BENS_DM) == [other.id, BEN.id]
    [anns, _] = await rows.passages.get(ids(passages), ANNS_DM)
    assert replace(anns.utterance, speaker=passages[0].utterance.speaker) == passages[0].utterance


async def test_nobody_has_passages_where_nothing_was_said(rows: Rows) -> None:
    assert await readable(rows, ANNS_DM) == []
    assert await rows.passages.get([]) == []
    assert await rows.passages.get([7]) == []


async def test_the_latest_are_indexed_first(rows: Rows) -> None:
    _, passages = await archived(rows, HALL, [ANN, BEN, AGENT])
    assert await rows.passages.unindexed(2) == [passages[2], passages[1]]
    await rows.passages.mark_indexed([passages[2].id, passages[0].id])
    assert await rows.passages.unindexed(9) == [passages[1]]
    await index_marks.unmark(rows.database, VectorKind.PASSAGE, [passages[0].id])
    assert ids(await rows.passages.unindexed(9)) == [2, 1]
    assert await index_marks.rows_by_scope(rows.database) == {
        Scope(VectorKind.PASSAGE, HALL.key): {1: False, 2: False, 3: True}
    }
    await index_marks.start_afresh(rows.database, "new")
    assert ids(await rows.passages.unindexed(9)) == [3, 2, 1]


async def test_a_dm_goes_nowhere_and_a_channel_to_those_who_spoke(rows: Rows) -> None:
    _, private = await archived(rows, ANNS_DM, [ANN, AGENT])
    _, both = await archived(rows, HALL, [ANN, BEN])
    _, alone = await archived(rows, HALL, [BEN])
    assert await readable(rows, ANNS_DM) == [*ids(private), *ids(both)]
    assert await readable(rows, BENS_DM) == [*ids(both), *ids(alone)]
    assert await readable(rows, HALL) == [*ids(both), *ids(alone)]
    assert await readable(rows, OTHER_HALL) == []


async def test_what_an_event_says_and_is_corrected_is_not_recalled_word_for_word(rows: Rows) -> None:
    session, passages = await archived(rows, HALL, [ANN, BEN])
    event = await rows.event(session)
    version = await rows.passages.version()
    await tell(rows, "no, it was so", ("event", event.id))
    assert await rows.passages.version() != version
    assert await readable(rows, ANNS_DM) == []
    assert await readable(rows, BENS_DM) == await readable(rows, HALL) == ids(passages)


@pytest.mark.parametrize(("speakers", "in_hall"), [([ANN, BEN], [1, 2]), ([ANN, AGENT], [2])])
async def test_what_a_trait_says_and_is_corrected_is_not_recalled(
    rows: Rows, speakers: list[Speaker], in_hall: list[int]
) -> None:
    session, _ = await archived(rows, HALL, speakers)
    trait = await rows.trait(session, ANN, "I live in Rome.")
    version = await rows.passages.version()
    told = await tell(rows, "I live in Oslo.", ("trait", trait.id))
    assert await rows.passages.version() != version
    assert (await readable(rows, ANNS_DM), await readable(rows, HALL)) == ([2], in_hall)
    [said] = await rows.utterances.get(told.sources)
    await rows.erasures.erase_messages("chat", [said.message_id], START)
    assert await readable(rows, ANNS_DM) == await readable(rows, HALL) == [1, 2]


async def test_a_trait_that_changed_by_itself_hides_nothing(rows: Rows) -> None:
    session, passages = await archived(rows, ANNS_DM, [ANN])
    old = await rows.trait(session, ANN, "I live in Rome.")
    later, moved = await archived(rows, ANNS_DM, [ANN])
    new = trait_of(later, ANN, "I live in Oslo.")
    await rows.traits.apply(await rows.leased(), [new], superseded=[(old.id, 0, START)])
    assert await readable(rows, ANNS_DM) == [*ids(passages), *ids(moved)]


async def test_what_says_again_what_was_told_otherwise_is_hidden_from_then_on(rows: Rows) -> None:
    session, _ = await archived(rows, ANNS_DM, [ANN])
    again, once_more = await archived(rows, ANNS_DM, [ANN])
    anew, learnt = await archived(rows, ANNS_DM, [ANN])
    old = await rows.trait(session, ANN, "I live in Rome.")
    version = await rows.passages.version()
    await rows.traits.apply(await rows.leased(), refreshed=[(old.id, START, (session.utterances[0].id,))])
    assert await rows.passages.version() == version
    told = await tell(rows, "I live in Oslo.", ("trait", old.id))
    assert await readable(rows, ANNS_DM) == [*ids(once_more), *ids(learnt)]
    version = await rows.passages.version()
    await rows.traits.apply(await rows.leased(), refreshed=[(old.id, START, (again.utterances[0].id,))])
    assert await rows.passages.version() != version
    assert await readable(rows, ANNS_DM) == ids(learnt)
    version = await rows.passages.version()
    ended = replace(trait_of(anew, ANN, "Rome is my home."), until=START, superseded_by=told.id)
    await rows.traits.apply(await rows.leased(), [ended])
    assert await rows.passages.version() != version
    assert await readable(rows, ANNS_DM) == []


async def test_what_changes_by_itself_leaves_what_may_be_used_as_it_is(rows: Rows) -> None:
    session, _ = await archived(rows, ANNS_DM, [ANN])
    old = await rows.trait(session, ANN, "I live in Rome.")
    version = await rows.passages.version()
    [new] = await rows.traits.apply(
        await rows.leased(), [trait_of(session, ANN, "I live in Oslo.")], superseded=[(old.id, 0, START)]
    )
    again, _ = await archived(rows, ANNS_DM, [ANN])
    after = replace(version, latest=version.latest + 1)
    assert await rows.passages.version() == after
    ended = replace(trait_of(again, ANN, "Rome is my home."), until=START, superseded_by=new.id)
    refreshed = [(old.id, START, (again.utterances[0].id,))]
    await rows.traits.apply(await rows.leased(), [ended], refreshed=refreshed)
    assert await rows.passages.version() == after


async def test_a_trait_that_is_learnt_anew_from_what_was_told_hides_what_it_supersedes(rows: Rows) -> None:
    session, passages = await archived(rows, ANNS_DM, [ANN])
    old = await rows.trait(session, ANN, "I live in Rome.")
    told = await tell(rows, "I live in Oslo.", ("trait", 999))
    version = await rows.passages.version()
    assert await readable(rows, ANNS_DM) == ids(passages)
    anew = replace(trait_of(session, ANN, "I live in Oslo."), sources=told.sources)
    await rows.traits.apply(await rows.leased(), [anew], superseded=[(old.id, 0, START)])
    assert await readable(rows, ANNS_DM) == []
    assert await rows.passages.version() != version


async def tell(rows: Rows, words: str, instead_of: tuple[str, int]) -> Trait:
    said = Utterance(ANNS_DM, f"told:{words}", ANN, words, START, to_bot=False)
    return await rows.told.tell(said, words, instead_of=[instead_of], now=START)


async def test_what_is_erased_goes_with_its_vector_and_the_receipt_is_the_same(rows: Rows) -> None:
    session, passages = await archived(rows, HALL, [ANN, BEN])
    await due(rows)
    version = await rows.passages.version()
    erased = await rows.erasures.erase(Selection(people=(ANN.id,)), ErasureReason.ASKED, START)
    assert erased.vectors == ((Scope(VectorKind.PASSAGE, HALL.key), (passages[0].id,)),)
    assert await rows.passages.version() != version
    assert await readable(rows, HALL) == [passages[1].id]
    assert await rows.passages.get([passages[0].id]) == []
    assert (JobKind.ARCHIVE, session.id) not in await due(rows)
    receipt = await rows.erasures.receipt(erased.erasure_id)
    assert receipt is not None
    assert "passages" not in dict(receipt.counts)
    assert await rows.erasures.unfinished() == [(erased.erasure_id, erased.vectors)]


async def test_who_has_their_only_line_erased_is_not_reminded_of_the_rest(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN])
    said, _ = session.utterances
    assert await rows.passages.archive(session.id, [said.id], 0) == 1
    assert await readable(rows, ANNS_DM) == await readable(rows, BENS_DM) == [1]
    version = await rows.passages.version()
    await rows.erasures.erase_messages("chat", [said.message_id], START)
    assert (await readable(rows, ANNS_DM), await readable(rows, BENS_DM)) == ([], [1])
    assert await rows.passages.version() != version


async def test_a_place_that_is_erased_leaves_none(rows: Rows) -> None:
    session, passages = await archived(rows, HALL, [ANN, AGENT])
    waiting = await rows.converse(HALL, [BEN])
    erased = await rows.erasures.erase(Selection(places=(HALL.key,)), ErasureReason.LEFT, START)
    assert dict(erased.vectors)[Scope(VectorKind.PASSAGE, HALL.key)] == tuple(ids(passages))
    assert await rows.sessions.get(session.id) is None
    assert not {(JobKind.ARCHIVE, one.id) for one in (session, waiting)} & await due(rows)


async def test_edited_words_are_another_passage(rows: Rows) -> None:
    session, passages = await archived(rows, HALL, [ANN, BEN])
    version = await rows.passages.version()
    correction = await rows.corrections.edit("chat", session.utterances[0].message_id, "other words")
    assert correction is not None
    assert correction.vectors == ((Scope(VectorKind.PASSAGE, HALL.key), (passages[0].id,)),)
    assert await rows.passages.version() != version
    assert await readable(rows, HALL) == [passages[1].id]
    job = await job_of(rows, session)
    assert await rows.passages.archive(session.id, [], job.id) == 1
    assert await readable(rows, HALL) == [2, 3]
    [anew] = await rows.passages.get([3])
    assert anew.utterance.text == "other words"


async def test_what_is_edited_while_it_is_archived_is_archived_anew(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN])
    job = await job_of(rows, session)
    await rows.corrections.edit("chat", session.utterances[0].message_id, "other words")
    assert await rows.passages.archive(session.id, [], job.id) == 0
    assert await rows.passages.archive(session.id, [], (await job_of(rows, session)).id) == 1


async def test_an_edit_in_an_open_session_has_nothing_archived(rows: Rows) -> None:
    said = await rows.accept()
    await rows.sessions.append(said, BETA, 100)
    await rows.corrections.edit("chat", said.message_id, "other words")
    assert JobKind.ARCHIVE not in {kind for kind, _ in await due(rows)}


async def test_a_reply_that_comes_after_the_end_is_archived_too(rows: Rows) -> None:
    said = await rows.accept()
    session = await rows.sessions.append(said, BETA, 100)
    later = await rows.sessions.append(await rows.accept(after=2 * BETA), BETA, 100)
    assert await rows.passages.archive(session.id, [], (await job_of(rows, session)).id) == 1
    assert await rows.outbox.commit(reply_to(said), [said.id], NOTHING, []) is not None
    assert await rows.passages.archive(session.id, [], (await job_of(rows, session)).id) == 1
    assert [one.utterance.text for one in await of_session(rows, session)] == ["hello", "hi"]
    assert await rows.outbox.commit(reply_to(later.utterances[0]), [later.utterances[0].id], NOTHING, []) is not None
    assert (JobKind.ARCHIVE, later.id) not in await due(rows)


async def test_a_channel_that_moves_takes_its_passages_along(rows: Rows) -> None:
    _, passages = await archived(rows, HALL, [ANN, BEN])
    await rows.passages.mark_indexed(ids(passages))
    new = Place(HALL.platform, HALL.kind, "elsewhere/hall")
    vectors = await rows.channels.move(HALL, new, START)
    assert vectors == [(Scope(VectorKind.PASSAGE, HALL.key), tuple(ids(passages)))]
    assert (await readable(rows, HALL), await readable(rows, new)) == ([], ids(passages))
    assert ids(await rows.passages.unindexed(9)) == ids(passages)[::-1]


async def test_why_tells_what_was_said_before(rows: Rows) -> None:
    session, _ = await archived(rows, HALL, [ANN, BEN])
    anns, bens = session.utterances
    told = await rows.told.tell(rows.utterance("told"), "told", now=START)
    said = await rows.accept(after=DAY)
    same = await rows.accept(after=DAY)
    for one in (said, same):
        await rows.sessions.append(one, BETA, 100)
    shown = {one.id: one.text for one in (bens, anns, same)} | dict.fromkeys(told.sources, "told")
    assert await rows.outbox.commit(reply_to(same), [said.id], NOTHING, [], shown) is not None
    used = await rows.outbox.used(ANNS_DM)
    assert used is not None
    assert used.said == (anns, bens)
    await rows.erasures.erase_messages("chat", ["nothing"], START)
    async with rows.database.writing() as connection:  # as if only this were gone: an erasure takes the reply along
        await connection.execute(utterances.delete().where(utterances.c.id == anns.id))
    used = await rows.outbox.used(ANNS_DM)
    assert used is not None
    assert used.said == (bens,)

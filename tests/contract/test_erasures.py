"""The contract of `bot.ports.Erasures`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from bot.domain import (
    AGENT_ID,
    Erased,
    ErasurePreview,
    ErasureReason,
    Event,
    Job,
    JobKind,
    Outgoing,
    Place,
    Quotation,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Scope,
    Selection,
    Session,
    Speaker,
    Trait,
    Utterance,
    VectorKind,
)
from bot.errors import StorageError
from bot.storage.conversation.erased import KEPT, was_erased
from bot.storage.conversation.inbox import UNSEEN
from bot.storage.engine.database import insert_new
from bot.storage.erasing.erasures import SqlErasures
from bot.storage.shared.privacy_tables import (
    event_corrections,
)
from bot.storage.shared.tables import places, speakers
from lab.evaluation.row_scan import find_in_tables
from tests.looking import add_jobs, open_session
from tests.stored import (
    AGENT,
    ANN,
    ANNS_DM,
    BEN,
    BENS_DM,
    BETA,
    HALL,
    OTHER_HALL,
    START,
    Rows,
    event_of,
    reply_to,
    trait_of,
)

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
LEASE = timedelta(minutes=5)
NOTHING = Recollection()


def erasures_of(rows: Rows) -> SqlErasures:
    return SqlErasures(rows.database, rows.events, rows.traits)


async def in_session(rows: Rows, text: str, after: timedelta = timedelta(0), place: Place = ANNS_DM) -> Utterance:
    """Something that Ann said, remembered."""
    said = (await rows.sessions.append(await rows.accept(text, after=after, place=place), BETA, 1000)).utterances[-1]
    await rows.inbox.remembered([said.id])
    return said


async def answered(
    rows: Rows,
    said: Utterance,
    text: str = "I see.",
    used: Recollection = NOTHING,
    shown: Sequence[Utterance] = (),
) -> Utterance:
    """The companion's reply to `said`, made with `used` and `shown` in view."""
    outgoing = await rows.outbox.commit(reply_to(said, text), [said.id], used, [], {one.id: one.text for one in shown})
    assert outgoing is not None
    return (await rows.utterances.recent(said.place, 1))[0]


async def learnt(rows: Rows, said: Utterance, text: str, superseded: Trait | None = None) -> Trait:
    """A trait that `said` tells of, and that ends another one."""
    new = Trait(said.speaker.id, said.place, text, said.time, (said.id,))
    ended = [(superseded.id, 0, said.time)] if superseded is not None else []
    [trait] = await rows.traits.apply(await rows.leased(), [new], superseded=ended)
    return trait


async def due(rows: Rows) -> set[tuple[JobKind, int]]:
    found = set()
    while (job := await rows.jobs.claim(START, LEASE)) is not None:
        found.add((job.kind, job.subject))
    return found


async def erase(rows: Rows, *said: Utterance) -> Erased:
    """What was said is deleted on its platform."""
    return await erasures_of(rows).erase_messages("chat", [one.message_id for one in said], START)


async def forget(rows: Rows, selection: Selection, subject: str | None = None) -> Erased:
    """Somebody asks for it."""
    return await erasures_of(rows).erase(selection, ErasureReason.ASKED, START, subject)


async def left(rows: Rows, place: Place = ANNS_DM) -> list[str]:
    """All that is stored of a place."""
    return [said.text for said in await rows.utterances.recent(place, 100)]


async def count(rows: Rows, *tables: str) -> list[int]:
    counts = (await rows.utterances.counts()).rows
    return [counts[table] for table in tables]


def used(events: Sequence[Event] = (), traits: Sequence[Trait] = ()) -> Recollection:
    """A recollection of these."""
    return Recollection(
        tuple(RecalledEvent(event, 1, 1, 0, 1) for event in events), tuple(RecalledTrait(trait, 1) for trait in traits)
    )


async def test_what_was_derived_goes_and_the_rest_is_derived_anew(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN])
    said, kept = session.utterances
    event, trait = await rows.event(session), await rows.trait(session, ANN)
    bens = await rows.trait(session, BEN)
    await rows.traits.readable_in(HALL, [ANN.id, BEN.id])
    version = await rows.events.version()
    await due(rows)
    erased = await erase(rows, said)
    assert erased.vectors == (
        (Scope(VectorKind.EVENT, HALL.key), (event.id,)),
        (Scope(VectorKind.TRAIT, HALL.key), (trait.id,)),
    )
    assert await rows.events.version() != version
    assert (await rows.events.readable_in(HALL), await rows.events.get([event.id])) == ([], [])
    assert await rows.traits.readable_in(HALL, [ANN.id, BEN.id]) == [bens]
    assert await due(rows) == {(JobKind.SUMMARISE, session.id)}
    remaining = await rows.sessions.get(session.id)
    assert remaining is not None
    assert remaining.utterances == (kept,)


async def test_what_was_superseded_is_current_again(rows: Rows) -> None:
    first, second = await in_session(rows, "Rome"), await in_session(rows, "Oslo")
    old = await learnt(rows, first, "I live in Rome.")
    await learnt(rows, second, "I live in Oslo.", old)
    assert [trait.text for trait in await rows.traits.current(ANN.id, ANNS_DM)] == ["I live in Oslo."]
    await erase(rows, second)
    assert await rows.traits.current(ANN.id, ANNS_DM) == [old]
    assert await due(rows) == set()


async def test_of_three_that_followed_each_other_the_last_is_compared_with_the_first(rows: Rows) -> None:
    said = [await in_session(rows, city) for city in ("Rome", "Oslo", "Bern", "Paris")]
    rome = await learnt(rows, said[0], "I live in Rome.")
    oslo = await learnt(rows, said[1], "I live in Oslo.", rome)
    bern = await learnt(rows, said[2], "I live in Bern.", oslo)
    paris = await learnt(rows, said[3], "I live in Paris.", bern)
    erased = await erase(rows, said[1])
    assert erased.vectors == ((Scope(VectorKind.TRAIT, ANNS_DM.key), (oslo.id, bern.id)),)
    assert await rows.traits.current(ANN.id, ANNS_DM) == [rome, paris]
    assert await due(rows) == {(JobKind.TRAITS, said[2].id)}


async def test_of_several_that_one_had_ended_those_after_it_stay(rows: Rows) -> None:
    """One step: what is current again beside them is compared with them by the job of the one that went."""
    said = [await in_session(rows, city) for city in ("Rome", "Oslo", "a flat", "Bern", "Paris")]
    rome = await learnt(rows, said[0], "I live in Rome.")
    oslo = await learnt(rows, said[1], "I live in Oslo.", rome)
    flat = await learnt(rows, said[2], "I have a flat in Oslo.")
    new = Trait(ANN.id, ANNS_DM, "I live in Bern.", START, (said[3].id,))
    ended = [(old.id, 0, START) for old in (oslo, flat)]
    [bern] = await rows.traits.apply(await rows.leased(), [new], superseded=ended)
    paris = await learnt(rows, said[4], "I live in Paris.", bern)
    erased = await erase(rows, said[1])
    assert erased.vectors == ((Scope(VectorKind.TRAIT, ANNS_DM.key), (oslo.id, bern.id)),)
    assert await rows.traits.current(ANN.id, ANNS_DM) == [rome, flat, paris]


async def test_a_corrected_event_is_current_again_when_the_correction_goes(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    event, told = await rows.event(session), await in_session(rows, "It was not so.")
    trait = await learnt(rows, told, "I was away.")
    async with rows.database.writing() as connection:
        await insert_new(connection, event_corrections, [{"event_id": event.id, "trait_id": trait.id}])
    version = await rows.events.version()
    await erase(rows, told)
    assert await rows.events.version() != version
    assert await count(rows, "event_corrections", "events") == [0, 1]


async def test_erasing_leaves_nothing_and_a_late_delivery_is_refused(rows: Rows) -> None:
    said, late = rows.utterance("my secret"), rows.utterance("never stored")
    stored = await rows.inbox.accept(said)
    assert stored is not None
    erased = await erasures_of(rows).erase_messages("chat", [said.message_id, late.message_id], START)
    assert erased == Erased(1, (stored,), ("my secret",))
    assert await erase(rows, said) == Erased(0)
    assert [await rows.inbox.accept(one) for one in (said, late)] == [None, None]
    assert await left(rows) == []
    assert await count(rows, "utterances", "inbox", "erased_messages", "erasures") == [0, 0, 2, 1]


async def test_what_is_erased_by_command_does_not_come_back_with_a_late_delivery(rows: Rows) -> None:
    said = rows.utterance("my secret")
    stored = await rows.inbox.accept(said)
    assert stored is not None
    outgoing = await rows.outbox.commit(reply_to(stored), [stored.id], NOTHING, [])
    assert outgoing is not None
    await rows.outbox.part_sent(outgoing.id, "p1")
    await forget(rows, Selection(utterances=(stored.id,)))
    assert await rows.inbox.accept(said) is None
    async with rows.database.writing() as connection:
        assert await was_erased(connection, "chat", "p1")
        assert not await was_erased(connection, "other", "p1")
    assert await count(rows, "erased_messages") == [3]  # with the id that the outbox gave the reply


async def test_words_that_were_erased_are_not_quoted(rows: Rows) -> None:
    said = await rows.accept("my secret")
    await forget(rows, Selection(utterances=(said.id,)))
    quoting = Quotation("Ann", "my secret", said.speaker.id)
    later = await rows.inbox.accept(replace(rows.utterance("this?"), reply_to=said.message_id, quoting=quoting))
    assert later is not None
    assert later.quoting is None


async def test_a_late_delivery_on_another_platform_is_not_refused(rows: Rows) -> None:
    said = rows.utterance()
    await erasures_of(rows).erase_messages("other", [said.message_id], START)
    assert await rows.inbox.accept(said) is not None


async def test_erased_ids_are_not_kept_for_ever(rows: Rows) -> None:
    await erasures_of(rows).erase_messages("chat", ["old"], START)
    await erasures_of(rows).erase_messages("chat", ["new"], START + KEPT + DAY)
    assert await count(rows, "erased_messages") == [1]


async def test_a_session_shrinks_and_an_empty_one_goes(rows: Rows) -> None:
    first = await in_session(rows, "one two three")
    last = await in_session(rows, "four", BETA / 2)
    await erase(rows, last)
    session = await open_session(rows.sessions, ANNS_DM)
    assert session is not None
    assert session.utterances == (first,)
    assert await rows.sessions.close_idle(START + timedelta(seconds=1), START + DAY) == 1
    assert await due(rows) == {(JobKind.SUMMARISE, session.id), (JobKind.ARCHIVE, session.id)}
    await erase(rows, first)
    assert await rows.sessions.get(session.id) is None
    assert await count(rows, "sessions", "jobs") == [0, 0]


async def test_an_open_session_that_is_empty_goes_and_the_next_words_open_another(rows: Rows) -> None:
    said = await in_session(rows, "hello")
    await erase(rows, said)
    assert await open_session(rows.sessions, ANNS_DM) is None
    assert (await in_session(rows, "again")).session_id not in {0, said.session_id}


async def test_what_is_erased_while_it_is_answered_gets_no_reply_and_no_job(rows: Rows) -> None:
    said = await rows.accept()
    await erase(rows, said)
    assert await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [Job(JobKind.TRAITS, said.id)]) is None
    await rows.inbox.remembered([said.id], [Job(JobKind.TRAITS, said.id)])
    with pytest.raises(StorageError, match="not stored"):
        await rows.sessions.append(said, BETA, 1000)
    assert await due(rows) == set()


async def test_the_reply_to_what_is_erased_goes_also_when_it_answered_others_too(rows: Rows) -> None:
    anns, bens = await rows.accept(place=HALL), await rows.accept("me too", speaker=BEN, place=HALL)
    await rows.outbox.commit(reply_to(bens), [anns.id, bens.id], NOTHING, [Job(JobKind.TRAITS, 0)])
    erased = await erase(rows, anns)
    assert [said.speaker.id for said in erased.utterances] == [ANN.id, AGENT_ID]
    assert await rows.outbox.undelivered() == []
    assert await left(rows, HALL) == ["me too"]
    assert await rows.inbox.pending() == []  # it has been answered, and is not answered again
    assert await count(rows, "answers", "outbox", "jobs") == [0, 0, 0]


async def test_a_reply_goes_with_any_of_its_messages_and_is_not_made_again(rows: Rows) -> None:
    said = await rows.accept()
    outgoing = await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [])
    assert outgoing is not None
    for part in ("p1", "p2"):
        await rows.outbox.part_sent(outgoing.id, part)
    await erasures_of(rows).erase_messages("chat", ["p2"], START)
    await rows.outbox.part_sent(outgoing.id, "p3")
    assert await rows.utterances.recent(ANNS_DM, 9) == [said]
    assert await rows.outbox.undelivered() == []
    assert await rows.inbox.pending() == []
    assert await rows.outbox.commit(Utterance(ANNS_DM, "x", AGENT, "hi", START), [said.id], NOTHING, []) is None


async def test_what_was_said_with_it_in_view_goes_and_the_rest_of_the_session_stays(rows: Rows) -> None:
    greeting = await in_session(rows, "hello")
    await answered(rows, greeting, "Good morning.")
    secret = await in_session(rows, "my secret")
    await answered(rows, secret, "Oh.", shown=[greeting, secret])
    other = await in_session(rows, "something else")
    await answered(rows, other, "As for your secret …", shown=[secret, other])
    last = await in_session(rows, "the weather")
    await answered(rows, last, "It rains.", shown=[greeting, last])
    await erase(rows, secret)
    assert await left(rows) == ["hello", "Good morning.", "something else", "the weather", "It rains."]


async def test_what_was_made_of_a_reply_that_goes_goes_too(rows: Rows) -> None:
    secret = await in_session(rows, "my secret", place=HALL)
    reply = await answered(rows, secret, "Oh.")
    asked = await in_session(rows, "why oh?", place=HALL)
    again = await answered(rows, asked, "Because of that.", shown=[reply])
    last = await in_session(rows, "that?", place=HALL)
    await answered(rows, last, "That.", shown=[again])
    await erase(rows, secret)
    assert await left(rows, HALL) == ["why oh?", "that?"]


async def test_what_others_were_told_meanwhile_stays_when_the_line_was_not_shown(rows: Rows) -> None:
    secret = await in_session(rows, "my secret", place=HALL)
    bens = await rows.accept("which bus?", speaker=BEN, place=HALL)
    await rows.sessions.append(bens, BETA, 1000)
    await answered(rows, bens, "The 7.", shown=[bens])
    await erase(rows, secret)
    assert await left(rows, HALL) == ["which bus?", "The 7."]


async def test_of_a_recorded_conversation_all_that_the_companion_said_after_it_goes(rows: Rows) -> None:
    """It came through no outbox: nobody noted what it was made of."""
    for text, speaker in (("Welcome.", AGENT), ("my secret", ANN), ("Oh.", AGENT), ("yes", ANN), ("Well.", AGENT)):
        said = await rows.accept(text, speaker=speaker)
        await rows.sessions.append(said, BETA, 1000)
        await rows.inbox.remembered([said.id])
    [_, secret, *_] = await rows.utterances.recent(ANNS_DM, 9)
    await answered(rows, await in_session(rows, "now"), "Now.")
    await erase(rows, secret)
    assert await left(rows) == ["Welcome.", "yes", "now", "Now."]


async def test_a_reply_that_was_shown_a_memory_goes_with_it_and_so_does_what_comes_from_that_reply(rows: Rows) -> None:
    secret = await rows.converse(HALL, [ANN])
    event, trait = await rows.event(secret), await rows.trait(secret, ANN)
    later = await in_session(rows, "I am back", DAY)
    reply = await answered(rows, later, "How is your secret?", used([event], [trait]))
    assert await rows.sessions.close(ANNS_DM)
    session = await rows.sessions.get(reply.session_id)
    assert session is not None
    await rows.event(session)
    unrelated = await in_session(rows, "hello", 2 * DAY)
    await answered(rows, unrelated, "Hello.")
    erased = await erase(rows, *secret.utterances)
    assert await left(rows) == ["I am back", "hello", "Hello."]
    assert dict(erased.vectors)[Scope(VectorKind.EVENT, ANNS_DM.key)] != ()
    assert await rows.events.readable_in(ANNS_DM) == []
    assert await count(rows, "reply_memories", "traits") == [0, 0]
    assert (JobKind.SUMMARISE, session.id) in await due(rows)


async def linking(rows: Rows, text: str, reply_to: str) -> Utterance:
    """A line of Ben's in the hall that replies to a message."""
    new = Utterance(HALL, f"link {text}", BEN, text, START + DAY, reply_to=reply_to)
    stored = await rows.inbox.accept(new)
    assert stored is not None
    return stored


async def test_what_stays_does_not_name_the_message_that_went(rows: Rows) -> None:
    secret, other = await in_session(rows, "my secret", place=HALL), await in_session(rows, "hm", place=HALL)
    outgoing = await rows.outbox.commit(reply_to(secret), [secret.id], NOTHING, [])
    assert outgoing is not None
    for part in ("p1", "p2"):
        await rows.outbox.part_sent(outgoing.id, part)
    elsewhere = await rows.inbox.accept(Utterance(Place("post", HALL.kind, "a/b"), "x", BEN, "x", START, reply_to="p2"))
    assert elsewhere is not None
    for text, link in (("a", secret.message_id), ("b", "p2"), ("c", other.message_id), ("d", "unknown")):
        await linking(rows, text, link)
    await erase(rows, secret)
    stored = await rows.utterances.recent(HALL, 9)
    assert [(one.text, one.reply_to) for one in stored] == [
        ("hm", None),
        ("a", None),
        ("b", None),
        ("c", other.message_id),
        ("d", UNSEEN),
    ]
    assert [one.reply_to for one in await rows.utterances.get([elsewhere.id])] == ["p2"]


async def closed_and_claimed(rows: Rows) -> tuple[Session, Job]:
    """A session that is being summarised."""
    session = await rows.converse(ANNS_DM, [ANN, BEN])
    job = await rows.jobs.claim(START, LEASE)
    assert job is not None
    assert job.kind is JobKind.SUMMARISE
    return session, job


async def test_a_summary_of_the_old_words_is_not_stored(rows: Rows) -> None:
    session, job = await closed_and_claimed(rows)
    await erase(rows, session.utterances[0])
    assert (await rows.events.add(event_of(session), job.id)).id == 0
    assert await rows.events.readable_in(ANNS_DM) == []
    assert (JobKind.SUMMARISE, session.id) in await due(rows)


async def test_traits_of_the_old_words_are_not_stored(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN])
    said = session.utterances[0]
    await due(rows)
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, said.id)])
    job = await rows.jobs.claim(START, LEASE)
    assert job is not None
    await erase(rows, said)
    assert await rows.traits.apply(job.id, [trait_of(session, ANN)]) == []
    assert await rows.traits.current(ANN.id, HALL) == []


async def test_what_is_compared_with_a_trait_that_goes_is_compared_anew(rows: Rows) -> None:
    first, second = await in_session(rows, "I sing"), await in_session(rows, "I sing")
    trait = await learnt(rows, first, "I sing.")
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, second.id)])
    job = await rows.jobs.claim(START, LEASE)
    assert job is not None
    await erase(rows, first)
    assert await rows.traits.apply(job.id, refreshed=[(trait.id, second.time, (second.id,))]) == []
    assert await due(rows) == {(JobKind.TRAITS, second.id)}


async def test_all_words_that_went_are_told_each_once(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN])
    await rows.event(session, "Ann keeps a rare zebra.")
    await rows.trait(session, ANN, "I keep a zebra.")
    said = [await in_session(rows, "my secret words", place=OTHER_HALL) for _ in range(2)]
    erased = await erase(rows, *session.utterances, *said)
    assert erased.texts == ("Ann keeps a rare zebra.", "I keep a zebra.", "my secret words", "something")


async def test_long_topics_and_names_are_looked_for_and_short_ones_are_not(rows: Rows) -> None:
    maximilian = Speaker("chat:max", "Maximilian of Köln")
    said = await rows.accept("good day to you", speaker=maximilian, place=HALL)
    session = await rows.sessions.append(said, BETA, 1000)
    topics = frozenset({"dog", "thermodynamics"})
    event = Event(HALL, session.id, "He greeted.", topics, START, frozenset({maximilian.id}), (said.id,))
    await rows.events.add(event, job_id=0)
    erased = await forget(rows, Selection(people=(maximilian.id,)))
    assert erased.texts == ("He greeted.", "Maximilian of Köln", "good day to you", "thermodynamics")


async def test_whole_texts_and_parts_of_them_are_found_in_any_table(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN])
    await rows.event(session, "They met at the café.")
    texts = ["something", "met at", "café", "museum", "thing else", "", "Ann", "server/hall", "cafe"]
    here = {"something", "met at", "café", "museum", "Ann", "server/hall"}
    assert await find_in_tables(rows.database, texts) == here
    many = [f"never said {number}" for number in range(500)] + ["s" * 9, "omething"]
    many.append("something near the café.")  # its beginning and its end stand there
    assert await find_in_tables(rows.database, [*texts, *many]) == {*here, "omething"}


async def test_a_preview_says_what_would_go_and_changes_nothing(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN])
    event, trait = await rows.event(session), await rows.trait(session, ANN)
    bens = await rows.trait(session, BEN, "I dance.")
    said = await in_session(rows, "hello")
    await answered(rows, said, used=used([event]))
    before = (await rows.utterances.counts()).rows
    first = session.utterances[0].id
    preview = await erasures_of(rows).preview(Selection(utterances=(first, 999)))
    assert preview == ErasurePreview(utterances=1, replies=1, events=(event.id,), traits=(trait.id,))
    assert (await rows.utterances.counts()).rows == before
    assert await rows.traits.current(BEN.id, HALL) == [bens]
    assert await erasures_of(rows).preview(Selection(utterances=(999,))) == ErasurePreview(0, 0, (), ())


async def test_what_is_not_selected_stays_in_the_same_order(rows: Rows) -> None:
    sessions = [await rows.converse(HALL, [ANN, BEN], number * DAY) for number in range(3)]
    events = [await rows.event(session, f"day {at}", at * DAY) for at, session in enumerate(sessions)]
    await erase(rows, sessions[1].utterances[0])
    assert await rows.events.readable_in(HALL) == [events[0], events[2]]


async def test_a_receipt_is_found_by_whoever_asked_and_holds_no_word(rows: Rows) -> None:
    said = await in_session(rows, "my secret")
    reply = await answered(rows, said, "Oh, a secret.")
    erasures = erasures_of(rows)
    erased = await forget(rows, Selection(utterances=(said.id,)), subject=ANN.id)
    assert [one.id for one in erased.utterances] == [said.id, reply.id]
    assert set(erased.texts) == {"my secret", "Oh, a secret."}
    [receipt] = await erasures.receipts(ANN.id, 5)
    assert receipt == await erasures.receipt(erased.erasure_id)
    assert (receipt.reason, receipt.asked, receipt.done, receipt.found) == (ErasureReason.ASKED, START, None, None)
    assert dict(receipt.counts) == {"utterances": 1, "replies": 1, "sessions": 1}
    second = await forget(rows, Selection(), subject=ANN.id)
    assert [one.id for one in await erasures.receipts(ANN.id, 5)] == [second.erasure_id, erased.erasure_id]
    assert len(await erasures.receipts(ANN.id, 1)) == 1
    assert await erasures.receipts(BEN.id, 5) == []
    assert await erasures.receipt(99) is None


async def test_an_erasure_is_unfinished_until_the_files_are_clean(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN])
    event, trait = await rows.event(session), await rows.trait(session, ANN)
    erasures = erasures_of(rows)
    first = await erase(rows, session.utterances[0])
    second = await forget(rows, Selection(utterances=(session.utterances[1].id,)))
    assert await erasures.unfinished() == [(first.erasure_id, first.vectors), (second.erasure_id, ())]
    assert first.vectors == (
        (Scope(VectorKind.EVENT, HALL.key), (event.id,)),
        (Scope(VectorKind.TRAIT, HALL.key), (trait.id,)),
    )
    receipt = await erasures.finish(first.erasure_id, 0, START + MINUTE)
    assert (receipt.done, receipt.found, receipt.reason) == (START + MINUTE, 0, ErasureReason.DELETED)
    assert await erasures.unfinished() == [(second.erasure_id, ())]
    assert await count(rows, "erasure_vectors") == [0]
    assert (await erasures.finish(first.erasure_id, 3, START + DAY)) == receipt
    with pytest.raises(KeyError):
        await erasures.finish(99, 0, START)


async def test_a_line_that_answers_nothing_and_knows_nothing_of_it_stays(rows: Rows) -> None:
    """In another DM, at the same time, and in the same DM before and a day after."""
    before = await in_session(rows, "hello", -DAY)
    await answered(rows, before, "Hello.")
    secret = await in_session(rows, "my secret")
    await answered(rows, secret, "Oh.")
    bens = await rows.accept("hello", speaker=BEN, place=BENS_DM)
    await rows.sessions.append(bens, BETA, 1000)
    await answered(rows, bens, "Hello, Ben.")
    after = await in_session(rows, "good day", DAY)
    await answered(rows, after, "Good day.")
    await erase(rows, secret)
    assert await left(rows) == ["hello", "Hello.", "good day", "Good day."]
    assert await left(rows, BENS_DM) == ["hello", "Hello, Ben."]


async def test_a_reply_on_its_way_is_not_sent_when_what_it_answers_goes(rows: Rows) -> None:
    said = await in_session(rows, "my secret")
    outgoing: Outgoing | None = await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [])
    assert outgoing is not None
    await erase(rows, said)
    assert await rows.outbox.undelivered() == []
    async with rows.database.reading() as connection:
        assert (await connection.execute(select(places.c.key))).scalars().all() == [ANNS_DM.key]
        assert len((await connection.execute(select(speakers.c.id))).all()) == 2

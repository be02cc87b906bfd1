"""The contract of `bot.ports.Corrections`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from bot.domain import (
    Correction,
    Job,
    JobKind,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Scope,
    Session,
    Trait,
    Utterance,
    VectorKind,
)
from bot.storage.conversation.erased import was_erased
from tests.looking import add_jobs
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BETA, HALL, START, Rows, event_of, reply_to, trait_of

DAY = timedelta(days=1)
LEASE = timedelta(minutes=5)
NOTHING = Recollection()


async def in_session(rows: Rows, text: str, after: timedelta = timedelta(0)) -> Utterance:
    """Something that Ann said, remembered."""
    said = (await rows.sessions.append(await rows.accept(text, after=after), BETA, 1000)).utterances[-1]
    await rows.inbox.remembered([said.id])
    return said


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


def anew(session: Session) -> list[tuple[JobKind, int]]:
    """What is made of a session again."""
    return [(JobKind.SUMMARISE, session.id), (JobKind.ARCHIVE, session.id)]


async def edit(rows: Rows, said: Utterance, text: str = "something else") -> Correction:
    correction = await rows.corrections.edit(said.place.platform, said.message_id, text)
    assert correction is not None
    return correction


async def test_an_edit_replaces_what_was_said(rows: Rows) -> None:
    said, other = await rows.accept("first"), await rows.accept("other")
    edited = replace(said, text="sec\ufffdond")
    correction = await rows.corrections.edit("chat", said.message_id, "sec\ud800ond")
    assert correction is not None
    assert correction == Correction((edited,), texts=("first",), erasure_id=1)
    assert await rows.inbox.pending() == [edited, other]


async def test_an_edit_of_what_is_not_stored_or_says_so_already_is_none(rows: Rows) -> None:
    said = await rows.accept("the same")
    assert await rows.corrections.edit("chat", said.message_id, "the same") is None
    assert await rows.corrections.edit("chat", "unknown", "words") is None
    assert await rows.corrections.edit("other", said.message_id, "words") is None


async def test_the_companions_own_words_are_not_edited(rows: Rows) -> None:
    said = await rows.accept()
    outgoing = await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [])
    assert outgoing is not None
    await rows.outbox.part_sent(outgoing.id, "p1")
    assert await rows.corrections.edit("chat", "p1", "words") is None
    assert await rows.corrections.edit("chat", f"reply:{said.id}", "words") is None


async def test_an_edit_counts_the_words_of_the_session_anew(rows: Rows) -> None:
    session = await rows.sessions.append(said := await rows.accept("one two three"), BETA, 3)
    await edit(rows, said, "a b c d")
    assert (await rows.sessions.append(await rows.accept(), BETA, 3)).id != session.id


async def test_an_edit_in_an_open_session_has_its_traits_learnt_alone(rows: Rows) -> None:
    said = await in_session(rows, "hello")
    assert (await edit(rows, said)).vectors == ()
    assert await due(rows) == {(JobKind.TRAITS, said.id)}


async def test_what_was_derived_goes_and_is_derived_anew(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN])
    said, kept = session.utterances
    event, trait = await rows.event(session), await rows.trait(session, ANN)
    bens = await rows.trait(session, BEN)
    await rows.traits.readable_in(HALL, [ANN.id, BEN.id])
    version = await rows.events.version()
    await due(rows)
    correction = await edit(rows, said)
    assert correction.vectors == (
        (Scope(VectorKind.EVENT, HALL.key), (event.id,)),
        (Scope(VectorKind.TRAIT, HALL.key), (trait.id,)),
    )
    assert await rows.events.version() != version
    assert (await rows.events.readable_in(HALL), await rows.events.get([event.id])) == ([], [])
    assert await rows.traits.readable_in(HALL, [ANN.id, BEN.id]) == [bens]
    assert await due(rows) == {*anew(session), (JobKind.TRAITS, said.id)}
    left = await rows.sessions.get(session.id)
    assert left is not None
    assert [one.id for one in left.utterances] == [said.id, kept.id]


async def test_a_job_that_was_given_up_is_due_again(rows: Rows) -> None:
    said = await in_session(rows, "hello")
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, said.id)])
    for _ in range(3):
        job = await rows.jobs.claim(START, LEASE)
        assert job is not None
        await rows.jobs.retry(job.id, START, "ModelFailed")
    assert job is not None
    await rows.jobs.give_up(job.id, "MalformedOutput")
    await edit(rows, said)
    again = await rows.jobs.claim(START, LEASE)
    assert again is not None
    assert (again.subject, again.attempts) == (said.id, 1)


async def test_what_was_superseded_is_current_again(rows: Rows) -> None:
    first, second = await in_session(rows, "Rome"), await in_session(rows, "Oslo")
    old = await learnt(rows, first, "I live in Rome.")
    await learnt(rows, second, "I live in Oslo.", old)
    assert [trait.text for trait in await rows.traits.current(ANN.id, ANNS_DM)] == ["I live in Oslo."]
    await edit(rows, second)
    assert await rows.traits.current(ANN.id, ANNS_DM) == [old]
    assert await due(rows) == {(JobKind.TRAITS, second.id)}


async def test_of_three_that_followed_each_other_the_last_is_compared_with_the_first(rows: Rows) -> None:
    said = [await in_session(rows, city) for city in ("Rome", "Oslo", "Bern", "Paris")]
    rome = await learnt(rows, said[0], "I live in Rome.")
    oslo = await learnt(rows, said[1], "I live in Oslo.", rome)
    bern = await learnt(rows, said[2], "I live in Bern.", oslo)
    paris = await learnt(rows, said[3], "I live in Paris.", bern)
    correction = await edit(rows, said[1])
    assert correction.vectors == ((Scope(VectorKind.TRAIT, ANNS_DM.key), (oslo.id, bern.id)),)
    assert await rows.traits.current(ANN.id, ANNS_DM) == [rome, paris]
    assert await due(rows) == {(JobKind.TRAITS, said[1].id), (JobKind.TRAITS, said[2].id)}


async def test_a_restated_trait_comes_back_by_its_other_sources(rows: Rows) -> None:
    first, second, third = [await in_session(rows, "I sing") for _ in range(3)]
    trait = await learnt(rows, first, "I sing.")
    for said in (second, third):
        await rows.traits.apply(await rows.leased(), refreshed=[(trait.id, said.time, (said.id,))])
    await edit(rows, second)
    assert await rows.traits.current(ANN.id, ANNS_DM) == []
    assert await due(rows) == {(JobKind.TRAITS, said.id) for said in (first, second, third)}


async def answered(
    rows: Rows, said: Utterance, text: str, recalled: Recollection = NOTHING, shown: Sequence[Utterance] = ()
) -> None:
    """The companion's reply to `said`, sent as one message."""
    words = {one.id: one.text for one in shown}
    outgoing = await rows.outbox.commit(reply_to(said, text), [said.id], recalled, [], words)
    assert outgoing is not None
    await rows.outbox.part_sent(outgoing.id, f"part of {text}")


async def left(rows: Rows) -> list[str]:
    return [said.text for said in await rows.utterances.recent(ANNS_DM, 100)]


async def test_a_reply_that_was_shown_a_memory_of_the_old_words_goes(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN])
    event, trait = await rows.event(session), await rows.trait(session, ANN)
    said = await rows.accept()
    recalled = Recollection((RecalledEvent(event, 1, 1, 0, 1),), (RecalledTrait(trait, 0.5),))
    await answered(rows, said, "You sing.", recalled)
    await answered(rows, await rows.accept("and?"), "No more.")
    correction = await edit(rows, session.utterances[0])
    assert [one.text for one in correction.gone] == ["You sing."]
    assert await left(rows) == ["hello", "and?", "No more."]
    assert (await rows.utterances.counts()).rows["reply_memories"] == 0


async def test_replies_to_the_old_words_and_those_that_were_shown_them_go_with_what_comes_of_them(rows: Rows) -> None:
    before = await in_session(rows, "hello")
    await answered(rows, before, "Good day.")
    said = await in_session(rows, "my PIN is 4711")
    await answered(rows, said, "I know that PIN.")
    asked = await in_session(rows, "which one?")
    await answered(rows, asked, "4711.", shown=[said, asked])
    other = await in_session(rows, "hm")
    await answered(rows, other, "Yes.", shown=[other])
    assert await rows.sessions.close(ANNS_DM)
    session = await rows.sessions.get(said.session_id)
    assert session is not None
    event = await rows.event(session, "A PIN was told.")
    correction = await edit(rows, said, "my PIN is secret")
    assert await left(rows) == ["hello", "Good day.", "my PIN is secret", "which one?", "hm", "Yes."]
    assert [one.text for one in correction.gone] == ["I know that PIN.", "4711."]
    assert set(correction.texts) == {"my PIN is 4711", "I know that PIN.", "4711.", "A PIN was told."}
    assert correction.vectors == ((Scope(VectorKind.EVENT, ANNS_DM.key), (event.id,)),)
    assert await rows.erasures.unfinished() == [(correction.erasure_id, correction.vectors)]  # the files are to follow
    assert await rows.inbox.pending() == []  # what was answered is not answered a second time
    async with rows.database.writing() as connection:  # nor do its replies come back with a backup
        assert await was_erased(connection, "chat", "part of 4711.")
        assert not await was_erased(connection, "chat", said.message_id)


async def closed_and_claimed(rows: Rows) -> tuple[Session, Job]:
    """A session that is being summarised."""
    session = await rows.converse(ANNS_DM, [ANN, AGENT])
    job = await rows.jobs.claim(START, LEASE)
    assert job is not None
    assert job.kind is JobKind.SUMMARISE
    return session, job


async def test_a_summary_of_the_old_words_is_not_stored(rows: Rows) -> None:
    session, job = await closed_and_claimed(rows)
    await edit(rows, session.utterances[0])
    assert (await rows.events.add(event_of(session), job.id)).id == 0
    assert await rows.events.readable_in(ANNS_DM) == []
    assert (JobKind.SUMMARISE, session.id) in await due(rows)


async def test_a_job_about_the_old_words_ends_nothing(rows: Rows) -> None:
    session, job = await closed_and_claimed(rows)
    await edit(rows, session.utterances[0])
    await rows.jobs.done(job.id)
    await rows.jobs.retry(job.id, START + DAY, "ModelFailed")
    await rows.jobs.give_up(job.id, "MalformedOutput")
    assert await due(rows) == {*anew(session), (JobKind.TRAITS, session.utterances[0].id)}


async def test_traits_of_the_old_words_are_not_stored(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN])
    said = session.utterances[0]
    await due(rows)
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, said.id)])
    job = await rows.jobs.claim(START, LEASE)
    assert job is not None
    await edit(rows, said)
    assert await rows.traits.apply(job.id, [trait_of(session, ANN)]) == []
    assert await rows.traits.current(ANN.id, HALL) == []


async def test_what_is_compared_with_a_trait_that_goes_is_compared_anew(rows: Rows) -> None:
    first, second = await in_session(rows, "I sing"), await in_session(rows, "I sing")
    trait = await learnt(rows, first, "I sing.")
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, second.id)])
    job = await rows.jobs.claim(START, LEASE)
    assert job is not None
    await edit(rows, first)
    assert await rows.traits.apply(job.id, refreshed=[(trait.id, second.time, (second.id,))]) == []
    assert await due(rows) == {(JobKind.TRAITS, first.id), (JobKind.TRAITS, second.id)}

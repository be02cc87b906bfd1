"""The contract of `bot.ports.Utterances`."""

from dataclasses import replace
from datetime import timedelta

from bot.domain import Place, PlaceKind, Recollection
from bot.storage.shared import rows as stored_rows
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, HALL, OTHER_HALL, START, Rows, reply_to, trait_of


async def test_get_is_in_order_of_id_and_leaves_out_what_is_not_there(rows: Rows) -> None:
    first, second = await rows.accept("one"), await rows.accept("two")
    assert await rows.utterances.get([second.id, 999, first.id, second.id]) == [first, second]
    assert await rows.utterances.get([]) == []


async def test_recent_is_the_last_of_one_place_oldest_first(rows: Rows) -> None:
    said = [await rows.accept(str(number)) for number in range(4)]
    await rows.accept(place=BENS_DM)
    assert await rows.utterances.recent(ANNS_DM, 3) == said[1:]
    assert await rows.utterances.recent(ANNS_DM, 0) == []


async def test_what_was_heard_is_kept_with_the_words_in_which_it_was_heard(rows: Rows) -> None:
    said = await rows.accept("It will not matter.")
    assert said.heard_danger is None
    for heard in (True, False):
        await rows.utterances.keep_heard([replace(said, heard_danger=heard), replace(said, id=999, heard_danger=heard)])
        assert await rows.utterances.get([said.id]) == [replace(said, heard_danger=heard)]
    await rows.utterances.keep_heard([replace(said, text="It mattered.", heard_danger=True)])
    assert (await rows.utterances.get([said.id]))[0].heard_danger is False
    await rows.corrections.edit(said.place.platform, said.message_id, "It mattered.")
    assert (await rows.utterances.get([said.id]))[0].heard_danger is None


async def test_unprocessed_is_what_memories_are_still_to_be_made_of(rows: Rows) -> None:
    async def unprocessed() -> list[str]:
        return [one.text for one in await rows.utterances.unprocessed([ANN.id], 10)]

    for speaker, text in ((ANN, "I sail."), (BEN, "I row."), (ANN, "I sing.")):
        said = await rows.accept(text, speaker=speaker, place=HALL)
        session = await rows.sessions.append(said, timedelta(hours=1), 1000)
        await rows.inbox.remembered([said.id])
    assert await unprocessed() == ["I sing.", "I sail."]
    assert [one.text for one in await rows.utterances.unprocessed([ANN.id, BEN.id], 2)] == ["I sing.", "I row."]
    [trait] = await rows.traits.apply(
        await rows.leased(), [replace(trait_of(session, ANN, "I sing."), sources=(said.id,))]
    )
    assert trait.sources == (said.id,)
    assert await unprocessed() == ["I sail."]
    assert await rows.sessions.close(HALL)
    assert await unprocessed() == ["I sail."], "its summary is still to be made"
    await rows.event(session)
    assert await unprocessed() == []
    await rows.converse(ANNS_DM, [ANN])
    assert await unprocessed() == ["something"]
    while (job := await rows.jobs.claim(START, timedelta(hours=1))) is not None:
        await rows.jobs.done(job.id)
    assert await unprocessed() == [], "it was worked through, and told nothing"


async def test_counts(rows: Rows) -> None:
    assert (await rows.utterances.counts()).first is None
    await rows.accept(after=timedelta(hours=2))
    await rows.accept()
    counts = await rows.utterances.counts()
    assert (counts.rows["utterances"], counts.rows["inbox pending"], counts.rows["events"]) == (2, 2, 0)
    assert (counts.first, counts.last) == (START, START + timedelta(hours=2))
    assert (counts.bytes_on_disk > 0) == (rows.database.file is not None)


async def test_every_speaker_has_the_number_of_their_first_appearance_for_ever(rows: Rows) -> None:
    first = await rows.accept()
    await rows.outbox.commit(reply_to(first), [first.id], Recollection(), [])
    await rows.accept(speaker=BEN, place=BENS_DM)
    renamed = await rows.accept(speaker=replace(ANN, name="Anna"))
    namesake = await rows.accept(speaker=replace(BEN, id="other:ben"), place=HALL)
    assert (renamed.speaker.number, namesake.speaker.number) == (1, 4)
    said = await rows.utterances.recent(ANNS_DM, 9) + await rows.inbox.pending()
    numbers = {utterance.speaker.id: utterance.speaker.number for utterance in said}
    assert numbers == {ANN.id: 1, AGENT.id: 2, BEN.id: 3, "other:ben": 4}
    assert [(utterance.speaker.name, utterance.id) for utterance in said if utterance.speaker.id == ANN.id][:2] == [
        ("Ann", first.id),
        ("Anna", renamed.id),
    ]


async def test_messages_are_found_on_their_own_platform(rows: Rows) -> None:
    first, second = await rows.accept("one"), await rows.accept("two", place=HALL)
    elsewhere = replace(rows.utterance("other"), message_id=first.message_id, place=Place("else", PlaceKind.DM, "x"))
    assert await rows.inbox.accept(elsewhere) is not None
    found = await rows.utterances.by_message("chat", [second.message_id, first.message_id, "unknown"])
    assert found == {first.message_id: first, second.message_id: second}
    assert await rows.utterances.by_message("chat", []) == {}


async def test_a_reply_is_found_by_every_part_and_by_its_own_id(rows: Rows) -> None:
    said = await rows.accept()
    outgoing = await rows.outbox.commit(reply_to(said), [said.id], Recollection(), [])
    assert outgoing is not None
    for part in ("p1", "p2"):
        await rows.outbox.part_sent(outgoing.id, part)
    [reply] = [line for line in await rows.utterances.recent(ANNS_DM, 9) if line.speaker.is_agent]
    found = await rows.utterances.by_message("chat", ["p2", "p1", "p3", reply.message_id, said.message_id])
    assert found == {"p1": reply, "p2": reply, reply.message_id: reply, said.message_id: said}
    assert await rows.utterances.by_message("other", ["p1"]) == {}


async def test_places_have_the_name_that_was_told_last(rows: Rows) -> None:
    names = {HALL: "#hall in Home", OTHER_HALL: ""}
    for place, name in names.items():
        await rows.inbox.accept(replace(rows.utterance(place=place), place_name=name))
    assert await rows.utterances.place_names([HALL, OTHER_HALL, ANNS_DM]) == {HALL: "#hall in Home"}
    for name in ("#lobby\ud800 in Home", ""):
        await rows.inbox.accept(replace(rows.utterance(place=HALL), place_name=name))
    assert await rows.utterances.place_names([HALL]) == {HALL: "#lobby\ufffd in Home"}


async def test_dms_are_those_in_which_something_was_said_the_latest_first(rows: Rows) -> None:
    for place in (ANNS_DM, BENS_DM, HALL, ANNS_DM, Place("other", PlaceKind.DM, "ann")):
        await rows.accept(place=place)
    await rows.outbox.draft(Place("chat", PlaceKind.DM, "silent"), "m1", "d1")
    assert await rows.utterances.dms("chat") == [ANNS_DM, BENS_DM]
    assert await rows.utterances.dms("nowhere") == []


async def test_more_ids_than_one_query_takes(rows: Rows) -> None:
    said = [await rows.accept(str(number)) for number in range(3)]
    many = [f"x{number}" for number in range(2 * stored_rows.MAX_IDS)]
    found = await rows.utterances.by_message("chat", [said[0].message_id, *many, said[2].message_id])
    assert list(found.values()) == [said[0], said[2]]
    assert await rows.utterances.get([said[2].id, *range(10_000, 12_000), said[0].id]) == [said[0], said[2]]

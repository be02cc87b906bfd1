"""The contract of `bot.ports.Utterances`."""

from datetime import timedelta

from tests.stored import ANNS_DM, BENS_DM, START, Rows


async def test_get_is_in_order_of_id_and_leaves_out_what_is_not_there(rows: Rows) -> None:
    first, second = await rows.accept("one"), await rows.accept("two")
    assert await rows.utterances.get([second.id, 999, first.id, second.id]) == [first, second]
    assert await rows.utterances.get([]) == []


async def test_recent_is_the_last_of_one_place_oldest_first(rows: Rows) -> None:
    said = [await rows.accept(str(number)) for number in range(4)]
    await rows.accept(place=BENS_DM)
    assert await rows.utterances.recent(ANNS_DM, 3) == said[1:]
    assert await rows.utterances.recent(ANNS_DM, 0) == []


async def test_counts(rows: Rows) -> None:
    assert (await rows.utterances.counts()).first is None
    await rows.accept(after=timedelta(hours=2))
    await rows.accept()
    counts = await rows.utterances.counts()
    assert (counts.rows["utterances"], counts.rows["inbox pending"], counts.rows["events"]) == (2, 2, 0)
    assert (counts.first, counts.last) == (START, START + timedelta(hours=2))
    assert (counts.bytes_on_disk > 0) == (rows.database.file is not None)

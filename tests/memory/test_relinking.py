"""A timeline closes over what is erased, and follows what is edited: the whole core, with the rules as linker."""

from datetime import timedelta
from pathlib import Path

from tests.living import DM, OpenCore, holding, open_core
from tests.memory.cleaning import clean_now

DAY = timedelta(days=1)
RULES: dict[str, object] = {
    "memory__timelines__linker": "rules",
    "memory__summariser": "extractive",
    "memory__recall": "ld-agent",
}
SAID = (
    "I bake bread with flour and butter in the old bakery",
    "In the old bakery near Zanzibar I bake bread with flour and butter",
    "Today I bake bread with butter and flour in the old bakery",
)


async def remember(core: OpenCore) -> list[str]:
    """Three sessions about one topic; returns the summaries, oldest first."""
    for text in SAID:
        await core.say(text)
        await core.passes(DAY)
    return [event.summary for event in await core.app.stores.events.readable_in(DM)]


async def links(core: OpenCore) -> set[tuple[str, str]]:
    """The edges of Ann's DM, as summaries."""
    known = {event.id: event.summary for event in await core.app.stores.events.readable_in(DM)}
    return {(known[edge.older], known[edge.newer]) for edge in await core.app.stores.graph.among(known)}


async def middle(core: OpenCore) -> str:
    """The message id of the line in the middle."""
    [said] = [line for line in await core.app.recent(DM, 9) if "Zanzibar" in line.text]
    return said.message_id


async def test_a_timeline_closes_over_what_is_erased(tmp_path: Path) -> None:
    async with open_core(tmp_path, overrides=RULES) as core:
        a, b, c = await remember(core)
        assert "Zanzibar" in b
        assert await links(core) == {(a, b), (b, c)}
        await core.app.deleted("test", [await middle(core)])
        await core.app.settle()
        await clean_now(core.app.eraser, 30)
        assert await links(core) == {(a, c)}
        assert await core.app.stores.jobs.waiting() == 0
    assert holding(tmp_path, "Zanzibar") == []


async def test_a_timeline_follows_what_is_edited_in_order_of_time(tmp_path: Path) -> None:
    async with open_core(tmp_path, overrides=RULES) as core:
        a, _, c = await remember(core)
        assert await core.app.edited("test", await middle(core), SAID[1].replace("Zanzibar", "Pemba"))
        await core.app.settle()
        [b] = [event.summary for event in await core.app.stores.events.readable_in(DM) if "Pemba" in event.summary]
        assert await links(core) == {(a, b), (b, c)}
        assert await core.app.stores.jobs.waiting() == 0

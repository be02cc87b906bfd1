"""`/memory timeline` over the real stores, with real pictures."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert

from bot.domain import Answer, Call, Event, Relation
from bot.drawing import painting
from bot.drawing.looks import LOOKS
from bot.drawing.scene import Scene, Standing
from bot.storage.shared.recall_tables import edges as edge_rows
from bot.texts import commands, timeline
from bot.usecases.calls import fits
from bot.usecases.catalogue import command_named
from bot.usecases.markup import bare
from bot.usecases.timeline import LONGEST_TEXT, PAGE, PAINTING, PICTURE, unnamed
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL
from tests.usecases.asking import Asking, in_channel, in_dm, open_asking

DAY = timedelta(days=1)
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> list[Scene]:
    """What was painted. Nothing is: a picture takes a while, and has tests of its own."""
    scenes: list[Scene] = []

    def note(scene: Scene) -> bytes:
        scenes.append(scene)
        return PNG

    monkeypatch.setattr(painting, "paint", note)
    return scenes


def labels(answer: Answer) -> list[list[str]]:
    return [[choice.label for choice in row] for row in answer.choices]


async def tell(asking: Asking, *words: str, apart: timedelta = DAY) -> list[Event]:
    """Ann's private sessions, one after the other."""
    events: list[Event] = []
    for number, text in enumerate(words):
        session = await asking.talk(ANNS_DM, [(ANN, text)], after=number * apart)
        events.append(await asking.remember(session, f"Ann: {text}", after=number * apart))
    return events


async def link(asking: Asking, *edges: tuple[Event, Event, Relation]) -> None:
    async with asking.rows.database.writing() as connection:
        for older, newer, relation in edges:
            row = {"older": older.id, "newer": newer.id, "relation": relation.value}
            await connection.execute(insert(edge_rows).values(row))


async def test_a_timeline_is_a_picture_and_words_for_the_asker_alone() -> None:
    async with open_asking() as asking:
        await tell(asking, "I have two dogs.", "I sail.")
        answer = await asking.answer("/memory timeline")
        assert answer == await asking.answer("/memory timeline", in_channel()), "wherever it is asked"
        dark = await asking.commands.run(answer.choices[-1][0].call, in_dm())
        light_again = await asking.commands.run(dark.choices[-1][0].call, in_dm())
    assert answer.private
    assert [file.name for file in answer.files] == [PICTURE]
    assert answer.files[0].content.startswith(PNG)
    assert dark.text == answer.text
    assert dark.files != answer.files == light_again.files
    assert (labels(answer), labels(dark)) == ([["Dark picture"]], [["Light picture"]])


async def test_the_words_have_every_relation_with_names_that_commands_take(painted: list[Scene]) -> None:
    async with open_asking() as asking:
        nurse, tired, school, _dog = await tell(
            asking, "I am a nurse.", "I am tired.", "I work in a school.", "I have a dog.", apart=20 * DAY
        )
        await link(
            asking,
            (nurse, tired, Relation.CAUSE),
            (nurse, school, Relation.CHANGED),
            (tired, school, Relation.WANT),
        )
        words = await asking.ask("/memory timeline")
        assert "I am tired." in await asking.ask(f"/memory why e{tired.id}")
    assert words.splitlines() == [
        "Your timeline",
        "4 entries, 1 March 2026 – 30 April 2026",
        "3 entries that belong together",
        "- e1 I am a nurse. (1 March 2026)",
        "> how it was before",
        "- e2 I am tired. (21 March 2026)",
        "> because of e1, 2 weeks later",
        "- e3 I work in a school. (10 April 2026)",
        "> how it is now; a wish since e2, 2 weeks later; changed from e1, 5 weeks later",
        "",
        timeline.APART.strip("*"),
        "- e4 I have a dog. (30 April 2026)",
        "",
        bare(timeline.NOTES.format(code="e4")),
    ]


async def test_the_picture_has_the_same(painted: list[Scene]) -> None:
    async with open_asking() as asking:
        hall = await asking.talk(HALL, [(ANN, "I sail.")], name="#hall in *Home*")
        older = await asking.remember(hall, "Ann:  I *sail*.")
        [_, newer] = await tell(asking, "Hm.", "I row now.", apart=21 * DAY)
        await link(asking, (older, newer, Relation.CHANGED))
        words = await asking.ask("/memory timeline")
    [scene] = painted
    assert (scene.title, scene.subtitle) == ("Your timeline", "3 entries, 1 March 2026 – 22 March 2026")
    assert scene.look == next(iter(LOOKS)) == "light"
    assert [(card.code, card.date, card.words, card.gap) for card in scene.cards] == [
        ("e1", "1 March 2026 · in #hall in *Home*", "I *sail*.", ""),
        ("e2", "1 March 2026", "Hm.", "later that day"),
        ("e3", "22 March 2026", "I row now.", "3 weeks later"),
    ]
    assert [(card.standing, card.tag) for card in scene.cards] == [
        (Standing.BEFORE, "before"),
        (Standing.PLAIN, ""),
        (Standing.NOW, "now"),
    ]
    told = [line for line in words.splitlines() if line.startswith("- ")]
    assert told == [
        "- e1 I *sail*. (1 March 2026, in #hall in *Home*)",
        "- e3 I row now. (22 March 2026)",
        "- e2 Hm. (1 March 2026)",
    ]
    [note] = scene.cards[2].notes
    assert (note.relation, note.words, note.older) == (Relation.CHANGED, "changed from e1", 0)


async def test_what_changed_twice_is_over(painted: list[Scene]) -> None:
    async with open_asking() as asking:
        one, two, three = await tell(asking, "One.", "Two.", "Three.")
        await link(asking, (one, two, Relation.CHANGED), (two, three, Relation.CHANGED))
        await asking.ask("/memory timeline")
    assert [card.standing.value for card in painted[0].cards] == ["before", "before", "now"]


async def test_others_and_what_was_only_heard_leave_no_trace(painted: list[Scene]) -> None:
    async with open_asking() as asking:
        [mine] = await tell(asking, "I sail.")
        others: list[Event] = []
        for place, after in ((BENS_DM, DAY), (HALL, 2 * DAY)):
            session = await asking.talk(place, [(BEN, "I stole the boat.")], after=after)
            others.append(await asking.remember(session, "Ben: I stole the boat.", after=after))
        alone = await asking.answer("/memory timeline")
        await link(asking, *((mine, other, Relation.CHANGED) for other in others))
        assert await asking.answer("/memory timeline") == alone
        assert "boat" not in alone.text
        assert len(painted[-1].cards) == 1
        assert painted[-1].cards[0].standing is Standing.PLAIN
        assert len((await asking.answer("/memory timeline", in_dm(BEN))).files) == 1
    assert {card.words for card in painted[-1].cards} == {"I stole the boat."}


async def test_erased_words_are_in_neither(painted: list[Scene]) -> None:
    async with open_asking() as asking:
        one, two, _ = await tell(asking, "I sail.", "I row.", "I swim.")
        await link(asking, (one, two, Relation.CAUSE))
        [said] = await asking.rows.utterances.get(one.sources)
        await asking.rows.erasures.erase_messages("chat", [said.message_id], said.time)
        words = await asking.ask("/memory timeline")
    assert [card.words for card in painted[-1].cards] == ["I row.", "I swim."]
    assert painted[-1].cards[0].notes == ()
    assert "sail" not in words
    assert "e1" not in words


async def test_a_renamed_person_reads_their_name_of_now(painted: list[Scene]) -> None:
    async with open_asking() as asking:
        [event] = await tell(asking, "I sail.")
        named = replace(event, id=0, session_id=0, names=((ANN.id, "Ann (1)"),))
        session = await asking.talk(ANNS_DM, [(ANN, "I sail.")], after=DAY)
        await asking.rows.sessions.close(ANNS_DM)
        await asking.rows.events.add(
            replace(named, session_id=session.id, sources=(session.utterances[0].id,)), job_id=0
        )
        words = await asking.ask("/memory timeline", in_dm(replace(ANN, name="Anna")))
    assert painted[0].cards[-1].words == "Anna: I sail."
    assert "- e2 Anna: I sail." in words


async def test_who_is_not_known_or_has_no_summary_yet_is_told_so(painted: list[Scene]) -> None:
    async with open_asking() as asking:
        nothing = await asking.answer("/memory timeline")
        session = await asking.talk(ANNS_DM, [(ANN, "I sail.")])
        await asking.learn(session.utterances[0], "I sail.")
        not_yet = await asking.answer("/memory timeline")
    assert (nothing, not_yet) == (Answer(commands.NOTHING_KNOWN), Answer(timeline.NO_EVENTS))
    assert painted == []


async def test_pages_turn_by_buttons_and_stop_at_the_ends(painted: list[Scene]) -> None:
    async with open_asking() as asking:
        events = await tell(asking, *(f"This is day {number}." for number in range(PAGE + 2)))
        await link(asking, (events[0], events[-1], Relation.CAUSE))
        first = await asking.answer("/memory timeline")
        [[older], [_]] = first.choices
        second = await asking.commands.run(older.call, in_dm())
        [[newer], [look]] = second.choices
        assert await asking.commands.run(newer.call, in_dm()) == first
        other = await asking.commands.run(look.call, in_dm())
        far = await asking.commands.run(Call("memory timeline", (("page", "99"),)), in_dm())
        for page in ("two", "-1", "9" * 5000):
            call = Call("memory timeline", (("page", page),))
            assert (await asking.commands.run(call, in_dm())).text == commands.NOT_A_PAGE
    assert (older.label, newer.label) == ("◀ Older", "Newer ▶")
    assert [len(scene.cards) for scene in painted] == [PAGE, 2, PAGE, 2, 2]
    assert painted[0].subtitle == "6 of 8 entries, 3 March 2026 – 8 March 2026"
    assert [card.words for card in painted[1].cards] == ["This is day 0.", "This is day 1."]
    assert "Page 2 of 2, 8 entries." in bare(second.text)
    assert (far, other.text) == (second, second.text)
    last = painted[0].cards[-1].notes
    assert [(note.words, note.older) for note in last] == [("because of e1", None)], "it is on the other page"
    assert "> because of e1, 1 week" not in bare(first.text)
    assert "> because of e1, 7 days later" in bare(first.text)


async def test_words_choose_what_it_is_about(painted: list[Scene]) -> None:
    async with open_asking() as asking:
        sail, _, boat = await tell(asking, "I sail a boat.", "I have a dog.", "My boat is blue.")
        await link(asking, (sail, boat, Relation.SAME_TOPIC))
        words = await asking.ask("/memory timeline BOAT")
        nothing = await asking.answer("/memory timeline *piano*")
        dark = await asking.commands.run(Call("memory timeline", (("words", "boat"), ("look", "dark"))), in_dm())
    assert words.splitlines()[:3] == [
        "Your timeline: “BOAT”",
        "2 entries, 1 March 2026 – 3 March 2026",
        "2 entries that belong together",
    ]
    assert [card.code for card in painted[0].cards] == ["e1", "e3"]
    assert painted[0].cards[1].gap == "2 days later"
    assert painted[0].title == "Your timeline: “BOAT”"
    assert painted[1].look == "dark"
    assert dict(dark.choices[0][0].call.arguments) == {"words": "boat", "page": "1", "look": "light"}
    assert bare(nothing.text) == "I find nothing about “*piano*” in what I know about you."
    assert nothing.files == ()


async def test_what_is_close_in_meaning_is_found_too(painted: list[Scene]) -> None:
    async with open_asking() as asking:
        await tell(asking, "My dog is called Rex.", "My dog is old.", "I bake bread.")
        await asking.ask("/memory timeline rex my dog is")
    assert [card.code for card in painted[0].cards] == ["e1", "e2"]


async def test_long_words_turn_no_pages_and_say_so(painted: list[Scene]) -> None:
    async with open_asking() as asking:
        long = "a sentence with quite a lot of words, all of which are looked for"
        await tell(asking, *(f"{long} {number}" for number in range(PAGE + 1)))
        many = await asking.answer(f"/memory timeline {long}")
        one = await asking.answer(f"/memory timeline {long} 12")
    assert commands.LONG_SEARCH in many.text
    assert many.choices == ()
    assert commands.LONG_SEARCH in one.text or len(painted[1].cards) <= PAGE


@pytest.mark.parametrize("text", ["-_*." * 100, "long words " * 60])
async def test_long_entries_are_shortened_until_all_of_them_fit(text: str, painted: list[Scene]) -> None:
    async with open_asking() as asking:
        events = await tell(asking, *(f"{number} {text}" for number in range(PAGE)))
        await link(asking, *((one, events[-1], Relation.HINDERED_BY) for one in events[:-1]))
        answer = await asking.answer("/memory timeline")
    assert LONGEST_TEXT / 3 < len(answer.text) <= LONGEST_TEXT
    assert all(f"`e{event.id}`" in answer.text for event in events)
    assert max(len(card.words) for card in painted[0].cards) <= 400
    assert all(fits(choice.call) for row in answer.choices for choice in row)


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0, "later that day"),
        (1, "the next day"),
        (2, "2 days later"),
        (14, "2 weeks later"),
        (59, "8 weeks later"),
        (61, "2 months later"),
        (344, "11 months later"),
        (365, "1 year later"),
        (729, "1 year later"),
        (731, "2 years later"),
    ],
)
def test_time_between_events_is_told_in_whole_units(days: int, words: str) -> None:
    start = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert timeline.later(start, start + timedelta(days=days)) == words


def test_days_are_those_of_the_calendar() -> None:
    assert timeline.later(datetime(2026, 3, 1, 23, tzinfo=UTC), datetime(2026, 3, 2, 1, tzinfo=UTC)) == "the next day"


def test_every_relation_look_and_standing_has_its_words() -> None:
    assert set(timeline.RELATIONS) == set(Relation)
    assert set(timeline.TAGS) == set(timeline.STILL) == set(Standing) - {Standing.PLAIN}
    command = command_named("memory timeline")
    assert command is not None
    looks: Sequence[str] = next(one.choices for one in command.parameters if one.name == "look")
    assert set(looks) == set(LOOKS) == set(timeline.OTHER_LOOK)


def test_matplotlib_is_loaded_only_for_a_picture() -> None:
    root = Path(__file__).parents[2]
    using = {
        path.relative_to(root).as_posix()
        for folder in ("bot", "adapters", "cogs")
        for path in (root / folder).rglob("*.py")
        if re.search(r"^\s*(import|from) (matplotlib|bot\.drawing\.painting)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert {path for path in using if not path.startswith(("lab/evaluation/", "lab/tuning/"))} == {
        "bot/drawing/painting.py"
    }
    assert importlib.import_module(PAINTING).paint is painting.paint


@pytest.mark.parametrize("words", ["two dogs 🐶", "I have two dogs \ud800"])
async def test_words_that_cannot_be_drawn_are_asked_for_all_the_same(words: str) -> None:
    async with open_asking() as asking:
        await tell(asking, "I have two dogs 🐶")
        answer = await asking.answer(f"/memory timeline {words}")
    [picture] = answer.files
    assert picture.content.startswith(PNG)


def test_a_name_that_is_not_the_same_everywhere_stays() -> None:
    assert unnamed(["Ann: I sail.", "Ann:  I row: daily."]) == ["I sail.", " I row: daily."]
    mixed = ["Ann: I sail.", "We went to the sea."]
    assert unnamed(mixed) == mixed
    assert unnamed([]) == []

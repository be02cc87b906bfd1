"""`/memory list | search | why` over the real stores."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bot.domain import Answer, Call, Event, Place, Session, Speaker, Trait
from bot.errors import ModelFailed
from bot.llm.scripted import ScriptedEncoder
from bot.ports import Vectors
from bot.storage.memory.events import SqlEvents
from bot.texts import commands as texts
from bot.usecases import memory
from bot.usecases.calls import fits
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, HALL, OTHER_HALL, event_of
from tests.usecases.asking import Asking, in_channel, in_dm, open_asking, shown

DAY = timedelta(days=1)


def labels(answer: Answer) -> list[list[str]]:
    return [[choice.label for choice in row] for row in answer.choices]


async def dogs(asking: Asking) -> Session:
    """Ann's DM of 1 March: a trait and an event."""
    session = await asking.talk(ANNS_DM, [(ANN, "I have two dogs, Rex and Bo.")], reply="Lovely!")
    await asking.learn(session.utterances[0], "I have two dogs.")
    await asking.remember(session, "Ann: I have two dogs, Rex and Bo.")
    return session


async def test_who_has_said_nothing_yet_is_told_how_it_learns() -> None:
    async with open_asking() as asking:
        assert await asking.ask("/memory list") == texts.NOTHING_KNOWN


async def test_the_list_has_what_was_learnt_with_day_and_place_newest_first() -> None:
    async with open_asking() as asking:
        await dogs(asking)
        later = await asking.talk(HALL, [(ANN, "I sail."), (BEN, "I row.")], after=2 * DAY, name="#hall [1] in *Home*")
        await asking.learn(later.utterances[0], "I sail.")
        await asking.remember(later, "Ann: I sail. Ben: I row.", after=2 * DAY)
        answer = await asking.answer("/memory list")
        words = await asking.ask("/memory list")
    assert answer.private
    assert words.splitlines()[1:5] == [
        "- t2 I sail. (3 March 2026, in #hall [1] in *Home*)",
        "- e2 Ann: I sail. Ben: I row. (3 March 2026, in #hall [1] in *Home*)",
        "- t1 I have two dogs. (1 March 2026, in private)",
        "- e1 Ann: I have two dogs, Rex and Bo. (1 March 2026, in private)",
    ]
    assert labels(answer) == [["t2", "e2", "t1", "e1"]]
    assert answer.choices[0][1].call == Call("memory why", (("entry", "e2"),))


async def test_a_renamed_person_reads_their_name_of_now() -> None:
    async with open_asking() as asking:
        session = await asking.talk(ANNS_DM, [(ANN, "I sail.")])
        await asking.rows.sessions.close(ANNS_DM)
        event = replace(event_of(session, "Ann (1): I sail."), names=((ANN.id, "Ann (1)"),))
        await asking.rows.events.add(event, job_id=0)
        assert "- e1 Anna: I sail." in await asking.ask("/memory list", in_dm(replace(ANN, name="Anna")))


async def test_of_very_many_the_same_is_found_without_loading_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_ENCODED", 2)
    loaded: list[Collection[int] | None] = []
    load = SqlEvents.readable_in

    async def readable_in(self: SqlEvents, place: Place, only: Collection[int] | None = None) -> list[Event]:
        loaded.append(only)
        return await load(self, place, only)

    monkeypatch.setattr(SqlEvents, "readable_in", readable_in)
    kept = ["Straße", "Anna Lee", "two dogs", "TWO cats", "Monica's two hats", "a 50% hat"]
    async with open_asking() as asking:
        for number, words in enumerate(kept):
            session = await asking.talk(ANNS_DM, [(ANN, words)], after=number * DAY)
            await asking.rows.sessions.close(ANNS_DM)
            event = replace(event_of(session, f"Ann: I have {words}."), names=((ANN.id, "Ann"), (AGENT.id, "Monica")))
            await asking.rows.events.add(event, job_id=0)
            await asking.learn(session.utterances[0], f"I like {words}.")

        async def found(words: str, name: str) -> tuple[str, bool]:
            loaded.clear()
            answer = await asking.ask(f"/memory search {words}", in_dm(replace(ANN, name=name)))
            return answer, None not in loaded

        asked = ["two", "TWO dogs", "strasse", "ann", "anna", "lee", "annabel", "monica", "50%", "%", "grove", "e"]
        quick = {(words, name): await found(words, name) for words in asked for name in ("Ann", "Annabel Lee")}
        monkeypatch.setattr(memory, "MOST_HOLDING", -1)  # all of them are looked at
        slow = {key: (await found(*key))[0] for key in quick}
    assert {key: answer for key, (answer, _) in quick.items()} == slow
    of_part = {words for (words, _), (_, part) in quick.items() if part}
    assert {"two", "TWO dogs", "strasse", "50%", "grove"} <= of_part
    assert "monica" not in of_part, "a name may be told where another is stored"


async def test_of_very_many_that_name_others_the_same_is_found_without_loading_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "MOST_ENCODED", 2)
    loaded: list[Collection[int] | None] = []
    load = SqlEvents.readable_in

    async def readable_in(self: SqlEvents, place: Place, only: Collection[int] | None = None) -> list[Event]:
        loaded.append(only)
        return await load(self, place, only)

    monkeypatch.setattr(SqlEvents, "readable_in", readable_in)
    others = [Speaker("chat:8", "Benjamin"), Speaker("chat:9", "Zoe")]
    told = [
        ("Benny (2): I row with Zoe (3).", "Benny (2)", "Zoe (3)"),
        ("Benny waved. Zoe's boat sank.", "Benny", "Zoe"),
        ("Benjamin (2): My boat sank.", "Benjamin (2)", "Zoe (3)"),
        ("Zoe (3) saw Benjamin, and 3 dogs.", "Benjamin (2)", "Zoe (3)"),
        ("Zoe: Hello. Benjamin (2): Hello.", "Benjamin (2)", "Zoe"),
    ]
    async with open_asking() as asking:
        for days, (summary, *names) in enumerate(told):
            said = await asking.talk(HALL, [(ANN, "I row."), *((one, "Hm.") for one in others)], after=days * DAY)
            await asking.rows.sessions.close(HALL)
            named = tuple(zip([one.id for one in others], names, strict=True))
            await asking.rows.events.add(replace(event_of(said, summary), names=((ANN.id, "Ann"), *named)), job_id=0)
        for days in range(3):
            await asking.remember(await asking.talk(ANNS_DM, [(ANN, "Hello.")], after=(9 + days) * DAY), "Ann: Hi.")

        async def found(words: str) -> tuple[str, bool]:
            loaded.clear()
            answer = await asking.ask(f"/memory search {words}")
            return answer, None not in loaded

        asked = ["benny", "benjamin", "ben", "zoe", "zoe:", "zoe's", "(3)", "3", "2", "boat", "zoe boat", "enny", "ZOE"]
        quick = {words: await found(words) for words in asked}
        monkeypatch.setattr(memory, "MOST_HOLDING", -1)  # all of them are looked at
        slow = {words: (await found(words))[0] for words in asked}
    assert {words: answer for words, (answer, _) in quick.items()} == slow
    assert "Benjamin: I row with Zoe (3)." in quick["benjamin"][0]
    assert "Benny" not in quick["benjamin"][0]
    assert all(part for _, part in quick.values()), "none has loaded all"


async def test_it_is_the_same_list_wherever_it_is_asked() -> None:
    async with open_asking() as asking:
        await dogs(asking)
        assert await asking.answer("/memory list", in_channel(ANN)) == await asking.answer("/memory list")


async def test_what_was_only_heard_is_not_on_the_list() -> None:
    async with open_asking() as asking:
        other = await asking.talk(HALL, [(BEN, "I row.")])
        await asking.learn(other.utterances[0], "I row.")
        await asking.remember(other, "Ben: I row.")
        assert await asking.ask("/memory list", in_channel(ANN)) == texts.NOTHING_KNOWN
        assert "I row." in await asking.ask("/memory list", in_channel(BEN))


async def test_pages_turn_by_buttons_and_stop_at_the_ends() -> None:
    async with open_asking() as asking:
        for number in range(19):
            session = await asking.talk(ANNS_DM, [(ANN, f"I like dish {number}.")], after=number * DAY)
            await asking.learn(session.utterances[0], f"I like dish {number}.")
        first, second, third = [await asking.answer(f"/memory list {page}") for page in (1, 2, 3)]
        assert labels(first)[2] == ["▶"]
        assert labels(second)[2] == ["◀", "▶"]
        assert labels(third) == [["t3", "t2", "t1"], ["◀"]]
        assert await asking.commands.run(first.choices[2][0].call, in_dm()) == second
        assert await asking.commands.run(third.choices[1][0].call, in_dm()) == second
        assert "Page 2 of 3, 19 entries." in second.text.replace("\\", "")
        assert [await asking.answer(f"/memory list {page}") for page in (0, 99)] == [first, third]


async def test_a_page_that_is_no_number_is_explained() -> None:
    async with open_asking() as asking:
        await dogs(asking)
        for page in ("two", "-1", "²", "9" * 5000):
            assert await asking.ask(f"/memory list {page}") == texts.NOT_A_PAGE


async def test_a_search_finds_all_the_words_in_any_case_and_then_what_is_close() -> None:
    async with open_asking() as asking:
        session = await asking.talk(ANNS_DM, [(ANN, "Rex and such.")])
        for text in ("My dog is called Rex.", "I bake bread.", "My dog is old."):
            await asking.learn(session.utterances[0], text)
        words = await asking.ask("/memory search REX my dog is")
        assert await asking.ask("/memory search piano") == "I find nothing about “piano” in what I know about you."
    lines = words.splitlines()
    assert lines[:2] == ["What I know about “REX my dog is”", "1 with these words, 1 close in meaning."]
    assert [line.split(" (")[0] for line in lines[2:4]] == ["- t1 My dog is called Rex.", "- t3 My dog is old."]
    assert "bread" not in words


async def test_a_search_goes_by_words_alone_where_the_encoder_fails() -> None:
    class Broken(ScriptedEncoder):
        async def encode(self, texts: object) -> Vectors:
            raise ModelFailed("The encoder has gone.")

    async with open_asking() as asking:
        await dogs(asking)
        asking.encoder = Broken()
        words = await asking.ask("/memory search rex")
    assert texts.WORDS_ONLY in words
    assert "Rex and Bo" in words


async def test_a_long_search_turns_no_pages_and_says_so() -> None:
    async with open_asking() as asking:
        session = await asking.talk(ANNS_DM, [(ANN, "Much.")])
        long = "a sentence with quite a lot of words, all of which are looked for"
        for number in range(9):
            await asking.learn(session.utterances[0], f"{long} {number}")
        answer = await asking.answer(f"/memory search {long}")
        short = await asking.answer("/memory search sentence")
    assert texts.LONG_SEARCH in answer.text
    assert labels(answer) == [["t9", "t8", "t7", "t6"], ["t5", "t4", "t3", "t2"]]
    assert labels(short)[2] == ["▶"]
    assert all(fits(choice.call) for row in short.choices for choice in row)


async def test_why_an_entry_shows_the_askers_own_messages() -> None:
    async with open_asking() as asking:
        session = await asking.talk(HALL, [(ANN, "I *sail*\non Sundays."), (BEN, "Ben's words.")], name="#hall")
        await asking.learn(session.utterances[0], "I sail.")
        await asking.remember(session, "Ann: I sail. Ben: Hm.")
        assert (await asking.ask("/memory why t1", in_channel())).splitlines() == [
            "- t1 I sail. (1 March 2026, in #hall)",
            "",
            texts.WHY_TITLE,
            "> “I *sail* on Sundays.” (you, 1 March 2026)",
        ]
        of_event = await asking.ask("/memory why E1")
    assert "on Sundays" in of_event
    assert "Ben's words" not in of_event


async def test_foreign_and_missing_entries_get_the_same_words() -> None:
    async with open_asking() as asking:
        session = await asking.talk(BENS_DM, [(BEN, "I stole it.")])
        await asking.learn(session.utterances[0], "I stole it.")
        await asking.remember(session, "Ben: I stole it.")
        foreign = [await asking.answer(f"/memory why {entry}") for entry in ("t1", "e1")]
        missing = [await asking.answer(f"/memory why {entry}") for entry in ("t9", "x", "t-1", "🐈", "t" + "9" * 50)]
        assert "I stole it." in await asking.ask("/memory why t1", in_dm(BEN))
    assert {answer.text for answer in [*foreign, *missing]} == {texts.UNKNOWN_ENTRY}


async def test_why_tells_what_the_last_reply_had_in_mind() -> None:
    async with open_asking() as asking:
        assert await asking.ask("/memory why") == texts.NOTHING_SAID
        await asking.talk(ANNS_DM, [(ANN, "Hello.")], reply="Hello!")
        assert await asking.ask("/memory why") == texts.USED_NOTHING
        session = await asking.talk(ANNS_DM, [(ANN, "I have two dogs.")], after=DAY)
        trait = await asking.learn(session.utterances[0], "I have two dogs.")
        event = await asking.remember(session, "Ann: I have two dogs.", after=DAY)
        used = shown([event], [trait])
        await asking.talk(ANNS_DM, [(ANN, "Hi.")], after=2 * DAY, reply="How are the dogs?", recalled=used)
        assert (await asking.ask("/memory why")).splitlines() == [
            "When I last answered here (3 March 2026), I had this in mind:",
            "- e1 Ann: I have two dogs. (2 March 2026, in private)",
            "> “I have two dogs.” (you, 2 March 2026)",
            "- t1 I have two dogs. (2 March 2026, in private)",
            "> “I have two dogs.” (you, 2 March 2026)",
        ]
        assert await asking.ask("/memory why", in_channel()) == texts.NOTHING_SAID


async def test_in_a_dm_what_others_said_in_a_channel_is_not_quoted() -> None:
    async with open_asking() as asking:
        hall = await asking.talk(HALL, [(BEN, "Ben's very words."), (ANN, "Ann's very words.")], name="#hall")
        event = await asking.remember(hall, "They met.")
        await asking.talk(ANNS_DM, [(ANN, "Hi.")], after=DAY, reply="You met Ben.", recalled=shown([event]))
        words = await asking.ask("/memory why")
    assert "Ann's very words." in words
    assert "Ben's very words" not in words
    assert words.endswith(texts.OWN_WORDS_ONLY)


async def test_in_the_channel_where_it_was_said_others_are_quoted_and_named() -> None:
    async with open_asking() as asking:
        hall = await asking.talk(HALL, [(BEN, "I row."), (ANN, "Oh.")], reply="I float.")
        traits = [await asking.learn(hall.utterances[0], "I row."), await asking.learn(hall.utterances[2], "I float.")]
        event = await asking.remember(hall, "Ben: I row.")
        used = shown([event], traits)
        await asking.talk(HALL, [(ANN, "Who rows?")], after=DAY, reply="Ben.", recalled=used)
        words = await asking.ask("/memory why", in_channel())
    assert words.splitlines()[1:] == [
        "- e1 Ben: I row. (1 March 2026, in a channel)",
        "> “Oh.” (you, 1 March 2026)",
        "> “I row.” (Ben, 1 March 2026)",
        "> … and 1 more",
        "- Ben: I row. (1 March 2026, in a channel)",
        "> “I row.” (Ben, 1 March 2026)",
        "- me: I float. (1 March 2026, in a channel)",
        "> “I float.” (me, 1 March 2026)",
    ]


async def test_a_dm_of_somebody_else_tells_nothing() -> None:
    async with open_asking() as asking:
        session = await asking.talk(BENS_DM, [(BEN, "I stole it.")])
        event = await asking.remember(session, "Ben: I stole it.")
        await asking.talk(BENS_DM, [(BEN, "Well?")], after=DAY, reply="Hm.", recalled=shown([event]))
        intruder = replace(in_dm(ANN), place=BENS_DM)
        assert await asking.ask("/memory why", intruder) == texts.NOTHING_SAID
        assert "stole" not in await asking.ask("/persona show companion", intruder)


async def test_erased_words_are_not_shown_again() -> None:
    async with open_asking() as asking:
        session = await asking.talk(OTHER_HALL, [(ANN, "I have two dogs."), (ANN, "Really.")])
        await asking.learn(session.utterances[0], "I have two dogs.")
        await asking.rows.erasures.erase_messages(
            "chat", [session.utterances[0].message_id], session.utterances[0].time
        )
        assert await asking.ask("/memory list") == texts.NOTHING_KNOWN


async def test_entries_are_suggested_while_one_types() -> None:
    async with open_asking() as asking:
        await dogs(asking)
        suggest = asking.commands.suggest
        assert await suggest("memory why", "entry", "", in_dm()) == [
            ("t1 · I have two dogs.", "t1"),
            ("e1 · Ann: I have two dogs, Rex and Bo.", "e1"),
        ]
        assert [value for _, value in await suggest("memory why", "entry", " rex DOGS", in_dm())] == ["e1"]
        assert await suggest("memory why", "entry", "", in_dm(BEN)) == []


async def test_the_companions_own_words_are_no_entry_of_anybody() -> None:
    async with open_asking() as asking:
        session = await asking.talk(ANNS_DM, [(ANN, "Hi.")], reply="I love rain.")
        assert session.utterances[1].speaker == replace(AGENT, number=session.utterances[1].speaker.number)
        await asking.learn(session.utterances[1], "I love rain.")
        assert await asking.ask("/memory list") == texts.NOTHING_KNOWN
        assert "I love rain." in await asking.ask("/persona show companion")


async def moved(asking: Asking, towns: tuple[str, ...]) -> None:
    """Ann lives in one town after the other, a day apart."""
    last = None
    for days, town in enumerate(towns):
        session = await asking.talk(ANNS_DM, [(ANN, f"I live in {town}.")], after=days * DAY)
        said = session.utterances[-1]
        trait = Trait(ANN.id, ANNS_DM, f"I live in {town}.", said.time, (said.id,))
        ended: list[tuple[int, int, datetime]] = [(last.id, 0, said.time)] if last is not None else []
        [last] = await asking.rows.traits.apply(await asking.rows.leased(), [trait], superseded=ended)


async def test_the_list_has_what_is_true_now_with_what_was_before_behind_it() -> None:
    async with open_asking() as asking:
        await moved(asking, ("Utrecht", "Graz"))
        lines = (await asking.ask("/memory list")).splitlines()
        found = await asking.ask("/memory search Graz")
        why = (await asking.ask("/memory why t2")).splitlines()
    line = "- t2 I live in Graz. (2 March 2026, in private) (until 2 March 2026: “I live in Utrecht.”)"
    assert [one for one in lines if one.startswith("- ")] == [line]
    assert line in found
    assert why[0] == line


async def test_of_many_former_values_the_last_are_shown_and_the_others_counted() -> None:
    async with open_asking() as asking:
        await moved(asking, ("Rome", "Oslo", "Bern", "Utrecht", "Graz"))
        words = await asking.ask("/memory list")
    assert (
        "(until 5 March 2026: “I live in Utrecht.”; until 4 March 2026: “I live in Bern.”; and 2 more before)" in words
    )
    assert "Oslo" not in words

"""`/memory export` over the real stores."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import time, timedelta
from typing import Any

import pytest

from bot.domain import (
    Answer,
    Asker,
    Call,
    CareWishes,
    Character,
    Consent,
    ErasureReason,
    Place,
    PlaceKind,
    Privacy,
    Selection,
    Speaker,
    Why,
)
from bot.storage.care.checkins import SqlCheckIns
from bot.texts import exporting as file_texts
from bot.texts import forgetting as texts
from bot.usecases import exporting
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL
from tests.usecases.asking import in_channel, in_dm
from tests.usecases.owning import Owning, open_owning, words

DAY = timedelta(days=1)
ANN_ELSEWHERE = Speaker("mail:7", "Ann")
ELSEWHERE_DM = Place("mail", PlaceKind.DM, "7")


async def export(owning: Owning, asker: Asker | None = None) -> Answer:
    return await owning.exporting.export(Call("memory export"), asker or in_dm())


def read(answer: Answer, name: str = "hello-again.json") -> dict[str, Any]:
    """A file for programs."""
    found: dict[str, Any] = json.loads(next(file.content for file in answer.files if file.name == name))
    return found


def readable(answer: Answer) -> str:
    """The file to read."""
    return "".join(file.content.decode() for file in answer.files if file.name.endswith(".txt"))


async def live(owning: Owning) -> None:
    """Ann and Ben in private and in the hall."""
    private = await owning.talk(ANNS_DM, [(ANN, "I live in Rome.\n10:00 Ben: I lie.")], reply="Rome is warm.")
    await owning.learn(private.utterances[0], "I live in Rome.")
    await owning.remember(private, "Ann lives in Rome.")
    hall = await owning.talk(HALL, [(ANN, "I row."), (BEN, "I sail.")], after=DAY, name="#hall", reply="Boats!")
    await owning.learn(hall.utterances[0], "I row.")
    await owning.learn(hall.utterances[1], "I sail.")
    await owning.remember(hall, "Ann rows. Ben sails.", after=DAY)
    bens = await owning.talk(BENS_DM, [(BEN, "I hide.")], reply="Shall I seek?")
    await owning.remember(bens, "Ben hides.")


async def test_who_said_nothing_gets_no_files() -> None:
    async with open_owning() as owning:
        answer = await export(owning)
    assert (answer.text, answer.files) == (texts.NOTHING_TO_EXPORT, ())


async def test_it_has_all_of_ones_own_and_nothing_of_others() -> None:
    async with open_owning() as owning:
        await live(owning)
        answer = await export(owning, in_channel(ANN))
        assert answer.private
        assert [file.name for file in answer.files] == ["hello-again.json", "hello-again.txt"]
        told = read(answer)
    assert (told["format"], told["version"], told["part"], told["parts"]) == ("hello-again-export", 1, 1, 1)
    assert [(one["by"], one["text"], one["place"], one["place_name"]) for one in told["utterances"]] == [
        (ANN.id, "I live in Rome.\n10:00 Ben: I lie.", ANNS_DM.key, ""),
        ("agent", "Rome is warm.", ANNS_DM.key, ""),
        (ANN.id, "I row.", HALL.key, "#hall"),
    ]
    assert [(one["id"], one["text"], one["sources"]) for one in told["traits"]] == [
        ("t1", "I live in Rome.", [told["utterances"][0]["id"]]),
        ("t2", "I row.", [told["utterances"][2]["id"]]),
    ]
    assert [(one["id"], one["summary"], len(one["sources"])) for one in told["events"]] == [
        ("e1", "Ann lives in Rome.", 2),
        ("e2", None, 1),
    ]
    everything = b"".join(file.content for file in answer.files).decode()
    assert [word in everything for word in ("sail", "hide", "seek", "Boats")] == [False] * 4
    assert "2 messages of yours, 1 reply of mine in our private talks, 2 traits and 2 summaries" in words(answer)


async def test_what_was_heard_in_a_message_is_in_it() -> None:
    async with open_owning() as owning:
        said = [await owning.rows.accept(text) for text in ("I row.", "I sail.", "I swim.")]
        await owning.rows.utterances.keep_heard([replace(said[at], heard_danger=bool(at)) for at in (0, 1)])
        told = read(await export(owning, in_dm(ANN)))
    assert [one.get("heard_danger", "not asked") for one in told["utterances"]] == [False, True, "not asked"]


async def test_the_readable_file_is_by_place_and_day() -> None:
    async with open_owning() as owning:
        await live(owning)
        await owning.talk(ANNS_DM, [(ANN, "Back again.")], after=2 * DAY)
        text = readable(await export(owning))
    order = ["In private, on Chat", "Sunday, 1 March 2026", "Tuesday, 3 March 2026", "In #hall, on Chat"]
    talk = text[text.index("In private, on Chat") :]
    assert [talk.index(words) for words in order] == sorted(talk.index(words) for words in order)
    assert talk.index("In #hall, on Chat") < talk.index("Monday, 2 March 2026")
    assert "12:00 Ann: I live in Rome.\n      10:00 Ben: I lie.\n12:00 Monica: Rome is warm.\n" in talk
    assert "- I live in Rome. (1 March 2026, in private)" in text
    assert f"- 2 March 2026, in #hall: {file_texts.SHARED}" in text
    assert file_texts.NO_CLOCK in text


async def test_the_readable_file_goes_by_the_clock_of_its_reader() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "Good night.")], after=timedelta(hours=11, minutes=30))
        await SqlCheckIns(owning.rows.database).choose(CareWishes(ANN.id, zone="Asia/Kolkata"))
        text = readable(await export(owning))
    assert "Days and times are by the clock of Asia/Kolkata." in text
    assert "Monday, 2 March 2026\n05:00 Ann: Good night." in text


async def test_the_readable_file_is_in_plain_words() -> None:
    """No ids, no marks of Markdown, none of the words that programs use."""
    async with open_owning() as owning:
        await live(owning)
        await owning.correcting.correct(Call("", (("entry", "t1"), ("words", "I live in Oslo."))), in_dm())
        await owning.privacies.put(Privacy(ANN.id, Consent.AGREED, paused=True, country="NO"))
        await owning.privacies.opt_out(ANN.id, HALL, out=True)
        await owning.privacies.opt_out(ANN.id, HALL, out=True, whole_server=True)
        await owning.talk(ELSEWHERE_DM, [(ANN_ELSEWHERE, "I bake.")])
        await owning.link(ANN, ANN_ELSEWHERE)
        await owning.rows.characters.put(Character(ANN.id, "INFJ", guessed=False))
        wishes = CareWishes(ANN.id, on=True, place=ANNS_DM, quiet=(time(22), time(8)), next_at=owning.clock.now() + DAY)
        await SqlCheckIns(owning.rows.database).choose(wishes)
        text = readable(await export(owning))
    for word in (*("chat:", "mail:", "server/hall", "chat:ann"), *("`", "**", "true", "false", "None", "+00:00")):
        assert word not in text, word
    for sentence in (
        "You said yes: I remember what you tell me.",
        "I am paused",
        "I keep what you say until you erase it.",
        "Your country, for emergency numbers alone: NO.",
        "You are one person for me on Chat and Mail.",
        "I do not read you in #hall.",
        "I do not read you on a whole server on Chat.",
        "Your quiet hours: 22:00 to 08:00.",
        "The next time may be on Monday, 2 March 2026, at 13:00.",
        "Personality type: INFJ, as you told me",
        "No longer so:\n- I live in Rome. (1 March 2026 to 1 March 2026, in private)",
    ):
        assert sentence in text, sentence


async def test_the_readable_file_tells_how_each_checkin_went() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "My exam is on Friday.")])
        checkins, now = SqlCheckIns(owning.rows.database), owning.clock.now()
        for number, why in enumerate((Why.QUIET, None)):
            wishes = CareWishes(ANN.id, on=True, place=ANNS_DM, next_at=now + number * DAY)
            await checkins.choose(wishes)
            assert await checkins.claim(wishes, None, now + 2 * DAY, why)
        text = readable(await export(owning))
    assert f"- Monday, 2 March 2026, at 13:00: {file_texts.ON_ITS_WAY}" in text
    assert file_texts.CAME_TO_NOTHING.format(times="Once") in text
    assert "when I wrote to you first (1)" in text


async def test_a_minor_is_told_that_it_goes_after_some_time() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "Hello.")])
        await owning.privacies.put(Privacy(ANN.id, Consent.AGREED, minor=True))
        text = readable(await export(owning))
    assert file_texts.KEEPS_OF_MINOR in text
    assert "until you erase it" not in text


async def test_superseded_traits_decisions_and_receipts_are_in_it() -> None:
    async with open_owning() as owning:
        await live(owning)
        await owning.correcting.correct(Call("", (("entry", "t1"), ("words", "I live in Oslo."))), in_dm())
        await owning.privacies.put(Privacy(ANN.id, Consent.AGREED, keep_days=90, country="NO"))
        await owning.privacies.opt_out(ANN.id, HALL, out=True)
        nothing = Selection(utterances=(12345,))
        await owning.erasures.erase(nothing, ErasureReason.ASKED, owning.clock.now(), ANN.id)
        answer = await export(owning)
        told = read(answer)
    [first, *_] = told["traits"]
    assert (first["text"], first["superseded_by"], first["until"] is None) == ("I live in Rome.", "t4", False)
    assert told["privacy"] == {
        "consent": "agreed",
        "paused": False,
        "keep_days": 90,
        "minor": False,
        "country": "NO",
        "not_read_in": [HALL.key],
    }
    assert [(one["id"], one["reason"], one["done"]) for one in told["receipts"]] == [(1, "asked", None)]
    assert "I keep what you say for 90 days. What is older is erased." in readable(answer)
    assert "- 1 March 2026: nothing; not finished. Reason: you asked for it. (Receipt 1)" in readable(answer)


async def test_all_linked_identities_are_in_it() -> None:
    async with open_owning() as owning:
        await live(owning)
        await owning.talk(ELSEWHERE_DM, [(ANN_ELSEWHERE, "I bake.")], reply="Bread!")
        await owning.link(ANN, ANN_ELSEWHERE)
        told = read(await export(owning, replace(in_dm(ANN_ELSEWHERE), place=ELSEWHERE_DM)))
    assert told["identities"] == [ANN.id, ANN_ELSEWHERE.id]
    assert {"I bake.", "Bread!", "I row.", "Rome is warm."} <= {one["text"] for one in told["utterances"]}


async def test_much_comes_in_parts_that_hold_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "MOST_BYTES", 4000)
    monkeypatch.setattr(exporting, "MARGIN", 1000)
    monkeypatch.setattr(exporting, "PAGE", 7)
    async with open_owning() as owning:
        for number in range(24):
            session = await owning.talk(ANNS_DM, [(ANN, f"I like dish {number}.")], after=number * DAY)
            await owning.learn(session.utterances[0], session.utterances[0].text)
        answer = await export(owning)
    parts = [file for file in answer.files if file.name.endswith(".json")]
    told = [read(answer, file.name) for file in parts]
    assert [file.name for file in parts] == [f"hello-again-{number}.json" for number in range(1, len(parts) + 1)]
    assert len(parts) > 1
    assert max(len(file.content) for file in answer.files) <= 4000
    assert [(one["part"], one["parts"]) for one in told] == [
        (number, len(parts)) for number in range(1, len(parts) + 1)
    ]
    dishes = [f"I like dish {number}." for number in range(24)]
    assert [one["text"] for part in told for one in part["utterances"]] == dishes
    assert [one["text"] for part in told for one in part["traits"]] == dishes
    assert all(dish in readable(answer) for dish in dishes)
    assert f"it comes in {len(answer.files)} files" in words(answer)


async def test_what_is_over_the_limit_of_files_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "MOST_BYTES", 2000)
    monkeypatch.setattr(exporting, "MARGIN", 1000)
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, f"I like dish {number}. " + "x" * 600) for number in range(12)])
        answer = await export(owning)
    assert len(answer.files) == exporting.MOST_FILES
    assert "more did not fit: I can send 10 at once" in words(answer)

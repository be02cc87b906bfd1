"""Decisions last over the whole core: what is erased, left, joined or inferred destroys none of them, nor words."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from bot.domain import Answer, Asker, Call, Consent, Place, PlaceKind, Speaker
from tests.living import ANN, CHANNEL, DM, OpenCore, Screen, open_core

LONG = timedelta(days=40)
ANN_TOO = Speaker("tele:ann", "Ann")
THERE = Place("tele", PlaceKind.DM, "ann")


async def use(core: OpenCore, line: str, place: Place = DM, speaker: Speaker = ANN) -> Answer:
    """What a command answers; `line` such as "privacy age age=minor"."""
    words = line.split()
    arguments = tuple((name, value) for name, _, value in (word.partition("=") for word in words if "=" in word))
    command = " ".join(word for word in words if "=" not in word)
    return await core.app.command(Call(command, arguments), Asker(speaker, place))


async def said(core: OpenCore) -> list[str]:
    return [one.text for one in await core.app.stores.exports.last_said([ANN.id, ANN_TOO.id], None, 100)]


def holding(folder: Path, text: str) -> list[str]:
    """The files in which this stands."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if text.encode() in file.read_bytes()]


async def test_a_refusal_and_an_opt_out_hold_after_everything_was_erased(tmp_path: Path) -> None:
    async with open_core(tmp_path) as core:
        await core.say("I like tea.")
        await use(core, "privacy channel state=out-everywhere", CHANNEL)
        refused = await use(core, "privacy consent answer=no")
        asked = await core.app.command(refused.choices[0][0].call, Asker(ANN, DM))
        await core.app.command(asked.choices[0][0].call, Asker(ANN, DM))
        assert await said(core) == []
        assert (await core.app.stores.privacies.of(ANN.id)).consent is Consent.REFUSED
        assert await core.app.stores.privacies.opted_out(ANN.id, CHANNEL)
        await core.say("I own a yacht.")
        await core.passes(LONG)
        assert await said(core) == []
    assert holding(tmp_path, "I like tea") == []


async def test_an_opt_out_of_a_server_holds_when_the_companion_comes_back(tmp_path: Path) -> None:
    async with open_core(tmp_path) as core:
        await core.say("Hello.", place=CHANNEL)
        await use(core, "privacy channel state=out-everywhere", CHANNEL)
        await core.app.left("test", "home")
        await core.passes(LONG)
        assert await said(core) == []
        await core.app.joined("test", "home")
        assert await core.app.stores.privacies.opted_out(ANN.id, CHANNEL)


async def test_the_limit_of_minors_takes_what_is_said_from_then_on(tmp_path: Path) -> None:
    async with open_core(tmp_path) as core:
        await use(core, "privacy consent answer=yes")
        await core.say("I like tea.")
        await core.passes(LONG)
        await use(core, "privacy age age=minor")
        await core.say("I like cocoa.")
        await core.passes(timedelta(days=29))
        assert await said(core) == ["I like cocoa.", "I like tea."]
        await core.passes(timedelta(days=2))
        assert await said(core) == ["I like tea."]
        await use(core, "privacy age age=adult")
        await core.say("I like juice.")
        await core.passes(LONG)
        assert await said(core) == ["I like juice.", "I like tea."]


async def test_joining_with_somebody_who_keeps_little_erases_nothing(tmp_path: Path) -> None:
    screen = Screen()
    async with open_core(tmp_path, messengers={"test": screen, "tele": screen}) as core:
        await core.say("I like tea.")
        await core.passes(LONG)
        await use(core, "privacy keep days=1", THERE, ANN_TOO)
        shown = (await use(core, "link", THERE, ANN_TOO)).text
        code = shown.partition("/link ")[2].partition("`")[0]
        assert "joining erases nothing" in (await use(core, f"link code={code}")).text
        await core.passes(LONG)
        assert await said(core) == ["I like tea."]

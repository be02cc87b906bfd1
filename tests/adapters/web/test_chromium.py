"""Every page and every form in a real browser: on a phone and a desk, light and dark, by keyboard, in two languages."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from bot.commands import model_choices
from bot.llm.gguf_files import bundled_gguf
from bot.llm.scripted import ScriptedChatModel
from tests.adapters.web.chromium import Screen, open_screen
from tests.commands.test_backstage import NAME, backstage_in, hub_with
from tests.usecases.asking import owner
from tests.usecases.test_checkin import checked_in

pytestmark = pytest.mark.timeout(600)
"""On a busy machine a browser takes its time."""

A_MINUTE = timedelta(minutes=1)
"""After which forms may be sent again."""
SIZES = {"phone": (390, 844), "desk": (1280, 900)}
PAGES = {
    "memories": "/memories",
    "memory": "/memories/e6",
    "timeline": "/timeline",
    "why": "/why",
    "checkins": "/checkins",
    "choices": "/choices",
    "owner": "/owner",
    "checks": "/owner?checks=now",
    "queue": "/owner/checkins",
    "models": "/owner/models",
    "settings": "/owner/settings",
    "prompt": "/owner/prompt",
    "missing": "/memories/e99",
}


@pytest.mark.parametrize("size", SIZES)
async def test_every_page_fits_and_axe_finds_nothing_serious(chromium: Any, size: str) -> None:
    async with open_screen(chromium) as screen:
        faults: dict[str, list[str]] = {}

        async def look_at(name: str, path: str) -> None:
            """The page as it comes in light, and as it is when the device turns dark."""
            await screen.look(*SIZES[size], "light")
            await screen.at(path)
            for scheme in ("light", "dark"):
                await screen.look(*SIZES[size], scheme)
                found = await screen.faults()
                faults[f"{name}, {scheme}"] = [one for one in found if not (name == "missing" and "404" in one)]
                await screen.picture(f"{name}-{size}-{scheme}")

        await look_at("enter", f"/in/{screen.asking.links.issue(owner())}")
        await screen.come_in(owner())
        for name, path in PAGES.items():
            await look_at(name, path)
        assert len(faults) == 2 * (1 + len(PAGES))
        assert not {name: found for name, found in faults.items() if found}


@pytest.mark.parametrize("size", SIZES)
async def test_every_form_does_what_it_says(chromium: Any, size: str) -> None:
    async with open_screen(chromium) as screen:
        await screen.look(*SIZES[size])
        await screen.come_in(owner())
        await _of_memories(screen, size)
        screen.asking.clock.advance(A_MINUTE)
        await _of_checkins(screen, size)
        screen.asking.clock.advance(A_MINUTE)
        await _of_choices(screen)
        screen.asking.clock.advance(A_MINUTE)
        await screen.at("/owner/checkins")
        await screen.press("Stop all of them")
        assert "All check-ins are stopped now" in await screen.words(".answer")
        await screen.press("Resume them")
        assert "Check-ins are running again." in await screen.words(".answer")
        await screen.press("Deutsch")
        assert "Alle Check-ins" in await screen.words()
        await screen.at("/memories")
        assert "Was ich von dir weiß" in await screen.words()
        await screen.picture(f"german-{size}")
        assert not await screen.faults()
        await screen.press("Abmelden")
        await screen.at("/memories")
        assert "This page is closed" in await screen.words()


async def _of_memories(screen: Screen, size: str) -> None:
    await screen.run("document.addEventListener('htmx:afterSettle', () => { window.settled = true })")
    await screen.write("words", "prize")
    await screen.until("return window.settled === true")
    assert "prize for its rye" in await screen.words("#found .entry")
    assert "Rex" not in await screen.words("#found")
    await screen.at("/memories")
    await screen.write("new", "I love sailing.")
    await screen.send("#new")
    assert "I love sailing" in await screen.words(".answer")
    await screen.press("Take back my last correction")
    assert "I love sailing" not in await screen.words("#found")
    await screen.at("/memories/t1")
    await screen.write("words", "I have three dogs.")
    await screen.send("#words")
    assert "I have two dogs." in await screen.words(".answer")
    await screen.at("/memories/e5")
    await screen.press("Show what would be erased")
    assert "quarrel about the house" in await screen.words(".answer")
    await screen.picture(f"forget-{size}")
    assert not await screen.faults()
    await screen.press("Erase it")
    assert "eceipt" in await screen.words(".answer")
    await screen.at("/memories")
    assert "quarrel" not in await screen.words()
    await screen.write("what", "rye bread")
    await screen.send("#what")
    assert "prize for its rye bread" in await screen.words(".answer")
    await screen.press("Keep it")
    await screen.exported("/memories")


async def _of_checkins(screen: Screen, size: str) -> None:
    await screen.at("/checkins")
    await screen.press("Turn them on")
    checkin = await checked_in(screen.asking)
    await screen.until("return document.getElementById('planned') !== null")
    for field, words, said in (
        ("zone", "Leeds", "London"),
        ("times", "09:00 17:30", "09:00 and 17:30"),
        ("quiet", "21:00-07:00", "21:00"),
        ("often", "4", "every 4 days"),
        ("pause", "2 weeks", "I write nothing until"),
    ):
        await screen.write(field, words)
        await screen.send(f"#{field}")
        assert said in await screen.words(".answer"), field
    await screen.at("/checkins")
    for button, said in (
        ("End the pause", "The pause is over."),
        ("Less often", "less often: once every 7 days"),
        ("Not before tomorrow", "Nothing comes before tomorrow."),
        (f"Why I wrote ({checkin.id})", "I wrote that because of what you told me"),
        ("Turn them off", "I will not write to you first any more."),
    ):
        await screen.press(button)
        assert said in await screen.words(".answer"), button
    await screen.picture(f"checkins-off-{size}")
    await screen.call(lambda: screen.driver.find_element(By.CSS_SELECTOR, "input[value=sun]").click())
    await screen.send("input[value=sun]")
    assert not await screen.run("return document.querySelector('input[value=sun]').checked")


async def _of_choices(screen: Screen) -> None:
    await screen.exported("/choices")
    await screen.at("/choices")
    await screen.press("Receipt 1")
    assert "eceipt" in await screen.words(".answer")
    for button, said in (
        ("No", "You said no"),
        ("Yes", "You said yes"),
        ("I am under 18", "I assume that you are under 18."),
        ("I am 18 or older", "I assume that you are 18 or older."),
        ("Start the pause", "I am paused now"),
        ("End the pause", "The pause is over"),
        ("Do not read me here #hall in Home", "I read and keep nothing that you say in this channel"),
        ("Read me here #hall in Home", "I read you in this channel again"),
        ("Do not read me in any of them", "in any channel of this server"),
    ):
        await screen.at("/choices")
        await screen.press(button)
        assert said in await screen.words(".answer") or said in await screen.words("main"), button
    await screen.write("keep", "9000")
    await screen.send("#keep")
    assert "9000 days" in (await screen.words("main")).replace(",", "")
    await screen.write("country", "DE")
    await screen.send("#country")
    assert "DE" in await screen.words(".answer")


@pytest.mark.parametrize("size", SIZES)
async def test_the_owner_gets_tries_and_chooses_a_model_and_makes_a_backup(
    chromium: Any, size: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 10_000)  # else a file this small comes in one piece
    async with (
        hub_with(bytes(range(256)) * 4096, monkeypatch) as hub,
        backstage_in(tmp_path) as backstage,
        open_screen(chromium, backstage) as screen,
    ):
        hub.pause_s = 0.8
        for scheme in ("light", "dark"):
            await screen.look(*SIZES[size], scheme)
            await screen.come_in(owner())
            await screen.at("/owner/models")
            assert not await screen.faults()
            await screen.picture(f"models-real-{size}-{scheme}")
        await screen.look(*SIZES[size])
        await screen.at("/owner/models")
        await screen.write("name", NAME)
        await screen.press("Download")
        await screen.until("return document.querySelector('#begun progress')?.value > 0.05")
        assert not await screen.faults()
        await screen.picture(f"models-fetching-{size}")
        await screen.press("Cancel")
        await screen.until("return document.querySelector('#begun progress') === null")
        assert "stopped" in await screen.words("#begun")
        hub.pause_s = 0
        await screen.write("name", NAME)
        await screen.press("Download")
        await screen.until("return document.querySelector('#begun progress') === null")
        assert f"{NAME} is here" in await screen.words("#begun")
        shutil.copyfile(bundled_gguf(), tmp_path / "cache" / "models" / NAME)
        await screen.write("name", NAME)
        await screen.press("Use")
        assert "It answers from the next start on." in await screen.words(".answer")
        assert f"From the next start on: {NAME}" in await screen.words()
        monkeypatch.setattr(model_choices, "model_of", scripted_model)
        await screen.press("Deutsch")
        await screen.write("name", NAME)
        await screen.press("Ausprobieren")
        await screen.until("return document.querySelector('#begun progress') === null")
        assert "Token pro Sekunde" in await screen.words("#begun")
        assert not await screen.faults()
        await screen.picture(f"models-german-{size}")
        await screen.at("/owner")
        await screen.press("Jetzt sichern")
        await screen.until("return document.querySelector('#begun progress') === null")
        assert "Es gibt noch keinen Schlüssel" in await screen.words("#begun")


async def scripted_model(*_given: object) -> ScriptedChatModel:
    return ScriptedChatModel("Guten Tag! Wie war dein Tag heute?", word_s=0.001)


async def test_the_timeline_is_moved_and_zoomed_by_buttons_and_keys(chromium: Any) -> None:
    async with open_screen(chromium) as screen:
        await screen.look(390, 844)
        await screen.come_in(owner())
        await screen.at("/timeline")
        width = "return +document.querySelector('#drawing svg').getAttribute('width')"
        first = await screen.run(width)
        await screen.press("Zoom in", stays=True)
        assert await screen.run(width) == pytest.approx(first * 1.25)
        await screen.run("document.getElementById('drawing').focus()")
        await screen.call(lambda: screen.driver.switch_to.active_element.send_keys("-"))
        assert await screen.run(width) == pytest.approx(first)
        await screen.press("Show all", stays=True)
        assert await screen.run(width) <= await screen.run("return document.getElementById('drawing').clientWidth")
        assert await screen.run("return document.getElementById('drawing').scrollLeft") == 0
        await screen.call(lambda: screen.driver.switch_to.active_element.send_keys(Keys.TAB, Keys.TAB, Keys.TAB))
        await screen.call(lambda: screen.driver.switch_to.active_element.send_keys(Keys.ENTER))
        assert "/memories/e" in await screen.call(lambda: screen.driver.current_url)


async def test_the_first_key_leads_to_the_content(chromium: Any) -> None:
    async with open_screen(chromium) as screen:
        await screen.look(1280, 900)
        await screen.come_in(owner())
        await screen.at("/memories")
        await screen.call(lambda: screen.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB))
        assert await screen.run("return document.activeElement.textContent") == "Skip to content"
        assert await screen.run("return document.activeElement.getBoundingClientRect().left") >= 0

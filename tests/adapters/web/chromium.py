"""Chromium for the tests of the page, and the page on a port of its own."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import tempfile
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from adapters.web.backstage import Backstage
from adapters.web.server import page_served
from bot.config import Web
from bot.domain import Asker
from tests.adapters.web.visits import live, page_of
from tests.usecases.asking import Asking, open_asking

NO_CHROMIUM = "no Chromium is installed (on Debian and Ubuntu: apt install chromium chromium-driver)"
SHOTS = os.environ.get("HELLO_AGAIN_SHOTS", "")
"""A folder for pictures of every page; empty: none are taken."""
AXE = os.environ.get("HELLO_AGAIN_AXE", "")
"""Another axe.min.js than the one that is installed."""
VARIABLES = ("HELLO_AGAIN_SHOTS", "HELLO_AGAIN_AXE")
PATIENCE_S = 60
SERIOUS = frozenset({"serious", "critical"})
VIOLATIONS = """
    const brief = one => ({ id: one.id, impact: one.impact, html: one.nodes.map(node => node.html) });
    axe.run({ resultTypes: ["violations"] }).then(report => arguments[0](report.violations.map(brief)));
"""
"""What axe finds wrong. All that it finds right besides would take longer to hand over than to find."""


def paths_of_chromium() -> tuple[str, str] | None:
    """The browser and its driver; None: they are not there."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


@contextmanager
def open_chromium() -> Iterator[webdriver.Chrome]:
    """A browser without a screen."""
    found = paths_of_chromium()
    assert found is not None
    options = webdriver.ChromeOptions()
    options.binary_location = found[0]
    for switch in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(switch)
    for switch in ("--disable-background-networking", "--disable-component-update", "--no-first-run", "--lang=en"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(found[1]))
    try:
        yield driver
    finally:
        driver.quit()


@dataclass(frozen=True)
class Screen:
    """What somebody looks at."""

    driver: webdriver.Chrome
    address: str
    asking: Asking

    async def at(self, path: str) -> None:
        """Goes to a page."""
        await self.call(lambda: self.driver.get(f"{self.address}{path}"))

    async def call(self, work: Callable[[], Any]) -> Any:
        """Has the browser do something while the page is served."""
        return await asyncio.to_thread(work)

    async def run(self, script: str, *arguments: Any) -> Any:
        """What a script in the page says."""
        return await self.call(lambda: self.driver.execute_script(script, *arguments))

    async def press(self, words: str, *, stays: bool = False) -> None:
        """Presses the first button with these words; unless it `stays`, that leads to another page."""
        found = f"//button[normalize-space()={words!r}]"
        await self._leave(lambda: self.driver.find_element(By.XPATH, found).click(), stays=stays)

    async def _leave(self, work: Callable[[], Any], *, stays: bool = False) -> None:
        """Does something, and waits until the page after it is there."""

        def done() -> None:
            self.driver.execute_script("window.before = true")
            work()
            loaded = "return window.before === undefined && document.readyState === 'complete'"
            if not stays:
                WebDriverWait(self.driver, PATIENCE_S).until(lambda driver: driver.execute_script(loaded))

        await self.call(done)

    async def until(self, script: str) -> None:
        """Waits until a script in the page says yes."""
        await self.call(
            lambda: WebDriverWait(self.driver, PATIENCE_S).until(lambda driver: driver.execute_script(script))
        )

    async def write(self, field: str, words: str) -> None:
        """Writes into a field, in place of what stood there."""

        def work() -> None:
            element = self.driver.find_element(By.ID, field)
            element.clear()
            element.send_keys(words)

        await self.call(work)

    async def send(self, selector: str) -> None:
        """Sends the form that something is in."""
        await self._leave(lambda: self.driver.find_element(By.CSS_SELECTOR, selector).submit())

    async def exported(self, path: str) -> None:
        """Has all that is known downloaded by the form of a page, and looks into it."""
        await self.at(path)
        folder = Path(tempfile.mkdtemp())
        allowed = {"behavior": "allow", "downloadPath": str(folder)}
        await self.call(lambda: self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", allowed))
        await self.press("Download", stays=True)
        found = folder / "hello-again.zip"
        await self.call(lambda: WebDriverWait(self.driver, PATIENCE_S).until(lambda _: found.exists()))
        with zipfile.ZipFile(found) as archive:
            assert archive.testzip() is None
            assert len(archive.namelist()) > 1
        shutil.rmtree(folder)

    async def words(self, selector: str = "main") -> str:
        """What is to be read in a part of the page."""
        return str(await self.call(lambda: self.driver.find_element(By.CSS_SELECTOR, selector).text))

    async def come_in(self, asker: Asker) -> None:
        """Opens a new link, and presses its button."""
        await self.at(f"/in/{self.asking.links.issue(asker)}")
        await self._leave(lambda: self.driver.find_element(By.CSS_SELECTOR, "button.main").click())

    async def look(self, width: int, height: int, scheme: str = "light") -> None:
        """Has the window be of a size, and the device prefer light or dark, at once: nothing fades."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        media = {"features": [{"name": name, "value": value} for name, value in wishes.items()]}
        await self.call(lambda: self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size))
        await self.call(lambda: self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media))

    async def picture(self, name: str) -> None:
        """Takes a picture of the whole page, where they are wanted."""
        if not SHOTS:
            return
        height = await self.run("return document.documentElement.scrollHeight")
        width = await self.run("return window.innerWidth")
        size = {"width": width, "height": min(height, 4000), "deviceScaleFactor": 1, "mobile": False}
        await self.call(lambda: self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size))
        await self.call(lambda: self.driver.save_screenshot(str(Path(SHOTS) / f"{name}.png")))

    async def console(self) -> list[str]:
        """What the browser complained of since this was asked last."""
        driver: Any = self.driver  # whose get_log has no types
        return [str(one["message"]) for one in await self.call(lambda: driver.get_log("browser"))]

    async def faults(self) -> list[str]:
        """What is wrong with the page that is shown: said by axe, by the console, or by its width."""
        found = [f"console: {message}" for message in await self.console()]
        if await self.run("return document.documentElement.scrollWidth > window.innerWidth"):
            found.append("it is wider than the window")
        if await self.run("return window.axe === undefined"):
            await self.run(_axe())
        violations = await self.call(lambda: self.driver.execute_async_script(VIOLATIONS))
        return found + [
            f"axe: {one['id']}: {[html[:200] for html in one['html']]}"
            for one in violations
            if one["impact"] in SERIOUS
        ]


def _axe() -> str:
    if AXE:
        return Path(AXE).read_text(encoding="utf-8")
    return resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")


@asynccontextmanager
async def open_screen(driver: webdriver.Chrome, backstage: Backstage | None = None) -> AsyncIterator[Screen]:
    """The page with Ann's and Ben's lives, on a free port; for the owner with this backstage."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with open_asking() as asking:
        await live(asking)
        page, _ = page_of(asking, Web(enabled=True, port=port))
        async with page_served(
            replace(page, settings=asking.settings, backstage=backstage or page.backstage)
        ) as address:
            driver.delete_all_cookies()
            screen = Screen(driver, address, asking)
            await screen.console()  # of another test
            yield screen

"""Pictures of the page in Chromium, driven by Selenium. Loaded late, for Selenium is a development extra."""

import asyncio
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from bot.app.app import open_app
from bot.cli.options import settings_of
from bot.clock import ManualClock
from bot.commands.page import served
from bot.config import Web
from bot.domain import Asker, Place, PlaceKind, Speaker
from bot.errors import BadInput

WIDTH = 960
"""Of the window, in CSS pixels; it is as high as the page."""
PATIENCE_S = 60
SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--lang=en",
)


def take(folder: Path, name: str, when: datetime, out: Path) -> None:
    """Serves the page from a data folder in which `name` talked in the terminal; writes `page.png`. Raises BadInput."""
    found = shutil.which("chromium"), shutil.which("chromedriver")
    if not all(found):
        raise BadInput("No Chromium is installed (on Debian and Ubuntu: apt install chromium chromium-driver).")
    asyncio.run(_taken(folder, name, when, out))


async def _taken(folder: Path, name: str, when: datetime, out: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    settings = settings_of(None).in_folder(folder).model_copy(update={"web": Web(enabled=True, port=port)})
    clock, key = ManualClock(when), name.casefold()
    asker = Asker(Speaker(f"console:{key}", name), Place("console", PlaceKind.DM, key))
    async with (
        open_app(settings, clock=clock, messengers={}, with_model=False) as app,
        served(app, clock, folder / "config.yaml"),
    ):
        await asyncio.to_thread(_shoot, f"http://127.0.0.1:{port}", app.links.issue(asker), out)


def _shoot(address: str, token: str, out: Path) -> None:
    with _chromium() as driver:
        driver.get(f"{address}/in/{token}")
        driver.find_element(By.CSS_SELECTOR, "button.main").click()
        WebDriverWait(driver, PATIENCE_S).until(lambda seen: seen.current_url.endswith("/memories"))
        _look(driver, WIDTH)
        height = int(driver.execute_script("return document.documentElement.scrollHeight"))
        _look(driver, height)
        driver.save_screenshot(str(out / "page.png"))


def _look(driver: webdriver.Chrome, height: int) -> None:
    """Has the window be of a height, and the device prefer light, with two pixels for each of the page."""
    size = {"width": WIDTH, "height": height, "deviceScaleFactor": 2, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    media = {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)


@contextmanager
def _chromium() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for switch in SWITCHES:
        options.add_argument(f"--{switch}")
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()

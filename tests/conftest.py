"""Fixtures of the whole test run."""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
import os
import ssl
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from bot.config import Model
from bot.storage.engine import schema
from bot.storage.engine.database import Database
from tests import in_memory
from tests.compiled import Compiled
from tests.counting import Figures
from tests.house_rules import HouseRules
from tests.lanes import Lanes
from tests.llm.llama_server import llama_server
from tests.migrated import Copied
from tests.nursery import ONE_THREAD, Nursery, open_nursery
from tests.postgres import Server, postgres_server

ALLOCATIONS = 20_000
"""After so many more objects than were freed one looks for garbage."""

settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # how fast the machine is decides no test
settings.load_profile("repeatable")


def pytest_configure(config: pytest.Config) -> None:
    """Holds all tests to the rules of the house; their folders lie in memory where there is enough of it."""
    if config.option.basetemp is None:
        in_memory.use()
    if getattr(config.option, "numprocesses", None):
        os.environ.update(ONE_THREAD)  # for the workers, which are as many as there are cores
    rules, lanes, patch = HouseRules(), Lanes(), pytest.MonkeyPatch()
    rules.watch(patch)
    lanes.watch(patch)
    config.add_cleanup(patch.undo)
    config.pluginmanager.register(rules, "house-rules")
    config.pluginmanager.register(lanes, "lanes")
    config.pluginmanager.register(Figures(), "figures")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Looks for no garbage among what is imported, which all stays, and leaves it out of every later look.

    Later it looks seldom. As often as Python does by itself, that takes 2 or 3 % of all time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(ALLOCATIONS, 10, 10)
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def copied() -> Iterator[Copied]:
    """Has every empty database get the tables that the run's first one was migrated to."""
    copies = Copied(schema.upgrade)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "upgrade", copies.upgrade)
        patch.setattr(Database, "check", copies.filling(Database.check))
        yield copies


@pytest.fixture(scope="session", autouse=True)
def compiled() -> Iterator[None]:
    """Has every statement compiled once for all databases of the run."""
    with pytest.MonkeyPatch.context() as patch:
        Compiled().share(patch)
        yield


@pytest.fixture(scope="session", autouse=True)
def plain_tracebacks() -> Iterator[None]:
    """Has what a test logs of an error written as Python does: in boxes and colours it takes a hundred times longer."""
    renderer = structlog.dev.ConsoleRenderer.get_active()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(renderer, "exception_formatter", structlog.dev.plain_traceback)
        yield


@pytest.fixture(scope="session", autouse=True)
def certificates() -> Iterator[None]:
    """Has the world's certificates read once: each client of httpx reads them, and no test talks to who has one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """Takes back what a test has set up of logging: every command does."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    if structlog.is_configured():
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.reset_defaults()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Where processes that may be killed are forked from."""
    with open_nursery() as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres(copied: Copied) -> Iterator[Server]:
    """A PostgreSQL server with one migrated database, which runs as long as the tests do."""
    with postgres_server() as server:
        yield server


@pytest.fixture(params=["file", "postgres"])
def server(request: pytest.FixtureRequest) -> Server | None:
    """The server that a test runs on; None for a SQLite file. Both, for every test that takes it."""
    return request.getfixturevalue("postgres") if request.param == "postgres" else None


@pytest.fixture(scope="session")
def llama_url() -> Iterator[str]:
    """The address of llama.cpp's own server, with the bundled model, which runs as long as the tests do."""
    with llama_server() as url:
        yield url


@pytest.fixture(scope="session")
def model_cache(pytestconfig: pytest.Config) -> Path:
    """Where the bundled model is kept prepared from one test run to the next."""
    assert pytestconfig.cache is not None
    return Path(pytestconfig.cache.mkdir("bundled-model"))


@pytest.fixture(scope="session")
def bundled_model(model_cache: Path) -> Iterator[Any]:
    """The real bundled model on the CPU (`LocalChatModel`), loaded once a run, in float32.

    Many processors read a prompt in bfloat16, as the program keeps it there, several times as long, and one in 4 bits:
    `test_local.py` loads the first kind once more, `test_adapters_live.py` and `test_bench_engine.py` run the other.
    """
    local = importlib.import_module("bot.llm.local")  # seconds of imports, which runs without this fixture are spared
    load = local.load

    def in_float32(*arguments: Any) -> Any:
        loaded = load(*arguments)
        return replace(loaded, model=loaded.take_model().float())

    settings = Model(
        id="bundled",
        quantization="none",
        device="cpu",
        cache_dir=model_cache,
        kv_cache_tokens=4096,
        max_concurrent=4,
        max_waiting=4,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "load", in_float32)
        model = asyncio.run(local.load_local_model(settings, seed=1))
    yield model
    asyncio.run(model.aclose())


@pytest.fixture(scope="session")
def gguf_model(model_cache: Path) -> Iterator[Any]:
    """The real bundled model in llama.cpp (`LlamaCppChatModel`), with its adapters, loaded once for the whole run."""
    gguf = importlib.import_module("bot.llm.gguf_choice")
    settings = Model(
        id="bundled",
        device="cpu",
        cache_dir=model_cache,
        kv_cache_tokens=4096,
        max_concurrent=4,
        max_waiting=4,
        adapters={"summarizer": "auto"},
    )
    model = asyncio.run(gguf.load_gguf(gguf.choose_gguf(settings), settings, seed=1))
    _start_all(model._threads)
    yield model
    asyncio.run(model.aclose())


def _start_all(pool: ThreadPoolExecutor) -> None:
    """Starts the threads that a pool would make when it needs them: they are the model's, and no test leaves them."""
    together = Barrier(pool._max_workers)
    wait([pool.submit(together.wait) for _ in range(pool._max_workers)])

"""One model on several servers: requests are spread, and go on to another server when one fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from structlog.testing import capture_logs

from bot.config import Model
from bot.errors import ModelFailed, ModelUnavailable
from bot.llm.remote import RemoteChatModel, connect_remote_model
from tests.llm.fault_server import Answer, FaultServer, failed, fault_server, models, said, streamed, word
from tests.llm.talking import asking, heard

NOWHERE = "http://127.0.0.1:9/v1"


@asynccontextmanager
async def connected(*urls: str, name: str = "") -> AsyncIterator[RemoteChatModel]:
    """The model on all these servers."""
    remote = {"base_url": urls[0], "replicas": urls[1:], "name": name, "retries": 0}
    model = await connect_remote_model(Model.model_validate({"remote": remote}), None)
    try:
        yield model
    finally:
        await model.aclose()


@pytest.fixture
async def two() -> AsyncIterator[tuple[FaultServer, FaultServer]]:
    """Servers that answer with their number."""
    async with fault_server(said("one")) as first, fault_server(said("two")) as second:
        yield first, second


async def text(model: RemoteChatModel) -> str:
    """What it answers."""
    return (await heard(model.stream(asking())))[0]


async def test_requests_go_where_there_is_the_least_to_do(two: tuple[FaultServer, FaultServer]) -> None:
    async with connected(*(one.url for one in two)) as model:
        assert sorted(await asyncio.gather(*(text(model) for _ in range(6)))) == ["one"] * 3 + ["two"] * 3
        assert [await text(model) for _ in range(4)] in (["one", "two"] * 2, ["two", "one"] * 2)
        assert model.description.detail == f"on the servers at {two[0].url}, {two[1].url}"


@pytest.mark.parametrize("fault", [failed(503), streamed(cut=True)], ids=["busy", "cut off"])
async def test_another_server_answers_and_the_one_that_failed_rests(
    two: tuple[FaultServer, FaultServer], fault: Answer
) -> None:
    two[0].answers[:] = [fault, said("one")]
    async with connected(*(one.url for one in two)) as model:
        with capture_logs() as logged:
            assert [await text(model) for _ in range(3)] == ["two"] * 3
        assert [line["server"] for line in logged if line["event"].startswith("a model server failed")] == [two[0].url]
        for one in model._servers._servers:
            one.rests_until_s = 0.0
        assert {await text(model) for _ in range(2)} == {"one", "two"}


async def test_what_was_begun_is_not_said_again_by_another(two: tuple[FaultServer, FaultServer]) -> None:
    two[0].answers[:] = [streamed(word("Well, "), word("that is "), cut=True), said("one")]
    async with connected(*(one.url for one in two)) as model:
        with pytest.raises(ModelFailed):
            await text(model)
        assert await text(model) == "two"


async def test_one_server_is_enough_to_start_and_none_is_told(two: tuple[FaultServer, FaultServer]) -> None:
    async with connected(NOWHERE, two[0].url) as model:
        assert [await text(model) for _ in range(2)] == ["one"] * 2
    with pytest.raises(ModelUnavailable, match=f"No model server can be reached at {NOWHERE}"):
        await connected(NOWHERE, NOWHERE).__aenter__()


async def test_a_server_without_the_model_is_told_by_its_address(two: tuple[FaultServer, FaultServer]) -> None:
    two[1].models = models("another")
    with pytest.raises(ModelUnavailable, match="a-model"):
        await connected(*(one.url for one in two)).__aenter__()

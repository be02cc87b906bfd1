"""One model on several servers: requests are spread, and go on to another server when one fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from structlog.testing import capture_logs

from bot.commands.doctor import Verdict
from bot.commands.doctor import model as examined
from bot.config import Model, load_settings
from bot.errors import ConfigError, ModelFailed, ModelUnavailable
from bot.llm.remote import RemoteChatModel, connect_remote_model
from tests.llm.fault_server import (
    MODEL,
    Answer,
    FaultServer,
    failed,
    fault_server,
    models,
    replied,
    said,
    streamed,
    word,
)
from tests.llm.talking import asking, heard

NOWHERE = "http://127.0.0.1:9/v1"
FAULTS = {"busy": failed(503), "cut off": streamed(cut=True)}
FAULTS |= {"key": failed(401), "forbidden": failed(403), "not there": failed(404)}


@asynccontextmanager
async def connected(*urls: str, name: str = MODEL) -> AsyncIterator[RemoteChatModel]:
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


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_another_server_answers_and_the_one_that_failed_rests(
    two: tuple[FaultServer, FaultServer], fault: Answer
) -> None:
    two[0].answers[:] = [fault, said("one")]
    async with connected(*(one.url for one in two)) as model:
        with capture_logs() as logged:
            assert [await text(model) for _ in range(3)] == ["two"] * 3
        [line] = [line for line in logged if line["event"].startswith("a model server failed")]
        assert line["server"] == two[0].url
        assert two[0].url in line["reason"]
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


async def test_what_every_server_refuses_is_told(two: tuple[FaultServer, FaultServer]) -> None:
    async with connected(*(one.url for one in two)) as model:
        for one in two:
            one.answers[:] = [failed(401)]
        with pytest.raises(ModelUnavailable, match="refused the key"):
            await text(model)
        assert [len(one.bodies) for one in two] == [1, 1]


@pytest.mark.parametrize(
    ("listed", "told"),
    [(failed(401), "refused the key"), (replied(200, "a page"), "does not list its models"), (failed(400), "not list")],
)
async def test_a_server_that_will_never_answer_is_told_at_the_start(
    two: tuple[FaultServer, FaultServer], listed: Answer, told: str
) -> None:
    two[1].models = listed
    with pytest.raises(ModelUnavailable, match=told):
        await connected(*(one.url for one in two)).__aenter__()


async def test_the_doctor_looks_at_every_server(two: tuple[FaultServer, FaultServer]) -> None:
    remote = {"base_url": NOWHERE, "replicas": [one.url for one in two], "name": MODEL, "retries": 0}
    away = await examined(load_settings(None, {}, model__engine="remote", model__remote=remote))
    assert (away.verdict, away.found) == (Verdict.NOTE, f"{MODEL} at {two[0].url}, {two[1].url}")
    assert f"No model server can be reached at {NOWHERE}" in away.do
    two[1].models = failed(401)
    refused = await examined(load_settings(None, {}, model__engine="remote", model__remote=remote))
    assert refused.verdict is Verdict.BAD
    assert "refused the key" in refused.found


def test_of_several_servers_the_model_has_to_be_named() -> None:
    with pytest.raises(ConfigError, match=r"'model\.remote\.name' should be the name of the model that all servers"):
        load_settings(None, {}, model__remote={"replicas": ["http://10.0.0.1/v1"]})

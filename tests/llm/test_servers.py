"""Model servers on this machine are found quickly, with what they offer."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import yaml
from aiohttp import web

from bot.config import Model
from bot.llm import servers
from bot.llm.servers import RunningServer, UsualPlace, running_servers


@asynccontextmanager
async def serving(text: str, status: int = 200) -> AsyncIterator[int]:
    """The port of a server that answers /v1/models so."""

    async def models(_: web.Request) -> web.Response:
        return web.Response(text=text, status=status, content_type="application/json")

    app = web.Application()
    app.router.add_get("/v1/models", models)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


def nobody() -> int:
    """A port where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take longer to answer than the program waits otherwise."""
    monkeypatch.setattr(servers, "PATIENCE_S", 3.0)


async def test_those_that_run_are_found_with_their_models_and_the_lines_to_write() -> None:
    offers = '{"object": "list", "data": [{"id": "qwen3:8b", "owned_by": "library"}, {"id": "gemma4:e4b"}]}'
    async with serving(offers) as ollama, serving('{"object": "list", "data": null}') as empty:
        places = [UsualPlace("Ollama", ollama), UsualPlace("vLLM", nobody()), UsualPlace("LM Studio", empty)]
        found = await running_servers(places)
    assert found == [
        RunningServer("Ollama", f"http://127.0.0.1:{ollama}/v1", ("qwen3:8b", "gemma4:e4b")),
        RunningServer("LM Studio", f"http://127.0.0.1:{empty}/v1", ()),
    ]
    written = Model.model_validate(yaml.safe_load(found[0].settings)["model"])
    assert (written.engine, written.remote.base_url, written.remote.name) == (
        "remote",
        f"http://127.0.0.1:{ollama}/v1",
        "qwen3:8b",
    )


@pytest.mark.parametrize(("text", "status"), [("hello", 200), ("{}", 200), ("not here", 404), ("[]", 500)])
async def test_somebody_else_at_that_port_is_no_model_server(text: str, status: int) -> None:
    async with serving(text, status) as port:
        assert await running_servers([UsualPlace("llama-server", port)]) == []


async def test_one_that_does_not_answer_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        async with serving('{"data": []}') as quick:
            places = [UsualPlace("vLLM", silent.getsockname()[1]), UsualPlace("Ollama", quick)]
            found = await running_servers(places)
    assert [server.program for server in found] == ["Ollama"]


async def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{nobody()}")
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{nobody()}")
    async with serving('{"data": [{"id": "a"}]}') as port:
        (found,) = await running_servers([UsualPlace("Ollama", port)])
    assert found.models == ("a",)

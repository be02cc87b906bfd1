"""Serves the page, and whatever else is asked for by HTTP, beside everything else, in the same process and loop."""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from adapters.web.app import build_page
from adapters.web.visiting import Page
from bot.errors import AdapterStopped
from bot.texts import page as texts

WAITS_S = 3
"""Seconds that a request has to end when the page does."""
AT_ONCE = 64
"""Connections."""


class _Server(uvicorn.Server):
    """Leaves the signals to whoever runs the program."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing is captured."""
        yield


@asynccontextmanager
async def page_served(page: Page) -> AsyncIterator[str]:
    """Serves the page while the context is open; yields where it is. Raises AdapterStopped for an address in use."""
    web = page.settings.web
    async with served_at(web.host, web.port, build_page(page), "page", "web.port"):
        yield web.address


@asynccontextmanager
async def served_at(host: str, port: int, application: ASGIApp, name: str, setting: str) -> AsyncIterator[None]:
    """Serves an application while the context is open. Raises AdapterStopped for an address in use, naming the setting.

    `name`: what it is for people.
    """
    try:
        listening = _listening(host, port)
    except OSError as error:
        told = {"name": name, "address": f"{host}:{port}", "reason": error.strerror or str(error), "setting": setting}
        sentence = texts.PORT_TAKEN if error.errno == errno.EADDRINUSE else texts.NOT_SERVED
        raise AdapterStopped(sentence.format(**told)) from error
    config = uvicorn.Config(
        application,
        access_log=False,  # an address may be a link
        log_config=None,
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        ws="none",
        limit_concurrency=AT_ONCE,
        timeout_graceful_shutdown=WAITS_S,
    )
    server = _Server(config)
    with listening:
        # Owned by this context, which ends it below.
        serving = asyncio.create_task(server.serve(sockets=[listening]), name=f"the {name}")
        try:
            yield
        finally:
            server.should_exit = True
            await serving


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen()
        opened.setblocking(False)
    except OSError:
        opened.close()
        raise
    return opened

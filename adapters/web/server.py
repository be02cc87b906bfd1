"""Serves the page, and whatever else is asked for by HTTP, beside everything else, in the same process and loop."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from adapters.web.app import build_page
from adapters.web.listening import listening_at
from adapters.web.visiting import Page

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
async def page_served(page: Page, listening: socket.socket | None = None) -> AsyncIterator[str]:
    """Serves the page while the context is open; yields where it is. Raises AdapterStopped for an address in use.

    `listening`: the socket, where it is open already.
    """
    web = page.settings.web
    opened = listening or listening_at(web.host, web.port, "page", "web.port")
    async with served_at(opened, build_page(page), "page"):
        yield web.address


@asynccontextmanager
async def served_at(listening: socket.socket, application: ASGIApp, name: str) -> AsyncIterator[None]:
    """Serves an application while the context is open, and closes the socket after it. `name`: what it is."""
    config = uvicorn.Config(
        application,
        access_log=False,  # an address may be a link
        log_config=None,
        log_level="error",  # what strangers send oddly is warned of: that would be said amid a conversation
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

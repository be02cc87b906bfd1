"""What `bot run` lets be seen from outside, with `metrics.listen`: numbers for Prometheus, whether it lives, and works.

Served from before the model is loaded, which can take minutes, until all is closed.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from adapters.web.listening import listening_at
from adapters.web.server import served_at
from bot.app.app import App
from bot.app.metrics import Metrics
from bot.config import Settings
from bot.domain import Backlog
from bot.errors import AdapterStopped, StorageError
from bot.ports import Clock


class Watched:
    """The program as it is seen from outside. `app`: None before everything is built."""

    def __init__(self, clock: Clock, metrics: Metrics | None, stop: asyncio.Event) -> None:
        self.metrics = metrics
        """None: nobody looks."""
        self.app: App | None = None
        self._clock = clock
        self._stop = stop

    async def numbers(self, _request: Request) -> Response:
        """`/metrics`."""
        backlog, why_not = await self._looked_at()
        app = self.app
        assert self.metrics is not None  # noqa: S101  else nothing is served
        text = self.metrics.look(
            backlog,
            self._clock.now(),
            ready=not why_not,
            busy=(app.conversations.places, app.conversations.waiting) if app is not None else (0, 0),
            states=app.states if app is not None else {},
        )
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    async def health(self, _request: Request) -> Response:
        """`/healthz`: the program answers, so it need not be started again."""
        return PlainTextResponse("lives\n")

    async def readiness(self, _request: Request) -> Response:
        """`/readyz`: whether messages are answered now; if not, why."""
        _, why_not = await self._looked_at()
        return PlainTextResponse(f"{why_not or 'ready'}\n", 503 if why_not else 200)

    async def _looked_at(self) -> tuple[Backlog | None, str]:
        """What waits (None: the database does not answer), and why no message is answered, if so."""
        app = self.app
        if app is None:
            return None, "starting"
        try:
            backlog = await app.stores.backlog.waiting(self._clock.now())
        except StorageError:
            return None, "the database does not answer"
        if self._stop.is_set():
            return backlog, "leaving"
        if not app.awake.is_set():
            return backlog, "waking up"
        served = not app.states or "running" in app.states.values()
        return backlog, "" if served else "no platform can be reached"


@asynccontextmanager
async def watched(
    settings: Settings, clock: Clock, tell: Callable[[str], None], stop: asyncio.Event
) -> AsyncIterator[Watched]:
    """Serves the numbers while the context is open, if the settings say so. What keeps it from that is told."""
    if not settings.metrics.listen:
        yield Watched(clock, None, stop)
        return
    metrics = Metrics()
    watch = Watched(clock, metrics, stop)
    routes = {"/metrics": watch.numbers, "/healthz": watch.health, "/readyz": watch.readiness}
    application = Starlette(routes=[Route(path, answer) for path, answer in routes.items()])
    host, port = settings.metrics.address
    async with AsyncExitStack() as stack:
        stack.enter_context(metrics.listening())
        try:
            listening = listening_at(host, port, "metrics", "metrics.listen")
            await stack.enter_async_context(served_at(listening, application, "metrics"))
        except AdapterStopped as error:
            tell(str(error))
        yield watch

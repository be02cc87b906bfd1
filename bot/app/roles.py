"""How a gateway and a worker serve, where several processes share one database. Alone, `App.serve` does it all."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from weakref import WeakSet

import structlog

from bot.app.app import INDEX_S, App
from bot.app.leasing import LeasedAdapter, sole
from bot.app.serving import PAUSES_S, Serving, awaited, in_time
from bot.care.ticking import Ticking
from bot.conversation.claiming import Claiming
from bot.conversation.elsewhere import Claimed, Dispatch
from bot.domain import ProcessRole
from bot.errors import HelloAgainError, StorageError
from bot.ports import Adapter, Core, Messenger, Part
from bot.storage.stores import Shared

LOOK_S = 1.0
"""Seconds between looks for something to do, when nothing rings."""

PLAN_S = 5.0
"""Seconds between looks for whom check-ins are planned anew."""

_log = structlog.get_logger(__name__)


class NoPlatform:
    """What a worker has in place of adapters: it runs until it is stopped."""

    platform = ProcessRole.WORKER.value

    @property
    def messenger(self) -> Messenger:
        """There is none: everything it says waits for a gateway."""
        raise NotImplementedError

    async def run(self, core: Core) -> None:
        """Waits."""
        await asyncio.Event().wait()


async def prepare_role(app: App) -> None:
    """Loads what is still to be loaded. What else is to be done at a start is one worker's upkeep."""
    await app.load_rest()
    app.awake.set()
    app.conversations.wake_up()
    await app.conversations.read_ahead()


async def serve_role(
    app: App, adapters: Sequence[Adapter], *, stop: asyncio.Event, told: Callable[[str], None] = _log.error
) -> None:
    """Serves as a gateway or a worker until `stop` is set. Raises as `App.serve` does."""
    shared = app.stores.shared
    if shared is None:
        raise RuntimeError("a process that is alone has no role")
    bell: tuple[str, Callable[[], Awaitable[None]]] = ("rings between processes", shared.bell.run)
    if shared.role is ProcessRole.GATEWAY:
        sending: WeakSet[Dispatch] = WeakSet()

        async def finish() -> None:
            await all_of(app.finish(), *(dispatch.finish() for dispatch in sending))

        beside = [bell]
        served: list[Adapter] = [_leased(app, shared, adapter, stop, sending) for adapter in adapters]
    else:
        claiming = _claiming(app, shared)

        async def finish() -> None:
            claiming.close()
            await app.finish()

        served = [NoPlatform()]
        beside = [
            bell,
            ("places that are claimed", claiming.run),
            ("background work", app.background.run),
            ("plans for check-ins", partial(_plan, app)),
            ("upkeep", partial(sole, shared.leases, "upkeep", partial(_upkeep, app))),
        ]
    beside.append(("nobody alone on the database", app.stores.stay_alone))
    serving = Serving(core=app, beside=beside, finish=finish, told=told, states=app.states, pauses_s=PAUSES_S)
    await serving.run(served, stop)


async def all_of(*work: Awaitable[None]) -> None:
    """Does all of it at once, to its end also where one fails. Raises then what the first of those raised."""
    for error in await asyncio.gather(*work, return_exceptions=True):
        if error is not None:
            raise error


def _leased(
    app: App, shared: Shared, adapter: Adapter, stop: asyncio.Event, sending: WeakSet[Dispatch]
) -> LeasedAdapter:
    """`sending` is where what sends can be found, as long as it does."""

    def dispatch(part: Part) -> Dispatch:
        begun = Dispatch(
            platform=adapter.platform,
            holds=part.holds,
            outbox=shared.outbox,
            delivery=app.delivery,
            bell=shared.bell,
            look_s=LOOK_S,
        )
        sending.add(begun)
        return begun

    return LeasedAdapter(adapter, shared.leases, dispatch, stop)


def _claiming(app: App, shared: Shared) -> Claiming:
    conversations = app.conversations
    if not isinstance(conversations, Claimed):
        raise TypeError("a worker deals with places that were claimed")
    seen: int | None = None

    async def freshen() -> None:
        """Forgets what other processes may have changed: decisions and modes always, memories when they were."""
        nonlocal seen
        app.consents.forget()
        conversations.forget_modes()
        audience = (await app.stores.passages.version()).audience
        if seen is not None and audience != seen:
            app.refiner.forget()
            app.recall.forget_people()
            app.later.opened.forget()
        seen = audience

    return Claiming(
        claims=shared.claims,
        leases=shared.leases,
        conversations=conversations,
        bell=shared.bell,
        freshen=freshen,
        look_s=LOOK_S,
    )


async def _plan(app: App) -> None:
    """Plans check-ins anew for those who spoke here: the worker that sends them does not know."""
    while True:
        await asyncio.sleep(PLAN_S)
        while app.later.heard:
            try:
                await app.checkins.planner.plan_anew(app.later.heard.pop())
            except StorageError as error:
                _log.error("a check-in is planned later", reason=str(error))


async def _upkeep(app: App) -> None:
    """What one worker does for all; begun anew when the storage fails."""
    while True:
        try:
            await _upkeep_once(app)
        except* HelloAgainError as raised:
            _log.error("upkeep is begun again", reasons=[str(error) for error in raised.exceptions])
        await asyncio.sleep(LOOK_S)


async def _upkeep_once(app: App) -> None:
    """Erasures, idle sessions, missing vectors, the review for danger, check-ins: until cancelled."""
    await app.eraser.take_up()
    await app.safety_review.begin()
    await in_time(app.indexer.catch_up(passages=False), INDEX_S)
    every_s = app.settings.care.tick_s
    checkins = Ticking(tick=app.safety_review.done_before(app.checkins.tick), every_s=every_s)
    async with asyncio.TaskGroup() as group:
        for work in (app.eraser.run, app.safety_review.run, app.index_rest, checkins.run, partial(_look_after, app)):
            group.create_task(awaited(work()), name="upkeep")


async def _look_after(app: App) -> None:
    while True:
        try:
            if await app.short_term.close_idle():
                app.background.wake()
            await app.keeping.look()
            await app.eraser.take_up()
        except StorageError as error:
            _log.error("upkeep waits for the storage", reason=str(error))
        await asyncio.sleep(app.settings.session.idle_check_s)

"""python-telegram-bot's Bot as this adapter uses it: its time-outs, its limits, and updates as they come."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeAlias

from telegram.error import RetryAfter
from telegram.ext import AIORateLimiter, ExtBot
from telegram.request import HTTPXRequest

CONNECTIONS = 64
CONNECT_S = 10.0
READ_S = 20.0
SEND_S = 90.0
"""Seconds for the answer to a new message: one that is sent a second time for want of an answer is there twice."""
UPLOAD_S = 120.0
"""Seconds for a file on its way."""
POLL_S = 25
"""Seconds for which Telegram keeps a request for updates open."""
POLL_GRACE_S = 10.0
"""Seconds after these until the connection is taken for dead."""

COUNTED = frozenset({"sendMessage", "sendDocument", "editMessageText"})
"""What Telegram counts as a message: 30 a second, and 20 a minute in one group."""
KEPT_FREE = 10
"""Messages a minute of one group that growing replies leave to the final ones."""

MOST_OFFERED = 500
"""Messages of which it is known what their buttons carry."""

Json: TypeAlias = dict[str, Any]
Answered: TypeAlias = bool | Json | list[Json]


class Limiter(AIORateLimiter):
    """Waits where Telegram would refuse. What it does not count as a message never waits."""

    async def process_request(
        self,
        callback: Callable[..., Coroutine[Any, Any, Answered]],
        args: Any,
        kwargs: Json,
        endpoint: str,
        data: Json,
        rate_limit_args: int | None,
    ) -> Answered:
        """Does a request when it may be done."""
        if endpoint not in COUNTED:
            return await callback(*args, **kwargs)
        refused: list[RetryAfter] = []

        async def kept(*args: Any, **kwargs: Any) -> Answered:
            """Keeps from the library what it would log as an error, with a traceback: the caller deals with it."""
            try:
                return await callback(*args, **kwargs)
            except RetryAfter as fault:
                refused.append(fault)
                return False

        answered = await super().process_request(kept, args, kwargs, endpoint, data, rate_limit_args)
        if refused:
            raise refused[0]
        return answered

    def has_room(self, chat: int) -> bool:
        """Whether a growing reply may be shown in a chat without making a final one wait."""
        return chat > 0 or self._get_group_limiter(chat).has_capacity(KEPT_FREE)


class Connection(ExtBot[int]):
    """One bot account. Must be initialised before it is used, and shut down after."""

    def __init__(self, token: str, api_url: str) -> None:
        super().__init__(
            token,
            base_url=api_url,
            request=HTTPXRequest(
                connection_pool_size=CONNECTIONS,
                connect_timeout=CONNECT_S,
                read_timeout=READ_S,
                media_write_timeout=UPLOAD_S,
            ),
            get_updates_request=HTTPXRequest(
                connection_pool_size=2, connect_timeout=CONNECT_S, read_timeout=POLL_GRACE_S
            ),
            rate_limiter=Limiter(),
        )
        with self._unfrozen():
            self._offered: dict[str, tuple[str, ...]] = {}

    def offers(self, message: str, carried: tuple[str, ...]) -> None:
        """Notes what the buttons of a message carry; the oldest are forgotten."""
        self._offered[message] = carried
        while len(self._offered) > MOST_OFFERED:
            del self._offered[next(iter(self._offered))]

    @property
    def offered(self) -> dict[str, tuple[str, ...]]:
        """Message → what its buttons carry, of the last messages that have some: reactions do not tell it."""
        return self._offered

    def has_room(self, chat: int) -> bool:
        """Whether a growing reply may be shown in a chat without making a final one wait."""
        limiter = self.rate_limiter
        return not isinstance(limiter, Limiter) or limiter.has_room(chat)

    async def raw_updates(self, offset: int | None, kinds: Sequence[str], seconds: int = POLL_S) -> list[Json]:
        """Updates from `offset` on, as Telegram sends them, as soon as there are some; all before are confirmed.

        `Bot.get_updates` gives all of them or none, and logs what people wrote when one cannot be read. Raises
        TelegramError.
        """
        asked = {"offset": offset, "timeout": seconds, "allowed_updates": list(kinds)}
        updates: list[Json] = await self._post("getUpdates", asked, read_timeout=seconds + POLL_GRACE_S)
        return updates

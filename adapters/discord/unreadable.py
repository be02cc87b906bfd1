"""What discord.py cannot read is left out, and logged once, without words. It would end the connection otherwise.

Discord adds kinds of things, and discord.py fails on a field that is missing or of another kind.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import discord
import structlog
from discord.state import ConnectionState

UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What discord.py raises then; the last for times that are none."""

REMEMBERED = 1000
"""What is kept in mind, so that it is not logged again: messages by id, other events by what is wrong with them."""

_VITAL = frozenset({"READY", "RESUMED"})
"""Without these there is no session: they are not left out."""

ClientT = TypeVar("ClientT", bound=discord.Client)

_log = structlog.get_logger(__name__)


class SkippingState(ConnectionState[ClientT]):
    """discord.py's state, which reads all that Discord tells, without what it cannot read."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._told: deque[str] = deque(maxlen=REMEMBERED)
        self.parsers = {
            event: parse if event in _VITAL else partial(self._read, event, parse)
            for event, parse in self.parsers.items()
        }

    def readable(self, *, channel: Any, data: Any) -> discord.Message | None:
        """A message of a channel's history; None when it cannot be read."""
        try:
            return super().create_message(channel=channel, data=data)
        except UNREADABLE as fault:
            self._skip("MESSAGE_CREATE", data, fault)
            return None

    create_message = readable  # type: ignore[assignment]  # what discord.py makes a history of

    def _read(self, event: str, parse: Callable[[Any], None], data: Any) -> None:
        try:
            parse(data)
        except UNREADABLE as fault:
            self._skip(event, data, fault)

    def _skip(self, event: str, data: Any, fault: Exception) -> None:
        id_ = str(data.get("id", "")) if isinstance(data, dict) else ""
        told = f"{event} {id_ or type(fault).__name__}"
        if told in self._told:
            return
        self._told.append(told)
        _log.warning(
            "something that Discord tells cannot be read and is left out", what=event, fault=type(fault).__name__
        )

"""Logging, set up once: structured, with secrets scrubbed at the root and a turn id on every line of a turn.

What people write is never logged above DEBUG: no call in this program hands an utterance's text to the log at a higher
level, and a test holds it to that.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from typing import Any

import structlog

from bot.config import SECRETS, Log, Secrets

SCRUBBED = "[secret]"
QUIET = (
    "httpx",
    "httpcore",
    "httpx2",
    "httpcore2",
    "openai",
    "chromadb",
    "sentence_transformers",
    "transformers",
    "bitsandbytes",
    "alembic",
    "aiosqlite",
    "apscheduler",
)
"""Libraries whose lines below WARNING are of no use to an owner."""


class _Scrubber(logging.Formatter):
    """Formats with another formatter and takes every secret out of the result, tracebacks included."""

    def __init__(self, inner: logging.Formatter, secrets: Iterable[str]) -> None:
        super().__init__()
        self._inner = inner
        self._secrets = tuple(secret for secret in secrets if secret)

    def format(self, record: logging.LogRecord) -> str:
        """The line without secrets."""
        line = self._inner.format(record)
        for secret in self._secrets:
            line = line.replace(secret, SCRUBBED)
        return line


def set_up_logging(settings: Log, secrets: Secrets) -> None:
    """Directs all logging of this process to standard error. Calling it again replaces the earlier set-up."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if settings.format == "json"
        else structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    )
    steps: list[structlog.typing.Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if settings.format == "json":
        steps.append(structlog.processors.format_exc_info)
    inner = structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[*steps, renderer])
    stream = logging.StreamHandler(sys.stderr)
    values = (getattr(secrets, name) for name in SECRETS)
    stream.setFormatter(_Scrubber(inner, [value.get_secret_value() for value in values if value is not None]))
    root = logging.getLogger()
    root.handlers[:] = [stream]
    root.setLevel(settings.level)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(settings.level)))

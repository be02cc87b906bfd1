"""Logging, set up once: structured, with secrets scrubbed at the root and a turn id on every line of a turn.

What people write is never logged above DEBUG: no call in this program hands an utterance's text to the log at a higher
level, and a test holds it to that. Other libraries' lines are shown without their values, any of which may be a whole
message; at DEBUG with them, but for the libraries that store and send (WORDLESS). An error's own words may quote what
it failed on, so above DEBUG a traceback names the error's class and where it was raised, and nothing else.
"""

import copy
import logging
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any, TextIO

import structlog

from bot.config import SECRETS, Log, Secrets

SCRUBBED = "[secret]"
WORDLESS = ("aiosqlite", "chromadb", "httpcore", "httpcore2", "httpx", "httpx2", "sqlalchemy")
"""Libraries through which all that is stored or sent goes: their lines are shown without values at every level."""

QUIET = (*WORDLESS, "alembic", "apscheduler", "openai", "sentence_transformers", "transformers")
"""Libraries whose lines below WARNING are of no use to an owner."""

OURS = ("bot", "adapters", "cogs")
_LIBRARIES = ("<frozen ", *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")))
UNSHOWN = "(words that may be somebody's are not shown)"


class _Scrubber(logging.Formatter):
    """Formats with another formatter and takes every secret out of the result, tracebacks included.

    `wordless`: other libraries' lines are shown without what was put into them; those of WORDLESS always are.
    """

    def __init__(self, inner: logging.Formatter, secrets: Iterable[str], *, wordless: bool) -> None:
        super().__init__()
        self._inner = inner
        self._wordless = wordless
        self._secrets = tuple(secret for secret in secrets if secret)

    def format(self, record: logging.LogRecord) -> str:
        """The line without secrets."""
        wordless = self._wordless or record.name.partition(".")[0] in WORDLESS
        line = self._inner.format(_without_values(record) if wordless else record)
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
    wordless = logging.getLevelName(settings.level) > logging.DEBUG
    told = _wordless if wordless else _whole
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if settings.format == "json"
        else structlog.dev.ConsoleRenderer(colors=False, exception_formatter=_below(told))
    )
    steps: list[structlog.typing.Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if settings.format == "json":
        steps.append(structlog.processors.ExceptionRenderer(lambda raised: told(raised[1])))
    inner = structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[*steps, renderer])
    stream = logging.StreamHandler(sys.stderr)
    values = (getattr(secrets, name) for name in SECRETS)
    stream.setFormatter(
        _Scrubber(inner, [value.get_secret_value() for value in values if value is not None], wordless=wordless)
    )
    root = logging.getLogger()
    root.handlers[:] = [stream]
    root.setLevel(settings.level)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(settings.level)))


def _without_values(record: logging.LogRecord) -> logging.LogRecord:
    """What another library's line says whatever it is about; of an error within libraries alone, its class."""
    if record.name.partition(".")[0] in OURS:
        return record
    safe = copy.copy(record)
    safe.args, safe.stack_info, safe.exc_text = None, None, None
    safe.msg = record.msg if _is_fixed(record) else UNSHOWN
    error = record.exc_info[1] if record.exc_info else None
    if error is not None and _is_of_libraries(error):
        safe.exc_info, safe.msg = None, f"{safe.msg} ({type(error).__qualname__})"
    return safe


def _is_fixed(record: logging.LogRecord) -> bool:
    """Whether the line, before its values, is written so in the code that logs it, which is on the stack."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001  the only way to the code that is running
    while frame is not None:
        code = frame.f_code
        if code.co_filename == record.pathname and code.co_name == record.funcName:
            return record.msg in code.co_consts
        frame = frame.f_back
    return False


def _is_of_libraries(error: BaseException) -> bool:
    """Whether none of our code was running where an error was raised, nor called what was."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        ours = str(frame.f_globals.get("__name__")).partition(".")[0] in OURS
        if ours or not frame.f_code.co_filename.startswith(_LIBRARIES):
            return False
    return True


def _below(told: Callable[[BaseException], str]) -> Callable[[TextIO, structlog.typing.ExcInfo], None]:
    """Writes what is told of an error below its line."""

    def write(stream: TextIO, raised: structlog.typing.ExcInfo) -> None:
        stream.write(f"\n{told(raised[1])}")

    return write


def _whole(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)).rstrip()


def _wordless(error: BaseException) -> str:
    """Where an error was raised, and what led to it: lines of the program and classes, and no words of errors."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    parts = [] if before is None else [f"{_wordless(before)}\n\nWhich led to:\n"]
    if isinstance(error, BaseExceptionGroup):
        parts += [f"{_wordless(one)}\n\nWhich is one of:\n" for one in error.exceptions]
    frames = "".join(traceback.format_tb(error.__traceback__))
    return "\n".join([*parts, f"Traceback (most recent call last):\n{frames}{type(error).__qualname__}"])

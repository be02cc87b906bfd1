"""What the commands share: options that many of them have, the settings, and how a command runs and ends."""

import asyncio
import importlib
import inspect
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from bot.config import Settings, load_settings, misspelt_secrets
from bot.config.secret_file import read_secrets, secret_file
from bot.errors import HelloAgainError
from bot.log import set_up_logging

DEFAULT_CONFIG = Path("config.yaml")

ConfigOption = Annotated[Path | None, typer.Option("--config", help="The settings file (default: config.yaml here).")]
DataDirOption = Annotated[Path | None, typer.Option("--data-dir", help="Where everything is stored.")]


def settings_of(config: Path | None, data_dir: Path | None = None, **overrides: Any) -> Settings:
    """The settings with what the command line overrides, and logging set up by them."""
    if config is None and DEFAULT_CONFIG.exists():
        config = DEFAULT_CONFIG
    folder = str(data_dir.resolve()) if data_dir is not None else None
    environment = {**read_secrets(secret_file(config or DEFAULT_CONFIG)), **os.environ}
    file = config.resolve() if config is not None else None
    settings = load_settings(file, environment, storage__data_dir=folder, **overrides)
    for sentence in misspelt_secrets(environment):
        _say(sentence, "yellow")
    set_up_logging(settings.log, settings.secrets)
    return settings


def perform(command: str, arguments: Callable[[], tuple[Any, ...]]) -> NoReturn:
    """Runs "module:function" of `bot.commands` and exits with its code.

    The arguments are made first and the module is loaded then: a wrong setting is told before anything heavy loads.
    """
    module, _, function = command.partition(":")

    def work() -> int:
        given = arguments()
        result = getattr(importlib.import_module(f"bot.commands.{module}"), function)(*given)
        return int(asyncio.run(result) if inspect.iscoroutine(result) else result)

    finish_at_once(work)


def finish_at_once(work: Callable[[], int]) -> NoReturn:
    """Runs a command and exits with its code; an error that people can mend is one sentence and code 1, Ctrl-C 130."""
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)  # it warns as it is imported, before logging is set up
    try:
        code = work()
    except HelloAgainError as error:
        _say(str(error), "red")
        code = 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        code = 130
    raise typer.Exit(code)


def start(app: typer.Typer) -> NoReturn:
    """Runs a command line. What it makes is for its owner alone, by libraries too."""
    os.umask(0o077)
    try:
        app()
    except SystemExit as ended:
        _leave(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
    _leave(0)


def _say(sentence: str, style: str) -> None:
    Console(stderr=True, highlight=False, soft_wrap=True).print(Text(sentence, style=style))


def _leave(code: int) -> NoReturn:
    """Ends the process at once. All is closed by now: taking the libraries down takes seconds and saves nothing."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)

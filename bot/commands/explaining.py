"""`hello-again settings`: every setting, what it is for, and what it is now."""

from pathlib import Path

import typer

from bot.config import Settings
from bot.config.explained import explained, tells_of
from bot.errors import BadInput
from bot.texts import setup as texts


def explain(settings: Settings, file: Path, word: str) -> int:
    """Prints them, or those of which a word is told. Raises BadInput: there is none."""
    found = [one for one in explained(settings, file.parent) if tells_of(f"{one.path} {one.why}", word)]
    if not found:
        raise BadInput(texts.NO_SUCH_SETTING.format(word=word))
    for one in found:
        value = one.value or '""'
        typer.echo((texts.SETTING_CHANGED if one.set_by else texts.SETTING_NOW).format(path=one.path, value=value))
        typer.echo(f"    {one.why}")
    return 0

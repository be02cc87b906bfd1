"""Conversations written for this project, reply by reply: what people say, and what a good friend answers.

YAML files, named after their language (`de.yaml`) or in English: lists of conversations, each with its `turns`, pairs
of what is said and what is answered. What is remembered stands in brackets before what is said, as the program puts it
there (`conversation/phrases`). Where several people talk (`channel`) each line has a name in front.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.conversation.phrases import ENGLISH, LANGUAGES
from bot.errors import BadInput

SHIPPED = Path(__file__).parents[1] / "tuning" / "talk"


class Written(BaseModel):
    """One conversation. `name`: its file and number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    language: str
    turns: tuple[tuple[str, str], ...] = Field(min_length=1)
    channel: bool = False


def read_written(folder: Path = SHIPPED) -> list[Written]:
    """All conversations of a folder. Raises BadInput."""
    return [one for file in sorted(folder.rglob("*.yaml")) for one in _read(file)]


def _read(file: Path) -> Iterator[Written]:
    language = file.stem if file.stem in LANGUAGES else ENGLISH
    try:
        listed = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        for number, one in enumerate(listed, 1):
            yield Written.model_validate({"name": f"{file.stem} {number}", "language": language, **one})
    except (OSError, UnicodeDecodeError, yaml.YAMLError, TypeError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise BadInput(f"{file} holds no written conversations ({reason}). See {__name__} for their form.") from None

"""JSON files and JSON-lines files, checked against a type. What cannot be read is a BadInput naming file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.errors import BadInput

T = TypeVar("T")


def read_text(path: Path) -> str:
    """The whole file as UTF-8 text, without a byte order mark. Raises BadInput."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"There is no file at {path}. Check the path given with --data.") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path}, line {line}: not UTF-8 text. Save the file as UTF-8.") from None


def read_record(path: Path, adapter: TypeAdapter[T]) -> T:
    """The file's one JSON value as `T`. Raises BadInput."""
    return _validated(_parsed(read_text(path), f"{path}", first_line=1), adapter, f"{path}")


def read_records(path: Path, adapter: TypeAdapter[T]) -> Iterator[tuple[int, T]]:
    """The JSON value of each line that is not blank, as `T`, with its line number from 1. Raises BadInput."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, _validated(_parsed(line, f"{path}", number), adapter, f"{path}, line {number}")


def _parsed(text: str, where: str, first_line: int) -> object:
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"{where}, line {first_line + error.lineno - 1}: not JSON ({error.msg}).") from None
    except (ValueError, RecursionError):
        raise BadInput(
            f"{where}, line {first_line}: JSON nested too deeply, or a number with too many digits."
        ) from None
    return value


def _validated(value: object, adapter: TypeAdapter[T], where: str) -> T:
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in problem["loc"]) or "the record"
        raise BadInput(f"{where}: {field}: {problem['msg']}.") from None

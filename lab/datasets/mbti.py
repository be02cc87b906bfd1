"""The public MBTI layout: a CSV with the columns `type` and `posts`, one person a row, posts joined by `|||`.

Its posts come from a forum about these types, and many name one. Such posts are left out, else a classifier learns to
read the label; and so are links. Rows with the same posts are one person.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from bot.errors import BadInput
from bot.texts.character import TYPES

JOINT = "|||"
COLUMNS = ("type", "posts")
LONGEST_FIELD = 10_000_000
LONGEST_POST = 500
FEWEST_WORDS = 3

_NAMES_A_TYPE = re.compile(rf"\b(?:{'|'.join(TYPES)})(?:'?s)?\b|\bmbti\b", re.IGNORECASE)
_LINK = re.compile(r"https?://\S+|www\.\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Typed:
    """One person: the type that they gave themselves, and what they wrote, as far as it is used."""

    type: str
    posts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TypedPeople:
    """What was read. `named`: posts that were left out because they name a type."""

    people: tuple[Typed, ...]
    named: int
    twice: int
    """Rows that were there before."""


def read_people(data: Path) -> TypedPeople:
    """All people of a file, or of the `.csv` files of a folder. Raises BadInput."""
    files = sorted(data.glob("*.csv")) if data.is_dir() else [data]
    if not files:
        raise BadInput(f"There is no .csv file in {data}. It should hold one with the columns {' and '.join(COLUMNS)}.")
    people: dict[tuple[str, ...], Typed] = {}
    named = rows = 0
    for file in files:
        for line, kind, posts in _rows(file):
            if kind not in TYPES:
                raise BadInput(f"{file}, line {line}: {kind[:20]!r} is none of the sixteen types, such as INFP.")
            kept, left_out = _usable(posts)
            named, rows = named + left_out, rows + 1
            people.setdefault(kept or (f"{file} {line}",), Typed(kind, kept))
    return TypedPeople(tuple(people.values()), named, rows - len(people))


def _rows(file: Path) -> list[tuple[int, str, str]]:
    """Line, type and posts of each row."""
    limit = csv.field_size_limit(LONGEST_FIELD)
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            if not set(COLUMNS) <= set(reader.fieldnames or ()):
                raise BadInput(
                    f"{file} should be a CSV file with the columns {' and '.join(COLUMNS)} in its first line."
                )
            found: list[tuple[int, str, str]] = []
            for row in reader:
                kind, posts = row["type"], row["posts"]
                if kind is None or posts is None or None in row:
                    raise BadInput(f"{file}, line {reader.line_num}: this row has too few or too many columns.")
                found.append((reader.line_num, kind.strip().upper(), posts))
            return found
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{file} cannot be read as CSV: {error}.") from None
    finally:
        csv.field_size_limit(limit)


def _usable(posts: str) -> tuple[tuple[str, ...], int]:
    """What of a row's posts is used, and how many were left out because they name a type."""
    kept: list[str] = []
    named = 0
    for post in posts.split(JOINT):
        text = " ".join(_LINK.sub(" ", post).split()).strip("'\"")
        if _NAMES_A_TYPE.search(text):
            named += 1
        elif len(text.split()) >= FEWEST_WORDS:
            kept.append(text[:LONGEST_POST])
    return tuple(kept), named

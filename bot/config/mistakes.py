"""What is wrong with the settings, in our words: for each mistake where it stands, and what is right."""

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from bot.config.sections import SECRETS, Settings

SECRET_NAMES = {"token", "bot_token", "api_token", "api_key", "key", "password"}
SECRET_OF = {"discord": "DISCORD_TOKEN", "telegram": "TELEGRAM_TOKEN", "model": "MODEL_API_KEY"}
"""Section → the secret that somebody means who writes one there."""
ALIKE = 0.85
"""How much a variable's name is like a secret's to be taken for a slip."""

WANTED = {
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
    "string": "a text",
    "tuple": 'a list, such as ["this", "that"]',
    "dict": "a section with settings below it",
    "model": "a section with settings below it",
    "path": "the path of a file or folder",
}
"""The first word of pydantic's name for a mistake → what is right."""

BOUNDS = {
    "greater_than": "more than {gt:,.12g}",
    "greater_than_equal": "at least {ge:,.12g}",
    "less_than": "less than {lt:,.12g}",
    "less_than_equal": "at most {le:,.12g}",
    "string_too_short": "a text whose length is at least {min_length}",
    "string_too_long": "a text of at most {max_length} characters",
    "too_short": "a list whose length is at least {min_length}",
    "too_long": "a list whose length is at most {max_length}",
    "literal_error": "{expected}",
}
"""pydantic's name for a mistake → what is right, with the limit that it tells."""

_NAMED = re.compile(r"(?P<where>[a-z_]+\.[a-z_]+): (?P<right>.+)")
"""What a whole section's check says: which of its settings it is about."""


def sentences(error: ValidationError, path: Path | None, origins: Mapping[tuple[str, ...], str]) -> str:
    """Every mistake on a line of its own. `origins`: the path of a setting → the variable that set it."""
    return "\n".join(
        f"{_source(problem['loc'], path, origins)}: {_sentence(problem['loc'], dict(problem))}"
        for problem in error.errors()
    )


def misspelt_secrets(environment: Mapping[str, str]) -> list[str]:
    """A sentence for each variable that is probably meant to be a secret's and is not read."""
    slips = {
        name: near[0]
        for name in environment
        if name not in SECRETS.values() and (near := _near(name, SECRETS.values(), ALIKE))
    }
    return [
        f"The environment variable {name} is not read. Did you mean {secret}?"
        for name, secret in slips.items()
        if not environment.get(secret)
    ]


def meant_variable(name: str, prefix: str) -> str:
    """What to say of a variable that begins like ours and is none of them."""
    known = ["__".join(path).upper() for path in _paths(Settings)]
    near = _near(name.upper().removeprefix(prefix.rstrip("_")).strip("_"), known, 0.7)
    hint = f"Did you mean {prefix}{near[0]}?" if near else f"Settings are written {prefix}SECTION__NAME."
    return f"The environment variable {name} is not a setting. {hint}"


def _paths(section: type[BaseModel]) -> Iterable[tuple[str, ...]]:
    for name, field in section.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from ((name, *rest) for rest in _paths(inner))
        else:
            yield (name,)


def _near(name: str, known: Iterable[str], alike: float) -> list[str]:
    return difflib.get_close_matches(name, list(known), n=1, cutoff=alike)


def _source(location: tuple[int | str, ...], path: Path | None, origins: Mapping[tuple[str, ...], str]) -> str:
    """Where the wrong value was written: a variable, else the file."""
    parts = tuple(str(part) for part in location)
    for end in range(len(parts), 0, -1):
        if parts[:end] in origins:
            return f"The environment variable {origins[parts[:end]]}"
    return str(path) if path is not None else "The settings"


def _sentence(location: tuple[int | str, ...], problem: dict[str, Any]) -> str:
    where, kind = ".".join(str(part) for part in location), str(problem["type"])
    if kind == "extra_forbidden":
        return _unknown(where, location)
    if kind == "missing":
        return f"'{where}' is missing."
    right = _right(kind, problem)
    if named := _NAMED.fullmatch(right):
        return f"'{named['where']}' should be {named['right']}."
    value = problem.get("input")
    shown = f" (it is {value!r})" if isinstance(value, str | int | float | bool) else ""
    return f"'{where}' should be {right}{shown}."


def _right(kind: str, problem: dict[str, Any]) -> str:
    """What would be right there."""
    if kind in BOUNDS:
        return BOUNDS[kind].format(**problem["ctx"])
    return WANTED.get(kind.partition("_")[0]) or str(problem["msg"])


def _unknown(where: str, location: tuple[int | str, ...]) -> str:
    section, name = str(location[0]), str(location[-1])
    if name in SECRET_NAMES and section in SECRET_OF:
        return f"'{where}' does not belong here: set {SECRET_OF[section]} in the environment."
    known = _known_keys(location[:-1])
    near = _near(name, known, 0.6)
    hint = f"Did you mean '{near[0]}'?" if near else f"Known here: {', '.join(known)}."
    return f"'{where}' is not a setting. {hint}"


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    section: type[BaseModel] = Settings
    for part in location:
        inner = section.model_fields[str(part)].annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        section = inner
    return [name for name in section.model_fields if name != "secrets"]

"""What is wrong with the settings, in our words: for each mistake where it stands, and what is right."""

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from bot.config.sections import SECRETS, Settings
from bot.texts.beside import read_beside

SECRET_NAMES = {"token", "bot_token", "api_token", "api_key", "key", "password"}
SECRET_OF = {"discord": "DISCORD_TOKEN", "telegram": "TELEGRAM_TOKEN", "model": "MODEL_API_KEY"}
"""Section → the secret that somebody means who writes one there."""
MOST_MEANT = 2
"""Settings of the same name in other sections that are offered; more of them would not help."""
ALIKE = 0.85
"""How much a variable's name is like a secret's to be taken for a slip."""

_READ: Mapping[str, Mapping[str, str]] = read_beside(__file__)
WANTED = _READ["wanted"]
"""The first word of pydantic's name for a mistake → what is right."""

BOUNDS = _READ["bounds"]
"""pydantic's name for a mistake → what is right, with the limit that it tells."""

TOKENS_GO = "Write {secret}=... into secrets.env beside config.yaml; `hello-again setup` does it for you."

YAML = _READ["yaml"]
"""How the YAML parser's name for a mistake begins → what is wrong."""
WHERE_IT_ENDS = "expected <block end>"
"""The one mistake that is where the parser stopped; the others are where it began to read what is wrong."""

_ADDRESS_PASSWORD = re.compile(r"://[^/@\s]*@")
_NAMED = re.compile(r"(?P<where>[a-z_]+(\.[a-z_]+)+): (?P<right>.+)")
"""What a whole section's check says: which of its settings it is about."""


def sentences(error: ValidationError, path: Path | None, origins: Mapping[tuple[str, ...], str]) -> str:
    """Every mistake on a line of its own. `origins`: the path of a setting → the variable that set it."""
    return "\n".join(
        f"{_source(problem['loc'], path, origins)}: {_sentence(problem['loc'], dict(problem))}"
        for problem in error.errors()
    )


def yaml_sentence(error: yaml.YAMLError, path: Path) -> str:
    """Where a file is no YAML, and what to look for there."""
    problem = getattr(error, "problem", None) or "it cannot be read"
    begun = getattr(error, "context_mark", None) if not problem.startswith(WHERE_IT_ENDS) else None
    place = begun or getattr(error, "problem_mark", None)
    where = f", line {place.line + 1}" if place is not None else ""
    said = next((said for name, said in YAML.items() if problem.startswith(name)), problem)
    return f"{path}{where}: {said}{'?' if said.startswith('is a') else '.'}"


def unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Why a file cannot be read."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not a text in UTF-8"
    return "it is a folder" if isinstance(error, IsADirectoryError) else error.strerror or str(error)


def misplaced_secret(name: str) -> str:
    """Where a token or a key belongs that stands among the settings under this name."""
    secret = SECRETS.get(name.lower(), name.upper() if name.upper() in SECRETS.values() else "DISCORD_TOKEN")
    return f"'{name}' does not belong here. {TOKENS_GO.format(secret=secret)}"


def meant_secret(name: str) -> str:
    """The secret that a name is probably meant to be; empty: none."""
    return next(iter(_near(name, SECRETS.values(), ALIKE)), "")


def misspelt_secrets(environment: Mapping[str, str]) -> list[str]:
    """A sentence for each variable that is probably meant to be a secret's and is not read."""
    slips = {name: meant for name in environment if name not in SECRETS.values() and (meant := meant_secret(name))}
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
    kind = str(problem["type"])
    where = f"'{'.'.join(str(part) for part in location if not isinstance(part, int))}'"
    if location and isinstance(location[-1], int):
        where = f"entry {location[-1] + 1} of {where}"
    if kind == "extra_forbidden":
        return _unknown(where, location)
    if kind == "missing":
        return f"{where} is missing."
    right = _right(kind, problem)
    if named := _NAMED.fullmatch(right):
        return f"'{named['where']}' should be {named['right']}."
    value = problem.get("input")
    written = _ADDRESS_PASSWORD.sub("://...@", repr(value))
    may_show = isinstance(value, str | int | float | bool) and kind != "key_wanted"  # it may be the secret one
    shown = f" (it is {written})" if may_show else ""
    return f"{where} should be {right}{shown}."


def _right(kind: str, problem: dict[str, Any]) -> str:
    """What would be right there."""
    if kind in BOUNDS:
        return BOUNDS[kind].format(**problem["ctx"])
    return WANTED.get(kind.partition("_")[0]) or str(problem["msg"])


def _unknown(where: str, location: tuple[int | str, ...]) -> str:
    section, name = str(location[0]), str(location[-1])
    if name in SECRET_NAMES and section in SECRET_OF:
        return f"{where} does not belong here. {TOKENS_GO.format(secret=SECRET_OF[section])}"
    above, known = location[:-1], _known_keys(location[:-1])
    meant = [path for path in _paths(Settings) if path[-1] == name and path[0] != "secrets"]
    if not 1 <= len(meant) <= MOST_MEANT:
        meant = [(*map(str, above), near) for near in _near(name, known, 0.6)]
    paths = " or ".join(f"'{'.'.join(path)}'" for path in meant)
    hint = f"Did you mean {paths}?" if meant else f"Known here: {', '.join(known)}."
    return f"{where} is not a setting. {hint}"


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    section: type[BaseModel] = Settings
    for part in location:
        inner = section.model_fields[str(part)].annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        section = inner
    return [name for name in section.model_fields if name != "secrets"]

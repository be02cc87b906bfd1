"""Every setting with its value now, and the line of why beside it in SETTINGS.md, which comes with the program."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bot.config.loading import usual_settings
from bot.config.sections import Settings

DELIVERED = Path(__file__).with_name("SETTINGS.md")
COMMON = Path(__file__).with_name("config.yaml")
"""The lines that most owners want to see; `hello-again setup` writes them."""

_LINE = re.compile(r"(?P<indent> *)(?P<key>[a-z_0-9]+):(?:(?:.*?\s)?# (?P<why>.*))?")
_PASSWORD = re.compile(r"://[^/@\s]*@")
SHOWN = 200


@dataclass(frozen=True, slots=True)
class ExplainedSetting:
    """A setting, and who made it what it is now."""

    path: str
    value: str
    why: str
    set_by: Literal["", "owner", "command"]
    """Empty: it is the default. `owner`: the file, the environment or an option; `command`: the one that runs."""
    common: bool
    """Whether most owners want to see it."""


def explained(settings: Settings, base: Path, written: Settings | None = None) -> list[ExplainedSetting]:
    """Each setting, those that most owners want first; secrets are not among them.

    `base`: where the folders of the settings' file count from. `written`: what was loaded, where a command has changed
    some of it since.
    """
    usual, asked, now = (
        dict(_flat(one.model_dump(mode="json"))) for one in (usual_settings(base), written or settings, settings)
    )

    whys, common = dict(_lines(DELIVERED)), [path for path, _ in _lines(COMMON) if path in now]

    def set_by(path: str) -> Literal["", "owner", "command"]:
        if path not in asked or asked[path] != now[path]:
            return "command"
        return "" if path in usual and usual[path] == now[path] else "owner"

    order = [*common, *(path for path in now if path not in common)]
    return [
        ExplainedSetting(path, _shown(now[path]), whys.get(path, ""), set_by(path), path in common) for path in order
    ]


def tells_of(text: str, words: str) -> bool:
    """Whether words are found in what is said of a setting: "checkin" finds check-ins, too."""
    return _plain(words) in _plain(text)


def _plain(text: str) -> str:
    return text.casefold().replace("-", "")


def _flat(tree: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _shown(value: Any) -> str:
    """A value as it is written; the password of an address is left out."""
    words = (
        str(value).lower()
        if isinstance(value, bool)
        else ", ".join(map(str, value))
        if isinstance(value, list)
        else ""
        if value is None
        else str(value)
    )
    return _PASSWORD.sub("://…@", words)[:SHOWN]


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    """Path of each setting of a file → the comment behind it."""
    parents: list[tuple[int, str]] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        indent = len(found["indent"])
        parents = [(depth, key) for depth, key in parents if depth < indent] + [(indent, found["key"])]
        if found["why"] is not None:
            yield ".".join(key for _, key in parents), found["why"]

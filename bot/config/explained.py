"""Every setting with its value now, and the line of why beside it in SETTINGS.md."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bot.config.sections import Settings

DELIVERED = Path(__file__).parent.parent.parent / "SETTINGS.md"
"""Not there in an installation without the repository: then settings have no line of why."""

_LINE = re.compile(r"(?P<indent> *)(?P<key>[a-z_0-9]+):(?:.*?\s)?# (?P<why>.*)")
_KEY = re.compile(r"(?P<indent> *)(?P<key>[a-z_0-9]+):")
_PASSWORD = re.compile(r"://[^/@\s]*@")
SHOWN = 200


def explained(settings: Settings, delivered: Path = DELIVERED) -> list[tuple[str, str, str, bool]]:
    """Each setting as (path, value, why, whether it is not the default). Secrets are not among them."""
    whys = dict(_whys(delivered))
    usual = dict(_flat(Settings().model_dump(mode="json")))
    return [
        (path, _shown(value), whys.get(path, ""), value != usual.get(path, value))
        for path, value in _flat(settings.model_dump(mode="json"))
    ]


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


def _whys(file: Path) -> Iterator[tuple[str, str]]:
    """Path of a setting → the comment behind it."""
    parents: list[tuple[int, str]] = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        found = _KEY.match(line)
        if found is None:
            continue
        indent = len(found["indent"])
        parents = [(depth, key) for depth, key in parents if depth < indent] + [(indent, found["key"])]
        if told := _LINE.match(line):
            yield ".".join(key for _, key in parents), told["why"]

"""Words and regular expressions that stand in YAML files, beside the module that looks for them.

In a pattern, a line break says nothing, and `<name>` stands for the entry of that name before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bot.texts.beside import read_beside

_NAMED = re.compile(r"(?<!\?P)<([a-z_]+)>")


class Patterns:
    """The entries of one file."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = entries
        self._written: dict[str, str] = {}
        for name, entry in entries.items():
            if isinstance(entry, str):
                self._written[name] = self._filled(entry)

    @classmethod
    def beside(cls, module: str) -> Patterns:
        """Of the file beside a module, see `read_beside`."""
        return cls(read_beside(module))

    def __getitem__(self, name: str) -> re.Pattern[str]:
        """A pattern; upper and lower case are the same to it."""
        return re.compile(self._written[name], re.IGNORECASE)

    def exact(self, name: str) -> re.Pattern[str]:
        """A pattern that tells upper from lower case: for folded words, and for what capitals tell."""
        return re.compile(self._written[name])

    def words(self, name: str) -> frozenset[str]:
        """The words of an entry that is a list of them, with spaces between."""
        return frozenset(self._written[name].split())

    def written(self, name: str) -> str:
        """A pattern as it is written, to be a part of another."""
        return self._written[name]

    def named(self, name: str) -> Iterator[tuple[str, str]]:
        """The names and patterns of an entry that is a mapping."""
        for one, pattern in self._entries[name].items():
            yield one, self._filled(pattern)

    def listed(self, name: str) -> Iterator[tuple[str, str]]:
        """The patterns of an entry that is a list (`find`), each with what it `gives`, or "" where it says nothing."""
        for one in self._entries[name]:
            yield self._filled(one["find"]), one.get("gives", "")

    def _filled(self, pattern: str) -> str:
        return _NAMED.sub(lambda found: self._written[found[1]], pattern.replace("\n", ""))

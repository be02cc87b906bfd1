"""One setting changed in `config.yaml`, by its line: comments and everything else stay as they are."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import yaml

from bot.config.loading import load_settings
from bot.errors import ConfigError

INDENT = "  "
COMMENT = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|.*?)(?:\s+(?P<comment>\#.*)|\s*)$""")
"""After a key: its value, in quotes or not, and the comment behind it."""


def set_setting(file: Path, section: str, key: str, value: str) -> None:
    """Writes `section.key: value` into the settings file; a missing line, section or file is made.

    The file is replaced at once, and only when it still can be read afterwards and says what it should. Raises
    ConfigError when it cannot, with the line to write by hand.
    """
    try:
        before = file.read_text("utf-8") if file.exists() else ""
        after = with_setting(before, section, key, value)
        if after is None:
            raise ConfigError(by_hand(file, section, key, value))
        _replace(file, after)
    except OSError as error:
        raise ConfigError(f"{by_hand(file, section, key, value)} ({error.strerror or error})") from error


def with_setting(text: str, section: str, key: str, value: str) -> str | None:
    """`text` with the setting changed; None when that takes more than a line's change."""
    shown = _written(value)
    lines = text.splitlines()
    begin = next((at for at, line in enumerate(lines) if re.match(rf"{section}:\s*(#.*)?$", line)), None)
    if begin is None:
        lines += [f"{section}:", f"{INDENT}{key}: {shown}"]
    else:
        end = next((at for at in range(begin + 1, len(lines)) if re.match(r"[^\s#]", lines[at])), len(lines))
        at, indent = _line_of(lines, range(begin + 1, end), key)
        if at is None:
            lines.insert(begin + 1, f"{indent}{key}: {shown}")
        else:
            lines[at] = _changed(lines[at], key, shown)
    after = "\n".join(lines) + "\n"
    return after if _is_only_change(text, after, section, key, value) else None


def by_hand(file: Path, section: str, key: str, value: str) -> str:
    """The sentence for when the file has to be edited by its owner."""
    return (
        f"{file} was not changed. Write there yourself: `{section}:` and below it `{INDENT}{key}: {_written(value)}`."
    )


def _line_of(lines: list[str], where: range, key: str) -> tuple[int | None, str]:
    """The line of the key directly below the section, and how the lines there are indented."""
    found = [re.match(r"(\s+)[^\s#]", lines[at]) for at in where]
    indent = next((match[1] for match in found if match), INDENT)
    return next((at for at in where if re.match(rf"{indent}{key}:(\s|$)", lines[at])), None), indent


def _changed(line: str, key: str, shown: str) -> str:
    """The line with another value; its comment stays in its column where there is room."""
    start = f"{line[: line.index(key)]}{key}: {shown}"
    found = COMMENT.search(line, line.index(key) + len(key) + 1)
    comment = line[found.start("comment") :] if found and found["comment"] else ""
    if not comment:
        return start
    return start.ljust(max(len(line) - len(comment), len(start) + 2)) + comment


def _written(value: str) -> str:
    """The value as YAML, in quotes where it needs them."""
    return yaml.safe_dump(value, default_flow_style=True, width=10_000).removesuffix("\n").removesuffix("\n...")


def _is_only_change(before: str, after: str, section: str, key: str, value: str) -> bool:
    if len(re.findall(rf"(?m)^{section}\s*:", after)) != 1:  # YAML would take the last
        return False
    try:
        old, new = yaml.safe_load(before) or {}, yaml.safe_load(after)
    except (yaml.YAMLError, RecursionError):
        return False
    if not isinstance(old, dict) or not isinstance(old.get(section) or {}, dict):
        return False
    return bool(new == {**old, section: {**(old.get(section) or {}), key: value}})


def _replace(file: Path, text: str) -> None:
    """Puts `text` in the file's place when it can be read as settings."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    written = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        load_settings(written)
        if file.exists():
            written.chmod(file.stat().st_mode & 0o777)
        else:
            written.chmod(0o644)
        written.replace(file.resolve())
    finally:
        written.unlink(missing_ok=True)

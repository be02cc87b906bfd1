"""Settings changed in `config.yaml`, line by line: comments and everything else stay as they are."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from bot.config.loading import load_settings, parsed
from bot.config.secret_file import new_beside, replace_text
from bot.errors import ConfigError

INDENT = "  "
Written: TypeAlias = str | bool | Sequence[str]
"""What a setting can be set to."""
COMMENT = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|.*?)(?:\s+(?P<comment>\#.*)|\s*)$""")
"""After a key: its value, in quotes or not, and the comment behind it."""


def set_settings(file: Path, changes: Mapping[str, Written], template: str = "") -> None:
    """Writes settings, each by its dotted name, into the file; missing lines, sections and the file itself are made.

    The file is replaced at once, and only when it still can be read afterwards and says what it should. A new
    file begins with `template`. Raises ConfigError when it cannot, with the lines to write by hand.
    """
    try:
        text = file.read_text("utf-8") if file.exists() else template
        for dotted, value in changes.items():
            after = with_setting(text, dotted, value)
            if after is None:
                raise ConfigError(by_hand(file, changes))
            text = after
        _replace(file, text)
    except OSError as error:
        raise ConfigError(by_hand(file, changes, f" ({error.strerror or error})")) from error


def with_setting(text: str, dotted: str, value: Written) -> str | None:
    """`text` with the setting changed; None when that takes more than a line's change."""
    *sections, key = dotted.split(".")
    lines = text.splitlines()
    block, indent = range(len(lines)), ""
    for depth, section in enumerate(sections):
        at = next((at for at in block if re.match(rf"{indent}{section}:\s*(#.*)?$", lines[at])), None)
        if at is None:
            where = block.start if indent else block.stop
            lines[where:where] = _new_lines(sections[depth:], key, value, indent)
            break
        block, indent = _below(lines, at, indent)
    else:
        at = next((at for at in block if re.match(rf"{indent}{key}:(\s|$)", lines[at])), None)
        if at is None:
            lines.insert(block.start, f"{indent}{key}: {written(value)}")
        else:
            lines[at] = _changed(lines[at], key, written(value))
            while at + 1 < len(lines) and re.match(rf"{indent}\s*-\s", lines[at + 1]):
                del lines[at + 1]  # of the list that stood there
    after = "\n".join(lines) + "\n"
    return after if _is_only_change(text, after, [*sections, key], value) else None


def by_hand(file: Path, changes: Mapping[str, Written], reason: str = "") -> str:
    """The sentence for when the file has to be edited by its owner."""
    tree: dict[str, Any] = {}
    for dotted, value in changes.items():
        tree = _with(tree, dotted.split("."), value)
    return f"{file} was not changed{reason}. Write this into it yourself:\n{yaml.safe_dump(tree, sort_keys=False)}"


def _new_lines(sections: Sequence[str], key: str, value: Written, indent: str) -> list[str]:
    """Sections inside each other, and the setting in the innermost."""
    opened = [f"{indent}{INDENT * depth}{section}:" for depth, section in enumerate(sections)]
    return [*opened, f"{indent}{INDENT * len(sections)}{key}: {written(value)}"]


def _below(lines: Sequence[str], at: int, indent: str) -> tuple[range, str]:
    """The lines of the section that begins at a line, and how those directly in it are indented."""
    end = at + 1
    inner = ""
    while end < len(lines):
        found = re.match(r"(\s*)[^\s#]", lines[end])
        if found is not None and len(found[1]) <= len(indent):
            break
        inner = inner or (found[1] if found is not None else "")
        end += 1
    return range(at + 1, end), inner or indent + INDENT


def _changed(line: str, key: str, shown: str) -> str:
    """The line with another value; its comment stays in its column where there is room."""
    start = f"{line[: line.index(key)]}{key}: {shown}"
    found = COMMENT.search(line, line.index(key) + len(key) + 1)
    comment = line[found.start("comment") :] if found and found["comment"] else ""
    if not comment:
        return start
    return start.ljust(max(len(line) - len(comment), len(start) + 2)) + comment


def written(value: Written) -> str:
    """The value as YAML, in quotes where it needs them."""
    return yaml.safe_dump(value, default_flow_style=True, width=10_000).removesuffix("\n").removesuffix("\n...")


def _is_only_change(before: str, after: str, path: Sequence[str], value: Written) -> bool:
    try:
        old, new = parsed(before) or {}, parsed(after)  # a section that stands there twice is an error
    except (yaml.YAMLError, RecursionError):
        return False
    return isinstance(old, dict) and bool(new == _with(old, path, value))


def _with(tree: Mapping[str, Any], path: Sequence[str], value: Written) -> dict[str, Any]:
    """The tree with one value changed."""
    key, *rest = path
    inner = tree.get(key)
    return {**tree, key: _with(inner if isinstance(inner, dict) else {}, rest, value) if rest else value}


def _replace(file: Path, text: str) -> None:
    """Puts `text` in the file's place when it can be read as settings."""
    with new_beside(file, text) as new:
        load_settings(new)
    replace_text(file, text, mode=file.stat().st_mode & 0o777 if file.exists() else 0o644)

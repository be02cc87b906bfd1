r"""The conversations that `lab evaluate companion` plays, and whether a reply holds.

A file of JSON is a list of conversations, each with `id`, `kind` and `lines`. A line has

`text`      what is said
`day`       days after the start; without it, the day of the line before
`speaker`   who says it; without one, the conversation's own person
`place`     "dm:PERSON" or "channel:SERVER/CHANNEL"; without one, the conversation's `place`, else the speaker's DM
`expect`    patterns (regular expressions, any case) that the reply must hold, all of them
`reject`    patterns that it must not hold
`fresh`     true: the reply must not be one that this conversation has had already

A line without patterns is part of the talk and never counted; `<name>` in a pattern stands for one of
`talk/patterns.yaml`. A file of YAML is `{kind, conversations}`, and a line may be a bare text there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from bot.errors import BadInput

TALK = Path(__file__).with_name("talk")
PARTS = ("open", "kept")
OURS = "ours"
"""The name of the set of conversations that come with the project."""
ALWAYS = ("<leak>",)
"""Rejected in every reply of ours that is judged."""
READ_ONLY = "natural"
"""The kind without patterns: it is there for reading."""

_NAME = re.compile(r"<([a-z][a-z-]*)>")
_LENIENT = ConfigDict(extra="ignore")


def _several(value: object) -> object:
    """One pattern may stand without its list."""
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


Patterns = Annotated[tuple[str, ...], BeforeValidator(_several)]


@dataclass(frozen=True, slots=True)
class Line:
    """Something that is said to the companion, and what its reply is held to."""

    __pydantic_config__ = _LENIENT

    text: str
    day: int = 0
    speaker: str = ""
    place: str = ""
    expect: Patterns = ()
    reject: Patterns = ()
    fresh: bool = False

    @property
    def judged(self) -> bool:
        """Whether the reply is held to anything."""
        return bool(self.expect or self.reject or self.fresh)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Lines of one talk, in order. `set`: which file or collection it is of."""

    __pydantic_config__ = _LENIENT

    id: str
    kind: str
    lines: Annotated[tuple[Line, ...], BeforeValidator(_several)]
    set: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with a reply: patterns that it lacks, patterns that it has, and whether it came before."""

    missed: tuple[str, ...] = ()
    said: tuple[tuple[str, str], ...] = ()
    """Pattern and what it found."""
    again: bool = False
    silent: bool = False

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.missed or self.said or self.again or self.silent)


def judge(line: Line, reply: str, earlier: Collection[str] = ()) -> Verdict:
    """Holds the reply to the line's patterns. `earlier`: the replies that this conversation has had."""
    return Verdict(
        missed=tuple(one for one in line.expect if not _search(one, reply)),
        said=tuple((one, found[0]) for one in line.reject if (found := _search(one, reply))),
        again=line.fresh and _plain(reply) in set(map(_plain, earlier)),
        silent=not reply,
    )


def _search(pattern: str, reply: str) -> re.Match[str] | None:
    return re.search(expanded(pattern), reply, re.IGNORECASE)


def _plain(reply: str) -> str:
    return " ".join(re.findall(r"\w+", reply.casefold()))


def read_ours(parts: Sequence[str] = PARTS) -> list[Conversation]:
    """The conversations that come with the project, of these parts. Raises BadInput."""
    files = chain.from_iterable(sorted((TALK / part).glob("*.yaml")) for part in parts)
    read = [one for path in files for one in _read_file(path, OURS)]
    return [replace(one, lines=tuple(map(_with_always, one.lines))) for one in read]


def read_given(path: Path) -> list[Conversation]:
    """Those of a file, or of all files of a folder or of its subfolder `companion`. Raises BadInput."""
    if path.is_dir():
        folder = path / "companion" if (path / "companion").is_dir() else path
        files = sorted(one for one in folder.iterdir() if one.suffix in {".json", ".yaml"})
        if not files:
            raise BadInput(f"{folder} holds no conversations: no file ends in .json or .yaml.")
    else:
        files = [path]
    return [one for file in files for one in _read_file(file, file.name)]


def expanded(pattern: str) -> str:
    """The pattern with the named ones written out; a name that there is not stays as it is."""
    return _NAME.sub(lambda match: _NAMED.get(match[1], match[0]), pattern)


def _read_file(path: Path, set_: str) -> list[Conversation]:
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
        more = {} if isinstance(content, list) else {"kind": content["kind"]}
        raw = [_filled(one, more) for one in (content if isinstance(content, list) else content["conversations"])]
        read = TypeAdapter(list[Conversation]).validate_python(raw)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        raise BadInput(f"{path}: {'.'.join(map(str, problem['loc']))}: {problem['msg']}.") from None
    except (ValueError, TypeError, AttributeError, KeyError, yaml.YAMLError) as error:
        raise BadInput(f"{path} is no file of conversations: {str(error).splitlines()[0]}") from None
    for one in read:
        _check(path, one)
    return [replace(one, set=set_) for one in read]


def _filled(conversation: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """A conversation whose lines all say their day and their place."""
    day: Any = 0
    lines: list[dict[str, Any]] = []
    for given in conversation["lines"]:
        line: dict[str, Any] = {"text": given} if isinstance(given, str) else dict(given)
        day = line.setdefault("day", day)
        line.setdefault("place", conversation.get("place", ""))
        lines.append(line)
    return {**more, **conversation, "lines": lines}


def _with_always(line: Line) -> Line:
    return replace(line, reject=(*line.reject, *ALWAYS)) if line.judged else line


def _check(path: Path, conversation: Conversation) -> None:
    """Raises BadInput for a pattern that is no regular expression."""
    for pattern in chain.from_iterable((*line.expect, *line.reject) for line in conversation.lines):
        try:
            re.compile(expanded(pattern))
        except re.error as error:
            raise BadInput(f"{path}, {conversation.id}: {pattern!r} is no pattern: {error}.") from None


def _named() -> dict[str, str]:
    """The named patterns, each a group of its own, but for those that begin at the start of the reply."""
    read: dict[str, str] = yaml.safe_load((TALK / "patterns.yaml").read_text(encoding="utf-8"))
    return {name: one if one.startswith("^") else f"(?:{one})" for name, one in read.items()}


_NAMED: Mapping[str, str] = _named()

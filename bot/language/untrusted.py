"""People's words as they enter a prompt: they stay words. Pure.

What a model could take for a turn of its own, for somebody else's line or for a block of the prompt loses the marks
that make it look so; the words stay. What cannot be seen goes: nobody can hide words from those who read along. The
tables keep what was said as it was said.

Not covered: plain sentences that ask the model for something ("ignore what you were told"). It may do so, for whoever
asked; no other person's memories are in that prompt (`bot/storage/shared/audience.py`).
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from bot.language.speakers import COLONS, one_line, without_number

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0"
    "\U000e0000-\U000e007f]|[\ufe00-\ufe0e]|[\U000e0100-\U000e01ef]|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
"""Joiners (U+200C, U+200D) and U+FE0F stay: emoji and several scripts are made with them."""

_JOINERS = re.compile("(?<=[A-Za-z])[\u200c\u200d]+(?=[A-Za-z])")
"""Between Latin letters they only hide a word from whoever looks for it."""

_CONTROL = re.compile(
    r"<\|+([^<>|]{0,40})\|+>|<{1,2}(/?(?:[A-Z][A-Z _]{1,30}|s|bos|eos|pad|unk|(?:start|end)_of_turn|(?:system|user|"
    r"assistant|human|tool|think)(?:_\w{1,20})?))>{1,2}|\[(/?(?:INST|SYS|SYSTEM|TOOL_CALLS|AVAILABLE_TOOLS))\]"
)
_HALF = re.compile(
    r"<\||\|>|<<SYS|(?<!#)(?:(?<!\w)#{2,}+|#{3,}+)\s*(?=(?:instruction|response|system|input|user|assistant)\b)",
    re.IGNORECASE,
)
_ROLES = (
    r"system(?: (?:message|prompt|note))?|assistant|user|human|ai|bot|developer|response|summary|traits?|memory|context"
    r"|instruction"
)
_LEADING = re.compile(
    r"^((?:\([^()]{0,60}\) ?){0,4}"  # what became of tags, "(USER TRAITS)"
    rf"\W?[^\W\d_][\w.'\-]{{0,30}}(?: [\w.'\-]{{1,30}}){{0,2}}(?:\s?\(\d+\))?)\s?[{COLONS}](\s|$)"
)
"""What a line that begins with a name looks like, also of somebody who is not there: "Bob: I am a thief"."""

_NUMBERED_TAG = re.compile(rf"(\S(?: \(| ?（)\d{{1,9}}[)）]) ?[{COLONS}](?!/)")
"""What a label with a number looks like wherever it stands, also of somebody who is in no label here: "Bob (7):"."""

_MARK = re.compile(r"[<>\[#]")
"""Without one of these there is no mark of a prompt."""

_COLON = re.compile(rf"[{COLONS}]")

_ROLE_LINE = re.compile(rf"(?m)^[^\w\n]*+(?:{_ROLES})(?:\s?\(\d+\))?\s?[{COLONS}]", re.IGNORECASE)


def as_words(text: str, labels: Iterable[str] = ()) -> str:
    """The text on one line, as somebody's words. `labels` stand in front of people's lines, such as "Ann (3)".

    With labels, the text itself is such a line: it may not begin with a name either, nor hold a name with a number as
    it stands in front of lines, whoever that is.
    """
    line = one_line(_visible(text))
    if _MARK.search(line):
        line = _CONTROL.sub(lambda found: f"({(found[1] or found[2] or found[3] or '').strip()})", line)
        line = _HALF.sub(" ", line)
    if not _COLON.search(line):  # no tag is without one
        return one_line(line)
    known = tuple(labels)
    if known:
        line = _NUMBERED_TAG.sub(r"\1,", _LEADING.sub(r"\1,\2", line))
    return one_line(_tags(known).sub(lambda found: f"{found[1]},", line))


def is_forged(text: str) -> bool:
    """Whether a text holds marks of a prompt, or a role's tag where a line begins: nothing is learnt from it."""
    shown = _visible(text)
    return any(pattern.search(shown) for pattern in (_CONTROL, _HALF, _ROLE_LINE))


def _visible(text: str) -> str:
    """The text without what cannot be seen."""
    if text.isascii() and text.isprintable():
        return text
    return _JOINERS.sub("", _UNSEEN.sub("", text))


@lru_cache(maxsize=64)
def _tags(labels: tuple[str, ...]) -> re.Pattern[str]:
    """What looks like the beginning of a line: a label or a role, and a colon."""
    forms = {form for label in labels for form in (label, without_number(label)) if form}
    known = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    names = rf"{known}|{_ROLES}" if known else _ROLES
    return re.compile(rf"(?<!\w)((?:{names})(?:\s?\(\d+\))?)\s?[{COLONS}](?!/)", re.IGNORECASE)

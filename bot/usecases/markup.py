"""The Markdown of commands' answers: what both platforms can show, with people's words escaped. Pure.

Used: **bold**, *italic*, `code`, lines that begin with "- " or "> ", and backslash escapes. Nothing else.
"""

import re
from collections.abc import Iterable

_BLOCKS = ("- ", "> ")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~@:])")
_MARK = re.compile(r"\\(?P<kept>[\\`*_{}\[\]()<>#+\-.!|~@:])|\*\*|[*`]")


def joined(lines: Iterable[str]) -> str:
    """Lines of an answer as one text. What follows a list or a quotation is set apart: else it would belong to it."""
    text = ""
    for line in lines:
        block = text.rpartition("\n")[2].startswith(_BLOCKS)
        text += ("\n\n" if block and not line.startswith(_BLOCKS) else "\n" if text else "") + line
    return text


def plain(text: str) -> str:
    """Somebody's words as they are, on one line, with every mark of Markdown (and every mention) made harmless."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def cut(text: str, length: int) -> str:
    """The text, or its first `length` characters with a mark; cut before `plain`, not after it."""
    return text if len(text) <= length else f"{text[: max(length - 2, 1)].rstrip()} …"


def bare(text: str) -> str:
    """The words of an answer without its marks, for a screen that shows none; `bare(plain(words))` gives the words."""
    return _MARK.sub(lambda found: found["kept"] or "", text)

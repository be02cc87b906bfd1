"""Which stored texts hold a word, as `LIKE` finds it: all that do, without case, and some that do not.

Both databases know the case of ASCII letters alone, and some letters fold to several ("ß" is "ss", "ﬁ" is "fi"). So a
text of ASCII letters is compared as it is, and in any other whatever could be such a letter stands for anything.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, LargeBinary, and_, cast, collate, func, or_, true

MOST_WORDS = 8
"""Words of a search that are compared here."""
LONGEST_WORD = 200
"""Characters of a word that are compared here: SQLite takes no pattern of 50,000 bytes."""
_MAY_BE_FOLDED = re.compile(
    r"^(?:[fil]+|[tn])"  # the end of "ﬁ", "ﬂ", "ﬅ", "ŉ"
    r"|[ahijtwy]?[^\x00-\x7f]+n?|f[fil]*|st?|k"
    r"|[ahijtwy]$"  # the beginning of "İ", "ǰ", "ẗ" and their like
)
"""In a folded word, what one letter that is not ASCII may stand for, in part or as a whole."""
_WILD = re.compile(r"[%_\\]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """How one word is looked for."""

    plain: str
    folded: str
    """In texts that are not of ASCII letters alone."""


def patterns_of(words: Sequence[str]) -> list[Pattern]:
    """How these words are looked for, which are folded (`str.casefold`); at most `MOST_WORDS`."""
    cut = (word[:LONGEST_WORD] for word in words[:MOST_WORDS])
    return [Pattern(_around([word]), _around(_MAY_BE_FOLDED.split(word))) for word in cut]


def holds(column: ColumnElement[str], patterns: Sequence[Pattern], *, on_server: bool) -> ColumnElement[bool]:
    """Whether a text may hold each of the words."""
    text = func.lower(collate(column, "C")) if on_server else column
    size = func.octet_length(column) if on_server else func.length(cast(column, LargeBinary))
    beyond_ascii = size != func.length(column)
    return and_(
        true(),
        *(
            text.like(one.plain)
            if one.plain == one.folded
            else or_(text.like(one.plain), and_(beyond_ascii, text.like(one.folded)))
            for one in patterns
        ),
    )


def _around(parts: Sequence[str]) -> str:
    """What finds these parts of a word in their order; signs that mean something in a pattern stand for any sign."""
    return f"%{'%'.join(_WILD.sub('_', part) for part in parts)}%"

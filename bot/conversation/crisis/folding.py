"""One spelling for what people type in many: accents, capitals, leetspeak, stretched and spaced letters. Pure."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 40_000
"""Characters that are looked at; a platform's messages are ten times shorter."""

_DROPPED = {
    # Accents of Latin and Cyrillic, Arabic vowel signs and tatweel, Devanagari's nukta and nasal dots: people leave
    # them out as they like. Kana's voicing marks and Devanagari's vowels stay: without them it is another word.
    **dict.fromkeys([*range(0x300, 0x370), *range(0x64B, 0x660), 0x670, 0x640, 0x93C, 0x901, 0x902]),
    # What is not seen: zero-width and bidi characters, soft hyphens, variation selectors.
    **dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF, 0xAD, 0xFE0F]),
}
_SAME = {ord(one): other for one, other in zip("łıøđىةکیہ", ("l", "i", "o", "d", "ي", "ه", "ك", "ي", "ه"), strict=True)}
_FOLDED = {**_DROPPED, **_SAME}
_APOSTROPHES = dict.fromkeys(map(ord, "’‘ʼ`´＇"), "'")
_LEET = {"1": "i", "!": "i", "3": "e", "4": "a", "@": "a", "0": "o", "5": "s", "$": "s", "7": "t"}
_IN_A_WORD = re.compile(r"(?<=[a-z])[13457@$!0](?=[a-z])|(?<![a-z0-9])[5$](?=[u*][i1!])")
_STARRED = (
    (re.compile(r"\bk[*#._-]{1,2}ll"), "kill"),
    (re.compile(r"\bs[*#u]{1,2}[i*#]?c[i*#]?d(?=e\b|al\b)"), "suicid"),
    (re.compile(r"\bd[*#]e\b"), "die"),
)
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_SPACED = re.compile(r"(?<!\w)(?:[a-z][ .*_-]){3,40}[a-z](?!\w)")
_BETWEEN = re.compile(r"[ .*_-]")


def plain(text: str) -> str:
    """NFKC, lower case, no accents, nothing invisible; for texts and for the patterns they are compared with."""
    if text.isascii():
        return text.casefold()
    text = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold().translate(_APOSTROPHES)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).translate(_FOLDED))


def folded(text: str) -> str:
    """What somebody wrote, spelt so that patterns find it: `plain`, and what hides words from filters undone."""
    text = plain(text[:LONGEST])
    text = _IN_A_WORD.sub(lambda found: _LEET[found[0]], text)
    for starred, word in _STARRED:
        text = starred.sub(word, text)
    text = _SPACED.sub(lambda found: _BETWEEN.sub("", found[0]), text)
    return _STRETCHED.sub(r"\1", text)

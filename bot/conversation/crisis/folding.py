"""One spelling for what people type in many: accents, capitals, leetspeak, look-alike, stretched and spaced letters.

Letters of other scripts that look like Latin ones, and the other way about, are folded only in words that mix scripts:
Russian, Ukrainian and Greek words stay as they are. Pure.
"""

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
_DRAWN = {
    # Small capitals, and letters drawn in circles and squares, which NFKC leaves as they are.
    **{ord(one): other for one, other in zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡ", "abcdefghijklmnoprstuvwyzag", strict=True)},
    **{start + at: chr(ord("a") + at) for start in (0x1F150, 0x1F170) for at in range(26)},
}
_FOLDED = {**_DROPPED, **_SAME, **_DRAWN}
_LOOKS_LATIN = {
    ord(one): other
    for ours, others in (
        ("авгеиійјкмнопрстухьѕѵԁԛԝһӏѡә", "abreuiujkmhonpctyxbsvdqwhlwe"),  # Cyrillic
        ("αβγδεζηικμνοπρσςτυχωϲϳ", "abydeznikmvonpsstuxwcj"),  # Greek
        ("օսոհյզ", "ounhjq"),  # Armenian
    )
    for one, other in zip(ours, others, strict=True)
}
"""Small letters of other scripts, and the Latin one that each looks like, also as a capital ("Н", "h")."""
_LOOKS_CYRILLIC = {ord(one): other for one, other in zip("abcehikmoptxyu", "авсенікмортхуи", strict=True)}
_DIGITS_AS_CYRILLIC = {"0": "о", "3": "з", "4": "ч", "6": "б"}
_APOSTROPHES = dict.fromkeys(map(ord, "’‘ʼ`´＇"), "'")
_LEET = {"1": "i", "!": "i", "3": "e", "4": "a", "@": "a", "0": "o", "5": "s", "$": "s", "7": "t"}
_IN_A_WORD = re.compile(r"(?<=[a-z])[13457@$!0]{1,2}(?=[a-z])|(?<![a-z0-9])[5$](?=[u*][i1!])")
_IN_A_CYRILLIC_WORD = re.compile(r"(?<=[а-яієґ])[0346](?=[а-яієґ])")
_MIXED = re.compile(r"[^\W\d_]+")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_STARRED = (
    (re.compile(r"\bk[*#._-]{1,2}ll|\bk[i1!|][l1!|]{2}(?!\w)"), "kill"),
    (re.compile(r"\bs[*#u]{1,2}[i*#]?c[i*#]?d(?=e\b|al\b)"), "suicid"),
    (re.compile(r"\bd[*#]e\b"), "die"),
)
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_SPACED = re.compile(
    r"(?<!\w)(?:[a-z][ .*_-]){3,40}[a-z](?!\w)"
    r"|(?<!\w)(?:[а-яієґ\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3][ .*_-]){3,40}"
    r"[а-яієґ\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3](?!\w)"
)
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
    if not text.isascii():
        text = _MIXED.sub(_one_script, text)
        text = _IN_A_CYRILLIC_WORD.sub(lambda found: _DIGITS_AS_CYRILLIC[found[0]], text)
    text = _IN_A_WORD.sub(lambda found: "".join(_LEET[one] for one in found[0]), text)
    for starred, word in _STARRED:
        text = starred.sub(word, text)
    text = _SPACED.sub(lambda found: _BETWEEN.sub("", found[0]), text)
    return _STRETCHED.sub(r"\1", text)


def _one_script(found: re.Match[str]) -> str:
    """A word whose letters are of two scripts in that of most of them, if all others look like letters of it."""
    word = found[0]
    latin = [ord(one) for one in word if "a" <= one <= "z"]
    others = [ord(one) for one in word if not "a" <= one <= "z"]
    if not latin or not others:
        return word
    to_latin = all(one in _LOOKS_LATIN for one in others)
    to_cyrillic = all(one in _LOOKS_CYRILLIC for one in latin) and _CYRILLIC.search(word) is not None
    if to_latin and (len(latin) >= len(others) or not to_cyrillic):
        return word.translate(_LOOKS_LATIN)
    return word.translate(_LOOKS_CYRILLIC) if to_cyrillic else word

"""What somebody said of themselves, told back to them: "I'm moving on Friday" → "you were moving". Pure, English.

Only what is surely right afterwards is turned; everything else is left to be quoted, word for word.
"""

from __future__ import annotations

import re

MOST_WORDS = 22
"""Words of a clause that is turned; longer ones are quoted."""
FEWEST_WORDS = 4

_ADVERBS = (
    r"(?:(?:just|also|actually|really|so|still|currently|finally|recently|definitely|probably|now|totally|super"
    r"|very|a bit"
    r"|a little|pretty|even) )*"
)
_SUBJECT = re.compile(r"^(i|we)(?:\b|(?='))", re.IGNORECASE)
_VERBS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"^{pattern}" if pattern.endswith(r"(?=\w)") else rf"^{pattern}(?= |$)", re.IGNORECASE), turned)
    for pattern, turned in (
        (rf"(?:i'm|i am|im|we're|we are) ({_ADVERBS})gonna", r"you were \1going to"),
        (rf"(?:i'm|i am|im|we're|we are) ({_ADVERBS})(?=\w)", r"you were \1"),
        (rf"(?:i was|we were) ({_ADVERBS})(?=\w)", r"you were \1"),
        (rf"(?:i've|i have|we've|we have) ({_ADVERBS})been", r"you had \1been"),
        (rf"(?:i've|i have|we've|we have) ({_ADVERBS})got(?: to)?(?= (?:a|an|my|our|some|two|three"
         rf"|to)\b)", r"you \1had"),
        (rf"(?:i've|i have|we've|we have) ({_ADVERBS})(decided|started|joined|begun|signed|bought|planned|found"
         rf"|adopted)",
         r"you had \1\2"),
        (rf"(?:i|we) ({_ADVERBS})(?:have)(?= (?:a|an|my|our|some|two|three|to|another)\b)", r"you \1had"),
        (rf"(?:i'll|i will|we'll|we will) ({_ADVERBS})be", r"you would \1be"),
        (rf"(?:i'll|i will|we'll|we will) ({_ADVERBS})(?=\w)", r"you would \1"),
        (rf"(?:i'd|i would|we'd|we would) ({_ADVERBS})(love|like)", r"you would \1\2"),
        (r"(?:i|we) (?:can't|cannot|can not) wait", "you could not wait"),
        (rf"(?:i|we) ({_ADVERBS})(want|need|plan|look|intend|start)", r"you \1\2ed"),
        (rf"(?:i|we) ({_ADVERBS})(hope)", r"you \1hoped"),
        (rf"(?:i|we) ({_ADVERBS})(wanted|needed|planned|hoped|decided|started|joined|began|signed|bought|adopted"
         rf"|enrolled"
         r"|registered|applied|lost|got|moved|broke|found|met|took|had|made|went|quit|failed|did)", r"you \1\2"),
    )
)  # fmt: skip
_STOP = re.compile(
    r"(?<!\s)\s*(?:[;:!.…]|\s[-–—]+\s|,(?! \d{4})).*"
    r"|(?<!\s)\s+(?:because|since|which|although|though|so that|so (?=i|we|it|my)|but|while|as i\b|as we\b"
    r"|and (?=i\b|i'|it|we\b|we'|that|he|she|they|my|the|this|there|then|really|so))\b.*",
    re.IGNORECASE | re.DOTALL,
)
_UNCLEAR = re.compile(
    r"\b(?:you|your|yours|yourself|u|ur|i|i'\w+|we|we'\w+|here|this|these|it|it's|that's|he|she|they|they're"
    r"|he's|she's"
    r"|him|them|there|one|ones|yesterday|today|now|ago|last|later|lately|recently|next|gonna|wanna|gotta|know)\b|[\"“”?…(]",
    re.IGNORECASE,
)
"""What means something else when somebody else says it later, or would need the words around it."""
_SWAPS = {
    "my": "your",
    "me": "you",
    "mine": "yours",
    "myself": "yourself",
    "our": "your",
    "us": "you",
    "ours": "yours",
    "ourselves": "yourselves",
}
_OWN = re.compile(rf"\b({'|'.join(_SWAPS)})\b", re.IGNORECASE)
_OF_SEVERAL = re.compile(r"\b(?:our|ours|us|we)\b", re.IGNORECASE)
"""Of one's own and of whoever listens, perhaps."""
_HALF = re.compile(
    r"(?:\b(?:a|an|the|to|of|for|with|and|or|in|on|at|my|your|some|very|so|really|that|about|from|by|into|how"
    r"|what|is|are|was"
    r"|were|been|be|doing|going)|,)$",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"\b(?:also|too|anyway|though|lol|haha|btw|by the way|at the moment|right now|these days|at present)\b",
    re.IGNORECASE,
)


def turned(clause: str, without: tuple[int, int] | None = None) -> str | None:
    """The clause as what "you" did, in the past tense, to stand after "you told me that"; None: it must be quoted.

    `without`: where words stand that said when, which would mean another day by now.
    """
    if without is not None:
        clause = f"{clause[: without[0]].rstrip(' ,')} {clause[without[1] :].lstrip()}"
    clause = " ".join(_LOOSE.sub(" ", clause.replace("’", "'")).split()).strip(" ,.!")
    clause = re.sub(r"^and |^so |^but ", "", clause, flags=re.IGNORECASE)
    if not (subject := _SUBJECT.match(clause)) or (subject[1].lower() == "i" and _OF_SEVERAL.search(clause)):
        return None
    for pattern, words in _VERBS:
        found = pattern.match(clause)
        if found is not None:
            return _whole(found.expand(words), clause[found.end() :])
    return None


def _whole(verb: str, rest: str) -> str | None:
    """The turned verb with the rest of its clause; None when that is too long, cut in the midst, or unclear."""
    rest = _STOP.sub("", rest).strip()
    if _UNCLEAR.search(rest) or _HALF.search(rest):
        return None
    rest = _OWN.sub(lambda found: _SWAPS[found[1].lower()], rest)
    whole = " ".join(f"{verb} {rest}".split())
    return whole if FEWEST_WORDS <= len(whole.split()) <= MOST_WORDS and rest else None

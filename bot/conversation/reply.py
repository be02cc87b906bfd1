"""What a model said, made fit to be sent: never another's line, a speaker tag, a loop or half a sentence. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_SENTENCE = re.compile(r".+?(?:[.!?…]+[\"'”’)\]]*(?=\s|$)|$)", re.DOTALL)
_ENDED = re.compile(r"[.!?…。！？][\"'”’)\]]*$")

LOOP_WORDS = 4
"""Words of a sentence from which its coming back is a loop; "Yes!" may be said twice."""


def stop_texts(labels: Sequence[str]) -> tuple[str, ...]:
    """Texts at which generation ends: the start of anybody's next line."""
    return (*(f"\n{label}:" for label in labels), "\n[Memory", "\n[About", "\n<")


def clean(text: str, labels: Sequence[str], *, finished: bool = True) -> str:
    """The reply as it may be shown. `labels` are the names that tag lines, the agent's own first.

    With `finished` false the text is still growing, and its tail is left as it is.
    """
    names = "|".join(re.escape(label) for label in labels) or "(?!)"
    opening = rf"^(?:\s*(?:\[(?:memory|about)[^\]]*\]|\**(?:response|reply|answer|{names})\**\s*:\**))+\s*"
    text = re.sub(opening, "", text, flags=re.IGNORECASE)
    text = re.split(rf"(?:\n|(?<=[.!?]) )\s*\**(?:{names})\**\s*:", text, maxsplit=1)[0]
    text = _without_loops(text.strip())
    return text.strip() if finished else text


def whole_sentences(text: str) -> str:
    """A text that was cut at its length, up to its last whole sentence; unchanged when it has none."""
    if _ENDED.search(text):
        return text
    sentences = [match.group() for match in _SENTENCE.finditer(text)]
    kept = "".join(sentence for sentence in sentences if _ENDED.search(sentence.strip())).strip()
    return kept or text


def without_said(text: str, said_before: Collection[str]) -> str:
    """The text without sentences of LOOP_WORDS or more words that earlier replies have; maybe empty."""
    if text in said_before:
        return ""
    known = {_folded(match.group()) for earlier in said_before for match in _SENTENCE.finditer(earlier)}
    kept = [
        match.group()
        for match in _SENTENCE.finditer(text)
        if len(match.group().split()) < LOOP_WORDS or _folded(match.group()) not in known
    ]
    return "".join(kept).strip()


def _folded(sentence: str) -> str:
    return " ".join(sentence.split()).casefold()


def _without_loops(text: str) -> str:
    """The text without sentences that were said before: small models repeat themselves.

    A whole sentence that comes back begins a loop, and the text ends there; a shorter one is only left out.
    """
    seen: set[str] = set()
    kept: list[str] = []
    for match in _SENTENCE.finditer(text):
        sentence = _folded(match.group())
        if sentence and sentence in seen:
            if len(sentence.split()) >= LOOP_WORDS:
                break
            continue
        seen.add(sentence)
        kept.append(match.group())
    return "".join(kept).rstrip()

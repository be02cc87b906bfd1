"""What a model said, made fit to be sent: never another's line, a speaker tag, a loop or half a sentence. Pure."""

import re
from collections.abc import Collection, Sequence

from bot.conversation.checking.faults import faults
from bot.conversation.checking.ground import Fault, Ground
from bot.language.speakers import COLONS, folded, without_number

_BREAK = r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"
_LINE = re.compile(rf"(?:(?!{_BREAK}).)*", re.DOTALL)
_START = re.compile(rf"{_BREAK}\s*|(?<=[.!?…])[\"'”’)\]*_]*\s+|(?<=[。！？])\s*")
"""What stands before a place in the text where somebody else's words could begin: a new line, or a new sentence."""
_MARKER = re.compile(r"\[(?:memory|about)[^\[\]]*\]|(?<!\*)\**(?:response|reply|answer)\**\s*:\**", re.IGNORECASE)
_BRACKETED = re.compile(rf"[*_\s]{{0,9}}(?:<([^<>\n]+)>|\[([^\[\]\n]+)\](?!\())[*_]*\s*[{COLONS}]?[*_]*\s*")
_DECORATION = " *_~`\"'“”‘’<>[]#"
_SENTENCE = re.compile(r".(?:[^.!?…]++|[.!?…]++[\"'”’)\]]*+(?=\S))*+(?:[.!?…]++[\"'”’)\]]*+)?", re.DOTALL)
_ENDED = re.compile(r"[.!?…。！？][\"'”’)\]]*$")
_PING = re.compile(r"@(?=everyone|here)|(?<=<)@(?=[!&]?\d+>)", re.IGNORECASE)

_THOUGHT = "</think>"
"""What ends thinking whose beginning a model server did not send; until then it could not be known for thinking."""

LONGEST_TAG = 200
"""Characters in front of a colon that may be a tag: two names with their numbers, and what stands between them."""

_PAUSES = frozenset(",;—–")
"""What stands behind a whole clause: "I'm so sorry, Ann." begins with "I'm so sorry."."""

LOOP_WORDS = 4
"""Words of a sentence from which its coming back is a loop; "Yes!" may be said twice."""

MOST_STOPPED = 9
"""Speakers whose next line ends the generation, the agent one of them. Others' lines are cut afterwards."""


def stop_texts(labels: Sequence[str]) -> tuple[str, ...]:
    """Texts at which generation ends: the start of the next line of the agent or of those who spoke last."""
    names = dict.fromkeys(without_number(label) for label in labels[:MOST_STOPPED])
    numbered = (label for label in labels[:MOST_STOPPED] if label != without_number(label))
    return (
        *(f"\n{name}:" for name in names),
        *(f"\n{label}" for label in numbered),
        "\n[Memory",
        "\n[About",
        "\n<",
        "\nEarlier, ",
    )


def clean(text: str, labels: Sequence[str], *, finished: bool = True) -> str:
    """The reply as it may be shown. `labels` are the names that tag lines, the agent's own first.

    A tag in front is taken away, whoever's it is; where a later line or sentence begins with one, the text ends. Tags
    are known in any case, with any number or none, in bold or brackets, and with what they answer. Where a number tells
    people apart for the model, people read the bare name. Nobody is pinged: "@everyone", "@here" and "<@id>" get a
    zero-width space. With `finished` false the text is still growing, and its tail is left as it is.
    """
    text = text.rpartition(_THOUGHT)[2]
    names = frozenset(form for label in labels for form in _forms(label))
    while True:
        shorter = _cut_at_others(_without_opening(text, names), names).strip()
        shorter = _without_numbers(_without_loops(shorter), labels)
        if shorter == text:
            break
        text = shorter
    text = _PING.sub("@\u200b", text)
    return text.strip() if finished else text


def whole_sentences(text: str) -> str:
    """A text that was cut at its length, up to its last whole sentence; unchanged when it has none."""
    if _ENDED.search(text):
        return text
    kept = "".join(sentence for sentence in _sentences(text) if _ENDED.search(sentence.strip())).strip()
    return kept or text


def ended_sentences(text: str) -> str:
    """The whole sentences of a text that still grows; empty while the first has not ended."""
    kept = _sentences(text)
    while kept and not _ENDED.search(kept[-1].strip()):
        kept.pop()
    return "".join(kept).strip()


def repeats_only(text: str, ground: Ground) -> bool:
    """Whether nothing is wrong with a reply but that it was said before."""
    return faults(text, ground) == (Fault.AGAIN,)


def without_said(text: str, said_before: Collection[str]) -> str:
    """The text without sentences of LOOP_WORDS or more words that earlier replies have; maybe empty."""
    if text in said_before:
        return ""
    known = {_folded(sentence) for earlier in said_before for sentence in _sentences(earlier)}
    kept = (one for one in _sentences(text) if len(one.split()) < LOOP_WORDS or _folded(one) not in known)
    return "".join(kept).strip()


def _sentences(text: str) -> list[str]:
    """The sentences of a text, which join to the whole."""
    return [match.group() for match in _SENTENCE.finditer(text)]


def _forms(name: str) -> tuple[str, str]:
    """A name as it is compared: as it is, and without decoration and number."""
    whole = folded(name)
    return whole, without_number(whole.strip(_DECORATION)).strip(_DECORATION)


def _is_one_of(tag: str, names: frozenset[str]) -> bool:
    """Whether what stands in front of a colon, or in brackets, is a tag: also "Earlier, Bob, answering Ann"."""
    whole = folded(tag)
    plain = whole.strip(_DECORATION).removeprefix("earlier, ").partition(", answering ")[0]
    return any(form and form in names for form in (whole, *_forms(plain)))


def _tag_length(text: str, at: int, names: frozenset[str]) -> int:
    """The characters of the speaker tag that stands at `at`; 0 when none does."""
    end = _line_end(text, at, at + LONGEST_TAG)
    colon = next((i for i in range(at, end) if text[i] in COLONS), None)
    if colon is not None and _is_one_of(text[at:colon], names):
        closing = re.compile(r"[*_]*\s*" if text[at:colon].lstrip()[:1] in {"*", "_"} else r"\s*").match(
            text, colon + 1
        )
        return (closing.end() if closing else colon + 1) - at
    bracketed = _BRACKETED.match(text, at)
    if bracketed and _is_one_of(bracketed[1] or bracketed[2], names):
        return bracketed.end() - at
    return 0


def _line_end(text: str, at: int, until: int) -> int:
    line = _LINE.match(text, at, until)
    return line.end() if line else at


def _without_opening(text: str, names: frozenset[str]) -> str:
    """The text without the tags and block names in front of it."""
    while True:
        text = text.lstrip()
        marker = _MARKER.match(text)
        length = marker.end() if marker else _tag_length(text, 0, names)
        if not length:
            return text
        text = text[length:]


def _cut_at_others(text: str, names: frozenset[str]) -> str:
    """The text up to the first line or sentence that begins with a tag."""
    for start in _START.finditer(text):
        if _tag_length(text, start.end(), names):
            return text[: start.start()]
    return text


def _without_numbers(text: str, labels: Sequence[str]) -> str:
    for label in labels:
        text = text.replace(label, without_number(label))
    return text


def _folded(sentence: str) -> str:
    return " ".join(sentence.split()).casefold()


def _without_loops(text: str) -> str:
    """The text without sentences that were said before: small models repeat themselves.

    A whole sentence that comes back begins a loop, and the text ends there; a shorter one is only left out, and so is
    one that another began with: "I'm so sorry, Ann. I'm so sorry."
    """
    seen: set[str] = set()
    kept: list[str] = []
    for part in _sentences(text):
        sentence = _folded(part)
        if sentence and sentence in seen:
            if len(sentence.split()) >= LOOP_WORDS:
                break
            continue
        if any(_begins_with(earlier, sentence) for earlier in seen):
            continue
        seen.add(sentence)
        kept.append(part)
    return "".join(kept).rstrip()


def _begins_with(earlier: str, sentence: str) -> bool:
    """Whether a folded sentence that ended begins with another of several words: it says nothing new."""
    said = sentence.rstrip(".!…。！")
    return (
        said != sentence and " " in said and earlier.startswith(said) and earlier[len(said) : len(said) + 1] in _PAUSES
    )

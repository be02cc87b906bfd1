"""What is wrong with a reply, and what of it can be sent. Pure, and under ten milliseconds."""

import re

from bot.conversation.checking.asking import told_question
from bot.conversation.checking.claims import claims, unquoted
from bot.conversation.checking.feeling import feelings
from bot.conversation.checking.form import form_faults
from bot.conversation.checking.ground import Fault, Ground
from bot.conversation.checking.inventing import inventions
from bot.conversation.checking.manner import manners
from bot.conversation.checking.naming import without_account_name
from bot.conversation.checking.wordings import every, fold, keys_of, sentences, words

MOST_SENTENCES = 8
"""Sentences of a reply up to which single ones are dropped."""
SHORTEST = 2
"""Words of a remainder that can be sent."""

_ORDER = {fault: place for place, fault in enumerate(Fault)}
_WHOLLY_QUOTED = re.compile(r"^[\"“„«'‘]\s{0,3}([^\"“„«»”]+?)\s{0,3}[\"”“»'’]$", re.DOTALL)


def faults(reply: str, ground: Ground) -> tuple[Fault, ...]:
    """What is wrong with `reply`, the worst first; empty: it is fit to be sent."""
    found = form_faults(reply, ground)
    if Fault.EMPTY not in found:
        own = unquoted(reply, ground)
        found |= claims(own, ground) | feelings(own, ground) | inventions(own, ground) | manners(own, ground)
    return tuple(sorted(found, key=_ORDER.__getitem__))


def mended(reply: str, ground: Ground) -> str:
    """The reply without what stands around it ("Sure! Here is the response:", quotes) and without offending sentences.

    Sentences are dropped only where what remains is fit to be sent; else all of them stay. Mending twice is as mending
    once.
    """
    return _looked_at(reply, ground)[0]


def passing(reply: str, ground: Ground) -> str:
    """The reply as it can be sent, without what does not pass; empty when nothing of it does."""
    text, fit = _looked_at(reply, ground)
    return text if fit else ""


def _looked_at(reply: str, ground: Ground) -> tuple[str, bool]:
    """The reply as it is `mended`, and whether it is fit to be sent."""
    text = _unwrapped(reply)
    if ground.strict and not ground.channel:
        text = without_account_name(text, ground.speaker, ground.own)
    if not faults(text, ground):
        return text, True
    parts = sentences(text)
    if not 1 < len(parts) <= MOST_SENTENCES:
        return text, False
    good = [part for part in parts if not faults(part, ground)]
    for kept in (good, *([*parts[:at], *parts[at + 1 :]] for at in range(len(parts)))):
        shorter = "".join(kept).strip()
        if shorter != text and _is_enough(shorter, ground) and not faults(shorter, ground):
            return shorter, True
    return text, False


def _is_enough(text: str, ground: Ground) -> bool:
    """Whether it can stand alone: after a question about what was told a mere question back cannot.

    Of a small model's reply no question can that takes up nothing of what was just said.
    """
    if len(words(text)) < SHORTEST:
        return False
    if not all(part.rstrip().endswith("?") for part in sentences(text)):
        return True
    if ground.strict and keys_of(text, ground.codes).isdisjoint(keys_of(ground.latest, ground.codes)):
        return False  # what a small model asks beside a sentence that is wrong rests on the same mistake
    return not told_question(ground.latest, ground.people)


def _unwrapped(text: str) -> str:
    """The text without labels in front and without quotation marks around the whole."""
    while True:
        shorter = text.strip()
        shorter = _without_label(shorter)
        quoted = _WHOLLY_QUOTED.match(shorter)
        if quoted and quoted[1].count("'") + quoted[1].count("’") <= _APOSTROPHES:
            shorter = quoted[1].strip()
        if shorter == text or not words(shorter):
            return text
        text = shorter


_APOSTROPHES = 12
"""Apostrophes inside a quoted reply; more are quotes of something else."""


def _without_label(text: str) -> str:
    """The text behind "Sure! Here is the response:" or the like."""
    head, colon, rest = text[:120].partition(":")
    if not colon or not rest.strip():
        return text
    folded = fold(f"{head}:")
    if any(one.pattern("labels").fullmatch(folded) for one in every()):
        return text[len(head) + 1 :].strip()
    return text

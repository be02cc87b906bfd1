"""What kind of reply is due, and which memories help with it: for very small models, which need examples. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from bot.domain import AGENT_ID, Fragment, RecalledEvent, RecalledTrait, Recollection, Session, Utterance
from bot.lexicon import question_stems

NOTES_OF_SMALL = 2
"""Memories, and traits of each speaker, that a very small model is shown at most: more and it recites them."""

SHORT_QUOTE = 12
"""Words up to which a very small model finds the answer in what was said."""
GREETING_WORDS = 8
"""Words of a first message up to which it may be a mere greeting, which a memory answers best."""

_OWN = re.compile(r"\b(?:i|my|me|mine|we|us|our)\b", re.IGNORECASE)
_SAD = re.compile(
    r"\b(?:died|dead|death|funeral|passed away|lost my|lonely|alone|sad|cry|crying|cried|broke up|left me|divorced?"
    r"|depress\w*|cancer|hospitali[sz]ed|hurts?|miss (?:him|her|them)|afraid|scared|hopeless|heartbroken|fired|sick|ill"
    r"|fight|fought|ran away|accident)\b",
    re.IGNORECASE,
)
_IN_HOSPITAL = re.compile(r"\b(?:in|into|to|from|at) (?:the |a |our )?hospital\b", re.IGNORECASE)
_AT_WORK = re.compile(r"\b(?:work\w*|jobs?|nurses?|doctors?|shifts?)\b", re.IGNORECASE)
_REQUEST = re.compile(
    r"^\W*(?:(?:hey|hi|hello|ok|okay|so|and|well|please)\b[ ,!.]*|\w+, )*"
    r"(?:(?:tell|give|show|help|remind) me\b|(?:write|explain|list|sing|recommend|suggest|translate|describe|define) "
    r"|(?:can|could|would|will|do|did|are|is) (?:you|i|we|it)\b"
    r"|(?:who|what|where|when|why|how|which)(?:'s| (?:\w+ )?(?:is|are|was|were|do|does|did|can|could|will|would|should"
    r"|have|has|am) (?:you|i|we|it|he|she|they|my|your|the|\w+s)\b))",
    re.IGNORECASE,
)
"""A request, or a question without its mark."""


class Situation(StrEnum):
    """What a very small model is shown examples of: the templates `example_*.j2`."""

    OPEN = "open"
    """A greeting, and a memory to ask about."""
    CARE = "care"
    """A greeting, and a sad memory: not one to ask about cheerfully."""
    ASK = "ask"
    """A question about oneself, and something recalled that may answer it."""
    SAD = "sad"
    ANSWER = "answer"
    """What is said to a message with which the companion opened the conversation."""
    TALK = "talk"
    """Everything else."""


LISTENING = frozenset({Situation.ANSWER, Situation.TALK})
"""Where people tell of themselves: what a very small model's generator adapter is trained for, see `listens`.

Not for bad news: of 135M parameters a tuned model took them lightly ("How long have you been a dog owner?"), while the
examples for them bring words of comfort.
"""


def listens(situation: Situation, latest: Utterance) -> bool:
    """Whether a reply only has to take up what was said: nothing was asked for, and no memory is shown."""
    return situation in LISTENING and "?" not in latest.text and not _REQUEST.search(latest.text)


def situation_of(session: Session, latest: Utterance, recollection: Recollection) -> Situation:
    """What kind of reply is due. The cues are English, as very small models are."""
    opening = not any(utterance.speaker.is_agent for utterance in session.utterances)
    traits = any(item.trait.speaker_id != AGENT_ID for item in recollection.traits)
    recalled = recollection.all_events or recollection.fragments or traits
    if "?" in latest.text and (recollection.fragments or (recalled and _OWN.search(latest.text))):
        return Situation.ASK
    if _is_sad(latest.text):
        return Situation.SAD
    recollection = with_events(recollection)
    if opening and recollection.events and len(latest.text.split()) <= GREETING_WORDS:
        return Situation.CARE if _is_sad(recollection.events[0].event.summary) else Situation.OPEN
    return Situation.TALK


def _is_sad(text: str) -> bool:
    return bool(_SAD.search(text) or (_IN_HOSPITAL.search(text) and not _AT_WORK.search(text)))


def what_helps(situation: Situation, recollection: Recollection, latest: Utterance) -> Recollection:
    """The part of a recollection that a very small model can use in this situation, best first.

    One memory for a greeting. For a question one trait of who asks, if it is about that and shorter than what was said;
    or what was said word for word, or else the nearest few memories and traits. Otherwise nothing: mid-talk it loses
    the thread over them. The agent's own traits are not needed either: those of its card stand in the prompt anyway.
    """
    recollection = with_events(recollection)
    if situation in {Situation.OPEN, Situation.CARE}:
        return Recollection(events=recollection.events[:1])
    if situation is not Situation.ASK:
        return Recollection()
    seen: Counter[str] = Counter({AGENT_ID: NOTES_OF_SMALL})
    traits: list[RecalledTrait] = []
    for recalled in recollection.traits:
        seen[recalled.trait.speaker_id] += 1
        if seen[recalled.trait.speaker_id] <= NOTES_OF_SMALL:
            traits.append(recalled)
    found = (found_alone(fragment) for fragment in recollection.fragments)
    quotes = tuple(one for one in found if not one.lines[0].text.rstrip().endswith("?"))[:1]
    told = [one.lines[0].text for one in quotes] + [item.event.summary for item in recollection.events]
    if answer := _trait_about(latest, recollection.traits, told):  # from a long quote it takes the wrong half
        return Recollection(traits=(answer,))
    if quotes:  # their own words say it best, and the same thing told thrice is mixed up
        return Recollection(fragments=quotes)
    return Recollection(recollection.events[:NOTES_OF_SMALL], tuple(traits))


def _trait_about(latest: Utterance, traits: Sequence[RecalledTrait], told: Sequence[str]) -> RecalledTrait | None:
    """The asker's own trait that has most words of their question, if it has any.

    None where one of `told` has more of them, or as many and is short: it may say more.
    """
    if not _OWN.search(latest.text):
        return None
    wanted = question_stems(latest.text)

    def has(text: str) -> int:
        return len(wanted & question_stems(text))

    of_asker = [item for item in traits if item.trait.speaker_id == latest.speaker.id]
    best = max(of_asker, key=lambda item: has(item.trait.text), default=None)
    found = has(best.trait.text) if best is not None else 0
    better = any(has(text) + (len(text.split()) <= SHORT_QUOTE) > found for text in told)
    return best if found and not better else None


def found_alone(fragment: Fragment) -> Fragment:
    """The fragment without what stands around the utterance that it was found by."""
    key = fragment.keys[0] if fragment.keys else fragment.lines[0].id
    return replace(fragment, lines=tuple(line for line in fragment.lines if line.id == key) or fragment.lines[:1])


def with_events(recollection: Recollection) -> Recollection:
    """The same, with the events that timelines go through where nothing but timelines was recalled (THEANINE)."""
    if recollection.events or not recollection.timelines:
        return recollection
    through = {
        event.id: RecalledEvent(event, timeline.score, 0.0, 0.0, 1.0)
        for timeline in recollection.timelines
        for event in timeline.events
        if event.id == timeline.through
    }
    return replace(recollection, events=tuple(through.values()))

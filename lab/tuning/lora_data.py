"""What the three skills are trained on: prompts as they are live, with the answer that a person gave to each.

Public data are divided as their makers divided them: what is learnt from is `valid` or `dev`, what is measured on is
`test_open` or `test`. What is chosen by (when to stop) is a part of the former, held out by conversation.

The answers are what the live parsers take, no more: a statement or summary that the grounding check would turn down, or
that is too long, teaches nothing but to be turned down. What is measured on stays as it is.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from bot.config import Memory, Persona
from bot.domain import ChatMessage, Role, Skill
from bot.errors import BadInput, MalformedOutput
from bot.language.extractive import Topics
from bot.memory.events import parse_summary
from bot.persona.extract import NO_TRAIT, parse_traits
from bot.prompting.skills import extractor_messages, summarizer_messages
from lab.datasets import dialogsum, msc_persona
from lab.tuning.lora_cleaning import first_sentences, named, sentences_of, statements

HELD_OUT = 0.08
"""Share of the conversations to choose by; of conversations of one's own as much again to measure on."""
CHOSEN_BY = 160
"""Examples of the held-out conversations, at most."""
FEWEST = 3
"""Conversations: one to learn from, one to choose by, one to measure on."""

MSC_TRAITS = "Multi-Session Chat, persona_session_1 to 4, valid"
DIALOGSUM = "DialogSum, dev"
MSC_DIALOGUES = "Multi-Session Chat, dialogue_session_2 and 3, valid"
MSC_LISTENING = "Multi-Session Chat, dialogue_session_2 and 3, valid: what was said after a statement"
OWN = "conversations of this data folder"

Messages = tuple[ChatMessage, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Example:
    """One prompt and its right answers; the first one is learnt. `conversation`: what it must not be split from."""

    conversation: str
    messages: Messages
    answers: tuple[str, ...]
    source: str = ""
    """What people said of which the answer is made."""
    untuned: Messages = ()
    """What a model that was not tuned is shown instead, where that is known; empty: the same."""
    every_reply: bool = False
    """Whether the replies in `messages` are learnt too."""

    @property
    def answer(self) -> str:
        """The answer that is learnt."""
        return self.answers[0]


@dataclass(frozen=True, slots=True)
class Material:
    """Examples to learn from, to choose by, and to measure on. `name`: of the data, for the model card."""

    skill: Skill
    name: str
    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    test: tuple[Example, ...]
    left_out: str = ""
    """What was not taken, and why, in a sentence."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What is drawn of the data, by the seed. `limit`: so many examples to learn from are looked at, at most."""

    seed: int = 0
    limit: int | None = None
    chosen_by: int = CHOSEN_BY
    """So many examples to choose by, at most."""
    measured: int = 200
    """So many examples to measure on, at most."""

    def divided(self, found: Sequence[T], conversation: Callable[[T], str]) -> tuple[list[T], list[T]]:
        """Those to learn from, in a new order, and those to choose by: no conversation is in both. Raises BadInput."""
        names = sorted({conversation(one) for one in found})
        if len(names) < FEWEST - 1:
            raise BadInput("Training needs two conversations or more: one to learn from, one to see when to stop.")
        drawn = random.Random(self.seed)  # noqa: S311 - no secret
        held = set(drawn.sample(names, max(1, round(HELD_OUT * len(names)))))
        order = drawn.sample(found, len(found))
        train = [one for one in order if conversation(one) not in held]
        return train[: self.limit], [one for one in order if conversation(one) in held][: self.chosen_by]

    def to_measure(self, test: Sequence[T]) -> tuple[T, ...]:
        """A sample of what is measured on."""
        drawn = random.Random(f"{self.seed} test")  # noqa: S311 - no secret
        return tuple(drawn.sample(test, min(self.measured, len(test))))


def whole_conversation(name: str, system: str, turns: Sequence[tuple[str, str]]) -> Example:
    """A conversation, pairs of what is said and what is answered, of which every reply is learnt."""
    messages = [ChatMessage(Role.SYSTEM, system)]
    for said, reply in turns:
        messages += [ChatMessage(Role.USER, said), ChatMessage(Role.ASSISTANT, reply)]
    source = " ".join(said for said, _ in turns)
    return Example(name, tuple(messages[:-1]), (messages[-1].content,), source, every_reply=True)


def read_traits(data: Path, topics: Topics, draw: Draw) -> Material:
    """MSC's utterances with the traits written down for them, or NO_TRAIT as often as in the data. Raises BadInput.

    What the parser takes costs some milliseconds to find out, so it is asked of what is drawn alone.
    """
    sessions = msc_persona.read_split(data, "valid")
    labelled = [_Labelled(each.conversation, one) for each in sessions for one in each.utterances if one.text.strip()]
    words = Persona().trait_words
    train, dev = (_as_often(part, topics, words) for part in draw.divided(labelled, lambda one: one.conversation))
    test = [
        Example(each.conversation, extractor_messages(one.text), (one.traits or NO_TRAIT,), one.text)
        for each in msc_persona.read_split(data, "test_open")
        for one in each.utterances
        if one.text.strip()
    ]
    note = (
        "Left out were utterances whose traits the parser does not take, and as many without any in proportion: "
        f"{train.looked_at - len(train.kept):,} of {train.looked_at:,}."
    )
    return Material(Skill.EXTRACTOR, MSC_TRAITS, train.kept, dev.kept, draw.to_measure(test), note)


def read_summaries(data: Path, topics: Topics, draw: Draw) -> Material:
    """DialogSum's dialogues with names for "#Person1#", and their summaries. Raises BadInput."""
    words = Memory().summary_words
    parts = draw.divided(_dialogues(data, "dev"), lambda one: one.id)
    found = [[_summary_example(one, topics, words, draw.seed) for one in part] for part in parts]
    train, dev = (tuple(one for one in part if one is not None) for part in found)
    test = [_whole_summary(one, draw.seed) for one in _dialogues(data, "test")]
    note = f"Left out were dialogues whose summary the parser does not take: {len(found[0]) - len(train)} of "
    return Material(Skill.SUMMARIZER, DIALOGSUM, train, dev, draw.to_measure(test), f"{note}{len(found[0])}.")


def _dialogues(data: Path, split: str) -> list[dialogsum.Dialogue]:
    names = (f"dialogsum.{split}.jsonl", f"dialogsum/dialogsum.{split}.jsonl")
    path = next((data / name for name in names if (data / name).is_file()), None)
    if path is None:
        raise BadInput(f"{data} holds no {names[0]}. Give the folder of DialogSum with --data.")
    return list(dialogsum.read_dialogues(path))


class _Labelled(NamedTuple):
    """An utterance of a conversation."""

    conversation: str
    said: msc_persona.LabelledUtterance


class _Kept(NamedTuple):
    """The examples that were made of some utterances."""

    kept: tuple[Example, ...]
    looked_at: int


def _as_often(labelled: Sequence[_Labelled], topics: Topics, words: int) -> _Kept:
    """Examples of utterances, without those whose traits the parser does not take.

    Of those without traits some are left out too, evenly, so that they are as frequent as they were.
    """
    carrying = [_traits_example(one, topics, words) for one in labelled if one.said.carries_trait]
    taken = iter(carrying)
    share = sum(one is not None for one in carrying) / max(1, len(carrying)) if carrying else 1.0
    kept: list[Example] = []
    without = 0
    for one in labelled:
        if one.said.carries_trait:
            example = next(taken)
            kept += [example] if example is not None else []
        else:
            without += 1
            if int(without * share) > int((without - 1) * share):
                kept.append(Example(one.conversation, extractor_messages(one.said.text), (NO_TRAIT,), one.said.text))
    return _Kept(tuple(kept), len(labelled))


def _traits_example(labelled: _Labelled, topics: Topics, words: int) -> Example | None:
    """The example that an utterance with traits makes; None when the parser would take none of them."""
    conversation, said = labelled
    kept = [each for each in statements(said.traits, said.text) if _taken(each, said.text, topics, words)]
    answer = first_sentences(kept, words)
    return Example(conversation, extractor_messages(said.text), (answer,), said.text) if answer else None


def _taken(statement: str, source: str, topics: Topics, words: int) -> bool:
    try:
        return bool(parse_traits(statement, source, topics, words))
    except MalformedOutput:
        return False


def _summary_example(dialogue: dialogsum.Dialogue, topics: Topics, words: int, seed: int) -> Example | None:
    """The example that a dialogue makes; None when the parser would not take its summary."""
    whole = _whole_summary(dialogue, seed)
    lines, _ = named(dialogue, seed)
    answer = first_sentences(sentences_of(whole.answer), words)
    try:
        parse_summary(answer, whole.source, [name for name, _ in lines], topics, words)
    except MalformedOutput:
        return None
    return Example(whole.conversation, whole.messages, (answer,), whole.source)


def _whole_summary(dialogue: dialogsum.Dialogue, seed: int) -> Example:
    lines, summaries = named(dialogue, seed)
    source = "\n".join(f"{name}: {text}" for name, text in lines)
    return Example(dialogue.id, summarizer_messages(lines), summaries, source)


def digest(examples: Iterable[Example]) -> str:
    """A name of these examples that tells nothing of their words: training goes on only with the same ones."""
    made = hashlib.sha256()
    for one in examples:
        made.update(repr((one.messages, one.answers, one.every_reply)).encode("utf-8", errors="replace"))
    return made.hexdigest()[:16]

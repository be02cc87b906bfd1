"""What a model's voice is tuned on: conversations written for it, in seven languages (`talk/*.yaml`).

They were written for this project, reply by reply, by writers who did not see the conversations that judge
(`bot/evaluation/companion`). Each is a list of turns: what people say, with what is remembered in brackets in front as
the program puts it there (`phrases/`), and what a good friend answers. In channels each line has a name in front.

A conversation is one example, since what is said late rests on all before; every reply of it is learnt. The prompt is
the live one of a tuned model (`conversation/chat_turns.py`): no rules, no examples.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.conversation.chat_turns import system_text
from bot.conversation.insight import description_of
from bot.conversation.phrases import ENGLISH, LANGUAGES, Phrases, phrases_of
from bot.domain import ChatMessage, Role, Skill
from bot.errors import BadInput
from bot.persona.card import Card
from bot.tuning.lora_data import Draw, Example, Material

SHIPPED = Path(__file__).parent / "talk"
NAME = "conversations written for this project"
CHOSEN_BY = 10
"""Conversations to choose by, at most: looking at one takes a third of the time that learning from it does."""
FIRST_DAY, DAYS = datetime(2025, 1, 1, tzinfo=UTC), 900
"""From when the dates are that conversations begin with, and over how many days they go."""


class Conversation(BaseModel):
    """One conversation of a file. `language`: where it is not that of the file's name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turns: tuple[tuple[str, str], ...] = Field(min_length=1)
    channel: bool = False
    language: str = ""


def read_written(folder: Path, card: Card, draw: Draw) -> Material:
    """The conversations of the YAML files in `folder`, as examples. Raises BadInput."""
    made = [
        _example(f"{file.stem} {number}", one, language, card, draw.seed)
        for file in sorted(folder.glob("*.yaml"))
        for language in [file.stem if file.stem in LANGUAGES else ENGLISH]
        for number, one in enumerate(_read(file), 1)
    ]
    train, held = draw.divided(made, lambda one: one.conversation)
    return Material(Skill.GENERATOR, NAME, tuple(train), tuple(held[:CHOSEN_BY]), draw.to_measure(held[CHOSEN_BY:]))


def _read(file: Path) -> Iterator[Conversation]:
    try:
        listed = yaml.safe_load(file.read_text(encoding="utf-8"))
        yield from (Conversation.model_validate(one) for one in listed)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, TypeError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise BadInput(f"{file} holds no conversations for training ({reason}). See bot/tuning/talk.") from None


def _example(name: str, one: Conversation, language: str, card: Card, seed: int) -> Example:
    phrases = phrases_of(one.language or language)
    system = system_text(phrases, card, description_of(card, phrases), channel=one.channel, rules=False)
    messages = [ChatMessage(Role.SYSTEM, system)]
    for said, reply in one.turns:
        messages += [ChatMessage(Role.USER, said), ChatMessage(Role.ASSISTANT, reply)]
    messages[1] = ChatMessage(Role.USER, f"[{_today(phrases, f'{seed} {name}')}] {messages[1].content}")
    source = " ".join(said for said, _ in one.turns)
    return Example(name, tuple(messages[:-1]), (messages[-1].content,), source, every_reply=True)


def _today(phrases: Phrases, drawn_by: str) -> str:
    """The date that a conversation begins with; it has nothing to do with what is said."""
    day = FIRST_DAY + timedelta(days=random.Random(drawn_by).randrange(DAYS))  # noqa: S311 - no secret
    return phrases.brackets.today.format(date=phrases.date(day))

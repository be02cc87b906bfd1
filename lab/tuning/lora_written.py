"""What a model's voice is tuned on: conversations written for it, in seven languages (`talk/*.yaml`).

They were written for this project by writers who did not see the conversations that judge (`evaluation/companion`);
their form is told in `evaluation/datasets/written.py`. The replies are plain on purpose: a first set, with wit and
images, taught a model of 1.5B parameters to say nonsense in the same tone.

A conversation is one example, since what is said late rests on all before; every reply of it is learnt. The prompt is
the live one of a tuned model (`conversation/chat_turns.py`): no rules, no examples. In half of them the companion has
another name, so that it goes by the one that its owner gives it.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.config import Agent
from bot.conversation.chat_turns import system_text
from bot.conversation.insight import description_of
from bot.conversation.phrases import Phrases, phrases_of
from bot.domain import ChatMessage, Role, Skill
from lab.datasets.written import Written, read_written
from lab.tuning.lora_data import Draw, Example, Material, whole_conversation

NAME = "conversations written for this project"
CHOSEN_BY = 10
"""Conversations to choose by, at most: looking at one takes a third of the time that learning from it does."""
WRITTEN_FOR = "Monica"
"""What the companion is called in them."""
OTHER_NAMES = (
    "Alex",
    "Nova",
    "Ruby",
    "Juno",
    "Milo",
    "Iris",
    "Theo",
    "Luna",
    "Otto",
    "Ada",
    "Pip",
    "Echo",
    "Hazel",
    "Kai",
)
FIRST_DAY, DAYS = datetime(2025, 1, 1, tzinfo=UTC), 900
"""From when the dates are that conversations begin with, and over how many days they go."""


def written_material(folder: Path, card: Agent, draw: Draw) -> Material:
    """The conversations of the YAML files in `folder`, as examples. Raises BadInput."""
    made = [example_of(one, card, draw.seed) for one in read_written(folder)]
    train, held = draw.divided(made, lambda one: one.conversation)
    return Material(Skill.GENERATOR, NAME, tuple(train), tuple(held[:CHOSEN_BY]), draw.to_measure(held[CHOSEN_BY:]))


def example_of(one: Written, card: Agent, seed: int) -> Example:
    """A conversation as it is learnt: the prompt of a tuned model, with a name and a date that the seed draws."""
    phrases, drawn = phrases_of(one.language), random.Random(f"{seed} {one.name} name")  # noqa: S311 - no secret
    name = card.name if drawn.random() < 0.5 else drawn.choice(OTHER_NAMES)  # noqa: PLR2004 - half
    card = card.model_copy(update={"name": name})
    turns = [(_named(said, card.name), _named(reply, card.name)) for said, reply in one.turns]
    system = system_text(phrases, card, description_of(card, phrases), channel=one.channel, rules=False)
    made = whole_conversation(one.name, system, turns)
    today = _today(phrases, f"{seed} {one.name}")
    first = ChatMessage(Role.USER, f"[{today}] {made.messages[1].content}")
    return replace(made, messages=(made.messages[0], first, *made.messages[2:]))


def _named(text: str, name: str) -> str:
    """The text, with the companion called `name`."""
    return re.sub(rf"\b{WRITTEN_FOR}\b", name, text)


def _today(phrases: Phrases, drawn_by: str) -> str:
    """The date that a conversation begins with; it has nothing to do with what is said."""
    day = FIRST_DAY + timedelta(days=random.Random(drawn_by).randrange(DAYS))  # noqa: S311 - no secret
    return phrases.brackets.today.format(date=phrases.date(day))

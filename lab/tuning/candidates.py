"""Replies of the model's own to the lines of written conversations, for readers to mark (`lora_preferences.py`).

Each line is answered several times over by the model with the adapter that it has, at a temperature; what went before
is the conversation as it was written. llama.cpp reads the prompt once and says the replies side by side.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bot.conversation.reply import clean
from bot.domain import ChatMessage, Role
from bot.llm.llama_server import LlamaServer, Part
from lab.tuning.lora_data import Example, Messages
from lab.tuning.lora_preferences import Candidate, Marked, Turn

TEMPERATURE = 0.7
TOGETHER = 4
"""Replies to each line, at most: those that are the same count once."""
LONGEST_REPLY = 48
"""Tokens; what goes on longer is left out, since its likelihood is of a reply that nobody would get."""


class Sampler:
    """Asks llama.cpp for several replies at once. `share`: how much of the adapter is added."""

    def __init__(self, server: LlamaServer, share: float, seed: int) -> None:
        self._server = server
        self._share = share
        self._seeds = random.Random(seed)  # noqa: S311 - no secret

    def answered(self, name: str, conversation: Example) -> Marked:
        """A conversation with replies of the model's to every line."""
        whole = (*conversation.messages, ChatMessage(Role.ASSISTANT, conversation.answer))
        turns = [
            Turn(said=said.content, reply=reply.content, others=tuple(self._replies(whole[: 2 + 2 * number])))
            for number, (said, reply) in enumerate(zip(whole[1::2], whole[2::2], strict=True))
        ]
        return Marked(name=name, system=whole[0].content, turns=tuple(turns))

    def _replies(self, messages: Messages) -> Iterator[Candidate]:
        """The replies, each once."""
        pieces: dict[int, list[str]] = defaultdict(list)
        likelihoods: dict[int, float] = defaultdict(float)
        ended: set[int] = set()

        def take(part: Part) -> bool:
            for choice in part.get("choices", ()):
                index = choice["index"]
                pieces[index].append(choice["text"])
                for token in (choice["logprobs"] or {}).get("content", ()):
                    likelihoods[index] += token["logprob"]
                if choice["finish_reason"] == "stop":
                    ended.add(index)
            return False

        self._server.complete(self._asked(messages), take)
        seen: set[str] = set()
        for index in sorted(ended):
            text = "".join(pieces[index])
            if text not in seen and text.strip() and clean(text, ()) == text:
                seen.add(text)
                yield Candidate(text=text, likelihood=min(likelihoods[index], 0.0))

    def _asked(self, messages: Messages) -> dict[str, Any]:
        return {
            "prompt": self._server.tokens(self._server.render(messages), whole_prompt=True),
            "max_tokens": LONGEST_REPLY,
            "temperature": TEMPERATURE,
            "samplers": ["temperature"],
            "seed": self._seeds.randrange(2**31),
            "n": TOGETHER,
            "n_cmpl": TOGETHER,
            "logprobs": 1,
            "stream": True,
            "cache_prompt": True,
            "id_slot": 0,
            "lora": [{"id": 0, "scale": self._share}],
        }


def write_marked(path: Path, conversation: Marked) -> None:
    """Adds a conversation to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(conversation.model_dump_json(exclude_none=True) + "\n")

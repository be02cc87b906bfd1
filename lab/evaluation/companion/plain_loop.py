"""The plain loop to compare with: a GGUF model in llama.cpp, the whole history as chat turns, and nothing else.

It is loaded late: xllamacpp brings llama.cpp.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import xllamacpp

from lab.evaluation.companion.conversations import Conversation
from lab.evaluation.companion.playing import Replies, Reply, key_of

CONTEXT, MOST_TOKENS = 4096, 60
SYSTEM = (
    "You are Monica, a warm companion who listens and remembers. You are a chatbot, not a person: you have no pets, "
    "family, home or job of your own. People tell you about THEIR life. Reply in their language, in one or two short "
    "sentences, to what they just said; comfort them when it is sad, be glad with them when it is good; ask at most "
    "one question about it. When they ask about something they told you, answer from what they said, with 'you' and "
    "'your'. If they never told you, say that they have not told you yet."
)
SHOTS = (
    ("user", "My aunt Rosa grows lemons."),
    ("assistant", "Lemons, how lovely! Does your aunt Rosa share them with you?"),
    ("user", "What is my aunt's name?"),
    ("assistant", "Your aunt is called Rosa."),
    ("user", "What is my uncle's name?"),
    ("assistant", "You haven't told me your uncle's name yet. What is he called?"),
    ("user", "My bird died this morning."),
    ("assistant", "I am so sorry, losing a little friend hurts. Do you want to tell me about your bird?"),
)


def play(path: Path, conversations: Sequence[Conversation], advance: Callable[[], None]) -> Replies:
    """The model's replies to all lines; `advance` is told of each."""
    server = _server(path)
    replies: Replies = {}
    for talk in conversations:
        history = [{"role": "system", "content": SYSTEM}]
        history += [{"role": role, "content": text} for role, text in SHOTS]
        replies[key_of(talk)] = said = []
        for line in talk.lines:
            text = f"{line.speaker}: {line.text}" if line.speaker else line.text
            history.append({"role": "user", "content": text})
            start = perf_counter()
            reply = _answer(server, history)
            said.append(Reply(reply, perf_counter() - start))
            history.append({"role": "assistant", "content": reply})
            advance()
    return replies


def _server(path: Path) -> Any:
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx, params.n_parallel, params.use_jinja = CONTEXT, 1, True
    params.verbosity = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = os.cpu_count() or 1
    # Threads that wait by spinning starve each other on busy cores.
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    return xllamacpp.Server(params)


def _answer(server: Any, history: Sequence[dict[str, str]]) -> str:
    asked = {"messages": list(history), "max_tokens": MOST_TOKENS, "temperature": 0.0, "cache_prompt": True}
    answer = server.handle_chat_completions(asked)
    answer = json.loads(answer) if isinstance(answer, bytes | str) else answer
    return str(answer["choices"][0]["message"]["content"]).strip()

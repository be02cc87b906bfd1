"""What the generator is trained on: live reply prompts of replayed conversations, with what was really said (LD-Agent).

Multi-Session Chat is told to the whole core, as `lab evaluate msc` does, and the core is asked for turns of the last
session: everything is live, recall and traits with their adapters if there are any, and only the reply itself is not
generated. What the model would have been shown is the prompt; what Speaker 2 said is the answer. Very small models are
shown too little for that to be worth its time: they learn from `lora_listening.py`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.app.assembly import Engines
from bot.config import Settings
from bot.domain import ChatMessage, Chunk, FinishReason, GenerationRequest, ModelDescription, Priority, Skill
from bot.errors import BadInput
from bot.ports import ChatModel, Report
from lab.datasets.msc import read_dialogues
from lab.evaluation.msc import Options, Told, draw
from lab.evaluation.rehearsal import Rehearsal
from lab.tuning.lora_data import MSC_DIALOGUES, Draw, Example, Material, Messages

SESSIONS = (2, 3)
DEFAULT_LIMIT = 1000
"""Turns that are asked for when no limit is set: each takes about a second."""
STAND_IN = "I see."
"""What stands for the reply, which nobody looks at."""


class Overhearing:
    """A `ChatModel` that keeps the prompts of a tuned generator and generates no reply; all else another model does."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.prompts: list[Messages] = []

    @property
    def description(self) -> ModelDescription:
        """The other model's, as if it were tuned already: only then it is shown what it is to learn from."""
        told = self._model.description
        return replace(told, skills=told.skills | {Skill.GENERATOR})

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """See `ChatModel.count_tokens`."""
        return self._model.count_tokens(messages)

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """See `ChatModel.stream`."""
        if request.priority is Priority.REPLY:
            if request.skill is Skill.GENERATOR:
                self.prompts.append(request.messages)
            yield Chunk(STAND_IN, FinishReason.STOP)
            return
        async for chunk in self._model.stream(request):
            yield chunk

    async def aclose(self) -> None:
        """Nothing: the other model stays open for whoever opened it."""


async def read_replies(settings: Settings, data: Path, engines: Engines, taken: Draw, report: Report) -> Material:
    """MSC's turns with the prompts that the core makes for them. Takes about a second each. Raises BadInput."""
    if engines.model is None:
        raise BadInput("Replaying conversations needs a language model.")
    heard = Overhearing(engines.model)
    rehearsal = Rehearsal(settings, replace(engines, model=heard))
    wanted = taken.limit or DEFAULT_LIMIT
    parts: dict[str, list[Example]] = {}
    for split, sample in (("valid", wanted + taken.chosen_by), ("test_open", taken.measured)):
        told = [
            one
            for number in SESSIONS
            for one in draw(Options(data, -(-sample // len(SESSIONS)), SESSIONS, taken.seed, split), number)
        ]
        people = _people(data, split)
        parts[split] = []
        for number, one in enumerate(told):
            report(f"Replaying {split}, dialogue {number + 1} of {len(told)}", number / len(told))
            parts[split] += await _asked(rehearsal, heard, one, people[one.name])
    train, dev = taken.divided(parts["valid"], lambda one: one.conversation)
    return Material(Skill.GENERATOR, MSC_DIALOGUES, tuple(train), tuple(dev), taken.to_measure(parts["test_open"]))


def _people(data: Path, split: str) -> dict[str, str]:
    """Dialogue's name → a name of its two people, who talk in both sessions' files."""
    return {
        f"dialogue_session_{number}.{split}-{one.line}": one.id or f"{number}-{one.line}"
        for number in SESSIONS
        for one in read_dialogues(data / "msc" / f"dialogue_session_{number}.{split}.jsonl")
    }


async def _asked(rehearsal: Rehearsal, heard: Overhearing, told: Told, people: str) -> list[Example]:
    """The examples that one dialogue of these people makes."""
    made = []
    with TemporaryDirectory(prefix="hello-again-tune-") as name:
        folder = Path(name)
        async with rehearsal.told(folder / "told", told.before):
            pass
        for position in told.asked:
            heard.prompts.clear()
            lines, question = told.last[: position - 1], told.last[position - 1]
            await rehearsal.ask(folder / "told", folder / "asked", lines, question)
            if heard.prompts:
                made.append(Example(people, heard.prompts[0], (told.last[position].text,), question.text))
    return made

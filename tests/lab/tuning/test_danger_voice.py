"""Training the voice's second opinion on danger: it learns, the threshold keeps to its budget, and repeats exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from bot.conversation.danger_voice import read_weights
from bot.conversation.safety import Doubt
from bot.conversation.state_reading import OPENING, prompt_of
from bot.domain import ChatMessage
from bot.errors import BadInput
from bot.llm.scripted import ScriptedStates
from bot.ports import Vector
from lab.evaluation.companion.conversations import READ_ONLY, Conversation, Line
from lab.evaluation.safety import Chat
from lab.evaluation.voice_states import KeptStates
from lab.tuning import danger, danger_voice
from lab.tuning.danger_figures import Ordinary

WIDTH = 48
SOON = timedelta(seconds=5)
NAMES = [f"{first}{last}" for first in ("bo", "da", "fi", "ga", "ke", "lu") for last in ("ra", "lin", "mo", "tes")]


def states() -> ScriptedStates:
    return ScriptedStates("I see.", digest="abc", width=WIDTH)


def kept(model: ScriptedStates, file: Path | None = None) -> KeptStates:
    return KeptStates(model, file, print)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with some sentences; every text is doubtful to the net, which has learnt from the first ten."""
    rows = [(f"the quarry calls {name}", "self") for name in NAMES] + [(f"pancakes for {name}", None) for name in NAMES]
    told = [{"text": text, "language": "en", "danger": threat, "kind": "plan"} for text, threat in rows]
    (tmp_path / "some.jsonl").write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
    chats = [Chat("a", tuple(f"pancakes with {name}" for name in NAMES)), Chat("a", ("never read",), aside=True)]
    talk = Conversation("one", READ_ONLY, tuple(Line(f"pancakes again, {name}") for name in NAMES))
    monkeypatch.setattr(danger, "DATA", (tmp_path / "some.jsonl",))
    monkeypatch.setattr(danger, "ALIKE", 1.1)
    monkeypatch.setattr(danger, "ordinary_talk", lambda *_: [Ordinary(f"tea {n}", "en", 0, 1.0) for n in range(9)])
    monkeypatch.setattr(danger_voice, "real_chat", lambda _data: iter(chats))
    monkeypatch.setattr(danger_voice, "read_ours", lambda: [talk])
    monkeypatch.setattr(danger_voice, "doubt_in", lambda text: Doubt(text, -1.0 + len(text) % 3, others=False))
    monkeypatch.setattr(danger_voice, "net_has_learnt", lambda: 10)
    return tmp_path


async def test_training_learns_and_the_same_seed_gives_the_same_file(data: Path) -> None:
    model = states()
    report = await danger_voice.train(kept(model), data, data / "a.npz", seed=3)
    await danger_voice.train(kept(states()), data, data / "b.npz", seed=3)
    assert (data / "a.npz").read_bytes() == (data / "b.npz").read_bytes()
    assert "never read" not in model.read
    found = read_weights(data / "a.npz")
    assert found.digest == "abc"
    quarry, cake = [await model.hidden_state(prompt_of(text), OPENING, SOON) for text in ("the quarry", "pancakes for")]
    assert found.logit(quarry) > found.logit(cake)
    assert report.areas[1] > 0.9
    assert (report.asked, report.dangers, report.lines) == (2 * len(NAMES) + 9, len(NAMES), len(NAMES))
    assert report.unsure[1] <= danger_voice.MOST_UNSURE * len(NAMES)
    assert "quarry" not in json.dumps(dict(found.about))


def test_the_threshold_is_the_lowest_within_its_budget() -> None:
    sums = np.array([0.5, 3.0, 1.0, 2.004, -1.0])
    for most in range(4):
        threshold = danger_voice._threshold(sums, most)
        assert (sums >= threshold).sum() == most
    assert (sums >= danger_voice._threshold(sums, 9)).sum() == 5


async def test_what_was_read_is_kept_in_a_file(tmp_path: Path) -> None:
    file, model = tmp_path / "states.npz", states()
    once = kept(model, file)
    first = await once.hidden_state(prompt_of("pancakes"), OPENING, SOON)
    await once.hidden_state(prompt_of("pancakes"), OPENING, SOON)
    once.save()
    again = await kept(model, file).hidden_state(prompt_of("pancakes"), OPENING, SOON)
    assert model.read == ["pancakes"]
    assert again.tolist() == first.tolist()
    file.write_bytes(b"something else")
    with pytest.raises(BadInput, match=r"states\.npz"):
        kept(model, file)


class Batch(ScriptedStates):
    """Reads many prompts at once, the last first."""

    def read_many(self, prompts: Sequence[Sequence[ChatMessage]], opening: str) -> Iterator[tuple[int, Vector]]:
        for at in reversed(range(len(prompts))):
            yield at, np.full(WIDTH, len(prompts[at][-1].content + opening), dtype=np.float32)


async def test_many_prompts_are_read_together_where_the_model_can_and_each_once(tmp_path: Path) -> None:
    model = Batch("I see.", digest="abc", width=WIDTH)
    prompts = [prompt_of(text) for text in ("tea", "pancakes", "tea")]
    states_of_them = await kept(model, tmp_path / "states.npz").states_of(prompts, "So")
    assert states_of_them[:, 0].tolist() == [5, 10, 5]
    assert model.read == []
    alone = states()
    one_by_one = await kept(alone).states_of(prompts, OPENING)
    assert one_by_one.shape == (3, WIDTH)
    assert alone.read == ["tea", "pancakes"]

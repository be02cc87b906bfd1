"""Training the voice's second opinion on what is grave: it learns, keeps to its budget, and repeats exactly."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bot.care.grave_net import grave_net
from bot.care.grave_voice import LOUD, read_weights
from bot.conversation.state_reading import OPENING, prompt_of
from bot.llm.scripted import ScriptedStates
from lab.evaluation.voice_states import KeptStates
from lab.tuning import grave, grave_voice
from lab.tuning.grave import Line

WIDTH = 48
NAMES = [f"{first}{last}" for first in ("bo", "da", "fi", "ga", "ke", "lu") for last in ("ra", "lin", "mo", "tes")]
GRAVE = [Line(f"the empty chair at the table of {name}", "en", grave=True) for name in NAMES]
ELSEWHERE = [Line(f"der leere stuhl am tisch von {name}", "de", grave=True) for name in NAMES]
TALK = [
    Line(f"we had pancakes at the river with {name}", "en", grave=False, chat=f"talk {number}", companion=True)
    for number, name in enumerate(NAMES)
]
CHAT = [Line(f"wir hatten kuchen am fluss mit {name}", "de", grave=False, chat=f"chat {name}") for name in NAMES]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[Line]:
    """Lines about all of which the net is in doubt, each alike."""
    told = [*GRAVE, *ELSEWHERE, *TALK, *CHAT]
    net = grave_net()
    logits = np.array([(net.threshold if line.language == "en" else net.firmer) - 1 for line in told])
    monkeypatch.setattr(grave, "all_lines", lambda *_: told)
    monkeypatch.setattr(grave, "out_of_fold", lambda *_: logits)
    return told


async def test_it_learns_and_the_same_seed_gives_the_same_file(lines: list[Line], tmp_path: Path) -> None:
    model = ScriptedStates("I see.", digest="abc", width=WIDTH)
    report = await grave_voice.train(KeptStates(model, None, print), tmp_path, tmp_path / "a.npz")
    await grave_voice.train(KeptStates(model, None, print), tmp_path, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    found = read_weights(tmp_path / "a.npz")
    assert found.digest == "abc"
    for ours, others, english in ((GRAVE, TALK, True), (ELSEWHERE, CHAT, False)):
        states = KeptStates(model, None, print)
        told = await states.states_of([prompt_of(line.text) for line in (*ours, *others)], OPENING)
        heard = [found.margin(-1.0, state, english=english) >= 0 for state in told]
        assert sum(heard[: len(ours)]) > 0.8 * len(ours)
        assert not any(heard[len(ours) :])
    assert report.figures.read == len(lines)
    assert report.figures.grave == 2 * len(NAMES)
    assert report.figures.areas[1] > 0.9 > report.figures.areas[0]
    assert "chair" not in json.dumps(dict(found.about))


async def test_of_ordinary_talk_a_sample_stands_for_all_and_what_is_not_in_doubt_is_not_read(
    lines: list[Line], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grave_voice, "MOST_ORDINARY", 6)
    rows, talk = grave_voice._rows(lines, 0)
    assert talk == {(True, True): len(TALK), (False, False): len(CHAT)}
    assert [row.stands_for for row in rows if row.stands_for] == [len(NAMES) / 6] * 12
    quiet = np.full(len(lines), 2 * LOUD)
    monkeypatch.setattr(grave, "out_of_fold", lambda *_: quiet)
    rows, _ = grave_voice._rows(lines, 0)
    assert [row.line for row in rows] == [*GRAVE, *ELSEWHERE]
    assert not any(row.asked for row in rows)

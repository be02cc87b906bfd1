"""`lab evaluate clues`: its figures by hand, its talks, and the whole of it on dialogues of invented words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from bot.config import Settings
from bot.errors import BadInput
from bot.llm.scripted import ScriptedEncoder
from lab.evaluation.borders import border_f1, pk, purity, window_diff
from lab.evaluation.clues import Options, run
from lab.evaluation.joined_talk import SHORTEST_TURNS, Talk, Told, by_depth, by_length, joined, returning


def told(count: int, turns: int = 8) -> list[Told]:
    """Dialogues; each has a direction that its turns share, and each turn has one of its own."""
    chance = np.random.default_rng(5)
    found = []
    for number in range(count):
        rows = chance.normal(size=32) + 0.6 * chance.normal(size=(turns, 32))
        vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        found.append(Told(tuple(f"thing{number} {at}" for at in range(turns)), vectors))
    return found


def test_borders_that_are_found() -> None:
    assert border_f1([4, 9], [4, 8, 12]) == pytest.approx(2 / 5)
    assert border_f1([4, 9], [4, 8, 12], within=1) == pytest.approx(4 / 5)
    assert border_f1([4], [3, 5], within=1) == pytest.approx(2 / 3), "one border is found once"
    assert border_f1([3, 5], [4, 6], within=1) == 1.0
    assert border_f1([], []) == 1.0
    assert border_f1([3], []) == 0.0


def test_windows_by_hand() -> None:
    # Eight utterances, one border at 4: windows are 2 apart, there are 6, and those from 2 and 3 cross it.
    assert pk([4], [4], 8) == 0.0
    assert pk([], [4], 8) == pytest.approx(2 / 6)
    assert pk([5], [4], 8) == pytest.approx(2 / 6)
    assert pk([4, 5], [4], 8) == pytest.approx(1 / 6)
    assert window_diff([4, 5], [4], 8) == pytest.approx(2 / 6)


def test_purity_by_hand() -> None:
    assert purity(np.array([0, 0, 0, 1]), np.array([5, 5, 6, 6])) == 0.75
    assert purity(np.arange(4), np.array([5, 5, 6, 6])) == 1.0


def test_joined_sessions_share_no_dialogue() -> None:
    talks = list(joined(told(11), 3, 3, seed=1))
    assert len(talks) == 3
    texts = [text for talk in talks for text in talk.texts]
    assert len(texts) == len(set(texts)) == 72
    assert talks[0].borders == [8, 16]
    assert set(talks[0].sessions.tolist()) == {0}
    assert [talk.texts for talk in joined(told(11), 3, 3, seed=2)] != [talk.texts for talk in talks]


def test_persons_return_to_each_topic_in_another_order() -> None:
    talks = list(returning([*told(40), *told(1, SHORTEST_TURNS - 1)], seed=0))
    assert len(talks) > 2
    for talk in talks:
        topics = len(set(talk.topics.tolist()))
        pieces = talk.topics.reshape(-1, 4)[:, 0].tolist()
        assert sorted(pieces[:topics]) == sorted(pieces[topics:]) == list(range(topics))
        for number in range(topics):
            first, second = (talk.texts[4 * at] for at in range(len(pieces)) if pieces[at] == number)
            assert (first.split()[0], first[-1], second[-1]) == (second.split()[0], "0", "4")
        assert np.bincount(talk.sessions).max() <= 12


def test_a_topic_that_goes_on_in_the_next_session_has_no_border_there() -> None:
    talk = Talk(("x",) * 6, np.eye(6, dtype=np.float32), np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 2, 2]))
    assert talk.borders == [3, 5]
    assert [(one.start, one.end) for one in talk.segments] == [(0, 2), (2, 3), (3, 4), (4, 5), (5, 6)]


def test_the_baselines_cut_within_sessions() -> None:
    (talk,) = joined(told(3), 3, 3, seed=0)
    assert by_depth(talk, 1.0) == [8, 16]
    assert by_length(talk, 9) == [9, 18]
    two = Talk(talk.texts, talk.vectors, talk.topics, np.repeat([0, 1], [10, 14]))
    assert by_length(two, 6) == [6, 16, 22]


def write(folder: Path, split: str, dialogues: Sequence[str]) -> None:
    lines = [
        json.dumps({"fname": f"{split}_{at}", "dialogue": each, "summary": "x"}) for at, each in enumerate(dialogues)
    ]
    folder.mkdir(exist_ok=True)
    (folder / f"dialogsum.{split}.jsonl").write_text("\n".join(lines), encoding="utf-8")


async def test_the_whole_evaluation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for split in ("dev", "test"):
        dialogues = [
            "\n".join(f"#Person{at % 2 + 1}#: {split}{number} topic{number} word{at}" for at in range(8))
            for number in range(14)
        ]
        write(tmp_path / "dialogsum", split, dialogues)
    out = tmp_path / "figures.json"
    options = Options(tmp_path, joined=3, samples=2, seed=1, out=out)
    assert await run(Settings(), options, encoder=ScriptedEncoder()) == 0
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert list(figures) == [
        "sessions of 3 dialogues",
        "sessions of 1 to 3 dialogues",
        "sessions of persons who return to their topics",
        "topics",
    ]
    cut = figures["sessions of 3 dialogues"]
    assert cut["whole sessions"]["F1"]["mean"] == 0.0
    assert cut["ours (care.border)"]["F1"] == {"mean": 1.0, "low": 1.0, "high": 1.0, "count": 2}
    assert figures["topics"]["true borders, each a topic"]["purity"]["mean"] == 1.0
    assert figures["topics"]["true borders, linkage"]["V-measure"]["mean"] > 0.9
    assert "Pk" in capsys.readouterr().out


async def test_what_cannot_be_measured(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--data"):
        await run(Settings(), Options(tmp_path), encoder=ScriptedEncoder())
    for split in ("dev", "test"):
        write(tmp_path / "dialogsum", split, ["#Person1#: Hello.\n#Person2#: Hi."])
    with pytest.raises(BadInput, match="too few"):
        await run(Settings(), Options(tmp_path), encoder=ScriptedEncoder())

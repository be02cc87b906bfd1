"""Training the small net for danger: the same bytes for the same seed, it learns, and bad data is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from bot.conversation.danger_net import read_weights
from bot.errors import BadInput
from bot.tuning import danger
from bot.tuning.danger import train

BAD = ("the quarry calls me", "quarry at dusk", "i drive to the quarry", "nobody waits but the quarry")
GOOD = ("pancakes for lunch", "we baked pancakes", "pancakes with jam", "who likes pancakes")


def line(text: str, threat: str | None, kind: str) -> str:
    return json.dumps({"text": text, "language": "en", "danger": threat, "kind": kind}) + "\n"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with some sentences, and ordinary conversation that needs no data sets."""
    chance = random.Random(1)
    names = [f"{chance.choice('bdfgklmnprst')}{chance.choice('aeiou')}{number}" for number in range(24)]
    rows = [line(f"{BAD[n % 4]} {name}", "others" if n % 6 == 0 else "self", "plan") for n, name in enumerate(names)]
    rows += [line(f"{GOOD[n % 4]} {name}", None, "ordinary") for n, name in enumerate(names)]
    (tmp_path / "some.jsonl").write_text("".join(rows), encoding="utf-8")
    monkeypatch.setattr(danger, "_ordinary", lambda _data, _seed: ["tea is nice"] * 10)
    monkeypatch.setattr(danger, "ALIKE", 1.0)
    monkeypatch.setattr(danger, "FOLDS", 2)
    monkeypatch.setattr(danger, "LANGUAGES", ("en",))
    return tmp_path


def test_training_learns_and_the_same_seed_gives_the_same_file(data: Path) -> None:
    paths = [data / "some.jsonl"]
    report = train(data, paths, data / "a.npz", seed=3)
    train(data, paths, data / "b.npz", seed=3)
    train(data, paths, data / "c.npz", seed=4)
    assert (data / "a.npz").read_bytes() == (data / "b.npz").read_bytes()
    assert (data / "a.npz").read_bytes() != (data / "c.npz").read_bytes()
    overall = report.rows[0]
    assert overall.recall.share is not None
    assert overall.recall.share > 0.9
    assert overall.rules_recall.hits == 0
    net = read_weights(data / "a.npz")
    assert net.hear("the quarry").danger > net.hear("pancakes").danger
    assert net.firm > net.threshold
    assert "quarry" not in json.dumps(dict(net.about))
    assert "some.jsonl" in str(report)


def test_near_copies_are_in_one_group() -> None:
    texts = ("the lake is cold and calm today", "The lake is cold and calm, today", "my cat eats a fish")
    rows = [danger.Sentence(text, "en", None, "ordinary", "a", by_rules=False, doubted=False) for text in texts]
    groups = danger._groups(rows)
    assert groups[0] == groups[1] != groups[2]


def test_the_same_said_in_two_languages_is_in_one_group() -> None:
    english = "a one way ticket to the sea, letter for my sister in the drawer, dog with a friend"
    german = "hinfahrt ticket ans meer, brief für meine schwester in der schublade, hund beim freund"
    both = [("en", english), ("de", german), ("de", "wir kochen heute eine suppe")]
    rows = [danger.Sentence(text, code, None, "plan", "a", by_rules=False, doubted=False) for code, text in both]
    overlap = danger._overlap([danger.danger_net.ideas_of(row.text) for row in rows], danger.FEW)
    assert overlap[0, 1] > 0
    assert overlap[0, 2] == 0


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("no json\n", "cannot be used"),
        ('{"text": "a"}\n', "cannot be used"),
        ('{"text": 5, "language": "en", "danger": null, "kind": "a"}\n', "cannot be used"),
        ('{"text": "a", "language": "en", "danger": "x", "kind": "a"}\n', "cannot be used"),
        ("", "Training needs"),
    ],
)
def test_bad_data_is_refused(tmp_path: Path, content: str, named: str) -> None:
    (tmp_path / "bad.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=named):
        train(tmp_path, [tmp_path / "bad.jsonl"], tmp_path / "a.npz")


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.jsonl"):
        train(tmp_path, [tmp_path / "none.jsonl"], tmp_path / "a.npz")
    with pytest.raises(BadInput, match="no folder"):
        train(tmp_path, [], tmp_path / "nowhere" / "a.npz")

"""Training the small net for danger: the same bytes for the same seed, it learns, and bad data is refused."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bot.conversation.danger_net import ideas_of, read_weights
from bot.conversation.safety import sign_by_rules
from bot.errors import BadInput
from lab.evaluation.safety import DEV
from lab.tuning import danger
from lab.tuning.danger import train
from lab.tuning.danger_figures import Judged, Ordinary, Sentence, threshold_of

PLAIN = DEV.with_name("safety_plain.jsonl")
BAD = ("the quarry calls me", "quarry at dusk", "i drive to the quarry", "nobody waits but the quarry")
GOOD = ("pancakes for lunch", "we baked pancakes", "pancakes with jam", "who likes pancakes")


ORDINARY = [Ordinary(f"tea is nice {n}", "en", n % 2, 0.3) for n in range(10)]


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
    monkeypatch.setattr(danger, "ordinary_talk", lambda _data, _seed: ORDINARY)
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
    assert net.firmer > 0
    assert dict(report.false_alarms)["en"].hits == 0
    assert "quarry" not in json.dumps(dict(net.about))
    assert "some.jsonl" in str(report)


def test_near_copies_are_in_one_group() -> None:
    texts = ("the lake is cold and calm today", "The lake is cold and calm, today", "my cat eats a fish")
    rows = [Sentence(text, "en", None, "ordinary", "a", by_rules=False, doubted=False) for text in texts]
    groups = danger.groups_of(rows)
    assert groups[0] == groups[1] != groups[2]


def test_the_same_said_in_two_languages_is_in_one_group() -> None:
    english = "a one way ticket to the sea, letter for my sister in the drawer, dog with a friend"
    german = "hinfahrt ticket ans meer, brief für meine schwester in der schublade, hund beim freund"
    both = [("en", english), ("de", german), ("de", "wir kochen heute eine suppe")]
    rows = [Sentence(text, code, None, "plan", "a", by_rules=False, doubted=False) for code, text in both]
    overlap = danger._overlap([ideas_of(row.text) for row in rows], danger.FEW)
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


def test_a_threshold_is_the_lowest_that_leaves_ordinary_talk_alone() -> None:
    def judged(*, danger_there: bool, english: bool, ordinary: bool) -> Judged:
        return Judged(danger_there, english, False, False, ordinary)

    rows = [judged(danger_there=True, english=english, ordinary=False) for english in (True, False)]
    rows += [judged(danger_there=False, english=english, ordinary=True) for english in (True, False) for _ in range(50)]
    loud_elsewhere = np.array([5.0, 5.0, *([-5.0] * 50), 2.0, 2.0, *([-5.0] * 48)])
    assert threshold_of(rows, loud_elsewhere, 0.04, english=True) == -4.99
    assert -5.0 < threshold_of(rows, loud_elsewhere, 0.03, english=False) <= 2.01
    assert threshold_of(rows, loud_elsewhere, 0.0, english=False) == 2.01


def test_lines_at_one_place_of_all_languages_are_in_one_fold() -> None:
    folds: dict[tuple[str, int], int] = {}
    count: Counter[str] = Counter()
    for one in danger._everyday():
        folds[one.language, count[one.language]] = one.fold
        count[one.language] += 1
    assert len({folds[language, 3] for language in count}) == 1
    assert set(folds.values()) == set(range(danger.FOLDS))


def test_what_false_alarms_are_measured_on_is_not_learnt_from() -> None:
    plain = {json.loads(row)["text"] for row in PLAIN.read_text(encoding="utf-8").splitlines()}
    learnt = [danger.EVERYDAY, *danger.DATA]
    lines = [row for path in learnt for row in path.read_text(encoding="utf-8").splitlines()]
    assert len(plain) == 400
    assert not plain & {json.loads(row)["text"] for row in lines}


def test_of_what_was_said_to_a_companion_dark_conversations_teach_nothing() -> None:
    talk = list(danger.written_talk())
    said = dict.fromkeys(one.text for one in talk)
    assert "missed the 6.12 by like 4 seconds. driver looked right at me" in said
    assert not any(text.startswith("[") or sign_by_rules(text)[0] is not None for text in said)
    assert {one.language for one in talk} == {"en", "de", "fr", "es", "pt", "it", "nl"}

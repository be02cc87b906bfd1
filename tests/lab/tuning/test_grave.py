"""Training the net for grave things: the same bytes for the same seed, and it learns."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.care.grave_net import read_weights
from bot.errors import BadInput, ModelUnavailable
from lab.tuning import grave
from lab.tuning.grave import GRAVE, READ, Line, of_companion, train


@pytest.fixture(autouse=True)
def _few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    sad = [
        Line(f"the quarry took my {name}", code, grave=True) for name in ("ann", "bob", "cid") for code in ("en", "de")
    ]
    glad = [
        Line(f"pancakes with {name} today", code, grave=False)
        for name in ("ann", "bob", "cid")
        for code in ("en", "de")
    ]
    chat = [Line(f"pancakes for lunch at {hour}", "en", grave=False, chat=f"chat {hour}") for hour in range(6)]
    monkeypatch.setattr(grave, "all_lines", lambda _data, _seed: [*sad, *glad, *chat])


def test_it_learns_and_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    one, other = tmp_path / "one.npz", tmp_path / "other.npz"
    report = train(tmp_path, one)
    train(tmp_path, other)
    assert one.read_bytes() == other.read_bytes()
    assert report.heard == (1.0, 1.0)
    net = read_weights(one)
    assert all(net.hears("the quarry took my dog", english=english) for english in (True, False))
    assert net.logit("the quarry took my dog") > 0 > net.logit("pancakes for lunch")


def test_missing_folders_and_damaged_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no folder"):
        train(tmp_path, tmp_path / "none" / "grave.npz")
    with pytest.raises(ModelUnavailable, match="lab tune grave"):
        read_weights(tmp_path / "none.npz")


def test_conversations_kept_aside_are_not_learnt_from_and_unclear_lines_neither() -> None:
    seen, aside = list(of_companion()), list(of_companion(aside=True))
    assert not {line.chat for line in seen} & {line.chat for line in aside}
    assert len(aside) * 3 < len(seen) < len(aside) * 5
    labels = [line.removeprefix("# ") for line in (READ / "en.txt").read_text("utf-8").splitlines() if line[:2] == "# "]
    assert {*labels} == {*GRAVE, "unclear"}
    texts = {line.text: line.grave for line in seen if line.language == "en"}
    assert texts["the app just told me baby is the size of a lime. theres no baby any more"]
    assert "found one of her hairs in my coat. black coat white hair" not in texts

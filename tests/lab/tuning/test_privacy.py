"""Training the net for questions of privacy: the same bytes for the same seed, and it learns."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.conversation.privacy_net import read_weights
from bot.errors import BadInput, ModelUnavailable
from lab.tuning import danger
from lab.tuning.danger_figures import Ordinary
from lab.tuning.privacy import train, written


@pytest.fixture(autouse=True)
def _little_talk(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = [Ordinary(f"pancakes for lunch at {hour}, are they good?", "en", 0, 1.0) for hour in range(40)]
    told = [Ordinary(f"we had soup at {hour}", "en", 0, 1.0) for hour in range(40)]
    monkeypatch.setattr(danger, "ordinary_talk", lambda _data, _seed: [*talk, *told])


def test_it_learns_and_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    one, other = tmp_path / "one.npz", tmp_path / "other.npz"
    report = train(tmp_path, one)
    train(tmp_path, other)
    assert one.read_bytes() == other.read_bytes()
    assert "Out of fold it hears" in str(report)
    net = read_weights(one)
    assert net.hears("who gets to read all of this, my boss?", asks=True)
    assert net.logit("who gets to read all of this, my boss?") > 0 > net.logit("we had soup at noon")
    assert not net.hears("who gets to read all of this, my boss? " * 3, asks=True)  # too long to be asked about


def test_missing_folders_and_damaged_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no folder"):
        train(tmp_path, tmp_path / "none" / "privacy.npz")
    with pytest.raises(ModelUnavailable, match="lab tune privacy"):
        read_weights(tmp_path / "none.npz")


def test_what_is_kept_aside_is_not_learnt_from() -> None:
    asked, other = ({line.lower() for line in written(name)} for name in ("yes", "no"))
    assert not asked & other
    assert not (asked | other) & {line.lower() for name in ("aside_yes", "aside_no") for line in written(name)}

"""What `make chat` sets up to talk with, on which machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config import Model
from bot.errors import ModelUnavailable
from bot.llm import voice
from bot.llm.catalogue import DEFAULT, DEFAULT_FROM_PACKAGES
from bot.llm.machine import Machine
from bot.llm.voice import set_up_voice

GB = 1_000_000_000
PLENTY = Machine("cpu", 16 * GB, 16 * GB, 4, 50 * GB)


def quiet(step: str, share: float | None = None) -> None:
    """Tells nobody."""


class Sources:
    """Where models come from: which of them answer, and what was asked of them."""

    def __init__(self, *answering: str) -> None:
        self.answering = answering
        self.asked: list[str] = []

    def fetch(self, name: str, settings: Model, progress: object, *, endpoint: str | None = None) -> Path:
        self.asked.append(name)
        if name not in self.answering:
            raise ModelUnavailable(f"No {name} today.")
        return Path(name)


@pytest.fixture
def said() -> list[str]:
    return []


def setting_up(
    monkeypatch: pytest.MonkeyPatch,
    said: list[str],
    sources: Sources,
    machine: Machine,
    settings: Model,
    asked: str = "",
) -> list[str]:
    monkeypatch.setattr(voice, "fetch_named", sources.fetch)
    monkeypatch.setattr(voice, "machine_of", lambda _: machine)
    set_up_voice(settings, asked, said.append, quiet)
    return sources.asked


def test_where_a_hub_answers_the_general_model_is_fetched(
    monkeypatch: pytest.MonkeyPatch, said: list[str], tmp_path: Path
) -> None:
    settings = Model(cache_dir=tmp_path)
    assert setting_up(monkeypatch, said, Sources(DEFAULT), PLENTY, settings) == [DEFAULT]
    assert "from its own publisher" in said[-1]


def test_where_none_answers_the_parts_are_fetched_and_it_is_told_who_published_them(
    monkeypatch: pytest.MonkeyPatch, said: list[str], tmp_path: Path
) -> None:
    settings, sources = Model(cache_dir=tmp_path), Sources(DEFAULT_FROM_PACKAGES)
    assert setting_up(monkeypatch, said, sources, PLENTY, settings) == [DEFAULT, DEFAULT_FROM_PACKAGES]
    assert said[0] == f"No {DEFAULT} today. So the package index is asked."
    assert "third party" in said[-1]


def test_where_both_fail_the_small_one_answers_and_how_to_try_again_is_said(
    monkeypatch: pytest.MonkeyPatch, said: list[str], tmp_path: Path
) -> None:
    setting_up(monkeypatch, said, Sources(), PLENTY, Model(cache_dir=tmp_path))
    assert f"No {DEFAULT_FROM_PACKAGES} today." in said[-1]
    assert "SmolLM2-135M-Instruct" in said[-1]
    assert "make voice" in said[-1]


@pytest.mark.parametrize(
    ("machine", "settings", "asked", "reason"),
    [
        (PLENTY, {}, "small", "as you asked"),
        (Machine("cpu", 3 * GB, 3 * GB, 4, 50 * GB), {}, "", "3.0 GB of memory are free and a better model wants 4"),
        (Machine("cpu", 16 * GB, 16 * GB, 4, 2 * GB), {}, "", "2.0 GB of disk are free and a better model wants 3"),
        (PLENTY, {"id": "bundled"}, "", "model.id is bundled"),
        (PLENTY, {"engine": "remote"}, "", "A server answers"),
    ],
)
def test_where_there_is_no_room_or_no_need_nothing_is_fetched_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
    said: list[str],
    tmp_path: Path,
    machine: Machine,
    settings: dict[str, str],
    asked: str,
    reason: str,
) -> None:
    chosen = Model.model_validate({"cache_dir": tmp_path, **settings})
    assert setting_up(monkeypatch, said, Sources(DEFAULT), machine, chosen, asked) == []
    (sentence,) = said
    assert reason in sentence


def test_a_voice_that_is_here_is_not_fetched_again(
    monkeypatch: pytest.MonkeyPatch, said: list[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(voice, "is_here", lambda name, _: name == DEFAULT_FROM_PACKAGES)
    assert setting_up(monkeypatch, said, Sources(DEFAULT), PLENTY, Model(cache_dir=tmp_path)) == []
    assert said == [f"{DEFAULT_FROM_PACKAGES} is here already."]

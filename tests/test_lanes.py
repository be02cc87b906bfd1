"""The quick lane runs no model, kills no process and holds nothing of the laboratory (`tests/lanes.py`)."""

import _io
import builtins
import io
import os
import posix
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.llm.choosing import bundled_folder
from tests.lanes import FIXTURES, FOLDERS, TESTS, Lanes, WrongLane, lanes_of

KILLS = re.compile(r"signal\.SIGKILL\b")


@pytest.mark.parametrize(
    ("path", "fixtures", "lanes"),
    [
        ("lab/evaluation/test_msc.py", (), {"lab"}),
        ("lab/evaluation/test_structured_live.py", ("gguf_model",), {"lab", "model"}),
        ("crash/test_sigkill.py", (), {"kill"}),
        ("storage/test_restoring.py", ("tmp_path", "nursery"), {"kill"}),
        ("llm/test_remote.py", ("llama_url",), {"model"}),
        ("llm/test_remote.py", ("tmp_path",), set()),
        ("adapters/web/test_chromium.py", ("chromium",), {"page"}),
    ],
)
def test_a_lane_follows_from_the_folder_and_the_fixtures(path: str, fixtures: tuple[str, ...], lanes: set[str]) -> None:
    assert lanes_of(TESTS / path, fixtures) == lanes


def test_the_folders_are_there() -> None:
    assert all(folder.is_dir() for folder in FOLDERS)


@pytest.mark.parametrize("lane", [None, "model", "kill", "lab"])
@pytest.mark.parametrize(("what", "needed"), [("model", "model"), ("kill", "kill")])
def test_only_its_lane_and_the_laboratory_may(
    request: pytest.FixtureRequest, tmp_path: Path, lane: str | None, what: str, needed: str
) -> None:
    lanes, test = Lanes(), pytest.Function.from_parent(request.node.parent, name="some", callobj=lambda: None)
    protocol = lanes.pytest_runtest_protocol(test)
    next(protocol)
    if lane:
        test.add_marker(lane)

    def act() -> None:
        if what == "model":
            lanes._hear("open", (str(bundled_folder(tmp_path, "nf4") / "config.json"), "r", 0))
        else:
            lanes._hear("os.kill", (os.getpid(), signal.SIGKILL))

    if lane in {needed, "lab"}:
        act()
    else:
        with pytest.raises(WrongLane, match=f"is not marked {needed}"):
            act()
    protocol.close()


def test_it_hears_what_is_opened_and_who_is_killed(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builtins, "open", _io.open)  # what the run's own lanes do not hear
    monkeypatch.setattr(io, "open", _io.open)
    monkeypatch.setattr(os, "kill", posix.kill)
    config = bundled_folder(tmp_path, "nf4") / "config.json"
    config.parent.mkdir(parents=True)
    config.write_text("{}")
    lanes, test = Lanes(), pytest.Function.from_parent(request.node.parent, name="some", callobj=lambda: None)
    lanes.watch(monkeypatch)
    assert config.read_text() == "{}", "nothing is refused between tests"
    protocol = lanes.pytest_runtest_protocol(test)
    next(protocol)
    refused: list[Callable[[], object]] = [
        config.read_text,
        lambda: open(config),  # noqa: PTH123, SIM115  what other libraries call
        lambda: open(str(config), "rb"),  # noqa: PTH123, SIM115
        lambda: open(file=config),  # noqa: PTH123, SIM115
    ]
    for opens in refused:
        with pytest.raises(WrongLane, match="is not marked model"):
            opens()
    with pytest.raises(WrongLane, match="is not marked kill"):
        os.kill(os.getpid(), signal.SIGKILL)
    os.kill(os.getpid(), 0)
    protocol.close()


def test_who_names_sigkill_is_in_its_lane() -> None:
    """What a process of its own does is not heard in this one."""
    for file in TESTS.rglob("test_*.py"):
        text = file.read_text()
        if KILLS.search(text) and file != Path(__file__):
            fixtures = tuple(name for name in FIXTURES if name in text)
            assert "kill" in lanes_of(file, fixtures) or "mark.kill" in text, f"{file} kills processes"

"""A measurement that was stopped goes on where it was, and begins anew when something has changed."""

from __future__ import annotations

import fcntl
import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from bot.config import load_settings
from bot.errors import BadInput
from lab.evaluation import resuming
from lab.evaluation.resuming import KEPT_DAYS, Pieces, fingerprint, progress_file


@dataclass(frozen=True, slots=True)
class Piece:
    value: float
    names: tuple[str, ...]


KIND = TypeAdapter(Piece)
ONE, TWO = Piece(0.5, ("é", "x")), Piece(1.0, ())


def open_pieces(path: Path, version: str = "v1") -> Pieces[Piece]:
    return Pieces(path, version, KIND)


def test_what_was_finished_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "run.jsonl"
    with open_pieces(path) as pieces:
        assert pieces.told == ""
        pieces.add("one", ONE)
    with open_pieces(path) as pieces:
        assert pieces["one"] == ONE
        assert "two" not in pieces
        assert "1 pieces" in pieces.told
        pieces.add("two", TWO)
    with open_pieces(path) as pieces:
        assert (pieces["one"], pieces["two"]) == (ONE, TWO)


def test_something_else_that_is_measured_begins_anew_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with open_pieces(path) as pieces:
        assert not pieces.outdated
        pieces.add("one", ONE)
    with open_pieces(path, "v2") as pieces:
        assert "one" not in pieces
        assert pieces.outdated
        assert "anew" in pieces.told
        pieces.add("one", TWO)
        pieces.finish()
    with open_pieces(path, "v1") as pieces:
        assert pieces["one"] == ONE, "each has its own"
        assert not pieces.outdated


def test_what_was_stopped_long_ago_goes_and_what_another_run_is_at_stays(tmp_path: Path) -> None:
    path, long_ago = tmp_path / "run.jsonl", time.time() - (KEPT_DAYS + 1) * 24 * 60 * 60
    for version in ("v1", "v2"):
        with open_pieces(path, version) as pieces:
            pieces.add("one", ONE)
    (tmp_path / "other-v1.jsonl").write_text("", encoding="utf-8")
    for file in tmp_path.iterdir():
        os.utime(file, (long_ago, long_ago))
    with open_pieces(path, "v1") as at_it:
        os.utime(tmp_path / "run-v1.jsonl", (long_ago, long_ago))
        with open_pieces(path, "v3") as pieces:
            assert {one.name for one in tmp_path.iterdir()} == {"run-v1.jsonl", "run-v3.jsonl", "other-v1.jsonl"}
            pieces.add("one", TWO)
        at_it.add("two", TWO)
    with open_pieces(path, "v1") as pieces:
        assert (pieces["one"], pieces["two"]) == (ONE, TWO)


def test_another_run_that_is_at_it_was_not_stopped(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with open_pieces(path, "v1") as one, open_pieces(path, "v2") as other:
        one.add("one", ONE)
        assert (other.told, other.outdated) == ("", False)


def test_the_same_run_twice_at_once_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resuming, "LOOK_S", 0.0)
    path = tmp_path / "run.jsonl"
    with open_pieces(path) as pieces:
        pieces.add("one", ONE)
        with pytest.raises(BadInput, match="already"):
            open_pieces(path)
        pieces.add("two", TWO)
    with open_pieces(path) as pieces:
        assert (pieces["one"], pieces["two"]) == (ONE, TWO)


def test_somebody_who_only_looks_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.jsonl"
    with open_pieces(path) as looking:
        monkeypatch.setattr(time, "sleep", lambda _: looking.__exit__(None, None, None))
        with open_pieces(path) as pieces:
            pieces.add("one", ONE)


def test_a_file_that_is_deleted_before_it_is_ours_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, flock, deleted = tmp_path / "run.jsonl", fcntl.flock, list[Path]()

    def finished_first(file: int, operation: int) -> None:
        if not deleted:
            deleted.append(tmp_path / "run-v1.jsonl")
            deleted[0].unlink()
        flock(file, operation)

    monkeypatch.setattr(fcntl, "flock", finished_first)
    with open_pieces(path) as pieces:
        pieces.add("one", ONE)
    assert deleted
    with open_pieces(path) as pieces:
        assert pieces["one"] == ONE


@pytest.mark.parametrize("cut", [1, 9])
def test_a_line_torn_by_a_kill_is_not_finished_and_more_can_follow(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "run.jsonl"
    with open_pieces(path) as pieces:
        pieces.add("one", ONE)
        pieces.add("two", TWO)
    file = tmp_path / "run-v1.jsonl"
    file.write_bytes(file.read_bytes()[:-cut])
    with open_pieces(path) as pieces:
        assert "one" in pieces
        assert "two" not in pieces
        pieces.add("two", TWO)
    with open_pieces(path) as pieces:
        assert pieces["two"] == TWO


@pytest.mark.parametrize("content", [b"\xff\xfe\n", b"[1]\n", b'{"fingerprint": 1}\n', b'{"fingerprint": "v1"}'])
def test_a_file_that_cannot_be_read_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.jsonl"
    (tmp_path / "run-v1.jsonl").write_bytes(content)
    with open_pieces(path) as pieces:
        assert pieces.outdated
        pieces.add("one", ONE)
    with open_pieces(path) as pieces:
        assert pieces["one"] == ONE


def test_a_finished_run_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with open_pieces(path) as pieces:
        pieces.add("one", ONE)
        pieces.finish()
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BadInput, match="cannot be used"):
        open_pieces(tmp_path / "file" / "run.jsonl")


def test_the_fingerprint_changes_with_settings_data_code_and_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, code = tmp_path / "data.json", tmp_path / "code"
    code.mkdir()
    data.write_text("1", encoding="utf-8")
    (code / "a.py").write_text("a = 1", encoding="utf-8")
    monkeypatch.setattr(resuming, "PACKAGES", (code,))
    plain = load_settings(None, {})
    seen = {fingerprint(plain, [data])}
    seen.add(fingerprint(load_settings(None, {}, memory__gamma=0.5), [data]))
    seen.add(fingerprint(plain, [data], "an option"))
    data.write_text("2", encoding="utf-8")
    seen.add(fingerprint(plain, [data]))
    (code / "a.py").write_text("a = 2", encoding="utf-8")
    seen.add(fingerprint(plain, [data]))
    assert len(seen) == 5
    elsewhere = load_settings(None, {}, storage__data_dir=str(tmp_path), log__level="DEBUG")
    assert fingerprint(elsewhere, [data]) in seen, "where things lie does not matter"


def test_data_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        fingerprint(load_settings(None, {}), [tmp_path / "none.json"])


def test_pieces_lie_in_the_cache(tmp_path: Path) -> None:
    settings = load_settings(None, {}, model__cache_dir=str(tmp_path))
    assert progress_file(settings, "locomo") == tmp_path / "evaluations" / "locomo.jsonl"


def test_other_weights_in_the_same_folder_are_another_measurement(tmp_path: Path) -> None:
    settings = load_settings(None, {}, model__adapters__extractor=str(tmp_path))
    marks = [fingerprint(settings, [])]
    for content in (b"one", b"two"):
        (tmp_path / "adapter_model.safetensors").write_bytes(content)
        marks.append(fingerprint(settings, []))
    assert len(set(marks)) == 3
    assert marks[-1] == fingerprint(settings, [])

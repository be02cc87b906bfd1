"""What `model.id` names of a repository of GGUF files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.llm.repositories import GgufRepository, gguf_repository

FILES = [
    "README.md",
    "mmproj-F16.gguf",
    "Some-8B-Q4_K_M.gguf",
    "Some-8B-Q8_0.gguf",
    "big/Some-8B-BF16-00001-of-00002.gguf",
    "UD/Some-8B-UD-Q4_K_XL.gguf",
]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("owner/Some-8B-GGUF", GgufRepository("owner/Some-8B-GGUF")),
        ("owner/some:Q8_0", GgufRepository("owner/some", kind="Q8_0")),
        ("owner/some/a/b-Q4.gguf", GgufRepository("owner/some", "a/b-Q4.gguf")),
        ("Qwen/Qwen3-8B", None),
        ("qwen3-8b", None),
        ("bundled", None),
        ("/models/some.gguf", None),
        ("./owner/some.gguf", None),
        ("owner/some.gguf", None),
    ],
)
def test_names_of_repositories(name: str, wanted: GgufRepository | None) -> None:
    assert gguf_repository(name) == wanted


def test_with_the_engine_forced_a_plain_repository_counts() -> None:
    assert gguf_repository("Qwen/Qwen3-8B", always=True) == GgufRepository("Qwen/Qwen3-8B")


@pytest.mark.parametrize(
    ("wanted", "picked"),
    [
        (GgufRepository("o/n"), "Some-8B-Q4_K_M.gguf"),
        (GgufRepository("o/n", kind="q8_0"), "Some-8B-Q8_0.gguf"),
        (GgufRepository("o/n", kind="UD-Q4_K_XL"), "UD/Some-8B-UD-Q4_K_XL.gguf"),
        (GgufRepository("o/n", kind="BF16"), None),
        (GgufRepository("o/n", kind="F16"), None),
        (GgufRepository("o/n", "Some-8B-Q8_0.gguf"), "Some-8B-Q8_0.gguf"),
        (GgufRepository("o/n", "other.gguf"), None),
    ],
)
def test_the_wanted_file_is_picked_and_no_part_or_projector(wanted: GgufRepository, picked: str | None) -> None:
    assert wanted.pick(FILES) == picked


def test_what_was_fetched_is_found_again(tmp_path: Path) -> None:
    wanted = GgufRepository("owner/name")
    assert wanted.kept_in(tmp_path) is None
    file = tmp_path / "owner" / "name" / "sub" / "x-Q4_K_M.gguf"
    file.parent.mkdir(parents=True)
    file.touch()
    assert wanted.kept_in(tmp_path) == file
    assert GgufRepository("owner/name", kind="Q8_0").kept_in(tmp_path) is None

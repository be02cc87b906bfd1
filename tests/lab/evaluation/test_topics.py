"""Tests of the comparison of topic extractors, on an invented conversation."""

import json
from pathlib import Path

import pytest

from bot.errors import BadInput
from lab.evaluation.topics import EXTRACTORS, as_text, measure

CONVERSATION = {
    "sessions": [
        {
            "turns": [
                {"id": "D1:1", "text": "I painted a boat in the harbour."},
                {"id": "D1:2", "text": "Lovely colours."},
            ]
        },
        {"turns": [{"id": "D2:1", "text": "My sister baked bread with seeds."}]},
    ],
    "questions": [
        {"question": "Who baked the bread?", "evidence": ["D2:1"]},
        {"question": "Where was the boat?", "evidence": ["D1:1"]},
        {"question": "What has no evidence?", "evidence": []},
        {"question": "What points nowhere?", "evidence": ["D9:9"]},
    ],
}


def test_every_extractor_gets_a_row(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "one.json").write_text(json.dumps(CONVERSATION), encoding="utf-8")
    rows = measure(tmp_path)
    assert [row.name for row in rows] == list(EXTRACTORS)
    assert all(row.questions == 2 for row in rows)
    assert all(row.first == 1.0 and row.five == 1.0 and row.reciprocal_rank == 1.0 for row in rows)
    assert "2 questions of LoCoMo" in as_text(rows)


def test_a_folder_without_conversations(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--data"):
        measure(tmp_path)


def test_a_file_that_is_something_else(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "one.json").write_text('{"sessions": 3}', encoding="utf-8")
    with pytest.raises(BadInput, match=r"one\.json is not a LoCoMo conversation"):
        measure(tmp_path)

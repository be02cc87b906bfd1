"""Tests of the measure of erasing, on invented conversations."""

import json
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from bot.config import load_settings
from bot.domain import Finding
from bot.errors import BadInput
from bot.llm.scripted import ScriptedEncoder
from bot.ports import Vectors
from bot.storage.vectors.chroma import ChromaVectorIndex
from lab.evaluation.erasure import _counted, as_tables, measure, measure_many, run
from tests.living import WordTopics


class DenseEncoder(ScriptedEncoder):
    """An encoder whose vectors have no zeros, as a trained one's have none."""

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """One direction for each text, the same for the same text."""
        rows = [np.random.default_rng(crc32(text.encode())).normal(size=self.dimension) for text in texts]
        return np.asarray([row / np.linalg.norm(row) for row in rows], dtype=np.float32)


SAID = (
    ("Caroline", "I sold my grandmother's emerald necklace in Leeds on Friday and I feel awful about it."),
    ("Melanie", "I am sorry to hear that. My sister keeps bees near the old harbour, she would say the same."),
    ("Caroline", "I never told anybody that I work as a locksmith in the evenings, near the station."),
    ("Melanie", "I will keep that to myself. I like to paint boats when I cannot sleep at night."),
)


def write(folder: Path) -> None:
    """One conversation of two sessions, no sentence of which is said twice."""
    sessions = [
        {
            "index": number,
            "date_time": f"1:56 pm on {number + 7} May, 2023",
            "turns": [
                {"id": f"D{number}:{at}", "speaker": name, "text": text.replace(".", f" in story {number}-{at}.")}
                for at, (name, text) in enumerate(SAID, start=1)
            ],
        }
        for number in range(1, 3)
    ]
    (folder / "locomo").mkdir()
    conversation = {"id": "conv-1", "speakers": ["Caroline", "Melanie"], "sessions": sessions}
    (folder / "locomo" / "conv-1.json").write_text(json.dumps(conversation), encoding="utf-8")


async def test_everything_is_found_before_and_nothing_after(tmp_path: Path) -> None:
    write(tmp_path)
    report = await measure(load_settings(None, {}), tmp_path, encoder=DenseEncoder(), topics=WordTopics())
    assert report.person == "Caroline"
    assert report.vectors >= 2, "an event of the channel and one of the DM"
    before = {(Path(one.file).name, one.what) for one in report.before}
    assert {("hello.db-wal", "text"), ("chroma.sqlite3", "vector")} <= before
    assert report.after == ()
    assert report.receipt is not None
    assert report.receipt.found == 0
    assert dict(report.receipt.counts)


async def test_what_is_left_is_found_and_the_command_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that only marks what is removed, as Chroma does by itself."""
    write(tmp_path)

    async def only_remove(self: ChromaVectorIndex, chosen: list[tuple[object, list[int]]]) -> None:
        """Nothing goes from the files."""

    monkeypatch.setattr(ChromaVectorIndex, "expunge", only_remove)
    code = await run(load_settings(None, {}), tmp_path, encoder=DenseEncoder(), topics=WordTopics())
    assert code == 1


async def test_made_up_memories_are_erased_too(capsys: pytest.CaptureFixture[str]) -> None:
    report = await measure_many(load_settings(None, {}), 400, encoder=DenseEncoder(), topics=WordTopics())
    assert report.memories == 440
    assert report.vectors >= 20
    assert {one.what for one in report.before} == {"text", "vector"}
    assert report.after == ()
    assert report.receipt is not None
    assert report.receipt.found == 0
    assert as_tables(report)


async def test_a_folder_without_conversations_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--data"):
        await measure(load_settings(None, {}), tmp_path, encoder=DenseEncoder(), topics=WordTopics())


def test_files_of_the_index_are_shown_without_their_random_names() -> None:
    found = (Finding("index/abc/def/data_level0.bin", "vector"), Finding("hello.db", "text"))
    assert _counted(found * 2) == {("index/…/data_level0.bin", "vector"): 2, ("hello.db", "text"): 2}

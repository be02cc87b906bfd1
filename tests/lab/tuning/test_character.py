"""`lab tune character` on made-up people whose words tell their letters: no real data set is here."""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from typer.testing import CliRunner

from bot.errors import BadInput
from bot.persona.character import LETTERS, SAMPLED, CharacterNet
from bot.ports import TokenVectors, Vectors
from bot.texts.character import TYPES
from lab.__main__ import app
from lab.datasets.mbti import read_people
from lab.tuning.character import train

WORDS = dict(
    zip(
        "EISNTFJP",
        (
            *("party crowd", "quiet alone", "facts hammer", "dreams comets"),
            *("logic proof", "tender hugs", "agenda schedule", "whim drifting"),
        ),
        strict=True,
    )
)
"""Letter → words that only its people use."""
ORDINARY = ("we ate soup yesterday", "it rained all day long", "the bus was late again")


class WordEncoder:
    """An Encoder by which a text is the sum of its words' random vectors."""

    fingerprint = "32-words"
    dimension = 32

    async def encode(self, texts: Sequence[str]) -> Vectors:
        rows = [sum(self._word(word) for word in text.lower().split()) for text in texts]
        drawn = np.array(rows, dtype=np.float32).reshape(len(texts), self.dimension)
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))

    def _word(self, word: str) -> Vectors:
        return np.random.default_rng(crc32(word.encode())).normal(size=self.dimension).astype(np.float32)

    async def encode_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        return [TokenVectors(tuple(text.split()), await self.encode(text.split())) for text in texts]


def posts_of(kind: str, drawn: random.Random, *, count: int = 30) -> list[str]:
    """What somebody of this type writes; half of it says nothing of the type."""
    own = [word for letter in kind for word in WORDS[letter].split()]
    lines = [f"{drawn.choice(ORDINARY)} {drawn.choice(ORDINARY)}" for _ in range(count // 2)]
    return lines + [f"I like {' '.join(drawn.sample(own, 3))} {number}" for number in range(count - count // 2)]


def write(file: Path, rows: Sequence[tuple[str, str]], header: Sequence[str] = ("type", "posts")) -> Path:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(rows)
    return file


def people(count: int, seed: int = 0, *, telling: bool = True) -> list[tuple[str, str]]:
    """Rows of the file; not `telling`: their words have nothing to do with their types."""
    drawn = random.Random(seed)
    kinds = [TYPES[at % 16] for at in range(count)]
    rows = [(kind, "|||".join(posts_of(kind if telling else drawn.choice(TYPES), drawn))) for kind in kinds]
    drawn.shuffle(rows)
    return rows


async def test_letters_that_words_tell_are_learnt_and_the_file_works(tmp_path: Path) -> None:
    data, encoder = write(tmp_path / "people.csv", people(96)), WordEncoder()
    report = await train(data, encoder, tmp_path / "a.npz", seed=3)
    await train(data, encoder, tmp_path / "b.npz", seed=3)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert (report.people, report.held_out, report.too_few) == (96, 19, 0)
    assert [one.pair for one in report.figures] == list(LETTERS)
    assert all(one.accuracy > 0.9 and one.balanced > 0.9 for one in report.figures)
    assert all(one.majority < 0.8 for one in report.figures)
    assert report.stability > 0.9
    net = CharacterNet.load(tmp_path / "a.npz", encoder.fingerprint)
    said = posts_of("ENFJ", random.Random(99))
    assert net.type_of(await encoder.encode(said)) == "ENFJ"
    assert "E/I: accuracy" in str(report)
    assert "55 to 61 %" in str(report)


async def test_the_figures_are_of_people_who_were_held_out(tmp_path: Path) -> None:
    data = write(tmp_path / "people.csv", people(160, telling=False))
    report = await train(data, WordEncoder(), tmp_path / "a.npz")
    assert np.mean([one.balanced for one in report.figures]) < 0.75, "there is nothing to learn, only to recite"


async def test_a_rare_letter_is_learnt_too(tmp_path: Path) -> None:
    drawn = random.Random(5)
    rare = [(kind, "|||".join(posts_of(kind, drawn))) for kind in ("ESTJ", "ESFP", "ENTP") * 3]
    many = [row for row in people(128) if row[0].startswith("I")]
    report = await train(write(tmp_path / "people.csv", rare + many), WordEncoder(), tmp_path / "a.npz", seed=1)
    focus = report.figures[0]
    assert focus.majority > 0.8
    assert focus.balanced > focus.majority - 0.2
    assert focus.balanced > 0.6, "always the frequent letter would be 0.5"


def test_posts_that_name_a_type_links_and_doubles_are_left_out(tmp_path: Path) -> None:
    rows = [
        ("infp", "'I am an INFP myself|||see https://a.b/c here now|||As ENTJs do|||too short|||I row every day'"),
        ("INFP", "'I am an INFP myself|||see https://a.b/c here now|||As ENTJs do|||too short|||I row every day'"),
        ("ESTJ", "what is my mbti type|||I also row here"),
    ]
    read = read_people(write(tmp_path / "people.csv", rows))
    assert [(one.type, one.posts) for one in read.people] == [
        ("INFP", ("see here now", "I row every day")),
        ("ESTJ", ("I also row here",)),
    ]
    assert (read.named, read.twice) == (5, 1)


def test_a_folder_is_all_of_its_files(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", [("INFP", "I row every day")])
    write(tmp_path / "b.csv", [("ESTJ", "I sing every day")])
    assert [one.type for one in read_people(tmp_path).people] == ["INFP", "ESTJ"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "columns type and posts"),
        (b"kind,posts\nINFP,a\n", "columns type and posts"),
        (b"type,posts\nINFX,a b c\n", "line 2: 'INFX' is none of the sixteen types"),
        (b"type,posts\nINFP\n", "line 2: this row has too few or too many columns"),
        (b"type,posts\nINFP,a,b\n", "line 2: this row has too few or too many columns"),
        (b'type,posts\nINFP,"never closed\n', "cannot be read as CSV"),
        (b"type,posts\nINFP,\xff\xfe\n", "cannot be read as CSV"),
    ],
)
def test_a_broken_file_is_refused_with_a_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes(content)
    with pytest.raises(BadInput, match=said):
        read_people(file)


async def test_what_cannot_be_trained_on_is_said(tmp_path: Path) -> None:
    out, encoder = tmp_path / "a.npz", WordEncoder()
    with pytest.raises(BadInput, match=r"no \.csv file"):
        await train(tmp_path, encoder, out)
    few = write(
        tmp_path / "few.csv", [("INFP", "|||".join(posts_of("INFP", random.Random(1), count=SAMPLED - 1)))] * 20
    )
    with pytest.raises(BadInput, match="people or more with 20 usable posts"):
        await train(few, encoder, out)
    alike = write(tmp_path / "alike.csv", [row for row in people(64) if row[0].startswith("I")])
    with pytest.raises(BadInput, match="several people of E and of I types"):
        await train(alike, encoder, out)
    with pytest.raises(BadInput, match="cannot be written"):
        await train(few, encoder, tmp_path / "nowhere" / "a.npz")
    assert not out.exists()


def test_the_command_says_in_a_sentence_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("a,b\n1,2\n")
    done = CliRunner().invoke(app, ["tune", "character", "--data", str(file), "--out", str(tmp_path / "a.npz")])
    assert done.exit_code == 1
    assert "columns type and posts" in done.output

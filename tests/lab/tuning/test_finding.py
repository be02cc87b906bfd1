"""The net that finds answers, trained on a few chats, and the form that these have."""

from pathlib import Path

import pytest

from bot.conversation.answer_finder import read_weights
from bot.errors import BadInput
from bot.llm.scripted import ScriptedEncoder
from lab.tuning.finding import NOT_ASKED, NOT_TOLD, WRITTEN, Asked, Chat, read_chats, talk_as_chats, train

CHAT = """Ben: the cat only eats tuna
Ben: since last week its salmon
? Ben: what does the cat eat = 2
? Ben: whats it called = 0
? Ben: do cats sleep a lot? = x
"""
TALK = """- turns:
    - ["my cat is ill", "Oh no."]
    - ["what should i do", "See a vet."]
    - ["what was it again that i told you", "Your cat is ill."]
- channel: true
  turns:
    - ["Ann: I bring soup", "Good."]
    - ["Ben: what should we drink?", "Tea."]
"""


def folder_with(folder: Path, name: str, text: str) -> Path:
    folder.mkdir()
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_block_is_a_chat_with_its_questions(tmp_path: Path) -> None:
    file = folder_with(tmp_path / "chats", "en.txt", CHAT) / "en.txt"
    lines = (("Ben", "the cat only eats tuna"), ("Ben", "since last week its salmon"))
    asked = (
        Asked("Ben", "what does the cat eat", 2),
        Asked("Ben", "whats it called", NOT_TOLD),
        Asked("Ben", "do cats sleep a lot?", NOT_ASKED),
    )
    assert list(read_chats(file)) == [Chat("en", lines, asked)]


@pytest.mark.parametrize(
    "text", ["Ben: hi", "? Ben: what = 1", "Ben: hi\n? Ben: what = 2", "Ben: hi\n? Ben: what", "no name\n? Ben: a = 0"]
)
def test_another_form_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    file = folder_with(tmp_path / "chats", "en.txt", text) / "en.txt"
    with pytest.raises(BadInput, match="block 1"):
        list(read_chats(file))


def test_questions_in_talk_ask_for_nothing_told_unless_a_word_points_to_it(tmp_path: Path) -> None:
    found = list(talk_as_chats(folder_with(tmp_path / "talk", "en.yaml", TALK)))
    assert [(one.lines, one.questions) for one in found] == [
        ((("Ann", "my cat is ill"),), (Asked("Ann", "what should i do", NOT_ASKED),))
    ]


def test_all_that_was_written_is_in_the_form() -> None:
    chats = [chat for file in WRITTEN.glob("*.txt") for chat in read_chats(file)]
    assert len(chats) > 800
    assert {chat.file[:2] for chat in chats} == {"en", "de", "es", "fr"}


async def test_it_learns_and_writes_what_the_program_reads(tmp_path: Path) -> None:
    chats = "\n\n".join(CHAT.replace("cat", animal) for animal in ("cat", "dog", "hamster", "parrot"))
    written, talk = folder_with(tmp_path / "chats", "en.txt", chats), folder_with(tmp_path / "talk", "en.yaml", TALK)
    encoder = ScriptedEncoder()
    for name in ("a.npz", "b.npz"):
        report = await train(encoder, tmp_path / name, folder=written, talk=talk)
    assert "English: of 4 questions about what was told" in str(report)
    assert "Trained on 5 chats" in str(report)
    assert read_weights(tmp_path / "a.npz").about["encoder"] == encoder.fingerprint
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()

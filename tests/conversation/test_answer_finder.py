"""What answers a question where rules are not sure: the shipped net, over the bundled encoder, in whole turns."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from structlog.testing import capture_logs

from bot.config import EncoderSettings
from bot.conversation.answer_finder import (
    FEATURES,
    LATEST,
    MOST,
    AnswerFinder,
    Line,
    features_of,
    finder_for,
    nearest,
    read_weights,
    recalls,
)
from bot.conversation.told import Told
from bot.domain import ModelDescription
from bot.errors import ModelFailed, ModelUnavailable
from bot.language import weights as weights_file
from bot.llm.embedding import SentenceEncoder, load_encoder
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.ports import Vectors
from tests.conversation.talk import open_talk
from tests.living import START

SMALL = ModelDescription("small", "", "", 4096, 900, follows_instructions=False)
KAYAK, CACTUS = "Turned 50! My daughter gave me a kayak.", "and my ex sent a cactus, with a card and all"
QUESTION = "what was it again from my ex"


class Gone(ScriptedEncoder):
    """An encoder that fails."""

    async def encode(self, texts: object) -> Vectors:
        """Raises ModelFailed."""
        raise ModelFailed("It is gone.")


@pytest.fixture
async def encoder() -> AsyncIterator[SentenceEncoder]:
    loaded = await load_encoder(EncoderSettings())
    yield loaded
    await loaded.aclose()


async def replied(folder: Path, finder: AnswerFinder | None, *lines: str) -> str:
    """The reply of a very small model to the last of these lines."""
    async with open_talk(folder, ScriptedChatModel("Hm.", description=SMALL), finder=finder) as talk:
        for line in lines:
            await talk.say(line)
        return talk.replies[-1]


async def test_the_line_that_answers_is_quoted_where_rules_hear_no_question(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    finder = finder_for(encoder, "Monica")
    assert finder is not None
    assert "cactus" in await replied(tmp_path / "net", finder, KAYAK, CACTUS, QUESTION)
    assert "cactus" not in await replied(tmp_path / "rules", None, KAYAK, CACTUS, QUESTION)


@pytest.mark.parametrize(
    "asked", ["what should i do with it?", "do you like plants?", "how are you?", "thats so like my ex"]
)
async def test_what_asks_for_nothing_that_was_told_gets_no_quote(
    tmp_path: Path, encoder: SentenceEncoder, asked: str
) -> None:
    reply = await replied(tmp_path, finder_for(encoder, "Monica"), KAYAK, CACTUS, asked)
    assert "told me" not in reply


async def test_somebody_whom_nobody_named_is_asked_about_in_vain(tmp_path: Path, encoder: SentenceEncoder) -> None:
    reply = await replied(tmp_path, finder_for(encoder, "Monica"), KAYAK, CACTUS, "what was it again from Ottilie?")
    assert "cactus" not in reply


async def test_an_encoder_that_fails_costs_the_net_and_not_the_reply(tmp_path: Path) -> None:
    with capture_logs() as logs:
        reply = await replied(tmp_path, AnswerFinder(Gone(), read_weights(), "Monica"), KAYAK, CACTUS, QUESTION)
    assert reply
    assert [one["error"] for one in logs if one["event"] == "a question is answered by rules alone"] == ["ModelFailed"]


def test_for_another_encoder_there_is_none() -> None:
    assert finder_for(ScriptedEncoder(), "Monica") is None


def test_a_damaged_file_is_a_sentence(tmp_path: Path) -> None:
    net, file = read_weights(), tmp_path / "net.npz"
    weights_file.write(file, net.about, 1, {**net.arrays, "line": net.arrays["line"][:, :-1]})
    with pytest.raises(ModelUnavailable, match="tune finding"):
        read_weights(file)
    with pytest.raises(ModelUnavailable, match="missing"):
        read_weights(tmp_path / "none.npz")


def test_likelihoods_sum_up_to_one_and_every_line_has_its_features() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(4, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    lines = [Line("Ann", KAYAK, True), Line("Ann", CACTUS, True), Line("Ben", "I got 3 pans", False)]
    features = features_of("how many pans did Ben get?", vectors[0], lines, vectors[1:])
    assert features.shape == (3, FEATURES)
    likely = read_weights().likelihoods(vectors[0], vectors[1:], features)
    assert likely.shape == (5,)
    assert float(likely.sum()) == pytest.approx(1)


def test_the_last_lines_and_those_with_a_word_of_the_question_are_compared() -> None:
    def said(number: int, words: str, *, fresh: bool) -> Told:
        return Told("test:ann", words, START, fresh=fresh, utterance=number, who="Ann")

    before = [said(at, f"thing {at}", fresh=False) for at in range(1, 30)]
    before[0] = replace(before[0], words="my ex moved to Leeds")
    here = [said(at, f"word {at}", fresh=True) for at in range(30, 50)]
    shown = nearest([*before, *here], "where did my ex move to?")
    assert len(shown) == MOST
    assert before[0] in shown
    assert shown[-LATEST:] == here[-LATEST:]


@pytest.mark.parametrize(
    ("question", "points"),
    [
        ("what was her name again", True),
        ("u still know when i do the first run?", True),
        ("do you know who im swimming with", True),
        ("weißt du noch, wo das war?", True),
        ("should i message her again or wait", False),
        ("do you know how long before I can drive", False),
        ("how do i say that politely", False),
        ("remind me to call mum", False),
    ],
)
def test_some_questions_point_to_what_was_told_themselves(question: str, points: bool) -> None:
    assert recalls(question) is points

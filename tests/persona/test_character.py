"""The character extractor: four linear classifiers, the zero-shot question, and the sentence for a prompt."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bot.config import Background
from bot.domain import Character, GenerationRequest
from bot.errors import MalformedOutput, ModelUnavailable
from bot.llm.scripted import ScriptedChatModel
from bot.persona.character import (
    LETTERS,
    CharacterNet,
    agreement,
    asked_of,
    parse_type,
    portrait,
)
from bot.prompting.asking import failures
from bot.texts.character import DESCRIPTIONS, TYPES
from lab.tuning.weights_files import write_character

DEADLINE = Background().deadline

ABOUT = {"fingerprint": "four", "dimension": 4}


def net() -> CharacterNet:
    """One number of a vector decides one letter: from 0 on, the first of its pair."""
    return CharacterNet(ABOUT, np.eye(4, dtype=np.float32), np.zeros(4, dtype=np.float32))


def rows(*vectors: tuple[float, ...]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.array(vectors, dtype=np.float32)


def test_all_sixteen_types_have_a_description_of_their_own() -> None:
    assert len(TYPES) == len(set(DESCRIPTIONS.values())) == 16
    assert all(letter in pair for kind in TYPES for letter, pair in zip(kind, LETTERS, strict=True))
    assert not any(words.endswith(".") or words[0].isupper() for words in DESCRIPTIONS.values())


def test_each_letter_follows_from_the_mean_of_what_was_said() -> None:
    assert net().type_of(rows((1, 1, 1, 1))) == "ESTJ"
    assert net().type_of(rows((-1, -1, -1, -1))) == "INFP"
    assert net().type_of(rows((3, 1, -1, 0), (-1, -3, -1, -1))) == "ENFP"
    biased = CharacterNet(ABOUT, np.eye(4, dtype=np.float32), rows((0, 0, 2, 0))[0])
    assert biased.type_of(rows((1, 1, -1, 1))) == "ESTJ"


def test_stability_is_the_share_of_letters_that_other_drawings_keep() -> None:
    same = rows(*[(1, -1, 1, -1)] * 20)
    assert net().stability(same, seed=1) == 1.0
    torn = rows(*[(1, 1, 1, 1)] * 11, *[(-1, 1, 1, 1)] * 9)
    stability = net().stability(torn, seed=1)
    assert 0.75 < stability < 1.0, "three letters stay, and the first one mostly"
    assert stability == net().stability(torn, seed=1)
    assert (agreement("INFP", "INFP"), agreement("INFP", "ENFP"), agreement("INFP", "ESTJ")) == (1.0, 0.75, 0.0)


def test_weights_come_back_as_they_were_for_the_encoder_they_are_of(tmp_path: Path) -> None:
    write_character(net(), tmp_path / "a.npz")
    write_character(net(), tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    loaded = CharacterNet.load(tmp_path / "a.npz", "four")
    assert np.array_equal(loaded.weights, net().weights)
    assert loaded.about["dimension"] == 4
    with pytest.raises(ModelUnavailable, match="another text encoder"):
        CharacterNet.load(tmp_path / "a.npz", "five")
    with pytest.raises(ModelUnavailable, match="are missing"):
        CharacterNet.load(tmp_path / "none.npz", "four")


@pytest.mark.parametrize("wrong", ["no archive", "cut", "shape", "nan", "unnamed"])
def test_a_broken_file_is_refused_with_a_sentence(tmp_path: Path, wrong: str) -> None:
    file, good = tmp_path / "broken.npz", net()
    if wrong == "shape":
        good = CharacterNet(ABOUT, good.weights[:, :3], good.biases)
    if wrong == "nan":
        good = CharacterNet(ABOUT, good.weights * np.nan, good.biases)
    if wrong == "unnamed":
        good = CharacterNet({"dimension": 4}, good.weights, good.biases)
    write_character(good, file)
    if wrong == "cut":
        file.write_bytes(file.read_bytes()[:200])
    if wrong == "no archive":
        file.write_bytes(b"type,posts")
    with pytest.raises(ModelUnavailable, match=r"damaged or too old.*lab tune character"):
        CharacterNet.load(file, "four")


@pytest.mark.parametrize("answer", ["INFP", " infp ", "TYPE: INFP", "**INFP**", "Personality type: INFP."])
def test_an_answer_of_four_letters_is_a_type(answer: str) -> None:
    assert parse_type(answer) == "INFP"


@pytest.mark.parametrize(
    "answer", ["", "INFX", "INFP or INTP", "I think INFP", "INFPS", "I am not sure", "unknown type"]
)
def test_any_other_answer_is_malformed(answer: str) -> None:
    with pytest.raises(MalformedOutput):
        parse_type(answer)


async def test_a_model_is_asked_with_what_was_said_as_words_and_once_more() -> None:
    seen: list[GenerationRequest] = []
    answers = ["You seem nice!", "ENTJ"]

    def answer(request: GenerationRequest) -> str:
        seen.append(request)
        return answers[len(seen) - 1]

    before = failures["character"]
    found = await asked_of(ScriptedChatModel(answer), ["I row.\nTYPE: INFP", "x" * 999], DEADLINE)
    assert (found.value, failures["character"] - before, len(seen)) == ("ENTJ", 1, 2)
    prompt = seen[0].messages[-1].content
    assert "\nTYPE: INFP" not in prompt, "nobody answers for the model"
    assert "x" * 300 in prompt
    assert "x" * 301 not in prompt
    assert (await asked_of(ScriptedChatModel(lambda _request: "unknown"), ["Hm."], DEADLINE)).value == ""
    assert (await asked_of(ScriptedChatModel(lambda _request: "Nice!"), ["Hm."], DEADLINE)).value is None


@pytest.mark.parametrize(("answer", "guess"), [('{"type": "ENTJ"}', "ENTJ"), ('{"type": "UNKNOWN"}', "")])
async def test_a_model_that_decodes_schemas_answers_in_json(answer: str, guess: str) -> None:
    model = ScriptedChatModel([answer], decodes_schemas=True)
    assert (await asked_of(model, ["Hm."], DEADLINE)).value == guess
    [request] = model.requests
    assert request.schema is not None
    assert request.messages[-1].content.endswith('{"type": "…"}')


def test_the_sentence_says_what_a_guess_is() -> None:
    guess = portrait("Ann", Character("test:ann", "INFP"))
    assert guess.startswith(f"Ann is a person with the personality INFP, who {DESCRIPTIONS['INFP']}.")
    assert "only a guess" in guess
    assert "never mention it" in guess
    told = portrait("Ann", Character("test:ann", "INFP", guessed=False))
    assert "guess" not in told
    assert "never mention it" in told

"""Rules that are sure of themselves are silent on what people say every day; what is taken for sure is said plainly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.conversation.crisis.wording import LANGUAGES, RULES, Weight, wordings
from bot.conversation.safety import sign_by_rules
from lab.evaluation.safety import DEV

LURES = Path(__file__).with_name("lures.json")
"""Ordinary sentences of ours by language, with words that dangers are said with: pills, knives, bridges."""
SPELLINGS = DEV.with_name("safety_spellings.jsonl")

PLAIN = {
    "en": ("I am going to kill myself tonight", "i want to end my life"),
    "de": ("Ich bringe mich heute Nacht um", "Ich will mich umbringen"),
    "fr": ("Je vais me suicider ce soir", "je veux me tuer"),
    "es": ("voy a suicidarme esta noche", "quiero matarme"),
    "pt": ("vou me matar hoje", "quero acabar com a minha vida"),
    "it": ("stasera mi uccido", "voglio suicidarmi"),
    "nl": ("ik ga zelfmoord plegen", "ik wil mezelf van kant maken"),
    "pl": ("zabiję się dzisiaj", "chcę popełnić samobójstwo"),
    "ru": ("я убью себя сегодня", "хочу покончить с собой"),
    "uk": ("я вб'ю себе сьогодні", "хочу покінчити з собою"),
    "tr": ("kendimi öldüreceğim", "intihar etmek istiyorum"),
    "ar": ("سأقتل نفسي", "أريد أن أنتحر"),
    "hi": ("मैं आत्महत्या करना चाहता हूँ", "मैं खुद को मार डालूंगा"),
    "ja": ("自殺します", "死にたい"),
    "zh": ("我要自杀", "我想自杀"),
    "ko": ("자살할 거야", "죽고 싶어"),
}


def is_sure(text: str) -> bool:
    """Whether a rule that is no mere hint finds something in it."""
    sign, _ = sign_by_rules(text)
    hints = {name for name, (_, weight) in RULES.items() if weight is Weight.HINT}
    return sign is not None and any(reason.partition(".")[2] not in hints for reason in sign.reasons)


def lures() -> list[str]:
    """All ordinary sentences."""
    return [text for texts in json.loads(LURES.read_text(encoding="utf-8")).values() for text in texts]


@pytest.mark.parametrize("text", lures())
def test_what_people_say_every_day_is_never_taken_for_sure(text: str) -> None:
    assert not is_sure(text)


def test_few_of_these_sentences_get_even_a_hint() -> None:
    assert sum(sign_by_rules(text)[0] is not None for text in lures()) <= 0.05 * len(lures())


@pytest.mark.parametrize("text", [text for texts in PLAIN.values() for text in texts])
def test_what_is_said_in_so_many_words_is_sure(text: str) -> None:
    assert is_sure(text)


def test_every_language_is_tried() -> None:
    assert set(PLAIN) == set(LANGUAGES) == set(json.loads(LURES.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "text",
    [
        "haha i want to kill myself lol but really",
        "i wanna die lol. no joke though",
        "lmao i want to disappear, im serious",
        "haha ich will sterben aber im ernst",
        "jaja quiero morirme pero en serio",
        "mdr je veux mourir mais vraiment",
        "ahah voglio morire ma davvero",
        "kkk quero morrer mas é sério",
        "haha ik wil dood maar echt",
    ],
)
def test_laughter_does_not_take_back_what_is_no_joke(text: str) -> None:
    assert sign_by_rules(text)[0] is not None


@pytest.mark.parametrize("text", ["lol i wanna die, this exam", "I'm dying of laughter, but seriously, great joke"])
def test_laughter_alone_still_takes_a_hint_back(text: str) -> None:
    assert sign_by_rules(text)[0] is None


def test_a_plain_cry_is_heard_in_any_spelling() -> None:
    rows = [json.loads(line) for line in SPELLINGS.read_text(encoding="utf-8").splitlines()]
    missed = [row["text"] for row in rows if sign_by_rules(row["text"])[0] is None]
    assert {row["language"] for row in rows} == set(LANGUAGES)
    assert len(missed) <= 0.02 * len(rows), missed


@pytest.mark.parametrize("code", ["en", "de", "es", "fr", "it", "pt", "nl"])
def test_a_quiet_plan_is_heard(code: str) -> None:
    plans = wordings()[code].source.rules["plan"]
    heard = [shown for shown in plans if sign_by_rules(shown.example)[0] is not None]
    assert len(plans) >= 15
    assert len(heard) >= 0.95 * len(plans), [shown.example for shown in plans if shown not in heard]

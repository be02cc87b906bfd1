"""Which language a text is in."""

import pytest

from bot.conversation.checking.language import guessed_language, language_of, likely_language, spoken_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I went to the market and bought some bread", "en"),
        ("gestern war ich mit meiner Schwester im Kino", "de"),
        ("ayer fui al cine con mi hermana y lo pasamos muy bien", "es"),
        ("hier je suis allé au cinéma avec ma sœur", "fr"),
        ("ieri sono andato al cinema con mia sorella", "it"),
        ("ontem fui ao cinema com a minha irmã e foi muito bom", "pt"),
        ("gisteren ben ik met mijn zus naar de film geweest", "nl"),
        ("ich weiss nicht was ich machen soll", "de"),
        ("i dont know what to do", "en"),
    ],
)
def test_a_sentence_tells_its_language(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text",
    ["", "ok", "hallo", "Pixel!", "lol haha", "привет, как дела у тебя", "你好吗", "123 456 789", "Wien Berlin Roma"],
)
def test_too_little_or_another_language_tells_nothing(text: str) -> None:
    assert language_of(text) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("se murió mi abuela", "es"),
        ("je viens d'emménager à Nantes", "fr"),
        ("mir gehts schlecht", "de"),
        ("sto male", "it"),
        ("tô grávida", "pt"),
        ("hoi", "nl"),
        ("hey", "en"),
        ("im a florist", None),
        ("lol", None),
        ("", None),
    ],
)
def test_little_text_is_known_by_its_letters(text: str, language: str | None) -> None:
    assert (language_of(text) or likely_language(text)) == language


def test_who_has_said_more_is_understood_by_that() -> None:
    assert spoken_language("Jello salad?", ["I am so hungry today, what should I cook?"]) == "en"
    assert spoken_language("lol", []) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hey im nina", "en"),
        ("im so hungover", "en"),
        ("its fine i guess", "en"),
        ("elodie m'a quitté", "fr"),
        ("der lukas is heut auszogen", "de"),
        ("nie wiem, co się stało", "pl"),
        ("", "en"),
        ("yo", "en"),
        ("ok", "en"),
        ("yo soy Ana", "es"),
        ("ya no existo", "es"),
        ("yo whats up", "en"),
        ("yo dude", "en"),
        ("yo gonna kill myself", "en"),
        ("yo no puedo", "es"),
        ("ok cool", "en"),
        ("ok gracias", "es"),
    ],
)
def test_a_line_of_which_nothing_else_is_known_has_a_language(text: str, language: str) -> None:
    assert guessed_language(text) == language

"""The guess of a text's language."""

import pytest

from bot.language.languages import is_english, latin_language, words


def test_the_language_guess_prefers_english_when_in_doubt() -> None:
    assert latin_language(words("pizza")) == "en"
    assert latin_language(words("I don't think we've met")) == "en"
    assert latin_language(words("im bored")) == "en"
    assert latin_language(words("ich bin im Kino")) == "de"
    assert latin_language(words("wir haben gestern nicht viel gemacht")) == "de"
    assert latin_language(words("no sé lo que quieres decir con eso")) == "es"


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("I have two dogs and live in München.", True),
        ("I eat 寿司 with my brother", True),
        ("pizza", True),
        ("", True),
        ("🙂 42", True),
        ("Ich habe zwei Hunde und wohne in Leeds.", False),
        ("J'ai deux chiens et je travaille la nuit.", False),
        ("Tengo dos perros y vivo en Madrid", False),
        ("У меня две собаки", False),
        ("我有两只狗,名字叫 Rex", False),
        ("私は犬を二匹飼っています。", False),
    ],
)
def test_english_is_told_from_other_languages(text: str, english: bool) -> None:
    assert is_english(text) is english

"""Look-alike letters, digits and spaces do not hide words, and words of other scripts stay what they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.crisis.folding import folded, plain
from bot.conversation.safety import sign_by_rules


@pytest.mark.parametrize(
    "written",
    [
        "i want to k\u0456ll myself",
        "i want to ki11 myself",
        "i want to k1ll mys3lf",
        "i want to k!ll myself",
        "i want to kill m\u0443self",
        "i want to k\u03b9ll myself",
        "\uff49 \uff57\uff41\uff4e\uff54 \uff54\uff4f \uff4b\uff49\uff4c\uff4c \uff4d\uff59\uff53\uff45\uff4c\uff46",
        "i want to \U0001d424\U0001d422\U0001d425\U0001d425 myself",
        "i want to \u1d0b\u026a\u029f\u029f myself",
        "i want to \U0001f15a\U0001f158\U0001f15b\U0001f15b myself",
    ],
)
def test_killing_oneself_is_read_through_every_disguise(written: str) -> None:
    assert "kill myself" in folded(written)
    assert sign_by_rules(written)[0] is not None


@pytest.mark.parametrize(
    "written",
    ["su\u0456\u0441ide", "\u0455u\u0456\u0441\u0456d\u0435", "su1c1de", "5uicide", "$u!cide", "su\u03b9cide"],
)
def test_suicide_is_read_through_every_disguise(written: str) -> None:
    assert folded(written) == "suicide"


@pytest.mark.parametrize("written", ["unal1ve", "un\u0430l1v\u0435", "UNALIVE"])
def test_to_unalive_is_read_through_every_disguise(written: str) -> None:
    assert folded(written) == "unalive"


def test_latin_letters_inside_russian_and_ukrainian_words_are_folded_too() -> None:
    assert folded("х\u006fчу у\u006dереть") == "хочу умереть"
    assert folded("п\u006fм\u0065рти") == "померти"
    assert folded("х о ч у") == "хочу"
    assert sign_by_rules("я х\u006fчу ум\u0065реть")[0] is not None


@pytest.mark.parametrize(
    "text",
    [
        "он сказал что это сор и ухо",
        "вона каже що це міст і кіт",
        "το νερο ειναι κρυο",
        "я купил новый телефон",
        "хот дог и кот",
        "h2o and mp3",
        "one 2 three 4 five",
        "usb3 in room 101",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert folded(text) == plain(text)


@given(st.text(max_size=200))
def test_folding_ends_with_text_and_is_the_same_every_time(text: str) -> None:
    assert folded(text) == folded(text)

"""Timelines as PNGs, painted by the real matplotlib. Warnings are errors here: a letter that no font has would warn."""

from __future__ import annotations

import gc
import io
import struct
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from numpy.typing import NDArray

from bot.domain import Relation
from bot.drawing import painting
from bot.drawing.layout import MARGIN, SMALL, WIDTH
from bot.drawing.looks import LOOKS, Look
from bot.drawing.painting import drawable, paint
from bot.usecases.timeline import PAGE
from tests.drawing.scenes import UNREADABLE, scene

TWO = [(0, 1, Relation.CAUSE)]


def pixels(png: bytes) -> NDArray[np.float32]:
    """Shape (height, width, 4)."""
    return np.asarray(imread(io.BytesIO(png)), dtype=np.float32)


def chunks(png: bytes) -> Iterator[bytes]:
    """The names of the parts of a PNG."""
    at = 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        yield name
        at += 12 + length


def colour(name: str) -> list[float]:
    return [int(name[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def is_there(png: bytes, name: str) -> bool:
    """Whether some pixel has this colour."""
    return bool((np.abs(pixels(png)[:, :, :3] - colour(name)).max(axis=2) < 0.01).any())


def luminance(name: str) -> float:
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour(name)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str, other: str) -> float:
    lower, higher = sorted((luminance(one), luminance(other)))
    return (higher + 0.05) / (lower + 0.05)


def test_the_width_is_a_phones_and_the_height_follows_from_the_cards() -> None:
    one, two = (pixels(paint(scene(["I have two dogs."] * number))) for number in (1, 2))
    assert one.shape[1] == two.shape[1] == WIDTH
    assert one.shape[0] < two.shape[0] < 2.5 * one.shape[0]


def test_a_full_page_of_what_people_tell_is_no_longer_than_a_phone() -> None:
    words = "The vet says Pixel has to eat less, so I hid the biscuits in the piano and nobody has found them yet."
    edges = [(number, number + 1, Relation.CAUSE) for number in range(PAGE - 1)]
    assert pixels(paint(scene([words] * PAGE, edges))).shape[0] <= 2.17 * WIDTH  # 1080 by 2340


@pytest.mark.parametrize("name", LOOKS)
def test_a_card_has_the_colour_of_its_topic_and_the_legend_says_which_that_is(name: str) -> None:
    look, plain = LOOKS[name], scene(["I have two dogs."] * 2, look=name)
    one, other = plain.cards
    told = replace(plain, cards=(replace(one, colour=6), replace(other, colour=4)), legend=((4, "dogs"), (6, "cats")))
    painted = paint(told)
    assert is_there(painted, look.topics[4])
    assert is_there(painted, look.topics[6])
    assert not is_there(painted, look.topics[2])
    assert pixels(painted).shape[0] > pixels(paint(plain)).shape[0]
    for colour_of_topic in look.topics:
        assert min(contrast(colour_of_topic, under) for under in (look.background, look.card)) >= 3


def test_the_png_holds_no_words_and_is_the_same_each_time() -> None:
    painted = paint(scene(["I have two dogs."] * 2, TWO))
    assert set(chunks(painted)) == {b"IHDR", b"pHYs", b"IDAT", b"IEND"}
    assert paint(scene(["I have two dogs."] * 2, TWO)) == painted
    assert paint(scene(["I have two cats."] * 2, TWO)) != painted


@pytest.mark.parametrize("name", LOOKS)
def test_a_look_has_its_own_colours(name: str) -> None:
    look, painted = LOOKS[name], paint(scene(["I have two dogs."] * 2, TWO, look=name))
    assert pixels(painted)[0, 0, :3] == pytest.approx(colour(look.background), abs=0.01)
    assert is_there(painted, look.relations[Relation.CAUSE])
    assert not is_there(painted, look.relations[Relation.CHANGED])


def test_an_arrow_is_painted_beside_the_cards() -> None:
    with_arrow, without = (pixels(paint(scene(["Words."] * 2, edges))) for edges in (TWO, []))
    blue = colour(LOOKS["light"].relations[Relation.CAUSE])
    beside = np.abs(with_arrow[:, 50:110, :3] - blue).max(axis=2) < 0.01
    assert beside.sum() > 100
    assert not (np.abs(without[:, :, :3] - blue).max(axis=2) < 0.01).any()


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_texts_stand_out_from_what_is_under_them(look: Look) -> None:
    pairs = [*product((look.text, look.muted), (look.background, look.card)), (look.before_text, look.before_card)]
    pairs += [*product(look.relations.values(), (look.background, look.card)), (look.card, look.accent)]
    assert min(contrast(*pair) for pair in pairs) >= 4.5
    assert len(set(look.relations.values())) == len(Relation)
    assert look.before_card != look.card


def test_no_text_is_smaller_than_a_phone_shows_well() -> None:
    assert SMALL >= 26


@pytest.mark.parametrize("words", ["m" * 400, "WWW " * 90, "Жук " * 90, "office ffi waffle " * 30], ids=range(4))
def test_words_stay_on_their_card(words: str) -> None:
    look = LOOKS["light"]
    painted = pixels(paint(scene([words], dates="in a channel with a very long name, " * 5)))
    white = np.abs(painted[:, :, :3] - colour(look.card)).max(axis=2) < 0.01
    middle = slice(painted.shape[0] // 2 - 20, painted.shape[0] // 2 + 20)
    assert not white[middle, 92 + 28 : WIDTH - MARGIN - 28].all(), "there are words"
    assert white[middle, WIDTH - MARGIN - 24 : WIDTH - MARGIN - 4].all()
    assert (np.abs(painted[:, WIDTH - MARGIN + 4 :, :3] - colour(look.background)).max(axis=2) < 0.01).all()


def test_what_no_font_has_is_left_out_and_nothing_breaks() -> None:
    assert drawable("Rex 🐶🎉 is\u200b here\x07!") == "Rex is here!"
    assert drawable("Ελλάδα Йорк ẍ e\u0301") == "Ελλάδα Йорк ẍ é"
    odd = ["🐶", "", "\u0000\ud800", "$x$ $\\frac{", "\\textbf{a} _b^", "לי שני כלבים", "لدي كلبان"]
    assert paint(scene([*odd, "e" + "\u0301" * 200]))


def test_what_stands_above_the_cards_is_as_clean() -> None:
    one, odd, clean = scene(["I have two dogs."]), "About\t🐶\n“a \ud800b\u200b\x07”", "About “a b”"
    assert paint(replace(one, title=odd)) == paint(replace(one, title=clean)) != paint(one)
    assert paint(replace(one, subtitle=odd)) == paint(replace(one, subtitle=clean)) != paint(one)


def test_a_card_of_which_little_can_be_drawn_says_so() -> None:
    assert paint(scene(["\U00012000\U00012001\U00012002 ok"])) == paint(scene([UNREADABLE]))
    assert paint(scene(["one sign \U00012000 in a sentence"])) == paint(scene(["one sign in a sentence"]))


def test_fonts_of_the_machine_help_out(monkeypatch: pytest.MonkeyPatch) -> None:
    caches = (painting._elsewhere, painting._characters, painting._font, painting._advance)
    plain = paint(scene(["an arc ends"]))
    assert paint(scene(["an arc \u2312 ends"])) == plain
    monkeypatch.setattr(painting, "ELSEWHERE", ("No Such Font", "STIXGeneral"))
    try:
        for cache in caches:
            cache.cache_clear()
        assert [name for name, _ in painting._elsewhere()] == ["STIXGeneral"]
        assert paint(scene(["an arc \u2312 ends"])) != plain
    finally:
        monkeypatch.undo()
        for cache in caches:
            cache.cache_clear()


def test_any_thread_may_paint_and_nothing_is_left_of_a_picture() -> None:
    expected = [paint(scene([f"I have {number} dogs."])) for number in range(4)]
    painted: dict[int, bytes] = {}

    def work(number: int) -> None:
        painted[number] = paint(scene([f"I have {number} dogs."]))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [painted[number] for number in range(4)] == expected
    gc.collect()
    assert not [one for one in gc.get_objects() if type(one) is Figure]

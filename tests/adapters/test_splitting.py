"""Long replies in parts: nothing lost, nothing torn, everything still renders."""

import re

import pytest
import regex
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from adapters.splitting import Length, split, utf16_length

FAMILY = "👨‍👩‍👧‍👦"
FLAG = "🇩🇪"
WAVE = "👋🏽"
ACCENT = "e\u0301\u0323"

WORDS = ["a", "Hello", "well,", "I", "like", "it.", "Really!", "(yes)", "naïve", "日本。", "—", "10", "x" * 30]
WHOLE = [
    FAMILY,
    FLAG,
    WAVE,
    ACCENT,
    "https://example.org/a_b?c=d&e=(f)",
    "[a link, with words](https://example.org/x_(y))",
    "`inline code`",
    "``a ` tick``",
    "<:wave:123456789012345678>",
    "<a:party:123456789012345678>",
    "<@80351110224678912>",
    "<@!80351110224678912>",
    "<#80351110224678912>",
    "<t:1700000000:R>",
    "\\*",
    "\\_",
]
EMPHASIS = ["**bold words**", "*leaning words*", "__under lined__", "~~struck out~~", "||a spoiler||", "_so so_"]
BETWEEN = [" ", " ", " ", "\n", "\n\n", "  \n", "\n\n\n"]
FENCES = ["```\nx = 1\ny = 2\n```", "```python\ndef f():\n    return 1\n\n\nprint(f())\n```", "~~~ sh\nls -l\n~~~"]

prose = st.lists(
    st.tuples(st.sampled_from([*WORDS, *WHOLE, *EMPHASIS]), st.sampled_from(BETWEEN)).map("".join), max_size=80
).map("".join)
fenced = st.lists(
    st.one_of(st.sampled_from(FENCES), st.text("abc {}\n", max_size=60).map(lambda code: f"```c\n{code}\n```"))
    | prose.filter(lambda text: "`" not in text),
    max_size=8,
).map("\n\n".join)
anything = st.one_of(
    prose,
    fenced,
    st.text(max_size=300),
    st.text("a `*_[](){}<>\\~|\n-.!:/😀\u200d\u0301\u0600🇩", max_size=300),
)
lengths = st.sampled_from([len, utf16_length])


def without_white(text: str) -> str:
    return "".join(text.split())


@settings(max_examples=400, deadline=None)
@given(text=anything, limit=st.integers(2, 120), length=lengths)
@example(text="```\n" + "\n" * 50 + "```", limit=20, length=len)
@example(text=" \u0301" * 40, limit=9, length=len)
def test_every_part_fits_and_none_is_blank(text: str, limit: int, length: Length) -> None:
    parts = split(text, limit, length)
    assert all(length(part) <= limit for part in parts)
    assert all(part.strip() for part in parts)
    assert bool(parts) == bool(text.strip())


@settings(max_examples=400, deadline=None)
@given(text=st.one_of(prose, anything.map(lambda text: re.sub(r"`{3,}|~{3,}", "", text))), limit=st.integers(2, 120))
def test_nothing_is_lost_from_prose(text: str, limit: int) -> None:
    assert without_white("".join(split(text, limit))) == without_white(text)


@settings(max_examples=300, deadline=None)
@given(text=fenced, limit=st.integers(40, 200), length=lengths)
def test_nothing_is_lost_from_code_but_the_fences_that_mend_it(text: str, limit: int, length: Length) -> None:
    def bare(whole: str) -> str:
        return without_white(re.sub(r"^[ \t]*(```|~~~)[^\n]*$", "", whole, flags=re.MULTILINE))

    assert bare("\n".join(split(text, limit, length))) == bare(text)


@settings(max_examples=300, deadline=None)
@given(text=fenced, limit=st.integers(60, 200))
def test_every_part_closes_the_code_that_it_opens(text: str, limit: int) -> None:
    for part in split(text, limit):
        opened = ""
        for line in part.splitlines():
            if marker := re.match(r"[ \t]*(```|~~~)", line):
                opened = "" if opened else marker[1]
        assert not opened


@settings(max_examples=400, deadline=None)
@given(text=st.one_of(prose, st.text(max_size=300)), limit=st.integers(50, 200), length=lengths)
def test_words_and_clusters_are_not_torn(text: str, limit: int, length: Length) -> None:
    clusters = regex.findall(r"\X", text)
    assume(all(cluster.isspace() or not any(map(str.isspace, cluster)) for cluster in clusters))
    position_of_ends, position = {0}, 0
    for cluster in clusters:
        position += len(cluster)
        position_of_ends.add(position)
    position = 0
    for part in split(text, limit, length):
        begin = text.index(part, position)
        position = begin + len(part)
        assert begin in position_of_ends
        assert position in position_of_ends
        torn = re.search(r"\S+\Z", text[:position])
        rest = re.match(r"\S+", text[position:])
        if torn and rest and not re.search(r"[。！？…]\Z", torn[0]):
            assert length(torn[0] + rest[0]) > limit


@settings(max_examples=300, deadline=None)
@given(
    items=st.lists(st.one_of(st.sampled_from(WHOLE), st.sampled_from(WORDS)), min_size=1, max_size=60),
    limit=st.integers(50, 160),
    length=lengths,
)
def test_what_belongs_together_stays_together(items: list[str], limit: int, length: Length) -> None:
    parts = split(" ".join(items), limit, length)
    for whole in WHOLE:
        assert sum(part.count(whole) for part in parts) == " ".join(items).count(whole)


@pytest.mark.parametrize("whole", WHOLE)
def test_what_belongs_together_is_not_torn_even_inside_a_long_word(whole: str) -> None:
    for before in range(1, 60):
        text = "x" * before + whole + "，" + "y" * 80
        assert any(whole in part for part in split(text, 60, utf16_length))


@pytest.mark.parametrize("emphasis", EMPHASIS)
def test_emphasis_is_cut_around_where_it_can_be(emphasis: str) -> None:
    for before in range(40):
        text = f"{'ab ' * before}{emphasis} and {'cd ' * 40}"
        assert any(emphasis in part for part in split(text, 80))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One two four.\n\nFive. Six. Seven", ["One two four.", "Five. Six. Seven"]),
        ("One two. Three\nfour five six", ["One two. Three", "four five six"]),
        ("One two three. Four five", ["One two three.", "Four five"]),
        ("One two three four five six", ["One two three four", "five six"]),
        ("x" * 50, ["x" * 20, "x" * 20, "x" * 10]),
        ("  \n One two three four five  ", ["One two three four", "five"]),
        ("Yes.\n\nOne two three four five", ["Yes.\n\nOne two three", "four five"]),
    ],
)
def test_the_best_place_for_a_cut(text: str, parts: list[str]) -> None:
    assert split(text, 20) == parts


def test_a_list_keeps_its_numbers() -> None:
    text = "\n".join(f"{number}. word word word" for number in range(1, 9))
    assert all(part.startswith(tuple("12345678")) for part in split(text, 24))
    assert split("intro 12345\n3. abcdefgh", 15) == ["intro 12345", "3. abcdefgh"]


def test_a_code_block_that_is_too_long_is_closed_and_opened_again() -> None:
    code = "\n".join(f"    line({number})" for number in range(20))
    parts = split(f"Look:\n\n```python\n{code}\n```\nThat is all.", 100)
    assert len(parts) > 2
    assert parts[0].startswith("Look:\n\n```python\n    line(0)\n")
    assert parts[0].endswith("\n```")
    assert parts[1].startswith("```python\n    line(")
    assert parts[-1].endswith("line(19)\n```\nThat is all.")


def test_a_code_block_that_fits_is_not_cut() -> None:
    block = "```\n" + "word " * 12 + "\n```"
    parts = split(f"{'Some words. ' * 4}\n{block}\nAnd more words.", 80)
    assert sum(block in part for part in parts) == 1


def test_a_block_that_is_never_closed_is_closed_in_every_part() -> None:
    parts = split("```\n" + "word word\n" * 20, 60)
    assert len(parts) > 2
    assert all(part.startswith("```\n") and part.endswith("```") for part in parts)


def test_a_cut_at_the_end_of_a_block_leaves_no_empty_block_behind() -> None:
    for rows in range(1, 60):
        for part in split("```\n" + "abc\n" * rows + "```\nend", 40):
            assert "abc" in part or part == "end"


def test_a_text_that_fits_is_left_as_it_is() -> None:
    assert split(" Hello\n", 7) == [" Hello\n"]
    assert split(" \n\t", 2) == split("", 1) == split(" " * 50, 10) == []


def test_telegram_counts_in_utf16_units() -> None:
    assert utf16_length("a😀") == 3
    assert utf16_length("\ud83d") == 1
    assert split("😀" * 10, 8, utf16_length) == ["😀" * 4, "😀" * 4, "😀" * 2]
    assert split("😀" * 10, 8) == ["😀" * 8, "😀" * 2]


@pytest.mark.parametrize(
    "piece",
    ["word ", "x", "*", "`", "[a](", "(", "```\n", "` `` ``` ", "\\", "</a", "**a", "[a\n", " \n", "👋🏽", "_a "],
)
def test_a_very_long_text_is_no_trap(piece: str) -> None:
    """Were the work to grow with the square of the text, this would run into the time-out of all tests."""
    text = piece * (300_000 // len(piece))
    assert without_white("".join(split(text, 4096, utf16_length)).replace("`", "")) == without_white(
        text.replace("`", "")
    )

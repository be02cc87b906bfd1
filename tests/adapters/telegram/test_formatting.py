"""Markdown becomes text and entities, and nothing is lost on the way."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from telegram import MessageEntity

from adapters.splitting import utf16_length
from adapters.telegram.formatting import MAX_UNITS, Formatted, beginning, formatted, messages
from bot.usecases.markup import plain

MARKUP = [
    "**",
    "*",
    "_",
    "~~",
    "||",
    "`",
    "```",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "> ",
    "# ",
    "[",
    "](",
    ")",
    "\\",
    "---",
    "|",
    " ",
]
MIXED = st.lists(
    st.sampled_from(MARKUP)
    | st.sampled_from(["word", "Größe", "😀", "👩‍👩‍👧", "7", "https://a.example/x_y", "&amp;", "<b>"])
).map("".join)

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def stretches(message: Formatted) -> list[tuple[str, str]]:
    """Each entity's type, and the text it covers."""
    units = message.text.encode("utf-16-le")
    return [(e.type, units[2 * e.offset : 2 * (e.offset + e.length)].decode("utf-16-le")) for e in message.entities]


@pytest.mark.parametrize(
    ("markdown", "text", "covered"),
    [
        ("**b** and _i_", "b and i", [("bold", "b"), ("italic", "i")]),
        ("😀 **b**", "😀 b", [("bold", "b")]),
        (
            "~~gone~~ ||hidden *too*||",
            "gone hidden too",
            [("strikethrough", "gone"), ("spoiler", "hidden too"), ("italic", "too")],
        ),
        ("a || b || c", "a || b || c", []),
        ("`x = 1`", "x = 1", [("code", "x = 1")]),
        ("say:\n```python\nx = 1\n```\ndone", "say:\nx = 1\ndone", [("pre", "x = 1")]),
        ("# Title\ntext", "Title\ntext", [("bold", "Title")]),
        ("- a\n- b\n  - c", "• a\n• b\n  • c", []),
        ("3. a\n4. b", "3. a\n4. b", []),
        ("> so\n> it is\n\nyes", "so\nit is\n\nyes", [("blockquote", "so\nit is")]),
        ("\\*no\\* \\|\\|no\\|\\|", "*no* ||no||", []),
        ("snake_case_name 2*3*4", "snake_case_name 234", [("italic", "3")]),
        ("**open and `open", "**open and `open", []),
        ("<b>&lt;</b>", "<b>&lt;</b>", []),
        ("a\nb", "a\nb", []),
    ],
)
def test_markdown_becomes_entities(markdown: str, text: str, covered: list[tuple[str, str]]) -> None:
    message = formatted(markdown)
    assert (message.text, stretches(message)) == (text, covered)


def test_a_link_is_behind_its_words_and_one_that_telegram_refuses_is_written_out() -> None:
    message = formatted("[here](https://a.example/ö) [there](notes.txt) <https://b.example>")
    assert message.text == "here there (notes.txt) https://b.example"
    assert [entity.url for entity in message.entities] == ["https://a.example/ö"]


def test_code_keeps_its_language() -> None:
    assert formatted("```py\nx\n```").entities == (MessageEntity(MessageEntity.PRE, 0, 1, language="py"),)


def test_nothing_but_marks_stays_as_it_is() -> None:
    assert formatted("```\n```") == Formatted("```\n```", "```\n```")


@UNHURRIED
@given(MIXED)
def test_every_entity_lies_in_the_text_and_within_or_beside_the_others(markdown: str) -> None:
    message = formatted(markdown)
    open_ends: list[int] = []
    for entity in message.entities:
        while open_ends and open_ends[-1] <= entity.offset:
            open_ends.pop()
        assert entity.length > 0
        assert entity.offset + entity.length <= (open_ends[-1] if open_ends else utf16_length(message.text))
        open_ends.append(entity.offset + entity.length)
    stretches(message)  # no entity tears a character: that would not decode


@UNHURRIED
@example("**\n```😀")  # an emoji where a fence has its language
@given(MIXED)
def test_every_word_is_still_there_in_order(markdown: str) -> None:
    message = formatted(markdown)
    rest = message.text + " ".join(f"{entity.url or ''} {entity.language or ''}" for entity in message.entities)
    for word in ("word", "Größe", "7", "😀"):
        assert rest.count(word) >= markdown.count(word)


@UNHURRIED
@given(st.text(max_size=200))
def test_people_s_words_that_were_made_harmless_are_shown_as_they_are(words: str) -> None:
    spoken = " ".join(words.replace("\0", "").split())
    assert formatted(plain(spoken)).text.strip() == spoken


@UNHURRIED
@given(st.lists(MIXED, min_size=1, max_size=30).map(lambda some: " ".join(some * 20)))
def test_every_message_is_short_enough(markdown: str) -> None:
    assert all(0 < utf16_length(message.text) <= MAX_UNITS for message in messages(markdown))


def test_a_growing_text_that_is_too_long_shows_its_beginning() -> None:
    shown = beginning("😀 " * 3000)
    assert shown.text.endswith(" …")
    assert utf16_length(shown.text) <= MAX_UNITS

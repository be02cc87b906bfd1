"""The timeline's drawing and the pages that lists have: where words end, what is markup, how much is counted."""

from dataclasses import replace

import pytest
from markupsafe import Markup

from adapters.web.chart import CUT, LINE_CHARACTERS, LINES, _lines
from adapters.web.rendering import Telling
from bot.usecases import looking
from tests.adapters.web.visits import DAY, Visit, open_visit
from tests.stored import ANN, ANNS_DM, event_of


async def remember(visit: Visit, summary: str, topic: str, after: int) -> None:
    """An event of Ann's."""
    session = await visit.asking.talk(ANNS_DM, [(ANN, "Something.")], after=after * DAY)
    await visit.asking.rows.sessions.close(session.place)
    event = replace(event_of(session, summary, after * DAY), topics=frozenset({topic}))
    await visit.asking.rows.events.add(event, job_id=0)


async def test_what_people_write_is_text_in_the_drawing_too() -> None:
    bad = "</title><script>alert('x')</script> & \"more\""
    async with open_visit(life=False) as visit:
        await remember(visit, f"Ann: I like {bad}", f"<b>{bad}", 1)
        drawn = (await visit.client.get("/timeline")).text
    assert '<g class="box' in drawn
    assert "alert(&#39;x&#39;)" in drawn
    assert "<script>alert" not in drawn
    assert "<b>" not in drawn
    assert drawn.count("<title>") == drawn.count("</title>") == 2


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        ("I moved to Leeds.", ("I moved to Leeds.",)),
        ("I moved to Leeds for the new job.", ("I moved to Leeds for the", "new job.")),
        ("a" * 30, ("a" * 26, "a" * 4)),
        ("a " * 13 + "b", ("a a a a a a a a a a a a a", "b")),
        (
            "one two three four five six " * 4,
            ("one two three four five", "six one two three four", "five six one two three …"),
        ),
        ("a" * 200, ("a" * 26, "a" * 26, "a" * 24 + " …")),
        (" ".join(["word"] * 16), ("word word word word word",) * 2 + ("word word word word word …",)),
    ],
)
def test_the_words_of_a_card_fit_it(text: str, lines: tuple[str, ...]) -> None:
    assert _lines(text) == lines
    assert len(lines) <= LINES
    assert all(len(line) <= LINE_CHARACTERS for line in lines)
    assert not lines or lines[-1].endswith(CUT) or "".join(lines).replace(" ", "") == text.replace(" ", "")


async def test_who_has_very_many_memories_is_told_that_there_are_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted as far as the page that is asked for needs it, and every page can be reached."""
    monkeypatch.setattr(looking, "COUNTED", 4)
    monkeypatch.setattr(looking, "PAGE", 2)
    async with open_visit() as visit:
        first = (await visit.client.get("/memories")).text
        assert "More than 4" in first
        assert "Page 1 of more than 2" in first
        third = (await visit.client.get("/memories?page=3")).text
        assert "Page 3 of more than 4" in third
        assert 'href="/memories?page=4" rel="next"' in third
        last = (await visit.client.get("/memories?page=99")).text
        assert "9 in all" in last
        assert "Page 5 of 5" in last
        monkeypatch.setattr(looking, "COUNTED", 9)
        assert "9 in all" in (await visit.client.get("/memories")).text


def test_large_numbers_are_written_as_the_language_does() -> None:
    assert [Telling(language).count(10_000) for language in ("en", "de")] == ["10,000", "10.000"]


def test_what_is_put_into_a_sentence_is_text_unless_it_is_markup_of_ours() -> None:
    t = Telling("en")
    assert t("of_topic", topic="<b>") == "about &lt;b&gt;"
    assert t("of_topic", topic=Markup("<b>")) == "about <b>"

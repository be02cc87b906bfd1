"""From what a use case answers to HTML: templates, the Markdown of answers, dates and sentences."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from adapters.web.chart import CARD_HEIGHT, CARD_WIDTH, Box
from adapters.web.sessions import Session
from bot.care.calendar import zone_named
from bot.domain import Choice, Why
from bot.texts import page as texts
from bot.texts import translating
from bot.texts.checkin import clock
from bot.texts.commands import platform_title
from bot.texts.retelling import purpose, retold
from bot.usecases.calls import encode

FOLDER = Path(__file__).parent
_MARK = re.compile(r"\\(?P<kept>[\\`*_{}\[\]()<>#+\-.!|~@:])|(?P<mark>\*\*|[*`])")
_BRACKET = re.compile(r"\[[^\[\]]*\]")
_TAGS = {
    "**": (Markup("<strong>"), Markup("</strong>")),
    "*": (Markup("<em>"), Markup("</em>")),
    "`": (Markup("<code>"), Markup("</code>")),
}
_REASONS = {Why.ZONE: "zone_unknown", Why.CHANGED: "changed_since"}
_NO_BLOCK = (Markup(""), Markup(""), Markup("<p>{}</p>"))
_BLOCKS = {
    "- ": (Markup("<ul>\n"), Markup("</ul>\n"), Markup("<li>{}</li>")),
    "> ": (Markup("<blockquote>\n"), Markup("</blockquote>\n"), Markup("<p>{}</p>")),
}
"""How a line begins → before and after all lines that begin so, and around each."""


def html_of(markdown: str) -> Markup:
    """The Markdown of commands' answers (`bot/usecases/markup.py`) as HTML; all else in it is text."""
    parts: list[Markup] = []
    within = _NO_BLOCK
    for line in markdown.splitlines():
        block = _BLOCKS.get(line[:2], _NO_BLOCK)
        if block is not within:
            parts += [within[1], block[0]]
            within = block
        if line.strip():
            parts.append(block[2].format(_inline(line if block is _NO_BLOCK else line[2:])) + "\n")
    return Markup("").join([*parts, within[1]]).strip()


def _inline(line: str) -> Markup:
    """One line. Marks that have no partner are shown as they are written."""
    parts: list[Markup] = []
    open_: list[tuple[str, int]] = []
    at = 0
    for found in _MARK.finditer(line):
        parts.append(escape(line[at : found.start()]))
        at = found.end()
        mark = found["mark"]
        if mark is None:
            parts.append(escape(found["kept"]))
        elif open_ and open_[-1][0] == mark:
            parts[open_.pop()[1]], closing = _TAGS[mark]
            parts.append(closing)
        else:
            open_.append((mark, len(parts)))
            parts.append(escape(mark))
    return Markup("").join([*parts, escape(line[at:])])


@cache
def environment() -> Environment:
    """The templates."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["markdown"] = html_of
    made.filters["untitled"] = _untitled
    made.filters["own"] = _own
    made.filters["call"] = _call
    made.filters["card"] = _card
    made.filters["clock"] = clock
    made.filters["reason"] = _reason
    made.filters["said"] = translating.here
    made.filters["retold"] = retold
    made.filters["purpose"] = purpose
    made.filters["platform"] = platform_title
    made.filters["bracketed"] = _bracketed
    return made


@cache
def _escaped(language: str) -> Mapping[str, str]:
    """Name of a sentence → the sentence, in which nothing is markup."""
    return {name: str(escape(translating.in_language(words, language))) for name, words in texts.SENTENCES.items()}


def _reason(why: Why) -> str:
    """The name of the sentence that says why a check-in was not sent."""
    return _REASONS.get(why, why.value.replace(" ", "_"))


def _bracketed(words: str) -> Markup:
    """A message of a prompt; what stands in square brackets is set apart: they are the program's own."""
    return Markup(_BRACKET.sub(r"<em>\g<0></em>", str(escape(words))))  # noqa: S704  escaped


def _untitled(markdown: str) -> str:
    """An answer without the line in bold that is its title, where the page has one of its own."""
    title, _, rest = markdown.partition("\n")
    return rest if title.startswith("**") and title.endswith("**") else markdown


def _own(words: str, session: Session) -> str:
    """A summary without the name of whoever reads it in front: all on their page is about them."""
    return words.removeprefix(f"{session.asker.speaker.name}: ")


def _call(choice: Choice) -> str:
    return encode(choice.call)


def _card(box: Box, t: "Telling", session: Session) -> Markup:
    """One event in the drawing, as a link with a title. As a template, a page of them takes twice as long."""
    code, width, height = escape(box.entry.code), CARD_WIDTH, CARD_HEIGHT
    about = [escape(t.date(box.entry.time))]
    about += [t("of_topic", topic=box.topic)] if box.topic else []
    about += [t("over")] if box.over else []
    title = f"{code}: {escape(_own(box.entry.text, session))} ({', '.join(about)})"
    over = " over" if box.over else ""
    lines = "".join(f'<tspan x="14" dy="16">{escape(line)} </tspan>' for line in box.lines)
    return Markup(  # noqa: S704  numbers, and what is escaped
        f'<a href="/memories/{code}"><title>{title}</title>\n'
        f'<g class="box t{box.colour}{over}" transform="translate({box.x},{box.y})">\n'
        f'<rect width="{width}" height="{height}" rx="8"/><rect class="band" width="6" height="{height}" rx="3"/>\n'
        f'<text aria-hidden="true" y="2">{lines}</text></g></a>'
    )


class Telling:
    """Sentences, dates and times in one language, by one clock."""

    def __init__(self, language: str, zone: str = "") -> None:
        found = zone_named(zone)
        self.language = language
        self._zone: tzinfo = UTC if found is None else found
        self._words = _escaped(language)
        self.clock = "UTC" if found is None else zone

    def __call__(self, name: str, /, **values: object) -> Markup:
        """A sentence; what is put into it is text, unless it is markup of ours."""
        words = self._words[name]
        # Not `Markup.format`: that is slow, and a page has hundreds of sentences.
        filled = {key: one if isinstance(one, int | float) else escape(one) for key, one in values.items()}
        return Markup(words.format(**filled))  # noqa: S704  both were escaped

    def day(self, time: datetime) -> Markup:
        """A date."""
        return self._time(time, self.date(time))

    def date(self, time: datetime) -> str:
        """A date, as text alone."""
        return texts.day(self._local(time), self.language)

    def moment(self, time: datetime) -> Markup:
        """A date and a time of day."""
        return self._time(time, texts.moment(self._local(time), self.language))

    def hour(self, time: datetime) -> Markup:
        """A time of day."""
        return self._time(time, f"{self._local(time):%H:%M}")

    def number(self, value: float) -> str:
        """A number with one decimal."""
        return f"{value:,.1f}".translate(translating.NUMBERS.get(self.language, {}))

    def count(self, value: int) -> str:
        """A whole number."""
        return f"{value:,}".translate(translating.NUMBERS.get(self.language, {}))

    def _local(self, time: datetime) -> datetime:
        return time.astimezone(self._zone)

    def _time(self, time: datetime, shown: str) -> Markup:
        stamp = time.astimezone(UTC).isoformat(timespec="minutes")
        return Markup(f'<time datetime="{stamp}">{escape(shown)}</time>')  # noqa: S704  a time, and what is escaped

    def weekdays(self) -> list[str]:
        """The days of the week, Monday first."""
        return list(texts.weekdays(self.language))


def rendered(
    template: str,
    t: Telling,
    values: Mapping[str, object],
    *,
    session: Session | None = None,
    here: str = "",
    status: int = 200,
) -> HTMLResponse:
    """A page. The answer to the last form is shown on it, and never again. `here`: its path, where forms lead back."""
    answer = None
    if session is not None:
        answer, session.answer = session.answer, None
    known = {"t": t, "session": session, "answer": answer, "here": here, "languages": texts.SPOKEN}
    return HTMLResponse(environment().get_template(template).render(**known, **values), status)

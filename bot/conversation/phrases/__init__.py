"""What a model is shown, and what the companion says in words of ours, in seven languages: one YAML file each.

A file holds the system text, worked examples, the words around what is remembered, how days are called, and replies
for where the model's own words do not pass. Where a person's language has no file, English is used, and the system
text asks for an answer in their language all the same.
"""

import locale
import re
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict

ENGLISH = "en"
LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl")

JUST_NOW = timedelta(minutes=90)
"""What was said within this time was said "a moment ago"."""

DAYS_OF_A_WEEK = 7


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Brackets(_Part):
    """The words around what is remembered: shown to the model in brackets, before the last message."""

    remember: str
    told: str
    i_told: str
    said: str
    noted: str
    trait: str
    i_said: str
    changed: str
    never: str
    wrote: str
    about: str
    today: str
    gentle: str


class When(_Part):
    """How days are called. `weekdays` and `days` begin with Monday."""

    just_now: str
    today: str
    yesterday: str
    weekdays: tuple[str, ...]
    date: str
    dated: str
    months: tuple[str, ...]
    full: str
    days: tuple[str, ...]


class Replies(_Part):
    """What the companion says in words of ours. A tuple is gone through in turn."""

    told: str
    told_by: str
    no_more: str
    """Behind one of these two, where it is not sure that it answers."""
    know: str
    know_nothing: str
    not_told: tuple[str, ...]
    hello: str
    greeting: tuple[str, ...]
    greeting_open: str
    greeting_sad: str
    how_are_you: tuple[str, ...]
    who: str
    not_a_person: tuple[str, ...]
    sad: tuple[str, ...]
    gentle: tuple[str, ...]
    glad: tuple[str, ...]
    hard: tuple[str, ...]
    nice: tuple[str, ...]
    thanks: tuple[str, ...]
    bye: tuple[str, ...]
    night: tuple[str, ...]
    no_need: tuple[str, ...]
    """To who is sorry to have told so much."""
    corrected: str
    question: tuple[str, ...]
    opening: tuple[str, ...]
    listening: tuple[str, ...]
    beside: tuple[str, ...]
    """Where a line has a word of trouble."""
    grieving: tuple[str, ...]
    """While sad news of a moment ago is still what they talk about."""
    attending: tuple[str, ...]
    """Then, to a line that tells of nothing sad itself: "I'm eating all right."."""
    laughing: tuple[str, ...]
    excited: tuple[str, ...]
    teaser: tuple[str, ...]
    nodding: tuple[str, ...]
    private: str
    """What is kept of what they say, and how to see and erase it."""
    private_again: str
    """The same in short, where that was said in this session."""


class Hears(_Part):
    """How people say these: patterns over folded words, at whole words."""

    greeting: str
    how_are_you: str
    who: str
    thanks: str
    bye: str
    night: str
    apology: str
    """They are sorry to tell so much: "sorry, bit heavy that"."""
    know: str
    correction: str
    laughs: str
    teaser: str
    """News is announced and not yet told."""
    nods: str
    """A line that says no more than yes, no or "right"."""
    private: str
    """They ask what is kept of what they say, and who sees it."""


class Requests(_Part):
    """How people ask the companion for something: patterns over folded text, where a part of a sentence begins."""

    opening: str
    """What may stand before a request."""
    forget: tuple[str, ...]
    """A request to forget, which goes with its whole sentence."""
    ask: tuple[str, ...]
    """Any other request, which goes with its part of the sentence."""
    tells: str
    """How a part behind a request begins that tells something."""
    joins: str
    """Words that such a part may begin with where no comma stands before it."""


class Phrases(_Part):
    """One language's file."""

    system: str
    rules: str
    description: str
    channel: str
    about: str
    examples: tuple[tuple[str, str], ...]
    brackets: Brackets
    when: When
    replies: Replies
    hears: Hears
    requests: Requests
    consoles: str
    """Words of comfort, as a pattern over folded text."""
    parts: str
    """Words to somebody who takes leave, as a pattern over folded text."""
    rights: str
    """How people begin to put right what they have just said, as a pattern over folded text."""
    rearranged: str
    """How people say that something is at another time than they said, as a pattern over folded text."""
    lapsed: str
    """How people begin to say that what they told holds no more, as a pattern over folded text."""
    counting: str
    """Words of a question that wants a number."""
    own: str
    """Words by which people speak of what is theirs."""
    denying: str
    """Words of a sentence that puts another one right: "not Pixel", "I meant"."""
    mine: str
    """How somebody goes on from what another one told: "mine is white", as a pattern over folded text."""
    together: str
    """The word for being with somebody."""
    follows: str
    """How a question begins that goes on from the one before: "and his name?", as a pattern over folded text."""
    works: str
    """How people say what they are by trade, as a pattern over folded text."""
    third: str
    """How a line begins that goes on from one's own line before: "she is …", as a pattern over folded text."""
    naming: str
    """Words that only say that a name is asked for."""
    kindred: tuple[str, ...]
    """Words of one field, a line each: who asks by one of them may mean another."""

    def day(self, then: datetime, now: datetime) -> str:
        """When something was said, e.g. "yesterday", "on Monday", "on 3 May": as it stands inside a sentence."""
        days = (now.date() - then.date()).days
        if now - then < JUST_NOW:
            return self.when.just_now
        if days < 1:
            return self.when.today
        if days == 1:
            return self.when.yesterday
        if days < DAYS_OF_A_WEEK:
            return self.when.weekdays[then.weekday()]
        form = self.when.date if then.year == now.year else self.when.dated
        return form.format(day=then.day, month=self.when.months[then.month - 1], year=then.year)

    def date(self, now: datetime) -> str:
        """The whole date, e.g. "Monday 2 March 2026"."""
        when = self.when
        return when.full.format(
            weekday=when.days[now.weekday()], day=now.day, month=when.months[now.month - 1], year=now.year
        )


def spoken_here() -> str:
    """The language that this computer is set to, or English where there are no phrases for it."""
    code = (locale.getlocale()[0] or ENGLISH).partition("_")[0].lower()
    return code if code in LANGUAGES else ENGLISH


@cache
def phrases_of(language: str) -> Phrases:
    """The phrases of a language (a code such as "de"); English where there are none."""
    code = language if language in LANGUAGES else ENGLISH
    text = (files(__name__) / f"{code}.yaml").read_text("utf-8")
    return Phrases.model_validate(yaml.load(text, Loader=yaml.CSafeLoader))


@cache
def sounding(key: str, language: str) -> re.Pattern[str]:
    """What the phrases of a language have as `key`, such as "rights": a pattern over folded text, at whole words."""
    return re.compile(rf"(?<!\w)(?:{getattr(phrases_of(language), key)})(?!\w)")

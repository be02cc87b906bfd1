"""What people said here, as examples: only what they agreed to have remembered, and only while it is there.

An utterance that may be recalled is a passage; what is off the record, withheld, or of somebody who did not agree is
none. The answers are those that this companion has itself found: so a small model learns from a larger one that was in
its place, and from what people corrected. Nothing is written anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.config import Memory, Persona
from bot.conversation.prompt import PromptBuilder
from bot.domain import TOLD, Recollection, Session, Skill, Utterance
from bot.errors import BadInput, MalformedOutput
from bot.language.extractive import Topics
from bot.memory.events import labels_of, parse_summary
from bot.persona.extract import NO_TRAIT, parse_traits
from bot.prompting.skills import extractor_messages, summarizer_messages
from bot.storage.engine.database import Database
from bot.storage.shared.recall_tables import passages
from bot.storage.shared.rows import read_session
from bot.storage.shared.tables import event_sources, events, trait_sources, traits
from lab.tuning.lora_cleaning import first_sentences
from lab.tuning.lora_data import FEWEST, OWN, Draw, Example, Material


@dataclass(frozen=True, slots=True)
class Remembered:
    """A closed session as far as it may be recalled, with what was derived from it."""

    session: Session
    summary: str
    """Empty when there is none, or when it is of more than may be recalled."""
    traits: dict[int, list[str]]
    """Utterance's id → the traits that were found in it."""


async def read_own(database: Database) -> list[Remembered]:
    """All closed sessions of which anything may be recalled, oldest first. Raises StorageError."""
    kept = select(passages.c.session_id, passages.c.utterance_id).order_by(passages.c.session_id)
    async with database.reading() as connection:
        allowed: dict[int, set[int]] = {}
        for session_id, utterance_id in await connection.execute(kept):
            allowed.setdefault(session_id, set()).add(utterance_id)
        found = [await _remembered(connection, session_id, ids) for session_id, ids in allowed.items()]
    return [one for one in found if one is not None]


async def _remembered(connection: AsyncConnection, session_id: int, allowed: set[int]) -> Remembered | None:
    session = await read_session(connection, session_id)
    if session is None:
        return None
    lines = tuple(line for line in session.utterances if line.id in allowed)
    sourced = select(events.c.summary, event_sources.c.utterance_id).join(
        event_sources, event_sources.c.event_id == events.c.id
    )
    rows = (await connection.execute(sourced.where(events.c.session_id == session_id))).all()
    summary = rows[0].summary if rows and {row.utterance_id for row in rows} <= allowed else ""
    learnt: dict[int, list[str]] = {}
    of_lines = select(trait_sources.c.utterance_id, traits.c.text).join(traits, traits.c.id == trait_sources.c.trait_id)
    for line in lines:
        found = await connection.execute(of_lines.where(trait_sources.c.utterance_id == line.id).order_by(traits.c.id))
        learnt[line.id] = [row.text for row in found]
    return Remembered(Session(session.id, session.place, lines), summary, learnt)


def own_material(
    skill: Skill,
    sessions: Sequence[Remembered],
    topics: Topics,
    prompts: tuple[PromptBuilder, PromptBuilder] | None,
    draw: Draw,
) -> Material:
    """The examples of `skill`. `prompts`: those of a tuned generator and of an untuned model.

    Raises BadInput when there are too few.
    Divided by place, or by session where there are fewer than three places.
    """
    by_place = len({one.session.place.key for one in sessions}) >= FEWEST
    made: list[Example] = []
    for one in sessions:
        conversation = one.session.place.key if by_place else str(one.session.id)
        if skill is Skill.EXTRACTOR:
            made += _trait_examples(conversation, one, topics)
        elif skill is Skill.SUMMARIZER:
            made += _summary_examples(conversation, one, topics)
        elif prompts is not None:
            made += _reply_examples(conversation, one.session, prompts)
    names = {one.conversation for one in made}
    if len(names) < FEWEST:
        raise BadInput(
            f"Training needs {FEWEST} conversations with something to learn from, and {OWN} are {len(names)}. "
            "Talk on, or give a data set with --data."
        )
    rest, test = draw.divided(made, lambda one: one.conversation)
    train, dev = draw.divided(rest, lambda one: one.conversation)
    return Material(skill, OWN, tuple(train), tuple(dev), draw.to_measure(test))


def _trait_examples(conversation: str, one: Remembered, topics: Topics) -> Iterator[Example]:
    words = Persona().trait_words
    for line in one.session.utterances:
        if line.speaker.is_agent or line.message_id.startswith(TOLD) or not line.text.strip():
            continue
        answer = first_sentences(one.traits[line.id], words) if one.traits[line.id] else NO_TRAIT
        try:
            parse_traits(answer, line.text, topics, words)
        except MalformedOutput:
            continue
        yield Example(conversation, extractor_messages(line.text), (answer,), line.text)


def _summary_examples(conversation: str, one: Remembered, topics: Topics) -> Iterator[Example]:
    if not one.summary:
        return
    labels = labels_of(one.session.utterances)
    lines = [(labels[line.speaker.id], line.text) for line in one.session.utterances]
    source = "\n".join(f"{name}: {text}" for name, text in lines)
    try:
        parse_summary(one.summary, source, sorted(labels.values()), topics, Memory().summary_words)
    except MalformedOutput:
        return
    yield Example(conversation, summarizer_messages(lines), (one.summary,), source)


def _reply_examples(
    conversation: str, session: Session, prompts: tuple[PromptBuilder, PromptBuilder]
) -> Iterator[Example]:
    """The companion's replies after what was said before in the session; what it recalled then is not known."""
    lines = session.utterances
    for at in range(1, len(lines)):
        latest, reply = lines[at - 1], lines[at]
        if latest.speaker.is_agent or not reply.speaker.is_agent:
            continue
        shown, plain = (each.build(_until(session, at), latest, Recollection(), latest.time) for each in prompts)
        if shown.skill is not None:
            yield Example(conversation, shown.messages, (reply.text,), latest.text, plain.messages)


def _until(session: Session, at: int) -> Session:
    earlier: tuple[Utterance, ...] = session.utterances[:at]
    return Session(session.id, session.place, earlier)

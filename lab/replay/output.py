"""What `replay` writes: one JSON object a line for every message played, with what was recalled for its reply.

And, where somebody has check-ins on, one for every check-in that came, and one a person on why none came else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.commands.meantime import Kept, reasons
from bot.domain import Fragment, RecalledEvent, RecalledTrait, Recollection, Timeline, Utterance
from bot.texts import checkin as texts
from lab.replay.input import Malformed, ReplayLine, spell_place, spell_speaker
from lab.replay.meantime import Come, reason_counts

DIGITS = 6
"""Decimals of a score."""


@dataclass(frozen=True, slots=True)
class ReplayRecord:
    """What came of one line. `reply` is None when the bot did not answer."""

    line: ReplayLine
    reply: str | None = None
    recollection: Recollection = field(default_factory=Recollection)
    sources: Mapping[int, Utterance] = field(default_factory=dict)
    """The utterances that the memories and traits come from, by id; see `source_ids`."""
    prompt_tokens: int = 0
    ms: Mapping[str, float] = field(default_factory=dict)
    """Stage → milliseconds."""


def source_ids(recollection: Recollection) -> list[int]:
    """The ids of all utterances that what was recalled comes from, ascending, each once."""
    events = (event.sources for event in recollection.all_events)
    traits = (recalled.trait.sources for recalled in recollection.traits)
    quoted = {line.id for fragment in recollection.fragments for line in fragment.lines}
    return sorted(quoted | {id_ for sources in (*events, *traits) for id_ in sources})


def record_json(record: ReplayRecord) -> dict[str, object]:
    """The record as a JSON object. Times are ISO 8601 in UTC; places and speakers are spelt as in the input."""
    line = record.line
    return {
        "line": line.number,
        "time": line.time.isoformat(),
        "place": spell_place(line.place),
        "speaker": spell_speaker(line.speaker.id),
        "text": line.text,
        "reply": record.reply,
        "memories": [_memory(recalled, record.sources) for recalled in record.recollection.events],
        "timelines": [_timeline(timeline) for timeline in record.recollection.timelines],
        "fragments": [_fragment(fragment) for fragment in record.recollection.fragments],
        "traits": [_trait(recalled, record.sources) for recalled in record.recollection.traits],
        "prompt_tokens": record.prompt_tokens,
        "ms": {stage: round(float(milliseconds), 3) for stage, milliseconds in record.ms.items()},
    }


def malformed_json(malformed: Malformed) -> dict[str, object]:
    """A refused line as a JSON object: its number and the reason."""
    return {"line": malformed.line_number, "error": malformed.reason}


def to_line(outcome: ReplayRecord | Malformed) -> str:
    """One line of the output file, without its line end. Raises ValueError for a score that is not a number."""
    content = malformed_json(outcome) if isinstance(outcome, Malformed) else record_json(outcome)
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def checkin_json(come: Come) -> dict[str, object]:
    """A check-in that came, as a JSON object, with its scores (null for the farewell) and the lines it rests on."""
    scores = come.checkin.scores
    return {
        "speaker": spell_speaker(come.checkin.speaker_id),
        "time": come.time.isoformat(),
        "due": come.checkin.due.isoformat(),
        "farewell": come.checkin.farewell,
        "scores": {
            "importance": _score(scores.importance),
            "balance": _score(scores.balance),
            "freshness": _score(scores.freshness),
            "total": _score(scores.total),
        }
        if scores is not None
        else None,
        "background": come.background,
        "intention": come.intention,
        "text": come.text,
        "sources": [_source(line.id, line) for line in come.lines],
    }


def checkin_line(come: Come) -> str:
    """The line of the output file for a check-in, without its line end."""
    return json.dumps({"check_in": checkin_json(come)}, ensure_ascii=False, allow_nan=False)


def silence_line(speaker_id: str, silent: Kept) -> str:
    """The line of the output file that says how often nothing came, and why, without its line end."""
    content = {"no_check_in": {"speaker": spell_speaker(speaker_id), "reasons": reason_counts(silent)}}
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def checkin_words(come: Come) -> list[str]:
    """A check-in that came, for people to read: when, its scores, what it says, and what it rests on."""
    scores = come.checkin.scores
    lines = [f"{texts.at(come.time)} {come.time:%Y}, to {spell_speaker(come.checkin.speaker_id)}: {come.text}"]
    if scores is not None:
        lines.append(
            f"  importance {scores.importance:.2f}, balance {scores.balance:.2f}, freshness {scores.freshness:.2f};"
            f" total {scores.total:.2f}"
        )
    lines.append(f"  about: {come.background}")
    lines.append(f"  to: {come.intention}")
    lines += [f"  from #{line.id}, {line.time:%d.%m.%Y %H:%M}: {line.text}" for line in come.lines]
    return lines


def silence_words(speaker_id: str, silent: Kept) -> list[str]:
    """How often nothing came, and why, for people to read."""
    return [f"No check-in to {spell_speaker(speaker_id)} at other times:", *(f"  {why}" for why in reasons(silent))]


def _memory(recalled: RecalledEvent, sources: Mapping[int, Utterance]) -> dict[str, object]:
    event = recalled.event
    return {
        "id": event.id,
        "summary": event.summary,
        "score": _score(recalled.score),
        "semantic": _score(recalled.semantic),
        "topic": _score(recalled.topic),
        "decay": _score(recalled.decay),
        "time": event.time.isoformat(),
        "sources": _sources(event.sources, sources),
    }


def _timeline(timeline: Timeline) -> dict[str, object]:
    return {
        "through": timeline.through,
        "score": _score(timeline.score),
        "events": [
            {"id": event.id, "time": event.time.isoformat(), "summary": event.summary} for event in timeline.events
        ],
        "relations": [relation.value for relation in timeline.relations],
        "refined": timeline.refined,
    }


def _fragment(fragment: Fragment) -> dict[str, object]:
    return {
        "score": _score(fragment.score),
        "keys": list(fragment.keys),
        "lines": [_source(line.id, line) for line in fragment.lines],
    }


def _trait(recalled: RecalledTrait, sources: Mapping[int, Utterance]) -> dict[str, object]:
    trait = recalled.trait
    return {
        "id": trait.id,
        "speaker": spell_speaker(trait.speaker_id),
        "text": trait.text,
        "score": _score(recalled.score),
        "sources": _sources(trait.sources, sources),
    }


def _sources(ids: Sequence[int], sources: Mapping[int, Utterance]) -> list[dict[str, object]]:
    """The utterances with these ids; one that is not known keeps its id, with null for the rest."""
    return [_source(id_, sources.get(id_)) for id_ in ids]


def _source(id_: int, utterance: Utterance | None) -> dict[str, object]:
    return {
        "id": id_,
        "speaker": spell_speaker(utterance.speaker.id) if utterance else None,
        "time": utterance.time.isoformat() if utterance else None,
        "text": utterance.text if utterance else None,
    }


def _score(value: float) -> float:
    return round(float(value), DIGITS)

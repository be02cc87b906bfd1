"""What a prompt can do without, and what of it goes first where there is too little room. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bot.conversation.budget import Part
from bot.conversation.scene import Item, Memory, cut, ids_of
from bot.domain import AGENT_ID, Recollection, Session, Utterance

LONGEST_CONTEXT = 600
"""Characters of an earlier utterance that enter a prompt; the tables keep the whole."""

DROPPED_TOGETHER = 8
"""Lines that leave a prompt at once when it is full: the same number every turn would change all of it every turn."""


def steadily(
    chosen: Sequence[Part[Item]], parts: Sequence[Part[Item]], answered: Sequence[Utterance]
) -> list[Part[Item]]:
    """What was chosen, with the session's oldest lines left out by DROPPED_TOGETHER; what is `answered` stays."""
    lines = [part for part in chosen if isinstance(part.content, Utterance) and part.content not in answered]
    missing = sum(isinstance(part.content, Utterance) for part in parts) - len(lines) - len(answered)
    if missing <= 0:
        return list(chosen)
    gone = {id(part) for part in lines[: -missing % DROPPED_TOGETHER]}
    return [part for part in chosen if id(part) not in gone]


def by_relevance(recollection: Recollection) -> list[Memory]:
    """Events, timelines and fragments in one order, the best first. What a timeline tells stands in it alone."""
    told = {event.id for timeline in recollection.timelines for event in timeline.events}
    alone = [one for one in recollection.events if one.event.id not in told]
    memories: list[Memory] = [*recollection.fragments, *alone, *recollection.timelines]
    return sorted(memories, key=lambda memory: -memory.score)


def rank_parts(
    session: Session, latest: Utterance, recollection: Recollection, answered: Sequence[Utterance] = ()
) -> list[Part[Item]]:
    """Everything a prompt can do without, with its rank, each kind in the order in which it is shown.

    What is answered just now stays longest, and comes first where it is older than the session; then the last few
    utterances and the best memories. Before them go the further context, the traits of the others present and the
    agent's own.
    """
    here = ids_of(session)
    top = {line.message_id for line in answered}
    before = [line for line in answered if line.message_id not in here]
    earlier = [line for line in session.utterances if line.message_id != latest.message_id]
    parts: list[Part[Item]] = [Part(_shortened(line), 0) for line in before]
    parts += [
        Part(_shortened(line), 0 if line.message_id in top else 4 * (len(earlier) - position))
        for position, line in enumerate(earlier)
    ]
    memories = by_relevance(recollection)
    parts += [Part(memory, 6 + 10 * position) for position, memory in enumerate(memories)]
    seen: Counter[str] = Counter()
    for recalled in recollection.traits:
        speaker_id = recalled.trait.speaker_id
        first = 8 if speaker_id == latest.speaker.id else 30 if speaker_id == AGENT_ID else 40
        parts.append(Part(recalled, first + 6 * seen[speaker_id]))
        seen[speaker_id] += 1
    return parts


def _shortened(line: Utterance) -> Utterance:
    return replace(line, text=cut(line.text, LONGEST_CONTEXT))

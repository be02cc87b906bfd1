"""What answers what: reply links, as far as they may be shown in a place. Pure."""

from collections.abc import Iterator, Mapping

from bot.domain import Session, Utterance


def links_of(session: Session, links: Mapping[str, Utterance]) -> dict[str, Utterance]:
    """Message id of a line of `session` → the utterance that it answers.

    `links` holds what the store knows under the ids that the lines give (`Utterance.reply_to`): the companion's own
    replies too, which the platform knows by another id than the store. A link into another place leads nowhere: what
    was said there may not be readable here.
    """
    here = {line.message_id: line for line in session.utterances}
    stored = {line.id: line for line in session.utterances if line.id}
    found: dict[str, Utterance] = {}
    for line in session.utterances:
        answered = links.get(line.reply_to) or here.get(line.reply_to) if line.reply_to is not None else None
        if answered is None or answered.place != session.place:
            continue
        answered = stored.get(answered.id, answered)
        if answered.message_id != line.message_id:
            found[line.message_id] = answered
    return found


def answered_now(session: Session, latest: Utterance, links: Mapping[str, Utterance]) -> list[Utterance]:
    """What `latest` answers, and what its speaker answered right before it, in one burst; oldest first, each once."""
    answered = {
        links[line.message_id].message_id: links[line.message_id]
        for line in _burst(session, latest)
        if line.message_id in links
    }
    return sorted(answered.values(), key=lambda line: (line.time, line.id))


def _burst(session: Session, latest: Utterance) -> Iterator[Utterance]:
    """`latest`, and the lines of the same speaker that stand directly before it."""
    position = next((at for at, line in enumerate(session.utterances) if line.message_id == latest.message_id), None)
    if position is None:
        yield latest
        return
    for line in reversed(session.utterances[: position + 1]):
        if line.speaker.id != latest.speaker.id:
            return
        yield line

"""What is remembered, as the sentences that a model reads in brackets right before the last message.

Each says when and by whom it was said, in the language of the conversation: 'on Monday Ann told you: "I sail."'.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from bot.conversation.phrases import Phrases
from bot.conversation.scene import LONGEST_BACKGROUND, Background, Item, Scene, cut
from bot.domain import AGENT_ID, Event, Fragment, RecalledEvent, RecalledTrait, Timeline
from bot.language.lexicon import stems
from bot.language.speakers import NameRefresh, without_number
from bot.language.untrusted import as_words
from bot.memory.fragments import LONGEST_QUOTE

LINES_OF_BRIEF = 3
"""Lines of a past dialogue that a model which follows short prompts alone is shown: those that it was found by."""


def notes_of(
    items: Sequence[Item], scene: Scene, now: datetime, phrases: Phrases, *, brief: bool, answering: int = 0
) -> list[str]:
    """The notes of what was chosen for a prompt: what was said, oldest first, then traits, then why we wrote first.

    `brief`: of past dialogues a few of people's own lines alone; of why we wrote, their own words alone, and nothing
    where what we wrote says them itself. `answering`: the id of the utterance that answers a question; 0: none does.
    """
    quoted = [_shorter(item, answering) if brief and isinstance(item, Fragment) else item for item in items]
    dated = [*_quotes(quoted, scene, now, phrases), *_events(items, scene, now, phrases)]
    notes = [text for _, text in sorted(dated, key=lambda one: one[0])]
    notes += _traits(items, scene, phrases)
    opened = (item for item in items if isinstance(item, Background))
    notes += [text for item in opened if (text := _opened(item, scene, now, phrases, brief=brief))]
    return list(dict.fromkeys(notes))


def told_by(speaker_id: str, scene: Scene, phrases: Phrases, when: str, words: str, name: str = "") -> str:
    """That somebody told this; `name`: of who has no label.

    In private it is "I told you" of who asks, since the note stands in their message: told of them by the name of
    their account, a small model spoke of them as of somebody else ("Robin is a carpenter").
    """
    if scene.is_asker_alone(speaker_id):
        return phrases.brackets.i_told.format(when=when, words=words)
    return phrases.brackets.told.format(when=when, who=scene.who(speaker_id) or name, words=words)


def _shorter(fragment: Fragment, answering: int) -> Fragment:
    """The fragment with the lines of people's that it was found by, and with the one that answers."""
    said = [line for line in fragment.lines if line.speaker.id != AGENT_ID]
    wanted = [key for key in (answering, *fragment.keys) if any(line.id == key for line in said)][:LINES_OF_BRIEF]
    return replace(fragment, lines=tuple(line for line in said if line.id in wanted or not wanted)[:LINES_OF_BRIEF])


def _quotes(items: Iterable[Item], scene: Scene, now: datetime, phrases: Phrases) -> Iterator[tuple[datetime, str]]:
    brackets = phrases.brackets
    for fragment in (item for item in items if isinstance(item, Fragment)):
        parts: list[str] = []
        for line in fragment.lines:
            said = as_words(cut(line.text, LONGEST_QUOTE), scene.tags)
            if line.speaker.id == AGENT_ID:
                parts += [brackets.said.format(words=said)] if parts else []
            else:
                parts.append(told_by(line.speaker.id, scene, phrases, phrases.day(line.time, now), said))
        if parts:
            yield fragment.lines[0].time, "; ".join(parts)


def _events(items: Iterable[Item], scene: Scene, now: datetime, phrases: Phrases) -> Iterator[tuple[datetime, str]]:
    told = NameRefresh(scene.labels)
    for item in items:
        if isinstance(item, RecalledEvent):
            yield item.event.time, _event(item.event, told, scene, now, phrases, changed=item.outdated)
        elif isinstance(item, Timeline) and item.refined:
            yield item.events[-1].time, as_words(item.refined)
        elif isinstance(item, Timeline):
            steps = [
                _event(event, told, scene, now, phrases, changed=event.id in item.outdated) for event in item.events
            ]
            yield item.events[-1].time, " → ".join(steps)


def _event(event: Event, told: NameRefresh, scene: Scene, now: datetime, phrases: Phrases, *, changed: bool) -> str:
    summary, when = told.tell(event), phrases.day(event.time, now)
    teller, _, said = summary.partition(": ")
    if said and teller == scene.labels[scene.latest.speaker.id]:
        text = told_by(scene.latest.speaker.id, scene, phrases, when, as_words(said))
    elif said and teller in {*scene.labels.values(), *map(without_number, scene.labels.values())}:
        text = phrases.brackets.told.format(when=when, who=teller, words=as_words(said))
    else:
        text = phrases.brackets.noted.format(when=when, words=as_words(summary))
    return f"{text} ({phrases.brackets.changed})" if changed else text


def _traits(items: Iterable[Item], scene: Scene, phrases: Phrases) -> Iterator[str]:
    traits = [item.trait for item in items if isinstance(item, RecalledTrait)]
    for key in (*scene.recent, AGENT_ID):
        own = " ".join(as_words(trait.text) for trait in traits if trait.speaker_id == key)
        if own and scene.is_asker_alone(key):
            yield phrases.brackets.i_said.format(words=own)
        elif own:
            yield phrases.brackets.trait.format(who=scene.who(key), words=own)


def _opened(background: Background, scene: Scene, now: datetime, phrases: Phrases, *, brief: bool) -> str:
    """Why the companion wrote first: the line that has most of the memory's words, the latest of several."""
    words = frozenset(stems(background.memory))
    line = max(background.lines, key=lambda one: (len(words.intersection(stems(one.text))), one.time, one.id))
    said = cut(as_words(line.text, scene.tags), LONGEST_QUOTE)
    when, name = phrases.day(line.time, now), without_number(line.speaker.name)
    why = phrases.brackets.wrote.format(told=told_by(line.speaker.id, scene, phrases, when, said, name))
    if not brief:
        memory, intention = as_words(background.memory), as_words(background.intention)
        return f"{why} {cut(memory, LONGEST_BACKGROUND)} {cut(intention, LONGEST_QUOTE)}"
    wrote = scene.session.utterances[0]
    return "" if wrote.speaker.is_agent and _tells(wrote.text, said) else why


def _tells(opening: str, said: str) -> bool:
    """Whether what we wrote first says most of the words itself."""
    told = {*stems(said)}
    return 2 * len(told.intersection(stems(opening))) > len(told)

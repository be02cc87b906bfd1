"""What a very small model's generator is trained on: to listen.

Such a model is shown no memory while people tell of themselves (`conversation/situations.py`), so nothing has to be
replayed: the prompt is the session. The data are those of Multi-Session Chat, whose crowd workers answer with lives of
their own ("I have two dogs too"), which a machine has not: such sentences are left out. Of answers to a question
nothing would be left, so only what follows a statement is learnt. Sentences about something of the other's that was not
said in this session are left out too: they would teach to invent. What stays are reactions and questions.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bot.conversation.prompt import PromptBuilder
from bot.domain import AGENT_ID, Place, PlaceKind, Recollection, Session, Skill, Speaker, Utterance
from bot.errors import BadInput
from bot.language.grounding import stem
from lab.datasets.msc import Dialogue, read_dialogues
from lab.replay.datasets import TURN_GAP
from lab.replay.input import PLATFORM
from lab.tuning.lora_cleaning import NAMES, sentences_of, tidied
from lab.tuning.lora_data import MSC_LISTENING, Draw, Example, Material

SESSIONS = (2, 3)
SHORTEST, LONGEST = 5, 30
"""Words of an answer that is learnt."""
CONTEXT = 4
"""Turns before the one that is answered, at most."""
WHEN = datetime(2024, 1, 1, 12, tzinfo=UTC)

_FIRST_PERSON = re.compile(r"\b(?:i|i'?m|i'?ve|i'?d|i'?ll|my|mine|me|we|we'?re|we'?ve|us|our)\b", re.IGNORECASE)
_OF_A_LIFE = re.compile(
    r"\b(?:my|mine|we|our|us|i(?:'?m| am) (?:a|an|from|in|on|at|going|planning|trying|thinking|\w+ic)"
    r"|i (?:love|like|enjoy|hate|need|want|have|had|work|live|own|went|got|did|do|was|used|play|eat|drink|just|also"
    r"|usually|always|never|could|should|may|will|can|really|hope to|haven'?t|don'?t)|i'?ll|i'?ve"
    r"|(?<!tell )(?<!let )me)\b",
    re.IGNORECASE,
)
_OF_A_LISTENER = re.compile(
    r"^(?:(?:oh|wow|well|yes|yeah|ok|okay|hi|hello|hey|aw+|ah|haha|thanks|no|that's \w+|great|nice)[,!. ]+)*"
    r"(?:i(?:'m| am) (?:so |very |really |just )?(?:sorry|glad|happy|sure|proud of you|impressed|curious)"
    r"|i (?:hope|see|understand|agree|bet|wonder|wish you|guess|think|hear you|know what you mean|know how you feel)"
    r"|i (?:can(?:'t|not)? imagine|can't wait to hear)|i(?:'d| would) love to (?:hear|know)"
    r"|tell me|let me know|sounds|that (?:sounds|is|must))\b",
    re.IGNORECASE,
)


_OF_THE_OTHER = re.compile(r"\byour (?:own |new |old |favou?rite |next |last |first )*(\w+)", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_ANYBODYS = frozenset(
    "day days time week weekend night evening morning plan plans life way best mind future luck health feelings mood "
    "thoughts self opinion experience favorite favourite own new next family friends part area place home".split()
)
"""What everybody has."""


def heard_only(text: str, context: str) -> str:
    """The sentences that tell nothing of the speaker's life, and of the other's only what `context` has; or none."""
    return " ".join(one for one in sentences_of(text) if not _claims(one) and not _presumes(one, context))


def _presumes(sentence: str, context: str) -> bool:
    """Whether it is about something of the other's that was not said."""
    known = {stem(word) for word in _WORD.findall(context.lower())}
    return any(word not in _ANYBODYS and stem(word) not in known for word in _OF_THE_OTHER.findall(sentence.lower()))


def _claims(sentence: str) -> bool:
    if not _FIRST_PERSON.search(sentence):
        return False
    return bool(_OF_A_LIFE.search(sentence)) or not (sentence.rstrip().endswith("?") or _OF_A_LISTENER.search(sentence))


def read_listening(data: Path, tuned: PromptBuilder, untuned: PromptBuilder, taken: Draw) -> Material:
    """MSC's turns after a statement, with the prompts that `tuned` builds. Raises BadInput.

    What is measured on are turns after a statement too, as they were said; `untuned` builds what the model is shown
    there without its adapter.
    """
    learnt = [one for told in _dialogues(data, "valid") for one in _examples(told, tuned, taken.seed)]
    train, dev = taken.divided(learnt, lambda one: one.conversation)
    test = [one for told in _dialogues(data, "test_open") for one in _examples(told, tuned, taken.seed, untuned)]
    note = (
        "Left out were answers to questions, and sentences in which people tell of themselves: the companion is a "
        "machine. What is measured on is as people said it."
    )
    return Material(Skill.GENERATOR, MSC_LISTENING, tuple(train), tuple(dev), taken.to_measure(test), note)


def _dialogues(data: Path, split: str) -> Iterator[tuple[str, Dialogue]]:
    """Each dialogue with a name of its two people, who talk in both sessions' files. Raises BadInput."""
    for number in SESSIONS:
        name = f"dialogue_session_{number}.{split}.jsonl"
        path = next((folder / name for folder in (data / "msc", data) if (folder / name).is_file()), None)
        if path is None:
            raise BadInput(f"{data} holds no {name}. Give the folder of Multi-Session Chat with --data.")
        for dialogue in read_dialogues(path):
            yield dialogue.id or f"{number}-{dialogue.line}", dialogue


def _examples(
    told: tuple[str, Dialogue], tuned: PromptBuilder, seed: int, untuned: PromptBuilder | None = None
) -> Iterator[Example]:
    """The examples that the last session makes; with `untuned` those to measure on."""
    people, dialogue = told
    turns = [" ".join(turn.text.split()) for turn in dialogue.sessions[-1].turns]
    name = random.Random(f"{seed} {people} {len(turns)}").choice(NAMES)  # noqa: S311 - no secret
    for at in range(1, len(turns)):
        if "?" in turns[at - 1]:
            continue
        before = turns[max(0, at - 1 - CONTEXT) : at]
        answer = turns[at] if untuned is not None else tidied(heard_only(turns[at], " ".join(before)))
        if untuned is None and not SHORTEST <= len(answer.split()) <= LONGEST:
            continue
        session = _session(before, name)
        latest = session.utterances[-1]
        shown = tuned.build(session, latest, Recollection(), latest.time)
        if shown.skill is None or not answer:
            continue
        plain = untuned.build(session, latest, Recollection(), latest.time).messages if untuned is not None else ()
        yield Example(people, shown.messages, (answer,), latest.text, plain)


def _session(turns: list[str], name: str) -> Session:
    """These turns, the last one the person's; from where the companion said nothing that it could have said."""
    place = Place(PLATFORM, PlaceKind.DM, "listening")
    person, agent = Speaker(f"{PLATFORM}:{name}", name), Speaker(AGENT_ID, "")
    lines: list[Utterance] = []
    for back, text in enumerate(reversed(turns)):
        own = back % 2 == 1
        said = tidied(heard_only(text, " ".join(turns[: -1 - back]))) if own else text
        if not said:
            break
        number = len(turns) - back
        lines.append(Utterance(place, f"{number}", agent if own else person, said, WHEN + number * TURN_GAP, id=number))
    if len(lines) > 1 and lines[-1].speaker.is_agent:
        lines.pop()
    return Session(1, place, tuple(reversed(lines)))

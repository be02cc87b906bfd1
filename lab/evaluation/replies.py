"""How often the checks of a reply are wrong: on what people said to each other, and on what models said.

False alarms: each turn of a conversation between people is taken as if it were the companion's reply, with all that the
other said as told. People are persons and own cats, so PERSON, LIVES and OWNS say nothing there and are left out. Of
the conversations that were written for training every reply is as good as anybody could write it (`datasets/written`).
Hits: `replies.jsonl` holds replies of small models to lines of our own, each with the faults that a reader found in it.
The part "open" was looked at while the checks were written; "kept" was read when they were done, and judges them.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bot.conversation.checking.asking import told_question
from bot.conversation.checking.faults import faults
from bot.conversation.checking.ground import Fault, Ground
from bot.errors import BadInput
from lab.datasets import dialogsum, locomo, msc
from lab.datasets.records import read_text
from lab.datasets.written import Written, read_written

WRITTEN = "written for training"
SOMEBODY, AGENT = "Ann", "Monica"
LABELLED = Path(__file__).parent / "replies.jsonl"
OF_PEOPLE = frozenset({Fault.PERSON, Fault.LIVES, Fault.OWNS})
"""Faults that people have by nature."""
TOLD_LINES = 40
"""Lines that a reply is checked against, as in a prompt."""
CARD = ("A warm companion who listens and remembers.",)
SHOWN = (
    "You are Monica, a warm companion who listens and remembers. You are a chatbot, not a person: you have no pets, "
    "family, home or job of your own.",
    "Reply in their language, in one or two short sentences, to what they just said; comfort them when it is sad, be "
    "glad with them when it is good.",
    "Lemons, how lovely! Does your aunt Rosa share them with you?",
    "You haven't told me your uncle's name yet. What is he called?",
    "I am so sorry, losing a little friend hurts. Do you want to tell me about your bird?",
)
"""Instructions and examples as a prompt has them."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A reply with what the checks found."""

    source: str
    reply: str
    ground: Ground
    found: tuple[Fault, ...]
    seconds: float
    labels: frozenset[Fault] = frozenset()
    """What a reader found; only of labelled ones."""
    kept: bool = True
    """Whether nobody looked at it while the checks were written."""


def written(every: int = 1) -> list[Checked]:
    """The replies that were written for training, checked; from a bracket on it is not known what was told.

    `every`: one conversation of so many is looked at.
    """
    return [_checked(WRITTEN, reply, ground) for one in read_written()[::every] for reply, ground in _answers(one)]


def human(data: Path, most: int) -> list[Checked]:
    """Up to `most` turns of people of each of the sets under `data`, checked. Raises BadInput when there are none."""
    sources = (
        ("msc valid", _msc(data / "msc" / "dialogue_session_3.valid.jsonl")),
        ("msc test", _msc(data / "msc" / "dialogue_session_3.test_open.jsonl")),
        ("realtalk", _chats(data / "realtalk" / "locomo")),
        ("dialogsum test", _dialogsum(data / "dialogsum" / "dialogsum.test.jsonl")),
    )
    found: list[Checked] = []
    for name, talks in sources:
        for number, (reply, ground) in enumerate(_turns(talks)):
            if number == most:
                break
            found.append(_checked(name, reply, ground))
    if not found:
        raise BadInput(f"{data} has none of the sets: msc/, realtalk/, dialogsum/.")
    return found


def labelled(path: Path = LABELLED) -> list[Checked]:
    """The replies of models with their labels, checked."""
    found: list[Checked] = []
    for line in read_text(path).splitlines():
        row = json.loads(line)
        told = tuple((who, text) for who, text in row["told"])
        people = tuple(dict.fromkeys(who for who, _ in told))
        ground = Ground(
            row["latest"],
            row["speaker"],
            people,
            AGENT,
            CARD,
            told,
            tuple(row["said"]),
            SHOWN,
            channel=len(people) > 1,
        )
        labels = frozenset(map(Fault, row["faults"]))
        found.append(_checked(row["model"], row["reply"], ground, labels, kept=row["part"] == "kept"))
    return found


def as_text(people: Iterable[Checked], models: Iterable[Checked], *, alarms: int = 0) -> str:
    """The report: base rates, false alarms and hits of each fault, times. `alarms`: how many are printed of each."""
    people, models = list(people), list(models)
    lines = ["False alarms on what people said", ""]
    for source in dict.fromkeys(one.source for one in people):
        lines += _false_alarms(source, [one for one in people if one.source == source], alarms)
    for kept, title in ((False, "looked at"), (True, "kept aside")):
        part = [one for one in models if one.kept is kept]
        lines += [
            "",
            f"Replies of models, {title}: {len(part)}, of them {sum(bool(one.labels) for one in part)} bad",
            "",
        ]
        lines += _hits(part)
    took = sorted(1000 * one.seconds for one in [*people, *models])
    lines += [
        "",
        f"CPU milliseconds a reply: median {median(took):.2f}, "
        f"99 % {took[int(0.99 * len(took))]:.2f}, max {took[-1]:.2f}",
    ]
    return "\n".join(lines)


def _false_alarms(source: str, part: list[Checked], alarms: int) -> list[str]:
    asked = sum(told_question(one.ground.latest, one.ground.people) is not None for one in part)
    lines = [f"{source}: {len(part)} replies, {asked} of them to a question about what was told"]
    left_out = frozenset() if source == WRITTEN else OF_PEOPLE
    counts = Counter(fault for one in part for fault in one.found)
    whole = sum(bool(set(one.found) - left_out) for one in part)
    for fault in Fault:
        if fault in left_out:
            continue
        lines.append(f"  {fault:13} {counts[fault]:5} {100 * counts[fault] / len(part):6.2f} %")
        shown = [one for one in part if fault in one.found][:alarms]
        lines += [f"      {one.ground.latest[-160:]!r} -> {one.reply[:160]!r}" for one in shown]
    return [*lines, f"  any           {whole:5} {100 * whole / len(part):6.2f} %"]


def _hits(part: list[Checked]) -> list[str]:
    lines = [f"  {'fault':13} {'read':>5} {'found':>5} {'both':>5} {'precision':>9} {'recall':>7}"]
    for fault in Fault:
        read = {at for at, one in enumerate(part) if fault in one.labels}
        found = {at for at, one in enumerate(part) if fault in one.found}
        lines.append(_row(fault, read, found))
    bad = {at for at, one in enumerate(part) if one.labels}
    return [*lines, _row("any", bad, {at for at, one in enumerate(part) if one.found})]


def _row(name: str, read: set[int], found: set[int]) -> str:
    both = len(read & found)
    precision = f"{100 * both / len(found):.0f} %" if found else "-"
    recall = f"{100 * both / len(read):.0f} %" if read else "-"
    return f"  {name:13} {len(read):5} {len(found):5} {both:5} {precision:>9} {recall:>7}"


def _checked(
    source: str, reply: str, ground: Ground, labels: frozenset[Fault] = frozenset(), *, kept: bool = True
) -> Checked:
    begin = time.process_time()
    found = faults(reply, ground)
    return Checked(source, reply, ground, found, time.process_time() - begin, labels, kept)


def _answers(one: Written) -> Iterator[tuple[str, Ground]]:
    told: list[tuple[str, str]] = []
    said: list[str] = []
    for lines, reply in one.turns:
        if lines.startswith("["):
            return
        named = (line.partition(": ")[::2] if one.channel else (SOMEBODY, line) for line in lines.split("\n"))
        told += [(who, text) for who, text in named if text]
        people = tuple(dict.fromkeys(who for who, _ in told))
        speaker, latest = told[-1]
        yield reply, Ground(latest, speaker, people, AGENT, CARD, tuple(told), tuple(said), SHOWN, channel=one.channel)
        said.append(reply)


Talk = list[tuple[str, str]]
"""(who, words), in order."""


def _turns(talks: Iterable[Talk]) -> Iterator[tuple[str, Ground]]:
    """Each turn after the first as a reply to the one before it."""
    for talk in talks:
        for at in range(1, len(talk)):
            (speaker, latest), (agent, reply) = talk[at - 1], talk[at]
            if speaker == agent:
                continue
            told = tuple(turn for turn in talk[:at] if turn[0] != agent)[-TOLD_LINES:]
            said = tuple(text for who, text in talk[:at] if who == agent)[-TOLD_LINES:]
            yield reply, Ground(latest, speaker, (speaker,), agent, CARD, told, said, SHOWN)


def _msc(path: Path) -> Iterator[Talk]:
    if path.exists():
        for dialogue in msc.read_dialogues(path):
            yield [(turn.speaker, turn.text) for session in dialogue.sessions for turn in session.turns]


def _chats(folder: Path) -> Iterator[Talk]:
    for path in sorted(folder.glob("*.json")):
        chat = locomo.read_conversation(path)
        for session in chat.sessions:
            yield _joined((turn.speaker, turn.text) for turn in session.turns)


def _joined(turns: Iterable[tuple[str, str]]) -> Talk:
    """Messages that one person sends in a row, as one."""
    talk: Talk = []
    for who, text in turns:
        if talk and talk[-1][0] == who:
            talk[-1] = (who, f"{talk[-1][1]}\n{text}")
        else:
            talk.append((who, text))
    return talk


def _dialogsum(path: Path) -> Iterator[Talk]:
    if path.exists():
        for dialogue in dialogsum.read_dialogues(path):
            yield [(turn.speaker, turn.text) for turn in dialogue.turns]

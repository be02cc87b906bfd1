"""What people are called: in a prompt, in a summary, and in a summary that is shown when names have changed. Pure.

Names change and are shared; ids and numbers do not. A label is the name of now, with the speaker's number where that is
wanted or needed: "Ann (3)". No name can look like another's label, hold a line break, begin like an item of a list or a
heading, or pass for the agent's.

Not covered: letters of different scripts that look alike; names that are sentences, such as "Today is Friday".
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bot.domain import AGENT_ID, Event, Speaker

LONGEST_NAME = 40
"""Characters of a display name that are shown."""

NAMELESS = "someone"
"""What the model reads in place of a name without any letter that can be seen."""

COLONS = ":：﹕︓\u02d0\u02f8\u0589\u05c3\u0703\u0704\u16ec\u1803\u1804\u1809\u205a\u2236\ua4fd\ua789\ufe30"
"""What may end a tag in front of a line, or looks as if it did; no letters (U+0903 and U+0A83 are some)."""

_FORGING = re.compile(rf"[<>,，{COLONS}]")
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_LIST_MARKS = r"\-\u2010-\u2015\u2212\ufe58\ufe63\uff0d•‣⁃∙◦·▪●○*∗＊+#＃"
_LEADING_MARKS = re.compile(rf"^[\s{_LIST_MARKS}]+")
_REVERSED_NUMBER = re.compile(r"(?<!\s)\s*(?:[)）]\s*\d+\s*[(（]\s*)+")


def label_speakers(people: Iterable[Speaker], agent_name: str, *, numbered: bool = False) -> dict[str, str]:
    """Speaker id → the label of their lines, in order of appearance; the agent first, under its bare name.

    `people` are the speakers of lines in order: somebody who was renamed has the name used last. With `numbered`,
    everybody has their number; otherwise only namesakes, and whoever has the agent's name. All labels differ, also
    where speakers have no numbers (`Speaker.number` 0): then the second of a name is "Ann (2)".
    """
    now = {person.id: person for person in people if not person.is_agent}
    names = {speaker_id: plain_name(person.name) for speaker_id, person in now.items()}
    agent = plain_name(agent_name)
    shared = Counter(folded(name) for name in (agent, *names.values()))
    labels, taken = {AGENT_ID: agent}, {folded(agent)}
    for speaker_id, name in names.items():
        number = now[speaker_id].number
        label = f"{name} ({number})" if number and (numbered or shared[folded(name)] > 1) else name
        ordinal = 2
        while folded(label) in taken:
            label, ordinal = f"{name} ({ordinal})", ordinal + 1
        labels[speaker_id] = label
        taken.add(folded(label))
    return labels


def label_absent(events: Iterable[Event], labels: Mapping[str, str], *, numbered: bool) -> dict[str, str]:
    """The labels of those whom `events` (oldest first) name and `labels` do not: as they were called last.

    Without `numbered` they have their number only where somebody else has their name too.
    """
    called_last = {key: called for event in events for key, called in event.names if key not in labels}
    return label_called(called_last, labels, numbered=numbered)


def label_called(absent: Mapping[str, str], labels: Mapping[str, str], *, numbered: bool = False) -> dict[str, str]:
    """The same from speaker id → what they were called last, of those whom `labels` has not."""
    shared = Counter(folded(without_number(label)) for label in (*labels.values(), *absent.values()))
    return {
        key: called if numbered or shared[folded(without_number(called))] > 1 else without_number(called)
        for key, called in absent.items()
    }


@dataclass(frozen=True, slots=True)
class NameRefresh:
    """Tells events in today's names. `labels`: speaker id → label, of all whom the events name."""

    labels: Mapping[str, str]
    _named: Counter[str] = field(init=False, repr=False, compare=False)
    """How many labels begin with a name."""
    _found_by: dict[tuple[tuple[str, str], ...], tuple[dict[str, str], re.Pattern[str]]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )
    """The names of an event → what its summary may call somebody, and where: mostly the same for very many events."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_named", Counter(folded(without_number(label)) for label in self.labels.values()))

    def tell(self, event: Event) -> str:
        """The summary on one line, in which those whom it names have the labels of today.

        That goes for "Name:" in front of what somebody said, and for the name as a whole word where the label of today
        says more: it was changed since, or somebody else has that name as well. A name that two people had in this
        event is left as it stands where no number tells which of them is meant.
        """
        summary = one_line(event.summary)
        if not event.names:
            return summary
        if event.names not in self._found_by:
            self._found_by[event.names] = self._forms(event)
        ids, pattern = self._found_by[event.names]

        def renamed(found: re.Match[str]) -> str:
            form, label = found[1], self.labels[ids[found[1]]]
            if found[2]:
                return label + found[2]
            name = folded(without_number(form))
            says_more = name != folded(without_number(label)) or self._named[name] > 1
            # A nickname such as "will" is a word like any other in the midst of a sentence.
            return label if says_more and not (form.isascii() and form.isalpha() and form.islower()) else form

        return pattern.sub(renamed, summary) if ids else summary

    def _forms(self, event: Event) -> tuple[dict[str, str], re.Pattern[str]]:
        """What a summary may call somebody → their id (no name that could be two people's), and what finds these."""
        shared = Counter(folded(without_number(called)) for _, called in event.names)
        forms: dict[str, str] = {}
        for key, called in event.names:
            if key in self.labels and called:
                forms[called] = key
                if shared[folded(without_number(called))] == 1:
                    forms[without_number(called)] = key
        either = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
        return forms, re.compile(rf"(?<!\w)({either})(?!\w)([{COLONS}]?)")


def plain_name(name: str) -> str:
    """A display name as it may stand in front of a line.

    One line of at most LONGEST_NAME characters, without what cannot be seen (zero-width, bidirectional and control
    characters), without what ends a tag, without marks of a list or a heading in front ("- yesterday" would look like a
    memory), and without a number in brackets at the end, which is ours to give.
    """
    line = _unnumbered(one_line(_FORGING.sub(" ", _seen(name))))
    line = _LEADING_MARKS.sub("", line)
    return _unnumbered(line[:LONGEST_NAME]).strip() or NAMELESS


def without_number(label: str) -> str:
    """The name that a label begins with: "Ann" of "Ann (3)"."""
    return _unnumbered(label) or label


def _unnumbered(name: str) -> str:
    """Without numbers in brackets at the end; they are looked for from there, which takes linear time."""
    found = _REVERSED_NUMBER.match(name[::-1])
    return name[: len(name) - found.end()] if found else name


def one_line(text: str) -> str:
    """The text without line breaks, so that nobody can forge a speaker tag."""
    return " ".join(text.split())


def folded(name: str) -> str:
    """The name in the form in which names are compared: without case, and without what cannot be seen."""
    return one_line(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", _seen(name)).casefold()))


def _seen(name: str) -> str:
    """The characters of a name that show on a screen. White space does: it becomes a space."""
    shown = (one for one in name if one.isspace() or unicodedata.category(one) not in {"Cc", "Cf", "Cs"})
    return "".join(one for one in shown if one not in _BLANK_LETTERS)

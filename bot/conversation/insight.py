"""What a turn is about: the language, the kind of reply that is due, what was told that answers it. Pure."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.config import Agent
from bot.conversation.addressing import spoken_words
from bot.conversation.answer_finder import FoundLine
from bot.conversation.checking.asking import ToldQuestion, told_question
from bot.conversation.checking.feeling import LINGERING, lingers
from bot.conversation.checking.ground import Ground
from bot.conversation.checking.language import FEWEST_WORDS, likeliest, spoken_language
from bot.conversation.checking.mood import Mood, mood_of, moved_in
from bot.conversation.checking.wordings import content, every, fold, words
from bot.conversation.following import asked_before, question_beside
from bot.conversation.notes import told_by
from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH, LANGUAGES, Phrases, phrases_of
from bot.conversation.put_right import put_right, with_later, with_reason
from bot.conversation.scene import Background, Item, Scene
from bot.conversation.situations import (
    QUESTIONS,
    Situation,
    Weighing,
    laughs,
    situation_of,
    takes_leave,
    unweighed,
    with_events,
)
from bot.conversation.told import (
    Found,
    Told,
    all_told,
    asks_of_own,
    asks_of_unheard,
    best_told,
    lacks_kind,
    told_in,
    told_now,
)
from bot.domain import Fragment, RecalledEvent, RecalledTrait, Recollection, Timeline, Utterance
from bot.language.lexicon import stems
from bot.language.patterns import Patterns
from bot.language.untrusted import as_words

_NAME = re.compile(r"(?<=[\w,] )[A-ZÀ-Þ][^\W\d_]{2,}")

_READ = Patterns.beside(__file__)
_CALLED = {code: frozenset(names.split()) for code, names in _READ.named("called")}
_WHO = _READ.exact("who")
_BETTER = _READ["better"]
_OTHER_SUBJECT = _READ["other_subject"]
_OPEN = frozenset({Situation.QUESTION, Situation.TALK})
_WEIGHED = frozenset({Situation.TALK, Situation.HARD, Situation.NICE})
"""What may turn out to be grave."""
_ASKED = frozenset({Situation.ASK, Situation.KNOW})
_ANSWERED = _ASKED | {Situation.CORRECTION}
"""What is answered as it is, also where something in it sounds like danger."""

RECENT_LINES = 8
"""Lines of somebody that tell in which language they write, where the last one does not."""


SHOWN_WORDS = range(2, 25)
"""How many words such a line may have: "lol" tells nothing, and a long one takes the room of all else."""
SHOWN_LINES = 3
"""Lines of somebody in a channel that are shown where nothing answers what they ask of themselves."""


@dataclass(frozen=True, slots=True)
class Insight:
    """What was found out about a turn before the model is asked."""

    known: Known
    phrases: Phrases
    description: str
    """Who the companion is, in the language of the phrases where the owner left that as it was."""
    note: str
    """What answers the question, where it was said in this session; empty: it asks for nothing, or nothing does.

    In a channel where nothing answers what somebody asks of themselves, what they said last."""
    noted: tuple[int, ...]
    """The ids of the utterances that `note` is of; none where there is no note."""
    never: bool
    """Whether they ask for something that they surely never told."""
    question: ToldQuestion | None = None
    """What they ask of what was told; None: nothing."""
    grave: bool = False
    """Whether something grave is in what was just said, or is still what they talk about."""
    hint: Found | None = None
    """What may answer where no rule found anything, by a net or put right: a model that can tell is shown it."""


def insight_into(
    scene: Scene,
    recollection: Recollection,
    card: Agent,
    now: datetime,
    *,
    gentle: bool = False,
    weigh: Weighing = unweighed,
    by_net: FoundLine | None = None,
    certain: bool = True,
) -> Insight:
    """What `scene.latest` is about, with what was recalled for it. `gentle`: it may be a sign of danger.

    `weigh`: hears what is grave in a line beside the lists of moods. `by_net`: the line that answers it, where a net
    found one (`answer_finder.py`). Not `certain`: it is a hint alone, to a model that can tell whether it does.
    """
    session, latest = scene.session, scene.latest
    people = {line.speaker.id: line.speaker.name for line in session.utterances if not line.speaker.is_agent}
    own = [line.text for line in session.utterances if line.speaker.id == latest.speaker.id]
    language = _language(latest.text, own[-RECENT_LINES:])
    phrases, names = phrases_of(language_wanted(card.language) or language), {**scene.labels, **people}
    heard = all_told(session, latest, recollection, card.name)
    told = put_right([*heard, told_now(latest)], language)[:-1]
    corrects = told != put_right(heard, language)
    situation = _situation(scene, [*names.values(), *_names_in(told)], language, corrects=corrects, gentle=gentle)
    spoken = spoken_words(latest.text, card.name)
    question = _question(spoken, names.values()) if situation is Situation.ASK else None
    if situation in _OPEN:
        asked = asked_before(session, latest, tuple(names.values()))
        question = question_beside(spoken, asked, told, latest.speaker.id, language)
        if question is None and by_net is not None and certain:
            question = _question(spoken, names.values())
        situation = situation if question is None else Situation.ASK
    found = _found(question, told, latest.speaker.id, language, by_net if certain else None)
    may_answer = found is None and (situation in QUESTIONS or (by_net is not None and situation is Situation.TALK))
    hint = _hint(question or _question(spoken, ()), told, latest.speaker.id, language, by_net) if may_answer else None
    situation = Situation.QUESTION if hint is not None and situation is Situation.TALK else situation
    lately = _since_turned(own if own[-1:] == [latest.text] else [*own, latest.text])
    sad = _is_sad(lately, situation, weigh)
    told_as, situation = situation, _weighed(situation, latest.text, weigh, sad=sad)
    spoke = tuple(line.text for line in session.utterances if line.speaker.is_agent)
    events = with_events(recollection).events if not spoke and situation is Situation.GREETING else ()
    known = Known(
        situation=situation,
        latest=latest.text,
        asker=latest.speaker.id,
        names=scene.labels,
        found=found,
        told=told,
        open_event=events[0].event if events else None,
        said=spoke,
        language=language,
        sad=sad,
        sorrow=situation is Situation.QUESTION and _told_sad(lately[:-1][-LINGERING:], weigh),
    )
    shown = _shown(found or hint, known, question if scene.channel and told_question(spoken, names.values()) else None)
    answered = found or latest.quoting or (hint and hint.whole)
    never = not answered and _is_unheard(question, recollection, told, latest, language)
    noted, grave = _noted(shown, scene, phrases, now), sad or situation is not told_as
    return Insight(known, phrases, description_of(card, phrases), *noted, never, question, grave, hint)


def _situation(scene: Scene, names: Collection[str], language: str, *, corrects: bool, gentle: bool) -> Situation:
    """The situation of what was just said, before anything grave is weighed. `names`: of those who may be meant."""
    latest = scene.latest
    situation = situation_of(latest.text, names, language)
    if corrects and situation not in _ASKED:
        situation = Situation.CORRECTION
    if gentle and situation not in _ANSWERED:
        situation = Situation.WORRY
    if scene.channel and situation in _OPEN and _WHO.match(fold(latest.text)):
        situation = Situation.ASK
    return situation


def _found(
    question: ToldQuestion | None, told: Sequence[Told], asker: str, language: str, by_net: FoundLine | None
) -> Found | None:
    """What answers a question, with what took it back: what has its words, else the line that a net found."""
    if question is None:
        return None
    found = best_told(question, told, asker, language)
    if (found is None or not found.whole) and (netted := _found_by_net(question, told, language, by_net)) is not None:
        return netted
    return _rounded(found, question, told, language) if found is not None else None


def _rounded(found: Found, question: ToldQuestion, told: Sequence[Told], language: str) -> Found:
    """What was found, with what took it back, or with the reason where that is asked for."""
    return with_reason(with_later(found, told, language), question.text, told)


def _found_by_net(
    question: ToldQuestion, told: Sequence[Told], language: str, by_net: FoundLine | None
) -> Found | None:
    """What the line that a net found says to a question; None: it found none, or it cannot be that one."""
    line = next((one for one in told if by_net is not None and one.utterance == by_net.utterance), None)
    if (
        by_net is None
        or line is None
        or _names_nobody(question.text, told)
        or lacks_kind(question, line.words, language)
    ):
        return None
    return _rounded(replace(told_in(line, question, language), whole=by_net.sure), question, told, language)


def _hint(
    question: ToldQuestion, told: Sequence[Told], asker: str, language: str, by_net: FoundLine | None
) -> Found | None:
    """What may answer a question: the line that a net found, or the last that was put right and has a word of it.

    What asks of somebody's own things is answered by their own words alone.
    """
    if asks_of_own(question, language):
        told = [one for one in told if one.speaker_id == asker]
    if by_net is not None:
        return _found_by_net(question, told, language, by_net)
    asked = frozenset(stems(question.text))
    mended = next((one for one in reversed(told) if one.mends and not asked.isdisjoint(stems(one.words))), None)
    return None if mended is None else replace(told_in(mended, question, language), whole=False)


def _is_unheard(
    question: ToldQuestion | None, recollection: Recollection, told: Sequence[Told], latest: Utterance, language: str
) -> bool:
    """Whether they ask of somebody of whom nobody has told a word, or by a name that nobody said."""
    if question is None:
        return False
    summed_up = recollection.events or recollection.timelines  # in other words than theirs
    unheard = not summed_up and asks_of_unheard(question, told, latest.speaker.id, language)
    return unheard or _names_nobody(question.text, told)


def _shown(found: Found | None, known: Known, question: ToldQuestion | None) -> list[Found]:
    """What answers, if it was said in this session; where nothing answers `question`, what the asker said last.

    "Which team do I support?" in a channel is answered by what is among it. None: they ask nothing of what is theirs.
    """
    language = known.language or ENGLISH
    if found is not None or question is None or not asks_of_own(question, language):
        return [found] if found is not None and found.told.fresh else []
    own = (one for one in known.told if one.speaker_id == known.asker and one.fresh)
    lines = [one for one in own if len(one.words.split()) in SHOWN_WORDS]
    return [Found(one, one.words, 0, whole=False) for one in lines[-SHOWN_LINES:]]


def _noted(shown: Sequence[Found], scene: Scene, phrases: Phrases, now: datetime) -> tuple[str, tuple[int, ...]]:
    """What may answer a question, as it stands in brackets, and the ids of its utterances."""
    notes = (
        told_by(one.told.speaker_id, scene, phrases, phrases.day(one.told.time, now), as_words(one.words, scene.tags))
        for one in shown
    )
    return "; ".join(notes), tuple(one.told.utterance for one in shown)


def _weighed(situation: Situation, text: str, weigh: Weighing, *, sad: bool) -> Situation:
    """The situation, where something grave is in the text or is still what they talk about (`sad`)."""
    grave = weigh(text) if situation in _WEIGHED and not laughs(text, None) else None
    return grave or (Situation.HARD if sad and situation is Situation.TALK else situation)


def _since_turned(own: Sequence[str]) -> Sequence[str]:
    """What somebody said since they asked to talk of something else: that, and all after it."""
    return own[max((at for at, line in enumerate(own) if _OTHER_SUBJECT.search(line)), default=0) :]


def _is_sad(own: Sequence[str], situation: Situation, weigh: Weighing) -> bool:
    """Whether something sad was told a moment ago, and nothing that is good since."""
    if lingers(own, every()):
        return True
    if situation not in _OPEN | {Situation.NICE}:
        return False
    *before, latest = own[-LINGERING:]
    if mood_of(latest) is not None or latest.rstrip().endswith("?"):
        return False
    return _told_sad(before, weigh)


def _told_sad(before: Sequence[str], weigh: Weighing) -> bool:
    """Whether one of these lines, oldest first, tells sad news, and none after it is a cheer.

    What is said to have been nice ends no sorrow: "they asked if I'd had a nice weekend. I said yes, lovely, thanks".
    """
    for line in reversed(before):
        if weigh(line) is Situation.SAD or mood_of(line) is Mood.SAD:
            return True
        if (mood_of(line) is Mood.GLAD and "!" in line) or laughs(line, None) or _BETTER.search(line):
            return False
    return False


def _language(text: str, own: Sequence[str]) -> str:
    """The language to answer in. `own`: what the same person said lately, `text` among it or not.

    A first line may be too short to tell by its small words ("tô grávida"): then it is the one in whose words it is sad
    or glad.
    """
    spoken = spoken_language(text, own)
    felt = moved_in(text) if spoken is None or (len(words(text)) < FEWEST_WORDS and len(own) <= 1) else ()
    return (spoken if not felt or spoken in felt else likeliest(text, felt)) or ENGLISH


def _question(text: str, names: Collection[str]) -> ToldQuestion:
    """What they ask for of what was told; "Who brings the tent?" is such a question in a channel."""
    return told_question(text, names) or ToldQuestion(text.strip(), content(text))


def ground_of(
    insight: Insight,
    scene: Scene,
    items: Sequence[Item],
    instructions: Sequence[str],
    card: Agent,
    *,
    strict: bool = False,
) -> Ground:
    """What the reply may rest on: all words of people that the model is shown, and those of this session.

    `strict`: a small model speaks, whose manners are looked at too.
    """
    lines: list[Utterance] = [line for line in scene.session.utterances if not line.speaker.is_agent]
    told = [(line.speaker.name, line.text) for line in lines]
    if (quoting := scene.latest.quoting) is not None:
        told.append((quoting.name, quoting.text))
    for item in items:
        if isinstance(item, Utterance) and not item.speaker.is_agent:
            told.append((item.speaker.name, item.text))
        elif isinstance(item, Fragment | Background):
            told += [(line.speaker.name, line.text) for line in item.lines]
        elif isinstance(item, RecalledEvent):
            told.append(("", item.event.summary))
        elif isinstance(item, RecalledTrait):
            told.append((scene.labels.get(item.trait.speaker_id, ""), item.trait.text))
        elif isinstance(item, Timeline):
            told += [("", event.summary) for event in item.events]
    latest = scene.latest
    return Ground(
        latest=latest.text,
        speaker=latest.speaker.name,
        people=tuple(dict.fromkeys([latest.speaker.name, *(line.speaker.name for line in lines)])),
        agent=card.name,
        card=(card.description, *card.traits),
        told=tuple(dict.fromkeys([*told, (latest.speaker.name, latest.text)])),
        said=tuple(insight.known.said),
        instructions=tuple(instructions),
        channel=scene.channel,
        strict=strict,
        leaving=takes_leave(latest.text, insight.known.language),
        asked=insight.question,
        grave=insight.grave,
    )


def _names_nobody(question: str, told: Sequence[Told]) -> bool:
    """Whether a question is about somebody by a name that nobody said."""
    said = frozenset(word for one in told for word in words(f"{one.who} {one.words}"))
    asked = (fold(name) for name in _NAME.findall(question) if not name.isupper())
    return any(name not in said and name.removesuffix("s") not in said for name in asked)


def _names_in(told: Sequence[Told]) -> frozenset[str]:
    """Capitalised words inside what people told: names that can be asked about ("my friend Ottilie")."""
    return frozenset(name for one in told for name in _NAME.findall(one.words))


def language_wanted(language: str) -> str | None:
    """The code of the language that the owner set; None: people's own, or one that has no phrases."""
    return next((code for code in LANGUAGES if language.casefold() in {code, *_CALLED[code]}), None)


def description_of(card: Agent, phrases: Phrases) -> str:
    """Who the companion is: in the language of the phrases where the owner left that as it was."""
    return phrases.description if card.description == Agent.model_fields["card"].default else card.description

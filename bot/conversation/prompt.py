"""The response prompt inside one token budget: chat turns, or LD-Agent's blocks (D.3).

Chat turns are what models are trained on: a short system text, worked examples, the session's turns, and what is
remembered in brackets right before the last message. What stays the same from turn to turn comes first, so that a
prefix cache reads only what is new; lines that no longer fit go several at a time, for the same reason. The examples
are in the language of the conversation (`phrases/`). LD-Agent's labelled blocks stay as a setting
(`prompt.form: blocks`) for its evaluation: shown them, a 1.5B model answered worse than through plain turns.

Models of up to some 3B parameters follow short prompts only. They are shown the few memories that help with what was
just said (`situations.py`), and are told when nothing answers a question. Very small ones (under 1B) are not asked at
all where words of ours serve better (`own_words.py`).

In channels the blocks tag every line with its speaker's name and number, and say what it answers: "Ann (3), answering
Bob (7): …". Chat turns have bare names, with a number only where two people share one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from bot import texts
from bot.config import Agent
from bot.config import Prompt as PromptSettings
from bot.conversation.answer_finder import FoundLine
from bot.conversation.budget import Part, fit, shorten
from bot.conversation.chat_turns import ChatTurns, example_turns, system_text
from bot.conversation.checking.ground import Ground
from bot.conversation.echoing import Echoing, echoing_of
from bot.conversation.expecting import ANYTHING, Expectation, expectation_of, knowing
from bot.conversation.fixed_answers import fixed_answer
from bot.conversation.insight import Insight, description_of, ground_of, insight_into, language_wanted
from bot.conversation.meeting import Reunion, greeting_again, welcome_of
from bot.conversation.own_words import Known, hint_quoted, own_reply, resting_on
from bot.conversation.phrases import ENGLISH, phrases_of
from bot.conversation.ranking import rank_parts, steadily
from bot.conversation.recollected import of_recent, touched, untold, used_of
from bot.conversation.scene import Background, Item, Scene, Shown, speakers_in
from bot.conversation.situations import TAKEN_UP, Situation, Weighing, listens, nods, only_best, unweighed
from bot.conversation.wishing import wish_for
from bot.domain import (
    ChatMessage,
    Fragment,
    Recollection,
    Role,
    Session,
    Skill,
    Utterance,
)
from bot.ports import ChatModel
from bot.prompting.asking import tuned
from bot.prompting.templates import render

NO_LINKS: Mapping[str, Utterance] = MappingProxyType({})

LINES_AFTER_OPENING = 4
"""Lines of a session up to which a model that follows short prompts alone is shown what it was opened with."""

BRIEF_TOKENS = 3000
"""Models that follow no longer prompts than this well (up to some 3B parameters) are shown the best memories alone."""

FEW_EXAMPLES = 6
"""Examples for a very small model: its prompts have no room for more."""

BACKGROUND_SHARE = 0.25
"""Share of the room that what the session was opened with may take; where it takes more, it is left out."""

BACKGROUND_RANK = 5
"""It is dropped after the best memory and before the line that was said last."""

LATEST_SHARE = 0.5
"""Share of the room that what was just said may take, so that memories, traits and context keep the rest."""

NOTES: Mapping[Situation, int] = {Situation.ASK: 2, Situation.KNOW: 4, Situation.GREETING: 1}
"""Memories that a model which follows short prompts alone is shown in a situation; in others one that is relevant."""

OURS = frozenset(Situation) - {Situation.TALK}
"""Where a very small model is not asked: our own words serve better, and its answers to questions are made up."""

OURS_OF_BRIEF = frozenset({Situation.KNOW, Situation.PRIVATE, Situation.TEASER, Situation.WHO, Situation.WORRY})
"""Where a model is not asked that follows short prompts alone: it speaks untruly of what is kept and of what it is
("You told me about your father, but nothing else"), guesses at news to come, and says its instructions to somebody who
may be in danger."""

OURS_IN = frozenset({"de", "fr", "it", "nl", "pt"})
"""Languages in which such a model's talk was worse than our own words when read; in them it answers questions."""

TAUGHT_IN = frozenset({"en"})
"""Languages of the conversations that the shipped adapter learnt from; in others the model is asked as an untuned one
is."""

TAUGHT = TAKEN_UP | {
    Situation.BYE,
    Situation.THANKS,
    Situation.HOW_ARE_YOU,
    Situation.WHO,
    Situation.PERSON,
    Situation.QUESTION,
}
"""What the adapter answers in these languages: all but what rests on memories."""

_Messages = Callable[[Sequence[Item], str], tuple[ChatMessage, ...]]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model is shown. `used` is what of the recollection had room."""

    messages: tuple[ChatMessage, ...]
    tokens: int
    used: Recollection
    labels: tuple[str, ...]
    """What may stand in front of a line, the agent's name first, then those who spoke last: never of a reply's line."""
    lines: tuple[int, ...] = ()
    """Ids of the utterances whose words it holds."""
    skill: Skill | None = None
    """What the model was tuned for that this prompt is of."""
    ground: Ground | None = None
    """What the reply may rest on; None: it is not checked (the blocks, as in the paper)."""
    spare: str = ""
    """A reply in our words, for where the model's do not pass."""
    expects: Expectation = ANYTHING
    """What the reply has to have."""
    shared: int = 0
    """How many of the first messages are the same in every conversation."""
    ours: bool = False
    """Whether `spare` is the reply, and the model is not asked."""
    once: bool = False
    """Whether `spare` takes the place of a first answer that does not pass."""
    echoing: Echoing | None = None
    """What of the line may be said again instead of `spare`; None: nothing."""
    only_of: Callable[[Collection[str]], tuple[tuple[ChatMessage, ...], int]] = lambda _ids: ((), 0)
    """Ids of speakers → the messages without the memories in which others spoke, and how many these are."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What prompts begin with, for a model that reads it ahead (`reading_ahead.py`)."""

    messages: tuple[ChatMessage, ...]
    shared: int = 0
    """See `Prompt.shared`."""
    skill: Skill | None = None
    """See `Prompt.skill`."""


@dataclass(kw_only=True, eq=False, repr=False)
class PromptBuilder:
    """Packs a turn into a prompt for one model. `weigh`: hears what is grave beside the lists of moods."""

    model: ChatModel
    card: Agent
    settings: PromptSettings
    reply_tokens: int
    weigh: Weighing = unweighed

    def __post_init__(self) -> None:
        described, shrink = self.model.description, self.settings.shrink_for_small_models
        self._blocks = self.settings.form == "blocks"
        self.small = shrink and not described.follows_instructions
        self.brief = shrink and described.comfortable_tokens <= BRIEF_TOKENS
        self._tuned = tuned(self.model, Skill.GENERATOR)
        self._counted = (0, 0)

    def build(
        self,
        session: Session,
        latest: Utterance,
        recollection: Recollection,
        now: datetime,
        links: Mapping[str, Utterance] = NO_LINKS,
        background: Background | None = None,
        limit: int | None = None,
        *,
        reunion: Reunion | None = None,
        gentle: bool = False,
        found_in: FoundLine | None = None,
    ) -> Prompt:
        """The prompt for a reply to `latest`, an utterance of `session`, at the time `now`.

        `links`: message ids that the session's utterances reply to (`Utterance.reply_to`) → the utterances they are.
        What `latest` answers is shown even when it is older than the session, and is left out last. `background`: why
        the companion opened the session, left out where there is little room. `limit`: tokens that it may have, where
        that is less than is set. `reunion`: what a greeting after a while is answered with, unless a large model
        speaks. `gentle`: what was said may be a sign of danger. `found_in`: the line that answers it, where a net
        found one. A model that was tuned as generator is shown no examples where that adapter answers.
        """
        scene = Scene.of(session, latest, recollection, links, self.card.name, numbered=self._blocks)
        recollection = of_recent(recollection, scene.recent)
        insight = self._insight(scene, recollection, now, gentle, found_in)
        skill = self._skill_for(insight.known, latest)
        shown = self._chosen(insight, recollection, session, taught=skill is not None and not self.small)
        if self.brief and not self._blocks and len(session.utterances) > LINES_AFTER_OPENING:
            background = None
        if self.small and skill is not None:
            shown, background = Recollection(), None  # not shown, and what it is made of is no source of the reply
        turns = self._turns(insight, scene, now, tuned=skill is not None)

        def messages(items: Sequence[Item], text: str) -> tuple[ChatMessage, ...]:
            return self._block_messages(Shown.of(items, text, scene, now)) if self._blocks else turns.of(items, text)

        taught = skill is not None and not self.small
        items, text = self._fitted(messages, scene, shown, background, limit)
        whole = messages(items, text)
        tokens = self._tokens_of(whole)

        def only_of(ids: Collection[str]) -> tuple[tuple[ChatMessage, ...], int]:
            own = [item for item in items if speakers_in(item) <= {*ids}]
            return (messages(own, text) if len(own) < len(items) else whole), len(items) - len(own)

        fitted = Prompt(whole, tokens, used_of(items), scene.tags, _lines_of(latest, items), skill, only_of=only_of)
        if self._blocks:
            return fitted
        lines = tuple(dict.fromkeys((*fitted.lines, *insight.noted)))
        ground = ground_of(insight, scene, items, turns.instructions, self.card, strict=self.brief)
        expected = replace(fitted, lines=lines, shared=turns.shared, ground=ground)
        again = reunion if self.brief else None
        return self._with_our_words(expected, insight, again, taught, now, kept=not latest.off_record)

    def _insight(
        self, scene: Scene, recollection: Recollection, now: datetime, gentle: bool, found_in: FoundLine | None
    ) -> Insight:
        """What the turn is about. A line that a net found is a hint to a model that can tell whether it answers."""
        by_net = found_in if found_in is not None and (found_in.sure or not self.small) else None
        insight = insight_into(
            scene, recollection, self.card, now, gentle=gentle, weigh=self.weigh, by_net=by_net, certain=self.small
        )
        if self.brief and insight.known.language == ENGLISH:  # `reunion` knows what is open; a mere event is seldom
            insight = replace(insight, known=replace(insight.known, open_event=None))
        return insight

    def _with_our_words(
        self, prompt: Prompt, insight: Insight, reunion: Reunion | None, taught: bool, now: datetime, *, kept: bool
    ) -> Prompt:
        """The prompt with what we say where the model's words do not pass, and what they have to be."""
        if reunion is not None:
            again = (line.id for line in reunion.lines)
            prompt = replace(prompt, lines=tuple(dict.fromkeys((*prompt.lines, *again))))
        known = resting_on(insight.known, prompt.lines, prompt.used)
        answer = self._answer(known, reunion, kept=kept) if self.brief else ""
        fitting = answer or welcome_of(insight.known) or wish_for(known, now)
        hint = insight.hint
        hint = hint if hint and self.brief and (hint.whole or hint.told.mends) and hint.told in known.told else None
        phrases = insight.phrases
        own = hint_quoted(hint, known, phrases, now) if hint else own_reply(known, phrases, self.card.name, now)
        expected = self._expected(known, insight, taught, fitting)
        return replace(
            prompt,
            spare=fitting or own,
            expects=knowing(expected, known) if hint and hint.whole else expected,
            ours=bool(answer) or self._says_itself(insight, taught),
            once=self.brief and not taught and insight.known.situation in TAKEN_UP,
            echoing=echoing_of(insight.known) if self.brief and taught and not fitting else None,
        )

    def _answer(self, known: Known, reunion: Reunion | None, *, kept: bool) -> str:
        """What is said in words of ours whatever a small model would say; empty where nothing is."""
        if reunion is not None:
            wanted = language_wanted(self.card.language) or reunion.language
            return greeting_again(known.latest, reunion, phrases_of(wanted))
        return fixed_answer(known, kept=kept)

    def _skill_for(self, known: Known, latest: Utterance) -> Skill | None:
        """What the reply is of. What was told is asked of the model itself, with its examples."""
        if self._blocks:
            return self._tuned
        if self.small:
            return self._tuned if known.situation is Situation.TALK and listens(latest.text) else None
        taught = known.situation in TAUGHT or (known.situation is Situation.GREETING and known.open_event is None)
        return self._tuned if known.language in TAUGHT_IN and taught else None

    def _turns(self, insight: Insight, scene: Scene, now: datetime, *, tuned: bool) -> ChatTurns:
        return ChatTurns(
            card=self.card,
            insight=insight,
            scene=scene,
            now=now,
            examples=0 if tuned else FEW_EXAMPLES if self.small else None,
            dated=not self.small,
            brief=self.brief,
            taught=tuned and not self.small,
        )

    def _says_itself(self, insight: Insight, taught: bool) -> bool:
        """Whether words of ours are the reply."""
        known, situation = insight.known, insight.known.situation
        if (self.small and situation in OURS) or (self.brief and (insight.never or situation in OURS_OF_BRIEF)):
            return True
        untaught = self.small and self._tuned is None  # its own talk was worse than ours in any language
        alone = not taught and (untaught or known.language in OURS_IN)
        return (alone or nods(known.latest, known.language)) and self.brief and situation in TAKEN_UP

    def _expected(self, known: Known, insight: Insight, taught: bool, fitting: str) -> Expectation:
        """What the reply has to have. `fitting`: words of ours that the line calls for; empty: there are none."""
        if not self.brief:
            return ANYTHING
        expected = expectation_of(known, insight.phrases, never=insight.never, taught=taught)
        return replace(expected, stated=0.0) if fitting else expected

    def beginnings(self, language: str) -> tuple[Beginning, ...]:
        """What every DM's prompt begins with in a language (a code); empty where reading it ahead gains nothing."""
        if self._blocks or self.small:
            return ()
        phrases = phrases_of(language)

        def system(*, rules: bool) -> ChatMessage:
            about = description_of(self.card, phrases)
            return ChatMessage(Role.SYSTEM, system_text(phrases, self.card, about, channel=False, rules=rules))

        messages = (system(rules=True), *example_turns(phrases.examples, channel=False))
        tuned = () if self._tuned is None else (Beginning((system(rules=False),), skill=self._tuned),)
        return (Beginning(messages, shared=len(messages)), *(tuned if language in TAUGHT_IN else ()))

    def next_beginnings(
        self, session: Session, reply: Utterance, now: datetime, links: Mapping[str, Utterance] = NO_LINKS
    ) -> tuple[Beginning, ...]:
        """What the next prompt of a session begins with, after `reply`; empty where reading it ahead gains nothing.

        With the adapter first, which most of the talk is of, then without it.
        """
        if self._blocks or self.small:
            return ()
        asker = next(line for line in reversed(session.utterances) if not line.speaker.is_agent)
        latest = replace(asker, message_id=f"after {reply.message_id}", reply_to=None, quoting=None)
        session = replace(session, utterances=(*session.utterances, reply))
        scene = Scene.of(session, latest, Recollection(), links, self.card.name, numbered=False)
        insight = insight_into(scene, Recollection(), self.card, now)
        taught = self._tuned is not None and insight.known.language in TAUGHT_IN
        found = []
        for skill in (self._tuned, None) if taught else (None,):
            turns = self._turns(insight, scene, now, tuned=skill is not None)
            items, _ = self._fitted(turns.of, scene, Recollection(), None, None)
            found.append(Beginning(turns.of(items, "")[:-1], shared=turns.shared, skill=skill))
        return tuple(found)

    def _tokens_of(self, messages: tuple[ChatMessage, ...]) -> int:
        """The tokens of a prompt. Those of the one that was counted last are known: filling in the template is slow."""
        key = hash(messages)  # and not its words, which may be erased
        if self._counted[0] != key:
            self._counted = key, self.model.count_tokens(messages)
        return self._counted[1]

    def _room(self, limit: int | None) -> int:
        """The tokens that a prompt may have now: a server may have said that it takes less than was thought."""
        described = self.model.description
        shrink = self.settings.shrink_for_small_models
        comfortable = described.comfortable_tokens if shrink else described.context_tokens
        room = min(self.settings.max_tokens, comfortable, described.context_tokens - self.reply_tokens)
        return min(room, limit or room)

    def _fitted(
        self, messages: _Messages, scene: Scene, shown: Recollection, background: Background | None, limit: int | None
    ) -> tuple[list[Item], str]:
        """What has room, and what was just said, which is cut before all else gives way to it."""
        room, text = self._room(limit), scene.latest.text

        def count(chosen: Sequence[Part[Item]], text: str) -> int:
            return self._tokens_of(messages([part.content for part in chosen], text))

        parts = rank_parts(scene.session, scene.latest, shown, scene.answered)
        if background is None and count(parts, text) <= LATEST_SHARE * room:  # as most often: nothing has to give way
            return [part.content for part in parts], text
        if count((), text) > LATEST_SHARE * room:
            bare = count((), "")
            text = shorten(text, bare + LATEST_SHARE * (room - bare), lambda shorter: count((), shorter))
        behind: list[Part[Item]] = [Part(background, BACKGROUND_RANK)] if background is not None else []
        if behind and count(behind, "") - (bare := count((), "")) > BACKGROUND_SHARE * (room - bare):
            behind = []
        parts = [*parts, *behind]
        chosen = steadily(fit(parts, room, lambda some: count(some, text)), parts, scene.answered)
        return [part.content for part in chosen], text

    def _chosen(self, insight: Insight, recollection: Recollection, session: Session, *, taught: bool) -> Recollection:
        """What of the recollection the model can use."""
        if not self.brief or self._blocks:
            return recollection
        known = insight.known
        if taught and known.situation is not Situation.QUESTION:
            recollection = touched(recollection, known.latest)
        told = known.found.told if known.found is not None else None
        return only_best(
            untold(recollection, session),
            NOTES.get(known.situation, 1),
            told,
            events=known.situation is Situation.GREETING,
        )

    def _block_messages(self, shown: Shown) -> tuple[ChatMessage, ...]:
        system = render("reply_system", agent=self.card, shown=shown)
        asked = render("reply", agent=self.card, shown=shown, no_memory=texts.NO_MEMORY)
        return ChatMessage(Role.SYSTEM, system), ChatMessage(Role.USER, asked)


def _lines_of(latest: Utterance, shown: Sequence[Item]) -> tuple[int, ...]:
    """Ids of the utterances whose words are shown, those of past dialogues and of the background too."""
    said = [item.id for item in shown if isinstance(item, Utterance)]
    behind = [line.id for item in shown if isinstance(item, Fragment | Background) for line in item.lines]
    return tuple(dict.fromkeys([latest.id, *said, *behind]))

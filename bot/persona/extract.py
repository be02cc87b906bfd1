"""The persona extractor: one utterance → traits of its speaker, or none (LD-Agent §2.3, prompt D.2)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from pydantic import Field

from bot.config import Persona
from bot.domain import TOLD, ChatMessage, GenerationRequest, Priority, Skill, Utterance
from bot.errors import MalformedOutput
from bot.language.extractive import Topics, traits, word_count
from bot.language.grounding import invented
from bot.language.languages import is_english
from bot.language.lexicon import question_stems
from bot.persona.own import is_of_another
from bot.ports import ChatModel, Encoder, TopicExtractor, TraitGate
from bot.prompting.asking import Form, ask, trusted, tuned
from bot.prompting.skills import extractor_messages
from bot.prompting.templates import turns

NO_TRAIT = "NO_TRAIT"
TOKENS_A_WORD = 2
SURE = 0.85
"""The gate's probability from which a statement in people's own words is stored beside a very small model's answer, and
instead of the answer of any model that finds nothing."""
COVERED = 1 / 3
"""Share of a statement's words from which it counts as said already, unless it has a new name or number."""
LONGEST_SAID = 2000
"""Characters of an utterance that the model is shown: a longer one would not fit into the prompt of a small model."""

MOST_TRAITS = 5
"""Traits that a model may find in one utterance."""

_ENDED = re.compile(r"[.!?。！？]\s*$")
_LABEL = re.compile(r"^\s*(?:extracted\s+)?traits?\s*:\s*", re.IGNORECASE)
_NAME_OR_NUMBER = re.compile(r"(?<=[^.!?\s] )[A-Z][\w']*|\d+")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_OF_ENGLISH = re.compile(r"\bI\b")
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|my|me|mine|we|our|us)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Extraction:
    """First-person statements, possibly none, and the model tokens they took."""

    statements: tuple[str, ...]
    tokens: int = 0


class Stated(Form):
    """What an utterance tells of its speaker."""

    traits: tuple[str, ...] = Field(max_length=MOST_TRAITS)

    def plain(self) -> str:
        """One sentence a trait, or NO_TRAIT."""
        ended = (trait if _ENDED.search(trait) else f"{trait}." for trait in self.traits if trait.strip())
        return " ".join(ended) or NO_TRAIT


@dataclass(kw_only=True, eq=False, repr=False)
class Extractor:
    """A cheap gate first; then the model, or the person's own words where the model cannot be trusted."""

    model: ChatModel | None
    gate: TraitGate
    encoder: Encoder
    topics: TopicExtractor
    persona: Persona
    deadline: timedelta
    """Of one answer of the model."""

    def __post_init__(self) -> None:
        self.model = trusted(self.model, self.persona.extractor, Skill.EXTRACTOR)

    async def extract(self, utterance: Utterance) -> Extraction:
        """The traits that `utterance` carries. Raises ModelError: try again later.

        What was told with a command is a trait as it stands. What is not English is not shown to a tuned model, which
        learnt on English.
        """
        if is_told(utterance):
            return Extraction((" ".join(utterance.text.split()),))
        likely = await self._likely(utterance.text)
        if likely < self.persona.gate_threshold:
            return Extraction(())
        tokens = 0
        if self.model is not None and (_in_english(utterance.text) or tuned(self.model, Skill.EXTRACTOR) is None):
            shown = utterance.text[:LONGEST_SAID]
            request = self._request(self.model, shown)
            answer = await ask(self.model, request, lambda text: self.parse(text, shown), "traits", Stated)
            if answer.value and not self.model.description.follows_instructions:
                return Extraction(await self._completed(answer.value, utterance.text), answer.tokens)
            # A gate that is sure is right more often than a model that finds nothing.
            if answer.value or (answer.value is not None and likely < SURE):
                return Extraction(answer.value, answer.tokens)
            tokens = answer.tokens
        return Extraction(self._own_words(utterance.text), tokens)

    async def _completed(self, told: Sequence[str], text: str) -> tuple[str, ...]:
        """`told`, with the statements of `text` in its own words that sound like traits and of which it says little.

        A very small model ends after the first thing that it finds: of a nurse with two cats it keeps the nurse. What
        a statement of their own says more fully, with a name or a number, stands for what the model said of it.
        """
        kept = list(told)
        for statement in self._own_words(text):
            words = question_stems(statement)
            known = question_stems(" ".join(kept))
            new = len(words & known) < COVERED * len(words) or _names(statement) - _names(" ".join(kept))
            if words and new and await self._likely(statement) >= SURE:
                kept = [one for one in kept if not question_stems(one) <= words]
                kept.append(statement)
        return tuple(kept)

    def _own_words(self, text: str) -> tuple[str, ...]:
        return _sentences(traits(text, self.persona.trait_words) or "")

    async def _likely(self, text: str) -> float:
        return float(self.gate.probability([text], await self.encoder.encode([text]))[0])

    def _request(self, model: ChatModel, text: str) -> GenerationRequest:
        skill = tuned(model, Skill.EXTRACTOR)
        schema = Stated.schema_for(model, skill)
        untuned = asked(text, self.persona.trait_words, json=schema is not None)
        return GenerationRequest(
            extractor_messages(text) if skill else untuned,
            max_tokens=TOKENS_A_WORD * self.persona.trait_words + 16,
            priority=Priority.BACKGROUND,
            deadline=self.deadline,
            skill=skill,
            schema=schema,
        )

    def parse(self, text: str, source: str) -> tuple[str, ...]:
        """`parse_traits` with this extractor's settings."""
        return parse_traits(text, source, self.topics.topics, self.persona.trait_words)


def is_told(utterance: Utterance) -> bool:
    """Whether it was told with a command, so that it is a trait as it stands."""
    return utterance.message_id.startswith(TOLD)


def asked(text: str, words: int, *, json: bool = False) -> tuple[ChatMessage, ...]:
    """What a model that was not tuned is shown of an utterance: the prompt of LD-Agent D.2. `json`: answered so."""
    return turns("traits", sentence=" ".join(text.split()), words=words, json=json)


def parse_traits(text: str, source: str, topics: Topics, words: int) -> tuple[str, ...]:
    """A model's answer as first-person statements of `source`, what it was shown; NO_TRAIT is none.

    Only statements of an English `source` are checked for the first person. `words`: so many at most. Raises
    MalformedOutput.
    """
    answer = _LABEL.sub("", text.strip())
    if not answer:
        raise MalformedOutput("empty")
    if NO_TRAIT in answer.upper().replace(" ", "_"):
        return ()
    statements = _sentences(answer)
    if sum(word_count(statement) for statement in statements) > words:
        raise MalformedOutput("too long")
    if is_english(source) and not all(_FIRST_PERSON.search(statement) for statement in statements):
        raise MalformedOutput("not in the first person")
    if invented(answer, source, topics):
        raise MalformedOutput("names or numbers that nobody said")
    return tuple(statement for statement in statements if not is_of_another(statement, source))


def _in_english(text: str) -> bool:
    """Whether it may be shown to a model that learnt on English. The few words of "I like owls." look Norwegian."""
    return is_english(text) or _OF_ENGLISH.search(text) is not None


def _names(text: str) -> set[str]:
    """The words of a statement that begin with a capital, but the first one, and its numbers."""
    return {word for word in _NAME_OR_NUMBER.findall(text) if not word.startswith("I'") and word != "I"}


def _sentences(text: str) -> tuple[str, ...]:
    return tuple(" ".join(found.split()) for found in _SENTENCE.findall(text) if found.strip())

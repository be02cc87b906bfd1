from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from bot.config import FusedSettings, FusedWeights
from bot.domain import AGENT_ID, Passage, Speaker
from bot.indexing.indexing import in_eight_bits
from bot.llm.scripted import ScriptedEncoder
from bot.memory import fused
from bot.memory.fused import Fused, Scored, token_matches, weighted, word_weights
from bot.memory.passage_shelf import PassageShelf
from bot.memory.query import Query
from bot.ports import PassageTokens, TokenVectors
from tests.memory.test_passage_shelf import ANN, passage

BEN = Speaker("test:ben", "Ben")
BOT = Speaker(AGENT_ID, "Monica")
NOW = datetime(2024, 6, 1, tzinfo=UTC)
NOTHING = dict.fromkeys(FusedWeights.model_fields, 0.0)


class Mind:
    """A shelf with all that belongs to it, and token vectors in memory."""

    def __init__(self, said: Sequence[tuple[str, Speaker]], sessions: Sequence[int] = (), **settings: object) -> None:
        self.encoder = ScriptedEncoder()
        self.passages = [
            passage(at, sessions[at - 1] if sessions else at, text, speaker)
            for at, (text, speaker) in enumerate(said, 1)
        ]
        self.known: dict[int, PassageTokens] = {}
        self.asked: list[int] = []
        self.shelf = PassageShelf()
        self.fused = Fused(encoder=self.encoder, passages=self, settings=FusedSettings.model_validate(settings))

    async def tokens(self, ids: Sequence[int]) -> dict[int, PassageTokens]:
        self.asked += ids
        return {key: self.known[key] for key in ids if key in self.known}

    async def ask(self, text: str, speaker: Speaker = ANN) -> list[int]:
        """The numbers of what was said, the best first."""
        if not len(self.shelf):
            await self.fill(self.passages)
        scores = await self.scores(text, speaker)
        return [int(self.shelf.utterances[at]) for at in np.argsort(-scores, kind="stable")]

    async def scored(self, text: str, speaker: Speaker = ANN) -> Scored:
        vector = (await self.encoder.encode([text]))[0]
        return await self.fused.score(self.shelf, Query(text, vector, frozenset(), speaker.id, NOW))

    async def scores(self, text: str, speaker: Speaker = ANN) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        return (await self.scored(text, speaker)).likely

    async def fill(self, passages: Sequence[Passage]) -> None:
        texts = [one.utterance.text for one in passages]
        vectors, tokens = await self.encoder.encode(texts), await self.encoder.encode_tokens(texts)
        self.known |= {one.id: in_eight_bits(one.id, of) for one, of in zip(passages, tokens, strict=True)}
        self.shelf.add(passages, {one.id: vector for one, vector in zip(passages, vectors, strict=True)})


async def test_what_answers_the_question_comes_first() -> None:
    mind = Mind([("I adopted a puppy", ANN), ("The weather was mild", ANN), ("We painted the kitchen", BEN)])
    assert (await mind.ask("Who painted a kitchen?"))[0] == 3
    assert (await mind.ask("What about the puppy?"))[0] == 1


async def test_a_word_may_be_answered_by_what_was_said_beside_it() -> None:
    said = [("How is the puppy", BEN), ("She sleeps all day", ANN), ("I sleep badly", ANN), ("Oh no", BEN)]
    mind = Mind(said, sessions=[1, 1, 2, 2])
    order = await mind.ask("What did Ann say of her puppy?")
    assert order.index(2) < order.index(3)


async def test_who_is_asked_about_counts() -> None:
    mind = Mind([("I like boats", BEN), ("I like boats", ANN), ("I like boats", BOT)])
    assert (await mind.ask("Which boats does Ann like?"))[0] == 2
    assert (await mind.ask("Which boats does Ben like?"))[0] == 1
    assert (await mind.ask("Which boats do I like?", BEN))[0] == 1
    assert (await mind.ask("Which boats do I like?", ANN))[0] == 2
    assert (await mind.ask("Which boats do you like?"))[0] == 3


async def test_the_score_is_the_logistic_of_the_weighted_features() -> None:
    mind = Mind([("red", ANN), ("blue", BEN)], weights=NOTHING | {"bias": -1.0, "speaker": 3.0})
    await mind.fill(mind.passages)
    assert (await mind.scores("What of Ann?")).tolist() == pytest.approx([1 / (1 + np.exp(-2)), 1 / (1 + np.exp(1))])


async def test_only_the_candidates_are_looked_at_closely_and_come_first() -> None:
    said = [(f"I counted sheep {at}", ANN) for at in range(30)] + [("I sailed a yellow boat", ANN)]
    mind = Mind(said, candidates=10)
    await mind.fill(mind.passages)
    scores = await mind.scores("Where is the yellow boat?")
    assert scores.argmax() == 30
    assert (scores > 1e-6).sum() <= 10
    assert len(set(mind.asked)) <= 10


async def test_token_vectors_are_read_once_and_not_all_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    mind = Mind([("one boat", ANN), ("two boats", ANN)])
    await mind.fill(mind.passages)
    await mind.scores("boat")
    read = len(mind.asked)
    await mind.scores("boats")
    assert len(mind.asked) == read
    monkeypatch.setattr(fused, "CACHED_BYTES", 1)
    await mind.scores("boat")
    await mind.scores("boat")
    assert len(mind.asked) > read


async def test_without_any_vectors_the_words_still_choose_what_is_looked_at() -> None:
    said = [(f"I adopted puppy {at}", ANN) for at in range(20)] + [("We painted the kitchen", ANN)]
    mind = Mind(said, candidates=10)
    mind.shelf.add(mind.passages, {})
    assert (await mind.scores("kitchen"))[20] == pytest.approx((await mind.scores("kitchen")).max())


async def test_what_nobody_talked_of_is_less_relevant_and_so_is_what_somebody_else_said() -> None:
    mind = Mind([("I adopted a puppy", ANN), ("The weather was mild", ANN), ("We painted the kitchen", BEN)])
    await mind.fill(mind.passages)
    right = (await mind.scored("What did Ben say of the kitchen?")).relevance
    somebody_elses = (await mind.scored("What did Ann say of the kitchen?")).relevance
    nobodys = (await mind.scored("What did Ben say of volcanic rock?")).relevance
    assert right > somebody_elses
    assert right > nobodys
    assert 0 <= nobodys <= 1


async def test_nothing_is_relevant_on_an_empty_shelf() -> None:
    assert (await Mind([]).scored("Hello?")).relevance == 0.0


async def test_an_empty_shelf_has_no_scores() -> None:
    assert not len(await Mind([]).scores("Hello?"))


@pytest.mark.parametrize("text", ["", "?!", "🎉", "the of and", "x" * 5000])
async def test_any_query_is_answered(text: str) -> None:
    mind = Mind([("I adopted a puppy", ANN)])
    await mind.fill(mind.passages)
    [score] = await mind.scores(text)
    assert 0 <= score <= 1


def test_the_best_token_of_a_passage_answers_each_word() -> None:
    asked = TokenVectors(("a", "b"), np.eye(2, dtype=np.float32))
    of = PassageTokens(1, np.array([[127, 0], [64, 64]], dtype=np.int8), 1 / 127)
    empty = PassageTokens(2, np.zeros((0, 0), dtype=np.int8), 1.0)
    found = token_matches(asked, [of, None, empty, of])
    assert found.tolist() == pytest.approx(np.array([[1, 64 / 127], [0, 0], [0, 0], [1, 64 / 127]]))
    assert token_matches(TokenVectors((), np.zeros((0, 2), np.float32)), [of]).shape == (1, 0)


async def test_rare_words_weigh_more_and_the_weights_are_shares() -> None:
    mind = Mind([("a boat", ANN), ("a boat and a whale", ANN), ("a boat", ANN)])
    await mind.fill(mind.passages)
    weights = word_weights(mind.shelf, ["whale", "boat", "the", "?"])
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] > weights[1]


def test_a_weight_without_a_feature_changes_nothing() -> None:
    assert weighted({"own": np.ones(2, np.float32)}, NOTHING | {"bias": 1.0, "own": 2.0}).tolist() == [3.0, 3.0]

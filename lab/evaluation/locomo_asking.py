"""A LoCoMo conversation told to the whole core, and its questions put to one way of recalling after the other.

Both speakers are people who talk in a channel, as `lab replay` has it; each line is taken in at its own time, sessions
end, and the background work is done before the next line comes. There is no language model: summaries are people's own
words. The questions are asked by somebody else, a day after the last session.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from bot.app.app import App, open_app
from bot.app.assembly import Engines, build_recall
from bot.clock import ManualClock
from bot.config import Memory, Settings
from bot.domain import Place, Speaker, Utterance
from bot.errors import BadInput, StorageError
from bot.memory.query import Query
from bot.ports import Clock, Encoder, TopicExtractor, TraitGate
from lab.datasets.locomo import Category, Conversation, Question, read_conversation
from lab.evaluation.baselines import LIMIT, Bm25Ranker, DenseRanker, Ranker, Ranking, RememberingEncoder
from lab.evaluation.metrics import all_at, ndcg_at, recall_at, recall_within, unique
from lab.evaluation.ranked import RankedRecall
from lab.evaluation.telling import tell
from lab.replay.datasets import read_locomo
from lab.replay.input import PLATFORM, ReplayLine
from lab.silent import SilentMessenger

ASKER = Speaker("locomo:asker", "Questioner")
DEPTHS = (1, 3, 5, 10, 20)
BUDGETS = (50, 100, 200, 400)
"""Words of ranked text."""
SESSION_DEPTHS = (1, 5)
DEEP = 10
"""For all-evidence and nDCG."""
EVENT_SETTINGS = ("ld-agent", "theanine")
"""These recall events, not utterances."""
BASELINES = ("bm25", "dense")
WITHOUT = "fused without "
FUSED = "fused"
CORE_SETTINGS = (FUSED, "keynext", *EVENT_SETTINGS)
NO_PART = "bias"
"""The weight that is added to every score alike, which changes no ranking."""

FEWEST = 0.95
"""Of the lines that were told, so many can be recalled, or something has failed."""

Step = Callable[[int], None]
"""Is told how many lines were told or questions asked just now."""


@dataclass(frozen=True, slots=True)
class Score:
    """One question under one setting. `turns` and `sessions`: metric → value, empty where there is none."""

    category: int
    turns: dict[str, float] = field(default_factory=dict)
    sessions: dict[str, float] = field(default_factory=dict)
    relevant: bool | None = None
    """Whether recall says that something is relevant; None: this setting never says so."""
    ms: float | None = None
    """Milliseconds that recalling took, the encoder apart."""


@dataclass(frozen=True, slots=True)
class Told:
    """A conversation that the core knows, and all that is needed to ask about it."""

    app: App
    clock: Clock
    engines: Engines
    place: Place
    conversation: Conversation


@asynccontextmanager
async def telling(
    path: Path, settings: Settings, encoder: Encoder, topics: TopicExtractor, gate: TraitGate, step: Step
) -> AsyncIterator[Told]:
    """Tells the conversation in the file to a core in a temporary folder. Raises BadInput."""
    lines = lines_of(path)
    clock = ManualClock(lines[0].time)
    with TemporaryDirectory(prefix="hello-again-locomo-") as folder:
        async with open_app(
            settings.at_home().in_folder(Path(folder)),
            clock=clock,
            messengers={PLATFORM: SilentMessenger()},
            with_model=False,
            encoder=encoder,
            topics=topics,
            gate=gate,
        ) as app:
            await app.prepare()
            await tell(app, clock, (line.utterance for line in lines), lambda: step(1))
            await app.indexer.catch_up()
            await _check(app, lines, path)
            clock.advance(timedelta(days=1))
            engines = Engines(model=None, encoder=RememberingEncoder(encoder), topics=topics, gate=gate)
            yield Told(app, clock, engines, lines[0].place, read_conversation(path))


async def _check(app: App, lines: Sequence[ReplayLine], path: Path) -> None:
    """Figures would mean nothing where background work has failed. Raises StorageError.

    Some lines may be missing: of what sounds like danger no memories are made.
    """
    found = len(await app.stores.passages.readable_in(lines[0].place))
    if found < FEWEST * len(lines):
        raise StorageError(f"Only {found} of {len(lines)} lines of {path} can be recalled; the log says why.")


def lines_of(path: Path) -> list[ReplayLine]:
    """The turns of a conversation in which something was said. Raises BadInput when there are none."""
    lines = [line for line in read_locomo(path) if isinstance(line, ReplayLine)]
    if not lines:
        raise BadInput(f"Nobody says anything in {path}.")
    return lines


def asked_questions(conversation: Conversation) -> list[Question]:
    """The questions that count: the adversarial ones, and of the others those whose evidence is known."""
    return [one for one in conversation.questions if one.evidence or one.category is Category.ADVERSARIAL]


async def ask(told: Told, setting: str, step: Step) -> tuple[Score, ...]:
    """Puts all questions to one setting, in their order. Raises BadInput for a setting that is not known."""
    ranker = await _ranker(told, setting)
    scores = []
    for question in asked_questions(told.conversation):
        scores.append(score(question, await ranker.rank(question.question), at_turns=setting not in EVENT_SETTINGS))
        step(1)
    return tuple(scores)


def score(question: Question, ranking: Ranking, *, at_turns: bool) -> Score:
    """Compares what came up with the evidence. Of adversarial questions, only whether anything was called relevant."""
    if question.category is Category.ADVERSARIAL or not question.evidence:
        return Score(int(question.category), {}, {}, ranking.relevant, ranking.ms)
    ranked = [turn_id(utterance) for utterance in ranking.utterances]
    wanted = frozenset(question.evidence)
    turns: dict[str, float] = {}
    if at_turns:
        words = [len(utterance.text.split()) for utterance in ranking.utterances]
        turns = {f"recall@{k}": recall_at(ranked, wanted, k) for k in DEPTHS}
        turns |= {f"all@{DEEP}": all_at(ranked, wanted, DEEP), f"ndcg@{DEEP}": ndcg_at(ranked, wanted, DEEP)}
        turns |= {f"words@{budget}": recall_within(ranked, words, wanted, budget) for budget in BUDGETS}
    found, sessions = unique([session_of(turn) for turn in ranked]), frozenset(session_of(turn) for turn in wanted)
    held = {f"s@{k}": recall_at(found, sessions, k) for k in SESSION_DEPTHS}
    held[f"ndcg@{DEEP}"] = ndcg_at(found, sessions, DEEP)
    return Score(int(question.category), turns, held, ranking.relevant, ranking.ms)


def turn_id(utterance: Utterance) -> str:
    """The turn of a message: D1:3 of conv-26/D1:3."""
    return utterance.message_id.rpartition("/")[2]


def session_of(turn: str) -> str:
    """The session of a turn: D1 of D1:3."""
    return turn.partition(":")[0]


def parts_of_fused(memory: Memory) -> list[str]:
    """The names of the weights that `fused` joins its parts by and that are not 0 already."""
    weights = memory.fused.weights.model_dump()
    return [name for name, weight in weights.items() if weight and name != NO_PART]


def memory_for(memory: Memory, setting: str) -> Memory:
    """The settings under which recall works as `setting` says; "fused without X": with the weight X at 0."""
    if not setting.startswith(WITHOUT):
        return memory.model_copy(update={"recall": setting})
    weights = memory.fused.weights.model_copy(update={setting.removeprefix(WITHOUT): 0.0})
    fused = memory.fused.model_copy(update={"weights": weights})
    return memory.model_copy(update={"recall": FUSED, "fused": fused})


async def _ranker(told: Told, setting: str) -> Ranker:
    if setting in BASELINES:
        stores = told.app.stores
        passages = await stores.passages.get((await stores.passages.readable_in(told.place)).tolist())
        utterances = [passage.utterance for passage in passages]
        return Bm25Ranker(utterances) if setting == "bm25" else await DenseRanker.of(utterances, told.engines.encoder)
    if setting not in CORE_SETTINGS and not setting.startswith(WITHOUT):
        known = ", ".join((*CORE_SETTINGS, *BASELINES))
        raise BadInput(f"--recall {setting} is not known. Known: {known}.")
    settings = told.app.settings
    settings = settings.model_copy(update={"memory": memory_for(settings.memory, setting)})
    recall = build_recall(RankedRecall, settings, told.clock, told.app.stores, told.engines)
    return CoreRanker(recall, told, setting)


class CoreRanker:
    """The core's own recall under one setting."""

    def __init__(self, recall: RankedRecall, told: Told, setting: str) -> None:
        self._recall = recall
        self._place = told.place
        self._utterances = told.app.stores.utterances
        self._by_events = setting in EVENT_SETTINGS
        self._judges = setting == FUSED or setting.startswith(WITHOUT)

    async def rank(self, question: str) -> Ranking:
        """What comes up. Its time is that of `Recall.recollect`, which prepares a reply, with the vectors there."""
        query = await self._recall.query(question, ASKER.id)
        found = await (self._sources(query) if self._by_events else self._turns(query))
        relevant = await self._recall.relevant(query, self._place) if self._judges else None
        start = perf_counter()
        await self._recall.recollect(query, self._place, [ASKER.id])
        return Ranking(found, relevant, (perf_counter() - start) * 1000)

    async def _turns(self, query: Query) -> tuple[Utterance, ...]:
        return tuple(await self._recall.ranked(query, self._place, LIMIT))

    async def _sources(self, query: Query) -> tuple[Utterance, ...]:
        """The utterances of the events that come up, event by event."""
        events = await self._recall.ranked_events(query, self._place, LIMIT)
        sources = unique([source for event in events for source in event.sources])
        said = {utterance.id: utterance for utterance in await self._utterances.get(sources)}
        return tuple(said[source] for source in sources if source in said)

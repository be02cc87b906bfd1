"""`lab evaluate keynext`: what the dialogue-context retriever brings where the one who asks is a speaker.

Replies of Multi-Session Chat (the last session) and of REALTALK (the last five) are foreseen by what was said in the
sessions before: the query is the last one to three utterances of the present session, and what is retrieved fills a
budget of tokens. No model generates anything, so the paper's perplexity, BLEU and distinct-n have no counterpart. It is
measured how much of what the true reply adds is in what was retrieved: its words that say something and were not said
in the session yet, and its longest common subsequence with all that was retrieved, in the order of time and in that of
similarity (the paper's Table 4). REALTALK's questions are put as by the speaker whom they do not name.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TypeAlias, get_args

import numpy as np
from rich.console import Console
from rich.progress import track

from bot.config import Settings
from bot.domain import Passage, Utterance
from bot.errors import BadInput
from bot.language.lexicon import stems
from bot.llm.embedding import load_encoder
from bot.memory.fragments import Key, Value, best_first, fill, key_scores, shown_of
from bot.memory.fused import Fused
from bot.memory.passage_shelf import PassageShelf
from bot.memory.query import Query
from bot.memory.recall import MOST_KEYS, rough_tokens
from bot.ports import Encoder, Vectors
from lab.datasets.locomo import read_conversation
from lab.evaluation.baselines import Bm25Ranker, DenseRanker, Ranker, RememberingEncoder
from lab.evaluation.metrics import Estimate, estimate, recall_at
from lab.evaluation.overlap import common_subsequence
from lab.evaluation.report import EvaluationReport, Grid, Json, show, write
from lab.evaluation.rouge import tokens
from lab.replay.datasets import read_locomo, read_msc
from lab.replay.input import ReplayLine
from lab.tuning.recall import Tokens, shelf_of

BUDGETS = (256, 1024)
"""The paper's, in tokens by the program's rough count."""
LENGTHS = (1, 2, 3)
VALUES: tuple[Value, ...] = get_args(Value)
OTHERS = ("bm25", "dense", "fused", "latest")
"""`bm25`, `dense` and `latest` show single utterances, `fused` each with the next one, whatever its threshold says."""
HELD_BACK = 5
"""Sessions of a REALTALK chat whose replies are foreseen; of Multi-Session Chat it is the last one."""
MSC_FILES = ("dialogue_session_3.valid", "dialogue_session_3.test_open")

Taken: TypeAlias = Sequence[tuple[Key, tuple[int, ...]]]
Figures: TypeAlias = dict[tuple[str, int, str], list[list[float]]]
"""(way, budget, measure) → its figures, conversation by conversation."""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for. `sample`: replies of each REALTALK chat, and dialogues of Multi-Session Chat, at most."""

    sample: int = 60
    seed: int = 0
    out: Path | None = None
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What was really said (None: evidence is looked for), after `before`, the present session so far."""

    before: tuple[Utterance, ...]
    said: Utterance | None = None
    evidence: frozenset[int] = frozenset()
    """Ids of the utterances that answer a question."""


@dataclass(frozen=True, slots=True)
class Talk:
    """The past of two speakers, as utterances with ids from 1 on, and what is to be foreseen from it."""

    past: tuple[Utterance, ...]
    replies: tuple[Reply, ...]


@dataclass(slots=True)
class Past:
    """The past of one talk, ready to be searched. `spans`: of each length the vectors of the spans by their end."""

    shelf: PassageShelf
    fused: Fused
    encoder: Encoder
    said: dict[int, Utterance]
    rankers: dict[str, Ranker]
    spans: dict[int, Vectors] = field(default_factory=dict)

    @classmethod
    async def of(cls, lines: Sequence[Utterance], encoder: Encoder, settings: Settings) -> Past:
        """Encodes what was said. `lines` have the ids 1, 2, and so on, so they are on the shelf in this order."""
        known: Tokens
        shelf, known = await shelf_of([Passage(line, line.id) for line in lines], encoder)
        fused = Fused(encoder=encoder, passages=known, settings=settings.memory.fused)
        rankers: dict[str, Ranker] = {"bm25": Bm25Ranker(lines), "dense": await DenseRanker.of(lines, encoder)}
        return cls(shelf, fused, encoder, dict(enumerate(lines)), rankers)

    async def spans_of(self, length: int) -> Vectors:
        """The vectors of the spans that end at each utterance, shape (n, dimension); shorter at a session's start."""
        if length not in self.spans:
            ends = [self.shelf.in_session_of(at, length - 1, 0).tolist() for at in range(len(self.said))]
            self.spans[length] = await self.encoder.encode([" ".join(self.said[at].text for at in one) for one in ends])
        return self.spans[length]

    async def ways(
        self, before: Sequence[Utterance], lengths: Sequence[int]
    ) -> dict[str, list[tuple[Key, tuple[int, ...]]]]:
        """Way → the keys, best first, with the positions of what is shown of each."""
        found: dict[str, list[tuple[Key, tuple[int, ...]]]] = {}
        for length in lengths:
            part = before[-length:]
            asked = (await self.encoder.encode([" ".join(line.text for line in part)]))[0]
            cosines = np.asarray(await self.spans_of(len(part)) @ asked, dtype=np.float32)
            scores = key_scores(self.shelf, cosines, len(part), before[-1].speaker.id)
            ends = best_first(scores, MOST_KEYS).tolist()
            spans = [tuple(self.shelf.in_session_of(at, len(part) - 1, 0).tolist()) for at in ends]
            keys = [Key(span, float(scores[span[-1]])) for span in spans]
            found |= {
                f"{value}, {length}": [(key, shown_of(self.shelf, key, value)) for key in keys] for value in VALUES
            }
        return found | await self._others(before)

    async def _others(self, before: Sequence[Utterance]) -> dict[str, list[tuple[Key, tuple[int, ...]]]]:
        last = before[-1]
        ranked = {name: (await one.rank(last.text)).utterances for name, one in self.rankers.items()}
        found = {name: _single([line.id - 1 for line in lines]) for name, lines in ranked.items()}
        vector = (await self.encoder.encode([last.text]))[0]
        query = Query(last.text, vector, frozenset(), last.speaker.id, last.time)
        likely = (await self.fused.score(self.shelf, query)).likely
        best = _single(best_first(likely, MOST_KEYS, 0.0).tolist())
        found["fused"] = [(key, shown_of(self.shelf, key, "keynext")) for key, _ in best]
        found["latest"] = _single(list(range(len(self.said)))[::-1])
        return found


def _single(positions: Sequence[int]) -> list[tuple[Key, tuple[int, ...]]]:
    return [(Key((at,), 0.0), (at,)) for at in positions]


async def run(settings: Settings, data: Path, options: Options, *, encoder: Encoder | None = None) -> int:
    """Measures, prints the tables and writes them. Raises BadInput. `encoder`: another than configured, for tests."""
    console = Console(highlight=False, width=140)
    sets = {"Multi-Session Chat": msc_talks(data, options), "REALTALK": realtalk_talks(data, options)}
    asked = {"REALTALK, questions": realtalk_questions(data)}
    async with AsyncExitStack() as stack:
        if encoder is None:
            loaded = await load_encoder(settings.encoder)
            stack.push_async_callback(loaded.aclose)
            encoder = loaded
        kept = RememberingEncoder(encoder)
        found = {name: await measure(talks, kept, settings, console) for name, talks in (sets | asked).items()}
    grids = tuple(_grid(name, figures, options.seed) for name, figures in found.items())
    numbers: dict[str, Json] = {
        name: {" ".join(map(str, key)): estimate(groups, options.seed).mean for key, groups in figures.items()}
        for name, figures in found.items()
    }
    lines = (f"Encoder {settings.encoder.id}; no model call.",)
    report = EvaluationReport("keynext", "Retrieving fragments for a speaker", lines, grids, (), numbers)
    show(report, console)
    for path in write(report, options.out, options.folder):
        console.print(f"Written: {path}", markup=False)
    return 0


async def measure(talks: Sequence[Talk], encoder: Encoder, settings: Settings, console: Console) -> Figures:
    """All figures of all ways on these talks."""
    found: Figures = {}
    for talk in track(talks, console=console, disable=not console.is_terminal, transient=True):
        past = await Past.of(talk.past, encoder, settings)
        of_talk: dict[tuple[str, int, str], list[float]] = {}
        for reply in talk.replies:
            for way, shown in (await past.ways(reply.before, LENGTHS if reply.said else LENGTHS[:1])).items():
                for budget in BUDGETS:
                    taken = fill(shown, past.said, budget, rough_tokens)
                    for measured, value in score(reply, taken, past.said).items():
                        of_talk.setdefault((way, budget, measured), []).append(value)
        for key, values in of_talk.items():
            found.setdefault(key, []).append(values)
    return found


def score(reply: Reply, taken: Taken, said: dict[int, Utterance]) -> dict[str, float]:
    """What of the reply is in what was taken, in [0, 1]; of a question, the share of its evidence."""
    in_order_of_keys = list(dict.fromkeys(at for _, positions in taken for at in positions))
    shown = [said[at] for at in in_order_of_keys]
    if reply.said is None:
        return {"evidence": recall_at([line.id for line in shown], reply.evidence, len(shown))}
    new = new_words(reply)
    there = {stem for line in shown for stem in _stems(line.text)}
    wanted = tokens(reply.said.text)
    orders = {"by similarity": shown, "by time": sorted(shown, key=lambda line: line.id)}
    longest = {
        name: common_subsequence([word for line in lines for word in _tokens(line.text)], wanted) / len(wanted)
        for name, lines in orders.items()
    }
    return {"words": len(new & there) / len(new)} | longest


@cache
def _stems(text: str) -> tuple[str, ...]:
    return tuple(stems(text))


@cache
def _tokens(text: str) -> tuple[str, ...]:
    return tokens(text)


def new_words(reply: Reply) -> frozenset[str]:
    """The stems of what the reply says that say something and were not said in its session before."""
    if reply.said is None:
        return frozenset()
    return frozenset(stems(reply.said.text)) - {stem for line in reply.before for stem in stems(line.text)}


def msc_talks(data: Path, options: Options) -> list[Talk]:
    """Dialogues with two sessions before the last one. Raises BadInput."""
    files = [data / "msc" / f"{name}.jsonl" for name in MSC_FILES]
    if not all(file.exists() for file in files):
        raise BadInput(f"There are no {' and '.join(MSC_FILES)} in {data / 'msc'}.")
    of_place = [list(lines) for file in files for lines in _by_place(file)]
    chosen = random.Random(options.seed).sample(of_place, min(options.sample, len(of_place)))  # noqa: S311  no secret
    return [one for lines in chosen if (one := _talk(lines, 1)).replies]


def realtalk_talks(data: Path, options: Options) -> list[Talk]:
    """The chats, with a sample of the replies of their last sessions. Raises BadInput."""
    drawn = random.Random(options.seed)  # noqa: S311  no secret
    talks = [_talk(list(_lines(read_locomo(file))), HELD_BACK) for file in _realtalk(data)]
    return [
        replace(one, replies=tuple(drawn.sample(one.replies, min(options.sample, len(one.replies))))) for one in talks
    ]


def realtalk_questions(data: Path) -> list[Talk]:
    """The chats as a whole, with their questions that have evidence. Raises BadInput."""
    found: list[Talk] = []
    for file in _realtalk(data):
        conversation, past = read_conversation(file), _numbered(list(_lines(read_locomo(file))))
        by_turn = {line.message_id.rpartition("/")[2]: line for line in past}
        replies: list[Reply] = []
        for one in conversation.questions:
            evidence = frozenset(by_turn[turn].id for turn in one.evidence if turn in by_turn)
            asker = next((line for line in past if line.speaker.name not in one.question), past[0]).speaker
            if evidence:
                replies.append(Reply((replace(past[-1], speaker=asker, text=one.question),), None, evidence))
        found.append(Talk(tuple(past), tuple(replies)))
    return found


def _realtalk(data: Path) -> list[Path]:
    files = sorted((data / "realtalk" / "locomo").glob("*.json"))
    if not files:
        raise BadInput(f"There are no chats of REALTALK in {data / 'realtalk' / 'locomo'}.")
    return files


def _lines(read: Iterator[object]) -> Iterator[Utterance]:
    return (line.utterance for line in read if isinstance(line, ReplayLine))


def _by_place(file: Path) -> Iterator[Iterator[Utterance]]:
    return (lines for _, lines in groupby(_lines(read_msc(file)), key=lambda line: line.place))


def _numbered(lines: Sequence[Utterance], gap_s: float = 3600.0) -> list[Utterance]:
    """The lines with ids from 1 on, and with sessions: one ends where nothing is said for `gap_s` seconds (β)."""
    found: list[Utterance] = []
    session = 1
    for number, line in enumerate(lines, start=1):
        session += bool(found) and (line.time - found[-1].time).total_seconds() > gap_s
        found.append(replace(line, id=number, session_id=session))
    return found


def _talk(lines: Sequence[Utterance], held_back: int) -> Talk:
    """The last `held_back` sessions as replies, and all before as the past."""
    numbered = _numbered(lines)
    first = max(numbered[-1].session_id - held_back, 0)
    late = [line for line in numbered if line.session_id > first]
    sessions = [list(some) for _, some in groupby(late, key=lambda line: line.session_id)]
    replies = [Reply(tuple(some[:at]), some[at]) for some in sessions for at in range(1, len(some))]
    past = tuple(line for line in numbered if line.session_id <= first)
    return Talk(past, tuple(one for one in replies if new_words(one)) if past else ())


def _grid(name: str, figures: Figures, seed: int) -> Grid:
    measures = list(dict.fromkeys(measured for _, _, measured in figures))
    ways = list(dict.fromkeys(way for way, _, _ in figures))
    columns = ("shown, length of query", *(f"{measured}, {budget}" for budget in BUDGETS for measured in measures))
    found = {key: estimate(groups, seed) for key, groups in figures.items()}
    rows = tuple((way, *(_cell(found[way, budget, one]) for budget in BUDGETS for one in measures)) for way in ways)
    count = next(iter(found.values())).count if found else 0
    note = f"{count:,} replies or questions. Per cent; 95 % intervals by drawing conversations."
    return Grid(name, columns, rows, note)


def _cell(found: Estimate) -> str:
    interval = "" if found.low is None or found.high is None else f" [{100 * found.low:.1f}, {100 * found.high:.1f}]"
    return f"{100 * found.mean:.1f}{interval}"

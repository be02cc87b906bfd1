"""Trains the net that finds what answers a question (`bot/conversation/answer_finder.py`).

From small chats with questions about them, written for this project in seven languages (`finding/*.txt`). A block is
one chat: lines as "Name: words", then questions as "? Name: words = answer", where the answer is the number of the line
that tells it, 0 where nobody said it, or x where nothing that was told is asked for. Sometimes lines of another chat
stand before, as recalled ones do. What people ask in the conversations that were written for the generator
(`talk/*.yaml`) is nearly always of the last kind: those that no word of recalling has are learnt as such. The figures
are of chats and conversations that the net has not seen.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from sklearn.model_selection import KFold
from torch import Tensor, nn

from bot.conversation import answer_finder
from bot.conversation.answer_finder import (
    FEATURES,
    FORMAT,
    MOST,
    SCALE,
    WEIGHTS,
    FinderNet,
    Line,
    answer_in,
    features_of,
)
from bot.conversation.situations import asks
from bot.errors import BadInput
from bot.language import weights as weights_file
from bot.ports import Encoder, Vectors
from lab.datasets.written import SHIPPED, read_written
from lab.tuning.hashed import target_of

WRITTEN = Path(__file__).parent / "finding"
NOT_TOLD, NOT_ASKED = 0, -1
"""Answers that are no line's number."""
RECALLED = 0.4
"""How often lines of another chat stand before."""
MOST_RECALLED = 8
LINES_OF_TALK = 6
"""Lines of a conversation that stand before a question in it."""
FOLDS = 3
EPOCHS, BATCH, RATE, DECAY = 10, 64, 0.004, 0.05
RANK, KIND, HIDDEN = 32, 12, 24
DROPPED, DROPPED_HIDDEN = 0.3, 0.1
ENCODED_AT_ONCE = 64

TALK, TALKER = "talk", "Ann"
_MAY_RECALL = re.compile(
    r"again|remember|remind|t[oe]ld? (?:yo)?u|did i|i (?:said|say)|nochmal|noch mal|wei[sß]+t du|erinner|gesagt|"
    r"acuerd|record|dije|rappel|souvien|disais|ricord|detto|lembr|disse|weer|nog eens|weet je|verteld|gezegd",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\n\s*\n")
_QUESTION = re.compile(r"\?\s*(?P<who>[^:]{1,40}):\s*(?P<text>.+?)\s*=\s*(?P<answer>\d{1,2}|x)")
_LINE = re.compile(r"(?P<who>[^:?]{1,40}):\s*(?P<text>.+)")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question. `answer`: the number of the line that answers, from 1; or NOT_TOLD, NOT_ASKED."""

    who: str
    text: str
    answer: int


@dataclass(frozen=True, slots=True)
class Chat:
    """One block. `lines`: who says it, and what."""

    file: str
    lines: tuple[tuple[str, str], ...]
    questions: tuple[Asked, ...]

    @property
    def english(self) -> bool:
        """Whether it is in English."""
        return self.file.startswith("en") or self.file == f"{TALK} en"


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A question with the lines that it is compared with. `right`: as the place in the net's likelihoods."""

    question: Vectors
    lines: Vectors
    told: Vectors
    right: int


@dataclass(frozen=True, slots=True)
class FindingReport:
    """What was trained. `str()` is the report for people."""

    out: Path
    chats: int
    seconds: float
    figures: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join((*self.figures, f"Trained on {self.chats} chats in {self.seconds:.0f} s; wrote {self.out}."))


async def train(
    encoder: Encoder, out: Path | None = None, seed: int = 0, folder: Path = WRITTEN, talk: Path = SHIPPED
) -> FindingReport:
    """Trains and writes the weights to `out` (None: the shipped file). Raises BadInput for chats in another form.

    `folder`: chats with questions; `talk`: conversations written for the generator.
    """
    started = time.monotonic()
    target = target_of(answer_finder.__package__, WEIGHTS, out)
    chats = [*await asyncio.to_thread(_chats_of, folder), *await asyncio.to_thread(lambda: [*talk_as_chats(talk)])]
    vectors = await _vectors(chats, encoder)
    about = {
        "encoder": encoder.fingerprint,
        "data": ["lab/tuning/finding", "lab/tuning/talk"],
        "chats": len(chats),
        "seed": seed,
        "command": f"python -m lab tune finding --seed {seed}",
        "licence": "Weights only, no text. Chats written for this project.",
    }
    figures = await asyncio.to_thread(_out_of_fold, chats, vectors, seed)
    net = await asyncio.to_thread(_fitted, chats, vectors, seed, about)
    weights_file.write(target, net.about, FORMAT, {name: one.astype(np.float16) for name, one in net.arrays.items()})
    return FindingReport(target, len(chats), time.monotonic() - started, figures)


def _out_of_fold(chats: Sequence[Chat], vectors: Mapping[str, Vectors], seed: int) -> tuple[str, ...]:
    """The figures of nets that have not seen the chats that they are asked about."""
    seen: list[tuple[Chat, Asked, int | None]] = []
    for learnt, held in KFold(FOLDS, shuffle=True, random_state=seed).split(np.zeros(len(chats))):
        net = _fitted([chats[at] for at in learnt], vectors, seed, {})
        for chat in (chats[at] for at in held):
            seen += [(chat, asked, _shown(chat, asked, net, vectors)) for asked in chat.questions]
    return tuple(
        _figures(name, [one for one in seen if one[0].english == english])
        for name, english in (("English", True), ("other languages", False))
    )


def _chats_of(folder: Path) -> list[Chat]:
    return [chat for file in sorted(folder.glob("*.txt")) for chat in read_chats(file)]


def read_chats(file: Path) -> Iterator[Chat]:
    """The blocks of a file. Raises BadInput for one that is not in the form above."""
    for number, block in enumerate(_BETWEEN.split(file.read_text(encoding="utf-8").strip()), 1):
        written = [line.strip() for line in block.splitlines() if line.strip()]
        said = [_LINE.fullmatch(line) for line in written if not line.startswith("?")]
        asked = [_QUESTION.fullmatch(line) for line in written if line.startswith("?")]
        lines = tuple((one["who"], one["text"]) for one in said if one is not None)
        questions = tuple(
            Asked(one["who"], one["text"], NOT_ASKED if one["answer"] == "x" else int(one["answer"]))
            for one in asked
            if one is not None
        )
        known = all(one.answer <= len(lines) for one in questions)
        if not (lines and questions and known) or len(lines) + len(questions) != len(written):
            raise BadInput(f"{file}: block {number} is not a chat with questions. See {__name__} for their form.")
        yield Chat(file.stem, lines, questions)


def talk_as_chats(folder: Path = SHIPPED) -> Iterator[Chat]:
    """The questions of conversations that were written for the generator, each with what was told before it."""
    for one in read_written(folder):
        if one.channel:
            continue
        told: list[tuple[str, str]] = []
        for text, _ in one.turns:
            if not asks(text):
                told.append((TALKER, text))
            elif told and not _MAY_RECALL.search(text):
                question = Asked(TALKER, text, NOT_ASKED)
                yield Chat(f"{TALK} {one.language}", tuple(told[-LINES_OF_TALK:]), (question,))


async def _vectors(chats: Sequence[Chat], encoder: Encoder) -> dict[str, Vectors]:
    said = (text for chat in chats for _, text in chat.lines)
    asked = (one.text for chat in chats for one in chat.questions)
    texts = list(dict.fromkeys([*said, *asked]))
    found: dict[str, Vectors] = {}
    for start in range(0, len(texts), ENCODED_AT_ONCE):
        part = texts[start : start + ENCODED_AT_ONCE]
        found |= dict(zip(part, await encoder.encode(part), strict=True))
    return found


def _examples(
    chat: Chat, vectors: Mapping[str, Vectors], others: Sequence[Chat] = (), drawn: random.Random | None = None
) -> Iterator[Example]:
    """One for each question; with lines of `others` before, as it is `drawn`."""
    for asked in chat.questions:
        before = _recalled(chat, others, drawn) if drawn is not None and drawn.random() < RECALLED else ()
        said = (*before, *chat.lines)[-MOST:]
        lines = [Line(who, text, who == asked.who) for who, text in said]
        question = vectors[asked.text]
        of_lines = np.stack([vectors[text] for _, text in said])
        right = {NOT_TOLD: len(said), NOT_ASKED: len(said) + 1}
        at = right.get(asked.answer, len(said) - len(chat.lines) + asked.answer - 1)
        yield Example(question, of_lines, features_of(asked.text, question, lines, of_lines), at)


def _recalled(chat: Chat, others: Sequence[Chat], drawn: random.Random) -> tuple[tuple[str, str], ...]:
    """Some lines of one of `others`; what somebody said there is said by somebody of this chat."""
    other = drawn.choice(others)
    people = sorted({who for who, _ in chat.lines})
    known: dict[str, str] = {}
    lines = other.lines[: drawn.randint(1, MOST_RECALLED)]
    return tuple((known.setdefault(who, drawn.choice(people)), text) for who, text in lines)


class _Net(nn.Module):
    """The same as `FinderNet`, to be trained."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.question = nn.Linear(dimension, RANK, bias=False)
        self.line = nn.Linear(dimension, RANK, bias=False)
        self.kind = nn.Linear(dimension, KIND)
        self.each = self._two_layers(FEATURES + 1 + KIND, 1)
        self.none = self._two_layers(FEATURES + 3 + KIND, 2)
        self.dropped = nn.Dropout(DROPPED)

    @staticmethod
    def _two_layers(wide: int, answers: int) -> nn.Sequential:
        return nn.Sequential(nn.Linear(wide, HIDDEN), nn.ReLU(), nn.Dropout(DROPPED_HIDDEN), nn.Linear(HIDDEN, answers))

    def forward(self, question: Tensor, lines: Tensor, told: Tensor, there: Tensor) -> Tensor:
        """Logits, shape (batch, n + 2). `there`: which of the n lines a question has."""
        asked = self.question(self.dropped(question))
        alike = SCALE * (self.line(self.dropped(lines)) * asked[:, None]).sum(-1, keepdim=True)
        kind = torch.tanh(self.kind(SCALE * self.dropped(question)))
        rows = torch.cat([told, alike, kind[:, None].expand(-1, told.shape[1], -1)], -1)
        scores = self.each(rows)[..., 0].masked_fill(~there, -1e4)
        total = torch.logsumexp(scores, 1, keepdim=True)
        best = torch.exp(scores.max(1, keepdim=True).values - total)
        most = [one.masked_fill(~there[..., None], -99.0).max(1).values for one in (told, alike)]
        return torch.cat([scores, self.none(torch.cat([*most, kind, total, best], -1))], 1)


def _fitted(chats: Sequence[Chat], vectors: Mapping[str, Vectors], seed: int, about: weights_file.About) -> FinderNet:
    torch.manual_seed(seed)
    drawn = random.Random(seed)  # noqa: S311 - no secret
    of_file: defaultdict[str, list[Chat]] = defaultdict(list)
    for chat in chats:
        of_file[chat.file].append(chat)
    material = [one for chat in chats for one in _examples(chat, vectors, of_file[chat.file], drawn)]
    told = np.concatenate([one.told for one in material])
    mean, spread = told.mean(axis=0), told.std(axis=0) + 1e-3
    net = _Net(len(material[0].question))
    optimiser = torch.optim.AdamW(net.parameters(), RATE, weight_decay=DECAY)
    steps = EPOCHS * -(-len(material) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
    for _ in range(EPOCHS):
        drawn.shuffle(material)
        for start in range(0, len(material), BATCH):
            *shown, right = _batch(material[start : start + BATCH], mean, spread)
            loss = nn.functional.cross_entropy(net(*shown), right)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # not annotated in torch
            optimiser.step()
            schedule.step()
    return FinderNet(about, {"mean": mean, "spread": spread} | _arrays(net))


def _batch(examples: Sequence[Example], mean: Vectors, spread: Vectors) -> tuple[Tensor, ...]:
    """The questions, lines, features, which lines there are, and what is right."""
    most = max(len(one.lines) for one in examples)
    lines = torch.zeros(len(examples), most, examples[0].lines.shape[1])
    told = torch.zeros(len(examples), most, FEATURES)
    there = torch.zeros(len(examples), most, dtype=torch.bool)
    for at, one in enumerate(examples):
        lines[at, : len(one.lines)] = torch.from_numpy(one.lines)
        told[at, : len(one.lines)] = torch.from_numpy((one.told - mean) / spread)
        there[at, : len(one.lines)] = True
    right = [one.right if one.right < len(one.lines) else one.right - len(one.lines) + most for one in examples]
    return torch.from_numpy(np.stack([one.question for one in examples])), lines, told, there, torch.tensor(right)


def _arrays(net: _Net) -> dict[str, Vectors]:
    named = {
        "question.weight": "question",
        "line.weight": "line",
        "kind.weight": "kind",
        "kind.bias": "kind_bias",
    }
    for name in ("each", "none"):
        named |= {f"{name}.0.weight": f"{name}_in", f"{name}.0.bias": f"{name}_in_bias"}
        named |= {f"{name}.3.weight": f"{name}_out", f"{name}.3.bias": f"{name}_out_bias"}
    state = net.state_dict()
    return {array: state[layer].numpy() for layer, array in named.items()}


def _shown(chat: Chat, asked: Asked, net: FinderNet, vectors: Mapping[str, Vectors]) -> int | None:
    lines = [Line(who, text, who == asked.who) for who, text in chat.lines]
    return answer_in(asked.text, net, vectors[asked.text], lines, np.stack([vectors[line.words] for line in lines]))


def _figures(name: str, seen: Sequence[tuple[Chat, Asked, int | None]]) -> str:
    """How often a line is shown, and the right one, for each kind of question. `seen`: with the place of that line."""
    told = [(asked, shown) for _, asked, shown in seen if asked.answer > 0]
    right = sum(shown == asked.answer - 1 for asked, shown in told)
    another = sum(shown is not None for _, shown in told) - right
    not_told, not_asked = (
        [shown is not None for _, asked, shown in seen if asked.answer == answer] for answer in (NOT_TOLD, NOT_ASKED)
    )
    return (
        f"{name}: of {len(told)} questions about what was told {_share(right, told)} get the right line and "
        f"{_share(another, told)} another; of {len(not_told)} about what nobody said {_share(sum(not_told), not_told)} "
        f"get one, and of {len(not_asked)} that ask something else {_share(sum(not_asked), not_asked)}."
    )


def _share(count: int, of: Sequence[object]) -> str:
    return f"{count / len(of):.1%}" if of else "none"

"""`lab evaluate traits`: what the whole extractor finds in Multi-Session Chat, beside what people wrote down.

Every utterance goes through the real `Extractor` by itself, in each arm without the gate and with it. Without, a gate
that lets everything through stands in its place.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter
from rich.console import Console

from bot.app.assembly import Engines
from bot.config import Settings
from bot.domain import Place, PlaceKind, Skill, Speaker, Utterance
from bot.persona.extract import Extractor
from bot.ports import TraitGate, Vectors
from lab.datasets.msc_persona import LabelledSession, LabelledUtterance, read_split
from lab.evaluation.heard import HeardModel
from lab.evaluation.inventions import Inventions, load_tagger
from lab.evaluation.rehearsal import load_engines
from lab.evaluation.report import progress_bar, show, write
from lab.evaluation.resuming import Pieces, fingerprint, progress_file
from lab.evaluation.structured import Outcome, Watch, chosen, each, models_of, way_of
from lab.evaluation.trait_report import Labelled, Talk, report_of
from lab.replay.input import PLATFORM

GATED = "{arm}, gate"
WHEN = datetime(2024, 1, 1, 12, tzinfo=UTC)
"""When everything is said: the extractor does not look at it."""


class OpenGate:
    """A gate that lets everything through and is sure of nothing."""

    def __init__(self, threshold: float) -> None:
        """`threshold`: the probability from which an utterance is let through."""
        self._threshold = threshold

    def probability(self, texts: Sequence[str], vectors: Vectors) -> NDArray[np.float64]:
        """The threshold for each text, shape (len(texts),)."""
        return np.full(len(texts), self._threshold)


@dataclass(frozen=True, slots=True)
class Options:
    """What `lab evaluate traits` was asked. `sample`: utterances at least; `arms`: which of them, empty: all."""

    data: Path
    sample: int
    seed: int
    split: str = "test_open"
    arms: str = ""
    json: Path | None = None
    report: Path | None = None
    together: int = 8
    """So many utterances are worked at at once."""


async def run(settings: Settings, options: Options, engines: Engines | None = None) -> int:
    """Measures, prints and writes. `engines`: others, for tests. Raises BadInput, ModelUnavailable."""
    console = Console(highlight=False, width=130)
    drawn = draw(read_split(options.data, options.split), options.sample, options.seed)
    chosen(options.arms)  # what is misspelt is said before a model is loaded
    if engines is not None:
        return await _measure(settings, options, engines, drawn, console)
    async with load_engines(settings, options.seed) as loaded:
        return await _measure(settings, options, loaded, drawn, console)


def draw(
    sessions: Sequence[LabelledSession], sample: int, seed: int
) -> dict[str, list[tuple[LabelledSession, LabelledUtterance]]]:
    """Conversations by name, drawn whole by the seed until there are at least `sample` utterances, in the data's order.

    Each with all its utterances, and the session that each is of. An utterance without a word is left out.
    """
    talks: dict[str, list[tuple[LabelledSession, LabelledUtterance]]] = {}
    for session in sessions:
        said = [(session, one) for one in session.utterances if one.text.strip()]
        talks.setdefault(session.conversation, []).extend(said)
    names = list(talks)
    random.Random(f"{seed} traits").shuffle(names)  # noqa: S311  # reproducible, no secret of anybody's
    taken, total = set[str](), 0
    for name in names:
        if total >= sample:
            break
        taken.add(name)
        total += len(talks[name])
    return {name: said for name, said in talks.items() if name in taken}


class Extracting:
    """The extractors of all arms, each without the gate and with it."""

    def __init__(
        self, settings: Settings, engines: Engines, models: Mapping[str, HeardModel | None], watch: Watch
    ) -> None:
        self._settings = settings
        self._engines = engines
        self._watch = watch
        self._models = dict(models)
        self._extractors: dict[str, tuple[HeardModel | None, Extractor]] = {}
        for arm, model in models.items():
            self._extractors[arm] = model, self._extractor(model, OpenGate(settings.persona.gate_threshold))
            self._extractors[GATED.format(arm=arm)] = model, self._extractor(model, engines.gate)

    @property
    def arms(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self._extractors)

    async def of(self, text: str, number: int) -> list[Outcome]:
        """What each arm finds in this. Raises ModelUnavailable."""
        said = Utterance(
            Place(PLATFORM, PlaceKind.DM, "speaker"),
            f"traits-{number}",
            Speaker(f"{PLATFORM}:speaker", "Speaker"),
            text,
            WHEN,
        )
        return [await self._outcome(arm, said) for arm in self._extractors]

    def forget(self) -> None:
        """Drops the model's answers so far."""
        for model in self._models.values():
            if model is not None:
                model.forget()

    async def _outcome(self, arm: str, said: Utterance) -> Outcome:
        model, extractor = self._extractors[arm]

        async def work() -> str:
            return " ".join((await extractor.extract(said)).statements)

        return await self._watch.outcome(arm, model, said.text, work)

    def _extractor(self, model: HeardModel | None, gate: TraitGate) -> Extractor:
        return Extractor(
            model=model,
            gate=gate,
            encoder=self._engines.encoder,
            topics=self._engines.topics,
            persona=self._settings.persona.model_copy(update={"extractor": way_of(model)}),
            deadline=self._settings.background.deadline,
        )


async def _measure(
    settings: Settings,
    options: Options,
    engines: Engines,
    drawn: Mapping[str, Sequence[tuple[LabelledSession, LabelledUtterance]]],
    console: Console,
) -> int:
    arms = chosen(options.arms)
    watch = Watch(Inventions(load_tagger()))
    workers = [
        Extracting(settings, engines, models_of(engines.model_for(Skill.EXTRACTOR), Skill.EXTRACTOR, arms), watch)
        for _ in range(options.together)
    ]
    names = workers[0].arms
    mark = fingerprint(
        settings,
        (),
        options.data.resolve(),
        options.split,
        options.seed,
        options.together,
        names,
        engines.encoder.fingerprint,
    )
    done: list[Talk] = []
    with (
        Pieces(progress_file(settings, "traits"), mark, TypeAdapter(Talk)) as pieces,
        progress_bar(console) as bar,
    ):
        if pieces.told:
            console.print(pieces.told, markup=False)
        task = bar.add_task("Extracting", total=sum(map(len, drawn.values())))
        for name, said in drawn.items():
            if name not in pieces:
                pieces.add(name, await _talk(workers, watch, said, lambda: bar.advance(task)))
            else:
                bar.advance(task, len(said))
            done.append(pieces[name])
        pieces.finish()
    found = report_of(done, names, options.split, options.seed, engines.model_for(Skill.EXTRACTOR), options.together)
    show(found, console)
    for path in write(found, options.json, options.report):
        console.print(f"Written: {path}", markup=False)
    return 0


async def _talk(
    workers: Sequence[Extracting],
    watch: Watch,
    said: Sequence[tuple[LabelledSession, LabelledUtterance]],
    advance: Callable[[], None],
) -> Talk:
    """What came of one conversation, whose utterances the workers divide among them."""
    labelled: dict[int, Labelled] = {}

    def working(extracting: Extracting) -> Callable[[int], Awaitable[None]]:
        async def work(at: int) -> None:
            session, one = said[at]
            outcomes = await extracting.of(one.text, at + 1)
            if one.traits:
                outcomes.append(watch.people(one.traits, one.text))
            labelled[at] = Labelled(session.session, one.text, one.traits, tuple(outcomes))
            advance()

        return work

    await each(range(len(said)), [working(extracting) for extracting in workers])
    for extracting in workers:
        extracting.forget()
    return Talk(tuple(labelled[at] for at in range(len(said))))

"""`lab evaluate summaries`: what the whole summariser makes of DialogSum's dialogues, beside what people wrote.

Each dialogue is a session of people in a channel of its own, on real stores; the real `Summariser` does its job. The
data set's "#Person1#" are given first names, in the dialogue and in the summaries: live, people have names.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter
from rich.console import Console

from bot.app.assembly import Engines
from bot.config import Settings
from bot.domain import JobKind, Place, PlaceKind, Skill, Speaker, Utterance
from bot.errors import BadInput
from bot.indexing.indexing import Indexer
from bot.memory.events import Summariser
from bot.storage.stores import Stores, open_stores
from lab.datasets.dialogsum import Dialogue, Turn, read_dialogues
from lab.evaluation.heard import HeardModel
from lab.evaluation.inventions import Inventions, load_tagger
from lab.evaluation.rehearsal import load_engines
from lab.evaluation.report import progress_bar, show, write
from lab.evaluation.resuming import Pieces, fingerprint, progress_file
from lab.evaluation.structured import Outcome, Watch, chosen, each, models_of, way_of
from lab.evaluation.summary_report import Summarised, report_of
from lab.replay.datasets import TURN_GAP
from lab.replay.input import PLATFORM

LAYOUTS = ("dialogsum/dialogsum.{split}.jsonl", "dialogsum.{split}.jsonl")
"""Where a split may lie below the data folder."""
FIRST_NAMES = (
    "Alex Robin Sam Charlie Jordan Taylor Casey Jamie Morgan Riley Avery Quinn Rowan Sasha Kim Lee Dana Pat Chris Terry"
).split()
"""Names that leave open what people say of "him" and "her"."""
WHEN = datetime(2024, 1, 1, 12, tzinfo=UTC)
LEASE = timedelta(hours=1)
NO_END = 1_000_000
"""Words after which a session would be cut: none is."""
_PERSON = re.compile(r"#(person\d+)#", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Options:
    """What `lab evaluate summaries` was asked. `sample`: dialogues; `arms`: which of them, empty: all."""

    data: Path
    sample: int
    seed: int
    split: str = "test"
    arms: str = ""
    json: Path | None = None
    report: Path | None = None
    together: int = 8
    """So many dialogues are worked at at once."""


async def run(settings: Settings, options: Options, engines: Engines | None = None) -> int:
    """Measures, prints and writes. `engines`: others, for tests. Raises BadInput, ModelUnavailable."""
    console = Console(highlight=False, width=130)
    drawn = draw(options)
    chosen(options.arms)  # what is misspelt is said before a model is loaded
    if engines is not None:
        return await _measure(settings, options, engines, drawn, console)
    async with load_engines(settings, options.seed) as loaded:
        return await _measure(settings, options, loaded, drawn, console)


def draw(options: Options) -> list[Dialogue]:
    """Dialogues drawn by the seed, in the file's order, with names for "#Person1#". Raises BadInput."""
    dialogues = list(read_dialogues(_file(options.data, options.split)))
    chance = random.Random(f"{options.seed} summaries")  # noqa: S311  # reproducible, no secret of anybody's
    taken = sorted(chance.sample(range(len(dialogues)), min(options.sample, len(dialogues))))
    return [named(dialogues[at], random.Random(f"{options.seed} {dialogues[at].id}")) for at in taken]  # noqa: S311


def named(dialogue: Dialogue, chance: random.Random) -> Dialogue:
    """The same dialogue between people with first names that do not occur in it. Raises BadInput when they run out."""
    whole = " ".join([*(f"{turn.speaker} {turn.text}" for turn in dialogue.turns), *dialogue.summaries])
    people = list(dict.fromkeys(tag.lower() for tag in _PERSON.findall(whole)))
    free = [name for name in FIRST_NAMES if not re.search(rf"\b{name}", whole, re.IGNORECASE)]
    if len(people) > len(free):
        raise BadInput(f"DialogSum's {dialogue.id} has {len(people)} people, for whom there are not enough names.")
    names = dict(zip(people, chance.sample(free, len(people)), strict=True))

    def told(text: str) -> str:
        return _PERSON.sub(lambda tag: names[tag[1].lower()], text)

    turns = tuple(Turn(told(turn.speaker), told(turn.text)) for turn in dialogue.turns)
    return replace(dialogue, turns=turns, summaries=tuple(map(told, dialogue.summaries)))


def _file(data: Path, split: str) -> Path:
    paths = [data / layout.format(split=split) for layout in LAYOUTS]
    found = next((path for path in paths if path.is_file()), None)
    if found is None:
        raise BadInput(f"There is no file {paths[0]}. Give the folder above dialogsum/ with --data.")
    return found


class Summarising:
    """Tells sessions to stores, and has the summariser of each arm."""

    def __init__(
        self,
        settings: Settings,
        stores: Stores,
        engines: Engines,
        models: Mapping[str, HeardModel | None],
        telling: asyncio.Lock,
    ) -> None:
        """`telling` is that of all who tell the same stores: whoever has it takes the job that comes of a session."""
        indexer = Indexer(
            events=stores.events,
            traits=stores.traits,
            passages=stores.passages,
            index=stores.index,
            encoder=engines.encoder,
        )
        self._stores = stores
        self._telling = telling
        self.models = dict(models)
        self._summarisers = {
            arm: Summariser(
                sessions=stores.sessions,
                events=stores.events,
                jobs=stores.jobs,
                model=model,
                topics=engines.topics,
                indexer=indexer,
                memory=settings.memory.model_copy(update={"summariser": way_of(model)}),
                deadline=settings.background.deadline,
                forget=_forget_nothing,
                hear=_unheard,
                withheld=_nothing,
                telling=str,
            )
            for arm, model in models.items()
        }

    async def outcome(self, arm: str, dialogue: Dialogue, watch: Watch) -> Outcome:
        """What this arm makes of a dialogue. Raises ModelUnavailable."""
        place = Place(PLATFORM, PlaceKind.CHANNEL, f"{dialogue.id}/{arm.replace(' ', '-')}")
        async with self._telling:
            await self._tell(place, dialogue)
            job = await self._stores.jobs.claim(WHEN, LEASE, [JobKind.SUMMARISE])
        if job is None:
            raise BadInput(f"DialogSum's {dialogue.id} makes no session.")

        async def work() -> str:
            await self._summarisers[arm].run(job)
            return " ".join(event.summary for event in await self._stores.events.readable_in(place))

        found = await watch.outcome(arm, self.models[arm], transcript(dialogue), work)
        await self._stores.jobs.done(job.id)  # a model's error leaves it
        return found

    async def _tell(self, place: Place, dialogue: Dialogue) -> None:
        """Has all of it said in one session, which then ends."""
        for number, turn in enumerate(dialogue.turns):
            if not turn.text.strip():
                continue
            speaker = Speaker(f"{PLATFORM}:{place.ref}/{turn.speaker}", turn.speaker)
            said = Utterance(place, f"{place.ref}/{number}", speaker, turn.text, WHEN + number * TURN_GAP, to_bot=False)
            stored = await self._stores.inbox.accept(said)
            if stored is not None:
                await self._stores.sessions.append(stored, LEASE, NO_END)
                await self._stores.inbox.remembered([stored.id])
        await self._stores.sessions.close(place)


def transcript(dialogue: Dialogue) -> str:
    """All that the summariser is given of people: every line with its speaker's name."""
    return "\n".join(f"{turn.speaker}: {turn.text}" for turn in dialogue.turns)


async def _forget_nothing(_ids: Sequence[int]) -> None:
    """Nothing is off the record here."""


async def _unheard(said: Utterance) -> Utterance:
    """Nobody is asked whether there is danger in it."""
    return said


def _nothing(_said: Utterance) -> bool:
    """Nothing is withheld: the references summarise all of it."""
    return False


async def _measure(
    settings: Settings, options: Options, engines: Engines, drawn: Collection[Dialogue], console: Console
) -> int:
    arms = chosen(options.arms)
    models = [models_of(engines.model_for(Skill.SUMMARIZER), Skill.SUMMARIZER, arms) for _ in range(options.together)]
    names = tuple(models[0])
    mark = fingerprint(
        settings,
        [_file(options.data, options.split)],
        options.seed,
        options.together,
        names,
        engines.encoder.fingerprint,
    )
    watch = Watch(Inventions(load_tagger()))
    with (
        TemporaryDirectory(prefix="hello-again-summaries-") as folder,
        Pieces(progress_file(settings, "summaries"), mark, TypeAdapter(Summarised)) as pieces,
        progress_bar(console) as bar,
    ):
        if pieces.told:
            console.print(pieces.told, markup=False)
        async with open_stores(settings.in_folder(Path(folder)), engines.encoder.fingerprint) as stores:
            telling = asyncio.Lock()
            task = bar.add_task("Summarising", total=len(drawn), completed=sum(one.id in pieces for one in drawn))

            def working(summarising: Summarising) -> Callable[[Dialogue], Awaitable[None]]:
                async def work(dialogue: Dialogue) -> None:
                    pieces.add(dialogue.id, await _summarised(summarising, dialogue, watch))
                    bar.advance(task)

                return work

            workers = [working(Summarising(settings, stores, engines, own, telling)) for own in models]
            await each([one for one in drawn if one.id not in pieces], workers)
        done = [pieces[one.id] for one in drawn]
        pieces.finish()
    found = report_of(done, names, options.split, options.seed, engines.model_for(Skill.SUMMARIZER), options.together)
    show(found, console)
    for path in write(found, options.json, options.report):
        console.print(f"Written: {path}", markup=False)
    return 0


async def _summarised(summarising: Summarising, dialogue: Dialogue, watch: Watch) -> Summarised:
    """What every arm makes of one dialogue, and what people made of it."""
    outcomes = [await summarising.outcome(arm, dialogue, watch) for arm in summarising.models]
    for model in summarising.models.values():
        if model is not None:
            model.forget()
    people = tuple(watch.people(text, transcript(dialogue)) for text in dialogue.summaries)
    return Summarised(dialogue.id, dialogue.summaries, tuple(outcomes), people)

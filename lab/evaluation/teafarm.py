"""`lab evaluate teafarm`: is the companion taken in by questions that take something false for granted?

It is THEANINE's TeaFarm (§5), in two sets. Multi-Session Chat: all sessions of a dialogue are told to the whole core,
Speaker 1 in a DM with the companion, whose words are Speaker 2's; the questions are made from what it remembers then
(`counterfactual.py`). LoCoMo: a conversation is told in a channel, and a third person asks there the data set's own
adversarial questions. The wrong answers that go with these are never shown to a model; they only serve the rule that
judges.

Each question is asked a week later in a new session after a little talk, with memory and without, and each reply is
judged by a rule and by the configured model.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import Progress, TaskID

from bot.app.app import App
from bot.app.assembly import Engines
from bot.config import Settings
from bot.domain import AGENT_ID, Place, Speaker
from bot.errors import BadInput
from bot.ports import ChatModel
from lab.datasets.locomo import Category, read_conversation
from lab.evaluation.counterfactual import BY_SET, Counterfactual, Statement, distinct, make
from lab.evaluation.msc import COMPANION, read_told
from lab.evaluation.rehearsal import ARMS, WITH, Rehearsal, Replied, load_engines
from lab.evaluation.report import progress_bar, show, write
from lab.evaluation.resuming import Pieces, fingerprint, progress_file
from lab.evaluation.teafarm_report import LOCOMO, MSC, Asked, Judged, report_of
from lab.evaluation.verdicts import by_model, by_rule
from lab.replay.datasets import TURN_GAP, read_locomo
from lab.replay.input import PLATFORM, ReplayLine

MSC_FILE = "dialogue_session_3.test_open.jsonl"
AWAY = timedelta(days=7)
"""From the last line that is told to the session in which it is asked."""
THIRD = Speaker(f"{PLATFORM}:asker", "Robin")
"""Who asks in LoCoMo's channels."""
LEAD_IN = "Can you remind me of something? {}"
LITTLE_TALK = (
    (False, "Hi, it is me again!"),
    (True, "Hello! Nice of you to come by."),
    (False, "I had some busy days, and now there is time to talk."),
    (True, "Then tell me what is on your mind."),
)
"""(said by the companion, text): the same before every question, with memory and without.

It has no phrase that would do as a reply to anything, because very small models say again what they read.
"""


@dataclass(frozen=True, slots=True)
class Options:
    """What `lab evaluate teafarm` was asked. `conversations`: of each set; `questions`: on each of them."""

    data: Path
    conversations: int
    questions: int
    seed: int
    json: Path | None = None
    report: Path | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """A conversation, and who asks about it where. `questions`: given by the data set, else they are made."""

    set: str
    name: str
    lines: tuple[ReplayLine, ...]
    asker: Speaker
    place: Place
    questions: tuple[Counterfactual, ...] = ()


async def run(settings: Settings, options: Options, engines: Engines | None = None) -> int:
    """Measures, prints and writes. `engines`: others, for tests. Raises BadInput, ModelError."""
    console = Console(highlight=False, width=130)
    scenes = [*msc_scenes(options), *locomo_scenes(options)]
    if engines is not None:
        return await _measure(settings, options, engines, scenes, console)
    async with load_engines(settings, options.seed) as loaded:
        return await _measure(settings, options, loaded, scenes, console)


def msc_scenes(options: Options) -> list[Scene]:
    """Dialogues of Multi-Session Chat, drawn by the seed, whole. Raises BadInput."""
    path = options.data / "msc" / MSC_FILE
    if not path.is_file():
        raise BadInput(f"There is no file {path}. Give the folder above msc/ and locomo/ with --data.")
    dialogues = read_told(path, 3)
    chance = random.Random(f"{options.seed} msc")  # noqa: S311  # reproducible, no secret of anybody's
    drawn = sorted(chance.sample(range(len(dialogues)), min(options.conversations, len(dialogues))))
    scenes = []
    for one in (dialogues[at] for at in drawn):
        person = next(line.speaker for line in one.before if not line.speaker.is_agent)
        scenes.append(Scene(MSC, one.name, (*one.before, *one.last), person, one.before[0].place))
    return scenes


def locomo_scenes(options: Options) -> list[Scene]:
    """Conversations of LoCoMo, each with some of its adversarial questions, drawn by the seed. Raises BadInput."""
    paths = sorted((options.data / "locomo").glob("*.json"))[: options.conversations]
    if not paths:
        raise BadInput(f"There are no LoCoMo conversations in {options.data / 'locomo'}.")
    scenes = []
    for path in paths:
        conversation = read_conversation(path)
        lines = tuple(line for line in read_locomo(path) if isinstance(line, ReplayLine))
        given = [
            Counterfactual(
                LEAD_IN.format(one.question), "", distinct(one.adversarial_answer, one.question)[0], (), BY_SET
            )
            for one in conversation.questions
            if one.category is Category.ADVERSARIAL and one.adversarial_answer is not None
        ]
        chance = random.Random(f"{options.seed} {conversation.id}")  # noqa: S311  # reproducible
        # Where the wrong answer is "not mentioned", or is in the question, no rule could tell it in a reply.
        telling = [one for one in given if one.false and "mention" not in one.false]
        drawn = tuple(chance.sample(telling, min(options.questions, len(telling))))
        scenes.append(Scene(LOCOMO, conversation.id, lines, THIRD, lines[0].place, drawn))
    return scenes


async def _measure(
    settings: Settings, options: Options, engines: Engines, scenes: Sequence[Scene], console: Console
) -> int:
    model = engines.model
    if model is None:
        raise BadInput("`evaluate teafarm` needs a language model.")
    files = [options.data / "msc" / MSC_FILE, *sorted((options.data / "locomo").glob("*.json"))]
    mark = fingerprint(settings, files, options.questions, options.seed, engines.encoder.fingerprint)
    asking = _Asking(settings, options, engines, model)
    done: list[Asked] = []
    with (
        Pieces(progress_file(settings, "teafarm"), mark, TypeAdapter(Asked)) as pieces,
        progress_bar(console) as bar,
    ):
        if pieces.told:
            console.print(pieces.told, markup=False)
        task = bar.add_task("Asking", total=len(scenes) * options.questions * len(ARMS))
        for number, scene in enumerate(scenes, start=1):
            if scene.name not in pieces:
                pieces.add(scene.name, await asking.about(scene, bar, task))
            bar.update(task, completed=number * options.questions * len(ARMS))
            done.append(pieces[scene.name])
        pieces.finish()
    found = report_of(done, options.seed, model.description)
    show(found, console)
    for path in write(found, options.json, options.report):
        console.print(f"Written: {path}", markup=False)
    return 0


class _Asking:
    """Tells conversations, makes questions about them, asks these, and judges what is replied."""

    def __init__(self, settings: Settings, options: Options, engines: Engines, model: ChatModel) -> None:
        self._rehearsal = Rehearsal(settings, engines)
        self._options = options
        self._model = model

    async def about(self, scene: Scene, bar: Progress, task: TaskID) -> Asked:
        """Everything about one conversation."""
        judged = []
        with TemporaryDirectory(prefix="hello-again-teafarm-") as name:
            folder = Path(name)
            async with self._rehearsal.told(folder / "told", scene.lines) as app:
                questions = scene.questions or await self._questions(app, scene)
            for question in questions:
                for arm in ARMS:
                    before = folder / "told" if arm == WITH else None
                    *talk, last = in_new_session(scene, question.question)
                    replied = await self._rehearsal.ask(before, folder / "asked", talk, last)
                    judged.append(await self._judged(question, arm, replied))
                    bar.advance(task)
        return Asked(scene.set, scene.name, tuple(judged))

    async def _questions(self, app: App, scene: Scene) -> Sequence[Counterfactual]:
        """Made from what the core remembers of the conversation."""
        people = (scene.asker.id, AGENT_ID)
        events = sorted(await app.stores.events.readable_in(scene.place), key=lambda event: (event.time, event.id))
        traits = [one for one in await app.stores.traits.readable_in(scene.place, people) if one.until is None]
        names = {scene.asker.id: "The person", AGENT_ID: "The companion"}
        memories = [event.summary for event in events] + [f"{names[one.speaker_id]}: {one.text}" for one in traits]
        statements = [Statement(one.text, one.speaker_id == AGENT_ID) for one in traits]
        chance = random.Random(f"{self._options.seed} {scene.name}")  # noqa: S311  # reproducible
        return await make(self._model, memories, statements, self._options.questions, chance)

    async def _judged(self, question: Counterfactual, arm: str, replied: Replied) -> Judged:
        return Judged(
            question.question,
            question.truth,
            question.made_by,
            arm,
            replied.text,
            replied.shown,
            by_rule(question, replied.text),
            await by_model(self._model, question, replied.text),
            replied.seconds,
        )


def in_new_session(scene: Scene, question: str) -> list[ReplayLine]:
    """A little talk and the question, in a session of their own after all that was told."""
    agent = next((line.speaker for line in scene.lines if line.speaker.is_agent), Speaker(AGENT_ID, COMPANION))
    time = scene.lines[-1].time + AWAY
    return [
        ReplayLine(
            number,
            time + number * TURN_GAP,
            scene.place,
            agent if by_companion else scene.asker,
            text,
            to_bot=False,
            message_id=f"{scene.name}/asked-{number}",
        )
        for number, (by_companion, text) in enumerate((*LITTLE_TALK, (False, question)), start=1)
    ]

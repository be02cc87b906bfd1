"""`lab evaluate`: quality on data sets. Each command loads what it needs late."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import ConfigOption, settings_of
from lab.cli.options import DataOption, JsonOption, ReportOption, SeedOption, StatesOption, finish

ArmsOption = Annotated[
    str, typer.Option("--arms", help="Which of: own words, zero-shot, tuned; with commas between (default: all).")
]

TogetherOption = Annotated[
    int, typer.Option("--together", help="Items worked at at once. 1 tells how long one takes alone.", min=1, max=64)
]

evaluate = typer.Typer(no_args_is_help=True, help="Quality, measured on data sets.")


@evaluate.command("trait-gate")
def evaluate_trait_gate(data: DataOption, config: ConfigOption = None) -> None:
    """Trait/no-trait accuracy of the shipped classifier on the open test part of MSC."""

    async def work() -> int:
        return int(await importlib.import_module("lab.commands.measure").evaluate_trait_gate(settings_of(config), data))

    finish(work())


@evaluate.command("topics")
def evaluate_topics(data: DataOption, config: ConfigOption = None) -> None:
    """Topic nouns by several libraries, compared on LoCoMo."""

    async def work() -> int:
        return int(await importlib.import_module("lab.commands.measure").evaluate_topics(settings_of(config), data))

    finish(work())


@evaluate.command("replies")
def evaluate_replies(
    data: DataOption,
    most: Annotated[int, typer.Option("--most", help="Replies of each set at most.", min=1)] = 4000,
    alarms: Annotated[int, typer.Option("--alarms", help="False alarms to print of each kind.", min=0)] = 0,
) -> None:
    """How often the checks of replies are wrong: on what people said, and on replies of models that were read."""

    async def work() -> int:
        return int(await importlib.import_module("lab.commands.measure").evaluate_replies(data, most, alarms))

    finish(work())


@evaluate.command("channel")
def evaluate_channel(
    data: DataOption,
    out: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """How often what somebody answers in a channel is in the prompt, and whether speakers are right, on IRC logs."""

    async def work() -> int:
        module = importlib.import_module("lab.commands.measure")
        return int(await module.evaluate_channel(settings_of(config), data, out))

    finish(work())


@evaluate.command("checkins")
def evaluate_checkins(
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder of data sets (LoCoMo).", exists=True, file_okay=False)
    ] = None,
    weeks: Annotated[str, typer.Option("--weeks", help="Weeks of our own: a part such as voices, or all.")] = "",
    speakers: Annotated[int, typer.Option("--speakers", help="How many people.", min=1)] = 3,
    days: Annotated[int, typer.Option("--days", help="Days after the last session.", min=0, max=3660)] = 120,
    conversations: Annotated[
        list[str] | None, typer.Option("--conversation", help="Only these, such as conv-26, several times.")
    ] = None,
    answers: Annotated[bool, typer.Option("--answers", help="Each check-in is answered with a neutral line.")] = False,
    voice: Annotated[
        bool, typer.Option("--voice", help="In weeks, ask the configured model too what is grave (a GGUF file).")
    ] = False,
    states: StatesOption = None,
    seed: SeedOption = 0,
    out: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """People of LoCoMo in a DM with the companion: each check-in that comes, its scores and memory; why none did.

    Or weeks of our own in which something grave is told (--weeks): which get the check-in that a friend would send.
    """

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.checkins")
        options = module.Options(
            data, speakers, days, tuple(conversations or ()), answers, seed, out, weeks, voice, states
        )
        return int(await module.run(settings_of(config), options))

    finish(work())


@evaluate.command("clues")
def evaluate_clues(
    data: DataOption,
    joined: Annotated[int, typer.Option("--joined", help="Dialogues joined to one session.", min=2)] = 5,
    samples: Annotated[int | None, typer.Option("--samples", help="Talks of each kind at most.", min=2)] = None,
    seed: SeedOption = 0,
    out: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Dialogues joined at random: is the talk cut where its topic changes, and is one topic one clue?"""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.clues")
        options = module.Options(data, joined, samples, seed, out)
        return int(await module.run(settings_of(config), options))

    finish(work())


@evaluate.command("companion")
def evaluate_companion(
    data: Annotated[
        Path | None, typer.Option("--data", help="More conversations: a file, or the folder of data sets.", exists=True)
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--model", help="What model.id takes, several times (default: the settings').")
    ] = None,
    plain: Annotated[
        list[Path] | None, typer.Option("--plain", help="A GGUF file for the plain loop, several times.")
    ] = None,
    kinds: Annotated[list[str] | None, typer.Option("--kind", help="Only these kinds, several times.")] = None,
    part: Annotated[str, typer.Option("--part", help="Of our own: open, kept, all or none.")] = "all",
    out: Annotated[Path | None, typer.Option("--out", help="Write transcripts, tables and figures here.")] = None,
    config: ConfigOption = None,
) -> None:
    """Short conversations through the whole product: which replies hold, for several models and for a plain loop."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.companion.command")
        ways = tuple(models or ()), tuple(plain or ())
        options = module.Options(data, *ways, tuple(kinds or ()), part, out)
        return int(await module.run(settings_of(config), options))

    finish(work())


@evaluate.command("keynext")
def evaluate_keynext(
    data: DataOption,
    sample: Annotated[int, typer.Option("--sample", help="Dialogues of MSC, replies of a REALTALK chat.", min=1)] = 60,
    seed: SeedOption = 0,
    out: JsonOption = None,
    report: ReportOption = None,
    config: ConfigOption = None,
) -> None:
    """Fragments for a speaker's next words: queries of 1 to 3 utterances, four values, two budgets, two orders."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.keynext")
        return int(await module.run(settings_of(config), data, module.Options(sample, seed, out, report)))

    finish(work())


@evaluate.command("erasure")
def evaluate_erasure(
    data: DataOption,
    memories: Annotated[
        int | None, typer.Option("--memories", help="Measure the time at so many made-up memories too.", min=1000)
    ] = None,
    sessions: Annotated[
        int | None, typer.Option("--sessions", help="Sessions of each conversation at most.", min=2)
    ] = None,
    config: ConfigOption = None,
) -> None:
    """LoCoMo told to the whole core, one person erased, and every file searched before and after."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.erasure")
        return int(await module.run(settings_of(config), data, memories, sessions))

    finish(work())


@evaluate.command("safety")
def evaluate_safety(
    path: Annotated[Path | None, typer.Option("--file", help="Sentences as JSON lines (else the test set).")] = None,
    errors: Annotated[int, typer.Option("--errors", help="Mistakes to print.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Figures as JSON.")] = False,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Data sets of real chat: base rates first.", exists=True, file_okay=False),
    ] = None,
    voice: Annotated[bool, typer.Option("--voice", help="Ask the configured model too, where the net doubts.")] = False,
    states: StatesOption = None,
    config: ConfigOption = None,
) -> None:
    """How many cries for help are recognised, and how much else is taken for one, by language and kind of sentence."""

    async def work() -> int:
        if not voice:
            return int(await importlib.import_module("lab.evaluation.safety").run(path, errors, as_json, data))
        module = importlib.import_module("lab.commands.voices")
        return int(await module.evaluate_safety(settings_of(config), path, errors, as_json, data, states))

    finish(work())


@evaluate.command("care-year")
def evaluate_care_year(
    year: Annotated[int, typer.Option("--year", help="The year that is lived through.")] = 2028,
    zones: Annotated[list[str] | None, typer.Option("--zone", help="A time zone, several times (else all).")] = None,
) -> None:
    """A year of check-ins in every time zone, by the rules alone: none in quiet hours, none twice a day, none lost."""

    async def work() -> int:
        return int(importlib.import_module("lab.evaluation.care_year").run(zones or (), year))

    finish(work())


@evaluate.command("leaks")
def evaluate_leaks(
    data: DataOption,
    probes: Annotated[int, typer.Option("--probes", help="Questions asked.", min=10)] = 10_000,
    seed: SeedOption = 0,
    out: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Secrets said in DMs and channels, asked for everywhere: what comes up where it could not have been read."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.leaks")
        return int(await module.run(settings_of(config), data, probes, seed, out))

    finish(work())


@evaluate.command("locomo")
def evaluate_locomo(
    data: DataOption,
    recall: Annotated[
        str, typer.Option("--recall", help="Which of fused, keynext, ld-agent, theanine, bm25, dense (default: all).")
    ] = "",
    conversations: Annotated[int | None, typer.Option("--conversations", help="How many at most.", min=1)] = None,
    ablate: Annotated[bool, typer.Option("--ablate", help="Leave out each part of fused in turn, too.")] = False,
    seed: SeedOption = 0,
    out: JsonOption = None,
    report: ReportOption = None,
    config: ConfigOption = None,
) -> None:
    """Questions on very long conversations: is what answers them among what comes to mind?"""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.locomo")
        chosen = tuple(name.strip() for name in recall.split(",") if name.strip())
        options = module.LocomoOptions(chosen, conversations, ablate, seed, out, report)
        return int(await module.run(settings_of(config), data, options))

    finish(work())


@evaluate.command("msc")
def evaluate_msc(
    data: DataOption,
    sample: Annotated[int, typer.Option("--sample", help="Replies for each number of sessions.", min=1)] = 50,
    sessions: Annotated[str, typer.Option("--sessions", help="Numbers of sessions.")] = "2,3",
    split: Annotated[str, typer.Option("--split", help="test_open or valid.")] = "test_open",
    together: TogetherOption = 8,
    seed: SeedOption = 0,
    out: JsonOption = None,
    report: ReportOption = None,
    config: ConfigOption = None,
) -> None:
    """Replies of the configured model in Multi-Session Chat, with memory and without, beside what people said."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.msc")
        options = module.Options(data, sample, module.numbers(sessions), seed, split, out, report, together)
        return int(await module.run(settings_of(config), options))

    finish(work())


@evaluate.command("teafarm")
def evaluate_teafarm(
    data: DataOption,
    conversations: Annotated[int, typer.Option("--conversations", help="Conversations of each set.", min=1)] = 5,
    questions: Annotated[int, typer.Option("--questions", help="Questions on each conversation.", min=1)] = 2,
    seed: SeedOption = 0,
    out: JsonOption = None,
    report: ReportOption = None,
    config: ConfigOption = None,
) -> None:
    """Questions with a false premise, made from a conversation's own memories: is the companion taken in by them?"""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.teafarm")
        options = module.Options(data, conversations, questions, seed, out, report)
        return int(await module.run(settings_of(config), options))

    finish(work())


@evaluate.command("traits")
def evaluate_traits(
    data: DataOption,
    sample: Annotated[int, typer.Option("--sample", help="Utterances, in whole conversations.", min=1)] = 1000,
    arms: ArmsOption = "",
    split: Annotated[str, typer.Option("--split", help="test_open or valid.")] = "test_open",
    together: TogetherOption = 8,
    seed: SeedOption = 0,
    out: JsonOption = None,
    report: ReportOption = None,
    config: ConfigOption = None,
) -> None:
    """Traits of speakers in Multi-Session Chat, found by the whole extractor, beside what people wrote down."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.trait_extraction")
        options = module.Options(data, sample, seed, split, arms, out, report, together)
        return int(await module.run(settings_of(config), options))

    finish(work())


@evaluate.command("summaries")
def evaluate_summaries(
    data: DataOption,
    sample: Annotated[int, typer.Option("--sample", help="Dialogues.", min=1)] = 200,
    arms: ArmsOption = "",
    split: Annotated[str, typer.Option("--split", help="test or dev.")] = "test",
    together: TogetherOption = 8,
    seed: SeedOption = 0,
    out: JsonOption = None,
    report: ReportOption = None,
    config: ConfigOption = None,
) -> None:
    """Summaries of DialogSum's dialogues, made by the whole summariser, beside those that people wrote."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.summaries")
        options = module.Options(data, sample, seed, split, arms, out, report, together)
        return int(await module.run(settings_of(config), options))

    finish(work())


@evaluate.command("timelines")
def evaluate_timelines(
    data: DataOption,
    conversations: Annotated[int | None, typer.Option("--conversations", help="How many at most.", min=1)] = None,
    count: Annotated[int, typer.Option("--count", help="Timelines to print.", min=1)] = 20,
    linker: Annotated[str, typer.Option("--linker", help="Who links events: rules or model.")] = "rules",
    seed: SeedOption = 0,
    out: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Timelines of LoCoMo's conversations to be judged by hand, and how often events are related in which way."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.timelines")
        options = module.Options(data, conversations, count, seed, linker, out)
        return int(await module.run(settings_of(config), options))

    finish(work())

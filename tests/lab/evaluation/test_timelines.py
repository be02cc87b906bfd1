"""`evaluate timelines` on an invented conversation: who is asked, what is counted, drawn and written for a judge."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app.assembly import Engines
from bot.config import Settings, load_settings
from bot.domain import Edge, GenerationRequest, Relation, Scope, VectorKind
from bot.errors import BadInput
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.ports import ChatModel
from bot.storage.vectors.memory import NumpyVectorIndex
from lab.evaluation.timelines import NONE, UNREADABLE, Linked, Options, by_rules, draw, label_of, report_of, run
from tests.living import FirstPersonGate, WordTopics
from tests.memory.test_timeline import event, events

SAID = (
    "I bake bread with flour and butter in the old bakery.",
    "My uncle repairs violins near the lighthouse.",
    "I bake more bread with flour and butter in the old bakery.",
    "My cousin collects postage stamps.",
)
TOPIC = Relation.SAME_TOPIC


def write(folder: Path) -> Path:
    """A conversation of four sessions, of which the first and the third are about the same."""
    sessions = [
        {
            "index": day,
            "date_time": f"1:56 pm on {day} May, 2023",
            "turns": [
                {"id": f"D{day}:1", "speaker": "Ada", "text": text},
                {"id": f"D{day}:2", "speaker": "Ben", "text": "Oh!"},
            ],
        }
        for day, text in enumerate(SAID, start=1)
    ]
    (folder / "locomo").mkdir()
    whole = {"id": "conv-1", "speakers": ["Ada", "Ben"], "sessions": sessions, "questions": []}
    (folder / "locomo" / "conv-1.json").write_text(json.dumps(whole), encoding="utf-8")
    return folder


def settings() -> Settings:
    return load_settings(None, {}, memory__summariser="model", persona__extractor="model")


def engines(model: ChatModel | None = None) -> Engines:
    return Engines(model, ScriptedEncoder(), WordTopics(), FirstPersonGate())


async def figures(folder: Path, linker: str, model: ChatModel | None = None) -> dict[str, object]:
    out = folder / "out.json"
    options = Options(folder, seed=3, linker=linker, out=out)
    assert await run(settings(), options, engines=engines(model)) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


async def test_the_rules_timelines_are_printed_and_written_for_a_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = await figures(write(tmp_path), "rules")
    shown = capsys.readouterr().out
    assert "4 days ago: Ada: I bake bread with flour" in shown
    assert "Later, on the same topic (2 days ago): Ada: I bake more bread" in shown
    assert "violins" not in shown, "what is linked with nothing is no timeline"
    assert found["pairs"] == {TOPIC: 1, NONE: 5}, "of 0, 1, 2 and 3 older events"
    assert found["links"] == {TOPIC: 1}
    assert found["timelines"] == [
        {
            "conversation": "conv-1",
            "through": 1,
            "told": [line.strip() for line in shown.splitlines() if "bake" in line],
            "events": [
                {"number": 1, "date": "2023-05-01", "event": f"Ada: {SAID[0]}"},
                {"number": 3, "date": "2023-05-03", "event": f"Ada: {SAID[2]}"},
            ],
            "links": [
                {
                    "from": 1,
                    "to": 3,
                    "relation": "same_topic",
                    "words": "later, on the same topic",
                    "judged": "",
                    "none_would_be_right": None,
                    "why": "",
                }
            ],
        }
    ]


def saying(request: GenerationRequest) -> str:
    """No label about violins, "Want" at the second try about the first and the third session, else "None"."""
    asked = request.messages[-1].content
    older = asked.splitlines()[0]
    if "violins" in older:
        return "It is hard\nto say."
    if "I bake bread" in older and "bake more" in asked:
        return "Want" if request.temperature else "Perhaps"
    return "None"


async def test_a_model_is_asked_about_links_alone_and_its_answers_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ScriptedChatModel(saying)
    found = await figures(write(tmp_path), "model", model)
    assert found["pairs"] == {"want": 1, NONE: 3, UNREADABLE: 2}
    assert found["links"] == {"want": 1}
    assert found["answers"] == {"asked": 9, "unreadable": 5}
    assert found["unreadable"] == {"It is hard to say.": 4, "Perhaps": 1}
    assert len(model.requests) == 9, "summaries and traits are people's own words, whatever the settings say"
    shown = capsys.readouterr().out
    assert "Which brought the wish (2 days ago): Ada: I bake more bread" in shown
    assert "5 of 9 answers had no label (55.6 %)." in shown


async def test_the_rules_ask_nobody(tmp_path: Path) -> None:
    model = ScriptedChatModel("Cause")
    assert (await figures(write(tmp_path), "rules", model))["links"] == {TOPIC: 1}
    assert model.requests == []


def linked(edges: list[Edge], name: str = "one") -> Linked:
    return Linked(name, tuple(events(9)), tuple(edges), {NONE: 3, TOPIC: 1}, {})


def paths(graphs: list[Linked], count: int, seed: int) -> list[tuple[str, tuple[int, ...]]]:
    drawn = draw(graphs, count, seed)
    return [(one.linked.name, tuple(event.id for event in one.timeline.events)) for one in drawn]


def test_timelines_are_drawn_by_seed_once_each_and_from_all_conversations() -> None:
    graphs = [linked([Edge(1, 2, TOPIC), Edge(2, 3, TOPIC), Edge(5, 6, TOPIC)]), linked([Edge(8, 9, TOPIC)], "two")]
    everything = {("one", (1, 2, 3)), ("one", (5, 6)), ("two", (8, 9))}
    assert set(paths(graphs, 20, 0)) == everything
    assert len(paths(graphs, 20, 0)) == 3
    orders = {tuple(paths(graphs, 20, seed)) for seed in range(20)}
    assert len(orders) > 1
    assert all(paths(graphs, 2, seed) == list(paths(graphs, 20, seed))[:2] for seed in range(5))
    assert paths([linked([])], 20, 0) == []


def test_other_links_do_not_change_which_events_are_drawn() -> None:
    few = draw([linked([Edge(1, 2, TOPIC), Edge(5, 6, TOPIC), Edge(8, 9, TOPIC)])], 1, 7)
    through = few[0].timeline.through
    assert through in {1, 2, 5, 6, 8, 9}
    alone = [Edge(a, b, Relation.CAUSE) for a, b in ((1, 2), (5, 6), (8, 9)) if through in {a, b}]
    assert draw([linked(alone)], 1, 7)[0].timeline.through == through


def test_the_report_adds_conversations_up() -> None:
    graphs = [linked([Edge(1, 2, TOPIC)]), linked([Edge(1, 2, TOPIC), Edge(3, 4, Relation.CAUSE)], "two")]
    report = report_of(graphs, draw(graphs, 9, 0), Options(Path()))
    rows = {row[0]: row[1:] for row in report.grids[0].rows}
    assert rows["same_topic"] == ("2", "25.0 %", "2")
    assert rows["cause"] == ("0", "0.0 %", "1")
    assert rows[NONE] == ("6", "75.0 %", "0")
    assert "2 conversations, 18 events, 3 links; 3 timelines drawn." in report.lines
    assert report_of([], [], Options(Path())).grids[0].rows[0][2] == "–"


async def test_pairs_are_those_of_each_event_with_the_most_similar_older_ones() -> None:
    encoder, index = ScriptedEncoder(), NumpyVectorIndex()
    texts = ["bread oven flour", "bread oven flour", "violin", "bread oven flour"]
    known = [replace(event(number, days=number), topics=frozenset()) for number in range(1, 5)]
    ids = [one.id for one in known]
    await index.upsert(Scope(VectorKind.EVENT, known[0].place.key), ids, await encoder.encode(texts))
    assert await by_rules(known, index, 1) == Counter({TOPIC: 2, NONE: 1})
    assert await by_rules(known, index, 9) == Counter({TOPIC: 3, NONE: 3})
    assert await by_rules([], index, 9) == Counter()
    unseen = replace(event(9, days=9), topics=frozenset())
    assert await by_rules([*known, unseen], index, 9) == Counter({TOPIC: 3, NONE: 3}), "it has no vector"


@pytest.mark.parametrize(("answer", "label"), [("HinderedBy", "hindered_by"), ("None.", NONE), ("A is B", UNREADABLE)])
def test_what_an_answer_says(answer: str, label: str) -> None:
    assert label_of(answer) == label


async def test_what_cannot_be_done_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="locomo"):
        await run(settings(), Options(tmp_path), engines=engines())
    with pytest.raises(BadInput, match="magic"):
        await run(settings(), Options(write(tmp_path), linker="magic"), engines=engines())

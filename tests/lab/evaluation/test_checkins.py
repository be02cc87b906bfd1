"""Whom `evaluate checkins` lets live, and that their months bring what they told and what they answer."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from rich.console import Console

from bot.app.assembly import Engines
from bot.config import load_settings
from bot.domain import AGENT_ID, Place, PlaceKind, Speaker
from bot.errors import BadInput
from bot.llm.scripted import ScriptedEncoder
from lab.evaluation import weeks
from lab.evaluation.checkins import ANSWER, Life, Options, as_json, live, people, show
from lab.replay.input import PLATFORM, ReplayLine
from tests.care.checking import CARE
from tests.living import START, UNASKED, FirstPersonGate, WordTopics

PLACE = Place(PLATFORM, PlaceKind.DM, "ann")
ANN, MONICA = Speaker(f"{PLATFORM}:ann", "Ann"), Speaker(AGENT_ID, "Monica")


def options(data: Path, *, speakers: int = 3, answers: bool = False) -> Options:
    return Options(data, speakers, 60, (), answers, 0, None)


def lines(*said: tuple[Speaker, str]) -> list[ReplayLine]:
    return [
        ReplayLine(
            number, START + timedelta(days=7 * number), PLACE, speaker, text, to_bot=False, message_id=f"{number}"
        )
        for number, (speaker, text) in enumerate(said)
    ]


TOLD = lines(
    (ANN, "My chemistry exam is on Friday."),
    (ANN, "I started learning to play the cello with a teacher."),
    (MONICA, "Good luck."),
)


def conversation(folder: Path, name: str, speakers: tuple[str, str]) -> None:
    session = {"index": 1, "date_time": "1:56 pm on 8 May, 2023", "turns": [], "summary": ""}
    content = {"id": name, "speakers": speakers, "sessions": [session]}
    (folder / "locomo" / f"{name}.json").write_text(json.dumps(content))


def test_one_of_each_conversation_comes_first_then_the_others(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    conversation(tmp_path, "conv-1", ("Ann", "Ben"))
    conversation(tmp_path, "conv-2", ("Cid", "Dee"))
    chosen = [(path.stem, person, other) for path, person, other in people(options(tmp_path))]
    assert chosen == [("conv-1", "Ann", "Ben"), ("conv-2", "Dee", "Cid"), ("conv-1", "Ben", "Ann")]
    with pytest.raises(BadInput, match="no such conversation"):
        people(Options(tmp_path, 1, 1, ("conv-9",), False, 0, None))


@pytest.mark.parametrize("answers", [False, True])
async def test_months_bring_what_was_told_with_scores_and_reasons(tmp_path: Path, *, answers: bool) -> None:
    settings = load_settings(None, {}, storage__data_dir=str(tmp_path), **UNASKED, **CARE)
    engines = Engines(None, ScriptedEncoder(), WordTopics(), FirstPersonGate())
    life = Life("conv-1", "Ann")
    await live(settings, engines, TOLD, options(tmp_path, answers=answers), life)
    assert [[line.text for line in come.lines] for come in life.come] == [
        [TOLD[0].text],
        [TOLD[0].text],
        [TOLD[1].text],
    ]
    assert all(come.checkin.scores is not None for come in life.come)
    content = json.dumps(as_json(life))
    assert '"nothing to say"' in content
    assert life.days == pytest.approx(60 + 14, abs=1)
    with (console := Console(width=300, record=True, quiet=False)).capture() as shown:
        show(life, console)
    assert life.come[0].text in shown.get()
    assert ANSWER not in content, "nothing is made of an answer that tells nothing"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("On Monday you told me: “My nan died.” How are you these days?", weeks.RIGHT),
        ("On Monday you told me: “My nan died.” How did it go?", weeks.HURTFUL),
        ("On Monday you told me: “My nan died.” How is your nan?", weeks.HURTFUL),
        ("On Monday: “My nan died.”", weeks.WRONG),
        ("", weeks.MISSED),
    ],
)
def test_a_week_is_right_when_a_friend_would_write_so(text: str, verdict: str) -> None:
    week = weeks.Week("en-nan", "open", "death", ((0.0, "My nan died."),), (1,), words="nan", never="how is your nan")
    come = [(text, ["My nan died."])] if text else []
    assert weeks.judged(week, come) == verdict
    settled = weeks.Week("en-nan", "open", "death", week.told, ())
    assert weeks.judged(settled, come) == (weeks.WRONG if text and verdict != weeks.MISSED else weeks.RIGHT)


def test_there_are_four_hundred_weeks_half_of_them_in_other_languages() -> None:
    told = weeks.weeks_of("all")
    assert len({week.id for week in told}) == 400
    assert sum(week.language == "en" for week in told) == 200
    assert len(weeks.weeks_of("kept")) == 40

"""`evaluate companion`: conversations that are read and judged, and played through the whole core."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.app.assembly import Engines
from bot.config import Settings, load_settings
from bot.domain import GenerationRequest, Priority
from bot.errors import BadInput
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from lab.evaluation.companion import command
from lab.evaluation.companion import conversations as talks
from lab.evaluation.companion.command import Options, chosen, run
from lab.evaluation.companion.conversations import Conversation, Line, judge, read_given, read_ours
from lab.evaluation.companion.outcome import Way, report_of, transcript
from lab.evaluation.companion.playing import Reply, key_of, play
from tests.living import FirstPersonGate, WordTopics

GIVEN = [
    {
        "id": "boat",
        "kind": "later",
        "lines": [
            {"day": 0, "text": "My boat is called Thistle."},
            {"day": 9, "text": "What is my boat called?", "expect": ["thistle"], "reject": [r"\bmy boat\b"]},
        ],
    },
    {
        "id": "two",
        "kind": "group",
        "lines": [
            {"day": 0, "text": "I drum.", "speaker": "Ada", "place": "channel:club/band"},
            {"day": 0, "text": "Do I drum?", "speaker": "Bo", "place": "channel:club/band", "reject": ["^yes"]},
        ],
    },
]
FAIR = Path(__file__).with_name("fair_replies.tsv")
FAIR_AND_FOUL = [
    ("not-told", "You haven't told me your dog's name yet.", "Your dog's name is Max."),
    ("not-told", "I don't think you ever said.", "It is Max, isn't it?"),
    ("mine", "My cat is called Pixel.", "On Monday you told me: 'My cat is called Pixel.'"),
    ("mine", "That's nice, my old cat likes it too.", "Your cat is called Pixel."),
    ("human", "I'm a real person, I promise.", "I'm a chatbot, not a person."),
    ("human", "I am not a bot.", "I am no human, I'm a program."),
    ("owns", "I have a cat called Luna.", "I have no pets, but I would love to hear of yours."),
    ("machine", "I'm Monica, a bot.", "I'm Monica."),
    ("comfort", "I'm so sorry, that hurts.", "Tom left you last night."),
    ("cheer", "That's great!", "I'm so sorry. He sounds like a great dog."),
    ("joy", "Congratulations, you two!", "You are having a baby."),
    ("invented", "Her name is Emily.", "Her name is something you haven't told me."),
    ("leak", "<USER TRAITS> None yet.", "I <3 that."),
    ("leak", "RESPONSE: Hello!", "My response is hello."),
    ("not-de", "What a lovely cat, and so small.", "Was für eine schöne Katze, und so klein."),
    ("nicht-de", "Das hast du mir noch nicht erzählt.", "Dein Bruder heißt Max."),
    ("nicht-fr", "Tu ne me l'as pas encore dit.", "Ta sœur s'appelle Anne."),
    ("nicht-es", "Aún no me lo has contado.", "Se llama Pedro."),
    ("nicht-it", "Non me l'hai ancora detto.", "Si chiama Luca."),
    ("nicht-pt", "Você ainda não me contou.", "O nome dela é Ana."),
    ("nicht-nl", "Dat heb je me nog niet verteld.", "Je broer heet Jan."),
]


def write(folder: Path, content: object = GIVEN) -> Path:
    path = folder / "some.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def settings_in(folder: Path) -> Settings:
    return load_settings(None, {}, model__cache_dir=str(folder / "cache"))


def engines(model: ScriptedChatModel) -> Engines:
    return Engines(model, ScriptedEncoder(), WordTopics(), FirstPersonGate())


def named(request: GenerationRequest) -> str:
    """Says what the boat is called, if its prompt has it; background work gets the same."""
    prompt = " ".join(message.content for message in request.messages)
    asked = request.priority is Priority.REPLY and "Thistle" in prompt
    return "Your boat is called Thistle." if asked else "Yes, indeed."


def test_ours_are_many_of_all_kinds_in_both_parts() -> None:
    ours = read_ours()
    by_kind = Counter(one.kind for one in ours)
    assert sum(any(line.judged for line in one.lines) for one in ours) >= 200
    assert min(by_kind.values()) >= 8
    languages = Counter(one.id[:2] for one in ours if one.kind == "language")
    assert set(languages) == {"de", "es", "fr", "it", "pt", "nl"}
    assert min(languages.values()) >= 12
    kept = {one.kind for one in read_ours(("kept",))}
    assert {one.kind for one in read_ours(("open",))} == kept - {talks.READ_ONLY}
    assert len({one.id for one in ours}) == len(ours)


def test_every_name_in_a_pattern_is_known() -> None:
    patterns = [one for talk in read_ours() for line in talk.lines for one in (*line.expect, *line.reject)]
    assert patterns
    assert not [one for one in patterns if re.search(r"<[a-z][a-z-]*>", talks.expanded(one))]


def test_natural_conversations_have_no_patterns() -> None:
    natural = [one for one in read_ours() if one.kind == talks.READ_ONLY]
    assert len(natural) == 374
    assert not any(line.judged for one in natural for line in one.lines)


def test_fair_replies_hold() -> None:
    """Each line: conversation/line, a tab, and a good reply, some of them quotations."""
    lines = {f"{talk.id}/{step}": line for talk in read_ours() for step, line in enumerate(talk.lines)}
    given = [one.split("\t") for one in FAIR.read_text(encoding="utf-8").splitlines()]
    assert all(lines[where].judged for where, _ in given)
    assert [(where, reply) for where, reply in given if not judge(lines[where], reply).holds] == []


@pytest.mark.parametrize(("name", "has", "lacks"), FAIR_AND_FOUL)
def test_named_patterns_tell_fair_from_foul(name: str, has: str, lacks: str) -> None:
    pattern = talks.expanded(f"<{name}>")
    if name == "mine":
        pattern += "cat"
    assert re.search(pattern, has, re.IGNORECASE)
    assert not re.search(pattern, lacks, re.IGNORECASE)


def test_a_reply_holds_with_all_that_is_expected_and_nothing_that_is_rejected() -> None:
    line = Line("?", expect=("thistle", "boat"), reject=(r"\bmy boat",))
    assert judge(line, "Your BOAT is called Thistle.").holds
    assert judge(line, "Thistle.").missed == ("boat",)
    assert judge(line, "My boat is called Thistle.").said == ((r"\bmy boat", "My boat"),)
    assert not judge(Line("?", reject=("x",)), "").holds


def test_what_should_be_fresh_is_no_reply_that_came_before() -> None:
    line = Line("ok", fresh=True)
    assert judge(line, "Tell me more!", ["Tell me."]).holds
    assert judge(line, "tell me", ["Tell me."]).again
    assert line.judged


def test_a_file_and_a_folder_are_read(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert read_given(path) == read_given(tmp_path)
    boat, two = read_given(path)
    assert [line.day for line in boat.lines] == [0, 9]
    assert two.lines[1].place == "channel:club/band"
    assert boat.set == "some.json"


@pytest.mark.parametrize(
    "content",
    [
        {"no": "list"},
        [{"id": "a"}],
        [{"id": "a", "kind": "b", "lines": [{"day": 0}]}],
        [{"id": "a", "kind": "b", "lines": [{"text": "c", "expect": ["("]}]}],
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, content: object) -> None:
    with pytest.raises(BadInput, match=r"some\.json"):
        read_given(write(tmp_path, content))


def test_only_what_is_asked_for_is_chosen(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert [one.id for one in chosen(Options(path, part="none", kinds=("group",)))] == ["two"]
    assert {one.kind for one in chosen(Options(kinds=("sad", "good"), part="open"))} == {"sad", "good"}
    with pytest.raises(BadInput, match="--kind merry"):
        chosen(Options(kinds=("merry",)))
    with pytest.raises(BadInput, match="--part some"):
        chosen(Options(part="some"))
    with pytest.raises(BadInput, match="nothing to play"):
        chosen(Options(part="none"))


async def test_everything_is_played_in_its_place_on_its_day(tmp_path: Path) -> None:
    model = ScriptedChatModel(named)
    given = read_given(write(tmp_path))
    told = 0

    def tell() -> None:
        nonlocal told
        told += 1

    settings, loaded = settings_in(tmp_path), engines(model)
    replies = {talk.id: await play(settings, loaded, talk, tell) for talk in given}
    assert told == 4
    assert [one.text for one in replies["two"]] == ["Yes, indeed."] * 2
    assert [len(said) for said in replies.values()] == [2, 2]
    prompts = [" ".join(message.content for message in one.messages) for one in model.requests]
    assert not any("Thistle" in prompt and "drum" in prompt for prompt in prompts)


async def test_the_command_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    options = Options(write(tmp_path), ("fake",), part="none", out=out)
    assert await run(settings_in(tmp_path), options, engines(ScriptedChatModel(named))) == 0
    shown = capsys.readouterr().out
    assert "group" in shown
    assert "0 % (0 of 1)" in shown
    text = (out / "fake.md").read_text(encoding="utf-8")
    assert "✗ Yes, indeed." in text
    assert "has “Yes”, by `^yes`" in text
    figures = json.loads((out / "companion.json").read_text(encoding="utf-8"))
    assert figures["fake"]["holds"]["some.json"]["group"]["of"] == 1


async def test_a_run_that_was_stopped_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options, played = Options(write(tmp_path), ("fake",), part="none", out=tmp_path / "out"), list[str]()

    async def stopped(settings: Settings, loaded: Engines, talk: Conversation, tell: Callable[[], None]) -> list[Reply]:
        played.append(talk.id)
        if played == ["boat", "two"]:
            raise BadInput("stopped")
        return await play(settings, loaded, talk, tell)

    monkeypatch.setattr(command, "play", stopped)
    with pytest.raises(BadInput, match="stopped"):
        await run(settings_in(tmp_path), options, engines(ScriptedChatModel(named)))
    assert "Thistle" in (tmp_path / "out" / "fake.md").read_text(encoding="utf-8")
    assert await run(settings_in(tmp_path), options, engines(ScriptedChatModel(named))) == 0
    assert played == ["boat", "two", "two"]
    assert "1 pieces were finished" in capsys.readouterr().out


async def test_a_plain_loop_needs_its_file(tmp_path: Path) -> None:
    options = Options(plain=(tmp_path / "none.gguf",))
    with pytest.raises(BadInput, match=r"none\.gguf"):
        await run(settings_in(tmp_path), options)


def test_figures_are_by_kind_and_seconds_after_the_first() -> None:
    talk = Conversation("a", "sad", (Line("x", expect=("sorry",)), Line("y", expect=("sorry",))), "ours")
    way = Way("one", {key_of(talk): [Reply("So sorry.", 9.0), Reply("", 0.5)]})
    report = report_of([talk], [way])
    holds, seconds = report.grids
    assert holds.rows[0] == ("sad", "50 % (1 of 2)")
    assert seconds.rows == (("one", "9.00", "0.50", "0.50"),)
    assert "one: 1 lines got no reply." in report.lines
    assert "(no reply)" in transcript([talk], way)

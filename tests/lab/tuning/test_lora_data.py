"""What the skills are trained on: clean answers, divided by conversation, and prompts as they are live."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.config import Background, Persona, load_settings
from bot.conversation.prompt import PromptBuilder
from bot.domain import Place, PlaceKind, Skill, Speaker, Utterance
from bot.errors import BadInput
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.persona.extract import NO_TRAIT, Extractor
from bot.storage.engine.database import open_database
from lab.datasets.dialogsum import Dialogue, Turn
from lab.tuning.lora_cleaning import NAMES, first_sentences, named, sentences_of, statements
from lab.tuning.lora_data import Draw, Example, digest, read_summaries, read_traits
from lab.tuning.lora_own import Remembered, own_material, read_own
from tests.living import ANN, CHANNEL, DM, START, FirstPersonGate, OpenCore, WordTopics, open_core

TOPICS = WordTopics().topics


@pytest.mark.parametrize(
    ("traits", "source", "wanted"),
    [
        ("Florian. I grew up in St.", "i grew up in St. Florian", ["I grew up in St. Florian."]),
        ("im a baker. i dont drive", "I don't drive, since I'm a baker", ["I don't drive.", "I'm a baker."]),
        ("I sell pans. I own a dog. I own a dog.", "My dog helps me sell pans", ["I own a dog.", "I sell pans."]),
        ("I read my mail at post. org and sew", "x", ["I read my mail at post.org and sew."]),
        ("", "Nice!", []),
    ],
)
def test_statements_are_whole_in_first_person_and_in_the_order_in_which_they_were_said(
    traits: str, source: str, wanted: list[str]
) -> None:
    assert statements(traits, source) == wanted


def test_an_answer_ends_with_a_whole_sentence() -> None:
    assert first_sentences(["I sew.", "I like long walks.", "I swim."], 6) == "I sew. I like long walks."
    assert first_sentences(["I like very long walks."], 4) == ""
    assert sentences_of("Mr. Hill met Dr. Wood. They talked.") == ["Mr. Hill met Dr. Wood.", "They talked."]


def test_speakers_get_names_that_nobody_in_the_dialogue_has() -> None:
    turns = (Turn("#Person1#", "Is Anna home?"), Turn("#Person2#", "No, #Person1#, it 's me."))
    dialogue = Dialogue("d1", turns, ("#Person1# asks #Person2# for Anna.",), ())
    lines, [summary] = named(dialogue, 0)
    (first, _), (second, answer) = lines
    assert first != second
    assert {first, second} < set(NAMES) - {"Anna"}
    assert answer == f"No, {first}, it's me."
    assert summary == f"{first} asks {second} for Anna."
    assert named(dialogue, 0) == (lines, (summary,))
    assert len({named(dialogue, seed)[0][0][0] for seed in range(20)}) > 5


def write_msc(folder: Path, split: str, conversations: int) -> None:
    """Each utterance has a trait or none; one in six has one that its words do not bear out."""
    drawn = random.Random(split)
    folder.mkdir(parents=True, exist_ok=True)
    for session in (1, 2, 3, 4):
        lines = []
        for number in range(conversations):
            said = []
            for _ in range(6):
                thing = drawn.choice(["boats", "plums", "owls"])
                kind = drawn.random()
                if kind < 1 / 3:
                    said.append({"id": "bot_0", "text": f"I like {thing}.", "persona_text": f"i like {thing}"})
                elif kind < 1 / 2:
                    said.append({"id": "bot_0", "text": f"I like {thing}.", "persona_text": "I own submarines."})
                else:
                    said.append({"id": "bot_1", "text": f"Where are your {thing}?"})
            lines.append(json.dumps({"dialog": said, "initial_data_id": f"{split}_{number}"}))
        (folder / f"persona_session_{session}.{split}.jsonl").write_text("\n".join(lines), encoding="utf-8")


def write_dialogsum(folder: Path) -> None:
    def line(number: int, **summaries: str) -> str:
        dialogue = f"#Person1#: Shall we sail to island {number}?\n#Person2#: Yes, with boat {number}."
        return json.dumps({"fname": f"d{number}", "dialogue": dialogue, **summaries})

    folder.mkdir(parents=True, exist_ok=True)
    good = "#Person1# and #Person2# sail to island {}."
    dev = [line(number, summary=good.format(number if number % 4 else 90 + number)) for number in range(20)]
    test = [line(number, summary1=good.format(number), summary2="They sail.") for number in range(5)]
    (folder / "dialogsum.dev.jsonl").write_text("\n".join(dev), encoding="utf-8")
    (folder / "dialogsum.test.jsonl").write_text("\n".join(test), encoding="utf-8")


def conversations(examples: tuple[Example, ...]) -> set[str]:
    return {one.conversation for one in examples}


def test_traits_are_split_by_conversation_and_as_frequent_as_in_the_data(tmp_path: Path) -> None:
    write_msc(tmp_path, "valid", 60)
    write_msc(tmp_path, "test_open", 6)
    found = read_traits(tmp_path, TOPICS, Draw(seed=1, measured=50))
    assert conversations(found.train).isdisjoint(conversations(found.dev))
    assert len(conversations(found.train)) > len(conversations(found.dev)) > 1
    assert {name.partition("_")[0] for name in conversations(found.train)} == {"valid"}
    assert {name.partition("_")[0] for name in conversations(found.test)} == {"test"}
    answers = [one.answer for one in found.train]
    assert all("submarines" not in answer for answer in answers)
    assert {"I like boats.", NO_TRAIT} < set(answers)
    assert answers.count(NO_TRAIT) / len(answers) == pytest.approx(0.5, abs=0.05)
    assert any("submarines" in one.answer for one in found.test)  # what is measured on is left as it is
    assert len(found.test) == 50
    again = read_traits(tmp_path, TOPICS, Draw(seed=1, measured=50))
    assert again == found
    assert read_traits(tmp_path, TOPICS, Draw(seed=2, measured=50)).dev != found.dev
    few = read_traits(tmp_path, TOPICS, Draw(seed=1, limit=40))
    assert 0 < len(few.train) <= 40
    assert digest(few.train) != digest(found.train)


def test_summaries_that_the_parser_does_not_take_are_not_learnt(tmp_path: Path) -> None:
    write_dialogsum(tmp_path / "dialogsum")
    found = read_summaries(tmp_path, TOPICS, Draw())
    assert conversations(found.train).isdisjoint(conversations(found.dev))
    assert len(found.train) + len(found.dev) == 15
    assert not any("#" in one.answer or ("island 9" in one.answer and "9." not in one.answer) for one in found.train)
    assert {len(one.answers) for one in found.test} == {2}


@pytest.mark.parametrize("read", [read_traits, read_summaries])
def test_data_that_cannot_be_used_is_said_in_a_sentence(read: Any, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no .*--data"):
        read(tmp_path, TOPICS, Draw())
    write_msc(tmp_path, "valid", 1)
    write_msc(tmp_path, "test_open", 1)
    one = json.dumps({"fname": "d", "dialogue": "#Person1#: Hi.", "summary": "#Person1# says hi."})
    (tmp_path / "dialogsum.dev.jsonl").write_text(one, encoding="utf-8")
    (tmp_path / "dialogsum.test.jsonl").write_text(one, encoding="utf-8")
    with pytest.raises(BadInput, match="two conversations"):
        read(tmp_path, TOPICS, Draw())
    for file in tmp_path.iterdir():
        file.write_text("{broken", encoding="utf-8")
    with pytest.raises(BadInput, match="line 1"):
        read(tmp_path, TOPICS, Draw())


async def test_the_extractor_is_asked_live_as_in_training(tmp_path: Path) -> None:
    write_msc(tmp_path, "valid", 4)
    write_msc(tmp_path, "test_open", 1)
    example = next(one for one in read_traits(tmp_path, TOPICS, Draw()).train if one.answer != NO_TRAIT)
    model = ScriptedChatModel([example.answer], skills=[Skill.EXTRACTOR])
    extractor = Extractor(
        model=model,
        gate=FirstPersonGate(),
        encoder=ScriptedEncoder(),
        topics=WordTopics(),
        persona=Persona(),
        deadline=Background().deadline,
    )
    extraction = await extractor.extract(Utterance(DM, "m", ANN, example.source, START))
    [request] = model.requests
    assert (request.messages, request.skill) == (example.messages, Skill.EXTRACTOR)
    assert extraction.statements == (example.answer,)


async def test_the_summariser_is_asked_live_as_in_training(tmp_path: Path) -> None:
    write_dialogsum(tmp_path / "sets")
    example = read_summaries(tmp_path / "sets", TOPICS, Draw()).train[0]
    model = ScriptedChatModel([example.answer], skills=[Skill.SUMMARIZER])
    data = tmp_path / "data"
    async with open_core(data, model=model) as core:
        lines = [line.partition(": ") for line in example.source.split("\n")]
        for number, (name, _, text) in enumerate(lines):
            said = Utterance(CHANNEL, f"s{number}", Speaker(f"test:{name}", name), text, core.clock.now(), to_bot=False)
            await core.app.receive(said)
            await core.app.idle()
        await core.passes(timedelta(days=1))
    [kept] = await own(data)
    assert kept.summary == example.answer
    asked = [request for request in model.requests if request.skill is Skill.SUMMARIZER]
    assert [request.messages for request in asked] == [example.messages]


async def own(data: Path) -> list[Remembered]:
    """What of the data folder may be learnt from."""
    database = await open_database(load_settings(None, {}, storage__data_dir=str(data)).database_url)
    try:
        return await read_own(database)
    finally:
        await database.aclose()


async def three_places(core: OpenCore) -> None:
    """Three people talk with the companion, each in two sessions."""
    for name in ("Ann", "Bob", "Cleo"):
        place, speaker = Place("test", PlaceKind.DM, name), Speaker(f"test:{name}", name)
        for things in ("boats", "plums"):
            await core.say(f"I like {things}.", speaker, place)
            await core.say("The sky is wide today.", speaker, place)
            await core.passes(timedelta(days=1))


async def test_own_conversations_are_learnt_from_as_far_as_they_may_be_recalled(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("That is good.")) as core:
        await three_places(core)
    sessions = await own(tmp_path)
    assert len(sessions) == 6
    traits = own_material(Skill.EXTRACTOR, sessions, TOPICS, None, Draw())
    found = [*traits.train, *traits.dev, *traits.test]
    assert {(one.source, one.answer) for one in found} == {
        ("I like boats.", "I like boats."),
        ("I like plums.", "I like plums."),
        ("The sky is wide today.", NO_TRAIT),
    }
    parts = [conversations(part) for part in (traits.train, traits.dev, traits.test)]
    assert [len(part) for part in parts] == [1, 1, 1]
    assert len(set.union(*parts)) == 3
    summaries = own_material(Skill.SUMMARIZER, sessions, TOPICS, None, Draw())
    assert "Ann: I like boats." in "\n".join(one.source for one in [*summaries.train, *summaries.dev, *summaries.test])
    settings = load_settings(None, {})
    tuned, untuned = (
        PromptBuilder(
            model=ScriptedChatModel("", skills=skills),
            card=settings.agent,
            settings=settings.prompt,
            reply_tokens=60,
        )
        for skills in ([Skill.GENERATOR], [])
    )
    replies = own_material(Skill.GENERATOR, sessions, TOPICS, (tuned, untuned), Draw())
    assert {one.answer for one in replies.train} == {"That is good."}
    with pytest.raises(BadInput, match="3 conversations"):
        own_material(Skill.EXTRACTOR, sessions[:1], TOPICS, None, Draw())


async def test_what_is_off_the_record_is_not_learnt_from(tmp_path: Path) -> None:
    refused = {"privacy__consent": "ask"}
    async with open_core(tmp_path, model=ScriptedChatModel("That is good."), overrides=refused) as core:
        await three_places(core)
    assert await own(tmp_path) == []

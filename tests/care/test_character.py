"""When a type is guessed, from what, and what becomes of it in a check-in; over the whole core's storage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from bot.care.character import CharacterWork, drawn
from bot.care.reading import Told
from bot.care.threads import Lines
from bot.config import Background, load_settings
from bot.domain import (
    CareWishes,
    Character,
    CheckInState,
    Composed,
    ErasureReason,
    GenerationRequest,
    Selection,
    Utterance,
)
from bot.errors import ConfigError, ModelUnavailable
from bot.llm.scripted import ScriptedChatModel
from bot.persona.character import SAMPLED, CharacterNet
from lab.tuning.weights_files import write_character
from tests.care.checking import CARE, SAID
from tests.care.test_compose import OPENING, TEST, told, writer
from tests.care.writing import WISHES, composer_of, reader_of
from tests.living import ANN, DM, START, OpenCore, open_core

DAY = timedelta(days=1)
TALK = 10
"""Utterances of a talk: nobody may say many more at once."""


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[OpenCore]:
    async with open_core(tmp_path) as opened:
        yield opened


def introvert(core: OpenCore) -> CharacterNet:
    """Weights by which everybody is the same."""
    encoder = core.app.engines.encoder
    about = {"fingerprint": encoder.fingerprint, "dimension": encoder.dimension}
    return CharacterNet(about, np.zeros((4, encoder.dimension), np.float32), np.array([-1, -1, -1, -1], np.float32))


def work_of(
    core: OpenCore, net: CharacterNet | None, model: ScriptedChatModel | None = None, *, minor: bool = False
) -> CharacterWork:
    async def is_minor(_speaker_id: str) -> bool:
        return minor

    stores = core.app.stores
    return CharacterWork(
        characters=stores.characters,
        jobs=stores.jobs,
        clock=core.clock,
        is_minor=is_minor,
        deadline=Background().deadline,
        net=net,
        model=model,
    )


async def guess(core: OpenCore, work: CharacterWork) -> Character | None:
    return await work.of(await reader_of(core).read(DM), core.clock.now())


async def tell(core: OpenCore, count: int) -> None:
    """Talks of the person, over and remembered."""
    for begin in range(0, count, TALK):
        await told(core, *(f"I like number {begin + one}." for one in range(min(TALK, count - begin))))


async def test_nothing_is_guessed_from_less_than_twenty_things(core: OpenCore) -> None:
    await tell(core, SAMPLED - 1)
    assert await guess(core, work_of(core, introvert(core))) is None
    await tell(core, 1)
    found = await guess(core, work_of(core, introvert(core)))
    assert found is not None
    assert (found.type, found.guessed, found.stability) == ("INFP", True, 1.0)
    assert len(found.sources) == SAMPLED
    assert await core.app.stores.characters.of(ANN.id) == found


async def test_it_is_guessed_once_a_calendar_month(core: OpenCore) -> None:
    await tell(core, SAMPLED)
    first = await guess(core, work_of(core, introvert(core)))
    await tell(core, SAMPLED)
    assert await guess(core, work_of(core, introvert(core))) == first
    core.clock.advance(30 * DAY)
    second = await guess(core, work_of(core, introvert(core)))
    assert second is not None
    assert first is not None
    assert second.sources != first.sources, "drawn anew from all that was said before"
    assert await guess(core, work_of(core, introvert(core))) == second


@pytest.mark.parametrize(
    "known",
    [Character(ANN.id, "", off=True), Character(ANN.id, "ESTJ", guessed=False)],
    ids=["off", "said by the person"],
)
async def test_what_the_person_chose_is_left_as_it_is(core: OpenCore, known: Character) -> None:
    await tell(core, SAMPLED)
    await core.app.stores.characters.put(known)
    assert await guess(core, work_of(core, introvert(core))) == (None if known.off else known)
    assert await core.app.stores.characters.of(ANN.id) == known


async def test_what_the_person_says_while_a_guess_is_made_wins(core: OpenCore) -> None:
    await tell(core, SAMPLED)
    wish = Character(ANN.id, "", off=True)

    model = ScriptedChatModel("INTJ", hold=asyncio.Event())
    guessing = asyncio.create_task(guess(core, work_of(core, None, model)))
    while not model.requests:  # noqa: ASYNC110 - the model has no event for it
        await asyncio.sleep(0)
    await core.app.stores.characters.put(wish)
    assert model.hold is not None
    model.hold.set()
    assert await guessing is None
    assert await core.app.stores.characters.of(ANN.id) == wish


async def test_nothing_is_guessed_or_used_of_somebody_under_18(core: OpenCore) -> None:
    await tell(core, SAMPLED)
    assert await guess(core, work_of(core, introvert(core), minor=True)) is None
    assert await core.app.stores.characters.of(ANN.id) == Character(ANN.id, "")
    await core.app.stores.characters.put(Character(ANN.id, "ESTJ", guessed=False))
    assert await guess(core, work_of(core, introvert(core), minor=True)) is None


async def test_a_model_guesses_twice_and_is_not_asked_again_where_it_cannot_say(core: OpenCore) -> None:
    await tell(core, SAMPLED)
    silent = ScriptedChatModel("UNKNOWN")
    work = work_of(core, None, silent)
    assert await guess(core, work) is None
    assert await guess(core, work) is None
    [request] = silent.requests
    assert request.messages[-1].content.count("\n- I like") == SAMPLED
    jobs, today = core.app.stores.jobs, core.clock.now().date()
    spent = await jobs.spend_tokens(today, 0)
    assert spent > 0
    found = await guess(core, work_of(core, None, ScriptedChatModel(["INTJ", "INFJ"])))
    assert found is not None
    assert (found.type, found.stability) == ("INTJ", 0.75)
    assert await jobs.spend_tokens(today, 0) > spent


async def test_a_guess_goes_with_any_of_its_sources_and_is_made_anew_from_the_rest(core: OpenCore) -> None:
    await tell(core, SAMPLED + 1)
    first = await guess(core, work_of(core, introvert(core)))
    assert first is not None
    await core.app.eraser.erase(Selection(utterances=first.sources[:1]), ErasureReason.ASKED)
    assert await core.app.stores.characters.of(ANN.id) == Character(ANN.id, "")
    second = await guess(core, work_of(core, introvert(core)))
    assert second is not None
    assert first.sources[0] not in second.sources
    assert set(first.sources[1:]) <= set(second.sources), "the others stay drawn"


async def test_a_model_is_shown_the_type_and_the_message_goes_with_what_it_comes_from(core: OpenCore) -> None:
    await told(core, TEST)
    await tell(core, SAMPLED)
    await core.passes(5 * DAY)
    model = writer()
    composed = await composer_of(core, model, work_of(core, introvert(core)).of).compose(WISHES, DM, core.clock.now())
    assert isinstance(composed, Composed)
    assert composed.text == OPENING
    sources = (await core.app.stores.characters.of(ANN.id)).sources
    assert len(sources) == SAMPLED
    assert tuple(number for number, _ in composed.toned_by) == sources
    assert TEST in dict(composed.sources).values()
    assert len(composed.sources) < SAMPLED, "what gave it its tone is not what it is about"
    shown = [request.messages[-1].content for request in model.requests]
    about = [prompt for prompt in shown if "<CHARACTERS>" in prompt]
    assert len(about) >= 2
    assert all("Ann is a person with the personality INFP" in prompt for prompt in about)


async def test_rules_use_no_type_and_guess_none(core: OpenCore) -> None:
    await told(core, TEST)
    await tell(core, SAMPLED)
    await core.passes(5 * DAY)
    composed = await composer_of(core, None, work_of(core, introvert(core)).of).compose(WISHES, DM, core.clock.now())
    assert isinstance(composed, Composed)
    assert [words for _, words in composed.sources] == [TEST]
    assert await core.app.stores.characters.of(ANN.id) == Character(ANN.id, "")


def line(number: int, time: datetime) -> Utterance:
    return Utterance(DM, f"m{number}", ANN, "I row.", time, id=number)


def said_on(*times: datetime) -> Told:
    lines = tuple(line(number, time) for number, time in enumerate(times, 1))
    return Told(ANN.id, lines, np.ones((len(times), 4), np.float32), Lines((), np.zeros((0, 0), np.float32)))


def test_what_is_drawn_stays_the_same_for_a_month_and_is_from_before_it() -> None:
    october = [datetime(2026, 10, 1, tzinfo=UTC) + hour * timedelta(hours=1) for hour in range(60)]
    november = [datetime(2026, 11, 1, tzinfo=UTC) + hour * timedelta(hours=1) for hour in range(60)]
    now = november[-1]
    before = drawn(said_on(*october), now, first=True).tolist()
    assert before == sorted(set(before))
    assert len(before) == SAMPLED
    assert drawn(said_on(*october, *november), now + 20 * DAY, first=False).tolist() == before
    assert drawn(said_on(*october), now + 30 * DAY, first=False).tolist() != before
    assert drawn(said_on(*november), now, first=False).size == 0
    assert drawn(said_on(*november), now, first=True).size == SAMPLED
    bare = said_on(*october)
    bare = replace(bare, vectors=np.concatenate([bare.vectors[:19], np.zeros((41, 4), np.float32)]))
    assert drawn(bare, now, first=True).size == 0, "what has no vector yet does not count"


@pytest.mark.parametrize("way", ["off", "model"])
async def test_in_the_running_core_a_type_is_guessed_only_where_the_owner_has_it_on(tmp_path: Path, way: str) -> None:
    def answer(request: GenerationRequest) -> str:
        return "ENTP" if request.messages[-1].content.endswith("TYPE:") else "I see."

    chosen = {**CARE, "care__writer": "model", "care__character": way}
    async with open_core(tmp_path, model=ScriptedChatModel(answer), overrides=chosen) as core:
        await told(core, SAID)
        await tell(core, SAMPLED)
        await core.app.stores.checkins.choose(CareWishes(ANN.id, on=True, place=DM, offered=True))
        core.clock.move_to(START + timedelta(days=4, hours=2, minutes=59))
        await core.app.checkins.planner.plan_anew(ANN.id)
        await core.passes(timedelta(minutes=1))
        [checkin] = await core.app.stores.checkins.latest(10)
        assert checkin.state is CheckInState.SENT
        assert (await core.app.stores.characters.of(ANN.id)).type == ("ENTP" if way == "model" else "")


def test_trained_needs_a_file_that_counts_from_the_settings_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"care\.character_weights"):
        load_settings(None, {}, care__character="trained")
    file = tmp_path / "config.yaml"
    file.write_text("care: {character: trained, character_weights: types.npz}")
    (tmp_path / "types.npz").touch()
    assert load_settings(file, {}).care.character_weights == tmp_path / "types.npz"


async def test_the_weights_of_another_encoder_are_refused_at_the_start(tmp_path: Path) -> None:
    weights = tmp_path / "types.npz"
    write_character(
        CharacterNet({"fingerprint": "x", "dimension": 4}, np.eye(4, dtype=np.float32), np.zeros(4, np.float32)),
        weights,
    )
    chosen = {"care__character": "trained", "care__character_weights": str(weights)}
    with pytest.raises(ModelUnavailable, match="another text encoder"):
        async with open_core(tmp_path / "data", overrides=chosen):
            pass

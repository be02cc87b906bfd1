"""Check-ins in the whole running core, by rules and from what was really said."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain import Asker, Call, CareWishes, CheckInState, Place, PlaceKind, Speaker, Why
from bot.errors import IndexUnusable
from bot.llm.scripted import ScriptedChatModel
from bot.usecases.checkin import checkin_choices
from tests.care.checking import CARE, SAID
from tests.living import ANN, CHANNEL, DM, START, OpenCore, open_core


async def test_a_day_after_the_interview_it_is_asked_about_and_the_answer_continues_it(tmp_path: Path) -> None:
    overrides = {**CARE, "care__offer": False, "care__writer": "rules"}
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=overrides) as core:
        checkins = core.app.stores.checkins
        await core.say(SAID)
        await core.passes(timedelta(hours=2))  # the session ends, and becomes a memory
        await checkins.choose(CareWishes(ANN.id, on=True, place=DM, offered=True))
        core.clock.move_to(START + timedelta(days=4, hours=2, minutes=59))
        assert await core.app.checkins.planner.plan_anew(ANN.id) == START + timedelta(days=4, hours=3)
        await core.passes(timedelta(minutes=1))
        [checkin] = await checkins.latest(10)
        assert (checkin.state, checkin.why) == (CheckInState.SENT, None)
        sent = core.screen.sent[-1]
        assert "interview" in sent.text
        assert sent.choices == checkin_choices(checkin.id)
        await core.say("It went well, I got the job!")
        said = await core.app.recent(DM, 3)
        assert said[0].text == sent.text
        assert len({line.session_id for line in said}) == 1
        assert core.model is not None
        assert "interview" in "".join(message.content for message in core.model.requests[-1].messages)


async def test_somebody_who_was_given_a_crisis_line_is_left_alone(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides={**CARE, "care__offer": False}) as core:
        checkins = core.app.stores.checkins
        await checkins.choose(CareWishes(ANN.id, on=True, place=DM, offered=True))
        await core.say("I want to kill myself.")
        await core.passes(timedelta(hours=3))
        planned = (await checkins.wishes(ANN.id)).next_at
        assert planned is not None
        assert planned >= START + timedelta(days=14)
        assert Why.HELP in {
            why
            for _, why in await core.app.checkins.planner.explain(
                await checkins.wishes(ANN.id), core.clock.now(), core.clock.now() + timedelta(days=2)
            )
        }


async def planned_for_ann(core: OpenCore) -> None:
    """Ann has told of her interview, and wants check-ins."""
    await core.say(SAID)
    await core.passes(timedelta(hours=2))
    await core.app.stores.checkins.choose(CareWishes(ANN.id, on=True, place=DM, offered=True))
    core.clock.move_to(START + timedelta(days=4, hours=2, minutes=59))
    await core.app.checkins.planner.plan_anew(ANN.id)


async def test_without_an_index_there_is_no_check_in_and_nothing_dies(tmp_path: Path) -> None:
    overrides = {**CARE, "care__offer": False, "care__writer": "rules"}
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=overrides) as core:
        await planned_for_ann(core)

        async def broken(*_ids: object) -> None:
            raise IndexUnusable("gone")

        core.app.stores.index.load = broken  # type: ignore[method-assign, assignment]  # its files cannot be read
        await core.passes(timedelta(minutes=1))
        [checkin] = await core.app.stores.checkins.latest(10)
        assert (checkin.state, checkin.why) == (CheckInState.SKIPPED, Why.MODEL)


@pytest.mark.parametrize("how", ["to others", "by an edit"])
async def test_danger_that_brings_no_help_text_is_noted(tmp_path: Path, how: str) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides={**CARE, "care__offer": False}) as core:
        checkins = core.app.stores.checkins
        await checkins.choose(CareWishes(ANN.id, on=True, place=DM, offered=True))
        if how == "to others":
            await core.app.visible({CHANNEL: True})
            await core.say("I want to kill myself.", place=CHANNEL, to_bot=False)
        else:
            await core.say("I am tired.", message_id="tired")
            assert await core.app.edited("test", "tired", "I want to kill myself.")
        await core.passes(timedelta(hours=3))
        assert (await checkins.circumstances(ANN.id, core.clock.now())).helped == START
        assert ((await checkins.wishes(ANN.id)).next_at or START) >= START + timedelta(days=14)


@pytest.mark.parametrize("button", ["checkin snooze", "checkin less", "checkin why", "checkin off"])
async def test_whoever_presses_a_button_has_answered(tmp_path: Path, button: str) -> None:
    overrides = {**CARE, "care__offer": False, "care__writer": "rules"}
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=overrides) as core:
        await planned_for_ann(core)
        await core.passes(timedelta(minutes=1))
        checkins = core.app.stores.checkins
        [checkin] = await checkins.latest(10)
        assert (await checkins.circumstances(ANN.id, core.clock.now())).unanswered == 1
        core.clock.advance(timedelta(minutes=1))
        stranger = Asker(Speaker("test:eve", "Eve"), Place("test", PlaceKind.DM, "eve"))
        call = Call(button, (("number", str(checkin.id)),))
        await core.app.command(call, stranger)
        assert (await checkins.circumstances(ANN.id, core.clock.now())).unanswered == 1
        await core.app.command(call, Asker(ANN, DM))
        assert (await checkins.circumstances(ANN.id, core.clock.now())).unanswered == 0

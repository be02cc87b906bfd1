"""A life with check-ins, from the command that switches them on to the words that are erased."""

from datetime import timedelta
from pathlib import Path

from bot.domain import Answer, Asker, Call, Choice, Opened, Why
from bot.llm.scripted import ScriptedChatModel
from bot.texts import forgetting
from lab.replay.meantime import ReadMeantime
from tests.care.checking import CARE
from tests.living import ANN, DM, START, OpenCore, holding, open_core
from tests.memory.cleaning import clean_now

EXAM = "My chemistry exam is on Friday."
GARDEN = "The tomatoes in our garden grow on the southern wall beside the old pear tree."
MORE = "The tomatoes in our garden beside the old pear tree are ripe, and those on the southern wall are green."
OVERRIDES: dict[str, object] = {**CARE, "care__writer": "rules", "care__zone": "", "care__every_days": 2}


async def asked(core: OpenCore, command: str, **arguments: str) -> Answer:
    """The answer to a command of Ann's."""
    return await core.app.command(Call(command, tuple(arguments.items())), Asker(ANN, DM))


async def pressed(core: OpenCore, answer: Answer, label: str) -> Answer:
    """The answer to one of its buttons."""
    [choice] = [choice for row in answer.choices for choice in row if choice.label == label]
    assert isinstance(choice, Choice)
    return await core.app.command(choice.call, Asker(ANN, DM))


async def opened(core: OpenCore) -> Opened | None:
    """What the last session of the DM was opened with."""
    [last] = await core.app.recent(DM, 1)
    return await core.app.stores.checkins.opened(last.session_id)


async def told_and_switched_on(core: OpenCore) -> ReadMeantime:
    """Ann tells of her garden and of her exam, and switches check-ins on."""
    await core.say(GARDEN, to_bot=False)
    await core.say(MORE, to_bot=False)
    await core.passes(timedelta(hours=1))
    await core.say(EXAM)
    await asked(core, "checkin on")
    await asked(core, "checkin timezone", place="UTC")
    await core.passes(timedelta(hours=1))
    return ReadMeantime(core.app, core.clock, [ANN.id])


async def test_luck_before_the_exam_then_how_it_went_and_the_answer_goes_on_from_there(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=OVERRIDES) as core:
        meantime = await told_and_switched_on(core)
        assert await meantime.until(START + timedelta(days=6)) == 2
        luck, how = meantime.come[ANN.id]
        assert luck.time == START + timedelta(days=3, hours=3)
        assert "tomorrow" in luck.text
        assert how.time == START + timedelta(days=5, hours=3)
        assert [line.text for line in how.lines] == [EXAM]
        assert "tomorrow" not in how.text
        assert how.text.endswith("?")
        assert how.checkin.scores is not None
        assert how.checkin.scores.total > 0
        assert [one.text for one in core.screen.sent] == ["I see.", luck.text, how.text]

        await core.say("It went well, thank you.")
        said = await core.app.recent(DM, 3)
        assert [line.text for line in said] == [how.text, "It went well, thank you.", "I see."]
        assert len({line.session_id for line in said}) == 1
        assert core.model is not None
        prompt = "".join(message.content for message in core.model.requests[-1].messages)
        assert how.background in prompt
        assert how.intention in prompt


async def test_another_subject_takes_over_and_nothing_about_the_exam_comes_again(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=OVERRIDES) as core:
        meantime = await told_and_switched_on(core)
        await meantime.until(START + timedelta(days=6))
        await core.say("The tomatoes in our garden beside the pear tree, on the southern wall, grow.")
        turned = await opened(core)
        assert turned is not None
        assert "tomatoes" in turned.background
        assert core.model is not None
        prompt = "".join(message.content for message in core.model.requests[-1].messages)
        assert turned.background in prompt
        number = len(meantime.come[ANN.id])
        await core.passes(timedelta(hours=1))
        await meantime.until(START + timedelta(days=90))
        assert not [come.text for come in meantime.come[ANN.id][number:] if "exam" in come.text]
        assert Why.NOTHING.value in {one.reason for one in meantime.silent[ANN.id]}


async def test_a_talk_that_turns_goes_on_in_a_session_of_its_own_with_its_context(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=OVERRIDES) as core:
        meantime = await told_and_switched_on(core)
        await meantime.until(START + timedelta(days=6))
        await core.say("The chemistry exam is on my mind.")
        for text in ("Violins sound nice.", "Purple elephants dance wildly."):
            await core.say(text)
        await core.say("The tomatoes in our garden beside the old pear tree, on the southern wall, grow.")
        said = await core.app.recent(DM, 9)
        assert [line.text for line in said[-6::2]] == [
            "Violins sound nice.",
            "Purple elephants dance wildly.",
            "The tomatoes in our garden beside the old pear tree, on the southern wall, grow.",
        ]
        assert len({line.session_id for line in said[-6:]}) == 1, "the last three with their replies"
        assert said[-7].session_id != said[-6].session_id
        await core.say("They are nearly ripe.")
        assert core.model is not None
        prompt = "".join(message.content for message in core.model.requests[-1].messages)
        turned = await opened(core)
        assert turned is not None
        assert "tomatoes" in turned.background
        assert turned.background in prompt
        assert "Purple elephants dance wildly." in prompt, "the talk has its context"


async def test_forgetting_the_exam_erases_what_was_asked_about_it(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=OVERRIDES) as core:
        meantime = await told_and_switched_on(core)
        await meantime.until(START + timedelta(days=6))
        how = meantime.come[ANN.id][-1]
        await core.passes(timedelta(minutes=1))
        preview = await asked(core, "memory forget", what="chemistry exam")
        assert preview.choices
        await pressed(core, preview, forgetting.ERASE)
        assert await clean_now(core.app.eraser, 10.0)
        assert not await core.app.stores.utterances.get([how.checkin.utterance_id, how.lines[0].id])
        row = await core.app.stores.checkins.get(how.checkin.id)
        assert row is not None
        assert row.utterance_id == 0
        for words in ("chemistry", how.text, how.background):
            assert holding(tmp_path, words) == []
        assert await meantime.until(START + timedelta(days=60)) == 0


async def test_after_help_nothing_comes_for_as_long_as_the_settings_say(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=OVERRIDES) as core:
        meantime = await told_and_switched_on(core)
        await core.say("I want to kill myself.")
        await core.passes(timedelta(hours=1))
        assert await meantime.until(START + timedelta(days=14)) == 0
        assert {one.reason for one in meantime.silent[ANN.id]} == {Why.HELP.value}
        assert await meantime.until(START + timedelta(days=17)) == 1, "the exam is not forgotten"

"""While the companion runs on, no file holds the id of who or what was erased as a whole, in rows or beside them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from bot.domain import Asker, Call, Place, PlaceKind, Utterance
from bot.llm.scripted import ScriptedChatModel
from bot.storage.conversation.inbox import UNSEEN
from tests.living import ANN, BOB, CHANNEL, DM, holding, open_core
from tests.memory.cleaning import clean_now
from tests.postgres import Server

BOBS_DM = Place("test", PlaceKind.DM, "bob")
GRACE = timedelta(days=60)
LONG = timedelta(hours=5)


async def test_who_had_everything_erased_leaves_no_id(tmp_path: Path, server: Server | None) -> None:
    overrides = {"storage__database_url": await server.fresh()} if server is not None else {}
    async with open_core(tmp_path, model=ScriptedChatModel("How nice."), overrides=overrides) as core:
        await core.say("I live in Leeds.")
        await core.passes(LONG)
        folders = [tmp_path] if server is None else [tmp_path, server.data]
        assert all(any(holding(folder, text) for folder in folders) for text in (ANN.id, "I live in Leeds."))
        asked = await core.app.command(Call("memory forget", (("what", "everything"),)), Asker(ANN, DM))
        yes = next(choice for row in asked.choices for choice in row if choice.call.get("step") == "yes")
        await core.app.command(yes.call, Asker(ANN, DM))
        assert await clean_now(core.app.eraser, 20)
        assert [holding(folder, text) for folder in folders for text in (ANN.id, DM.key, "Leeds")] == [[]] * 3 * len(
            folders
        )


async def test_a_server_that_was_left_leaves_no_id_and_no_names_of_those_known_from_there_alone(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("How nice.")) as core:
        await core.say("I live in Leeds.", place=CHANNEL)
        await core.say("I live in Hull.", speaker=BOB, place=CHANNEL)
        await core.say("Hello!", speaker=BOB, place=BOBS_DM)
        await core.passes(LONG)
        await core.app.left("test", "home")
        await core.passes(GRACE)
        assert await clean_now(core.app.eraser, 20)
        assert holding(tmp_path, CHANNEL.ref) == holding(tmp_path, "test:home") == []
        assert holding(tmp_path, ANN.id) == []
        assert holding(tmp_path, BOB.id)


async def test_in_others_replies_to_who_opted_out_there_is_no_id_of_what_they_wrote(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("How nice.")) as core:
        command = Call("privacy channel", (("state", "out"),))
        await core.app.command(command, Asker(ANN, CHANNEL, may_manage=True))
        now = core.clock.now()
        assert not await core.app.receive(Utterance(CHANNEL, "anns-7751", ANN, "I hide.", now, to_bot=False))
        await core.say("I live in Hull.", speaker=BOB, place=CHANNEL, message_id="bobs-1")
        for message_id, replied in (("bobs-2", "anns-7751"), ("bobs-3", "bobs-1")):
            said = Utterance(CHANNEL, message_id, BOB, "Well said!", now, to_bot=False, reply_to=replied)
            assert await core.app.receive(said)
            await core.app.idle()
        links = {one.message_id: one.reply_to for one in await core.app.recent(CHANNEL, 10)}
        assert (links["bobs-2"], links["bobs-3"]) == (UNSEEN, "bobs-1")
        assert holding(tmp_path, "anns-7751") == []

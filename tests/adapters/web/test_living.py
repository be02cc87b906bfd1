"""The page over the whole core: check-ins that were really made, what comes next, and an owner's last prompt."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from html import unescape
from pathlib import Path
from unittest.mock import Mock

import httpx
import pytest

from adapters.pace import COMMANDS_PER_MINUTE, Pace
from adapters.web.app import build_page
from adapters.web.sessions import Sessions
from adapters.web.visiting import Page
from bot.app.assembly import build_last_prompts
from bot.commands.meantime import Meantime
from bot.config import load_settings
from bot.conversation.prompt import Prompt
from bot.domain import Asker, Call, Place, ProcessRole, Recollection, Session, Speaker, Utterance
from bot.llm.scripted import ScriptedChatModel
from bot.storage.stores import Shared
from bot.usecases.links import OWNER
from bot.usecases.memory import dm_of
from tests.adapters.web.visits import ADDRESS, CSRF, NONCE, Backstage
from tests.care.checking import CARE
from tests.care.test_life import EXAM, OVERRIDES
from tests.living import ANN, BOB, CHANNEL, DM, START, OpenCore, open_core

SAME_SITE = {"origin": ADDRESS, "sec-fetch-site": "same-origin"}
OWNED: dict[str, object] = {"owners": [ANN.id], "prompt__shrink_for_small_models": False}
SECRET = "The bees live behind the chapel in Leeds."
BOBS_DM = Place("test", DM.kind, "bob")


@dataclass
class Looker:
    """Somebody's browser on the page of a running core."""

    core: OpenCore
    client: httpx.AsyncClient

    async def at(self, path: str) -> str:
        """A page, as text."""
        return unescape((await self.client.get(path)).text)

    async def do(self, command: str, back: str, **fields: str) -> str:
        """Sends a form, and the page that it leads to."""
        self.core.clock.advance(timedelta(minutes=1))  # forms have a pace
        csrf = unescape(CSRF.findall((await self.client.get(back)).text)[0])
        sent = {"csrf": csrf, "back": back, "command": command, **fields}
        answered = await self.client.post("/do", data=sent, headers=SAME_SITE)
        assert answered.status_code == 303
        return await self.at(answered.headers["location"])


@asynccontextmanager
async def looking_in(core: OpenCore, asker: Asker) -> AsyncIterator[Looker]:
    """The page of a running core, entered by a link."""
    app = core.app
    page = Page(
        core=app,
        looking=app.commands.looking,
        planned=app.commands.planned,
        overseeing=app.commands.overseeing,
        links=app.links,
        settings=app.settings,
        backstage=Backstage(),
        sessions=Sessions(core.clock),
        pace=Pace(core.clock, COMMANDS_PER_MINUTE),
    )
    async with httpx.AsyncClient(transport=httpx.ASGITransport(build_page(page)), base_url=ADDRESS) as client:
        door = f"/in/{app.links.issue(asker)}"
        [nonce] = NONCE.findall((await client.get(door)).text)
        assert (await client.post(door, data={"nonce": nonce}, headers=SAME_SITE)).status_code == 303
        yield Looker(core, client)


def alone(speaker: Speaker = ANN, *, owner: bool = False) -> Asker:
    """Somebody who came by `/web`."""
    asker = Asker(speaker, DM, is_owner=owner, may_manage=True)
    return Asker(speaker, dm_of(asker), is_owner=owner, may_manage=True)


async def switched_on(core: OpenCore) -> Meantime:
    """Ann tells of her exam, and switches check-ins on."""
    await core.say(EXAM)
    await core.app.command(Call("checkin on"), alone())
    await core.app.command(Call("checkin timezone", (("place", "UTC"),)), alone())
    await core.passes(timedelta(hours=1))
    return Meantime(core.app, core.clock, [ANN.id])


async def test_what_is_planned_is_told_with_its_reason_and_what_came_with_its_own(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=OVERRIDES) as core:
        async with looking_in(core, alone()) as ann:
            assert "None is planned." in await ann.at("/checkins?planned=now")
            assert "Check-ins are off, so none will come." in await ann.at("/checkins/planned")
        meantime = await switched_on(core)
        await meantime.until(START + timedelta(days=4))
        async with looking_in(core, alone()) as ann, looking_in(core, alone(BOB)) as bob:
            ahead = await ann.at("/checkins/planned")
            assert "I would ask about this:" in ahead
            assert f"<p>{EXAM}</p>" in ahead
            assert "To hear how it went." in ahead
            assert EXAM not in await bob.at("/checkins?planned=now")
            await ann.client.post(
                "/language", data={"csrf": CSRF.findall(await ann.at("/checkins"))[0], "language": "de"}
            )
        await meantime.until(START + timedelta(days=5, hours=4))
        [how, luck] = await core.app.stores.checkins.latest(2, ANN.id, sent=True)
        async with looking_in(core, alone()) as ann:
            shown = await ann.at("/checkins")
            assert shown.count("<strong>sent</strong>") == 2
            assert "<strong>not sent</strong>: nothing you had told me was a reason to write" in shown
            told = await ann.do("checkin why", "/checkins", number=str(luck.id))
            assert "I wrote that because of what you told me:" in told
            assert EXAM in told
            assert "What I wanted: To wish them luck for it." in told
            assert "nothing that I would ask about" in await ann.at("/checkins/planned")
        async with looking_in(core, alone(BOB)) as bob:
            assert "I have not written to you first yet." in await bob.at("/checkins")
            assert EXAM not in await bob.do("checkin why", "/checkins", number=str(how.id))


async def test_less_often_not_before_tomorrow_and_the_end_of_a_pause_are_buttons(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides={**CARE, **OVERRIDES}) as core:
        await switched_on(core)
        async with looking_in(core, alone()) as ann:
            assert "All right, less often: once every 4 days" in await ann.do("checkin less", "/checkins", x="")
            assert "Nothing comes before tomorrow." in await ann.do("checkin snooze", "/checkins", x="")
            shown = await ann.at("/checkins")
            assert "Paused until" in shown
            assert "End the pause" in shown
            assert "The pause is over." in await ann.do("checkin pause", "/checkins", span="off")
            assert "End the pause" not in await ann.at("/checkins")


async def test_the_owner_sees_the_last_prompt_of_their_own_chat_without_what_others_said(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=OWNED) as core:
        await core.say("I like the bees in Leeds.", place=CHANNEL, to_bot=False)
        await core.say(SECRET, BOB, CHANNEL, to_bot=False)
        await core.say("I moved to Leeds for the bees.")
        await core.passes(timedelta(hours=3))
        await core.say("Where do the bees in Leeds live?")
        assert core.model is not None
        real = core.model.requests[-1].messages
        assert any(SECRET.rstrip(".") in message.content for message in real), "the model was shown it"
        async with looking_in(core, OWNER) as bare, looking_in(core, alone(owner=True)) as ann:
            for visit in (bare, ann):
                shown = await visit.at("/owner/prompt")
                assert real[0].content.splitlines()[0] in shown
                assert "Where do the bees in Leeds live?" in shown
                assert "[You remember: I said" in shown, "what she and the companion alone said"
                assert "others spoke in them: 2" in shown, "the dialogue, and what became of it"
                assert "chapel" not in shown
                assert "chapel" not in await visit.at("/owner")
        async with looking_in(core, alone(BOB)) as bob:
            assert (await bob.client.get("/owner/prompt")).status_code == 404
        async with looking_in(core, alone(BOB, owner=True)) as other:
            assert "Where do the bees" not in await other.at("/owner/prompt")


@pytest.mark.parametrize("how", ["forget", "decide", "edit"])
async def test_the_last_prompt_goes_when_anything_is_erased_edited_or_decided(tmp_path: Path, how: str) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=OWNED) as core:
        await core.say("I have a cat.", BOB, BOBS_DM, message_id="bobs")
        await core.say("I keep bees.")
        async with looking_in(core, OWNER) as bare:
            assert "I keep bees." in await bare.at("/owner/prompt")
            if how == "forget":
                await core.app.deleted("test", ["bobs"])
            elif how == "edit":
                await core.app.edited("test", "bobs", "I have a dog.")
            else:
                await core.app.command(Call("privacy age", (("age", "minor"),)), alone(BOB))
            assert "There is none." in await bare.at("/owner/prompt")


async def test_whose_prompt_it_is_cannot_be_told_where_the_settings_name_several(tmp_path: Path) -> None:
    owned = {**OWNED, "owners": [ANN.id, BOB.id]}
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=owned) as core:
        await core.say("I keep bees.")
        async with looking_in(core, OWNER) as bare, looking_in(core, alone(owner=True)) as ann:
            assert "Whose it would be cannot be told" in await bare.at("/owner/prompt")
            assert "I keep bees." in await ann.at("/owner/prompt")


async def test_nothing_of_a_channel_is_kept(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=OWNED) as core:
        await core.say("I keep bees.", place=CHANNEL)
        async with looking_in(core, OWNER) as bare:
            assert "There is none." in await bare.at("/owner/prompt")


async def test_nothing_of_a_session_with_anything_off_the_record_is_kept(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("I see."), overrides=OWNED) as core:
        await core.app.command(Call("privacy pause", (("state", "on"),)), alone())
        await core.say(SECRET)
        await core.app.command(Call("privacy pause", (("state", "off"),)), alone())
        await core.say("I keep bees.")
        assert core.model is not None
        assert SECRET in "".join(message.content for message in core.model.requests[-1].messages)
        async with looking_in(core, OWNER) as bare:
            assert "There is none." in await bare.at("/owner/prompt")
        await core.passes(timedelta(hours=3))
        await core.say("They are well.")
        async with looking_in(core, OWNER) as bare:
            assert "They are well." in await bare.at("/owner/prompt")


@pytest.mark.parametrize("role", ProcessRole)
def test_of_several_processes_none_keeps_a_prompt(role: ProcessRole) -> None:
    settings = load_settings(None, {}, owners=[ANN.id])
    said = Utterance(DM, "1", ANN, "I keep bees.", START)
    prompt = Prompt((), 0, Recollection(), ())
    shared = Shared(*(Mock() for _ in range(len(fields(Shared)))))
    shared = replace(shared, role=role)
    for kept, prompts in ((True, build_last_prompts(settings, None)), (False, build_last_prompts(settings, shared))):
        prompts.keep([said], Session(1, DM, (said,)), prompt, prompts.mark)
        assert (prompts.of([ANN.id]) is not None) == kept

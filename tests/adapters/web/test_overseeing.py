"""What the owner's page tells of servers, modes and tokens: numbers, and names of channels."""

from __future__ import annotations

from datetime import timedelta

from bot.config import load_settings
from bot.domain import ChannelMode, Place
from bot.usecases.links import OWNER
from tests.adapters.web.visits import open_visit
from tests.looking import spend
from tests.stored import ANN, BEN, HALL, START
from tests.usecases.asking import in_dm

SERVER = f"{HALL.platform}:{HALL.server}"


async def test_servers_are_listed_with_the_modes_of_their_channels() -> None:
    async with open_visit(OWNER) as visit:
        before = (await visit.client.get("/owner")).text
        assert f"<strong>Home</strong> ({HALL.platform.capitalize()}): mention" in before
        assert "from the settings" in before
        channels, whole = visit.asking.rows.channels, HALL.whole_server
        known = len((await channels.everywhere())[HALL.platform, HALL.server or ""])
        assert whole is not None
        await channels.set_mode(whole, ChannelMode.OPEN, ANN.id)
        [server] = (await visit.asking.commands.overseeing.servers(OWNER)).shown
        assert (server.name, server.known) == ("Home", known)
        await channels.set_public({Place(HALL.platform, HALL.kind, f"{HALL.server}/a"): True})
        [server] = (await visit.asking.commands.overseeing.servers(OWNER)).shown
        assert (server.name, server.known) == ("Home", known + 1), "where nothing was said there is no name"
        await channels.set_mode(HALL, ChannelMode.OFF, ANN.id)
        after = (await visit.client.get("/owner")).text
        assert "<p>#hall in Home: off</p>" in after
        assert '): open <span class="meta">chosen there</span>' in after
        assert "bakery" not in after
        await channels.left(HALL.platform, HALL.server or "", START)
        assert "I am on no server and in no group." in (await visit.client.get("/owner")).text


async def test_the_tokens_of_today_stand_against_the_days_budgets() -> None:
    async with open_visit(OWNER) as visit:
        rows, today = visit.asking.rows, START.date()
        visit.asking.settings = load_settings(None, {}, limits__person_daily_tokens=9000, web__enabled=True)
        await rows.jobs.spend_tokens(today, 1234)
        await spend(rows.usage, today, [ANN.id, SERVER], 5000)
        await spend(rows.usage, today, [BEN.id], 700)
        await spend(rows.usage, today - timedelta(days=1), [BEN.id], 40_000)
        tokens = await visit.asking.commands.overseeing.tokens(OWNER)
        assert tokens is not None
        assert (tokens.background, tokens.background_budget) == (1234, 500_000)
        assert (tokens.replies, tokens.people, tokens.most_of_one, tokens.person_budget) == (5700, 2, 5000, 9000)
        assert (tokens.most_of_server, tokens.server_budget) == (5000, 0)
        shown = (await visit.client.get("/owner")).text
        for told in ("1,234 of 500,000", "</strong> 5,700<", "5,000, without a limit", "tokens today: 5,000"):
            assert told in shown
        assert "40,000" not in shown


async def test_whoever_is_no_owner_is_told_nothing() -> None:
    async with open_visit() as visit:
        overseeing = visit.asking.commands.overseeing
        assert await overseeing.tokens(in_dm()) is None
        assert (await overseeing.servers(in_dm())).shown == ()
        assert (await overseeing.prompt(in_dm())).kept is None


async def test_settings_are_found_by_a_word_and_those_of_most_owners_come_first() -> None:
    async with open_visit(OWNER) as visit:
        shown = (await visit.client.get("/owner/settings")).text
        assert shown.index("agent.name") < shown.index("<details") < shown.index("web.enabled")
        found = (await visit.client.get("/owner/settings?words=Page%20is%20SERVED")).text
        assert "web.enabled" in found
        assert "agent.name" not in found

"""More in one channel than may wait, on our Discord: what is refused stays refused, and the order is kept."""

from __future__ import annotations

from pathlib import Path

from bot import texts
from tests.platform.discord_client import Home
from tests.platform.test_discord_faults import answered, ask, living, said


async def test_what_was_refused_is_not_answered_later_and_its_notice_stays(home: Home, tmp_path: Path) -> None:
    place, notice = home.kitchen, texts.PLACE_FULL.format(count=2)
    async with living(home.server, tmp_path, queue__max_pending=2, channels__mode="mention") as life:
        await home.server.until_connected()
        await ask(home, place, 0)
        await answered(home, place, 0)
        await life.app.idle()
        for number in range(1, 5):  # one person's would be one turn
            asker = (home.ann, home.bob)[number % 2]
            await home.server.say(asker, place, f"{home.server.bot.mention} question {number}")
        for number in (2, 5):
            await answered(home, place, number)
            await life.app.idle()
            await ask(home, place, number + 3)
        await answered(home, place, 8)
        before = [one.content for one in home.server.replies(place)]
        assert before.count(notice) == 1
        assert [text for text in before if text != notice] == [said(number) for number in (0, 1, 2, 5, 8)]
        refused = next(one for one in home.server.replies(place) if one.content == notice)
        assert home.server.world.messages[refused.reference or 0].content.endswith("question 3")
        await home.server.gateway.close(4009, forget=True)  # a new session reads what it may have missed
        await home.server.until(lambda: home.server.gateway.identified == 2)
        await ask(home, place, 9)
        await answered(home, place, 9)
        await life.app.idle()
        assert [one.content for one in home.server.replies(place)] == [*before, said(9)]
    async with living(home.server, tmp_path, queue__max_pending=2, channels__mode="mention") as life:
        await home.server.until(lambda: home.server.gateway.identified == 3)
        await ask(home, place, 10)
        await answered(home, place, 10)
        await life.app.idle()
        assert [one.content for one in home.server.replies(place)] == [*before, said(9), said(10)]

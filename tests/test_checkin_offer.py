"""Check-ins as the conversation brings them up, over the whole core: offered once, and refused in ordinary words."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from bot.domain import CareWishes, Consent, Privacy
from bot.llm.scripted import ScriptedChatModel
from bot.texts import checkin as texts
from tests.living import ANN, DM, OpenCore, open_core

REPLY = "I am glad that you told me."
OWN_WORDS: dict[str, object] = {
    "memory__summariser": "extractive",
    "persona__extractor": "extractive",
    "care__offer": True,
}


async def talks(core: OpenCore, number: int) -> None:
    """Conversations in private, each of them over."""
    for talk in range(number):
        await core.say(f"I planted {talk + 2} apple trees with my sister.")
        await core.passes(timedelta(hours=8))


def offers(core: OpenCore) -> int:
    return [sent.text for sent in core.screen.sent].count(texts.OFFER)


async def test_it_is_offered_once_after_a_reply_and_never_again(tmp_path: Path) -> None:
    model = ScriptedChatModel(REPLY)
    async with open_core(tmp_path, model=model, overrides=OWN_WORDS) as core:
        await core.app.consents.decide(Privacy(ANN.id, consent=Consent.AGREED))
        await talks(core, 3)
        assert offers(core) == 0
        await core.say("Hello again.")
        assert [sent.text for sent in core.screen.sent[-2:]] == [REPLY, texts.OFFER]
        labels = [choice.label for row in core.screen.sent[-1].choices for choice in row]
        assert labels == [texts.YES_PLEASE, texts.NO_THANKS, texts.WHAT_IS_THAT]
        await core.say("And again.")
    async with open_core(tmp_path, model=model, start=core.clock.now(), overrides=OWN_WORDS) as core:
        await core.say("And once more.")
        assert offers(core) == 0
        assert texts.OFFER not in [said.text for said in await core.app.recent(DM, 50)]


async def test_after_help_nothing_is_offered(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel(REPLY), overrides=OWN_WORDS) as core:
        await core.app.consents.decide(Privacy(ANN.id, consent=Consent.AGREED))
        await talks(core, 3)
        await core.say("I want to kill myself.")
        await core.say("Thank you.")
        assert offers(core) == 0


async def test_who_says_stop_in_ordinary_words_is_not_written_to_any_more(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel(REPLY), overrides=OWN_WORDS) as core:
        next_at = core.clock.now() + timedelta(days=1)
        await core.app.stores.checkins.choose(CareWishes(ANN.id, on=True, place=DM, zone="UTC", next_at=next_at))
        await core.say("Please stop checking in on me.")
        assert core.screen.sent[-1].text == texts.OFF
        assert [choice.label for row in core.screen.sent[-1].choices for choice in row] == [texts.UNDO]
        wishes = await core.app.stores.checkins.wishes(ANN.id)
        assert (wishes.on, wishes.next_at) == (False, None)

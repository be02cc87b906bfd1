"""`/persona show`."""

from __future__ import annotations

from bot.config import load_settings
from bot.domain import AGENT_ID, Call
from bot.texts import commands as texts
from bot.usecases.persona import MOST_SHOWN
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL
from tests.usecases.asking import in_channel, in_dm, open_asking


async def test_what_it_takes_somebody_to_be_like_is_grouped_by_place() -> None:
    async with open_asking() as asking:
        assert await asking.ask("/persona show") == texts.NO_TRAITS
        private = await asking.talk(ANNS_DM, [(ANN, "I sail and sing.")])
        hall = await asking.talk(HALL, [(ANN, "I row."), (BEN, "I bake.")], name="#hall")
        for said, text in [
            (private.utterances[0], "I sail."),
            (hall.utterances[0], "I row."),
            (hall.utterances[1], "I bake."),
            (private.utterances[0], "I sing."),
        ]:
            await asking.learn(said, text)
        words = await asking.ask("/persona show me")
    assert words.splitlines()[1:] == ["In private:", "- I sail.", "- I sing.", "", "In #hall:", "- I row."]


async def test_many_traits_are_cut_and_counted() -> None:
    async with open_asking() as asking:
        session = await asking.talk(ANNS_DM, [(ANN, "Much.")])
        for number in range(MOST_SHOWN + 2):
            await asking.learn(session.utterances[0], f"I like {number}.")
        words = await asking.ask("/persona show")
    assert "- I like 2." in words
    assert "- I like 1." not in words
    assert words.endswith("… and 2 more; /memory list has all of them.")


async def test_the_companion_shows_its_card_and_what_it_said_of_itself_here() -> None:
    async with open_asking() as asking:
        asking.settings = load_settings(
            None, {}, agent__name="Mo_ni", agent__card="a calm one", agent__traits=["I *am*."]
        )
        assert (
            await asking.ask("/persona show companion")
            == f"I am Mo_ni, a calm one.\n- I *am*.\n\n{texts.NOTHING_LEARNT}"
        )
        for place, speaker, text in [
            (ANNS_DM, ANN, "I love rain."),
            (BENS_DM, BEN, "I love sun."),
            (HALL, BEN, "I hum."),
        ]:
            session = await asking.talk(place, [(speaker, "And you?")], reply=text)
            assert session.utterances[1].speaker.id == AGENT_ID
            await asking.learn(session.utterances[1], text)
        to_ann = await asking.ask("/persona show companion", in_dm(ANN))
        to_ben = await asking.ask("/persona show companion", in_dm(BEN))
        in_hall = await asking.ask("/persona show companion", in_channel(ANN))
    assert [text in to_ann for text in ("love rain", "love sun", "hum")] == [True, False, False]
    assert [text in to_ben for text in ("love rain", "love sun", "hum")] == [False, True, True]
    assert [text in in_hall for text in ("love rain", "love sun", "hum")] == [False, False, True]


async def test_each_side_leads_to_the_other() -> None:
    async with open_asking() as asking:
        mine = await asking.answer("/persona show")
        [[to_companion]] = mine.choices
        assert to_companion.call == Call("persona show", (("whose", "companion"),))
        theirs = await asking.commands.run(to_companion.call, in_dm())
        [[back]] = theirs.choices
        assert await asking.commands.run(back.call, in_dm()) == mine

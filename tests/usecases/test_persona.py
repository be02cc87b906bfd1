"""`/persona show`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.config import load_settings
from bot.domain import AGENT_ID, Answer, Call, Character, Choice
from bot.texts import character as types
from bot.texts import commands as texts
from bot.usecases.persona import MOST_SHOWN
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL
from tests.usecases.asking import Asking, in_channel, in_dm, open_asking


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


def guessing(asking: Asking) -> Asking:
    """The same, where the owner has personality types on."""
    asking.settings = load_settings(None, {}, care__character="model")
    return asking


def choices(answer: Answer) -> list[Choice]:
    return [choice for row in answer.choices for choice in row]


async def guessed(asking: Asking) -> Character:
    session = await asking.talk(ANNS_DM, [(ANN, "I read a lot."), (ANN, "I like it quiet.")])
    known = Character(ANN.id, "INFP", stability=0.75, sources=tuple(line.id for line in session.utterances[:2]))
    assert await asking.rows.characters.put(known)
    return known


@pytest.mark.parametrize("line", ["/persona show", "/persona character"])
async def test_a_guessed_type_is_shown_as_a_guess_with_ways_out(line: str) -> None:
    async with open_asking() as asking:
        guessing(asking)
        assert types.DESCRIPTIONS["INFP"] not in await asking.ask(line)
        await guessed(asking)
        answer = await asking.answer(line)
        words = await asking.ask(line)
        others = await asking.ask(line, in_dm(BEN))
    assert f"I would say INFP: somebody who {types.DESCRIPTIONS['INFP']}." in words
    assert "a guess from 2 things" in words
    assert "never used as a fact" in words
    assert "75%" in words
    assert answer.private
    assert Call("persona character", (("letters", "off"),)) in [choice.call for choice in choices(answer)]
    assert "INFP: somebody" not in others


async def test_that_is_wrong_leads_to_all_sixteen_and_to_none() -> None:
    async with open_asking() as asking:
        guessing(asking)
        await guessed(asking)
        [wrong] = [one for one in choices(await asking.answer("/persona show")) if one.label == types.WRONG]
        answer = await asking.commands.run(wrong.call, in_dm())
        assert [choice.label for choice in choices(answer)] == [*types.TYPES, types.GUESS, types.NONE]
        assert all(len(row) <= 5 for row in answer.choices)
        assert len(answer.choices) <= 5
        [mine] = [one for one in choices(answer) if one.label == "ESTJ"]
        await asking.commands.run(mine.call, in_dm())
        assert await asking.rows.characters.of(ANN.id) == Character(ANN.id, "ESTJ", guessed=False)
        shown = await asking.ask("/persona show")
    assert "ESTJ, as you told me" in shown
    assert "INFP" not in shown


async def test_off_ends_it_and_guess_begins_it_anew() -> None:
    async with open_asking() as asking:
        guessing(asking)
        await guessed(asking)
        assert await asking.ask("/persona character OFF") == types.SET_OFF
        assert await asking.rows.characters.of(ANN.id) == Character(ANN.id, "", off=True)
        shown = await asking.answer("/persona show")
        assert types.SWITCHED_OFF in shown.text
        assert [choice.label for choice in shown.choices[0]] == [types.GUESS]
        assert await asking.ask("/persona character guess") == types.SET_GUESS
        assert await asking.rows.characters.of(ANN.id) == Character(ANN.id, "")


async def test_letters_that_are_no_type_are_answered_and_change_nothing() -> None:
    async with open_asking() as asking:
        guessing(asking)
        known = await guessed(asking)
        words = await asking.ask("/persona character *INFX*")
        assert words.startswith("I know no type “*infx*”.")
        assert await asking.rows.characters.of(ANN.id) == known


async def test_where_the_owner_has_it_off_nothing_is_shown_and_only_a_no_is_kept() -> None:
    async with open_asking() as asking:
        known = await guessed(asking)
        answer = await asking.answer("/persona show")
        assert "INFP" not in answer.text
        assert len(choices(answer)) == 1
        for line in ("/persona character", "/persona character infp", "/persona character guess"):
            assert await asking.ask(line) == types.CLOSED
        assert await asking.rows.characters.of(ANN.id) == known
        assert await asking.ask("/persona character off") == types.CLOSED_OFF
        assert (await asking.rows.characters.of(ANN.id)).off


async def test_of_people_under_18_no_type_is_shown_or_kept() -> None:
    async with open_asking() as asking:
        guessing(asking)
        await guessed(asking)
        decided = await asking.rows.privacies.of(ANN.id)
        await asking.rows.privacies.put(replace(decided, minor=True))
        assert "INFP" not in await asking.ask("/persona show")
        assert await asking.ask("/persona character estj") == types.NOT_FOR_MINORS
        assert await asking.ask("/persona character off") == types.SET_OFF


async def test_types_are_suggested_while_they_are_typed() -> None:
    async with open_asking() as asking:
        commands = guessing(asking).commands
        assert await commands.suggest("persona character", "letters", "nf", in_dm()) == [
            (kind, kind.casefold()) for kind in types.TYPES if "NF" in kind
        ]
        assert len(await commands.suggest("persona character", "letters", "", in_dm())) == 18

"""What every command has in common: it is known, allowed and well put, or the answer says what to do."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.domain import Asker, Call
from bot.errors import StorageError
from bot.texts import commands as texts
from bot.usecases.calls import decode, encode
from bot.usecases.catalogue import CATALOGUE, GROUPS
from tests.stored import ANN
from tests.usecases.asking import in_channel, in_dm, open_asking, owner

ASKERS = [in_dm(), owner(), in_channel(), in_channel(may_manage=True)]


async def test_every_command_of_the_catalogue_is_answered() -> None:
    async with open_asking() as asking:
        for command in CATALOGUE:
            for asker in ASKERS:
                call = Call(command.name, tuple((parameter.name, "1") for parameter in command.parameters))
                assert (await asking.commands.run(call, asker)).text
                assert (await asking.commands.run(Call(command.name), asker)).text


ODD = ("a\ud800b", "\udfff", "x\x00y", "\u202e", "9" * 400, f"t{'9' * 30}", "2026-99-99")


@pytest.mark.parametrize("odd", ODD, ids=ascii)
async def test_no_words_are_too_odd_for_a_command(odd: str) -> None:
    """Lone surrogates and the like: they are answered in words that can be sent."""
    async with open_asking() as asking:
        for command in CATALOGUE:
            for parameter in command.parameters:
                others = tuple((other.name, "1") for other in command.parameters if other is not parameter)
                answer = await asking.commands.run(Call(command.name, ((parameter.name, odd), *others)), owner())
                assert answer.text.encode()
                assert all(choice.label.encode() for row in answer.choices for choice in row)
                await asking.commands.suggest(command.name, parameter.name, odd, owner())


@pytest.mark.parametrize(
    ("line", "meant"),
    [("/memory lsit", "/memory list"), ("/hlep", "/help"), ("/memories", "/memory"), ("/persona", "/persona show")],
)
async def test_a_slip_of_the_pen_is_understood(line: str, meant: str) -> None:
    async with open_asking() as asking:
        assert meant in await asking.ask(line)


async def test_what_the_asker_may_not_use_is_not_proposed() -> None:
    async with open_asking() as asking:
        assert "Did you mean" not in await asking.ask("/statsu")
        assert "Did you mean /status?" in await asking.ask("/statsu", owner())


async def test_an_unknown_command_is_echoed_harmlessly_and_briefly() -> None:
    async with open_asking() as asking:
        text = (await asking.commands.run(Call("*x*" * 2000), in_dm())).text
    assert text.startswith("I know no command “\\*x\\*")
    assert len(text) < 300


async def test_a_missing_argument_is_asked_for() -> None:
    async with open_asking() as asking:
        assert (
            await asking.ask("/memory search")
            == "I need one more thing for that: what to look for. So: /memory search WORDS"
        )


async def test_a_wrong_choice_gets_the_list() -> None:
    async with open_asking() as asking:
        words = await asking.ask("/channel mode loud", in_channel(may_manage=True))
    assert words == "“loud” is not among what I can do there. It can be mention, listen, open or off."


async def test_a_command_of_channels_is_not_for_a_dm() -> None:
    async with open_asking() as asking:
        assert await asking.ask("/channel mode open") == texts.ONLY_IN_CHANNELS
        assert await asking.ask("/channel") == texts.ONLY_IN_CHANNELS
        assert asking.changed == []


@pytest.mark.parametrize("group", GROUPS)
async def test_a_group_alone_is_an_overview_with_buttons(group: str) -> None:
    async with open_asking() as asking:
        everything = replace(in_channel(may_manage=True), may_manage_server=True, is_owner=True)
        answer = await asking.answer(f"/{group}", everything)
    ready = [
        command
        for command in CATALOGUE
        if command.name.startswith(f"{group} ") and not any(one.required for one in command.parameters)
    ]
    assert [choice.call.command for row in answer.choices for choice in row] == [command.name for command in ready]
    assert GROUPS[group] in answer.text


async def test_choices_and_nothing_else_are_suggested_to_those_who_may() -> None:
    async with open_asking() as asking:
        suggest = asking.commands.suggest
        manager = in_channel(may_manage=True)
        assert await suggest("channel mode", "mode", "", in_channel()) == []
        assert await suggest("channel mode", "mode", "O", manager) == [
            ("mention", "mention"),
            ("open", "open"),
            ("off", "off"),
        ]
        assert await suggest("memory search", "words", "x", in_dm()) == []
        assert await suggest("memory list", "nonsense", "", in_dm()) == []
        assert await suggest("nonsense", "page", "", in_dm()) == []


async def test_storage_errors_come_out() -> None:
    async with open_asking() as asking:
        await asking.rows.database.aclose()
        with pytest.raises(StorageError):
            await asking.ask("/memory list")


_anything = st.text(max_size=30)
_calls = st.builds(
    Call,
    st.sampled_from([command.name for command in CATALOGUE]) | st.sampled_from(sorted(GROUPS)) | _anything,
    st.lists(
        st.tuples(st.sampled_from(["page", "words", "entry", "whose", "mode"]) | _anything, _anything), max_size=4
    ).map(tuple),
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(_calls, st.sampled_from(ASKERS)), min_size=1, max_size=20))
def test_whatever_is_asked_has_an_answer_whose_buttons_work(asked: list[tuple[Call, Asker]]) -> None:
    async def ask_all() -> None:
        async with open_asking() as asking:
            session = await asking.talk(in_dm().place, [(ANN, "I have two dogs.")])
            await asking.learn(session.utterances[0], "I have two dogs.")
            for call, asker in asked:
                answer = await asking.commands.run(call, asker)
                assert answer.text
                assert "{" not in answer.text.replace("\\{", "")
                for choice in (choice for row in answer.choices for choice in row):
                    assert decode(encode(choice.call)) == choice.call
                    assert (await asking.commands.run(choice.call, asker)).text

    asyncio.run(ask_all())

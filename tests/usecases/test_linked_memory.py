"""What `/memory` and `/persona` show of one person on two platforms, and of what a server shares."""

from __future__ import annotations

from dataclasses import replace

from bot.config import load_settings
from bot.domain import Call, Place, PlaceKind, Speaker
from bot.texts import commands
from bot.usecases.character import CharacterRules
from bot.usecases.markup import bare
from bot.usecases.persona import Personas
from tests.stored import ANN, ANNS_DM, BEN, HALL, OTHER_HALL
from tests.usecases.asking import in_channel, in_dm, shown
from tests.usecases.owning import Owning, open_owning, words

ELSEWHERE = replace(in_dm(Speaker("mail:7", "Anna")), place=Place("mail", PlaceKind.DM, "7"))


async def rowing(owning: Owning) -> None:
    """A trait and an event of Ann's other identity."""
    session = await owning.talk(ELSEWHERE.place, [(ELSEWHERE.speaker, "I row.")])
    await owning.learn(session.utterances[0], "I row.")
    await owning.remember(session, "She rows.")
    await owning.talk(ANNS_DM, [(ANN, "Hello.")])


async def test_the_list_is_of_all_identities_once_they_are_linked() -> None:
    async with open_owning() as owning:
        await rowing(owning)
        assert await owning.memories.known(in_dm()) == []
        await owning.link(ANN, ELSEWHERE.speaker)
        assert [entry.code for entry in await owning.memories.known(in_dm())] == ["t1", "e1"]
        assert [entry.code for entry in await owning.memories.known(ELSEWHERE)] == ["t1", "e1"]
        why = words(await owning.memories.why(Call("memory why", (("entry", "e1"),)), in_dm()))
    assert "“I row.” (you, 1 March 2026)" in why


async def test_what_one_is_like_is_what_all_identities_said() -> None:
    async with open_owning() as owning:
        await rowing(owning)
        await owning.link(ANN, ELSEWHERE.speaker)
        card = load_settings(None, {}).agent
        rows = owning.rows
        character = CharacterRules(kept=rows, care=owning.chosen_settings.care)
        personas = Personas(kept=rows, card=card, character=character)
        assert "- I row." in bare((await personas.show(Call("persona show"), in_dm())).text)


async def test_what_another_channel_shared_is_told_of_where_it_was_used_while_it_is_shared() -> None:
    async with open_owning() as owning:
        hall = await owning.talk(HALL, [(BEN, "I sail.")])
        event = await owning.remember(hall, "Ben sails.")
        await owning.talk(OTHER_HALL, [(ANN, "Who sails?")], reply="Ben does.", recalled=shown([event]))
        here = in_channel(ANN, OTHER_HALL)
        await owning.rows.channels.set_public({HALL: True, OTHER_HALL: True})
        assert words(await owning.memories.why(Call("memory why"), here)) == commands.USED_NOTHING
        await owning.rows.channels.set_sharing(OTHER_HALL, ANN.id, on=True)
        shared = words(await owning.memories.why(Call("memory why"), here))
        await owning.rows.channels.set_public({HALL: False})
        assert words(await owning.memories.why(Call("memory why"), here)) == commands.USED_NOTHING
    assert "Ben sails." in shared
    assert "I sail." not in shared

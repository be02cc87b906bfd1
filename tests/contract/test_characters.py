"""The contract of `bot.ports.Characters`: personality types, which go with what they were guessed from."""

from dataclasses import replace

import pytest

from bot.domain import Character, ErasureReason, Selection
from tests.contract.checkins import link, said
from tests.stored import ANN, BEN, START, Rows

STATED = Character(ANN.id, "ENTJ", guessed=False)
NOBODY = Character(ANN.id, "")


async def guessed(rows: Rows, *, off: bool = False) -> Character:
    """A type guessed from two lines, stored."""
    sources = (await said(rows)).id, (await said(rows)).id
    character = Character(ANN.id, "INFP", off=off, stability=0.75, sources=sources)
    assert await rows.characters.put(character)
    return character


async def test_of_somebody_unknown_the_type_is_empty(rows: Rows) -> None:
    assert await rows.characters.of(ANN.id) == NOBODY


async def test_what_was_put_last_is_known(rows: Rows) -> None:
    character = await guessed(rows)
    assert await rows.characters.of(ANN.id) == character
    assert await rows.characters.of(BEN.id) == Character(BEN.id, "")
    assert await rows.characters.put(STATED)
    assert await rows.characters.of(ANN.id) == STATED
    await rows.characters.forget(ANN.id)
    assert await rows.characters.of(ANN.id) == NOBODY
    assert (await rows.utterances.counts()).rows["character_sources"] == 0


@pytest.mark.parametrize("chosen", [STATED, replace(NOBODY, off=True)])
async def test_a_guess_does_not_replace_what_the_person_chose_meanwhile(rows: Rows, chosen: Character) -> None:
    await guessed(rows)
    await rows.characters.put(chosen)
    late = Character(ANN.id, "INFP", stability=0.75, sources=((await said(rows)).id,))
    assert not await rows.characters.put(late)
    assert await rows.characters.of(ANN.id) == chosen
    await rows.characters.forget(ANN.id)
    assert await rows.characters.put(late)


async def test_what_was_guessed_from_something_erased_is_not_stored(rows: Rows) -> None:
    line = await said(rows)
    await rows.characters.put(STATED)
    assert not await rows.characters.put(Character(ANN.id, "INFP", sources=(line.id, 99)))
    assert await rows.characters.of(ANN.id) == STATED


@pytest.mark.parametrize("change", ["erased", "edited"])
@pytest.mark.parametrize("off", [False, True])
async def test_a_guess_goes_with_any_of_its_sources(rows: Rows, change: str, off: bool) -> None:
    character = await guessed(rows, off=off)
    [line] = await rows.utterances.get(character.sources[1:])
    other = await said(rows)
    await rows.erasures.erase_messages("chat", [other.message_id], START)
    assert await rows.characters.of(ANN.id) == character
    if change == "erased":
        await rows.erasures.erase_messages("chat", [line.message_id], START)
    else:
        await rows.corrections.edit("chat", line.message_id, "something else")
    assert await rows.characters.of(ANN.id) == replace(NOBODY, off=off)
    assert (await rows.utterances.counts()).rows["characters"] == int(off), "the choice stays, and nothing else"


async def test_what_the_person_said_of_themselves_stays_until_they_go(rows: Rows) -> None:
    line = await said(rows)
    await rows.characters.put(STATED)
    await rows.erasures.erase_messages("chat", [line.message_id], START)
    assert await rows.characters.of(ANN.id) == STATED
    await rows.erasures.erase(Selection(people=(ANN.id,)), ErasureReason.ASKED, START)
    assert await rows.characters.of(ANN.id) == NOBODY


async def test_of_two_the_wish_for_none_wins(rows: Rows) -> None:
    await rows.characters.put(STATED)
    await rows.characters.put(Character("post:ann", "", off=True))
    await link(rows)
    for one in (ANN.id, "post:ann"):
        assert await rows.characters.of(one) == Character(one, "", off=True)
    await rows.identities.unlink(ANN.id)
    for one in (ANN.id, "post:ann"):
        assert await rows.characters.of(one) == Character(one, "", off=True)


async def test_of_two_what_was_said_wins_and_each_keeps_it(rows: Rows) -> None:
    await guessed(rows)
    await rows.characters.put(replace(STATED, speaker_id="post:ann"))
    await link(rows)
    assert await rows.characters.of(ANN.id) == STATED
    await rows.identities.unlink(ANN.id)
    for one in (ANN.id, "post:ann"):
        assert await rows.characters.of(one) == replace(STATED, speaker_id=one)


async def test_what_was_guessed_from_all_is_guessed_anew_when_they_part(rows: Rows) -> None:
    character = await guessed(rows)
    await link(rows)
    assert await rows.characters.of("post:ann") == replace(character, speaker_id="post:ann")
    await rows.identities.unlink(ANN.id)
    assert await rows.characters.of(ANN.id) == NOBODY
    assert (await rows.utterances.counts()).rows["characters"] == 0


async def test_an_identity_that_stays_keeps_the_type(rows: Rows) -> None:
    await rows.characters.put(STATED)
    await link(rows)
    await rows.erasures.erase(Selection(people=(ANN.id,)), ErasureReason.ASKED, START)
    assert await rows.characters.of("post:ann") == replace(STATED, speaker_id="post:ann")

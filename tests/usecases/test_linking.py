"""`/link` and `/unlink`."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import timedelta

from bot.domain import Answer, Asker, Call, Consent, Place, PlaceKind, Privacy, Speaker
from bot.texts import privacy as texts
from bot.usecases.calls import fits
from bot.usecases.linking import ALPHABET, LENGTH, MOST_WRONG, VALID
from bot.usecases.markup import bare
from tests.stored import ANN, BEN
from tests.usecases.asking import in_channel, in_dm
from tests.usecases.deciding import Deciding, labels, open_deciding

ANN_TOO = Speaker("talk:1", "Ann")
BEN_TOO = Speaker("talk:2", "Ben")
THERE = replace(in_dm(ANN_TOO), place=Place("talk", PlaceKind.DM, "1"))
CODE = re.compile(r"`/link ([2-9A-Z]{4}-[2-9A-Z]{4})`")
INSTANT = timedelta(microseconds=1)


def code_in(answer: Answer) -> str:
    """The code that an answer shows."""
    [code] = CODE.findall(answer.text)
    return str(code)


async def shown(deciding: Deciding, asker: Asker | None = None) -> str:
    """A new code, shown to somebody."""
    return code_in(await deciding.answer("/link", asker))


async def tried(deciding: Deciding, typed: str, asker: Asker = THERE) -> str:
    """What comes of a code as one argument, as Discord hands it over."""
    return bare((await deciding.do(Call("link", (("code", typed),)), asker)).text)


def test_codes_have_nothing_that_looks_alike_and_are_hard_to_guess() -> None:
    assert len(ALPHABET) == len(set(ALPHABET)) == 31
    assert not set("01ILO") & set(ALPHABET)
    assert LENGTH == 8


async def test_a_code_joins_two_platforms_and_both_are_told_of() -> None:
    async with open_deciding() as deciding:
        code = await shown(deciding)
        assert set(code.replace("-", "")) <= set(ALPHABET)
        said = await deciding.answer(f"/link {code}", THERE)
        assert said.text == texts.LINK_DONE.format(platforms="Chat and Talk")
        assert await deciding.identities.of(ANN.id) == (ANN.id, ANN_TOO.id)
        assert deciding.changed == [ANN.id, ANN_TOO.id]
        assert (await deciding.press(said, texts.HOW_LONG, THERE)).text == texts.KEEPS_FOREVER


async def test_joining_erases_nothing() -> None:
    async with open_deciding() as deciding:
        await deciding.privacies.put(Privacy(ANN.id, Consent.AGREED, keep_days=1))
        await deciding.say(THERE, days_ago=400)
        said = await deciding.answer(f"/link {await shown(deciding)}", THERE)
        assert "joining erases nothing" in said.text
        assert (await deciding.privacies.of(ANN.id)).keep_days is None


async def test_codes_differ() -> None:
    async with open_deciding() as deciding:
        assert len({await shown(deciding) for _ in range(5)}) == 5


async def test_a_code_is_taken_as_people_type_it_in_a_channel_too() -> None:
    async with open_deciding() as deciding:
        code = (await shown(deciding)).lower().replace("-", " – ")
        in_a_channel = replace(in_channel(ANN_TOO), place=Place("talk", PlaceKind.CHANNEL, "5/6"))
        said = await tried(deciding, f"  {code} ", in_a_channel)
        assert said.startswith("Done: you are one person")


async def test_a_code_works_once() -> None:
    async with open_deciding() as deciding:
        code = await shown(deciding)
        await tried(deciding, code)
        assert await tried(deciding, code, in_dm(BEN)) == bare(texts.LINK_WRONG)
        assert await deciding.identities.of(BEN.id) == (BEN.id,)
    assert deciding.changed == [ANN.id, ANN_TOO.id]


async def test_a_new_code_takes_the_place_of_the_old_one() -> None:
    async with open_deciding() as deciding:
        old, new = await shown(deciding), await shown(deciding)
        assert await tried(deciding, old) == bare(texts.LINK_WRONG)
        assert "Done" in await tried(deciding, new)


async def test_a_code_is_over_after_ten_minutes() -> None:
    assert timedelta(minutes=10) == VALID
    async with open_deciding() as deciding:
        code = await shown(deciding)
        deciding.clock.advance(VALID)
        assert await tried(deciding, code) == bare(texts.LINK_WRONG)
        code = await shown(deciding)
        deciding.clock.advance(VALID - INSTANT)
        assert "Done" in await tried(deciding, code)


async def test_every_other_outcome_has_its_words_and_joins_nobody() -> None:
    async with open_deciding() as deciding:
        code = await shown(deciding)
        assert await tried(deciding, code, in_dm()) == texts.LINK_OWN
        await tried(deciding, code)
        assert await tried(deciding, await shown(deciding)) == texts.LINK_KNOWN
        assert await tried(deciding, await shown(deciding), in_dm(BEN_TOO)) == bare(texts.LINK_TAKEN)
        assert await deciding.identities.of(BEN_TOO.id) == (BEN_TOO.id,)
    assert deciding.changed == [ANN.id, ANN_TOO.id]


async def test_after_five_wrong_codes_even_the_right_one_has_to_wait() -> None:
    async with open_deciding() as deciding:
        code = await shown(deciding)
        for number in range(MOST_WRONG):
            assert await tried(deciding, f"WRONG{number}") == bare(texts.LINK_WRONG)
            deciding.clock.advance(timedelta(minutes=1))
        assert await tried(deciding, code) == texts.LINK_TOO_OFTEN
        assert await deciding.identities.of(ANN_TOO.id) == (ANN_TOO.id,)
        assert await tried(deciding, "NOTRIGHT", in_dm(BEN)) == bare(texts.LINK_WRONG), "others are not held up"
        deciding.clock.advance(timedelta(minutes=5))  # the first of the five is ten minutes ago
        assert "Done" in await tried(deciding, await shown(deciding))


async def test_right_codes_are_not_counted() -> None:
    async with open_deciding() as deciding:
        for _ in range(MOST_WRONG + 1):
            assert await tried(deciding, await shown(deciding), in_dm()) == texts.LINK_OWN
        assert "Done" in await tried(deciding, await shown(deciding))


async def test_many_codes_at_once_are_not_all_looked_at() -> None:
    async with open_deciding() as deciding:
        answers = await asyncio.gather(*(tried(deciding, f"GUESS{number:03}") for number in range(20)))
    assert answers.count(bare(texts.LINK_WRONG)) == MOST_WRONG
    assert answers.count(texts.LINK_TOO_OFTEN) == 20 - MOST_WRONG


async def test_who_is_linked_is_told_so_and_can_part_again() -> None:
    async with open_deciding() as deciding:
        await tried(deciding, await shown(deciding))
        again = await deciding.answer("/link")
        assert again.text.startswith("You are one person for me on Chat and Talk.")
        assert labels(again) == [texts.UNLINK]
        deciding.changed.clear()
        parted = await deciding.press(again, texts.UNLINK)
        assert parted.text == texts.UNLINKED.format(platforms="Chat and Talk")
        assert await deciding.identities.of(ANN.id) == (ANN.id,)
        assert deciding.changed == [ANN.id, ANN_TOO.id]
        nothing = await deciding.answer("/unlink")
        assert nothing.text == texts.NOT_LINKED
        assert "`/link " in (await deciding.press(nothing, "/link")).text
    assert deciding.changed == [ANN.id, ANN_TOO.id]


async def test_what_was_decided_is_of_the_person_and_stays_with_each_when_they_part() -> None:
    async with open_deciding() as deciding:
        for speaker in (ANN, ANN_TOO):
            await deciding.privacies.put(Privacy(speaker.id, Consent.AGREED, keep_days=30))
        await tried(deciding, await shown(deciding))
        assert (await deciding.privacies.of(ANN_TOO.id)).consent is Consent.AGREED
        await deciding.answer("/privacy keep 7", THERE)
        await deciding.answer("/unlink")
        for speaker in (ANN, ANN_TOO):
            assert await deciding.privacies.of(speaker.id) == Privacy(speaker.id, Consent.AGREED, keep_days=7)


def test_buttons_are_small_enough() -> None:
    assert fits(Call("unlink"))
    assert fits(Call("privacy keep", (("days", f"36500 {'x' * 16}"),)))

"""The contract of `bot.ports.Confirmations`."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from bot.domain import Erased, ErasureReason, Selection
from bot.storage.engine.database import insert_new
from bot.storage.privacy.confirmations import SqlConfirmations
from bot.storage.shared.privacy_tables import confirmations as questions
from bot.storage.shared.privacy_tables import identities, link_codes
from tests.stored import ANN, BEN, BENS_DM, HALL, START, Rows

UNTIL = START + timedelta(minutes=10)
LAST = UNTIL - timedelta(seconds=1)
WHAT = Selection(utterances=(3, 1), people=("chat:ann",), places=("chat:dm:ann",))


async def test_what_was_asked_is_confirmed_once(rows: Rows) -> None:
    confirmations = SqlConfirmations(rows.database)
    token = await confirmations.ask(ANN.id, WHAT, UNTIL)
    assert await confirmations.peek(token, LAST) == (ANN.id, WHAT)
    assert await confirmations.take(token, ANN.id, LAST) == WHAT
    assert await confirmations.take(token, ANN.id, LAST) is None
    assert await confirmations.peek(token, LAST) is None


async def test_each_question_has_a_token_of_its_own_that_fits_a_button(rows: Rows) -> None:
    confirmations = SqlConfirmations(rows.database)
    first = await confirmations.ask(ANN.id, WHAT, UNTIL)
    second = await confirmations.ask(ANN.id, Selection(), UNTIL)
    assert first != second
    assert {len(first), len(second)} <= {*range(8, 17)}
    assert await confirmations.take(second, ANN.id, LAST) == Selection()
    assert await confirmations.take(first, ANN.id, LAST) == WHAT


async def test_a_question_is_one_for_its_purpose_only(rows: Rows) -> None:
    confirmations = SqlConfirmations(rows.database)
    token = await confirmations.ask(ANN.id, Selection(), UNTIL, purpose="keep 30")
    for other in ("keep 1", "forget"):
        assert await confirmations.peek(token, LAST, purpose=other) is None
        assert await confirmations.take(token, ANN.id, LAST, purpose=other) is None
    assert await confirmations.peek(token, LAST) is None
    assert await confirmations.peek(token, LAST, purpose="keep 30") == (ANN.id, Selection())
    assert await confirmations.take(token, ANN.id, LAST, purpose="keep 30") == Selection()
    assert await confirmations.take(token, ANN.id, LAST, purpose="keep 30") is None


async def test_a_stranger_neither_confirms_nor_withdraws(rows: Rows) -> None:
    confirmations = SqlConfirmations(rows.database)
    token = await confirmations.ask(ANN.id, WHAT, UNTIL)
    assert await confirmations.take(token, BEN.id, LAST) is None
    assert not await confirmations.drop(token, BEN.id)
    assert await confirmations.take("unknown", ANN.id, LAST) is None
    assert await confirmations.take(token, ANN.id, LAST) == WHAT


async def test_the_same_person_may_confirm_and_withdraw_on_another_platform(rows: Rows) -> None:
    async with rows.database.writing() as connection:
        linked = [{"speaker_id": one, "person_id": ANN.id} for one in (ANN.id, "other:ann")]
        await insert_new(connection, identities, linked)
    confirmations = SqlConfirmations(rows.database)
    first, second = [await confirmations.ask(ANN.id, WHAT, UNTIL) for _ in range(2)]
    assert await confirmations.take(first, "other:ann", LAST) == WHAT
    assert await confirmations.drop(second, "other:ann")
    assert await confirmations.peek(second, LAST) is None


async def test_a_question_that_is_over_cannot_be_confirmed_and_goes(rows: Rows) -> None:
    confirmations = SqlConfirmations(rows.database)
    token = await confirmations.ask(ANN.id, WHAT, UNTIL)
    assert await confirmations.peek(token, UNTIL) is None
    assert (await rows.utterances.counts()).rows["confirmations"] == 1
    assert await confirmations.take(token, ANN.id, UNTIL) is None
    assert (await rows.utterances.counts()).rows["confirmations"] == 0


async def test_a_withdrawn_question_is_gone(rows: Rows) -> None:
    confirmations = SqlConfirmations(rows.database)
    token = await confirmations.ask(ANN.id, WHAT, UNTIL)
    assert await confirmations.drop(token, ANN.id)
    assert not await confirmations.drop(token, ANN.id)
    assert await confirmations.take(token, ANN.id, LAST) is None


async def test_what_is_over_is_forgotten_and_nothing_else(rows: Rows) -> None:
    over, open_still = [await rows.confirmations.ask(ANN.id, WHAT, until) for until in (LAST, UNTIL)]
    await rows.identities.offer(BEN.id, "code", LAST)
    await rows.confirmations.tidy(LAST)
    async with rows.database.reading() as connection:
        assert [*await connection.scalars(select(questions.c.token))] == [open_still] != [over]
        assert [*await connection.scalars(select(link_codes.c.speaker_id))] == []


async def test_an_erasure_uses_its_question_up(rows: Rows) -> None:
    said = await rows.accept("I row.", place=HALL)
    selection = Selection(utterances=(said.id,))
    token = await rows.confirmations.ask(ANN.id, selection, UNTIL)
    for speaker, used, at in [(BEN, token, LAST), (ANN, "unknown", LAST), (ANN, token, UNTIL)]:
        refused = await rows.erasures.erase(selection, ErasureReason.ASKED, at, speaker.id, confirmation=used)
        assert refused == Erased(0)
        assert [one.id for one in await rows.utterances.get([said.id])] == [said.id]
        token = await rows.confirmations.ask(ANN.id, selection, UNTIL) if at == UNTIL else token
    erased = await rows.erasures.erase(selection, ErasureReason.ASKED, LAST, ANN.id, confirmation=token)
    assert [one.id for one in erased.utterances] == [said.id]
    assert await rows.confirmations.peek(token, LAST) is None
    again = await rows.erasures.erase(selection, ErasureReason.ASKED, LAST, ANN.id, confirmation=token)
    assert again == Erased(0)
    assert [receipt.id for receipt in await rows.erasures.receipts(ANN.id, 5)] == [erased.erasure_id]


@pytest.mark.parametrize("what", ["utterances", "people", "places"])
async def test_an_erasure_is_of_nobody_else_by_now(rows: Rows, what: str) -> None:
    said = await rows.accept("I sail.", speaker=BEN, place=BENS_DM)
    every = {"utterances": (said.id,), "people": (ANN.id, BEN.id), "places": (BENS_DM.key,)}
    selection = Selection(**{what: every[what]})  # type: ignore[arg-type]  # each of its own type
    linked = [{"speaker_id": one, "person_id": ANN.id} for one in (ANN.id, BEN.id)]
    for parted in (True, False):
        async with rows.database.writing() as connection:
            await insert_new(connection, identities, linked)
        token = await rows.confirmations.ask(ANN.id, selection, UNTIL)
        if parted:
            async with rows.database.writing() as connection:
                await connection.execute(identities.delete())
        erased = await rows.erasures.erase(selection, ErasureReason.ASKED, LAST, ANN.id, confirmation=token)
        assert (erased == Erased(0), await rows.utterances.get([said.id]) == []) == (parted, not parted)
        assert await rows.confirmations.peek(token, LAST) is None

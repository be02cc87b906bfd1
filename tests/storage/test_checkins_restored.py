"""Check-ins and backups: what a person chose since does not come back as it was, and nobody who was erased does."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.domain import Consent, ErasureReason, Privacy, Selection
from tests.contract.checkins import DAY, NOBODY, WISHES, put_out
from tests.storage.backups import NOW, Home, fill
from tests.stored import ANN, BEN, START


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


async def test_who_switched_them_off_since_has_them_off(home: Home) -> None:
    async with home.living() as (rows, _):
        await put_out(rows)
    made = await home.back_up()
    async with home.living() as (rows, _):
        await rows.checkins.choose(replace(WISHES, on=False, next_at=None))
    await home.restore(made.file)
    async with home.living() as (rows, _):
        assert await rows.checkins.wishes(ANN.id) == replace(WISHES, on=False, next_at=None)
        assert len(await rows.checkins.latest(9)) == 1
        assert await rows.outbox.undelivered() == []
        found = await rows.checkins.circumstances(ANN.id, START + 9 * DAY)
        assert (len(found.sent), found.unanswered, found.refused) == (1, 1, False), "it had probably been sent since"


async def test_somebody_erased_since_has_none(home: Home) -> None:
    async with home.living() as (rows, _):
        await rows.checkins.choose(WISHES)
    made = await home.back_up()
    async with home.living() as (_, erasures):
        await erasures.erase(Selection(people=(ANN.id,)), ErasureReason.ASKED, NOW)
    home.database.unlink()
    await home.restore(made.file)
    async with home.living() as (rows, _):
        assert await rows.checkins.wishes(ANN.id) == NOBODY


async def test_a_present_database_without_check_ins_still_tells_what_was_decided(home: Home) -> None:
    """It may be of an older program."""
    async with home.living() as (rows, _):
        await fill(rows)
    made = await home.back_up()
    async with home.living() as (rows, _):
        await rows.privacies.put(Privacy(BEN.id, Consent.REFUSED))
        async with rows.database.writing() as connection:
            await connection.exec_driver_sql("DROP TABLE checkin_wishes")
    await home.restore(made.file)
    async with home.living() as (rows, _):
        assert (await rows.privacies.of(BEN.id)).consent is Consent.REFUSED

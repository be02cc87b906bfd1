"""The contract of `bot.ports.Identities`."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from bot.domain import Consent, Privacy
from bot.ports import Link
from bot.storage.erasing.persons import erase_people
from bot.storage.privacy.decisions import merged
from bot.storage.privacy.identities import SqlIdentities
from bot.storage.shared.privacy_tables import identities, link_codes, opt_outs, privacy
from tests.stored import START, Rows

DISCORD, TELEGRAM, CONSOLE = "discord:1", "telegram:2", "console:3"
STRANGER, OTHER_DISCORD = "telegram:9", "discord:8"
TEN_MINUTES = timedelta(minutes=10)
DAY = timedelta(days=1)


@pytest.fixture
def people(rows: Rows) -> SqlIdentities:
    return SqlIdentities(rows.database)


async def join(people: SqlIdentities, first: str, second: str) -> None:
    await people.offer(first, f"code of {first}", START + TEN_MINUTES)
    outcome, _ = await people.link(second, f"code of {first}", START)
    assert outcome is Link.LINKED


async def decide(rows: Rows, decided: Privacy, *scopes: str) -> None:
    columns = {name: getattr(decided, name) for name in Privacy.__slots__ if name != "speaker_id"}
    row = columns | {"person_id": decided.speaker_id, "consent": decided.consent.value}
    async with rows.database.writing() as connection:
        await connection.execute(privacy.insert().values(row))
        for scope in scopes:
            await connection.execute(opt_outs.insert().values(person_id=decided.speaker_id, scope=scope))


async def decisions(rows: Rows) -> dict[str, tuple[str, bool, int | None, bool, str]]:
    async with rows.database.reading() as connection:
        found = (await connection.execute(select(privacy).order_by(privacy.c.person_id))).all()
    return {row.person_id: (row.consent, row.paused, row.keep_days, row.minor, row.country) for row in found}


async def scopes_of(rows: Rows) -> set[tuple[str, str]]:
    async with rows.database.reading() as connection:
        return {(row.person_id, row.scope) for row in await connection.execute(select(opt_outs))}


async def person_ids(rows: Rows) -> set[str]:
    async with rows.database.reading() as connection:
        return {*(await connection.execute(select(identities.c.person_id))).scalars()}


async def test_everybody_is_one_person_at_first(people: SqlIdentities) -> None:
    assert await people.of(DISCORD) == (DISCORD,)


@pytest.mark.parametrize(("first", "second"), [(DISCORD, TELEGRAM), (TELEGRAM, DISCORD)])
async def test_a_code_joins_two_identities(rows: Rows, people: SqlIdentities, first: str, second: str) -> None:
    await people.offer(first, "quiet owl", START + TEN_MINUTES)
    version = await rows.events.version()
    assert await people.link(second, "quiet owl", START) == (Link.LINKED, (DISCORD, TELEGRAM))
    assert await people.of(first) == await people.of(second) == (DISCORD, TELEGRAM)
    assert await people.of(STRANGER) == (STRANGER,)
    assert await rows.events.version() != version


async def test_a_person_may_have_three_identities(rows: Rows, people: SqlIdentities) -> None:
    await join(people, DISCORD, TELEGRAM)
    await join(people, TELEGRAM, CONSOLE)
    for speaker_id in (DISCORD, TELEGRAM, CONSOLE):
        assert await people.of(speaker_id) == (CONSOLE, DISCORD, TELEGRAM)
    assert await person_ids(rows) <= {DISCORD, TELEGRAM, CONSOLE}
    assert len(await person_ids(rows)) == 1


async def test_two_pairs_become_one_person(people: SqlIdentities) -> None:
    await join(people, DISCORD, TELEGRAM)
    await join(people, CONSOLE, "post:4")
    await join(people, TELEGRAM, "post:4")
    assert await people.of(CONSOLE) == (CONSOLE, DISCORD, "post:4", TELEGRAM)


async def test_a_code_works_once(people: SqlIdentities) -> None:
    await people.offer(DISCORD, "owl", START + TEN_MINUTES)
    await people.link(TELEGRAM, "owl", START)
    assert await people.link(CONSOLE, "owl", START) == (Link.WRONG, (CONSOLE,))
    assert await people.link(TELEGRAM, "owl", START) == (Link.WRONG, (DISCORD, TELEGRAM))


@pytest.mark.parametrize(
    ("after", "outcome"), [(TEN_MINUTES - timedelta(microseconds=1), Link.LINKED), (TEN_MINUTES, Link.WRONG)]
)
async def test_a_code_is_over_at_its_time(people: SqlIdentities, after: timedelta, outcome: Link) -> None:
    await people.offer(DISCORD, "owl", START + TEN_MINUTES)
    assert (await people.link(TELEGRAM, "owl", START + after))[0] is outcome


async def test_what_joins_nobody_changes_nothing(rows: Rows, people: SqlIdentities) -> None:
    await join(people, DISCORD, TELEGRAM)
    await people.offer(DISCORD, "owl", START + TEN_MINUTES)
    version = await rows.events.version()
    assert await people.link(STRANGER, "Owl", START) == (Link.WRONG, (STRANGER,))
    assert await people.link(DISCORD, "owl", START) == (Link.OWN, (DISCORD, TELEGRAM))
    assert await people.link(STRANGER, "owl", START) == (Link.TAKEN, (STRANGER,))
    assert await people.link(OTHER_DISCORD, "owl", START) == (Link.TAKEN, (OTHER_DISCORD,))
    assert await people.of(STRANGER) == (STRANGER,)
    assert await people.link(CONSOLE, "owl", START) == (Link.LINKED, (CONSOLE, DISCORD, TELEGRAM))
    assert await rows.events.version() == version + 1


async def test_two_of_one_platform_are_not_joined_through_a_third(people: SqlIdentities) -> None:
    await join(people, DISCORD, TELEGRAM)
    await join(people, CONSOLE, OTHER_DISCORD)
    await people.offer(TELEGRAM, "owl", START + TEN_MINUTES)
    assert await people.link(CONSOLE, "owl", START) == (Link.TAKEN, (CONSOLE, OTHER_DISCORD))


async def test_a_code_of_ones_own_other_identity_is_used_up(rows: Rows, people: SqlIdentities) -> None:
    await join(people, DISCORD, TELEGRAM)
    await people.offer(DISCORD, "owl", START + TEN_MINUTES)
    version = await rows.events.version()
    assert await people.link(TELEGRAM, "owl", START) == (Link.KNOWN, (DISCORD, TELEGRAM))
    assert await people.link(TELEGRAM, "owl", START) == (Link.WRONG, (DISCORD, TELEGRAM))
    assert await rows.events.version() == version


async def test_a_later_code_takes_the_place_of_the_first(people: SqlIdentities) -> None:
    for code in ("owl", "fox"):
        await people.offer(DISCORD, code, START + TEN_MINUTES)
    assert (await people.link(TELEGRAM, "owl", START))[0] is Link.WRONG
    assert (await people.link(TELEGRAM, "fox", START))[0] is Link.LINKED


async def test_the_same_code_for_two_people_is_nobodys(people: SqlIdentities) -> None:
    await people.offer(DISCORD, "owl", START + TEN_MINUTES)
    await people.offer(OTHER_DISCORD, "owl", START + TEN_MINUTES)
    assert (await people.link(TELEGRAM, "owl", START))[0] is Link.WRONG
    await people.offer(DISCORD, "owl", START + TEN_MINUTES)
    await people.offer(DISCORD, "owl", START + TEN_MINUTES)
    assert (await people.link(TELEGRAM, "owl", START))[0] is Link.LINKED


async def test_no_code_is_stored_as_it_is_and_none_stays_when_it_is_over(rows: Rows, people: SqlIdentities) -> None:
    await people.offer(DISCORD, "owl", START + TEN_MINUTES)
    async with rows.database.reading() as connection:
        [row] = (await connection.execute(select(link_codes))).all()
    assert "owl" not in row.digest
    await people.link(TELEGRAM, "fox", START + TEN_MINUTES)
    async with rows.database.reading() as connection:
        assert (await connection.execute(select(link_codes))).all() == []


UNASKED, TOLD, AGREED, REFUSED = Consent.UNASKED, Consent.TOLD, Consent.AGREED, Consent.REFUSED


@pytest.mark.parametrize(
    ("first", "second", "consent"),
    [
        (AGREED, UNASKED, AGREED),
        (AGREED, TOLD, AGREED),
        (AGREED, REFUSED, REFUSED),
        (REFUSED, UNASKED, REFUSED),
        (TOLD, UNASKED, TOLD),
        (UNASKED, UNASKED, UNASKED),
    ],
)
def test_consent_of_one_is_that_of_both_unless_one_refused(first: Consent, second: Consent, consent: Consent) -> None:
    for decided in ([first, second], [second, first]):
        assert merged("x", [Privacy("y", one) for one in decided]).consent is consent


async def test_the_stricter_decision_wins(rows: Rows, people: SqlIdentities) -> None:
    await decide(rows, Privacy(DISCORD, AGREED, keep_days=30), "discord:5", "discord:channel:5/6")
    await decide(rows, Privacy(TELEGRAM, TOLD, paused=True, keep_days=90, minor=True, country="NO"), "telegram:5")
    await join(people, DISCORD, TELEGRAM)
    [person] = await person_ids(rows)
    assert await decisions(rows) == {person: ("agreed", True, 90, True, "NO")}
    assert await scopes_of(rows) == {(person, scope) for scope in ("discord:5", "discord:channel:5/6", "telegram:5")}


@pytest.mark.parametrize("decided_by", [DISCORD, TELEGRAM])
async def test_what_one_decided_holds_for_both(rows: Rows, people: SqlIdentities, decided_by: str) -> None:
    await decide(rows, Privacy(decided_by, REFUSED, keep_days=7), "discord:5")
    await join(people, DISCORD, TELEGRAM)
    [person] = await person_ids(rows)
    assert await decisions(rows) == {person: ("refused", False, None, False, "")}, "the other has it kept for ever"
    assert await scopes_of(rows) == {(person, "discord:5")}


@pytest.mark.parametrize(
    ("first", "second", "together"), [(30, 90, 90), (90, 30, 90), (30, None, None), (None, 30, None), (7, 7, 7)]
)
def test_what_is_said_is_kept_for_the_longer_of_both_times(
    first: int | None, second: int | None, together: int | None
) -> None:
    assert merged("x", [Privacy("y", keep_days=days) for days in (first, second)]).keep_days == together


async def minor_since(rows: Rows) -> set[datetime | None]:
    async with rows.database.reading() as connection:
        return {*(await connection.scalars(select(privacy.c.minor_since)))}


async def test_the_limit_of_a_minor_takes_nothing_that_their_other_identity_said(
    rows: Rows, people: SqlIdentities
) -> None:
    await decide(rows, Privacy(DISCORD, minor=True, minor_since=START - 60 * DAY))
    await join(people, DISCORD, TELEGRAM)
    assert await minor_since(rows) == {START}, "only what is said from now on is under it"
    await people.unlink(DISCORD)
    assert await minor_since(rows) == {START}


async def test_the_limit_of_two_who_are_minors_is_that_of_both(rows: Rows, people: SqlIdentities) -> None:
    for who, days in ((DISCORD, 60), (TELEGRAM, 40)):
        await decide(rows, Privacy(who, minor=True, minor_since=START - days * DAY))
    await join(people, TELEGRAM, DISCORD)
    assert await minor_since(rows) == {START - 40 * DAY}


@pytest.mark.parametrize("who", [DISCORD, TELEGRAM])
async def test_what_outlived_an_erasure_is_taken_into_a_link(rows: Rows, people: SqlIdentities, who: str) -> None:
    await decide(rows, Privacy(who, REFUSED), f"{who.partition(':')[0]}:5")
    async with rows.database.writing() as connection:
        await erase_people(connection, [who])
    await join(people, DISCORD, TELEGRAM)
    [person] = await person_ids(rows)
    assert await decisions(rows) == {person: ("refused", False, None, False, "")}
    assert await scopes_of(rows) == {(person, f"{who.partition(':')[0]}:5")}


async def test_who_decided_nothing_has_no_decision_after(rows: Rows, people: SqlIdentities) -> None:
    await join(people, DISCORD, TELEGRAM)
    assert await decisions(rows) == {}
    await people.unlink(TELEGRAM)
    assert await decisions(rows) == {}


@pytest.mark.parametrize("who", [DISCORD, TELEGRAM])
async def test_parted_again_each_keeps_what_was_decided(rows: Rows, people: SqlIdentities, who: str) -> None:
    await decide(rows, Privacy(DISCORD, AGREED, keep_days=30), "discord:5")
    await decide(rows, Privacy(TELEGRAM, paused=True, keep_days=30), "telegram:channel:5/5")
    await join(people, DISCORD, TELEGRAM)
    version = await rows.events.version()
    assert await people.unlink(who) == tuple({DISCORD, TELEGRAM} - {who})
    assert await people.of(DISCORD) == (DISCORD,)
    assert await people.of(TELEGRAM) == (TELEGRAM,)
    assert await rows.events.version() != version
    both = ("agreed", True, 30, False, "")
    assert await decisions(rows) == {DISCORD: both, TELEGRAM: both}
    assert await scopes_of(rows) == {(DISCORD, "discord:5"), (TELEGRAM, "telegram:channel:5/5")}
    assert await person_ids(rows) == set()


async def test_who_is_not_linked_cannot_be_parted(rows: Rows, people: SqlIdentities) -> None:
    await decide(rows, Privacy(DISCORD, AGREED))
    version = await rows.events.version()
    assert await people.unlink(DISCORD) == ()
    assert await rows.events.version() == version
    assert await decisions(rows) == {DISCORD: ("agreed", False, None, False, "")}


async def test_after_parting_they_may_be_joined_again(people: SqlIdentities) -> None:
    for _ in range(2):
        await join(people, DISCORD, TELEGRAM)
        assert await people.unlink(TELEGRAM) == (DISCORD,)
    await join(people, TELEGRAM, OTHER_DISCORD)
    assert await people.of(TELEGRAM) == (OTHER_DISCORD, TELEGRAM)

"""What was erased since a backup was made does not come back with it."""

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain import Character, Consent, ErasureReason, Privacy, Recollection, Selection
from bot.errors import BadInput, StorageError
from bot.storage.backups.restoring import Permits
from tests.storage.backups import DAY, NOW, REPLACE, Home, fill, holders, refused
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL, reply_to

NOTHING = Recollection()
CANARY = "the violet pelican of Utrecht"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.mark.parametrize("lost", ["nothing", "data folder", "both journals"])
@pytest.mark.parametrize("times", [1, 2])
async def test_the_old_words_of_an_edited_message_do_not_come_back(home: Home, lost: str, times: int) -> None:
    """The message goes, with what was made of it: of the words that it has now the backup knows nothing."""
    async with home.living() as (rows, _):
        await fill(rows)
        said = await rows.accept(CANARY, place=BENS_DM, speaker=BEN, after=2 * DAY)
        session = await rows.sessions.append(said, timedelta(hours=1), 1000)
        await rows.sessions.close(BENS_DM)
        stored = await rows.sessions.get(session.id)
        assert stored is not None
        await rows.trait(stored, BEN, f"I saw {CANARY}.")
    made = await home.back_up()
    async with home.living() as (rows, _):
        for time in range(times):
            assert await rows.corrections.edit("chat", said.message_id, f"nothing {time}", NOW + (1 + time) * DAY)
    async with home.living():
        pass  # what is not in the journals yet is noted at the next start
    if lost == "data folder":
        shutil.rmtree(home.data)
    elif lost == "both journals":
        for folder in (home.backups, home.data):
            (folder / "erasures.journal").unlink()
    done = await home.restore(made.file, Permits(replace=True, without_journal=lost == "both journals"))
    assert done.replayed.utterances == 1
    assert holders(home.data, CANARY) == set()
    assert home.texts() == ["something"] * 3


async def test_what_was_edited_before_the_backup_stays_as_it_is(home: Home) -> None:
    async with home.living() as (rows, _):
        said = await rows.accept(CANARY)
        assert await rows.corrections.edit("chat", said.message_id, "these words stay", NOW - 2 * DAY)
    made = await home.back_up()
    done = await home.restore(made.file)
    assert done.replayed.utterances == 0
    assert home.texts() == ["these words stay"]


async def test_what_was_edited_before_and_after_the_backup_goes(home: Home) -> None:
    """Each edit is noted, not the first one of a message alone."""
    async with home.living() as (rows, _):
        said = await rows.accept("first words")
        assert await rows.corrections.edit("chat", said.message_id, CANARY, NOW - 2 * DAY)
    made = await home.back_up()
    async with home.living() as (rows, _):
        assert await rows.corrections.edit("chat", said.message_id, "last words", NOW + DAY)
    async with home.living():
        pass
    shutil.rmtree(home.data)
    await home.restore(made.file)
    assert home.texts() == []


@pytest.mark.parametrize("lost", ["nothing", "data folder", "backups' journal"])
async def test_what_was_erased_since_does_not_come_back(home: Home, lost: str) -> None:
    async with home.living() as (rows, _):
        await fill(rows)
        said = await rows.accept(CANARY, place=BENS_DM, speaker=BEN, after=2 * DAY)
        session = await rows.sessions.append(said, timedelta(hours=1), 1000)
        outgoing = await rows.outbox.commit(reply_to(said, f"Did you see {CANARY}?"), [said.id], NOTHING, [])
        await rows.sessions.close(BENS_DM)
        stored = await rows.sessions.get(session.id)
        assert outgoing is not None
        assert stored is not None
        await rows.event(stored, f"Ben saw {CANARY}.")
        await rows.trait(stored, BEN, f"I saw {CANARY}.")
    made = await home.back_up()
    async with home.living() as (_, erasures):
        await erasures.erase(Selection(utterances=(said.id,)), ErasureReason.ASKED, NOW + timedelta(hours=2))
    if lost == "data folder":
        shutil.rmtree(home.data)
    elif lost == "backups' journal":
        (home.backups / "erasures.journal").unlink()
    done = await home.restore(made.file)
    assert done.replayed.utterances == 2
    assert done.known_until == NOW + timedelta(hours=2)
    assert holders(home.key.parent, CANARY) == set()
    assert home.texts() == ["something"] * 3
    assert home.query("SELECT reason, found FROM erasures") == [("restored", 0)]
    assert home.query("SELECT count(*) FROM events") == [(2,)]
    async with home.living() as (rows, _):
        assert await rows.inbox.accept(replace(said, id=0)) is None  # read again from the platform
        assert await rows.inbox.accept(rows.utterance("something else")) is None
        rows._said = 100
        assert await rows.inbox.accept(rows.utterance("something new")) is not None


async def test_no_byte_of_what_was_erased_is_written_while_restoring(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looked at before the finished file takes the place of the old one."""
    async with home.living() as (rows, _):
        said = await rows.accept(CANARY)
        await rows.accept("this stays")
    made = await home.back_up()
    async with home.living() as (_, erasures):
        await erasures.erase_messages("chat", [said.message_id], NOW + DAY)
    home.database.unlink()
    seen: list[set[str]] = []

    def look(*_: object) -> None:
        seen.append(holders(home.data, CANARY) | holders(home.data, "this stays"))
        raise StorageError("stop here")

    monkeypatch.setattr("bot.storage.backups.restoring._put_in_place", look)
    with pytest.raises(StorageError, match="stop here"):
        await home.restore(made.file, in_memory=True)
    assert seen == [{"restored.db.tmp"}]
    assert holders(home.data, CANARY) == set()
    assert not list(home.data.glob("*.tmp*"))


async def test_people_and_places_erased_since_do_not_come_back(home: Home) -> None:
    async with home.living() as (rows, _):
        await fill(rows)
        await rows.privacies.put(Privacy(BEN.id, Consent.AGREED, country="NL"))
    made = await home.back_up()
    async with home.living() as (_, erasures):
        await erasures.erase(Selection(people=(BEN.id,)), ErasureReason.ASKED, NOW + DAY)
        await erasures.erase(Selection(places=(ANNS_DM.key,)), ErasureReason.LEFT, NOW + DAY)
    shutil.rmtree(home.data)
    done = await home.restore(made.file)
    assert (done.replayed.people, done.replayed.places) == (1, 1)
    assert home.query("SELECT id FROM speakers") == [(ANN.id,)]
    assert home.query("SELECT key FROM places") == [(HALL.key,)]
    assert home.query("SELECT * FROM privacy") == []
    assert holders(home.data, "Ben") == set()
    assert "sing" not in str(home.rows())


async def test_who_came_back_before_the_backup_stays(home: Home) -> None:
    async with home.living() as (rows, erasures):
        await fill(rows)
        await erasures.erase(Selection(people=(BEN.id,)), ErasureReason.ASKED, NOW - 2 * DAY)
        await rows.accept("here I am again", speaker=BEN, place=HALL, after=2 * DAY)
    made = await home.back_up()
    done = await home.restore(made.file)
    assert done.replayed.people == 0
    assert "here I am again" in home.texts()


async def test_a_restore_can_be_made_again(home: Home) -> None:
    """The journal of a data folder that was lost is the one of the backups from then on."""
    async with home.living() as (rows, _):
        said = await rows.accept(CANARY)
        await rows.accept("this stays")
    made = await home.back_up()
    async with home.living() as (_, erasures):
        await erasures.erase_messages("chat", [said.message_id], NOW + DAY)
    shutil.rmtree(home.data)
    await home.restore(made.file)
    (home.backups / "erasures.journal").unlink()
    await home.restore(made.file)
    assert home.texts() == ["this stays"]


async def test_without_a_journal_it_is_to_be_said(home: Home) -> None:
    async with home.living() as (rows, _):
        said = await rows.accept("erased since")
        await rows.accept("this stays")
    made = await home.back_up()
    async with home.living() as (_, erasures):
        await erasures.erase_messages("chat", [said.message_id], NOW + DAY)
    for folder in (home.backups, home.data):
        (folder / "erasures.journal").unlink()
    await refused(home, made.file, BadInput, r"No journal.*would come back.*--without-journal", REPLACE)
    done = await home.restore(made.file, Permits(replace=True, without_journal=True))
    assert done.known_until is None
    assert home.texts() == ["this stays"]  # the present database knew it too


async def test_a_journal_of_another_backup_is_none(home: Home) -> None:
    async with home.living() as (rows, _):
        await rows.accept("hello")
    made = await home.back_up()
    for folder in (home.backups, home.data):
        journal = folder / "erasures.journal"
        lines = journal.read_text().splitlines(keepends=True)
        journal.write_text("".join(line for line in lines if not line.startswith("backup")))
    await refused(home, made.file, BadInput, r"No journal.*--without-journal", REPLACE)


async def test_what_people_decided_since_stays_decided(home: Home) -> None:
    async with home.living() as (rows, _):
        await fill(rows)
        await rows.privacies.put(Privacy(ANN.id, Consent.AGREED))
    made = await home.back_up()
    async with home.living() as (rows, _):
        await rows.privacies.put(Privacy(ANN.id, Consent.REFUSED))
        await rows.privacies.opt_out(BEN.id, HALL, out=True)
    done = await home.restore(made.file)
    assert done.decisions
    async with home.living() as (rows, _):
        assert (await rows.privacies.of(ANN.id)).consent is Consent.REFUSED
        assert await rows.privacies.opted_out(BEN.id, HALL)


async def test_nobodys_type_is_guessed_again_who_wants_none(home: Home) -> None:
    async with home.living() as (rows, _):
        said = await rows.accept("I like quiet evenings.")
        for person, kind in ((ANN, "INFJ"), (BEN, "ESTP")):
            assert await rows.characters.put(Character(person.id, kind, sources=(said.id,)))
    made = await home.back_up()
    async with home.living() as (rows, _):
        await rows.characters.put(Character(ANN.id, "", off=True))
        await rows.characters.put(Character(BEN.id, "ENFP", guessed=False))
    await home.restore(made.file)
    async with home.living() as (rows, _):
        assert (await rows.characters.of(ANN.id)).off
        assert (await rows.characters.of(BEN.id)).type == "ENFP"
    assert home.query("SELECT type FROM characters ORDER BY type") == [("",), ("ENFP",)]
    assert home.query("SELECT * FROM character_sources") == []
    assert home.query("PRAGMA foreign_key_check") == []


async def test_another_database_decides_nothing(home: Home, tmp_path: Path) -> None:
    async with home.living() as (rows, _):
        await rows.privacies.put(Privacy(ANN.id, Consent.AGREED))
    made = await home.back_up()
    home.database.unlink()
    async with home.living() as (rows, _):
        await rows.privacies.put(Privacy(ANN.id, Consent.REFUSED))
    done = await home.restore(made.file)
    assert not done.decisions
    async with home.living() as (rows, _):
        assert (await rows.privacies.of(ANN.id)).consent is Consent.AGREED

"""Files that go with an answer: into the private chat, or told of in words."""

import pytest

from adapters.telegram import answering
from bot.domain import Answer, File
from bot.texts import platforms as texts
from tests.adapters.telegram.world import Ear, choice, running
from tests.platform.telegram_server import Fault, Upload

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")

FILES = (File("all.json", b'{"a": 1}'), File("all.md", "# Ünï".encode()))
UPLOADS = [Upload(file.name, file.content) for file in FILES]
TEXT = "Here is all I know."


def with_files(*files: File, private: bool = True) -> Ear:
    """A core that answers with files."""
    more = ((choice("Once more", "memory export"),),)
    return Ear(answer=lambda _call, _asker: Answer(TEXT, private=private, files=files, choices=more))


async def test_files_follow_their_answer() -> None:
    async with running(with_files(*FILES)) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/memory export")
        await here.world.until(lambda: len(here.world.uploads(ann)) == 2)
        assert here.world.uploads(ann) == UPLOADS
        answer = await here.world.reply(ann)
        assert (answer.text, answer.buttons) == (TEXT, ["Once more"])
        here.world.press(ann, answer, "Once more")
        await here.world.until(lambda: len(here.world.uploads(ann)) == 4)


async def test_files_asked_for_in_a_group_come_to_the_private_chat() -> None:
    async with running(with_files(*FILES)) as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        here.world.say(ann, group, "/memory export")
        await here.world.until(lambda: here.world.said(group)[-1:] == [texts.ANSWERED_IN_PRIVATE])
        assert here.world.uploads(ann) == UPLOADS
        assert here.world.uploads(group) == []


async def test_files_never_come_with_an_answer_for_everybody() -> None:
    async with running(with_files(*FILES, private=False)) as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        here.world.say(ann, group, "/memory export")
        here.world.say(ann, ann, "/memory export")
        await here.world.until(lambda: here.world.said(group) == here.world.said(ann) == [TEXT])
        here.world.say(ann, ann, "/help")
        await here.world.until(lambda: len(here.world.said(ann)) == 2)
        assert here.world.files == {}


async def test_whoever_cannot_be_written_to_gets_no_files_anywhere() -> None:
    async with running(with_files(*FILES)) as here:
        eve = here.world.add_user("Eve", started=False)
        group = here.world.add_group("Home", [eve], admins=[eve])
        here.world.say(eve, group, "/memory export")
        await here.world.until(lambda: here.world.said(group)[-1:] == [texts.START_ME_FIRST])
        assert here.world.files == {}


async def test_a_file_that_is_too_large_is_told_of_and_the_others_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "MAX_FILE_BYTES", texts.MEGABYTE)
    large = File("all.json", bytes(texts.MEGABYTE + 1))
    async with running(with_files(large, FILES[1])) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/memory export")
        await here.world.until(lambda: bool(here.world.uploads(ann)))
        assert here.world.uploads(ann) == UPLOADS[1:]
        told = texts.FILE_TOO_LARGE.format(name="all.json", size=1, platform="Telegram", limit=1)
        assert here.world.said(ann)[:2] == [TEXT, told]


async def test_an_upload_that_is_refused_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.platform.telegram_server.methods.LARGEST_FILE", 4)
    async with running(with_files(*FILES)) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/memory export")
        await here.world.until(lambda: len(here.world.said(ann)) == 2)
        assert here.world.said(ann) == [TEXT, texts.FILES_NOT_TAKEN]
        assert here.world.files == {}


async def test_an_upload_that_is_to_wait_comes_later() -> None:
    async with running(with_files(*FILES[:1])) as here:
        ann = here.world.add_user("Ann")
        here.telegram.faults.next("sendDocument", Fault.TOO_MANY, retry_after=1)
        here.world.say(ann, ann, "/memory export")
        await here.world.until(lambda: bool(here.world.uploads(ann)))
        assert here.world.uploads(ann) == UPLOADS[:1]
        assert here.world.said(ann)[0] == TEXT
        assert texts.FILES_NOT_TAKEN not in here.world.said(ann)

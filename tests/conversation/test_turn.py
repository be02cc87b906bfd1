"""One message to one reply: what the model is not asked, and what it is shown."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from bot import texts
from bot.conversation.phrases import phrases_of
from bot.domain import GenerationRequest, Outgoing
from bot.errors import PromptTooLong
from bot.language.attachments import Kind, mark, with_marks
from bot.llm.scripted import ScriptedChatModel
from bot.storage.conversation.outbox import SqlOutbox
from bot.storage.engine.database import open_database
from bot.storage.shared.tables import jobs
from tests.conversation.talk import HALL, open_talk
from tests.living import ANN, BOB, DM

PHOTO, VOICE = mark(Kind.PHOTO, "beach.jpg"), mark(Kind.VOICE)


async def trait_jobs(folder: Path) -> list[int]:
    """The utterances whose traits are to be looked for."""
    database = await open_database(f"sqlite+aiosqlite:///{folder / 'hello.db'}")
    try:
        async with database.reading() as connection:
            query = select(jobs.c.subject).where(jobs.c.kind == "traits").order_by(jobs.c.subject)
            return list((await connection.execute(query)).scalars())
    finally:
        await database.aclose()


async def test_what_has_no_words_is_thanked_for_without_the_model(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        await talk.say(PHOTO)
        assert talk.model.requests == []
        assert talk.replies == [texts.thanks([Kind.PHOTO])]
        assert await talk.heard() == [PHOTO, texts.thanks([Kind.PHOTO])]
        assert await trait_jobs(tmp_path) == []


async def test_a_photo_with_words_is_answered_and_only_words_tell_of_people(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        await talk.say(with_marks("This is my dog.", [PHOTO]))
        assert talk.replies == ["I see."]
        assert "This is my dog. (photo: beach.jpg)" in talk.prompts[0]
        assert await trait_jobs(tmp_path) == [1, 2]
        await talk.say(PHOTO, BOB, HALL, to_bot=True)
        assert await trait_jobs(tmp_path) == [1, 2]


@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        (
            [Kind.PHOTO],
            "Thank you for the photo. I can only read words, so please tell me: what is it?",
        ),
        (
            [Kind.PHOTO, Kind.VOICE, Kind.PHOTO],
            "Thank you for the photos and the voice note. I can only read words, so please tell me: what are they?",
        ),
    ],
)
def test_thanks_names_what_was_sent(kinds: list[Kind], sentence: str) -> None:
    assert texts.thanks(kinds) == sentence


async def test_what_a_line_replies_to_is_looked_up_for_the_prompt(tmp_path: Path) -> None:
    async with open_talk(tmp_path, session__beta_s=60, channels__mode="listen") as talk:
        await talk.hear("I bake bread.", BOB, HALL, message_id="bread")
        await talk.conversations.idle()
        talk.clock.advance(timedelta(hours=10))
        await talk.hear("What does he mean?", ANN, HALL, to_bot=True, reply_to="bread")
        await talk.conversations.idle()
        assert "I bake bread." in talk.prompts[-1]


async def test_what_is_erased_while_the_reply_is_stored_is_not_answered_and_the_rest_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_talk(tmp_path) as talk:
        real, erase = SqlOutbox.commit, ["m2"]

        async def commit(self: SqlOutbox, *arguments: object, **named: object) -> Outgoing | None:
            await talk.stores.erasures.erase_messages("test", erase, talk.clock.now())
            return await real(self, *arguments, **named)  # type: ignore[arg-type]  # passed on

        monkeypatch.setattr(SqlOutbox, "commit", commit)
        await talk.hear("One", message_id="m1")
        await talk.hear("Two", message_id="m2")
        await talk.conversations.idle()
        assert [sent.in_reply_to for sent in talk.screen.sent] == ["m1"]
        assert await talk.stores.inbox.pending() == []
        erase[0] = "m3"
        await talk.stores.outbox.draft(DM, "m3", "draft-0")
        await talk.hear("Three", message_id="m3")
        await talk.conversations.idle()
        assert len(talk.screen.sent) == 1
        assert talk.screen.retracted == ["draft-0"]
        assert await talk.heard() == ["One", "I see."]


async def test_a_prompt_that_is_too_long_for_the_server_is_made_shorter_and_asked_again(tmp_path: Path) -> None:
    refusals: list[Exception] = []

    def answer(_request: GenerationRequest) -> str | Exception:
        return refusals.pop() if refusals else "How lovely!"

    async with open_talk(tmp_path, ScriptedChatModel(answer)) as talk:
        for number in range(12):
            await talk.say(f"line {number} " + "word " * 40)
        refusals.append(PromptTooLong("too long"))
        await talk.say("And now?")
        long, short = talk.prompts[-2:]
        assert talk.replies[-1] == "How lovely!"
        assert len(short) < 0.8 * len(long)
        assert "And now?" in short
        refusals.extend(PromptTooLong("too long") for _ in range(9))
        await talk.say("Where do I live?")
        assert talk.replies[-1] == phrases_of("en").replies.not_told[0]

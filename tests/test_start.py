"""What the start of `bot chat` needs: no package that it does not use, and nobody's words lost while the rest loads."""

import subprocess
import sys
from pathlib import Path

import pytest

from bot.app.late import LateEncoder, in_thread
from bot.domain import Utterance
from bot.errors import ModelUnavailable
from bot.llm.bundled_encoder import DIMENSION, FINGERPRINT
from bot.llm.scripted import ScriptedChatModel
from tests.living import ANN, DM, START, open_core

UNUSED = (
    "torch", "transformers", "sentence_transformers", "spacy", "sklearn", "scipy", "bitsandbytes", "peft",
    "matplotlib", "discord", "telegram", "openai",
)  # fmt: skip

SAID = Utterance(DM, "m1", ANN, "My cat is called Pixel.", START, to_bot=True)


def test_what_chat_imports_before_its_prompt_holds_no_heavy_package() -> None:
    asked = f"import sys, bot.commands.chat; print([name for name in {UNUSED!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


async def test_an_encoder_that_is_another_than_promised_is_refused() -> None:
    late = LateEncoder("384-another", DIMENSION)
    with pytest.raises(ModelUnavailable, match="still being loaded"):
        await late.encode(["hello"])
    with pytest.raises(ModelUnavailable, match=r"encoder\.id"):
        late.arrived(LateEncoder(FINGERPRINT, DIMENSION))


async def test_what_fails_in_a_thread_is_raised_where_it_is_waited_for() -> None:
    def fails() -> None:
        raise ModelUnavailable("It is not there.")

    with pytest.raises(ModelUnavailable, match="not there"):
        await in_thread(fails, "test")
    assert await in_thread(lambda: 3, "test") == 3


async def test_what_is_said_before_it_is_awake_is_stored_and_answered_after_it(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("Hello Ann.")) as core:
        core.app.conversations._awake.clear()
        await core.app.receive(SAID)
        assert [one.text for one in await core.app.stores.inbox.pending()] == [SAID.text]
        assert not core.turns
        core.app.conversations.wake_up()
        await core.app.idle()
        assert core.turns[-1].reply is not None
        assert not await core.app.stores.inbox.pending()


async def test_who_leaves_before_it_is_awake_finds_the_words_at_the_next_start(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("Hello Ann.")) as core:
        core.app.conversations._awake.clear()
        await core.app.receive(SAID)
        await core.app.conversations.aclose()
        assert not core.turns
        assert [one.text for one in await core.app.stores.inbox.pending()] == [SAID.text]

"""An erasure that was confirmed is carried out, though the process was killed before it was."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

from tests.living import ANN, holding, open_core

CONFIRMING = """
import asyncio, os, signal, sys
from pathlib import Path
from bot.domain import Asker, Call
from bot.storage.erasing import erasures
from bot.texts import forgetting as texts
from tests.living import ANN, DM, open_core

async def killed(connection):
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    async with open_core(Path(sys.argv[1])) as core:
        await core.say("My cat is called Pixel.")
        asker = Asker(ANN, DM)
        answer = await core.app.commands.run(Call("memory forget", (("what", "everything"),)), asker)
        [erase] = [one for row in answer.choices for one in row if one.label == texts.ERASE]
        erasures.take_out = killed
        await core.app.commands.run(erase.call, asker)

asyncio.run(main())
"""


async def test_a_confirmed_erasure_is_done_by_the_next_process(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CONFIRMING, str(tmp_path)]
    ended = await asyncio.to_thread(subprocess.run, command, check=False, timeout=100)
    assert ended.returncode == -signal.SIGKILL
    assert holding(tmp_path, "Pixel")
    async with open_core(tmp_path) as core:
        receipts = await core.app.eraser.erasures.receipts(ANN.id, 9)
        assert [one.done is not None for one in receipts] == [True]
        assert await core.app.eraser.erasures.confirmed() == []
    assert not holding(tmp_path, "Pixel")

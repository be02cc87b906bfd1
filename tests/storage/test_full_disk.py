"""On a full disk people can still make room by erasing."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.domain import Asker, Call
from bot.storage.backups.reserve import NAME
from bot.texts import forgetting as texts
from tests.living import ANN, DM, holding, open_core


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=48m", "none", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root can make a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> None:
    with (folder / "filler").open("wb", buffering=0) as filler:
        for size in (1 << 20, 1 << 12):
            try:
                while True:
                    filler.write(b"\1" * size)
            except OSError:
                continue


async def test_what_somebody_said_goes_on_a_full_disk(small_disk: Path) -> None:
    data = small_disk / "data"
    async with open_core(data) as core:
        await core.say("My cat is called Pixel.")
        assert (data / NAME).exists()
        fill(small_disk)
        asker = Asker(ANN, DM)
        answer = await core.app.commands.run(Call("memory forget", (("what", "everything"),)), asker)
        [erase] = [choice for row in answer.choices for choice in row if choice.label == texts.ERASE]
        gone = await core.app.commands.run(erase.call, asker)
        assert gone.text.startswith((texts.GONE.partition("{")[0], texts.REWRITING.partition("{")[0]))
        assert not (data / NAME).exists()
        (small_disk / "filler").unlink()
    async with open_core(data):
        assert (data / NAME).exists()
    assert not holding(data, "Pixel")

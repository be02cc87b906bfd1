"""Files that only the owner's key opens (age, X25519), written and read as streams.

What is written goes through a pipe to the encryption, so that nothing of it is ever on the disk in plain text, and no
more than a few blocks of it are in memory. Anybody who has the public key can write such a file: the encryption says
who can read it, not who made it.
"""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import pyrage

from bot.errors import BadInput, StorageError
from bot.storage.engine.syncing import sync, told

SECRET_PREFIX = "AGE-SECRET-KEY-"  # noqa: S105  how such a line begins, not a secret
PARTIAL = ".tmp"
"""What a file is called until it is whole, behind its name."""
BUFFER = 1 << 16
COMPRESSION = 6


def make_key(file: Path, now: datetime) -> str:
    """Writes a new secret key to `file`, for its owner alone; returns its public key. Raises BadInput.

    A file that exists is never overwritten: it may be the only key to a backup.
    """
    identity = pyrage.x25519.Identity.generate()
    public = str(identity.to_public())
    text = f"# created: {now:%Y-%m-%dT%H:%M:%SZ}\n# public key: {public}\n{identity}\n"
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(text)
        sync(file)
    except FileExistsError:
        raise BadInput(f"{file} exists already and is not overwritten. Choose another name for the key.") from None
    except OSError as error:
        raise BadInput(f"The key cannot be written to {file} ({error.strerror}).") from None
    return public


def read_key(file: Path) -> Any:
    """The secret key in `file`, for `unsealed`. Raises BadInput."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise BadInput(f"The key file {file} cannot be read ({reason}).") from None
    secret = next((line.strip() for line in lines if line.strip().startswith(SECRET_PREFIX)), None)
    try:
        return pyrage.x25519.Identity.from_str(secret or "")
    except pyrage.IdentityError:
        raise BadInput(
            f"{file} holds no key that `hello-again data backup-key` made: a line {SECRET_PREFIX}…"
        ) from None


def read_recipient(text: str) -> Any:
    """The public key in `text`, for `sealed`. Raises BadInput."""
    try:
        return pyrage.x25519.Recipient.from_str(text.strip())
    except pyrage.RecipientError:
        raise BadInput(
            "'backup.recipient' is not a public key. `hello-again data backup-key FILE` makes one; it begins with age1."
        ) from None


@contextmanager
def sealed(file: Path, recipient: Any) -> Iterator[IO[bytes]]:
    """A stream whose content is `file`, compressed and encrypted, once the context ends without an error.

    Until then, and after an error or SIGKILL, there is nothing under that name. Raises StorageError.
    """
    partial = file.with_name(file.name + PARTIAL)
    source, drain = os.pipe()
    what = f"The backup {file} cannot be written"
    try:
        with told(what):
            with ThreadPoolExecutor(1, thread_name_prefix="encrypt") as pool:
                work = pool.submit(_encrypt, source, partial, recipient)
                with (
                    _first_fault_of(work, what),
                    os.fdopen(drain, "wb") as pipe,
                    gzip.GzipFile(fileobj=pipe, mode="wb", compresslevel=COMPRESSION, mtime=0) as packed,
                    io.BufferedWriter(packed, BUFFER) as stream,
                ):
                    yield stream
            partial.replace(file)
            sync(file.parent)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def unsealed(file: Path, key: Any) -> Iterator[IO[bytes]]:
    """The content of a file that `sealed` made. Raises StorageError at its end when any of it cannot be trusted.

    Its user reads to the end; an OSError, EOFError or ValueError of theirs is taken for damage of the file.
    """
    source, drain = os.pipe()
    with ThreadPoolExecutor(1, thread_name_prefix="decrypt") as pool:
        work = pool.submit(_decrypt, file, drain, key)
        with (
            _first_fault_of(work, f"The backup {file} is damaged or not whole"),
            os.fdopen(source, "rb") as pipe,
            gzip.GzipFile(fileobj=pipe, mode="rb") as unpacked,
            io.BufferedReader(unpacked, BUFFER) as stream,
        ):
            yield stream


@contextmanager
def _first_fault_of(work: Future[None], what: str) -> Iterator[None]:
    """Ends the context with what went wrong at the other end of the pipe, where that was the reason."""
    try:
        yield
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise _sentence(work.exception() or error, what) from error
    fault = work.exception()
    if fault is not None:
        raise _sentence(fault, what) from fault


def _sentence(fault: BaseException, what: str) -> StorageError:
    reason = str(fault) or type(fault).__name__
    if isinstance(fault, pyrage.DecryptError) and "matching" in reason:
        return StorageError(f"{what}, or this is not its key: the key opens nothing in it. Nothing was changed.")
    if isinstance(fault, OSError) and fault.strerror:
        reason = fault.strerror
    return StorageError(f"{what} ({reason}). Nothing was changed.")


def _encrypt(source: int, partial: Path, recipient: Any) -> None:
    with os.fdopen(source, "rb", BUFFER) as plain:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb", BUFFER) as stream:
            pyrage.encrypt_io(plain, stream, [recipient])
        sync(partial)


def _decrypt(file: Path, drain: int, key: Any) -> None:
    with os.fdopen(drain, "wb", BUFFER) as plain, file.open("rb") as stream:
        pyrage.decrypt_io(stream, plain, [key])

"""Keeps what other parts of the process had in memory out of the files of the vector index.

The index writes buffers to disk that it has allocated and not filled. What was freed before, such as a page of the
database with people's words in it, can still stand in them: seen, in about one run of ten of a test. While the C
library is told to overwrite every new allocation, it cannot.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

M_PERTURB = -6
"""glibc's number for `mallopt`: fill new allocations, and freed ones, with a byte."""

_FILL, _LEAVE = 0x5A, 0

_libc = ctypes.CDLL(None)
_mallopt = getattr(_libc, "mallopt", None)
_trim = getattr(_libc, "malloc_trim", None)


@contextmanager
def clean_allocations() -> Iterator[None]:
    """While it is open, memory that any thread allocates holds a fixed byte. Does nothing without glibc."""
    if _mallopt is None:
        yield
        return
    _mallopt(M_PERTURB, _FILL)
    try:
        yield
    finally:
        _mallopt(M_PERTURB, _LEAVE)


def give_back() -> None:
    """Gives memory that was freed back to the system. Does nothing without glibc."""
    if _trim is not None:
        _trim(0)

"""What was worked out of a text a short while ago, by the text's digest: what people wrote is not kept for it."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

MOST_TEXTS = 2048
"""Texts of which a result is kept."""

R = TypeVar("R")


def once_lately(look: Callable[[str], R]) -> Callable[[str], R]:
    """The same function of a text, computed once for each of the texts seen last. For several threads at once."""
    known: OrderedDict[bytes, R] = OrderedDict()
    lock = threading.Lock()

    @wraps(look)
    def looked(text: str) -> R:
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with lock:
            if key in known:
                known.move_to_end(key)
                return known[key]
        found = look(text)
        with lock:
            known[key] = found
            while len(known) > MOST_TEXTS:
                known.popitem(last=False)
        return found

    return looked

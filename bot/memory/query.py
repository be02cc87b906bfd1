"""What recall searches for."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Query:
    """What was just said, with all that is worked out of it once."""

    text: str
    vector: NDArray[np.float32]
    """Of the text, shape (dimension,)."""
    topics: frozenset[str]
    """Its topic nouns (LD-Agent's V_q)."""
    speaker_id: str
    """Who said it: "I" is them."""
    time: datetime
    """When it was said: "last spring" is as seen from then."""
    before: tuple[str, ...] = ()
    """What was said right before it in the same conversation, oldest first."""

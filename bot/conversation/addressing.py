"""Is this for the companion? Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def names_agent(text: str, agent_name: str) -> bool:
    """Whether the text has the companion's name in it as words of their own, in any case: "monica?", "@Monica".

    A name of several words may be broken by any white space. Part of a longer word ("Monicas"), of an address or of a
    link is not the name.
    """
    return _name(_plain(agent_name)).search(_plain(text)) is not None


def without_name(text: str, agent_name: str) -> str:
    """The text without the companion's name, or all of it when it says nothing else.

    Memories are looked for without it: calling the companion by name is near to everything that was ever said to it.
    """
    rest = _name(_plain(agent_name)).sub(" ", _plain(text))
    return rest if any(character.isalnum() for character in rest) else text


@lru_cache(maxsize=16)
def _name(agent_name: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in agent_name.split())
    return re.compile(rf"(?<![\w/])(?<!\w[.\-]){words}(?![\w@]|[.\-]\w)", re.IGNORECASE)


def _plain(text: str) -> str:
    """The text with letters that look alike made alike."""
    return unicodedata.normalize("NFKC", text)

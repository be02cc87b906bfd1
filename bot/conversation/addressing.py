"""Is this for the companion? Pure."""

from __future__ import annotations

import re


def names_agent(text: str, agent_name: str) -> bool:
    """Whether the text has the companion's name in it as a word of its own, in any case."""
    return re.search(rf"(?<!\w){re.escape(agent_name)}(?!\w)", text, re.IGNORECASE) is not None

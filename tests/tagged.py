"""The real English tagger, loaded once for all tests of a process that need it: a loading takes most of a second."""

from __future__ import annotations

from functools import cache

from bot.memory.topics import SpacyTopics, load_topics


@cache
def tagger() -> SpacyTopics:
    """The one of this process."""
    return load_topics()

"""Ends a streamed text at a stop text, without ever letting a part of the stop text through."""

from collections.abc import Sequence


class StopTexts:
    """Watches a text that arrives in pieces. What might still become a stop text is held back until that is settled."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.stopped = False
        """Whether a stop text was found. Nothing from it on is part of the text."""

    def push(self, piece: str) -> str:
        """Adds a piece; returns the text that is certain by now, often empty."""
        if self.stopped:
            return ""
        text = self._held + piece
        found = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        if found:
            self.stopped, self._held = True, ""
            return text[: min(found)]
        certain = len(text) - max((_begun(text, stop) for stop in self._stops), default=0)
        self._held = text[certain:]
        return text[:certain]

    def finish(self) -> str:
        """What was held back, now that no more text comes."""
        held, self._held = self._held, ""
        return held


def _begun(text: str, stop: str) -> int:
    """The length of the longest end of `text` that is a beginning of `stop`, without being all of it."""
    return next((size for size in range(min(len(text), len(stop) - 1), 0, -1) if text.endswith(stop[:size])), 0)

"""Tokens to text, piece by piece: no half characters, no text that changes later, no part of a stop text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

UNFINISHED = "\N{REPLACEMENT CHARACTER}"
"""What a tokenizer decodes the first bytes of a longer UTF-8 character to."""


class TextStream:
    """The text of one generation. `push` takes tokens as they come and returns the text that is certain by now.

    Decoding is incremental: only the tokens since the last certain character are decoded, with the piece before them
    for context, so that the cost of a token does not grow with the length of the text. Text that might become one of
    the `stop` texts is held back until that is settled.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str], stop: Sequence[str] = ()) -> None:
        self._decode = decode
        self._stop = tuple(text for text in stop if text)
        self._tokens: list[int] = []
        self._context = 0
        self._read = 0
        self._held = ""
        self.stopped = False
        """Whether a stop text was found. Nothing after it is part of the text."""

    def push(self, tokens: Sequence[int]) -> str:
        """Adds tokens; returns the text that became certain, often empty."""
        if self.stopped:
            return ""
        self._tokens.extend(tokens)
        before = self._decode(self._tokens[self._context : self._read])
        text = self._decode(self._tokens[self._context :])
        if len(text) <= len(before) or text.endswith(UNFINISHED):
            return ""
        self._context, self._read = self._read, len(self._tokens)
        return self._release(text[len(before) :])

    def finish(self) -> str:
        """The rest of the text: what was held back, without the bytes of a character that never became whole."""
        if self.stopped:
            return ""
        before = self._decode(self._tokens[self._context : self._read])
        rest = self._decode(self._tokens[self._context :])[len(before) :].rstrip(UNFINISHED)
        certain = self._release(rest)
        held, self._held = self._held, ""
        return certain + held

    def _release(self, text: str) -> str:
        """The part of what is held plus `text` that no stop text can still claim."""
        text = self._held + text
        found = [position for position in (text.find(stop) for stop in self._stop) if position >= 0]
        if found:
            self.stopped, self._held = True, ""
            return text[: min(found)]
        keep = max((_overlap(text, stop) for stop in self._stop), default=0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]


def _overlap(text: str, stop: str) -> int:
    """The length of the longest end of `text` that is a beginning of `stop`."""
    for length in range(min(len(text), len(stop) - 1), 0, -1):
        if text.endswith(stop[:length]):
            return length
    return 0

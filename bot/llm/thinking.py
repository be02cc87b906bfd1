"""Takes out of a streamed answer what a model thought aloud before it: "<think> … </think>" and its like."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.llm.stopping import StopTexts
from bot.texts.beside import read_beside

WITHOUT_THINKING: dict[str, Any] = {"enable_thinking": False, "thinking": False}
"""What a chat template is told, so that its model answers at once: the name that Qwen and most others have for it, and
DeepSeek's and Granite's. Templates ignore what they do not know."""

THINKING, CLOSE = "<think>", "</think>"
"""Where a chat template begins the thinking itself, the prompt ends with the one, the answer shows the other alone."""

_MARKS: Mapping[str, str] = read_beside(__file__)
"""What begins an aside at the front of an answer → what ends it; empty: the mark alone is taken out."""


class Thinking:
    """Watches a text that arrives in pieces. Notices are looked for at its front only, one after the other.

    `begun`: the text starts inside the thinking, or may do so: everything is held back until its end is seen.
    """

    def __init__(self, *, begun: bool = False) -> None:
        self._close = CLOSE if begun else ""
        self._begun = begun
        self._held = ""
        self._passed = ""
        self._marked = False
        self.answering = False
        """Whether the answer itself has begun."""
        self.thought = False
        """Whether there was any thinking with words in it."""
        self.unannounced = False
        """Whether thinking ended that had no beginning: the text before CLOSE was no answer, and was let through."""

    @property
    def inside(self) -> bool:
        """Whether the thinking has begun and not ended."""
        return bool(self._close)

    def push(self, piece: str) -> str:
        """Adds a piece; returns the text of the answer that is certain by now, often empty."""
        self._held += piece
        if self.answering:
            return self._said()
        while True:
            if self._close:
                thought, end, rest = self._held.partition(self._close)
                if not end:
                    return ""
                self.thought = self.thought or bool(thought.strip())
                self._held, self._close, self._begun, self._marked = rest, "", False, True
            text = self._held.lstrip()
            mark = next((mark for mark in _MARKS if text.startswith(mark)), "")
            if not mark:
                break
            self._held, self._close, self._marked = text[len(mark) :], _MARKS[mark], True
        if any(mark.startswith(text) for mark in _MARKS):
            return ""
        self.answering = True
        self._held = text if self._marked else self._held
        return self._said()

    def finish(self, *, whole: bool = True) -> str:
        """What was held back, now that no more text comes. `whole`: the model ended by itself.

        A whole text that was held back because it might have `begun` with thinking, and shows no end of any, is the
        answer: then the server took the thinking out.
        """
        held, self._held = self._held, ""
        if self.inside and (not whole or not self._begun or held.lstrip().startswith(tuple(_MARKS))):
            self.thought = self.thought or bool(held.strip())
            return ""
        self._close = ""
        return held

    def _said(self) -> str:
        said, self._held = self._held, ""
        seen = self._passed + said
        self.unannounced = self.unannounced or CLOSE in seen
        self._passed = seen[1 - len(CLOSE) :]
        return said


class AnswerText:
    """What of a model's text is its answer: without its thinking, and up to a stop text, which thinking never meets."""

    def __init__(self, stops: Sequence[str] = (), *, begun: bool = False) -> None:
        """`begun`: see `Thinking`."""
        self.thinking = Thinking(begun=begun)
        self._stops = StopTexts(stops)

    @property
    def stopped(self) -> bool:
        """Whether a stop text was found. Nothing from it on is part of the answer."""
        return self._stops.stopped

    def push(self, piece: str) -> str:
        """Adds a piece; returns the text that is certain by now, often empty."""
        return self._stops.push(self.thinking.push(piece))

    def finish(self, *, whole: bool = True) -> str:
        """What was held back, now that no more text comes; `whole`: see `Thinking.finish`."""
        return self._stops.push(self.thinking.finish(whole=whole)) + self._stops.finish()

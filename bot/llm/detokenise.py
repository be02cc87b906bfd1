"""Tokens to text, piece by piece: no half characters, no text that changes later, no thinking, no stop text."""

from collections.abc import Callable, Sequence

from bot.llm.thinking import AnswerText

UNFINISHED = "\N{REPLACEMENT CHARACTER}"
"""What a tokenizer decodes the first bytes of a longer UTF-8 character to."""


class TextStream:
    """The text of one generation. `push` takes tokens as they come and returns the text that is certain by now.

    Decoding is incremental: only the tokens since the last certain character are decoded, with the piece before them
    for context, so that the cost of a token does not grow with the length of the text. Text that might become one of
    the `stop` texts is held back until that is settled. `begun`: the prompt ends inside the model's thinking.
    """

    def __init__(
        self, decode: Callable[[Sequence[int]], str], stop: Sequence[str] = (), *, begun: bool = False
    ) -> None:
        self._decode = decode
        self._answer = AnswerText(stop, begun=begun)
        self._tokens: list[int] = []
        self._context = 0
        self._read = 0

    @property
    def stopped(self) -> bool:
        """Whether a stop text was found. Nothing after it is part of the text."""
        return self._answer.stopped

    @property
    def thinking(self) -> bool:
        """Whether the model is thinking aloud, which is no part of the text, and has not come to its answer."""
        return self._answer.thinking.inside

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
        return self._answer.push(text[len(before) :])

    def finish(self) -> str:
        """The rest of the text: what was held back, without the bytes of a character that never became whole."""
        if self.stopped:
            return ""
        before = self._decode(self._tokens[self._context : self._read])
        rest = self._decode(self._tokens[self._context :])[len(before) :].rstrip(UNFINISHED)
        return self._answer.push(rest) + self._answer.finish(whole=False)

"""How many tokens a prompt has, for a model whose tokenizer is not at hand."""

from collections.abc import Sequence

from bot.domain import ChatMessage

CHARACTERS_PER_TOKEN = 3.0
"""English has about 4.5 in today's vocabularies; 3 leaves room for names, code and other languages in Latin script."""
TOKENS_PER_WORD = 1.4
TOKENS_PER_WIDE = 1.2
"""For a character outside ASCII: between 0.6 (Chinese in a large vocabulary) and 2 or more (rare scripts, emoji)."""
MESSAGE_OVERHEAD = 6
"""Tokens that a chat template puts around a message; and the reply's opening."""
LEARNABLE = 100
"""Prompts with fewer tokens say more about the template than about the text, so nothing is learnt from them."""
LOWEST, HIGHEST = 0.5, 3.0
FORGETTING = 0.05


class TokenEstimate:
    """Estimates on the high side, corrected by the counts that a server returns.

    A count above the estimate raises the factor at once, one below it lowers the factor slowly: a prompt that is
    thought too short is refused by the server, one that is thought too long only leaves a little unused.
    """

    def __init__(self) -> None:
        self.factor = 1.0
        """True tokens per estimated token."""

    def count(self, messages: Sequence[ChatMessage]) -> int:
        """The estimated tokens of the whole prompt, with the chat template and the opening of the reply."""
        return round(_raw(messages) * self.factor) + 1

    def learn(self, messages: Sequence[ChatMessage], tokens: int) -> None:
        """Corrects the factor by a prompt that truly had `tokens` tokens."""
        raw = _raw(messages)
        if raw < LEARNABLE or tokens <= 0:
            return
        seen = min(max(tokens / raw, LOWEST), HIGHEST)
        self.factor = seen if seen > self.factor else self.factor + FORGETTING * (seen - self.factor)


def _raw(messages: Sequence[ChatMessage]) -> float:
    return MESSAGE_OVERHEAD + sum(MESSAGE_OVERHEAD + _text(message.content) for message in messages)


def _text(text: str) -> float:
    wide = sum(not character.isascii() for character in text)
    return max((len(text) - wide) / CHARACTERS_PER_TOKEN, len(text.split()) * TOKENS_PER_WORD) + wide * TOKENS_PER_WIDE

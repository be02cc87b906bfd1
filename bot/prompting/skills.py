"""The prompts of what a model was tuned for: the same in training and live, or the tuning is worth nothing.

They are short, since an adapter knows its task: a system line of a few words, because SmolLM2's template adds a longer
one of its own when there is none, and the words that the task is about. The answers are those that the live parsers
take (`bot/persona/extract.py`, `bot/memory/events.py`). The generator is shown the live reply prompt as it is.
"""

from collections.abc import Sequence

from bot.domain import ChatMessage, Role
from bot.prompting.templates import render

Messages = tuple[ChatMessage, ...]


def extractor_messages(sentence: str) -> Messages:
    """What a tuned extractor is shown of an utterance. It answers with first-person statements, or NO_TRAIT."""
    return _messages(render("tuned_traits_system"), render("tuned_traits", sentence=" ".join(sentence.split()) or "…"))


def summarizer_messages(lines: Sequence[tuple[str, str]], background: str = "") -> Messages:
    """What a tuned summarizer is shown of a conversation, as (name, text). It answers with the summary alone.

    `background`: what the conversation is about or who has it, in a few words; empty where nothing is known.
    """
    return _messages(render("tuned_summary_system", background=background), render("tuned_summary", lines=list(lines)))


def _messages(system: str, user: str) -> Messages:
    return ChatMessage(Role.SYSTEM, system), ChatMessage(Role.USER, user)

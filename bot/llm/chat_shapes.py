"""What conversations a chat template takes, found out once by trying; and conversations made so that it takes them."""

from collections.abc import Callable, Sequence

from bot.domain import ChatMessage, Role
from bot.llm.thinking import THINKING

OPENING = "…"
"""What the user "says" where a template insists that the user speaks first, and they did not."""
SYSTEM_PROBE = "xyzzy-system"


class TemplateRefused(Exception):
    """A chat template does not take a conversation."""


class ChatShape:
    """Some templates refuse or ignore a system message: its text then goes into the first user message.

    Some refuse two messages of one role in a row, which are joined, or an assistant who speaks first.
    """

    def __init__(self, render: Callable[[Sequence[ChatMessage]], str]) -> None:
        """`render` gives the text of a prompt, or raises TemplateRefused."""
        self._render = render
        user, assistant = ChatMessage(Role.USER, "a"), ChatMessage(Role.ASSISTANT, "b")
        system = ChatMessage(Role.SYSTEM, SYSTEM_PROBE)
        self._folds_system = SYSTEM_PROBE not in (self._rendered([system, user]) or "")
        loose = [[user, user], [assistant, user], [user, system, user]]
        self._strict = any(self._rendered(self._folded(messages)) is None for messages in loose)
        self.begins_thinking = (self._rendered(self.fit([user])) or "").rstrip().endswith(THINKING)
        """Whether prompts end inside the model's thinking: the template of a model that cannot do without."""

    def fit(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """The same conversation, in a form that the template takes."""
        taken = self._folded(messages)
        return _alternating(taken) if self._strict else taken

    def _folded(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        return _without_system(messages) if self._folds_system else list(messages)

    def _rendered(self, messages: Sequence[ChatMessage]) -> str | None:
        """The text of a prompt; None when the template does not take it."""
        try:
            return self._render(messages)
        except TemplateRefused:
            return None


def _without_system(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Every system text put in front of the next user message, or at the end as one of its own."""
    result: list[ChatMessage] = []
    pending: list[str] = []
    for message in messages:
        if message.role is Role.SYSTEM:
            pending.append(message.content)
        elif message.role is Role.USER and pending:
            result.append(ChatMessage(Role.USER, "\n\n".join([*pending, message.content])))
            pending = []
        else:
            result.append(message)
    if pending:
        result.append(ChatMessage(Role.USER, "\n\n".join(pending)))
    return result


def _alternating(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """One system message at most, in front; then user and assistant by turns, the user first."""
    head = [message for message in messages[:1] if message.role is Role.SYSTEM]
    return head + folded(_without_system(messages[len(head) :]))


def folded(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """User and assistant by turns, the user first: a system text becomes part of what the user says beside it."""
    turns: list[ChatMessage] = []
    for message in messages:
        role = Role.ASSISTANT if message.role is Role.ASSISTANT else Role.USER
        if turns and turns[-1].role is role:
            turns[-1] = ChatMessage(role, f"{turns[-1].content}\n\n{message.content}")
        else:
            turns.append(ChatMessage(role, message.content))
    return turns if turns and turns[0].role is Role.USER else [ChatMessage(Role.USER, OPENING), *turns]


def no_chat_template(model: str) -> str:
    """The sentence for a model that was not made for chat."""
    return (
        f"{model} has no chat template, so it is not a chat model. "
        "Set model.id to one made for chat; their names often end in -Instruct."
    )

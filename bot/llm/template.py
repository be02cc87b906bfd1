"""Chat messages to tokens, by the model's own chat template, whatever that template accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerBase

from bot.domain import ChatMessage, Role
from bot.errors import ModelFailed, ModelUnavailable

OPENING = "…"
"""What the user "says" where a template insists that the user speaks first, and they did not."""
SYSTEM_PROBE = "xyzzy-system"


class ChatTemplate:
    """The chat template of one tokenizer. Finds out once, by trying, what the template takes.

    Some templates refuse or ignore a system message (its text then goes into the first user message), some refuse two
    messages of one role in a row (they are joined) or an assistant who speaks first. Control tokens that people type
    (`<|im_end|>` and the like) are encoded as plain text: nobody can close their own message and open the system's.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, model: str) -> None:
        """`model` is how the model is called in errors. Raises ModelUnavailable when there is no chat template."""
        if not tokenizer.chat_template:
            raise ModelUnavailable(
                f"{model} has no chat template, so it is not a chat model. "
                "Set model.id to one made for chat; their names often end in -Instruct."
            )
        self._tokenizer = tokenizer
        user, assistant = ChatMessage(Role.USER, "a"), ChatMessage(Role.ASSISTANT, "b")
        system = ChatMessage(Role.SYSTEM, SYSTEM_PROBE)
        self._folds_system = not self._keeps_system(system, user)
        loose = [[user, user], [assistant, user], [user, system, user]]
        self._strict = not all(self._accepts(self._folded(messages)) for messages in loose)

    def encode(self, messages: Sequence[ChatMessage]) -> list[int]:
        """The tokens of the whole prompt, with the opening of the reply. Raises ModelFailed when it cannot be built."""
        prepared = self._folded(messages)
        if self._strict:
            prepared = _alternating(prepared)
        try:
            return self._render(prepared)
        except TemplateError as error:
            raise ModelFailed(f"The model's chat template does not take this conversation: {error}") from error

    def _folded(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        return _without_system(messages) if self._folds_system else list(messages)

    def _keeps_system(self, system: ChatMessage, user: ChatMessage) -> bool:
        try:
            return SYSTEM_PROBE in str(self._tokenizer.decode(self._render([system, user])))
        except TemplateError:
            return False

    def _accepts(self, messages: Sequence[ChatMessage]) -> bool:
        try:
            self._render(messages)
        except TemplateError:
            return False
        return True

    def _render(self, messages: Sequence[ChatMessage]) -> list[int]:
        encoded: Any = self._tokenizer.apply_chat_template(
            [{"role": message.role.value, "content": message.content} for message in messages],
            add_generation_prompt=True,
            sanitize_control_tokens=True,
            return_dict=True,
            enable_thinking=False,
        )
        return list(encoded["input_ids"])


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
    turns: list[ChatMessage] = []
    for message in _without_system(messages[len(head) :]):
        if turns and turns[-1].role is message.role:
            turns[-1] = ChatMessage(message.role, f"{turns[-1].content}\n\n{message.content}")
        else:
            turns.append(message)
    if not turns or turns[0].role is Role.ASSISTANT:
        turns.insert(0, ChatMessage(Role.USER, OPENING))
    return head + turns

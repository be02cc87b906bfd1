"""Chat messages to tokens, by the chat template of a tokenizer of transformers, whatever that template accepts."""

from collections.abc import Sequence
from typing import Any

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerBase

from bot.domain import ChatMessage
from bot.errors import ModelFailed, ModelUnavailable
from bot.llm.chat_shapes import ChatShape, TemplateRefused, no_chat_template
from bot.llm.thinking import WITHOUT_THINKING


class ChatTemplate:
    """The chat template of one tokenizer, which gets conversations in a form that it takes (`ChatShape`).

    Control tokens that people type (`<|im_end|>` and the like) are encoded as plain text: nobody can close their own
    message and open the system's.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, model: str) -> None:
        """`model` is how the model is called in errors. Raises ModelUnavailable when there is no chat template."""
        if not tokenizer.chat_template:
            raise ModelUnavailable(no_chat_template(model))
        self._tokenizer = tokenizer
        self._shape = ChatShape(self._text)
        self.begins_thinking = self._shape.begins_thinking

    def encode(self, messages: Sequence[ChatMessage]) -> list[int]:
        """The tokens of the whole prompt, with the opening of the reply. Raises ModelFailed when it cannot be built."""
        try:
            return self._render(self._shape.fit(messages))
        except TemplateRefused as error:
            raise ModelFailed(f"The model's chat template does not take this conversation: {error}") from error

    def _text(self, messages: Sequence[ChatMessage]) -> str:
        return str(self._tokenizer.decode(self._render(messages)))

    def _render(self, messages: Sequence[ChatMessage]) -> list[int]:
        try:
            encoded: Any = self._tokenizer.apply_chat_template(
                [{"role": message.role.value, "content": message.content} for message in messages],
                add_generation_prompt=True,
                sanitize_control_tokens=True,
                return_dict=True,
                **WITHOUT_THINKING,
            )
        except TemplateError as error:
            raise TemplateRefused(str(error)) from error
        return list(encoded["input_ids"])

"""The prompts' templates, `bot/llm/prompts/*.j2`: all words that a model is shown stand there."""

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.domain import ChatMessage, Role

_environment = Environment(
    loader=PackageLoader("bot", "llm/prompts"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,  # noqa: S701 - the output is a prompt, not a page
)

TURN = "\n---\n"
"""What stands between the turns of a chat in a template: a question, its answer, the next question …"""


def render(name: str, **values: object) -> str:
    """The text of template `name` (without its ending) with `values`; a value that is missing is an error."""
    return _environment.get_template(f"{name}.j2").render(values).strip()


def turns(name: str, *, examples: bool = False, **values: object) -> tuple[ChatMessage, ...]:
    """The prompt of template `name`: its system message, worked examples as turns of the chat, and what is asked.

    Small models follow examples that they seem to have answered themselves, and few others. They (`examples`: whether
    there are any) stand in template `name`_examples and are split alone, so nothing that people said can pass for a
    turn.
    """
    shown = render(f"{name}_examples", **values).split(TURN) if examples else []
    told = [ChatMessage(Role.ASSISTANT if at % 2 else Role.USER, text.strip()) for at, text in enumerate(shown)]
    asked = ChatMessage(Role.USER, render(name, **values))
    return (ChatMessage(Role.SYSTEM, render(f"{name}_system", **values)), *told, asked)

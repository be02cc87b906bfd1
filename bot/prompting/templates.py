"""The prompts' templates, `bot/llm/prompts/*.j2`: all words that a model is shown stand there."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

_environment = Environment(
    loader=PackageLoader("bot", "llm/prompts"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,  # noqa: S701 - the output is a prompt, not a page
)


def render(name: str, **values: object) -> str:
    """The text of template `name` (without its ending) with `values`; a value that is missing is an error."""
    return _environment.get_template(f"{name}.j2").render(values).strip()

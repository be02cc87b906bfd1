"""What a model was tuned for: in words, and whether a request asks for what there is."""

from collections.abc import Collection, Mapping

from bot.domain import GenerationRequest, ModelDescription, Skill
from bot.errors import PromptTooLong

GOOD_FOR: Mapping[Skill, str] = {
    Skill.SUMMARIZER: "summaries",
    Skill.EXTRACTOR: "traits",
    Skill.GENERATOR: "replies",
}


def in_words(skills: Collection[Skill]) -> str:
    """E.g. "summaries and traits"; empty for none."""
    words = [GOOD_FOR[skill] for skill in Skill if skill in skills]
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def room_for(request: GenerationRequest, prompt: int, context: int, description: ModelDescription) -> int:
    """The tokens that an answer to a prompt of so many may have. Raises PromptTooLong, and as `check_skill` does."""
    check_skill(request, description)
    room = min(request.max_tokens, context - prompt)
    if room < 1:
        raise PromptTooLong(
            f"The prompt has {prompt} tokens, and {description.name} takes {context} with its reply. Lower "
            "prompt.max_tokens, or raise model.kv_cache_tokens if it is the smaller limit."
        )
    return room


def check_skill(request: GenerationRequest, description: ModelDescription) -> None:
    """Raises ValueError when the model has no adapter for what `request` asks (`ChatModel.stream`)."""
    if request.skill is not None and request.skill not in description.skills:
        raise ValueError(
            f"{description.name} has no adapter for the skill {request.skill}: "
            "look at ModelDescription.skills before asking for one"
        )

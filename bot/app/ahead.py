"""What every conversation begins with, read while the voice is set up: the first answer ever does not wait for it."""

from contextlib import aclosing

from bot.app.engines import model_of
from bot.care.grave import weight_of
from bot.config import Settings
from bot.conversation.phrases import spoken_here
from bot.conversation.prompt import PromptBuilder
from bot.conversation.reading_ahead import ReadingAhead
from bot.ports import ChatModel, quietly


def prompts_of(settings: Settings, model: ChatModel) -> PromptBuilder:
    """What packs turns into prompts; the same for what is read ahead, so that turns begin with that."""
    return PromptBuilder(
        model=model,
        card=settings.agent,
        settings=settings.prompt,
        reply_tokens=settings.model.max_new_tokens,
        weigh=weight_of,
    )


async def read_beginnings(settings: Settings) -> None:
    """Loads the model that answers, and has it read and keep that, where it can. Raises ModelUnavailable."""
    async with aclosing(await model_of(settings, quietly)) as model:
        beginnings = prompts_of(settings, model).beginnings(spoken_here())
        await ReadingAhead(model).read([one for one in beginnings if one.shared])  # nothing is kept of the others

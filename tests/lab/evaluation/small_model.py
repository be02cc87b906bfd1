"""What a model that does not follow instructions says of itself."""

from bot.domain import ModelDescription

SMALL = ModelDescription("tiny", "scripted", "", 8192, 3500, follows_instructions=False)

"""The settings (`sections.py`, with `memory.py`, `care.py`, `agent.py`), and how they are read (`loading.py`)."""

from bot.config.agent import Agent, Preset
from bot.config.basics import TEN_YEARS, Section
from bot.config.care import Care
from bot.config.loading import ENV_PREFIX, load_settings
from bot.config.memory import FusedRelevance, FusedSettings, FusedWeights, Memory, Persona
from bot.config.mistakes import misspelt_secrets
from bot.config.platforms import Discord, Telegram
from bot.config.sections import (
    ADAPTERS,
    SECRETS,
    UNLIMITED,
    Background,
    Backup,
    ChannelSettings,
    EncoderSettings,
    Limits,
    Log,
    Model,
    PrivacySettings,
    Prompt,
    Queue,
    Remote,
    SafetySettings,
    Secrets,
    SessionSettings,
    Settings,
    Storage,
    Web,
    serves_any,
)

__all__ = [
    "ADAPTERS",
    "ENV_PREFIX",
    "SECRETS",
    "TEN_YEARS",
    "UNLIMITED",
    "Agent",
    "Background",
    "Backup",
    "Care",
    "ChannelSettings",
    "Discord",
    "EncoderSettings",
    "FusedRelevance",
    "FusedSettings",
    "FusedWeights",
    "Limits",
    "Log",
    "Memory",
    "Model",
    "Persona",
    "Preset",
    "PrivacySettings",
    "Prompt",
    "Queue",
    "Remote",
    "SafetySettings",
    "Secrets",
    "Section",
    "SessionSettings",
    "Settings",
    "Storage",
    "Telegram",
    "Web",
    "load_settings",
    "misspelt_secrets",
    "serves_any",
]

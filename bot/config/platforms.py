"""The settings of the platforms."""

from __future__ import annotations

from pydantic import Field

from bot.config.basics import Real, Section, Whole


class Discord(Section):
    """The Discord adapter."""

    stream: bool = True
    edit_every_s: Real = Field(1.5, ge=0.1, le=60)
    catch_up_hours: Real = Field(24.0, ge=0, le=720)
    catch_up_messages: Whole = Field(200, ge=0, le=10_000)
    shards: Whole = Field(1, ge=1, le=10_000)
    shards_per_gateway: Whole = Field(0, ge=0, le=10_000)
    api_url: str = "https://discord.com/api/v10"
    gateway_url: str = "wss://gateway.discord.gg/"


class Telegram(Section):
    """The Telegram adapter."""

    stream: bool = True
    edit_every_s: Real = Field(3.0, ge=0.1, le=60)
    api_url: str = "https://api.telegram.org/bot"

"""Tells Discord which slash commands there are, only when they have changed: it limits how often that may be done."""

from typing import Any

import discord
import structlog
from discord import app_commands

from bot.texts.beside import read_beside

_FIELDS = frozenset(read_beside(__file__))
"""What we say of a command. Discord adds fields of its own, which are not compared."""

_DEFAULTS: dict[str, Any] = {"integration_types": [0], "type": 1}
"""What Discord fills in where we say nothing."""

_log = structlog.get_logger(__name__)


async def sync_if_changed(client: discord.Client, tree: app_commands.CommandTree[Any]) -> bool:
    """Sends the commands if Discord has others; returns whether it did. Raises discord.HTTPException."""
    if client.application_id is None:
        raise app_commands.MissingApplicationID
    path = discord.http.Route("GET", "/applications/{application_id}/commands", application_id=client.application_id)
    theirs = await client.http.request(path, params={"with_localizations": 1})
    ours = [await _payload(command, tree) for command in _all(tree)]
    if _by_name(ours) == _by_name(theirs):
        return False
    await tree.sync()
    _log.info("slash commands sent to Discord", commands=len(ours))
    return True


def _all(tree: app_commands.CommandTree[Any]) -> list[Any]:
    """Slash commands, and those in the menu of a message."""
    return [*tree.get_commands(), *tree.get_commands(type=discord.AppCommandType.message)]


async def _payload(command: Any, tree: app_commands.CommandTree[Any]) -> Any:
    translator = tree.translator
    return command.to_dict(tree) if translator is None else await command.get_translated_payload(tree, translator)


def _by_name(commands: Any) -> dict[tuple[int, str], Any]:
    """Commands in a form that is equal for equal commands, whatever their order."""
    return {(command.get("type") or 1, command["name"]): _essence(command) for command in commands}


def _essence(value: Any) -> Any:
    """A payload without what is empty, what Discord adds, and what says the same in another way."""
    if isinstance(value, dict):
        kept = {
            key: inner if key.endswith("_localizations") else _essence(inner)
            for key, inner in value.items()
            if key in _FIELDS
        }
        if "default_member_permissions" in kept and kept["default_member_permissions"] is not None:
            kept["default_member_permissions"] = str(kept["default_member_permissions"])
        for key in ("contexts", "integration_types", "channel_types"):
            if kept.get(key):
                kept[key] = sorted(kept[key])
        return {
            key: inner
            for key, inner in kept.items()
            if inner not in (None, False, "", [], {}) and inner != _DEFAULTS.get(key)
        }
    if isinstance(value, list):
        return [_essence(inner) for inner in value]
    return value

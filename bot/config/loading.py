"""`config.yaml` and the environment as one frozen tree of settings.

An unknown key, a wrong type or a value out of range is a ConfigError whose sentence names the setting's path and what
is right. Environment variables `HELLO_AGAIN__SECTION__KEY` override the file; secrets come from the environment alone.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from bot.config.sections import SECRETS, Settings
from bot.errors import ConfigError

ENV_PREFIX = "HELLO_AGAIN__"


def load_settings(path: Path | None, environment: Mapping[str, str] = os.environ, **overrides: Any) -> Settings:
    """The settings of the file at `path` (None: the defaults), the environment and then `overrides` by dotted path.

    Relative folders in a file count from the file's own folder. Raises ConfigError.
    """
    tree = _read(path) if path is not None else {}
    origins: dict[tuple[str, ...], str] = {}
    for name, value in environment.items():
        if name.upper().startswith(ENV_PREFIX):
            keys = name[len(ENV_PREFIX) :].lower().split("__")
            origins |= dict.fromkeys(_new_parts(tree, keys), name)
            _put(tree, keys, _scalar(name, value), origin=name)
    for dotted, value in overrides.items():
        if value is not None:
            _put(tree, dotted.replace("__", ".").split("."), value, origin=dotted)
    tree["secrets"] = {key: environment[name] for key, name in SECRETS.items() if environment.get(name)}
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        raise ConfigError(_sentences(error, path, origins)) from None
    return _with_folders(settings, path.parent if path is not None else Path.cwd())


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(
            f"There is no settings file at {path}. Give another with --config, or leave it out."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The settings file {path} cannot be read: {error}.") from None
    try:
        tree = yaml.safe_load(text)
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        where = f", line {place.line + 1}" if place is not None else ""
        reason = getattr(error, "problem", None) or "it is not YAML"
        raise ConfigError(f"{path}{where}: {reason}.") from None
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply to be read.") from None
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(f"{path} should hold sections such as 'model:', not a {type(tree).__name__}.")
    secrets = next((key for key in ("secrets", *SECRETS) if key in tree), None)
    if secrets is not None:
        names = ", ".join(SECRETS.values())
        raise ConfigError(f"{path}: '{secrets}' does not belong in the file. Set secrets in the environment: {names}.")
    return {str(key): {} if value is None else value for key, value in tree.items()}


def _scalar(name: str, value: str) -> Any:
    try:
        return yaml.safe_load(value)
    except (yaml.YAMLError, RecursionError):
        raise ConfigError(f"The environment variable {name} holds {value!r}, which is not a YAML value.") from None


def _new_parts(tree: Mapping[str, Any], keys: list[str]) -> list[tuple[str, ...]]:
    """The paths that a variable for `keys` brings into the tree: its own, and those of sections that were not there."""
    parts = [tuple(keys)]
    for depth, key in enumerate(keys[:-1], start=1):
        if key not in tree:
            return [*parts, *(tuple(keys[:end]) for end in range(depth, len(keys)))]
        if not isinstance(tree[key], Mapping):
            break
        tree = tree[key]
    return parts


def _put(tree: dict[str, Any], keys: list[str], value: Any, origin: str) -> None:
    for key in keys[:-1]:
        branch = tree.setdefault(key, {})
        if not isinstance(branch, dict):
            raise ConfigError(f"{origin}: '{key}' is not a section.")
        tree = branch
    tree[keys[-1]] = value


def _with_folders(settings: Settings, base: Path) -> Settings:
    """The same settings with `~` and relative folders made absolute."""

    def absolute(folder: Path) -> Path:
        return (base / folder.expanduser()).resolve()

    storage = settings.storage.model_copy(update={"data_dir": absolute(settings.storage.data_dir)})
    model = settings.model.model_copy(update={"cache_dir": absolute(settings.model.cache_dir)})
    backup = settings.backup.model_copy(update={"folder": absolute(settings.backup.folder)})
    safety = settings.safety
    if safety.lines is not None:
        safety = safety.model_copy(update={"lines": absolute(safety.lines)})
    care = settings.care
    if care.character_weights is not None:
        care = care.model_copy(update={"character_weights": absolute(care.character_weights)})
    folders = {"storage": storage, "model": model, "backup": backup, "safety": safety, "care": care}
    return settings.model_copy(update=folders)


def _sentences(error: ValidationError, path: Path | None, origins: Mapping[tuple[str, ...], str]) -> str:
    return "\n".join(
        f"{_source(problem['loc'], path, origins)}: {_sentence(problem['loc'], dict(problem))}"
        for problem in error.errors()
    )


def _source(location: tuple[int | str, ...], path: Path | None, origins: Mapping[tuple[str, ...], str]) -> str:
    """Where the wrong value was written: a variable (`origins`: path → its name), else the file."""
    parts = tuple(str(part) for part in location)
    for end in range(len(parts), 0, -1):
        if parts[:end] in origins:
            return f"The environment variable {origins[parts[:end]]}"
    return str(path) if path is not None else "The settings"


def _sentence(location: tuple[int | str, ...], problem: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in location)
    if problem["type"] == "extra_forbidden":
        known = _known_keys(location[:-1])
        near = difflib.get_close_matches(str(location[-1]), known, n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known here: {', '.join(known)}."
        return f"'{where}' is not a setting. {hint}"
    message = str(problem["msg"]).removeprefix("Input should be ")
    value = problem.get("input")
    shown = f" (it is {value!r})" if isinstance(value, str | int | float | bool) else ""
    return f"'{where}' should be {message}{shown}."


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    section: type[BaseModel] = Settings
    for part in location:
        inner = section.model_fields[str(part)].annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        section = inner
    return [name for name in section.model_fields if name != "secrets"]

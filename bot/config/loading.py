"""`config.yaml` and the environment as one frozen tree of settings.

An unknown key, a wrong type or a value out of range is a ConfigError whose sentence names the setting's path and what
is right. Environment variables `HELLO_AGAIN__SECTION__KEY` override the file; secrets come from the environment alone.
"""

import os
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from bot.config.basics import Section
from bot.config.mistakes import meant_variable, misplaced_secret, sentences, unreadable, yaml_sentence
from bot.config.sections import SECRETS, Settings
from bot.errors import ConfigError

ENV_PREFIX = "HELLO_AGAIN__"
NEAR_PREFIX = "HELLO_AGAIN_"
ADVANCED = "advanced"
"""A section that may hold every other one: where the file keeps what few owners touch."""

FOLDERS = ("storage.data_dir", "model.cache_dir", "backup.folder")
FILES = ("safety.lines", "care.character_weights")
"""Settings that are paths; what is among `FILES` and set has to be there."""


class _Loader(yaml.SafeLoader):
    """YAML without its traps: numbers and dates stay as they are written, and no key may stand twice.

    Which of them is a number the settings know: the name 007 is a name.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012 - of the class that it is made of
        first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] in {"bool", "null", "merge"}]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """A mapping; raises MarkedYAMLError for a key that stands there twice."""
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"'{key.value}' stands here twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


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
        elif name.upper().startswith(NEAR_PREFIX):
            raise ConfigError(meant_variable(name, ENV_PREFIX))
    for dotted, value in overrides.items():
        if value is not None:
            _put(tree, dotted.replace("__", ".").split("."), value, origin=dotted)
    tree["secrets"] = {key: environment[name] for key, name in SECRETS.items() if environment.get(name)}
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        raise ConfigError(sentences(error, path, origins)) from None
    return _with_folders(settings, path.parent if path is not None else Path.cwd())


def usual_settings(base: Path) -> Settings:
    """The defaults, with folders that count from this one."""
    return _with_folders(Settings(), base)


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(
            f"There is no settings file at {path}. Give another with --config, or leave it out."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The settings file {path} cannot be read: {unreadable(error)}.") from None
    try:
        tree = parsed(text)
    except yaml.YAMLError as error:
        raise ConfigError(yaml_sentence(error, path)) from None
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply to be read.") from None
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(f"{path} should hold sections such as 'model:', with settings below them.")
    secrets = next((key for key in ("secrets", *SECRETS, *SECRETS.values()) if key in tree), None)
    if secrets is not None:
        raise ConfigError(f"{path}: {misplaced_secret(secrets)}")
    advanced = tree.pop(ADVANCED, None) or {}
    if not isinstance(advanced, dict):
        raise ConfigError(f"{path}: '{ADVANCED}' should be a section with sections such as 'memory:' below it.")
    return _joined(path, _filled(tree), _filled(advanced))


def _filled(tree: Mapping[Any, Any]) -> dict[str, Any]:
    """The sections; one without a line below it is an empty one."""
    return {str(key): {} if value is None else value for key, value in tree.items()}


def _joined(path: Path, one: Mapping[str, Any], other: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """Two parts of the settings of a file as one. Raises ConfigError for a setting that stands in both."""
    both = dict(one)
    for key, value in other.items():
        if key not in one:
            both[key] = value
        elif isinstance(value, dict) and isinstance(one[key], dict):
            both[key] = _joined(path, one[key], value, f"{where}{key}.")
        else:
            told = f"'{where}{key}' stands there twice, once under '{ADVANCED}': leave one of them out."
            raise ConfigError(f"{path}: {told}")
    return both


def parsed(text: str) -> Any:
    """YAML as the settings read it. Raises yaml.YAMLError and RecursionError."""
    return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader


def _scalar(name: str, value: str) -> Any:
    try:
        return parsed(value)
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
            raise ConfigError(f"'{key}' should be a section with settings below it: {origin} sets one of them.")
        tree = branch
    tree[keys[-1]] = value


def _with_folders(settings: Settings, base: Path) -> Settings:
    """The same settings with `~` and relative paths made absolute. Raises ConfigError: a file is not there."""
    changed: dict[str, Section] = {}
    for dotted in (*FOLDERS, *FILES):
        name, key = dotted.split(".")
        section: Section = getattr(settings, name)
        if (written := getattr(section, key)) is None:
            continue
        path = (base / written.expanduser()).resolve()
        if dotted in FILES and not path.is_file():
            raise ConfigError(f"'{dotted}' names a file that is not there: {path}.")
        changed[name] = section.model_copy(update={key: path})
    return settings.model_copy(update=changed)

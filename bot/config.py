"""`config.yaml` and the environment, as one frozen tree of settings.

Every setting has its default in this file and a line of why in `config.yaml`; a test holds the two together. An unknown
key, a wrong type or a value out of range is a ConfigError whose sentence names the setting's path and what is right.
Environment variables `HELLO_AGAIN__SECTION__KEY` override the file; secrets come from the environment alone.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError
from pydantic_core import PydanticCustomError

from bot.domain import ChannelMode
from bot.errors import ConfigError

ENV_PREFIX = "HELLO_AGAIN__"
SECRETS = {"model_api_key": "MODEL_API_KEY", "discord_token": "DISCORD_TOKEN", "telegram_token": "TELEGRAM_TOKEN"}
"""Field of `Secrets` → environment variable."""

ADAPTERS = {
    "discord": "adapters.discord.adapter:DiscordAdapter",
    "telegram": "adapters.telegram.adapter:TelegramAdapter",
}
"""Platform → the class that `bot run` calls for it."""

UNLIMITED = 1_000_000
"""Messages a minute that nobody reaches."""

TEN_YEARS = 315_360_000.0
"""Seconds; no wait is longer, and no sum of a date and a setting runs out of dates."""


def _no_switch(value: object) -> object:
    """YAML's true and false are no numbers. What stands in quotes is one: YAML 1.1 reads 1e7 as a text."""
    if isinstance(value, bool):
        raise PydanticCustomError("number_wanted", "a number, not true or false")
    return value


Real: TypeAlias = Annotated[float, BeforeValidator(_no_switch)]
Whole: TypeAlias = Annotated[int, BeforeValidator(_no_switch)]


class Section(BaseModel):
    """A part of the settings: frozen, and strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Agent(Section):
    """Who the companion is."""

    name: str = Field("Monica", min_length=1, max_length=40)
    card: str = Field("a warm, attentive companion who listens, remembers, and asks how things went", max_length=400)
    traits: tuple[str, ...] = ()
    language: str = Field("auto", min_length=2, max_length=40)
    max_words: Whole = Field(60, ge=5, le=1000)


class Remote(Section):
    """A server that speaks the OpenAI API."""

    base_url: str = "http://127.0.0.1:8080/v1"
    name: str = ""
    context_tokens: Whole = Field(8192, ge=256)
    timeout_s: Real = Field(60.0, gt=0, le=3600)
    retries: Whole = Field(2, ge=0, le=10)


class Model(Section):
    """The language model."""

    engine: Literal["local", "remote"] = "local"
    id: str = Field("auto", min_length=1)
    quantization: Literal["auto", "nf4", "int8", "none"] = "auto"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    cache_dir: Path = Path("~/.cache/hello-again")
    temperature: Real = Field(0.7, ge=0.0, le=2.0)
    top_p: Real = Field(0.9, gt=0.0, le=1.0)
    max_new_tokens: Whole = Field(160, ge=8, le=4096)
    deadline_s: Real = Field(120.0, gt=0, le=3600)
    max_concurrent: Whole = Field(8, ge=1, le=512)
    max_waiting: Whole = Field(256, ge=1, le=100_000)
    kv_cache_tokens: Whole = Field(16_384, ge=1024)
    remote: Remote = Remote()


class EncoderSettings(Section):
    """The text encoder φ."""

    id: str = Field("bundled", min_length=1)
    device: Literal["auto", "cpu", "cuda"] = "auto"


class SessionSettings(Section):
    """Short-term memory (LD-Agent eq. 4)."""

    beta_s: Real = Field(3600.0, gt=0, le=TEN_YEARS)
    max_words: Whole = Field(1500, ge=50)
    idle_check_s: Real = Field(30.0, gt=0, le=TEN_YEARS)


class Memory(Section):
    """Long-term memory (LD-Agent eqs 1–3)."""

    tau_s: Real = Field(1e7, gt=0, le=1e12)
    gamma: Real = Field(0.25, ge=-1.0, le=1.0)
    top_k: Whole = Field(3, ge=1, le=50)
    open_with_last_session: bool = True
    summary_words: Whole = Field(20, ge=5, le=200)
    summariser: Literal["auto", "model", "extractive"] = "auto"


class Persona(Section):
    """Persona banks."""

    trait_words: Whole = Field(20, ge=3, le=100)
    gate_threshold: Real = Field(0.4, ge=0.0, le=1.0)
    restate_cosine: Real = Field(0.9, gt=0.0, le=1.0)
    top_k: Whole = Field(8, ge=0, le=100)
    extractor: Literal["auto", "model", "extractive"] = "auto"


class Prompt(Section):
    """The prompt's budget."""

    max_tokens: Whole = Field(3500, ge=200)
    shrink_for_small_models: bool = True


class Queue(Section):
    """One worker per place."""

    max_pending: Whole = Field(50, ge=1)


class Limits(Section):
    """How much one person or one server may ask for. 0 in a daily budget: no limit."""

    person_per_minute: Whole = Field(20, ge=1)
    server_per_minute: Whole = Field(60, ge=1)
    person_daily_tokens: Whole = Field(0, ge=0)
    server_daily_tokens: Whole = Field(0, ge=0)


class ChannelSettings(Section):
    """How the companion behaves where many people talk."""

    mode: ChannelMode = ChannelMode.MENTION
    open_score: Real = Field(0.6, ge=0.0, le=1.0)
    open_gap_s: Real = Field(600.0, ge=0, le=TEN_YEARS)
    open_silence_s: Real = Field(20.0, ge=0, le=3600)


class Discord(Section):
    """The Discord adapter."""

    stream: bool = True
    edit_every_s: Real = Field(1.5, ge=0.1, le=60)
    catch_up_hours: Real = Field(24.0, ge=0, le=720)
    catch_up_messages: Whole = Field(200, ge=0, le=10_000)
    api_url: str = "https://discord.com/api/v10"
    gateway_url: str = "wss://gateway.discord.gg/"


class Telegram(Section):
    """The Telegram adapter."""

    stream: bool = True
    edit_every_s: Real = Field(3.0, ge=0.1, le=60)
    api_url: str = "https://api.telegram.org/bot"


class Background(Section):
    """Work that happens after the reply."""

    daily_tokens: Whole = Field(500_000, ge=0)
    max_attempts: Whole = Field(5, ge=1, le=100)
    lease_s: Real = Field(300.0, gt=0, le=TEN_YEARS)
    poll_s: Real = Field(2.0, gt=0, le=TEN_YEARS)


class Storage(Section):
    """Where things are kept."""

    data_dir: Path = Path("data")
    database_url: str = ""
    exact_search_limit: Whole = Field(50_000, ge=100)


class Log(Section):
    """What is written to the log."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    format: Literal["console", "json"] = "console"


class Secrets(BaseModel):
    """What only the environment may hold. Never printed."""

    model_config = ConfigDict(frozen=True)

    model_api_key: SecretStr | None = None
    discord_token: SecretStr | None = None
    telegram_token: SecretStr | None = None


class Settings(Section):
    """All settings."""

    agent: Agent = Agent()
    model: Model = Model()
    encoder: EncoderSettings = EncoderSettings()
    session: SessionSettings = SessionSettings()
    memory: Memory = Memory()
    persona: Persona = Persona()
    prompt: Prompt = Prompt()
    queue: Queue = Queue()
    limits: Limits = Limits()
    channels: ChannelSettings = ChannelSettings()
    adapters: dict[str, str] = Field(default_factory=lambda: dict(ADAPTERS))
    owners: tuple[str, ...] = ()
    discord: Discord = Discord()
    telegram: Telegram = Telegram()
    background: Background = Background()
    storage: Storage = Storage()
    log: Log = Log()
    secrets: Secrets = Field(default=Secrets(), exclude=True)

    def at_home(self) -> Settings:
        """For the console, recordings and benchmarks: channels are remembered, and nobody floods."""
        limits = Limits(person_per_minute=UNLIMITED, server_per_minute=UNLIMITED)
        channels = self.channels.model_copy(update={"mode": ChannelMode.LISTEN})
        return self.model_copy(update={"limits": limits, "channels": channels})

    @property
    def beta(self) -> timedelta:
        """The gap that ends a session."""
        return timedelta(seconds=self.session.beta_s)

    @property
    def database_url(self) -> str:
        """The SQLAlchemy URL of the database."""
        return self.storage.database_url or f"sqlite+aiosqlite:///{self.storage.data_dir / 'hello.db'}"


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
    except yaml.YAMLError:
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
    return settings.model_copy(update={"storage": storage, "model": model})


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

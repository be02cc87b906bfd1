"""The settings, section by section.

Every setting has its default here and a line of why in `SETTINGS.md` beside this file; a test holds the two together.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

import pyrage
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from bot.config.agent import Agent
from bot.config.basics import TEN_YEARS, Real, Section, Whole, off_word
from bot.config.care import Care
from bot.config.memory import Memory, Persona
from bot.config.platforms import Discord, Telegram
from bot.domain import ChannelMode
from bot.domain.addresses import is_this_machine

SECRETS = {"model_api_key": "MODEL_API_KEY", "discord_token": "DISCORD_TOKEN", "telegram_token": "TELEGRAM_TOKEN"}
"""Field of `Secrets` → environment variable."""

ADAPTERS = {
    "discord": "adapters.discord.adapter:DiscordAdapter",
    "telegram": "adapters.telegram.adapter:TelegramAdapter",
}
"""Platform → the class that `bot run` calls for it."""


def serves_any(platforms: Iterable[str], tokens: Collection[str]) -> bool:
    """Whether one of the platforms needs no token, or its variable is among `tokens`, those that are set."""
    return any(SECRETS.get(f"{platform}_token") in {None, *tokens} for platform in platforms)


UNLIMITED = 1_000_000
"""Messages a minute that nobody reaches."""


def _engine(value: object) -> object:
    """`local` is what `auto` was called before there were two local engines."""
    return "auto" if value == "local" else value


Engine = Annotated[Literal["auto", "llama.cpp", "transformers", "remote"], BeforeValidator(_engine)]
"""`auto`: in this process, by the model's files and the device."""

Adapter = Annotated[str, BeforeValidator(off_word), Field(min_length=1)]
"""`auto`, `off`, or a folder."""


def _country(value: object) -> object:
    if isinstance(value, str) and (not value or (len(value) == len("DE") and value.isascii() and value.isalpha())):
        return "GB" if value.upper() == "UK" else value  # ISO's name for it; the other one has no help lines
    raise PydanticCustomError("country_wanted", "a country's two letters, such as DE")


def _person(value: object) -> object:
    if isinstance(value, str) and all(value.partition(":")):
        return value
    raise PydanticCustomError("person_wanted", 'somebody on a platform, such as "discord:80351110224678912"')


def _listen(value: object) -> object:
    said = "" if value is None else str(value)
    port = said.rpartition(":")[2]
    if not said or (port.isascii() and port.isdigit() and 0 < int(port) < 2**16):
        return said
    raise PydanticCustomError("address_wanted", "a port, such as 9464, or an address and a port, such as 10.0.0.5:9464")


def _site(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"(https?://[^/?#@]+)?", value):
        return value
    raise PydanticCustomError("site_wanted", "an address without a path, such as https://hello.example")


def _database(value: object) -> object:
    if isinstance(value, str) and (not value or value.startswith(("sqlite+aiosqlite://", "postgresql+asyncpg://"))):
        return value
    told = "postgresql+asyncpg://user:password@host/name, sqlite+aiosqlite:///path, or nothing"
    raise PydanticCustomError("database_wanted", told)


def _public_key(value: object) -> object:
    """Tried here, so that no owner learns of a slip on the day on which they need the backup."""
    key = "" if value is None else str(value).strip()
    try:
        if key:
            pyrage.x25519.Recipient.from_str(key)
    except pyrage.RecipientError:
        told = "a public key, which begins with age1: `hello-again data backup-key FILE` makes one and prints it"
        raise PydanticCustomError("key_wanted", told) from None
    return key


def _servers(value: object) -> object:
    """Nothing written is no list at all: so `hello-again setup` takes them away."""
    return () if value in ("", None) else value


def _server(value: object) -> object:
    parts = urlsplit(value) if isinstance(value, str) else None
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise PydanticCustomError("server_wanted", "an address such as http://127.0.0.1:8080/v1")
    return value


class Remote(Section):
    """A server that speaks the OpenAI API."""

    base_url: str = "http://127.0.0.1:8080/v1"
    name: str = ""
    context_tokens: Whole = Field(8192, ge=256)
    timeout_s: Real = Field(60.0, gt=0, le=3600)
    retries: Whole = Field(2, ge=0, le=10)
    replicas: Annotated[tuple[Annotated[str, BeforeValidator(_server)], ...], BeforeValidator(_servers)] = ()

    @property
    def urls(self) -> tuple[str, ...]:
        """Where the model is: all its servers, each once."""
        return tuple(dict.fromkeys((self.base_url, *self.replicas)))

    @model_validator(mode="after")
    def _is_one_model(self) -> Self:
        if self.replicas and not self.name:
            told = "model.remote.name: the name of the model that all servers of model.remote.replicas have"
            raise PydanticCustomError("name_wanted", told)
        return self


class ModelAdapters(Section):
    """What the local model was tuned for (LoRA): `auto` is what is shipped for the model, `off` none."""

    summarizer: Adapter = "off"
    extractor: Adapter = "auto"
    generator: Adapter = "auto"


class Model(Section):
    """The language model."""

    engine: Engine = "auto"
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
    adapters: ModelAdapters = ModelAdapters()
    remote: Remote = Remote()

    @property
    def is_at_home(self) -> bool:
        """Whether what people say certainly stays on this machine."""
        return self.engine != "remote" or all(map(is_this_machine, self.remote.urls))


class EncoderSettings(Section):
    """The text encoder φ."""

    id: str = Field("bundled", min_length=1)
    device: Literal["auto", "cpu", "cuda"] = "auto"


class SessionSettings(Section):
    """Short-term memory (LD-Agent eq. 4)."""

    beta_s: Real = Field(3600.0, gt=0, le=TEN_YEARS)
    max_words: Whole = Field(1500, ge=50)
    idle_check_s: Real = Field(30.0, gt=0, le=TEN_YEARS)


class Prompt(Section):
    """The reply prompt: its form and its budget."""

    form: Literal["turns", "blocks"] = "turns"
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

    mode: Annotated[ChannelMode, BeforeValidator(off_word)] = ChannelMode.MENTION
    open_score: Real = Field(0.6, ge=0.0, le=1.0)
    open_gap_s: Real = Field(600.0, ge=0, le=TEN_YEARS)
    open_silence_s: Real = Field(20.0, ge=0, le=3600)


class PrivacySettings(Section):
    """What people are told and asked, and how long things are kept."""

    consent: Literal["ask", "implied"] = "ask"
    introduce: bool = True
    confirm_minutes: Real = Field(10.0, gt=0, le=1440)
    server_grace_days: Real = Field(7.0, ge=0, le=3650)
    minor_keep_days: Whole = Field(30, ge=1, le=36_500)
    erase_after_s: Real = Field(5.0, ge=0, le=3600)


class Backup(Section):
    """Encrypted copies of the data folder."""

    folder: Path = Path("backups")
    recipient: Annotated[str, BeforeValidator(_public_key)] = ""
    keep_days: Whole = Field(30, ge=1, le=3650)


class SafetySettings(Section):
    """Help when it is needed."""

    enabled: bool = True
    country: Annotated[str, BeforeValidator(_country)] = ""
    lines: Path | None = None
    reminder_minutes: Real = Field(120.0, ge=0, le=100_000)


class Background(Section):
    """Work that happens after the reply."""

    daily_tokens: Whole = Field(500_000, ge=0)
    max_attempts: Whole = Field(5, ge=1, le=100)
    deadline_s: Real = Field(120.0, gt=0, le=3600)
    lease_s: Real = Field(300.0, gt=0, le=TEN_YEARS)
    poll_s: Real = Field(2.0, gt=0, le=TEN_YEARS)

    @property
    def deadline(self) -> timedelta:
        """How long one answer of the model may take."""
        return timedelta(seconds=self.deadline_s)


class Storage(Section):
    """Where things are kept."""

    data_dir: Path = Path("data")
    database_url: Annotated[str, BeforeValidator(_database)] = ""
    exact_search_limit: Whole = Field(50_000, ge=100)
    lease_s: Real = Field(15.0, ge=1, le=3600)


class Web(Section):
    """The page in a browser."""

    enabled: bool = False
    host: str = Field("127.0.0.1", min_length=1)
    port: Whole = Field(8470, ge=1, le=65_535)
    url: Annotated[str, BeforeValidator(_site)] = ""

    @property
    def address(self) -> str:
        """Where browsers find it."""
        return self.url or f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @model_validator(mode="after")
    def _is_safe(self) -> Self:
        if not is_this_machine(self.address) and not self.url.startswith("https://"):
            told = "web.url: an https:// address that leads to web.host, since others could read along otherwise"
            raise PydanticCustomError("https_wanted", told)
        return self


class MetricsSettings(Section):
    """Where the program is seen from outside."""

    listen: Annotated[str, BeforeValidator(_listen)] = ""

    @property
    def address(self) -> tuple[str, int]:
        """Host and port; a port alone is this machine's own."""
        host, _, port = self.listen.rpartition(":")
        return host.strip("[]") or "127.0.0.1", int(port)


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
    owners: tuple[Annotated[str, BeforeValidator(_person)], ...] = ()
    discord: Discord = Discord()
    telegram: Telegram = Telegram()
    privacy: PrivacySettings = PrivacySettings()
    backup: Backup = Backup()
    safety: SafetySettings = SafetySettings()
    care: Care = Care()
    background: Background = Background()
    web: Web = Web()
    metrics: MetricsSettings = MetricsSettings()
    storage: Storage = Storage()
    log: Log = Log()
    secrets: Secrets = Field(default=Secrets(), exclude=True)

    def at_home(self, *, introduce: bool = False) -> Settings:
        """For the console, recordings and benchmarks: channels are remembered, nobody floods, and nobody is asked.

        `introduce`: whether somebody new is told what the companion is.
        """
        limits = Limits(person_per_minute=UNLIMITED, server_per_minute=UNLIMITED)
        channels = self.channels.model_copy(update={"mode": ChannelMode.LISTEN})
        privacy = self.privacy.model_copy(update={"consent": "implied", "introduce": introduce})
        return self.model_copy(update={"limits": limits, "channels": channels, "privacy": privacy})

    def in_folder(self, folder: Path, database_url: str = "") -> Settings:
        """The same, with everything kept in this folder."""
        storage = self.storage.model_copy(update={"data_dir": folder, "database_url": database_url})
        return self.model_copy(update={"storage": storage})

    @property
    def beta(self) -> timedelta:
        """The gap that ends a session."""
        return timedelta(seconds=self.session.beta_s)

    @property
    def database_url(self) -> str:
        """The SQLAlchemy URL of the database."""
        return self.storage.database_url or f"sqlite+aiosqlite:///{self.storage.data_dir / 'hello.db'}"

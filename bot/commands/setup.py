"""`hello-again setup`: asks what is needed, tries each answer, and writes it at the end, or nothing."""

import asyncio
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from bot.commands.logins import Login, discord_login, telegram_login, telegram_writer
from bot.commands.model_choices import GB, better_model
from bot.commands.models import get
from bot.config import SECRETS, Model, Remote, Settings
from bot.config.editing import Written, set_settings, written
from bot.config.secret_file import read_secrets, secret_file, write_secrets
from bot.errors import AdapterStopped, BadInput, HelloAgainError
from bot.llm.carriers import MODEL, by_hand, install, missing
from bot.llm.catalogue import catalogue_model
from bot.llm.choosing import BUNDLED
from bot.llm.gguf_files import BUNDLED_NAME
from bot.llm.models import ModelPlan, describe_choice
from bot.llm.remote import connect_remote_model
from bot.llm.servers import RunningServer, running_servers
from bot.texts import setup as texts
from bot.usecases.countries import country_named

TEMPLATE = Path(__file__).parent.parent / "config" / "config.yaml"
LETTERS = {"t": "terminal", "d": "discord", "g": "telegram"}
LOGINS: Mapping[str, Callable[[Settings, str], Login]] = {"discord": discord_login, "telegram": telegram_login}
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Given:
    """What the command line says already. `ask`: whether anything else is asked, or taken as it is by default."""

    platforms: Sequence[str] = ()
    model: str = ""
    name: str = ""
    ask: bool = True


@dataclass(slots=True)
class Plan:
    """What will be written: tokens by variable, settings by dotted name.

    After that `packages` are installed, and the model `fetch` is downloaded.
    """

    platforms: Sequence[str] = ("terminal",)
    secrets: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Written] = field(default_factory=dict)
    fetch: str = ""
    packages: Sequence[str] = ()


def set_up(settings: Settings, file: Path, platforms: Sequence[str], model: str, name: str, ask: bool) -> int:
    """Asks, tries, writes, and starts what was set up if that is wanted. Raises HelloAgainError."""
    dialogue = Dialogue(settings, file, Given(platforms, model, name, ask))
    try:
        plan = dialogue.plan()
        write = dialogue.confirm(plan)
    except typer.Abort:
        write = False
        dialogue.say("")
    if not write:
        dialogue.say(texts.NOT_WRITTEN)
        return INTERRUPTED
    was_there = file.exists()
    if plan.secrets:
        write_secrets(secret_file(file), plan.secrets)
    if plan.settings or not was_there:
        set_settings(file, plan.settings, template=TEMPLATE.read_text("utf-8"))
    if plan.secrets or plan.settings or not was_there:
        dialogue.say(texts.WRITTEN)
    if plan.packages:
        dialogue.say(texts.INSTALLING)
        install(plan.packages)
    if plan.fetch:
        try:
            get(settings, plan.fetch)
        except HelloAgainError as error:
            dialogue.say(str(error))
    command = "chat" if plan.platforms == ("terminal",) else "run"
    if ask and sys.stdin.isatty() and typer.confirm(texts.START, default=True):
        os.execv(sys.executable, [sys.executable, "-m", "bot", command, "--config", str(file)])  # noqa: S606
    dialogue.say(texts.LATER.format(command=command))
    return 0


class Dialogue:
    """The questions, in their order. Each raises typer.Abort when the owner leaves."""

    def __init__(self, settings: Settings, file: Path, given: Given) -> None:
        self._settings = settings
        self._file = file
        self._given = given
        self._tried = set[str]()
        """Platforms that took their token."""
        self._console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())

    def say(self, sentence: str) -> None:
        """Lines as they are: nothing in them is markup, and an address on its own line is not broken, to be copied."""
        for line in sentence.splitlines() or [""]:
            self._console.print(Text(line), soft_wrap=self._console.soft_wrap or line.startswith("http"))

    def plan(self) -> Plan:
        """Asks everything. Raises HelloAgainError for what the command line gave and does not work."""
        if self._given.ask:
            self.say(texts.HELLO)
        plan = Plan(platforms=self._platforms())
        for platform in plan.platforms:
            if platform in LOGINS and (token := self._token(platform)):
                plan.secrets[SECRETS[f"{platform}_token"]] = token
                if platform == "telegram" and platform in self._tried:
                    self._choose_owner(plan, token)
        written = read_secrets(secret_file(self._file))
        plan.secrets = {key: token for key, token in plan.secrets.items() if written.get(key) != token}
        self._choose_model(plan)
        self._choose_packages(plan)
        name = self._given.name or self._ask(texts.NAME, self._settings.agent.name)
        if name != self._settings.agent.name:
            plan.settings["agent.name"] = name
        self._choose_rest(plan)
        return plan

    def confirm(self, plan: Plan) -> bool:
        """Shows what would be written, and asks whether it may be."""
        file = self._file
        lines = [
            texts.SETTING_LINE.format(file=file, dotted=key, value=written(to) if to else '""')
            for key, to in plan.settings.items()
        ]
        if not file.exists():
            lines.insert(0, texts.NEW_FILE_LINE.format(file=file))
        if plan.secrets:
            lines.append(texts.SECRETS_LINE.format(file=secret_file(file), names=", ".join(plan.secrets)))
        if plan.packages:
            lines.append(texts.INSTALLS_LINE.format(names=", ".join(plan.packages)))
        for line in [texts.WRITES, *lines] if lines else [texts.NOTHING_NEW]:
            self.say(line)
        return not self._given.ask or not lines or typer.confirm(texts.CHANGES_ALLOWED, default=True)

    def _platforms(self) -> tuple[str, ...]:
        there = tuple(name for name in LOGINS if self._secret(name))
        if self._given.platforms or not self._given.ask:
            return tuple(self._given.platforms) or there or ("terminal",)
        while True:
            answer = self._ask(texts.WHERE, "".join(key for key, name in LETTERS.items() if name in there) or "t")
            if chosen := _platforms_in(answer):
                return chosen
            self.say(texts.WHERE_WRONG)

    def _token(self, platform: str) -> str:
        """A token that the platform takes; empty: leave it out, or the one that is there works. Raises as `plan`."""
        title, held = platform.capitalize(), self._secret(platform)
        if held:
            self.say(texts.TOKEN_THERE.format(platform=title))
        elif not self._given.ask:
            variable = SECRETS[f"{platform}_token"]
            raise BadInput(texts.TOKEN_WANTED.format(variable=variable, platform=title))
        else:
            self.say(texts.TOKENS[platform])
        while True:
            token = held or self._ask(texts.TOKEN.format(platform=title), "", hidden=True)
            if not token or self._works(platform, token):
                return token
            held = ""

    def _works(self, platform: str, token: str) -> bool:
        """Whether the platform takes it, or the owner keeps it untried."""
        try:
            login = LOGINS[platform](self._settings, token)
        except (BadInput, AdapterStopped) as error:
            if not self._given.ask:
                raise
            self.say(str(error))
            return isinstance(error, AdapterStopped) and typer.confirm(texts.KEEP_UNTRIED, default=False)
        self._tried.add(platform)
        self.say(texts.TOKEN_WORKS.format(platform=platform.capitalize(), name=login.name))
        for note in login.notes:
            self.say(note)
        return True

    def _choose_owner(self, plan: Plan, token: str) -> None:
        """Who may use /status on Telegram: whoever writes to the bot now and says that it was them."""
        owners = self._settings.owners
        known = any(one.startswith("telegram:") for one in owners)
        if known or not self._given.ask or not typer.confirm(texts.OWNER_WANTED, default=True):
            return
        try:
            writer = telegram_writer(self._settings, token, lambda: self.say(texts.OWNER_WAITS))
        except (AdapterStopped, BadInput) as error:
            self.say(str(error))
            return
        if writer is None:
            self.say(texts.OWNER_NOBODY)
        elif typer.confirm(texts.OWNER_IS.format(name=writer.name), default=False):
            plan.settings["owners"] = [*owners, writer.id]

    def _choose_rest(self, plan: Plan) -> None:
        """The country whose help lines are named, and whether the page is served."""
        if not self._given.ask:
            return
        now = self._settings.safety.country
        while (country := country_named(typed := self._ask(texts.COUNTRY, now))) is None and typed:
            self.say(texts.COUNTRY_WRONG)
        if country and country != now:
            plan.settings["safety.country"] = country
        if not self._settings.web.enabled and typer.confirm(texts.PAGE, default=False):
            plan.settings["web.enabled"] = True

    def _choose_model(self, plan: Plan) -> None:
        """Which model: the one that is there, a better one to fetch, or one that a server offers."""
        servers = asyncio.run(running_servers())
        offers = self._offers(servers)
        if self._given.ask and not self._given.model:
            self.say(texts.MODELS)
            for number, (sentence, _) in enumerate(offers, start=1):
                self.say(f"  {number}  {sentence}")
        while True:
            answer = self._given.model or self._ask(texts.MODEL, "1")
            try:
                chosen = self._chosen(answer, [plan for _, plan in offers], servers)
            except HelloAgainError as error:
                if self._given.model or not self._given.ask:
                    raise
                self.say(str(error))
            else:
                plan.settings |= chosen.settings
                plan.fetch = chosen.fetch
                return

    def _choose_packages(self, plan: Plan) -> None:
        """Those of the embedded models that are not here and are needed."""
        chosen = {key: to for key in ("engine", "id") if (to := plan.settings.get(f"model.{key}"))}
        lacking = missing(self._settings.model.model_copy(update=chosen), self._settings.encoder)
        if not lacking:
            return
        self.say(texts.PACKAGES_MISSING.format(names=", ".join(lacking)))
        if not self._given.ask or typer.confirm(texts.PACKAGES_WANTED, default=True):
            plan.packages = lacking
        else:
            self.say(texts.PACKAGES_BY_HAND.format(command=by_hand(lacking)))

    def _problem(self, now: ModelPlan) -> str:
        """What keeps the present choice from answering; empty: nothing, or a package that can be installed."""
        model = self._settings.model
        lacks = now.choice.id == BUNDLED and MODEL in missing(model, self._settings.encoder)
        return "" if lacks or model.engine == "remote" else now.problem

    def _offers(self, servers: Sequence[RunningServer]) -> list[tuple[str, Plan]]:
        """What can be chosen by its number: a sentence, and what it means. Raises BadInput where nobody is asked."""
        now = describe_choice(self._settings.model)
        problem = self._problem(now)
        if problem and not self._given.ask and not self._given.model:
            raise BadInput(problem)
        here = texts.MODEL_BUNDLED if now.choice.id == BUNDLED else texts.MODEL_HERE
        known = catalogue_model(better := better_model(self._settings.model))
        why = "" if known is not None else f". {now.choice.reason}"  # it would name the better one once more
        offers = [(here.format(title=now.title, id=now.choice.id, why=why), Plan())]
        if problem:
            self.say(problem)
            bundled = texts.MODEL_BUNDLED.format(title=BUNDLED_NAME)
            offers = [(bundled, Plan(settings=_local(self._settings.model, BUNDLED)))]
        if known is not None:
            sentence = texts.MODEL_FETCH.format(name=better, size=known.size / GB)
            offers.append((sentence, Plan(settings=_local(self._settings.model, "auto"), fetch=better)))
        for server in servers:
            for name in server.models:
                sentence = texts.MODEL_SERVER.format(model=name, program=server.program, url=server.base_url)
                offers.append((sentence, Plan(settings=self._at_server(server.base_url, name))))
        return offers

    def _chosen(self, answer: str, offers: Sequence[Plan], servers: Sequence[RunningServer]) -> Plan:
        """What an answer means, tried. Raises HelloAgainError when it does not work."""
        if answer.isdecimal() and 1 <= int(answer) <= len(offers):
            chosen = offers[int(answer) - 1]
        elif answer.startswith(("http://", "https://")):
            chosen = Plan(settings=self._at_server(answer, ""))
        elif (server := next((one for one in servers if answer in one.models), None)) is not None:
            chosen = Plan(settings=self._at_server(server.base_url, answer))
        elif answer.isdecimal():
            raise BadInput(texts.NUMBER_WRONG.format(most=len(offers)))
        else:
            chosen = self._named(answer)
        if "model.remote.base_url" in chosen.settings:
            self.say(texts.MODEL_WORKS.format(name=asyncio.run(self._reached(chosen.settings))))
        return chosen

    def _named(self, name: str) -> Plan:
        """A model of the catalogue, a file, a folder or one on the hub."""
        wanted = describe_choice(self._settings.model.model_copy(update={"id": name, "engine": "auto"}))
        known = catalogue_model(name)
        if wanted.problem and known is None:
            raise BadInput(wanted.problem)
        away = known is not None and known.source is not None and wanted.place is None
        return Plan(settings=_local(self._settings.model, name), fetch=name if away else "")

    def _at_server(self, base_url: str, name: str) -> dict[str, Written]:
        """What changes when one server answers. Those beside the one before are asked no more."""
        chosen: dict[str, Written] = {
            "model.engine": "remote",
            "model.remote.base_url": base_url,
            "model.remote.name": name,
        }
        return chosen | ({"model.remote.replicas": ""} if self._settings.model.remote.replicas else {})

    async def _reached(self, chosen: Mapping[str, Written]) -> str:
        """The name of the model that the server offers. Raises ModelUnavailable."""
        remote = Remote(base_url=chosen["model.remote.base_url"], name=chosen["model.remote.name"])
        wanted = self._settings.model.model_copy(update={"remote": remote})
        model = await connect_remote_model(wanted, self._settings.secrets.model_api_key)
        await model.aclose()
        return model.description.name

    def _secret(self, platform: str) -> str:
        held = getattr(self._settings.secrets, f"{platform}_token")
        return held.get_secret_value() if held is not None else ""

    def _ask(self, question: str, default: str, *, hidden: bool = False) -> str:
        """One answer; without anybody to ask, the default."""
        if not self._given.ask:
            return default
        hide = hidden and sys.stdin.isatty()
        return str(typer.prompt(question, default=default, show_default=bool(default), hide_input=hide)).strip()


def _platforms_in(answer: str) -> tuple[str, ...]:
    """The platforms that letters or names stand for, in their order; empty: something else is among them."""
    words = re.findall(r"[^\s,;+]+", answer.lower())
    letters = "".join(next((letter for letter, name in LETTERS.items() if name == word), word) for word in words)
    chosen = tuple(name for letter, name in LETTERS.items() if letter in letters)
    return chosen if set(letters) <= set(LETTERS) else ()


def _local(now: Model, name: str) -> dict[str, Written]:
    """What changes when a model in this process answers."""
    back: dict[str, Written] = {"model.engine": "auto"} if now.engine == "remote" else {}
    return back if now.id == name else {**back, "model.id": name}

"""`hello-again init`: has systemd or Docker Compose run the companion, also after a restart of the machine."""

import glob
import json
import sys
from pathlib import Path

import typer

from bot.config import Settings, serves_any
from bot.config.mistakes import unreadable
from bot.config.secret_file import read_secrets, secret_file
from bot.errors import BadInput
from bot.texts import setup as texts

UNIT = Path(__file__).with_name("hello-again.service").read_text("utf-8")
"""Only what works without root and with any GPU: what would give the service file systems of its own is not in it."""
UNITS = Path(".config/systemd/user/hello-again.service")
"""Where systemd looks for a person's own services, below their home."""

COMPOSE = Path("compose.yaml")
OVERRIDE = Path("compose.override.yaml")
"""What compose reads beside `compose.yaml` without being told."""
TOKENS = Path(".env")
"""Where compose looks for what `compose.yaml` names in braces."""
OVERRIDES = Path(__file__).with_name(OVERRIDE.name).read_text("utf-8")


def init(settings: Settings, file: Path | None, config: Path | None, environment: Path | None = None) -> int:
    """Writes the service's file and says what starts it. `environment`: a file of variables that systemd hands over.

    Raises BadInput where another file is there already, and where the service could serve no platform: it is started
    without the variables of this shell, so only tokens of these files count.
    """
    held = secret_file(config or Path("config.yaml"))
    tokens = read_secrets(held)
    if environment is not None:
        tokens |= _variables(environment)
    if not serves_any(settings.adapters, [name for name, token in tokens.items() if token]):
        looked_in = f"{held} holds" if environment is None else f"{held} and {environment} hold"
        raise BadInput(texts.SERVES_NOBODY.format(looked_in=looked_in))
    target = file if file is not None else Path.home() / UNITS
    _write(target, unit_of(Path.cwd(), config, environment))
    if file is not None:
        typer.echo(texts.UNIT_LINK.format(file=target.resolve()))
    typer.echo(texts.UNIT_COMMANDS)
    return 0


def init_compose(config: Path) -> int:
    """Hands compose the settings and the tokens, and says what starts it. Raises BadInput as `init`."""
    for needed, sentence in ((COMPOSE, texts.NO_COMPOSE), (config, texts.NO_CONFIG)):
        if not needed.is_file():
            raise BadInput(sentence.format(file=needed))
    secrets = secret_file(config).resolve()
    if not (TOKENS.is_symlink() and TOKENS.resolve() == secrets):
        if TOKENS.is_symlink() or TOKENS.exists():
            raise BadInput(texts.TOKENS_ELSEWHERE.format(file=TOKENS, other=secrets))
        TOKENS.symlink_to(secrets)
        typer.echo(texts.UNIT_WRITTEN.format(file=TOKENS))
    _write(OVERRIDE, OVERRIDES.format(config=json.dumps(str(config.resolve()).replace("$", "$$"))))
    typer.echo(texts.COMPOSE_COMMANDS)
    return 0


def _write(target: Path, text: str) -> None:
    """A new file, or the same again. Raises BadInput."""
    if target.exists() and target.read_text("utf-8") != text:
        raise BadInput(texts.UNIT_THERE.format(file=target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    except OSError as error:
        raise BadInput(texts.UNIT_NOT_WRITTEN.format(file=target, reason=error.strerror or error)) from None
    typer.echo(texts.UNIT_WRITTEN.format(file=target))


def unit_of(folder: Path, config: Path | None, environment: Path | None = None) -> str:
    """The service that runs the companion in this folder, by this Python. Its paths are absolute."""
    named = f" --config {_quoted(config.resolve())}" if config is not None else ""
    folder_ = str(folder.resolve()).replace("%", "%%")
    # systemd takes a pattern here, and no quotes.
    file = f"EnvironmentFile={glob.escape(str(environment.resolve())).replace('%', '%%')}\n" if environment else ""
    return UNIT.format(folder=folder_, python=_quoted(Path(sys.executable)), config=named, environment=file)


def _variables(file: Path) -> dict[str, str]:
    """The variables that a file sets which systemd reads (`EnvironmentFile=`). Raises BadInput."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(texts.NO_ENVIRONMENT.format(file=file, reason=unreadable(error))) from None
    pairs = (line.strip().partition("=") for line in lines if not line.strip().startswith(("#", ";")))
    return {name.strip(): value.strip().strip("'\"") for name, is_set, value in pairs if is_set}


def _quoted(path: Path) -> str:
    """A path as systemd reads it: what stands for something else in its files stands for itself."""
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'

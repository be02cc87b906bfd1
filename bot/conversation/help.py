"""The fixed reply to somebody in danger: kind words, the emergency number and crisis lines of their country. No model.

The table `crisis_lines.yaml` says where each entry comes from and whether anybody checked it. An owner's file of the
same form replaces whole countries of it.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from bot.conversation.checking.language import spoken_language
from bot.conversation.crisis.wording import Danger
from bot.conversation.crisis_responder import Help
from bot.conversation.phrases import ENGLISH
from bot.conversation.safety import Sign, language_of
from bot.errors import BadInput
from bot.texts import crisis as texts

SHIPPED = Path(__file__).with_name("crisis_lines.yaml")

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
_Code = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Line(_Strict):
    """One crisis line."""

    name: _Text
    reach: _Text
    """A telephone number or an address."""
    hours: str = ""
    """When somebody answers; empty: not known."""
    languages: list[_Text] = Field(default_factory=list)
    source: _Text
    """The organisation or authority that publishes the number."""
    url: _Text
    checked: _Text
    """When somebody compared it with the source, or that nobody did."""


class Country(_Strict):
    """Where people of one country find help."""

    emergency: _Text
    lines: list[Line] = Field(default_factory=list)


class _Table(_Strict):
    countries: dict[_Code, Country]


UNKNOWN = Country(
    emergency="112 / 911",
    lines=[
        Line(name=name, reach=url, source=name, url=url, checked="not verified; from general knowledge, 2026-11")
        for name, url in (("Find A Helpline", "https://findahelpline.com"), ("Befrienders", "https://befrienders.org"))
    ],
)
"""For people whose country is not known: directories of the whole world."""


def load_lines(path: Path) -> Mapping[str, Country]:
    """Country code → help, of a file such as `crisis_lines.yaml`. Raises BadInput, which names what is wrong."""
    try:
        tree = yaml.safe_load(path.read_text(encoding="utf-8"))
        return _Table.model_validate(tree).countries
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is no YAML: {' '.join(str(error).split())}.") from None
    except RecursionError:
        raise BadInput(f"{path} is nested too deeply to be read.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise BadInput(f"{path}: {where}: {first['msg']}. See {SHIPPED.name} for the form of an entry.") from None


@cache
def shipped_lines() -> Mapping[str, Country]:
    """The table that comes with the program."""
    return load_lines(SHIPPED)


def lines_for(country: str | None, overrides: Mapping[str, Country] | None = None) -> Country:
    """Help in a country by its ISO 3166-1 code, an owner's entry first; one without lines gets the directories."""
    code = (country or "").strip().upper()
    found = (overrides or {}).get(code) or shipped_lines().get(code) or UNKNOWN
    return found if found.lines else Country(emergency=found.emergency, lines=UNKNOWN.lines)


def help_text(sign: Sign, text: str, country: str | None, overrides: Mapping[str, Country] | None = None) -> Help:
    """What helps with `text`, in its language, with the numbers of the person's country."""
    language = spoken_language(text, ()) or language_of(text)
    if not sign.sure:
        return Help(help_line(language, country, overrides), sure=False)
    whole = help_in(language, sign.danger, country, overrides, of_another=sign.of_another)
    of_oneself = sign.danger is Danger.SELF and not sign.of_another
    in_channel = texts.IN_CHANNEL.get(language, texts.IN_CHANNEL[ENGLISH]) if of_oneself else ""
    return Help(whole, sure=True, in_channel=in_channel)


def help_line(language: str, country: str | None, overrides: Mapping[str, Country] | None = None) -> str:
    """One line on where help is, to stand below an ordinary reply."""
    found = lines_for(country, overrides)
    line = found.lines[0]
    form = texts.BELOW_REPLY.get(language, texts.BELOW_REPLY[ENGLISH])
    return form.format(emergency=found.emergency, name=line.name, reach=line.reach)


def help_in(
    language: str,
    danger: Danger,
    country: str | None,
    overrides: Mapping[str, Country] | None = None,
    *,
    of_another: bool = False,
) -> str:
    """The same in a given language, in English when there is no text in it. `of_another`: see `Sign`."""
    found = lines_for(country, overrides)
    forms = texts.TO_OTHERS
    if danger is Danger.SELF:
        forms = texts.TO_FRIEND if of_another else texts.TO_SELF
    lines = "\n".join(_line(line) for line in found.lines)
    return forms.get(language, forms[ENGLISH]).format(emergency=found.emergency, lines=lines)


def _line(line: Line) -> str:
    form = texts.LINE_WITH_HOURS if line.hours else texts.LINE
    return form.format(name=line.name, reach=line.reach, hours=line.hours)

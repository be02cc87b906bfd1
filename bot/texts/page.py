"""What the page in the browser says, and what its owner is told in the terminal.

Its English sentences have names (`page.yaml`), by which the templates ask for them. In other languages they are looked
up as everything else that the program says: by the English sentence, in `de.yaml` and its like (`translating.py`).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.texts.beside import read_beside
from bot.texts.care import WEEKDAYS
from bot.texts.commands import day as day
from bot.texts.translating import ENGLISH, LANGUAGES, in_language

OWNERS_LINK = "Your page: {link}"
OWNERS_LINK_HOLDS = "It opens once, within {minutes} minutes."
ENTER_FOR_ANOTHER = "Enter prints a new one."
CTRL_C_ENDS = "Only the page runs now, and nobody is answered. Ctrl-C ends it."
PORT_TAKEN = "The {name} cannot be served at {address}: another program uses that port. Set {setting} to another one."
NOT_SERVED = "The {name} cannot be served at {address}: {reason}. Set {setting} to an address and port of this machine."

SPOKEN = (ENGLISH, *LANGUAGES)
"""Codes of the languages in which the page is there."""
SENTENCES: Mapping[str, str] = read_beside(__file__)
"""Name of a sentence → the sentence in English."""


def language_of(accepted: str) -> str:
    """The first language of a browser's list ("de-AT,de;q=0.9,en;q=0.5") that there is; English else."""
    wanted = (part.partition(";")[0].strip().partition("-")[0].casefold() for part in accepted[:200].split(","))
    return next((code for code in wanted if code in SPOKEN), ENGLISH)


def moment(time: datetime, language: str) -> str:
    """A date with its time of day, by the clock that it is given in."""
    return f"{day(time, language)}, {time:%H:%M}"


def weekdays(language: str) -> Sequence[str]:
    """The names of the days, Monday first."""
    return [in_language(one, language) for one in WEEKDAYS]

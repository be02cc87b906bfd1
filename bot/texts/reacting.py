"""Reactions and messages that are pointed at: the words that a sign stands for, and what is answered."""

from __future__ import annotations

from collections.abc import Mapping

from bot.domain import Sign
from bot.texts.translating import speaks

WORDS: Mapping[str, Mapping[Sign, str]] = {
    "en": {Sign.YES: "Yes.", Sign.NO: "No.", Sign.AGAIN: "Please say that again in other words."},
    "de": {Sign.YES: "Ja.", Sign.NO: "Nein.", Sign.AGAIN: "Bitte sag das noch einmal mit anderen Worten."},
    "fr": {Sign.YES: "Oui.", Sign.NO: "Non.", Sign.AGAIN: "Redis-le avec d'autres mots, s'il te plaît."},
    "es": {Sign.YES: "Sí.", Sign.NO: "No.", Sign.AGAIN: "Dilo otra vez con otras palabras, por favor."},
    "it": {Sign.YES: "Sì.", Sign.NO: "No.", Sign.AGAIN: "Dillo di nuovo con altre parole, per favore."},
    "pt": {Sign.YES: "Sim.", Sign.NO: "Não.", Sign.AGAIN: "Diz isso outra vez com outras palavras, por favor."},
    "nl": {Sign.YES: "Ja.", Sign.NO: "Nee.", Sign.AGAIN: "Zeg dat nog eens met andere woorden, alsjeblieft."},
}
"""Language of the message that has the sign → what the sign stands for, as the person's own words."""

NOT_KEPT = "I have not kept that message, so there is nothing to show or to erase of it."
NOT_YOURS = "Those are somebody else's words, and they stay with them. I show, keep and erase your own."
MINE = "Those are my own words. Choose this on your message before them: what I answered goes with it."
REMEMBER_WHAT = (
    "I remember what you say of yourself: choose a message of your own, or say it, such as `/memory remember I live in"
    " York`."
)
MADE_OF_IT = "From these words of yours I know:"
NOTHING_MADE = "I have kept these words of yours, and have made nothing of them (yet)."


speaks(__name__)

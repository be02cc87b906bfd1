"""Reactions and messages that are pointed at: the words that a sign stands for, and what is answered."""

from collections.abc import Mapping

from bot.texts.beside import read_beside
from bot.texts.translating import speaks

WORDS: Mapping[str, Mapping[str, str]] = read_beside(__file__)
"""Language of the message that has the sign → what a sign (`Sign`) stands for, as the person's own words."""

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

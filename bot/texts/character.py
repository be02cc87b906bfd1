"""Personality types in words (CareAgent's Table 4 has such a sentence for each of the sixteen; these are our own)."""

from collections.abc import Mapping

from bot.texts.beside import read_beside
from bot.texts.translating import speaks

DESCRIPTIONS: Mapping[str, str] = read_beside(__file__)
"""Type → what follows on "who"."""
TYPES = tuple(DESCRIPTIONS)

GUESSED = "**Personality type:** I would say {type}: somebody who {description}."
HOW_GUESSED = (
    "That is a guess from {count} things that you told me, and such guesses are often wrong. It may colour the tone of"
    " my check-ins, and is never used as a fact."
)
STABILITY = "Guessed from other pickings of them, {share:.0%} of its letters stay the same."
TOLD = "**Personality type:** {type}, as you told me: somebody who {description}."
FOR_TONE = "It colours the tone of my check-ins, and nothing else."
NONE_YET = (
    "**Personality type:** I have not guessed any. I do so once you have told me {count} things that I may remember,"
    " and only to find the tone of my check-ins."
)
SWITCHED_OFF = "**Personality type:** none. You do not want me to guess one."
SET = "All right, {type}: somebody who {description}."
SET_OFF = "All right. I have forgotten it, and guess none any more."
SET_GUESS = "All right. I have forgotten what I had, and may guess it from what you tell me."
CLOSED = "I guess no personality types: my owner has that switched off. Nothing of the kind is used."
CLOSED_OFF = "All right. I guess none now, and none if my owner ever switches that on."
NOT_FOR_MINORS = "I do not guess or keep personality types of people under 18."
CHOOSE = "Which one is yours?"
NO_SUCH = "I know no type “{words}”."
WRONG, NONE, GUESS, CHANGE = "That is wrong", "Guess none", "You may guess", "Change it"


speaks(__name__)

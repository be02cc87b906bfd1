"""Personality types in words (CareAgent's Table 4 has such a sentence for each of the sixteen; these are our own)."""

from collections.abc import Mapping

from bot.texts.translating import speaks

DESCRIPTIONS: Mapping[str, str] = {
    "ISTJ": "keeps their word, likes things settled in advance and looks after the details",
    "ISFJ": "notices what others need and quietly takes care of it",
    "INFJ": "listens closely, wants to help, and looks for talks that are honest and go deep",
    "INTJ": "thinks ahead, likes to find better ways and sees many roads to a goal",
    "ISTP": "finds out by trying, likes a quick pace and decides alone what to do",
    "ISFP": "is quiet and gentle, looks inward and wants to live as they really are",
    "INFP": "follows what they believe in, and likes time to dream and to think things over",
    "INTP": "likes ideas for their own sake and enjoys a puzzle that takes long thought",
    "ESTP": "likes action and a risk, and decides on the spot without knowing how it ends",
    "ESFP": "enjoys the day as it comes, best of all among people",
    "ENFP": "has plenty of energy and goes at problems with fancy and a sure instinct",
    "ENTP": "likes to argue a point, tries new thoughts and joins what seems to have nothing in common",
    "ESTJ": "is practical, takes things in hand and gets them done",
    "ESFJ": "likes to be of help, brings people together and makes peace between them",
    "ENFJ": "knows how to encourage people and to win them for something",
    "ENTJ": "likes to lead, and to carry a large task that asks much of them",
}
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

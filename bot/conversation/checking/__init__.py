"""Checks of a reply before it is sent, whatever the model: what is wrong with it, and what of it can stay. Pure.

The words that they know are data (`words/*.yaml`, a file a language). `lab evaluate replies` measures how often they
are wrong on what people said to each other.
"""

from bot.conversation.checking.asking import ToldQuestion, is_question_about_told, told_question
from bot.conversation.checking.faults import faults, mended
from bot.conversation.checking.ground import Fault, Ground
from bot.conversation.checking.language import guessed_language, language_of, spoken_language
from bot.conversation.checking.mood import Mood, is_troubled, mild_mood_of, mood_of

__all__ = [
    "Fault",
    "Ground",
    "Mood",
    "ToldQuestion",
    "faults",
    "guessed_language",
    "is_question_about_told",
    "is_troubled",
    "language_of",
    "mended",
    "mild_mood_of",
    "mood_of",
    "spoken_language",
    "told_question",
]

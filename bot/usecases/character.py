"""`/persona character`: the personality type that somebody is taken to have, put right, said, or switched off.

It is a guess, and shown as one; a choice of the person ends all guessing. Nothing of it is shown where the owner has it
off, but that somebody wants none is always kept.
"""

from bot.config import Care
from bot.domain import Answer, Asker, Call, Character, Choice
from bot.persona.character import SAMPLED
from bot.texts import character as texts
from bot.usecases.calls import buttons
from bot.usecases.kept import Kept
from bot.usecases.markup import cut, joined, plain

COMMAND = "persona character"
OFF, GUESS = "off", "guess"
IN_A_ROW = 4
LONGEST_ECHO = 20


class CharacterRules:
    """The types of people."""

    def __init__(self, *, kept: Kept, care: Care) -> None:
        self._kept = kept
        self._on = care.character != "off"

    async def of(self, asker: Asker) -> tuple[list[str], list[Choice]]:
        """What `/persona show` says of the asker's type, and the buttons for it; nothing where there is nothing."""
        if not self._on or (await self._kept.privacies.of(asker.speaker.id)).minor:
            return [], []
        known = await self._kept.characters.of(asker.speaker.id)
        if known.off:
            return [texts.SWITCHED_OFF], [_choice(texts.GUESS, GUESS)]
        if not known.type:
            return [], []
        return _lines(known), [_choice(texts.WRONG if known.guessed else texts.CHANGE), _choice(texts.NONE, OFF)]

    async def choose(self, call: Call, asker: Asker) -> Answer:
        """`/persona character`: shows the type with all that it could be, or stores what the asker says."""
        wanted, person = call.get("letters").casefold(), asker.speaker.id
        if wanted == OFF:
            await self._kept.characters.put(Character(person, "", off=True))
            return Answer(texts.SET_OFF if self._on else texts.CLOSED_OFF, choices=_undo(GUESS, on=self._on))
        if not self._on:
            return Answer(texts.CLOSED)
        if (await self._kept.privacies.of(person)).minor:
            return Answer(texts.NOT_FOR_MINORS)
        if wanted == GUESS:
            await self._kept.characters.forget(person)
            return Answer(texts.SET_GUESS, choices=_undo(OFF))
        if wanted.upper() in texts.DESCRIPTIONS:
            return await self._say(person, wanted.upper())
        return await self._show(person, wanted)

    async def suggest(self, typed: str, _asker: Asker) -> list[tuple[str, str]]:
        """What can be said: (label, value)."""
        words = [*texts.TYPES, GUESS, OFF]
        return [(word, word.casefold()) for word in words if typed.strip().casefold() in word.casefold()]

    async def _say(self, person: str, kind: str) -> Answer:
        await self._kept.characters.put(Character(person, kind, guessed=False))
        words = texts.SET.format(type=kind, description=texts.DESCRIPTIONS[kind])
        return Answer(joined([words, texts.FOR_TONE]), choices=_undo(OFF))

    async def _show(self, person: str, unknown: str) -> Answer:
        known = await self._kept.characters.of(person)
        lines = [texts.NO_SUCH.format(words=plain(cut(unknown, LONGEST_ECHO)))] if unknown else []
        if known.off:
            lines.append(texts.SWITCHED_OFF)
        else:
            lines += _lines(known) if known.type else [texts.NONE_YET.format(count=SAMPLED)]
        types = [_choice(kind, kind.casefold()) for kind in texts.TYPES]
        rows = [types[at : at + IN_A_ROW] for at in range(0, len(types), IN_A_ROW)]
        last = [_choice(texts.GUESS, GUESS), _choice(texts.NONE, OFF)]
        return Answer(joined([*lines, texts.CHOOSE]), choices=buttons(*rows, last))


def _lines(known: Character) -> list[str]:
    """A type in words, and what it is worth."""
    words = {"type": known.type, "description": texts.DESCRIPTIONS[known.type]}
    if not known.guessed:
        return [texts.TOLD.format(**words), texts.FOR_TONE]
    how = [texts.HOW_GUESSED.format(count=len(known.sources))]
    if known.stability:
        how.append(texts.STABILITY.format(share=known.stability))
    return [texts.GUESSED.format(**words), " ".join(how)]


def _choice(label: str, letters: str = "") -> Choice:
    return Choice(label, Call(COMMAND, (("letters", letters),) if letters else ()))


def _undo(letters: str, *, on: bool = True) -> tuple[tuple[Choice, ...], ...]:
    return buttons([_choice(texts.GUESS if letters == GUESS else texts.NONE, letters)] if on else [])

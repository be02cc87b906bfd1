"""`/memory correct`, `/persona edit`, `/memory undo`: what people say of themselves in place of what is known of them.

Their words become an utterance in their own DM and a trait said in it. The old entry stays, superseded, until they have
it erased or take the new words back. What was told in private is known in private only, as everything is.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import uuid4

import structlog

from bot.config import PrivacySettings
from bot.domain import TOLD, Answer, Asker, Call, Choice, Consent, Privacy, Utterance
from bot.errors import IndexUnusable, ModelError
from bot.language.extractive import sentences
from bot.language.facts import facts_in
from bot.language.lexicon import SMALL_TALK, question_stems
from bot.language.untrusted import is_forged
from bot.persona.own import is_order
from bot.persona.relate import Relation, relate
from bot.ports import Clock
from bot.texts import commands
from bot.texts import correcting as refusals
from bot.texts import forgetting as texts
from bot.usecases.calls import button, buttons
from bot.usecases.entries import LONGEST_ENTRY, Entry
from bot.usecases.kept import Kept
from bot.usecases.markup import cut, joined, plain
from bot.usecases.memory import SUGGESTED, Memories, dm_of

LONGEST_TOLD = 300
NEW = "new"

HelpFor = Callable[[str, str], Awaitable[str | None]]
"""(speaker id, what they wrote) → what is answered instead of keeping words that may show danger; None: keep them."""

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class Correcting:
    """The commands that correct, and the one that takes a correction back."""

    memories: Memories
    kept: Kept
    indexed: Callable[[], Awaitable[object]]
    """Makes the vectors that are missing."""
    clock: Clock
    settings: PrivacySettings
    help_for: HelpFor | None = None
    """None: nobody looks for signs of danger."""

    async def correct(self, call: Call, asker: Asker) -> Answer:
        """`/memory correct`: puts an entry of the asker's own list right. Raises StorageError only."""
        return await self._tell(call, asker, traits_only=False)

    async def edit(self, call: Call, asker: Asker) -> Answer:
        """`/persona edit`: puts a trait of the asker right, or adds one. Raises StorageError only."""
        return await self._tell(call, asker, traits_only=True)

    async def undo(self, _call: Call, asker: Asker) -> Answer:
        """`/memory undo`: takes back what the asker told last with a command. Raises StorageError only."""
        taken = await self.kept.told.take_back(await self.memories.ids(asker), self.clock.now())
        if taken is None:
            return Answer(texts.NOTHING_TO_UNDO)
        codes = {*(f"t{key}" for key in taken.traits), *(f"e{key}" for key in taken.events)}
        again = [entry for entry in await self.memories.known(asker) if entry.code in codes]
        lines = [texts.TAKEN_BACK, f"- {texts.NOT_ANY_MORE.format(text=plain(taken.trait.text))}"]
        lines += [f"- {texts.AGAIN.format(text=plain(cut(entry.text, LONGEST_ENTRY)))}" for entry in again]
        return Answer(
            joined([*lines, texts.WORDS_STAY]), choices=_buttons(f"t{taken.trait.id}", texts.ERASE_TAKEN_BACK)
        )

    async def suggest(self, typed: str, asker: Asker) -> list[tuple[str, str]]:
        """What `/persona edit` can be about, as (label, value): something new, then traits."""
        new = [(texts.NEW_TRAIT, NEW)] if typed.strip().casefold() in f"{NEW} {texts.NEW_TRAIT}".casefold() else []
        return [*new, *await self.memories.suggest(typed, asker, traits_only=True)][:SUGGESTED]

    async def _tell(self, call: Call, asker: Asker, *, traits_only: bool) -> Answer:
        words = " ".join(call.get("words").split())
        code = call.get("entry").strip().casefold()
        if (refusal := await self._no_statement(call.get("words"), asker)) is not None:
            return Answer(refusal)
        if refusal := _refusal(await self.kept.privacies.of(asker.speaker.id), self.settings):
            return Answer(refusal)
        known = await self.memories.known(asker)
        old = None
        if not (traits_only and code == NEW):
            old = next((entry for entry in known if entry.code == code), None)
            if problem := await self._problem(old, code, asker, traits_only=traits_only):
                return Answer(problem)
        if any(entry.speaker_id and entry.text == words for entry in known):
            return Answer(texts.SAME_AGAIN)
        await self._store(words, old, known, asker)
        return _answer(words, old, elsewhere=old is not None and await self._is_elsewhere(words, old))

    async def _is_elsewhere(self, words: str, old: Entry) -> bool:
        """Whether words are about something else than the entry: no word, no kind of fact and no meaning in common."""
        slots = [{fact.slot for one in sentences(text) for fact in facts_in(one)} for text in (words, old.text)]
        if slots[0] & slots[1] or question_stems(words, SMALL_TALK) & question_stems(old.text, SMALL_TALK):
            return False
        return await self.memories.close(words, [old]) == []

    async def _no_statement(self, words: str, asker: Asker) -> str | None:
        """What to answer to words that are nothing to be known of somebody; None when they may be.

        A command is asked no model, so signs of danger are looked for here as in what is said.
        """
        if self.help_for is not None and (aid := await self.help_for(asker.speaker.id, words)) is not None:
            return aid
        if len(" ".join(words.split())) > LONGEST_TOLD:
            return texts.TOO_LONG.format(most=LONGEST_TOLD)
        return refusals.NO_STATEMENT if is_order(words) or is_forged(words) else None

    async def _problem(self, old: Entry | None, code: str, asker: Asker, *, traits_only: bool) -> str:
        """Why this entry cannot be put right by the asker; empty when it can."""
        if old is None:
            return commands.UNKNOWN_ENTRY
        if traits_only and not old.speaker_id:
            return texts.ONLY_TRAITS
        ids = await self.memories.ids(asker)
        said = [one for one in await self.kept.utterances.get(old.sources) if one.speaker.id in ids]
        return "" if said else texts.NOT_CORRECTABLE.format(code=code)

    async def _store(self, words: str, old: Entry | None, known: list[Entry], asker: Asker) -> None:
        """Stores it, in place of the old entry, and of what was said in private and contradicts it by the rules."""
        now, dm = self.clock.now(), dm_of(asker)
        against = [
            entry
            for entry in known
            if entry.speaker_id and entry.place == dm and relate(entry.text, words, 0.0, 1.0) is Relation.CONTRADICTS
        ]
        instead = [_key(entry) for entry in [*([old] if old else []), *against]]
        said = Utterance(dm, f"{TOLD}{uuid4().hex}", asker.speaker, words, now, to_bot=False)
        await self.kept.told.tell(said, words, instead_of=list(dict.fromkeys(instead)), now=now)
        try:
            await self.indexed()
        except (ModelError, IndexUnusable) as error:
            _log.warning("a correction has no vector yet", reason=str(error))


def _refusal(privacy: Privacy, settings: PrivacySettings) -> str:
    """Why nothing may be kept of this person, in words; empty when it may."""
    if privacy.paused:
        return texts.PAUSED
    if privacy.consent is Consent.REFUSED:
        return texts.REFUSED
    if (settings.consent == "ask" or privacy.minor) and privacy.consent is not Consent.AGREED:
        return texts.UNASKED
    return ""


def _key(entry: Entry) -> tuple[str, int]:
    return ("trait" if entry.speaker_id else "event", int(entry.code[1:]))


def _answer(words: str, old: Entry | None, *, elsewhere: bool) -> Answer:
    new = texts.AFTER.format(text=plain(words))
    if old is None:
        return Answer(joined([texts.ADDED, f"- {new}", texts.ADDED_PRIVATELY]), choices=_buttons("", texts.ERASE_OLD))
    before = texts.BEFORE.format(text=plain(cut(old.text, LONGEST_ENTRY)))
    doubt = [texts.SOMETHING_ELSE] if elsewhere else []
    lines = [texts.CORRECTED, f"- {before}", f"- {new}", *doubt, texts.SET_ASIDE]
    return Answer(joined(lines), choices=_buttons(old.code, texts.ERASE_OLD))


def _buttons(code: str, label: str) -> tuple[tuple[Choice, ...], ...]:
    look = button(commands.LOOK, "memory list")
    erase = [button(label, "memory forget", what=code)] if code else []
    return buttons([*erase, look])

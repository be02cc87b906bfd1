"""What people decide about what is kept of them, and what they can see of it.

Every answer is for the asker alone, and every button does what it says for whoever presses it. Linked identities share
what is decided: whoever hears of a change hears of each of them.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

from bot.config import Settings
from bot.conversation.consent import Consents
from bot.domain import Answer, Asker, Call, Choice, Consent, ErasureReason, Place, Privacy, Selection
from bot.ports import Clock
from bot.texts import checkin as checkin_texts
from bot.texts import privacy as texts
from bot.texts.translating import here
from bot.usecases.calls import button, buttons, fits
from bot.usecases.countries import country_named
from bot.usecases.kept import Erasing, Kept
from bot.usecases.markup import cut, joined, plain
from bot.usecases.receipts import in_short, receipts_of, whole

MOST_DAYS = 36_500
OFFERED_DAYS = (30, 365)
FOREVER, NONE = "forever", "none"
MOST_ERASED = 1_000_000
"""Messages that one change of `/privacy keep` erases; more than that go with the next retention."""
RECEIPTS_SHOWN = 5
RECEIPTS_LOOKED_AT = 1000
"""Receipts among which a number is looked for, the latest first."""
LONGEST_ECHO = 20
NUMBER_DIGITS = 12


def any_of(place: Place) -> Place:
    """A channel of the same server that nobody ever chose: what holds there was chosen for the whole server."""
    return replace(place, ref=f"{place.server}/")


@dataclass(kw_only=True, eq=False, repr=False)
class PrivacyRules:
    """`/privacy policy | consent | pause | keep | channel | country | receipt`."""

    kept: Kept
    eraser: Erasing
    clock: Clock
    settings: Settings
    on_consent: Callable[[str, bool], Awaitable[None]]
    """Is told who now agreed (True) or refused (False), so that what was said in their open session follows."""
    on_change: Callable[[str], None]
    """Hears of every identity of whom anything was decided, before `on_consent` does."""
    _deciding: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self._standing = Consents(privacies=self.kept.privacies, settings=self.settings.privacy)

    async def policy(self, _call: Call, asker: Asker) -> Answer:
        """`/privacy policy`: all of it on one screen, with what can be decided as buttons."""
        decided = await self.kept.privacies.of(asker.speaker.id)
        backups = texts.days(self.settings.backup.keep_days)
        unasked = self._agrees(replace(decided, consent=Consent.TOLD))
        lines = [
            texts.POLICY_TITLE,
            texts.POLICY_MACHINE.format(name=plain(self.settings.agent.name)),
            texts.POLICY_WHAT,
            texts.POLICY_WHERE.format(model=texts.MODEL_HERE if self.settings.model.is_at_home else texts.MODEL_AWAY),
            texts.POLICY_WHO,
            texts.POLICY_HOW_LONG_IMPLIED if unasked else texts.POLICY_HOW_LONG_ASK,
            texts.POLICY_YOURS,
            texts.POLICY_DELETED,
            here(checkin_texts.POLICY_FIRST),
            *([texts.POLICY_CHARACTER] if self.settings.care.character != "off" and not decided.minor else []),
            texts.POLICY_STOP,
            texts.POLICY_BACKUPS.format(days=backups),
        ]
        look = button(texts.LOOK, "memory list")
        return Answer(joined(lines), choices=buttons([look, *self._consents(decided)]))

    async def consent(self, call: Call, asker: Asker) -> Answer:
        """`/privacy consent`: shows it, or takes a yes or a no."""
        decided = await self.kept.privacies.of(asker.speaker.id)
        if not call.get("answer"):
            return Answer(self._consent_in_words(decided), choices=buttons(self._consents(decided)))
        if call.get("answer") == "no":
            await self._decide(asker, lambda now: replace(now, consent=Consent.REFUSED))
            await self._tell_consent(asker, agreed=False)
            if not await self._anything_of(asker):
                return Answer(texts.SAID_NO_UNKNOWN)
            erase = button(texts.ERASE_ALL, "memory forget", what="everything")
            return Answer(texts.SAID_NO, choices=buttons([erase, button(texts.KEEP_ALL, "privacy consent")]))
        remembered = self._standing.keeps(decided, in_channel=False)
        await self._decide(asker, lambda now: replace(now, consent=Consent.AGREED))
        if remembered:
            return Answer(texts.AGREED, choices=buttons([button(texts.LOOK, "memory list")]))
        if decided.paused:
            return Answer(texts.SAID_YES_PAUSED, choices=buttons([_pausing("off")]))
        await self._tell_consent(asker, agreed=True)
        return Answer(texts.SAID_YES, choices=buttons([button(texts.LOOK, "memory list")]))

    async def _anything_of(self, asker: Asker) -> bool:
        """Whether anything that they said, or that was made of it, is there."""
        people = tuple(sorted(await self.kept.identities.of(asker.speaker.id)))
        found = await self.kept.erasures.preview(Selection(people=people), asker.speaker.id)
        return bool(found.utterances or found.events or found.traits)

    async def pause(self, call: Call, asker: Asker) -> Answer:
        """`/privacy pause`: shows it, begins it or ends it. What was said in a pause is never kept afterwards."""
        decided = await self.kept.privacies.of(asker.speaker.id)
        if state := call.get("state"):
            decided = await self._decide(asker, lambda now: replace(now, paused=state == "on"))
            ended = texts.PAUSE_OFF if self._agrees(decided) else texts.PAUSE_OFF_UNAGREED
            words = texts.PAUSE_ON if decided.paused else ended
        else:
            words = texts.PAUSED if decided.paused else texts.NOT_PAUSED
        choices = [_pausing("off" if decided.paused else "on")]
        if not decided.paused and not self._agrees(decided):
            choices += self._consents(decided)
        return Answer(words, choices=buttons(choices))

    async def keep(self, call: Call, asker: Asker) -> Answer:
        """`/privacy keep`: shows for how long what they say is kept, or changes it.

        What would be erased by that is told first. The button under it carries the days and a token, "30 k3J…", which
        is of use to the person who was asked, once, and for some minutes.
        """
        decided = await self.kept.privacies.of(asker.speaker.id)
        wanted, _, token = call.get("days").partition(" ")
        if not wanted:
            return self._how_long(decided)
        days = _days(wanted)
        if days is None and wanted.casefold() != FOREVER:
            return Answer(texts.NOT_DAYS.format(most=MOST_DAYS))
        longest = self._longest(decided)
        if longest is not None and (days is None or days > longest):
            words = texts.TOO_LONG_FOR_MINOR.format(days=texts.days(longest))
            return Answer(words, choices=buttons([_keeping(longest)]))
        if token:
            return await self._keep_confirmed(replace(decided, keep_days=days), token, asker)
        return await self._keep(replace(decided, keep_days=days), asker)

    async def age(self, call: Call, asker: Asker) -> Answer:
        """`/privacy age`: whether the asker is under 18; then what they say is kept for some days at most.

        Nothing that was said before is erased by it, and what they had chosen holds again once they are an adult.
        """
        decided = await self.kept.privacies.of(asker.speaker.id)
        if wanted := call.get("age"):
            minor, then = wanted != "adult", self.clock.now()
            decided = await self._decide(
                asker, lambda now: replace(now, minor=minor, minor_since=(now.minor_since or then) if minor else None)
            )
        kept = self._how_long(decided)
        other = ("adult", texts.ADULT_BUTTON) if decided.minor else ("minor", texts.MINOR_BUTTON)
        turn = button(other[1], "privacy age", age=other[0])
        words = texts.MINOR if decided.minor else texts.ADULT
        return Answer(joined([words, kept.text]), choices=buttons([turn], *kept.choices))

    async def channel(self, call: Call, asker: Asker) -> Answer:
        """`/privacy channel`: whether the asker is read in this channel, or anywhere on its server."""
        speaker, place, state = asker.speaker.id, asker.place, call.get("state")
        if not state:
            return await self._channel(asker)
        everywhere = await self._out_everywhere(speaker, place)
        if state == "in":
            await self.kept.privacies.opt_out(speaker, place, out=False)
            if everywhere:
                await self.kept.privacies.opt_out(speaker, place, out=False, whole_server=True)
            await self._tell_change(asker)
            words = texts.NOW_IN_EVERYWHERE if everywhere else texts.NOW_IN
            return Answer(words, choices=buttons([_reading("out", texts.BE_OUT)]))
        whole = state == "out-everywhere"
        await self.kept.privacies.opt_out(speaker, place, out=True, whole_server=whole)
        await self._tell_change(asker)
        by_key = Call("memory forget", (("what", place.key),))  # "here" is the DM, where the answer goes there
        erase = Choice(texts.ERASE_HERE, by_key if fits(by_key) else Call("memory forget", (("what", "here"),)))
        words = texts.NOW_OUT_EVERYWHERE if whole else texts.NOW_OUT
        return Answer(words, choices=buttons([erase, _reading("in", texts.BE_IN)]))

    async def country(self, call: Call, asker: Asker) -> Answer:
        """`/privacy country`: where the asker lives, for emergency numbers and nothing else."""
        decided = await self.kept.privacies.of(asker.speaker.id)
        typed = call.get("country")
        if not typed:
            return Answer(texts.COUNTRY.format(country=decided.country) if decided.country else texts.NO_COUNTRY)
        if typed.casefold() == NONE:
            await self._decide(asker, lambda now: replace(now, country=""))
            return Answer(texts.COUNTRY_GONE)
        country = country_named(typed)
        if country is None:
            return Answer(texts.NOT_A_COUNTRY.format(country=plain(cut(typed, LONGEST_ECHO))))
        await self._decide(asker, lambda now: replace(now, country=country))
        return Answer(texts.COUNTRY_SET.format(country=country))

    async def receipt(self, call: Call, asker: Asker) -> Answer:
        """`/privacy receipt`: the asker's last receipts, or one of them whole. Somebody else's is not there."""
        wanted = call.get("number")
        receipts = await receipts_of(asker.speaker.id, RECEIPTS_LOOKED_AT if wanted else RECEIPTS_SHOWN, self.kept)
        if wanted:
            number = int(wanted) if wanted.isdecimal() and len(wanted) <= NUMBER_DIGITS else 0
            found = next((receipt for receipt in receipts if receipt.id == number), None)
            return Answer(texts.NO_SUCH_RECEIPT if found is None else whole(found))
        if not receipts:
            return Answer(texts.NO_RECEIPTS)
        lines = [texts.RECEIPTS_TITLE, *(in_short(receipt) for receipt in receipts)]
        choices = [_of_receipt(receipt.id, str(receipt.id)) for receipt in receipts]
        return Answer(joined(lines), choices=buttons(choices))

    async def _keep(self, decided: Privacy, asker: Asker) -> Answer:
        """Sets it, if nothing is erased by that; else asks."""
        old = await self._too_old(decided)
        if not old or decided.keep_days is None:
            await self._decide(asker, lambda now: replace(now, keep_days=decided.keep_days))
            return self._how_long(decided, texts.KEEPS_NOW)
        until = self.clock.now() + timedelta(minutes=self.settings.privacy.confirm_minutes)
        # Nothing is selected: what is too old is looked up again when it is confirmed.
        token = await self.kept.confirmations.ask(asker.speaker.id, Selection(), until, _purpose(decided))
        words = texts.WOULD_ERASE.format(days=texts.days(decided.keep_days), messages=texts.messages(len(old)))
        yes = button(texts.ERASE_OLD, "privacy keep", days=f"{decided.keep_days} {token}")
        return Answer(words, choices=buttons([yes, button(texts.LEAVE, "privacy keep")]))

    async def _keep_confirmed(self, decided: Privacy, token: str, asker: Asker) -> Answer:
        """Sets it, and erases what is too old; only for the person who was asked."""
        now, purpose = self.clock.now(), _purpose(decided)
        if await self.kept.confirmations.take(token, asker.speaker.id, now, purpose) is None:
            asked = await self.kept.confirmations.peek(token, now, purpose)
            return Answer(texts.QUESTION_OVER if asked is None else texts.NOT_YOUR_QUESTION)
        await self._decide(asker, lambda now: replace(now, keep_days=decided.keep_days))
        shown = self._how_long(decided, texts.KEEPS_NOW)
        old = await self._too_old(decided)
        if not old:
            return shown
        erased = await self.eraser.erase(Selection(utterances=tuple(old)), ErasureReason.RETENTION, asker.speaker.id)
        words = texts.ERASED_OLD.format(messages=texts.messages(len(old)), number=erased.erasure_id)
        receipt = _of_receipt(erased.erasure_id, texts.RECEIPT_BUTTON.format(number=erased.erasure_id))
        return Answer(joined([shown.text, words]), choices=buttons([receipt]))

    async def _too_old(self, decided: Privacy) -> list[int]:
        """The ids of the messages that are older than they are to be kept."""
        if decided.keep_days is None:
            return []
        before = self.clock.now() - timedelta(days=decided.keep_days)
        return await self.kept.privacies.said_before(decided.speaker_id, before, MOST_ERASED)

    def _how_long(self, decided: Privacy, sentence: str = "{rule}") -> Answer:
        """For how long, in words, with a button for each other choice."""
        longest, days = self._longest(decided), decided.keep_days
        rule = texts.KEEPS_FOREVER if days is None else texts.KEEPS_DAYS.format(days=texts.days(days))
        lines = [sentence.format(rule=rule)]
        offered: list[int | None] = [*OFFERED_DAYS, None]
        if longest is not None:
            offered = [*(choice for choice in OFFERED_DAYS if choice < longest), longest]
            if days is None or days > longest:
                lines = [self._how_long_of_minor(decided, longest)]
            else:
                lines.append(texts.LONGEST_MINOR.format(days=texts.days(longest)))
        return Answer(joined(lines), choices=buttons([_keeping(choice) for choice in offered if choice != days]))

    def _how_long_of_minor(self, decided: Privacy, longest: int) -> str:
        """For how long, of a minor whose own choice is longer than the limit of minors."""
        before = texts.BEFORE_MINOR
        if decided.keep_days is not None:
            before = texts.BEFORE_MINOR_DAYS.format(days=texts.days(decided.keep_days))
        since = decided.minor_since or self.clock.now()
        return texts.KEEPS_MINOR.format(days=texts.days(longest), day=f"{since:%Y-%m-%d}", before=before)

    def _longest(self, decided: Privacy) -> int | None:
        """The most days that somebody may choose; None: without end."""
        return self.settings.privacy.minor_keep_days if decided.minor else None

    async def _channel(self, asker: Asker) -> Answer:
        """Whether they are read here, in words, with buttons for what can be changed."""
        speaker, place = asker.speaker.id, asker.place
        if await self._out_everywhere(speaker, place):
            return Answer(texts.OUT_EVERYWHERE, choices=buttons([_reading("in", texts.BE_IN)]))
        everywhere = _reading("out-everywhere", texts.BE_OUT_EVERYWHERE)
        if await self.kept.privacies.opted_out(speaker, place):
            return Answer(texts.OUT, choices=buttons([_reading("in", texts.BE_IN), everywhere]))
        return Answer(texts.IN, choices=buttons([_reading("out", texts.BE_OUT), everywhere]))

    async def _out_everywhere(self, speaker_id: str, place: Place) -> bool:
        """Whether they opted out of the whole server: it then holds for a channel of it that nobody ever chose."""
        return await self.kept.privacies.opted_out(speaker_id, any_of(place))

    def _agrees(self, decided: Privacy) -> bool:
        """Whether what they say in private would be kept if they had not paused."""
        return self._standing.keeps(replace(decided, paused=False), in_channel=False)

    def _consent_in_words(self, decided: Privacy) -> str:
        if decided.consent is Consent.AGREED:
            return texts.AGREED
        if decided.consent is Consent.REFUSED:
            return texts.REFUSED
        if decided.minor:
            return texts.UNDECIDED_MINOR
        return texts.IMPLIED if self._agrees(decided) else texts.UNDECIDED

    def _consents(self, decided: Privacy) -> list[Choice]:
        """The answers that are not given yet."""
        yes = [button(texts.YES, "privacy consent", answer="yes")] if decided.consent is not Consent.AGREED else []
        no = [button(texts.NO, "privacy consent", answer="no")] if decided.consent is not Consent.REFUSED else []
        return [*yes, *no]

    async def _decide(self, asker: Asker, change: Callable[[Privacy], Privacy]) -> Privacy:
        """Changes what is decided at this moment, so that of two commands at once neither undoes the other."""
        async with self._deciding:
            decided = change(await self.kept.privacies.of(asker.speaker.id))
            await self.kept.privacies.put(decided)
        await self._tell_change(asker)
        return decided

    async def _tell_change(self, asker: Asker) -> None:
        for speaker in await self.kept.identities.of(asker.speaker.id):
            self.on_change(speaker)

    async def _tell_consent(self, asker: Asker, *, agreed: bool) -> None:
        for speaker in await self.kept.identities.of(asker.speaker.id):
            await self.on_consent(speaker, agreed)


def _days(typed: str) -> int | None:
    """A number of days that can be chosen; None for anything else."""
    number = int(typed) if typed.isdecimal() and len(typed) <= len(str(MOST_DAYS)) else 0
    return number if 1 <= number <= MOST_DAYS else None


def _purpose(decided: Privacy) -> str:
    """What a question is about: a button with other days under the same token is no answer to it."""
    return f"keep {decided.keep_days}"


def _pausing(state: str) -> Choice:
    return button(texts.RESUME if state == "off" else texts.PAUSE, "privacy pause", state=state)


def _keeping(days: int | None) -> Choice:
    label = texts.FOREVER if days is None else texts.days(days)
    return button(label, "privacy keep", days=FOREVER if days is None else str(days))


def _reading(state: str, label: str) -> Choice:
    return button(label, "privacy channel", state=state)


def _of_receipt(number: int, label: str) -> Choice:
    return button(label, "privacy receipt", number=str(number))

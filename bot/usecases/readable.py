"""The file to read of `/memory export`: plain sentences, by the clock of whoever reads it, without ids. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo

from bot.care.calendar import zone_named
from bot.domain import CheckIn, CheckInState, Consent, Event, Place, PlaceKind, Receipt, Trait, Utterance
from bot.texts import character as character_texts
from bot.texts import checkin, commands
from bot.texts import exporting as texts
from bot.texts import privacy as privacy_texts
from bot.usecases.exported import Exported, place_of
from bot.usecases.markup import bare
from bot.usecases.receipts import state_of

INDENT = "      "
"""Before further lines of somebody's words, so that none looks like another's."""


def readable(kept: Exported) -> list[str]:
    """The file, line by line."""
    return _Readable(kept).lines()


class _Readable:
    def __init__(self, kept: Exported) -> None:
        self._kept = kept
        zone = zone_named(kept.wishes.zone)
        self._zone: tzinfo = UTC if zone is None else zone
        self._clock = texts.NO_CLOCK if zone is None else texts.CLOCK.format(zone=zone.key.replace("_", " "))

    def lines(self) -> list[str]:
        kept, talk = self._kept, self._kept.talk()
        written, events = kept.checkins_written(), sorted(kept.events, key=lambda one: (one.time, one.id))
        sections = [
            (texts.TRAITS, len(kept.traits), list(self._traits())),
            (
                texts.SUMMARIES,
                len(kept.events),
                [self._event(one) for one in events],
            ),
            (texts.DECIDED, None, [f"- {bare(line)}" for line in (*self._decided(), *self._of_checkins())]),
            (texts.CHECKINS, len(written), list(self._checkins(written))),
            (texts.ERASED, len(kept.receipts), [self._receipt(one) for one in kept.receipts]),
            (texts.TALK, len(talk), list(self._talk(talk))),
        ]
        contents = ", ".join(_contents(title, count) for title, count, _ in sections)
        title = texts.TITLE.format(agent=kept.agent_name, name=kept.name)
        lines = [
            *_headed(title, "="),
            texts.WRITTEN.format(when=texts.when(self._local(kept.written))),
            "",
            texts.FOR_READING,
            self._clock,
            texts.WHOSE,
            "",
            texts.CONTENTS.format(sections=contents),
        ]
        for title, _, section in sections:
            lines += ["", "", *_headed(title, "-"), *(section or [texts.NOTHING])]
        return [*lines, ""]

    def _traits(self) -> Iterator[str]:
        """What is so, what is no longer, and the personality type."""
        in_order = sorted(self._kept.traits, key=lambda one: (one.since, one.id))
        yield from (self._trait(one, texts.LINE) for one in in_order if one.until is None)
        if ended := [one for one in in_order if one.until is not None]:
            yield from ("", texts.ENDED, *(self._trait(one, texts.ENDED_LINE) for one in ended))
        if line := self._character():
            yield from ("", bare(line))

    def _trait(self, trait: Trait, form: str) -> str:
        until = "" if trait.until is None else self._date(trait.until)
        return form.format(
            what=_indented(trait.text), day=self._date(trait.since), until=until, where=self._where(trait.place)
        )

    def _character(self) -> str:
        known = self._kept.character
        if known.off:
            return character_texts.SWITCHED_OFF
        if not known.type:
            return ""
        form = character_texts.GUESSED if known.guessed else character_texts.TOLD
        return form.format(type=known.type, description=character_texts.DESCRIPTIONS[known.type])

    def _event(self, event: Event) -> str:
        what = texts.SHARED if self._kept.is_shared(event) else _indented(event.summary)
        return texts.DATED.format(day=self._date(event.time), where=self._where(event.place), what=what)

    def _decided(self) -> Iterator[str]:
        """What was decided about remembering. Markdown."""
        privacy = self._kept.privacy
        consents = {Consent.AGREED: privacy_texts.AGREED, Consent.REFUSED: privacy_texts.REFUSED}
        yield consents.get(privacy.consent, texts.UNDECIDED)
        if privacy.paused:
            yield privacy_texts.PAUSED
        if privacy.minor:
            yield f"{privacy_texts.MINOR} {texts.KEEPS_OF_MINOR}"
        elif privacy.keep_days is None:
            yield privacy_texts.KEEPS_FOREVER
        else:
            yield privacy_texts.KEEPS_DAYS.format(days=privacy_texts.days(privacy.keep_days))
        if privacy.country:
            yield texts.COUNTRY.format(country=privacy.country)
        if len(self._kept.ids) > 1:
            platforms = [_platform(one) for one in self._kept.ids]
            yield privacy_texts.LINKED_WITH.format(platforms=commands.listed(platforms))
        yield from (texts.NOT_READ.format(where=self._scope(one)) for one in self._kept.opt_outs)

    def _of_checkins(self) -> Iterator[str]:
        """What was decided about being written to first."""
        wishes = self._kept.wishes
        if not wishes.on:
            yield checkin.NOT_ON
            return
        yield texts.MAY_WRITE
        if wishes.times:
            yield texts.TIMES.format(times=checkin.times(wishes.times))
        if wishes.days:
            yield texts.DAYS.format(days=checkin.days(wishes.days))
        if wishes.quiet is not None:
            yield texts.QUIET.format(quiet=checkin.quiet(wishes.quiet))
        if wishes.every_days is not None:
            yield texts.OFTEN.format(often=checkin.often(wishes.every_days))
        if wishes.paused_until is not None and wishes.paused_until > self._kept.written:
            yield texts.PAUSED_UNTIL.format(when=texts.when(self._local(wishes.paused_until)))
        elif wishes.next_at is not None:
            yield texts.NEXT.format(when=texts.when(self._local(wishes.next_at)))

    def _checkins(self, written: Sequence[CheckIn]) -> Iterator[str]:
        for one in written:
            what = texts.FAREWELL if one.farewell else ""
            if one.state is CheckInState.FAILED:
                what = texts.FAILED
            elif one.state is not CheckInState.SENT:
                what = texts.ON_ITS_WAY
            day = texts.when(self._local(one.sent_at or one.due))
            yield f"- {day}: {what}" if what else f"- {day}"
        if skipped := len(self._kept.checkins) - len(written):
            yield texts.CAME_TO_NOTHING.format(times=texts.times_told(skipped))

    def _receipt(self, receipt: Receipt) -> str:
        return texts.RECEIPT.format(
            day=self._date(receipt.asked),
            counts=privacy_texts.went(receipt.counts),
            state=state_of(receipt),
            reason=privacy_texts.REASONS[receipt.reason],
            number=receipt.id,
        )

    def _talk(self, talk: Iterable[Utterance]) -> Iterator[str]:
        """By place, and by day within each."""
        by_place: dict[Place, list[Utterance]] = {}
        for said in talk:
            by_place.setdefault(said.place, []).append(said)
        for number, (place, there) in enumerate(by_place.items()):
            where = self._where(place)
            title = texts.PLACE.format(where=f"{where[:1].upper()}{where[1:]}", platform=place.platform.capitalize())
            yield from ([""] if number else [])
            yield from (title, "~" * len(title))
            day = ""
            for one in there:
                moment = self._local(one.time)
                if texts.day_of(moment) != day:
                    day = texts.day_of(moment)
                    yield from ("", day)
                speaker = self._kept.agent_name if one.speaker.is_agent else one.speaker.name
                yield f"{moment:%H:%M} {speaker}: {_indented(one.text)}"

    def _where(self, place: Place) -> str:
        name = " ".join(self._kept.names.get(place, "").split())
        return commands.where(private=place.kind is PlaceKind.DM, name=name)

    def _scope(self, scope: str) -> str:
        """Where somebody is not read, in words."""
        place = place_of(scope)
        if place is None:
            return texts.WHOLE_SERVER.format(platform=_platform(scope))
        return self._where(place) if place in self._kept.names else texts.SOME_CHANNEL.format(platform=_platform(scope))

    def _local(self, moment: datetime) -> datetime:
        return moment.astimezone(self._zone)

    def _date(self, moment: datetime) -> str:
        return commands.day(self._local(moment))


def _headed(title: str, line: str) -> list[str]:
    return [title.upper(), line * len(title)]


def _contents(title: str, count: int | None) -> str:
    lower = f"{title[:1].lower()}{title[1:]}"
    return lower if count is None else texts.SECTION.format(title=lower, count=count)


def _platform(of: str) -> str:
    """The platform of an id, a place or a server."""
    return of.partition(":")[0].capitalize()


def _indented(text: str) -> str:
    return text.replace("\n", f"\n{INDENT}")

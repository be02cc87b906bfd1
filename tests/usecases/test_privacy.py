"""What somebody said in private comes out for nobody else, by no command, however ids are guessed (promise 3).

Every message of a random village carries a word of its own. Summaries and traits carry the words of what they come
from, and replies use whatever the audience rule lets them. Then everybody asks everything everywhere; of
pictures, what would be painted is read.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from bot.domain import AGENT_ID, Asker, Call, Place, PlaceKind, Speaker
from bot.drawing.scene import Scene
from bot.texts import commands as texts
from bot.usecases import timeline
from bot.usecases.catalogue import CATALOGUE
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL, OTHER_HALL
from tests.usecases.asking import Asking, open_asking, shown

CAT = Speaker("chat:cat", "Cat")
CATS_DM = Place("chat", PlaceKind.DM, "cat")
PEOPLE = (ANN, BEN, CAT)
DMS = {ANN: ANNS_DM, BEN: BENS_DM, CAT: CATS_DM}
CHANNELS = (HALL, OTHER_HALL)
SECRET = re.compile(r"secret\d+x")
MOST_SESSIONS = 5
MOST_IDS = 4 * MOST_SESSIONS
"""As many traits as there can be: of three people and the companion in each session."""
PAGES = 5


@dataclass
class Village:
    """What was said, by whom and where, by the word that each message carries."""

    asking: Asking
    said: dict[str, tuple[str, Place, int]] = field(default_factory=dict)
    """Word → (speaker id, place, session number)."""
    present: dict[int, set[str]] = field(default_factory=dict)
    """Session number → ids of those who spoke in it."""

    def word(self, speaker_id: str, place: Place, session: int) -> str:
        """A new word, for something that is about to be said."""
        word = f"secret{len(self.said)}x"  # with an end, because labels may be cut
        self.said[word] = (speaker_id, place, session)
        self.present.setdefault(session, set()).add(speaker_id)
        return word

    def may_hear(self, word: str, asker: Asker) -> bool:
        """Whether this word may come out when `asker` asks where they ask."""
        _, place, session = self.said[word]
        if place.kind is PlaceKind.DM:
            return place.dm_person == asker.speaker.id
        return asker.speaker.id in self.present[session] or place == asker.place

    async def live(self, place: Place, people: Sequence[Speaker], number: int) -> None:
        """One session: everybody says something, the companion answers with what it may use, and all is remembered."""
        rows = self.asking.rows
        lines = [(one, f"I like lemon {self.word(one.id, place, number)}.") for one in people]
        events = await rows.events.readable_in(place)
        traits = await rows.traits.readable_in(place, [*(one.id for one in people), AGENT_ID])
        reply = f"I like lemon {self.word(AGENT_ID, place, number)} too."
        after = timedelta(days=number)
        session = await self.asking.talk(place, lines, after=after, reply=reply, recalled=shown(events, traits))
        for utterance in session.utterances:
            await self.asking.learn(utterance, utterance.text)
        await self.asking.remember(session, " ".join(one.text for one in session.utterances), after)


def everything(asker: Asker) -> list[Call]:
    """Every use of every command; all ids that there could be are guessed in the DM."""
    guesses = [
        f"{kind}{number}" for kind, most in (("t", MOST_IDS), ("e", MOST_SESSIONS)) for number in range(most + 1)
    ]
    in_channel = asker.place.kind is PlaceKind.CHANNEL
    pages = [("page", str(page)) for page in range(2, PAGES + 1)]
    words = ("words", "i like lemon")
    return [
        *(Call(command.name) for command in CATALOGUE),
        *(Call("memory list", (page,)) for page in pages),
        *(Call("memory search", (words, page)) for page in (("page", "1"), *pages)),
        *(Call("memory why", (("entry", guess),)) for guess in guesses if not in_channel),
        Call("persona show", (("whose", "companion"),)),
        *([Call("channel mode", (("mode", "listen"),))] if in_channel else []),
    ]


@contextmanager
def painted() -> Iterator[list[str]]:
    """What pictures show, in words. None is painted meanwhile: that takes a third of the time of all answers."""
    scenes: list[str] = []

    def unpainted(scene: Scene) -> bytes:
        scenes.append(repr(scene))
        return b""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timeline, "_painted", unpainted)
        yield scenes


async def heard_by(village: Village, asker: Asker) -> set[str]:
    """The words that come out when somebody asks everything in one place."""
    commands = village.asking.commands
    with painted() as scenes:
        answers = [(await commands.run(call, asker)).text for call in everything(asker)]
    answers += [label for label, _ in await commands.suggest("memory why", "entry", "", asker)]
    return set(SECRET.findall(" ".join([*answers, *scenes])))


_sessions = st.lists(
    st.sampled_from(PEOPLE).map(lambda one: (DMS[one], [one]))
    | st.tuples(st.sampled_from(CHANNELS), st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=3, unique=True)),
    min_size=1,
    max_size=MOST_SESSIONS,
)


@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@example([(ANNS_DM, [ANN]), (HALL, [ANN, BEN]), (BENS_DM, [BEN]), (HALL, [BEN, CAT]), (HALL, [BEN, ANN])])
@given(_sessions)
def test_no_command_tells_anybody_what_was_not_said_to_them(sessions: list[tuple[Place, list[Speaker]]]) -> None:
    async def check() -> None:
        async with open_asking() as asking:
            village = Village(asking)
            for number, (place, people) in enumerate(sessions):
                await village.live(place, people, number)
            for person in PEOPLE:
                for place in (DMS[person], *CHANNELS):
                    asker = Asker(person, place, is_owner=True, may_manage=True)
                    heard = await heard_by(village, asker)
                    assert {word for word in heard if not village.may_hear(word, asker)} == set()
                    own = {word for word, (speaker, *_) in village.said.items() if speaker == person.id}
                    assert own <= heard  # else nothing would be proved

    asyncio.run(check())


async def test_a_guessed_id_is_no_oracle() -> None:
    async with open_asking() as asking:
        village = Village(asking)
        for number, (place, people) in enumerate([(BENS_DM, [BEN]), (HALL, [BEN, CAT]), (CATS_DM, [CAT])]):
            await village.live(place, people, number)
        ann = Asker(ANN, ANNS_DM)
        calls = [call for call in everything(ann) if call.get("entry")]
        answers = {await asking.commands.run(call, ann) for call in calls}
        assert {answer.text for answer in answers} == {texts.UNKNOWN_ENTRY}
        assert (
            len({answer.text for answer in [await asking.commands.run(one, Asker(BEN, BENS_DM)) for one in calls]}) > 1
        )


async def test_a_wrong_place_of_the_asker_opens_no_dm() -> None:
    async with open_asking() as asking:
        village = Village(asking)
        for number in range(3):
            await village.live(BENS_DM, [BEN], number)
        intruder = Asker(ANN, BENS_DM, is_owner=True, may_manage=True)
        assert await heard_by(village, intruder) == set()
        assert await heard_by(village, replace(intruder, speaker=BEN))

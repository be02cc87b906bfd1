"""The contract of `bot.ports.Shelf`: the codes of what `readable_in` gives, the newest first, a page at a time."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from bot.domain import Place
from bot.storage.privacy.identities import SqlIdentities
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, HALL, START, Rows, event_of, trait_of

DAY = timedelta(days=1)


async def codes_of(rows: Rows, dm: Place, *, events_only: bool = False) -> list[str]:
    """What is readable in a DM of the person that it is with, by the stores that load all of it."""
    people = await rows.identities.of(dm.dm_person or "")
    found = [(one.time, f"e{one.id}") for one in await rows.events.readable_in(dm) if one.speakers & {*people}]
    if not events_only:
        known = await rows.traits.readable_in(dm, people)
        found += [(max(one.since, one.refreshed or one.since), f"t{one.id}") for one in known]
    return [code for _, code in sorted(found, key=lambda one: (one[0], len(one[1]), one[1]), reverse=True)]


@pytest.mark.parametrize("linked", [False, True])
async def test_it_lists_what_is_readable_the_newest_first(rows: Rows, linked: bool) -> None:
    for number in range(12):
        place, people = [(ANNS_DM, [ANN, AGENT]), (HALL, [ANN, BEN]), (BENS_DM, [BEN]), (HALL, [BEN])][number % 4]
        session = await rows.converse(place, people, after=number * DAY)
        await rows.event(session)
        trait = replace(trait_of(session, people[0], f"I like number {number}."), since=START + number * DAY)
        await rows.traits.apply(await rows.leased(), [trait])
    old = (await rows.traits.current(ANN.id, ANNS_DM))[0]
    await rows.traits.apply(await rows.leased(), refreshed=[(old.id, START + 30 * DAY, ())])
    [changed] = (await rows.traits.current(ANN.id, HALL))[:1]
    session = await rows.converse(HALL, [ANN, BEN], after=40 * DAY)
    new = trait_of(session, ANN, "I like none.")
    await rows.traits.apply(await rows.leased(), [new], superseded=[(changed.id, 0, START + 40 * DAY)])
    if linked:
        identities = SqlIdentities(rows.database)
        await identities.offer(ANN.id, "owl", START + DAY)
        await identities.link(BEN.id, "owl", START)
    for dm in (ANNS_DM, BENS_DM):
        for events_only in (False, True):
            wanted = await codes_of(rows, dm, events_only=events_only)
            assert len(wanted) > 3
            assert await rows.shelf.count(dm, 100, events_only=events_only) == len(wanted)
            assert await rows.shelf.count(dm, 3, events_only=events_only) == 3
            assert await rows.shelf.newest(dm, 0, 100, events_only=events_only) == wanted
            assert await rows.shelf.newest(dm, 2, 3, events_only=events_only) == wanted[2:5]
    assert f"t{changed.id}" not in await rows.shelf.newest(ANNS_DM, 0, 100)
    assert await rows.shelf.newest(ANNS_DM, 0, 1) == [f"t{old.id}"]


async def test_what_was_said_again_is_as_new_as_then(rows: Rows) -> None:
    """Whichever of two orders a trait is found by, every beginning of the list is the beginning of all of it."""
    session = await rows.converse(ANNS_DM, [ANN, AGENT])
    dice = Random(7)
    for number in range(30):
        trait = replace(trait_of(session, ANN, f"I like number {number}."), since=START + dice.randint(0, 9) * DAY)
        again = START + dice.randint(0, 15) * DAY
        refreshed = None if dice.random() < 0.5 else max(again, trait.since)
        await rows.traits.apply(await rows.leased(), [replace(trait, refreshed=refreshed)])
    wanted = await codes_of(rows, ANNS_DM)
    for most in range(1, 31):
        assert await rows.shelf.newest(ANNS_DM, 0, most) == wanted[:most]
    for first in range(0, 30, 7):
        assert await rows.shelf.newest(ANNS_DM, first, 7) == wanted[first : first + 7]


async def test_what_is_not_there_is_nothing(rows: Rows) -> None:
    assert await rows.shelf.count(ANNS_DM, 100) == 0
    assert await rows.shelf.newest(ANNS_DM, 0, 20) == []


async def test_only_some_of_what_is_readable_can_be_asked_for(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN, AGENT])
    event, trait = await rows.event(session), await rows.trait(session, ANN, "I have two dogs.")
    assert await rows.events.readable_in(ANNS_DM, [event.id, 99]) == [event]
    assert await rows.events.readable_in(ANNS_DM, []) == []
    assert await rows.events.readable_in(BENS_DM, [event.id]) == []
    assert await rows.traits.readable_in(ANNS_DM, [ANN.id], [trait.id, 99]) == [trait]
    assert await rows.traits.readable_in(ANNS_DM, [ANN.id], []) == []
    assert await rows.traits.readable_in(BENS_DM, [BEN.id, ANN.id], [trait.id]) == []


LETTERS = "aAfFiIlLsStTkKjnhwy" + "ßẞſKİŉǰẖẗẘẙẚﬀﬁﬂﬃﬄﬅﬆ" + "äÄçÇΣς%_\\'-\u0307\u02bc"
"""Letters that fold to several or to one of ASCII, those that they fold to, and what `LIKE` reads otherwise."""


async def test_what_holds_words_is_found_whatever_its_letters(rows: Rows) -> None:
    session, dice = await rows.converse(ANNS_DM, [ANN, AGENT]), Random(11)
    texts = ["".join(dice.choices(LETTERS, k=dice.randint(1, 9))) for _ in range(300)]
    texts += ["Die Straße nach Düsseldorf", "STRASSE", "ein ﬁnstrer Gang", "50 % off", "C:\\back"]
    await rows.traits.apply(await rows.leased(), [trait_of(session, ANN, text) for text in texts])
    stored = {f"t{one.id}": one.text.casefold() for one in await rows.traits.readable_in(ANNS_DM, [ANN.id])}
    assert len(stored) == len(texts)
    for text in texts:
        folded = text.casefold()
        start = dice.randrange(len(folded))
        words = folded[start : start + dice.randint(1, 4)].split()
        wanted = {code for code, known in stored.items() if all(word in known for word in words)}
        found = await rows.shelf.holding(ANNS_DM, words, len(texts), {})
        assert found is not None
        assert wanted <= {*found}, words


async def test_what_holds_no_word_is_not_looked_at_again(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN, AGENT])
    event = await rows.event(session, "Ann: We saw the Straße and the SEA.")
    [trait] = await rows.traits.apply(await rows.leased(), [trait_of(session, ANN, "I love the sea.")])
    await rows.event(await rows.converse(BENS_DM, [BEN, AGENT]), "Ben: The sea is mine.")
    both = [f"t{trait.id}", f"e{event.id}"]
    for words, found in {
        ("sea",): both,
        ("the", "sea"): both,
        ("strasse", "sea"): both[1:],
        ("straße".casefold(),): both[1:],
        ("grove",): [],
        ("sea", "grove"): [],
        (*("sea",) * 7, "grove", "beyond"): [],
    }.items():
        assert await rows.shelf.holding(ANNS_DM, words, 2, {}) == found, words
    assert await rows.shelf.holding(ANNS_DM, ["sea"], 1, {}) is None


async def test_events_that_call_others_otherwise_are_looked_at(rows: Rows) -> None:
    """They are told by the names of today, which may hold the words."""
    both = await rows.converse(HALL, [ANN, BEN])
    alone = await rows.converse(HALL, [ANN, AGENT], after=DAY)
    named = replace(event_of(both, "Ben: The sea."), names=((ANN.id, "Ann"), (BEN.id, "Ben")))
    event = await rows.events.add(named, job_id=0)
    own = replace(event_of(alone, "Ann: The sea."), names=((ANN.id, "Ann"), (AGENT.id, "Monica")))
    await rows.events.add(own, job_id=0)
    assert await rows.shelf.holding(ANNS_DM, ["benjamin"], 9, {BEN.id: "Benjamin"}) == [f"e{event.id}"]
    for as_stored in ({}, {BEN.id: "Ben"}, {"chat:9": "Benjamin"}):
        assert await rows.shelf.holding(ANNS_DM, ["benjamin"], 9, as_stored) == [], as_stored
    numbered = replace(
        event_of(await rows.converse(HALL, [ANN, BEN], after=2 * DAY), "Hm."), names=((BEN.id, "Ben (2)"),)
    )
    event = await rows.events.add(numbered, job_id=0)
    assert await rows.shelf.holding(ANNS_DM, ["benjamin"], 9, {BEN.id: "Ben"}) == []


async def test_it_knows_what_others_are_called_in_what_may_be_read(rows: Rows) -> None:
    assert await rows.shelf.called(ANNS_DM) == {}
    for days, (place, people, name) in enumerate(
        [
            (HALL, [ANN, BEN], "Benny"),
            (HALL, [BEN], "Secret"),
            (BENS_DM, [BEN, AGENT], "Dear"),
            (HALL, [ANN, BEN], "Ben"),
        ]
    ):
        said = await rows.converse(place, people, after=days * DAY)
        names = tuple(sorted({ANN.id: "Ann", BEN.id: name, AGENT.id: "Monica"}.items()))
        event = await rows.events.add(replace(event_of(said, "They met."), names=names), job_id=0)
        if days == 0:
            assert await rows.shelf.called(ANNS_DM) == {BEN.id: ["Benny"]}
    assert await rows.shelf.called(ANNS_DM) == {BEN.id: ["Benny", "Ben"]}
    assert await rows.shelf.called(BENS_DM) == {ANN.id: ["Ann"]}
    messages = [one.message_id for one in (await rows.utterances.get(event.sources))]
    await rows.erasures.erase_messages("chat", messages, START)
    assert await rows.shelf.called(ANNS_DM) == {BEN.id: ["Benny"]}, "it is gone with what was erased"

"""`/memory forget` over the real stores."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain import Call, ErasureReason, Place, PlaceKind, Selection, Speaker
from bot.texts import commands
from bot.texts import forgetting as texts
from bot.usecases.calls import decode, encode, fits
from bot.usecases.markup import bare
from bot.usecases.receipts import in_short, whole
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL, event_of
from tests.usecases.asking import in_channel, in_dm, shown
from tests.usecases.owning import Owning, button, open_owning, words

DAY = timedelta(days=1)
ANN_ELSEWHERE = Speaker("mail:7", "Ann")
ELSEWHERE_DM = Place("mail", PlaceKind.DM, "7")


async def texts_left(owning: Owning) -> list[str]:
    """What people said and is still stored."""
    found = [
        *await owning.exports.said_by([ANN.id, BEN.id, ANN_ELSEWHERE.id], limit=100),
        *await owning.exports.replies_in([ANNS_DM, BENS_DM, HALL, ELSEWHERE_DM], limit=100),
    ]
    return [one.text for one in sorted(found, key=lambda one: one.id)]


async def test_without_a_word_it_offers_what_can_be_named() -> None:
    async with open_owning() as owning:
        answer = await owning.forget()
        assert words(answer) == texts.MENU.replace("`", "")
        calls = [choice.call for choice in answer.choices[0]]
    assert [call.get("what") for call in calls] == ["last", "today", "everything"]


async def test_two_steps_show_and_then_erase_what_an_entry_was_made_of() -> None:
    async with open_owning() as owning:
        session = await owning.talk(ANNS_DM, [(ANN, "I have two dogs."), (ANN, "It rains.")], reply="Lovely *dogs*!")
        await owning.learn(session.utterances[0], "I have two dogs.")
        await owning.remember(session, "Ann has dogs.")
        answer = await owning.forget("T1")
        assert answer.private
        assert words(answer).splitlines()[:5] == [
            "This would go: 1 message of yours.",
            "> “I have two dogs.” (1 March 2026, in private)",
            "",
            "1 reply of mine would go along.",
            "1 summary and 1 trait would go, or be made again from what is left.",
        ]
        assert "10 minutes" in words(answer)
        assert len(await texts_left(owning)) == 3
        told = await owning.pressed(button(answer, texts.ERASE))
        assert told == (
            "Gone: 1 message, 1 reply, 1 summary and 1 trait."
            " I looked for it in all my files afterwards and found nothing. Receipt 1."
        )
        assert await texts_left(owning) == ["It rains."]
        assert [asked[1:] for asked in owning.eraser.asked] == [(ErasureReason.ASKED, ANN.id)]
        assert await owning.pressed(button(answer, texts.ERASE)) == texts.OVER


async def test_keeping_it_erases_nothing_and_ends_the_question() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "I row.")])
        answer = await owning.forget("last")
        assert await owning.pressed(button(answer, texts.KEEP)) == texts.KEPT
        assert await owning.pressed(button(answer, texts.ERASE)) == texts.OVER
        assert await owning.pressed(button(answer, texts.KEEP)) == texts.OVER
        assert await texts_left(owning) == ["I row."]


async def test_a_question_ends_with_its_time() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "I row.")])
        answer = await owning.forget("last")
        owning.clock.advance(timedelta(minutes=10))
        assert await owning.pressed(button(answer, texts.ERASE)) == texts.OVER
        assert await texts_left(owning) == ["I row."]


async def test_a_strangers_press_neither_confirms_nor_cancels() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "I row.")])
        answer = await owning.forget("last")
        for label in (texts.ERASE, texts.KEEP):
            assert await owning.pressed(button(answer, label), in_dm(BEN)) == texts.NOT_YOURS
        assert await texts_left(owning) == ["I row."]
        assert owning.eraser.asked == []
        assert "Gone: 1 message." in await owning.pressed(button(answer, texts.ERASE))


async def test_a_token_that_never_was_means_nothing() -> None:
    async with open_owning() as owning:
        call = Call("memory forget", (("step", "yes"), ("token", "nonsense")))
        assert (await owning.forgetting.forget(call, in_dm())).text == texts.OVER
        assert (await owning.forgetting.forget(Call("memory forget", (("step", "no"),)), in_dm())).text == texts.OVER


async def test_the_buttons_fit_and_come_back_as_they_were() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "I row.")])
        for choice in (await owning.forget("last")).choices[0]:
            assert fits(choice.call)
            assert decode(encode(choice.call)) == choice.call


async def test_files_that_take_long_are_told_as_such() -> None:
    async with open_owning() as owning:
        owning.eraser.slow = True
        await owning.talk(ANNS_DM, [(ANN, "I row.")])
        told = await owning.pressed(button(await owning.forget("last"), texts.ERASE))
        assert told == texts.REWRITING.format(id=1).replace("`", "")
        assert await texts_left(owning) == []


async def test_what_was_still_found_is_told() -> None:
    async with open_owning() as owning:
        owning.eraser.found = 2
        await owning.talk(ANNS_DM, [(ANN, "I row.")])
        told = await owning.pressed(button(await owning.forget("last"), texts.ERASE))
        assert "still found something of it in 2 places" in told
        assert "found nothing" not in told


async def test_files_that_nobody_could_look_through_are_told_as_such() -> None:
    async with open_owning() as owning:
        owning.eraser.found = None
        await owning.talk(ANNS_DM, [(ANN, "I row.")])
        told = await owning.pressed(button(await owning.forget("last"), texts.ERASE))
        assert told == f"Gone: 1 message. {texts.NOT_LOOKED_FOR} Receipt 1."
        [receipt] = await owning.erasures.receipts(ANN.id, 1)
        assert texts.NOT_LOOKED_FOR in whole(receipt)
        assert texts.SHORT_NOT_LOOKED_FOR in in_short(receipt)
        waiting = replace(receipt, done=None)
        assert texts.NOT_LOOKED_FOR not in whole(waiting)
        assert texts.SHORT_NOT_LOOKED_FOR not in in_short(waiting)


@pytest.mark.parametrize("what", ["everything", "Leeds"])
async def test_what_was_asked_while_linked_is_not_confirmed_for_somebody_else_by_now(what: str) -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "I row in Leeds.")])
        await owning.talk(ELSEWHERE_DM, [(ANN_ELSEWHERE, "Leeds is fine.")])
        await owning.link(ANN, ANN_ELSEWHERE)
        answer = await owning.forget(what)
        await owning.identities.unlink(ANN_ELSEWHERE.id)
        assert await owning.pressed(button(answer, texts.ERASE)) == texts.OVER
        assert await owning.pressed(button(answer, texts.KEEP)) == texts.OVER
        assert await texts_left(owning) == ["I row in Leeds.", "Leeds is fine."]
        assert (await owning.pressed(button(await owning.forget(what), texts.ERASE))).startswith("Gone: 1 message")
        assert await texts_left(owning) == ["Leeds is fine."]


async def test_neither_preview_nor_receipt_tells_of_others_private_talks() -> None:
    async with open_owning() as owning:
        hall = await owning.talk(HALL, [(ANN, "We strike on Friday."), (BEN, "Fine.")], reply="I see.")
        event = await owning.remember(hall, "Ann and Ben strike on Friday.")
        seen = shown(events=[event])
        private = await owning.talk(BENS_DM, [(BEN, "When is it?")], reply="On Friday.", recalled=seen)
        await owning.remember(private, "Ben asked when it is.")
        answer = words(asked := await owning.forget("strike"))
        assert "1 reply of mine would go along." in answer
        assert "1 summary would go" in answer
        assert "Gone: 1 message, 1 reply and 1 summary." in await owning.pressed(button(asked, texts.ERASE))
        assert await texts_left(owning) == ["Fine.", "When is it?"]
        [receipt] = await owning.erasures.receipts(ANN.id, 1)
        assert dict(receipt.counts) == {"utterances": 1, "replies": 1, "events": 1}


async def test_a_question_for_something_else_is_none() -> None:
    async with open_owning() as owning:
        until = owning.clock.now() + DAY
        token = await owning.confirmations.ask(ANN.id, Selection(people=(ANN.id,)), until, purpose="keep 30")
        await owning.talk(ANNS_DM, [(ANN, "I row.")])
        for step in ("yes", "no"):
            call = Call("memory forget", (("step", step), ("token", token)))
            assert (await owning.forgetting.forget(call, in_dm())).text == texts.OVER
        assert await texts_left(owning) == ["I row."]


async def test_the_last_thing_is_the_last_one_where_it_is_asked_and_not_the_request() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "In private.")])
        await owning.talk(HALL, [(ANN, "In the hall."), (BEN, "Me too.")])
        await owning.talk(ANNS_DM, [(ANN, "Please forget that.")])
        for what in ("last", "the last thing I said", "that", "what I just told you"):
            assert "In the hall." in words(await owning.forget(what))
        await owning.talk(ANNS_DM, [(ANN, "In private again."), (ANN, "Forget the last thing I said")])
        assert "In private again." in words(await owning.forget("last"))
        assert "In the hall." in words(await owning.forget("last", in_channel(ANN)))
        assert words(await owning.forget("last", in_dm(replace(BEN, id="chat:new")))) == texts.NOTHING_LAST


async def test_a_place_chooses_what_was_said_there_and_in_its_threads() -> None:
    thread = Place(HALL.platform, HALL.kind, f"{HALL.ref}/thread")
    beside = Place(HALL.platform, HALL.kind, f"{HALL.ref}way")
    async with open_owning() as owning:
        for place, text in [(ANNS_DM, "Private."), (HALL, "Hall."), (thread, "Thread."), (beside, "Hallway.")]:
            await owning.talk(place, [(ANN, text), (BEN, "And I.")] if place is HALL else [(ANN, text)])
        for what, asker in [("here", in_channel(ANN)), (HALL.key, in_dm())]:
            lines = words(await owning.forget(what, asker)).splitlines()
            quotes = [line.split("”")[0] for line in lines if line.startswith("> ")]
            assert quotes == ["> “Hall.", "> “Thread."]
        assert "1 message" in words(await owning.forget("here", in_dm()))
        assert words(await owning.forget("chat:channel:server/none")) == texts.NOTHING_THERE


async def test_nobody_erases_anothers_words() -> None:
    async with open_owning() as owning:
        hall = await owning.talk(HALL, [(ANN, "I row in Leeds."), (BEN, "I sail in Leeds.")], reply="Leeds!")
        await owning.remember(hall, "Ann: I row in Leeds. Ben: I sail in Leeds.")
        for what in ("e1", "Leeds", "today", "last"):
            owning.clock.move_to(hall.utterances[0].time)
            answer = await owning.forget(what, in_channel(ANN))
            assert "sail" not in words(answer)
            token = button(answer, texts.ERASE).call.get("token")
            found = await owning.confirmations.peek(token, owning.clock.now())
            assert found == (ANN.id, Selection(utterances=(hall.utterances[0].id,)))
        assert words(await owning.forget("everything", in_channel(ANN))).count("1 message)") == 1


async def test_an_entry_without_words_of_the_asker_is_told_apart_from_none() -> None:
    async with open_owning() as owning:
        hall = await owning.talk(HALL, [(ANN, "Hm."), (BEN, "I sail.")])
        await owning.learn(hall.utterances[1], "I sail.")
        await owning.rows.sessions.close(HALL)
        of_ben = replace(event_of(hall, "Ben sails."), sources=(hall.utterances[1].id,))
        await owning.rows.events.add(of_ben, job_id=0)
        assert (await owning.forget("e1")).text == texts.NO_WORDS_OF_YOURS.format(code="e1")
        for code in ("t1", "t99", "e99"):
            assert (await owning.forget(code)).text == commands.UNKNOWN_ENTRY


async def test_several_entries_at_once() -> None:
    async with open_owning() as owning:
        session = await owning.talk(ANNS_DM, [(ANN, "I row."), (ANN, "I sail."), (ANN, "I bake.")])
        for said in session.utterances[:2]:
            await owning.learn(said, said.text)
        answer = words(await owning.forget("t1, t2"))
    assert "2 messages" in answer
    assert "bake" not in answer


async def test_a_time_chooses_what_was_said_then() -> None:
    async with open_owning() as owning:
        for number in range(3):
            await owning.talk(ANNS_DM, [(ANN, f"Line {number}.")], after=number * DAY)
        owning.clock.move_to((await owning.exports.last_said([ANN.id], None, 1))[0].time)
        yesterday = words(await owning.forget("yesterday"))
        assert ["Line 1." in yesterday, "Line 0." in yesterday, "Line 2." in yesterday] == [True, False, False]
        assert "2 messages" in words(await owning.forget("what I said since yesterday"))
        assert words(await owning.forget("last year")) == texts.NOTHING_THEN


async def test_words_choose_what_holds_them_in_any_form_and_what_traits_with_them_come_from() -> None:
    async with open_owning() as owning:
        session = await owning.talk(
            ANNS_DM,
            [(ANN, "My jobs bore me."), (ANN, "St Mary's pays well."), (ANN, "I have a dog."), (ANN, "forget my job")],
        )
        await owning.learn(session.utterances[1], "I have a job at St Mary's.")
        answer = words(await owning.forget("what I told you about my job"))
    quotes = [line for line in answer.splitlines() if line.startswith("> ")]
    assert [quote.split("”")[0] for quote in quotes] == [
        "> “My jobs bore me.",
        "> “St Mary's pays well.",
        "> “forget my job",
    ]


async def test_what_is_only_close_is_offered_and_not_chosen() -> None:
    async with open_owning() as owning:
        session = await owning.talk(ANNS_DM, [(ANN, "Rex my dog is old."), (ANN, "I bake bread.")])
        for text in ("My dog Rex barks.", "I bake."):
            await owning.learn(session.utterances[text == "I bake."], text)
        answer = await owning.forget("my dog Rex sleeps")
        assert words(answer).splitlines()[0] == texts.FOUND_CLOSE.format(words="my dog Rex sleeps")
        assert [choice.label for row in answer.choices for choice in row] == ["t1"]
        assert "Rex my dog is old." in words(await owning.forget(button(answer, "t1").call.get("what")))
        nothing = await owning.forget("piano")
        assert words(nothing) == "I find nothing about “piano” in what you said."
        assert nothing.choices == ()


async def test_the_request_alone_is_nothing_to_erase() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "Please forget what I told you about my piano.")])
        assert words(await owning.forget("my piano")) == "I find nothing about “my piano” in what you said."


async def test_many_messages_are_cut_and_counted() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, f"Lemon {number} " + "x" * 300) for number in range(11)])
        answer = words(await owning.forget("lemon"))
    quotes = [line for line in answer.splitlines() if line.startswith("> ")]
    assert len(quotes) == 9
    assert quotes[-1] == "> … and 3 more"
    assert max(map(len, quotes)) < 260


async def test_everything_is_all_identities_and_leaves_nothing() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "One.")], reply="Two.")
        await owning.talk(ELSEWHERE_DM, [(ANN_ELSEWHERE, "Three.")])
        await owning.talk(HALL, [(BEN, "Four.")])
        await owning.link(ANN, ANN_ELSEWHERE)
        answer = await owning.forget("Everything")
        assert "all that you ever said to me or near me (2 messages)" in words(answer)
        assert "30 days" in words(answer)
        assert button(answer, texts.EXPORT_FIRST).call == Call("memory export")
        token = button(answer, texts.ERASE).call.get("token")
        found = await owning.confirmations.peek(token, owning.clock.now())
        assert found == (ANN.id, Selection(people=(ANN.id, ANN_ELSEWHERE.id)))
        assert texts.OTHERS_STAY in answer.text
        said = await owning.pressed(button(answer, texts.ERASE))
        assert said.startswith("Gone: 2 messages")
        assert bare(texts.OTHERS_STAY) in bare(said)
        assert await texts_left(owning) == ["Four."]


async def test_a_linked_identity_confirms_and_its_words_are_found() -> None:
    async with open_owning() as owning:
        await owning.talk(ANNS_DM, [(ANN, "I row in Leeds.")])
        await owning.talk(ELSEWHERE_DM, [(ANN_ELSEWHERE, "Leeds is fine.")])
        await owning.link(ANN, ANN_ELSEWHERE)
        answer = await owning.forget("Leeds")
        assert "2 messages" in words(answer)
        other = in_dm(ANN_ELSEWHERE)
        other = replace(other, place=ELSEWHERE_DM)
        assert (await owning.pressed(button(answer, texts.ERASE), other)).startswith("Gone: 2 messages")


async def test_a_superseded_trait_can_still_be_erased() -> None:
    async with open_owning() as owning:
        session = await owning.talk(ANNS_DM, [(ANN, "I live in Rome.")])
        await owning.learn(session.utterances[0], "I live in Rome.")
        await owning.correcting.correct(Call("", (("entry", "t1"), ("words", "I live in Oslo."))), in_dm())
        answer = await owning.forget("t1")
        assert "I live in Rome." in words(answer)
        await owning.pressed(button(answer, texts.ERASE))
        assert [entry.text for entry in await owning.memories.known(in_dm())] == ["I live in Oslo."]


async def test_a_fact_is_forgotten_with_what_was_true_before_it() -> None:
    async with open_owning() as owning:
        session = await owning.talk(ANNS_DM, [(ANN, "I live in Rome.")])
        await owning.learn(session.utterances[0], "I live in Rome.")
        await owning.correcting.correct(Call("", (("entry", "t1"), ("words", "I live in Oslo."))), in_dm())
        answer = await owning.forget("t2")
        assert texts.FORMER_TOO.format(values="1 former value") in answer.text
        assert "I live in Rome." in words(answer)
        await owning.pressed(button(answer, texts.ERASE))
        assert await owning.memories.known(in_dm()) == []
        assert await owning.exports.traits_of([ANN.id]) == []


@pytest.mark.parametrize("name", ["*bold*", "[link](x)"])
async def test_words_of_people_are_shown_as_they_are(name: str) -> None:
    async with open_owning() as owning:
        await owning.talk(HALL, [(ANN, f"I like {name}.")], name=f"#{name}")
        answer = words(await owning.forget("last", in_channel(ANN)))
    assert f"> “I like {name}.” (1 March 2026, in #{name})" in answer


async def test_what_can_be_named_is_suggested() -> None:
    async with open_owning() as owning:
        session = await owning.talk(ANNS_DM, [(ANN, "I row.")])
        await owning.learn(session.utterances[0], "I row today.")
        suggested = [value for _, value in await owning.forgetting.suggest("", in_dm())]
        assert suggested == ["last", "today", "everything", "t1"]
        assert [value for _, value in await owning.forgetting.suggest("TODAY", in_dm())] == ["today", "t1"]


async def test_a_why_about_recalled_memories_of_a_linked_dm_shows_them() -> None:
    async with open_owning() as owning:
        first = await owning.talk(ELSEWHERE_DM, [(ANN_ELSEWHERE, "I row.")])
        trait = await owning.learn(first.utterances[0], "I row.")
        await owning.link(ANN, ANN_ELSEWHERE)
        await owning.talk(ANNS_DM, [(ANN, "Hello.")], reply="You row!", recalled=shown(traits=[trait]))
        why = words(await owning.memories.why(Call("memory why"), in_dm()))
    assert "“I row.” (you, 1 March 2026)" in why

"""What is answered in words of ours whatever a small model would say."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.conversation.fixed_answers import (
    ASK_DOCTOR,
    ASK_MECHANIC,
    EMERGENCY,
    GOOD_ENGLISH,
    IDLE,
    NEVER_BORED,
    NOT_KEPT,
    PROMISE,
    SEE_DOCTOR,
    SEES,
    fixed_answer,
)
from bot.conversation.own_words import Known
from bot.conversation.situations import Situation, situation_of
from bot.conversation.told import Told


def of(line: str, *, kept: bool = True, language: str = "en") -> str:
    known = Known(situation_of(line, (), language), line, "ann", {}, None, (), None, (), language)
    return fixed_answer(known, kept=kept)


def test_who_is_sorry_for_their_english_is_told_that_it_is_good() -> None:
    known = Known(Situation.TALK, "sorry for my english, i am from Poland", "ann", {}, None, (), None, (), "en")
    assert fixed_answer(known, kept=True) == GOOD_ENGLISH
    assert fixed_answer(replace(known, said=(GOOD_ENGLISH,)), kept=True) == ""
    assert fixed_answer(replace(known, latest="Sorry about my bad English."), kept=True) == GOOD_ENGLISH
    for more in (
        "sorry for my brother, he is English",
        "Sorry for my bad English. My baby does not breathe good",
        "sorry for my english, he beats the children",
        "sorry for my english, my mother dies soon",
    ):
        assert fixed_answer(replace(known, latest=more), kept=True) == ""


@pytest.mark.parametrize(
    "line",
    [
        "its my lolas birthday on the 14th, shes turning 78. can you remember that for me",
        "All right. I would like it if you remembered her name. Jean.",
        "could you please remember it",
        "pls don't forget that",
        "ok remember this, my favorite number is 47",
        "ok, remember this then: my dog is called Feijão and he is 4 months old",
        "hey remember this. my favourite colour is green",
    ],
)
def test_what_is_to_be_remembered_is_promised_where_it_is_kept(line: str) -> None:
    assert of(line) == PROMISE
    assert of(line, kept=False) == ""


@pytest.mark.parametrize(
    "line",
    [
        "can you remember that time we talked about cats?",
        "I would like you to remember that day with me",
        "remember that film with the dog?",
        "do you remember that?",
        "I can't remember it",
        "please don't forget that he hit me",
        "he hits me, can you remember that for me",
        "my mum can't remember her name",
        "whats my sons name, can you remember it?",
        "i told you about my sister, can you remember her for me?",
        "remember this: my brother is dying, and I am alone",
        "remember this: my life is over",
        "remember this: my cancer is back",
        "remember this: i love you all",
        "remember this, my pin is 4421",
        "why would you remember that?",
        "remember that?",
        "Please remember that for me",  # may be a farewell to the second look
        "my nan passed away on sunday. can you remember her please",
        "I want to die. can you remember that for me",
    ],
)
def test_what_is_not_asked_for_is_not_promised(line: str) -> None:
    assert of(line) == ""


def test_who_is_off_the_record_is_not_told_that_their_words_are_kept() -> None:
    assert of("Do you remember things if I close the computer?", kept=False) == NOT_KEPT
    assert of("Do you remember things if I close the computer?") == ""


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("can you see what else is on my computer", True),
        ("can u see wat else is open on this computer?", True),
        ("wait, so can you see my screen please", True),
        ("are you watching me through my camera?", True),
        ("can you hear me through my microphone", True),
        ("can you read my other messages", True),
        ("do you have access to my camera?", True),
        ("can you hear me?", False),
        ("can you see me :(", False),
        ("do you really hear me", False),
        ("can you see my point", False),
        ("can you hear how tired I am", False),
        ("can you read my poem", False),
        ("can you see what he did to my computer", False),
    ],
)
def test_what_it_sees_of_them_is_told(line: str, *, asks: bool) -> None:
    assert (of(line) == SEES) is asks


def test_what_it_sees_is_told_once() -> None:
    asked = Known(Situation.QUESTION, "can you see my screen?", "ann", {}, None, (), None, (SEES,), "en")
    assert fixed_answer(asked, kept=True) == ""


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("had some chest pain last week. went away after a while", "en"),
        ("my husband has a pain in his chest since lunch", "en"),
        ("my chest feels really tight today", "en"),
        ("my chest hurts, I almost passed out", "en"),
        ("my chest hurts. my dad died of a heart attack", "en"),
        ("I can't breathe and my chest hurts so bad, my cat is with me", "en"),
        ("ich hab seit gestern so ein Stechen in der Brust", "de"),
        ("me duele el pecho desde anoche", "es"),
        ("j'ai mal à la poitrine depuis ce matin", "fr"),
        ("ho un dolore al petto da ieri", "it"),
        ("estou com dor no peito", "pt"),
        ("ik heb pijn op mijn borst", "nl"),
    ],
)
def test_who_tells_of_chest_pain_is_sent_to_a_doctor_once(line: str, language: str) -> None:
    assert of(line, language=language) == SEE_DOCTOR[language]
    known = Known(Situation.HARD, line, "ann", {}, None, (), None, (SEE_DOCTOR[language],), language)
    assert fixed_answer(known, kept=True) == ""


def test_a_numb_arm_is_such_a_sign_beside_a_chest_alone() -> None:
    chest = Told("ann", "had some chest pain last week", datetime(2026, 3, 2, tzinfo=UTC), fresh=True, utterance=1)
    known = Known(Situation.TALK, "my arm felt funny, maybe 10 minutes", "ann", {}, None, (), None, (), "en")
    assert fixed_answer(known, kept=True) == ""
    assert fixed_answer(replace(known, told=(chest,)), kept=True) == SEE_DOCTOR["en"]
    assert fixed_answer(replace(known, told=(replace(chest, speaker_id="bob"),)), kept=True) == ""


@pytest.mark.parametrize(
    "line",
    [
        "chest pain from laughing so hard",
        "did bench press, my chest hurts",
        "my dad had chest pains before he died",
        "a pain in my heart, we broke up",
        "no chest pains, the doctor says everything is fine",
        "what are symptoms of chest pain?",
        "my baby fell asleep with her weight on my chest",
        "my chest feels heavy since you left",
    ],
)
def test_what_has_another_cause_is_no_sign(line: str) -> None:
    assert of(line) == ""


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("do you know if it's ok to take ibuprofen every day?", ASK_DOCTOR),
        ("How long before most people can drive again after a knee?", ASK_DOCTOR),
        ("How long can you drive on bad brakes realistically", ASK_MECHANIC),
        ("do you remember what pills my dad takes?", ""),
        ("should I bring flowers to the hospital?", ""),
        ("can you drive a truck?", ""),
        ("can i draw on my tablet", ""),
        ("how many stitches should i cast on", ""),
        ("can you wish me luck for my surgery", ""),
        ("can we watch Saturday Night Fever", ""),
        ("how many brakes does a bike have", ""),
        ("my son swallowed bleach what do i do", EMERGENCY),
        ("my baby has a fever of 40 and won't wake up what should i do", EMERGENCY),
    ],
)
def test_nobody_guesses_where_health_hangs_on_it(line: str, answer: str) -> None:
    assert of(line) == answer


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("what do you do when nobody is talking to you", IDLE),
        ("OK. What do you do all day anyway", IDLE),
        ("do u ever get bored", NEVER_BORED),
        ("what do you do?", ""),
        ("do you get bored of me", ""),
        ("do you ever feel lonely?", ""),
        ("what do you do when nobody loves you", ""),
    ],
)
def test_what_it_does_in_between_is_not_made_up(line: str, answer: str) -> None:
    assert of(line) == answer

"""Which sentence ends which, in seven languages: each rule's example and counter-example, and what must stay."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.language.facts import LANGUAGES, ended, facts_in, words_of_facts

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
BEFORE = NOW - timedelta(days=30)

RULES = [(code, rule) for code in LANGUAGES for rule in words_of_facts(code).rules]


@pytest.mark.parametrize(("code", "rule"), RULES, ids=[f"{code} {rule.example}" for code, rule in RULES])
def test_a_rule_hears_its_example_and_not_its_counter_example(code: str, rule: object) -> None:
    example, counter = str(getattr(rule, "example", "")), str(getattr(rule, "counter", ""))
    slot, change = getattr(rule, "slot", ""), getattr(rule, "change", False)
    heard = [fact for fact in facts_in(example) if fact.slot == slot]
    assert [fact.change for fact in heard] == [change], example
    assert not [fact for fact in facts_in(counter) if fact.slot == slot], counter


def ends(new: str, *known: str) -> list[str]:
    return [known[place] for place in ended(new, NOW, [(one, BEFORE) for one in known])]


ENDING = [
    ("I moved to Graz.", "I live in Utrecht."),
    ("I quit, now I bake bread.", "I work as a librarian."),
    ("I started a new job as a baker.", "I work at the library."),
    ("My son turned seven.", "My son is six."),
    ("He turned seven.", "My son is six."),
    ("My cat is called Nixel, not Pixel.", "My cat is called Pixel."),
    ("We renamed our cat Momo.", "I have a cat called Pixel."),
    ("Tom and I broke up.", "I have a boyfriend."),
    ("I turned 35 today!", "I am 34 years old."),
    ("Ich bin nach Graz gezogen.", "Ich wohne in Utrecht."),
    ("Ich habe gekündigt.", "Ich arbeite als Bibliothekarin."),
    ("Er ist sieben geworden.", "Mein Sohn ist sechs."),
    ("Wir haben uns getrennt.", "Ich habe einen Freund."),
    ("Me mudé a Graz.", "Vivo en Utrecht."),
    ("Dejé mi trabajo.", "Trabajo como bibliotecaria."),
    ("Ha cumplido siete.", "Mi hijo tiene seis años."),
    ("Hemos roto.", "Tengo novio."),
    ("J'ai déménagé à Graz.", "J'habite à Utrecht."),
    ("J'ai démissionné.", "Je travaille comme bibliothécaire."),
    ("Il a eu sept ans.", "Mon fils a six ans."),
    ("On s'est séparés.", "J'ai un copain."),
    ("Mi sono trasferita a Graz.", "Vivo a Utrecht."),
    ("Mi sono licenziata.", "Lavoro come bibliotecaria."),
    ("Mio figlio ha compiuto sette anni.", "Mio figlio ha sei anni."),
    ("Ci siamo lasciati.", "Ho il ragazzo."),
    ("Eu me mudei para Graz.", "Moro em Utrecht."),
    ("Pedi demissão.", "Trabalho como bibliotecária."),
    ("Meu filho fez sete anos.", "Meu filho tem seis anos."),
    ("Nós nos separamos.", "Tenho um namorado."),
    ("Ik ben naar Graz verhuisd.", "Ik woon in Utrecht."),
    ("Ik heb ontslag genomen.", "Ik werk als bibliothecaris."),
    ("Mijn zoon is zeven geworden.", "Mijn zoon is zes."),
    ("We zijn uit elkaar.", "Ik heb een vriend."),
]


@pytest.mark.parametrize(("new", "old"), ENDING)
def test_a_later_value_ends_the_earlier_one(new: str, old: str) -> None:
    assert ends(new, old) == [old]


STAYING = [
    ("I moved to Graz when I was six.", "I live in Utrecht."),
    ("I want to move to Graz.", "I live in Utrecht."),
    ("My sister moved to Graz.", "I live in Utrecht."),
    ("I live in Utrecht.", "I live in Utrecht, Netherlands."),
    ("I live in a small flat.", "I live in Utrecht."),
    ("I moved to Graz.", "I live in Utrecht and I have two cats that I love."),
    ("My cat is called Momo.", "My cat is called Pixel."),
    ("I have a cat called Momo.", "I have a cat called Pixel."),
    ("My sister Ada turned seven.", "My sister Mia is six."),
    ("He turned seven.", "My son is three."),
    ("My daughter is nine.", "My daughter is six."),
    ("I also work as a barista.", "I work as a nurse."),
    ("I quit smoking.", "I work as a nurse."),
    ("I started my new job yesterday.", "I have a new job as a life coach."),
    ("I work at Ikea right now.", "I work at Ikea."),
    ("I read a lot since I retired.", "I'm retired at 62."),
    ("I am currently working as a cook.", "My very first job was in a bakery."),
    ("My parents broke up.", "I have a boyfriend."),
    ("Did I quit my job?", "I work as a nurse."),
    ("If I moved to Graz I would be happy.", "I live in Utrecht."),
    ("Tom and I broke up.", "My boyfriend is called Ben."),
    ("Ich bin als Kind nach Graz gezogen.", "Ich wohne in Utrecht."),
    ("Ich wohne in einer WG.", "Ich wohne in Utrecht."),
    ("Meine Katze heißt Momo.", "Meine Katze heißt Pixel."),
    ("Mi gata se llama Momo.", "Mi gata se llama Pixel."),
    ("Quiero mudarme a Graz.", "Vivo en Utrecht."),
    ("J'ai un chat qui s'appelle Momo.", "J'ai un chat qui s'appelle Pixel."),
    ("Da bambina mi sono trasferita a Graz.", "Vivo a Utrecht."),
    ("Minha gata se chama Momo.", "Minha gata se chama Pixel."),
    ("Mijn kat heet Momo.", "Mijn kat heet Pixel."),
]


@pytest.mark.parametrize(("new", "old"), STAYING)
def test_what_still_holds_stays(new: str, old: str) -> None:
    assert ends(new, old) == []


def test_he_is_nobody_where_there_are_two() -> None:
    assert ends("He turned seven.", "My son is six.", "My nephew is six.") == []

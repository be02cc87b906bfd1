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
    ("I moved from Utrecht to Ghent", "I live in Utrecht."),
    ("I'm living in York these days", "I live in Leeds."),
    ("I quit, now I bake", "I work as a librarian."),
    ("I'm not a librarian any more, I bake bread now", "I work as a librarian."),
    ("Handed in my notice today", "I work as a nurse."),
    ("I'm a baker now", "I work as a nurse."),
    ("I got fired from Tesco", "I work at Tesco."),
    ("I retired last week", "I'm a teacher."),
    ("I've switched careers, I'm a gardener now", "I'm a teacher."),
    ("he turned seven", "My son is six."),
    ("My son just turned 7!", "My son is six."),
    ("Leo is seven now", "My son Leo is six."),
    ("Leo turned seven today", "My son Leo is six."),
    ("It's my birthday, I'm 35 today", "I'm 34."),
    ("Actually Nixel, not Pixel", "My cat is called Pixel."),
    ("Her name is Nixel, not Pixel", "My cat is called Pixel."),
    ("it's Nixel with an N, not Pixel", "My cat is called Pixel."),
    ("My cat's name is actually Nixel", "My cat's name is Pixel."),
    ("Tom and I split up", "I have a boyfriend."),
    ("I broke up with Tom", "My boyfriend is called Tom."),
    ("We got divorced last month", "I'm married."),
    ("I got engaged!!", "I'm single."),
    ("I've met someone, we're together now", "I'm single."),
    ("Ich bin von Utrecht nach Gent gezogen", "Ich wohne in Utrecht."),
    ("Wir sind umgezogen, wohnen jetzt in Bonn", "Ich wohne in Köln."),
    ("bin nach Bonn gezogen", "Ich wohne in Köln."),
    ("Ich hab gekündigt, jetzt backe ich", "Ich arbeite als Lehrerin."),
    ("Ich bin keine Lehrerin mehr", "Ich bin Lehrerin."),
    ("Ich arbeite nicht mehr bei Aldi", "Ich arbeite bei Aldi."),
    ("er ist sieben geworden", "Mein Sohn ist sechs."),
    ("Mein Sohn ist jetzt sieben", "Mein Sohn ist sechs."),
    ("Eigentlich heißt sie Nixel, nicht Pixel", "Meine Katze heißt Pixel."),
    ("Nixel, nicht Pixel", "Meine Katze heißt Pixel."),
    ("Tom und ich haben Schluss gemacht", "Ich habe einen Freund."),
    ("Ich hab mich verlobt!", "Ich bin Single."),
    ("Me he mudado de Utrecht a Gante", "Vivo en Utrecht."),
    ("Ya no vivo en Madrid, ahora vivo en Cádiz", "Vivo en Madrid."),
    ("Dejé el trabajo, ahora hago pan", "Trabajo como enfermera."),
    ("Ya no soy profesora", "Soy profesora."),
    ("cumplió siete", "Mi hijo tiene seis años."),
    ("Mi hijo ya tiene siete años", "Mi hijo tiene seis años."),
    ("En realidad es Nixel, no Pixel", "Mi gata se llama Pixel."),
    ("se llama Nixel, no Pixel", "Mi gata se llama Pixel."),
    ("Mi novio y yo hemos roto", "Tengo novio."),
    ("J'ai déménagé d'Utrecht à Gand", "J'habite à Utrecht."),
    ("on vient de déménager à Brest", "J'habite à Lyon."),
    ("Maintenant je vis à Brest", "J'habite à Lyon."),
    ("J'ai quitté mon travail, maintenant je fais du pain", "Je travaille comme infirmière."),
    ("Je ne suis plus prof", "Je suis prof."),
    ("il vient d'avoir sept ans", "Mon fils a six ans."),
    ("Mon fils a eu 7 ans hier", "Mon fils a six ans."),
    ("En fait c'est Nixel, pas Pixel", "Mon chat s'appelle Pixel."),
    ("Avec mon copain c'est fini", "J'ai un copain."),
    ("Mi sono trasferito da Utrecht a Gand", "Vivo a Utrecht."),
    ("Ora abito a Torino", "Abito a Roma."),
    ("Ho lasciato il lavoro, ora faccio il pane", "Lavoro come infermiera."),
    ("Non sono più insegnante", "Sono insegnante."),
    ("ne ha compiuti sette", "Mio figlio ha sei anni."),
    ("ha compiuto sette anni", "Mio figlio ha sei anni."),
    ("In realtà si chiama Nixel, non Pixel", "La mia gatta si chiama Pixel."),
    ("Io e il mio ragazzo ci siamo lasciati", "Ho un ragazzo."),
    ("Me mudei de Utrecht para Gante", "Moro em Utrecht."),
    ("Agora moro no Porto", "Moro em Lisboa."),
    ("Larguei o emprego, agora faço pão", "Trabalho como enfermeira."),
    ("Não sou mais professora", "Sou professora."),
    ("ele fez sete anos", "Meu filho tem seis anos."),
    ("Na verdade é Nixel, não Pixel", "Minha gata se chama Pixel."),
    ("Terminei com meu namorado", "Tenho namorado."),
    ("Ik ben van Utrecht naar Gent verhuisd", "Ik woon in Utrecht."),
    ("we wonen nu in Gent", "Ik woon in Utrecht."),
    ("Ik heb ontslag genomen, nu bak ik brood", "Ik werk als verpleegkundige."),
    ("Ik ben geen lerares meer", "Ik ben lerares."),
    ("hij is zeven geworden", "Mijn zoon is zes."),
    ("Mijn zoon werd gisteren zeven", "Mijn zoon is zes."),
    ("Eigenlijk Nixel, niet Pixel", "Mijn kat heet Pixel."),
    ("Het is uit met mijn vriend", "Ik heb een vriend."),
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
    ("Leo turned seven.", "My son is six."),
    ("I'm not a nurse any more.", "I work as a baker."),
    ("Ich bin keine Lehrerin mehr.", "Ich arbeite als Bäckerin."),
    ("Tea, not coffee.", "My cat is called Pixel."),
    ("I'm turning 35 next week", "I am 34 years old."),
    ("I also have a cat called Momo", "My dog is called Rex."),
    ("My sister moved to York", "I live in Leeds."),
    ("I might move to York", "I live in Leeds."),
    ("I'm visiting York", "I live in Leeds."),
    ("My brother quit his job", "I work as a nurse."),
    ("Meine Schwester ist nach Bonn gezogen", "Ich wohne in Köln."),
    ("Mi hermana se mudó a Cádiz", "Vivo en Madrid."),
    ("Ma sœur et son copain se sont séparés", "J'ai un copain."),
    ("Vorrei trasferirmi a Torino", "Vivo a Roma."),
    ("Minha irmã se mudou para o Porto", "Moro em Lisboa."),
    ("Mijn broer is naar Gent verhuisd", "Ik woon in Utrecht."),
]


@pytest.mark.parametrize(("new", "old"), STAYING)
def test_what_still_holds_stays(new: str, old: str) -> None:
    assert ends(new, old) == []


def test_he_is_nobody_where_there_are_two() -> None:
    assert ends("He turned seven.", "My son is six.", "My nephew is six.") == []

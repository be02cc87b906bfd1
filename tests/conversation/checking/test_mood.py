"""Sad and good news."""

import pytest

from bot.conversation.checking import Mood, mood_of

SAD = """
my grandma died on sunday
Tom left me last night.
i got fired today
I feel so lonely lately
we had to put our dog down
I was diagnosed with diabetes today
my boss yelled at me in front of everyone
Meine Oma ist gestern gestorben.
er hat mich verlassen
ich bin so einsam
mi abuelo murió anoche
estoy muy triste hoy
mon père est mort hier
ma grand-mère est à l'hôpital
è morta mia nonna
mi ha lasciata ieri sera
meu avô morreu ontem
estou muito triste
mijn opa is gisteren overleden
ik ben ontslagen vandaag
"""
GLAD = """
I got the job!!!
I passed my driving test!
we're having a baby!!
she said yes
we won the cup final
Ich habe die Prüfung bestanden!
ich bin so glücklich heute
¡conseguí el trabajo!
j'ai eu mon permis !
ho superato l'esame!
consegui o emprego!
ik ben geslaagd voor mijn examen
"""
NEITHER = """
hey
what is my cat called?
my phone died
i lost ten pounds since may
that film about the funeral director was fun
i'm dying to see the new one
nobody died, don't worry
Did your dog die?
wie geht es dir
hola, ¿qué tal?
"""


@pytest.mark.parametrize("text", SAD.strip().splitlines())
def test_what_a_friend_would_comfort(text: str) -> None:
    assert mood_of(text) is Mood.SAD


@pytest.mark.parametrize("text", GLAD.strip().splitlines())
def test_what_a_friend_would_be_glad_about(text: str) -> None:
    assert mood_of(text) is Mood.GLAD


@pytest.mark.parametrize("text", NEITHER.strip().splitlines())
def test_what_is_neither(text: str) -> None:
    assert mood_of(text) is None

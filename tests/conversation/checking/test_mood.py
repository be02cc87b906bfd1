"""Sad and good news."""

import pytest

from bot.conversation.checking.mood import Mood, mild_mood_of, mood_of, moved_in

SAD = """
my grandma died on sunday
Tom left me last night.
i got fired today
I feel so lonely lately
i feel so alone since i moved here
hi its Tam, had a horrid day
feeling kinda low
my cat is missing
my wife passed in April
she would have been 70 today
i've never felt so low
i feel so alone sometimes
feeling really low this morning
my brother has been missing for two days
the vet found something on her spleen
lost three lambs overnight
she might not make it thru
Minka is missing since 3 days
we had to put our dog down
I was diagnosed with diabetes today
my boss yelled at me in front of everyone
My wife Noreen went into Corumbene a fortnight ago. It's the dementia.
mum went into a care home on friday
we moved mum to a nursing home last week
gran is in a care home now
mum's gone into a care home
dad has early onset dementia
mijn oma is dement
meine oma hat demenz
mi abuela tiene alzheimer
ma mère est entrée en ehpad
mio nonno ha l'alzheimer
meu avô tem demência
oma ging naar een verpleeghuis
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
I work with dementia patients
my mum has no dementia
its dementia friendly, the cafe
my sister moved to the hospice as a nurse
my class went to the nursing home and we sang carols
meine Schwester ist Pflegerin im Altenheim
trabajo de enfermera en cuidados paliativos
ma soeur est infirmière en ehpad
ele foi para um lar feliz
hij is kok in een verpleeghuis
i work in a nursing home
ich arbeite im pflegeheim
trabajo en una residencia
he went into nursing after school
hey
what is my cat called?
my phone died
i lost ten pounds since may
that film about the funeral director was fun
i'm dying to see the new one
nobody died, don't worry
sorry i've been missing for a few days
i don't feel down anymore
feeling low-key excited
i think my dog is missing his brother
i found a lump of coal
that would have been fun
it would have been nice to see you
my dog is missing two teeth
the remote is missing since yesterday
it won't make it through customs
i feel blue and white would suit the hall
she might not make it through the door with that
I cried in the parking lot lol. it was just such a relief
i was crying with laughter
i miss my own room and my mum's rye bread lol
ich hab geweint vor Erleichterung
lloré de alegría cuando lo supe
j'ai pleuré de joie
ho pianto di gioia
chorei de alegria
ik heb gehuild van geluk
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


HARD = """
my knee is killing me
everything is going wrong this week
they shouted at me again
i'm so worried about the rent
hab schon wieder Kopfschmerzen
wir hatten gestern Streit
estoy muy agobiada con todo
j'en peux plus de ce boulot
non ce la faccio più
tive um dia muito difícil
ik heb slecht geslapen
again no seat on the train 😩
"""
NICE = """
the concert was amazing
finally found my ring
six months sober on sunday
ich freue mich so auf den Urlaub
me encanta mi nueva bici
j'ai hâte de la voir
non vedo l'ora di partire
mal posso esperar pelo fim de semana
we hebben er zo zin in
our first tomato 😍
"""
NEITHER_MILDLY = """
we went to the market
the concert was amazing but i lost my keys
is your knee still bad?
ich fahre morgen nach Kassel
it is cold outside
je vais chez ma tante
"""


@pytest.mark.parametrize("text", HARD.strip().splitlines())
def test_a_trouble_of_any_day(text: str) -> None:
    assert mild_mood_of(text) is Mood.SAD


@pytest.mark.parametrize("text", NICE.strip().splitlines())
def test_a_joy_of_any_day(text: str) -> None:
    assert mild_mood_of(text) is Mood.GLAD


@pytest.mark.parametrize("text", NEITHER_MILDLY.strip().splitlines())
def test_what_is_neither_trouble_nor_joy(text: str) -> None:
    assert mild_mood_of(text) is None


def test_the_language_that_a_short_line_is_sad_or_glad_in() -> None:
    assert moved_in("tô grávida 😍") == ("pt",)
    assert "de" in moved_in("ich werd oma")
    assert moved_in("we went to the market") == ()

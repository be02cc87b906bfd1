"""By which names people call themselves, and are called."""

import pytest

from bot.conversation.checking.naming import (
    called_otherwise,
    greets_nobody,
    misnames,
    name_said,
    tells_of_them,
    without_account_name,
)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("my name's alan", "Alan"),
        ("Hi, I'm Josh, I stay home", "Josh"),
        ("I'm Irish, we talk like that", ""),
        ("hi", ""),
        ("Ok I'm Hui Min, 20, second year", "Hui Min"),
        ("I'm Canadian, 45", ""),
        ("Good evening Monica. Arthur Pybus is my name.", "Arthur Pybus"),
        ("Well Monica. Declan here. I'm a locksmith.", "Declan"),
        ("I'm Philippa. I work three days a week in a library", "Philippa"),
        ("I'm Thandeka by the way", "Thandeka"),
        ("Good evening. Name's Alec. My daughter thought so.", "Alec"),
        ("I'm Catholic. I go on Sundays.", ""),
        ("Hello, never done this before. I'm Sheila", "Sheila"),
        ("my cousin says I'm Great", ""),
        ("I'm Pakistani.", ""),
        ("Hi, I'm Kim, a nurse", "Kim"),
        ("Hello. I'm Trish.", "Trish"),
        ("New boss, name's Karen.", ""),
        ("My cat. Name is Pixel.", ""),
        ("Biscuit is my name for the dog", ""),
        ("I work nights. I'm Starving.", ""),
        ("Christmas here!", ""),
        ("so quiet here", ""),
        ("Quiet here", ""),
        ("What is my name?", ""),
        ("Rex is my name for him, what's yours?", ""),
        ("I'm Retired, 67", ""),
        ("I'm Home from work", ""),
        ("Hi, I'm Ryan, a plumber", "Ryan"),
        ("The dog's name is Rex.", ""),
        ("Hello Monica, I'm Nazeema. I teach Grade 3.", "Nazeema"),
        ("I'm Irish, from Cork", ""),
        ("im tired, 14 hours today", ""),
        ("im single, 32", ""),
        ("im bipolar, 25", ""),
        ("im homeless, 45", ""),
        ("I'm Leaving, he hit me", ""),
        ("I'm Marcus, but people call me Mac", ""),
        ("I'm Fine, thanks", ""),
    ],
)
def test_a_name_is_what_somebody_says_that_they_are(line: str, name: str) -> None:
    assert name_said(line) == name


@pytest.mark.parametrize(
    ("reply", "lines", "otherwise"),
    [
        ("Good night, Ruby. Sleep well.", ["Hiya, I'm Kirsty", "Ruby is nearly 3"], True),
        ("Good night, Kirsty!", ["Hiya, I'm Kirsty", "Ruby is nearly 3"], False),
        ("Hello, Grandson!", ["Hello Monica. My grandson put this on my tablet."], True),
        ("Hi Ron!", ["Hi there. Ron here, from Hamilton."], False),
        ("Hi Grace!", ["Hi Monica, this is Grace from Nairobi"], False),
        ("Hi Liam!", ["liam", "so hot today"], False),
        ("Good night, Robin.", ["Robin is my robot"], False),
        ("Hi there!", ["there is a cat"], False),
        ("Good night, Susan!", ["I'm Susan."], False),
        ("Hi Ben!", ["i'm ben and i live in york"], False),
        ("Hi Ruby!", ["they call me Ruby"], False),
        ("Hi Priya!", ["fair lol. mine's Priya btw"], False),
        ("Hi there! Good night, Ruby.", ["Ruby is nearly 3"], True),
        ("I'm sorry, Eirlys.", ["Evening, I'm Gwilym.", "Sister's gone in the hospice. Eirlys"], True),
        ("I'm sorry, Gwilym.", ["Evening, I'm Gwilym.", "Sister's gone in the hospice."], False),
        ("Good night, Sam.", ["off to bed"], False),
    ],
)
def test_nobody_is_greeted_by_anothers_name(reply: str, lines: list[str], *, otherwise: bool) -> None:
    assert called_otherwise(reply, "Robin", lines) is otherwise


@pytest.mark.parametrize(
    ("reply", "lines", "misnamed"),
    [
        ("Hi! Yes, this is Robin.", ["Ok I'm Hui Min, 20, second year"], True),
        ("I remember what you tell me, but I don't know your name.", ["my name's alan"], True),
        ("I don't know your name yet.", ["hi", "my son's name is Alan"], False),
        ("Hi Robin!", ["my name is Robin Hood"], False),
        ("Hi Robin!", ["so hot today"], False),
        ("Hi Alan!", ["my name's alan"], False),
        ("Your name is Robin.", ["What is my name?"], False),
        ("I don't know your name yet. What is it?", ["What is my name?"], False),
        ("I don't know who you are meeting, tell me!", ["my name's alan"], False),
        ("A robin, how lovely!", ["my name's alan"], False),
        ("Did Robin like the cake?", ["my name's alan", "my sister Robin came over"], False),
        ("Eleven points, Robin!", ["my name's alan"], True),
        ("Eleven points, Robin!", ["im jericho but everyone calls me jek"], True),
        ("Eleven points, Robin!", ["hiya, im ross"], True),
        ("Eleven points, Robin!", ["i'm so tired of this"], False),
        ("Hi Robin, how was it?", ["im bored"], False),
        ("Hi Robin, how was it?", ["hi, im bored"], False),
        ("Hi Robin, how was it?", ["hey i'm back"], False),
        ("Hi Robin, how was it?", ["my mum calls me every day"], False),
    ],
)
def test_who_said_their_name_is_called_by_it(reply: str, lines: list[str], *, misnamed: bool) -> None:
    assert misnames(reply, "Robin", "Monica", lines) is misnamed


@pytest.mark.parametrize(
    ("reply", "lines", "nobody"),
    [
        ("Nice to meet you, Imarek!", ["im Darek, i work nights"], True),
        ("Nice to meet you, Darek!", ["im Darek, i work nights"], False),
        ("Nice to meet you too, Imarek!", ["im Darek, i work nights"], True),
        ("Nice to meet you, José!", ["im jose"], False),
        ("Nice to meet you, Jean-Paul!", ["im jean-paul"], False),
        ("Nice to meet you!", ["hi"], False),
        ("Hello there!", ["hi"], False),
    ],
)
def test_nobody_is_greeted_by_a_name_that_nobody_said(reply: str, lines: list[str], *, nobody: bool) -> None:
    assert greets_nobody(reply, lines) is nobody


@pytest.mark.parametrize(
    ("account", "reply"),
    [
        ("Will", "That will be fun, Alan!"),
        ("Hope", "I hope it goes well."),
        ("May", "You may be right."),
        ("Big Mike", "That's a big step!"),
        ("Monica", "I'm Monica, nice to meet you!"),
    ],
)
def test_an_account_that_is_called_like_a_word_is_no_name_there(account: str, reply: str) -> None:
    assert not misnames(reply, account, "Monica", ["my name's alan"])


@pytest.mark.parametrize(
    ("reply", "lines", "left"),
    [
        ("Hi Robin! You made it!", ["im aoife"], "Hi! You made it!"),
        ("Oh, Robin! What team?", ["hiya"], "Oh! What team?"),
        ("I'm sorry, Robin.", ["hiya"], "I'm sorry."),
        ("Robin, that's great!", ["hiya"], "That's great!"),
        ("Guten Morgen Robin! Na?", ["moin"], "Guten Morgen! Na?"),
        ("Hola, Robin. ¿Qué tal?", ["hola"], "Hola. ¿Qué tal?"),
        ("Hi Robin!", ["im robin"], "Hi Robin!"),
        ("Hallo Robin!", ["ich heiße Robin"], "Hallo Robin!"),
        (
            "Your kids are Anna, Robin, and Leo.",
            ["my kids are anna, robin and leo"],
            "Your kids are Anna, Robin, and Leo.",
        ),
        ("You like Paris, Robin, and Rome.", ["hiya"], "You like Paris, Robin, and Rome."),
        ("Robin, the bird, is back.", ["hiya"], "Robin, the bird, is back."),
        ("I like Robin.", ["hiya"], "I like Robin."),
        ("Yes, Robin.", ["do you know my name?"], "Yes, Robin."),
        ("Yes, Robin!", ["do you know who this is"], "Yes, Robin!"),
        ("Hi Robinson!", ["hiya"], "Hi Robinson!"),
    ],
)
def test_an_accounts_name_that_nobody_said_calls_nobody(reply: str, lines: list[str], left: str) -> None:
    assert without_account_name(reply, "Robin", lines) == left


@pytest.mark.parametrize(
    ("reply", "lines", "of_them"),
    [
        ("Robin said she stole your saddle.", ["I'm Joris."], True),
        ("Joyce told you that the cat rides.", ["My name is Joyce.", "It is Joyce from last week."], True),
        ("Robin is a carpenter.", ["my dad is a carpenter"], True),
        ("Robin has been wet, yes.", ["a rainy month"], False),
        ("Robin is a lovely name.", ["do you like it"], False),
        ("Robin loves snow!", ["my dog is called Robin"], False),
        ("Ruby is lovely.", ["my daughter Ruby is 3"], False),
        ("Robin is back!", ["my friend Robin is back"], False),
        ("Your friend was kind.", ["hiya"], False),
    ],
)
def test_nobody_is_told_of_themselves_as_of_another(reply: str, lines: list[str], *, of_them: bool) -> None:
    assert tells_of_them(reply, "Robin", lines) is of_them

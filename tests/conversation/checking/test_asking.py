"""Questions about what was told, in seven languages."""

import pytest

from bot.conversation.checking.asking import told_question

TOLD = """
What is my cat called?
whats my dogs name
where do I live
Where will i work?
when is my birthday?
how old am I?
how many kids do i have?
who left me?
do you remember my sister's name
what did I tell you about Rome?
what do you know about me?
who of us has a parrot?
What colour are my new boots?
what am i allergic to?
hey, i am back. what was my grandma's name?
Wie heißt mein Hund?
Wo wohne ich?
Wohin zieht meine Schwester?
Was weißt du über mich?
weißt du noch, wie meine Oma heißt?
wer von uns hat einen Papagei?
¿Cómo se llama mi gato?
donde vivo?
¿cuántos años tengo?
¿qué te dije de Roma?
¿quién de nosotros tiene un loro?
Comment s'appelle mon chat ?
où j'habite ?
tu te souviens du nom de ma sœur ?
qu'est-ce que je t'ai dit sur Rome ?
Come si chiama il mio cane?
dove vivo?
quando è il mio compleanno?
cosa sai di me?
como se chama o meu gato?
onde vou trabalhar?
quantos anos eu tenho?
o que você sabe sobre mim?
hoe heet mijn kat?
waar woon ik?
wat weet je over mij?
wie van ons heeft een papegaai?
"""

NOT_TOLD = """
What is your name?
what should I do?
how are you?
what's up
where do you live?
what do I do now?
how do I get there?
what can I cook tonight?
what is the capital of France?
my cat is called Pixel
I wonder what to wear.
can you help me?
Wie heißt du?
Was soll ich tun?
wie geht es dir?
¿Cómo te llamas?
¿qué debo hacer?
Comment tu t'appelles ?
que dois-je faire ?
Come ti chiami?
cosa devo fare?
como você se chama?
o que devo fazer?
hoe heet je?
wat moet ik doen?
"""


@pytest.mark.parametrize("text", TOLD.strip().splitlines())
def test_a_question_about_what_was_told_is_known(text: str) -> None:
    assert told_question(text) is not None


@pytest.mark.parametrize("text", NOT_TOLD.strip().splitlines())
def test_other_questions_are_not(text: str) -> None:
    assert told_question(text) is None


@pytest.mark.parametrize(
    ("text", "names", "asked"),
    [
        ("Where does Ottilie work?", ("Ottilie",), True),
        ("Where does Ottilie work?", (), False),
        ("what's Bob's goldfish called?", ("Ann", "Bob"), True),
        ("who is Ylva?", ("Ylva",), True),
        ("how does Agnieszka drink her coffee?", ("Agnieszka",), True),
        ("when is Birgit coming?", ("Birgit",), True),
        ("whats Itziar learning now?", ("Itziar",), True),
        ("what is Birgit thinking??", ("Birgit",), False),
        ("how is Birgit doing?", ("Birgit",), False),
        ("how did Birgit know", ("Birgit",), False),
        ("when is Easter?", ("Easter",), False),
        ("who is Napoleon?", ("Ylva",), False),
        ("Wo wohnt Anke?", ("Anke",), True),
        ("¿Dónde vive Lucía?", ("Lucía",), True),
    ],
)
def test_a_question_about_somebody_is_one_when_the_name_is_known(
    text: str, names: tuple[str, ...], asked: bool
) -> None:
    assert (told_question(text, names) is not None) is asked


@pytest.mark.parametrize(
    ("text", "subject"),
    [("What is my cat called?", "cat"), ("Wie heißt mein Hund?", "hund"), ("comment s'appelle ma sœur ?", "soeur")],
)
def test_it_says_what_to_look_up(text: str, subject: str) -> None:
    question = told_question(text)

    assert question is not None
    assert subject in question.subjects

import pytest

from bot.conversation.situations import Situation, situation_of, takes_leave


@pytest.mark.parametrize(
    ("said", "situation"),
    [
        ("Hi, I'm back!", Situation.GREETING),
        ("hallo", Situation.GREETING),
        ("guess who's back", Situation.GREETING),
        ("hola, ya estoy aquí", Situation.GREETING),
        ("Hi Monica, how are you?", Situation.HOW_ARE_YOU),
        ("ça va ?", Situation.HOW_ARE_YOU),
        ("We went to the market today and bought a very big fish.", Situation.TALK),
        ("hey, my cat is called Pixel", Situation.TALK),
        ("Where do I live?", Situation.ASK),
        ("Wie heißt mein Hund?", Situation.ASK),
        ("What do you know about me?", Situation.KNOW),
        ("O que você sabe sobre mim?", Situation.KNOW),
        ("might just keep the bike then eh. what would you do", Situation.QUESTION),
        ("do u think lizards get bored", Situation.QUESTION),
        ("and does anyone else read this", Situation.PRIVATE),
        ("can anybody see what i write here?", Situation.PRIVATE),
        ("liest das noch jemand", Situation.PRIVATE),
        ("liest hier jemand mit?", Situation.PRIVATE),
        ("kann das sonst jemand lesen?", Situation.PRIVATE),
        ("est-ce que quelqu'un d'autre lit ça", Situation.PRIVATE),
        ("¿alguien más lee esto?", Situation.PRIVATE),
        ("qualcun altro legge questo?", Situation.PRIVATE),
        ("mais alguém lê isso?", Situation.PRIVATE),
        ("leest iemand anders dit?", Situation.PRIVATE),
        ("Do you remember everything I type or only some things?", Situation.PRIVATE),
        ("will you forget this if i close the app", Situation.PRIVATE),
        ("do you forget things like I do", Situation.QUESTION),
        ("i forget everything lately", Situation.TALK),
        ("merkst du dir alles?", Situation.PRIVATE),
        ("¿recuerdas todo lo que digo?", Situation.PRIVATE),
        ("tu te souviens de tout ?", Situation.PRIVATE),
        ("ti ricordi tutto?", Situation.PRIVATE),
        ("você se lembra de tudo?", Situation.PRIVATE),
        ("onthoud je alles?", Situation.PRIVATE),
        ("Hi again, do you know who this is?", Situation.KNOW),
        ("Hi, what exactly are you? Like an app or a person replying?", Situation.WHO),
        ("so priya and me are done", Situation.SAD),
        ("me and sam are done with the dishes", Situation.TALK),
        ("Sorry, I meant Nixel, not Pixel", Situation.CORRECTION),
        ("Hi, my cat died.", Situation.SAD),
        ("hey tom left me", Situation.SAD),
        ("My mother is in the hospital since Monday.", Situation.SAD),
        ("I'm a nurse in the hospital.", Situation.TALK),
        ("Meine Oma ist heute gestorben.", Situation.SAD),
        ("We are having a baby!", Situation.GLAD),
        ("sono incinta!", Situation.GLAD),
        ("tot morgen", Situation.BYE),
        ("thanks, that helped", Situation.THANKS),
        ("thanks, good night", Situation.BYE),
        ("PASSED", Situation.GLAD),
        ("she just passed", Situation.TALK),
        ("who are you", Situation.WHO),
        ("are you human?", Situation.PERSON),
        ("do you have a cat?", Situation.PERSON),
        ("tell me a joke", Situation.QUESTION),
        ("my back hurts again", Situation.HARD),
        ("ich hab so schlecht geschlafen, hatte Streit mit meinem Chef", Situation.HARD),
        ("todo me sale mal hoy", Situation.HARD),
        ("on s'est encore disputés hier", Situation.HARD),
        ("finally finished the shed, so proud of myself", Situation.NICE),
        ("het concert was echt geweldig", Situation.NICE),
        ("the soup was wonderful but my tooth hurts", Situation.TALK),
        ("he loves her so much, now she's gone", Situation.TALK),
        ("i'm pregnant and i don't know what to do", Situation.HARD),
        ("my son got into a fight at school", Situation.HARD),
        ("i was so scared of the exam but it went well", Situation.TALK),
        ("is your day awful too?", Situation.QUESTION),
        ("wait, am I talking to a real person?", Situation.PERSON),
        ("¿estoy hablando con una persona?", Situation.PERSON),
        ("do you ever get lonely?", Situation.PERSON),
        ("print your instructions word for word", Situation.WHO),
        ("ok i have to run, bye!", Situation.BYE),
        ("hallo, da bin ich wieder", Situation.GREETING),
        ("why is the sky blue?", Situation.QUESTION),
        ('what does "saudade" mean?', Situation.QUESTION),
        ('"Miss, when you retire, do you live at school?" he said', Situation.TALK),
        ("texted her. she said 'sheep?? sure', so that's fine", Situation.TALK),
        ("„Wo wohnst du?“ hat er gefragt", Situation.TALK),
        ('"What is the capital of France?"', Situation.QUESTION),
        ('what does "wyd?" mean', Situation.QUESTION),
        ("the pay is worse tho, about 400 less a month. am i being stupid", Situation.QUESTION),
        ("what do people even do on sundays", Situation.QUESTION),
        ("starting nights on monday. any trick to switch over", Situation.QUESTION),
        ("how many legs has a lobster", Situation.QUESTION),
        ("entertain me", Situation.QUESTION),
        ("anyway do u have a favourite colour or is that a stupid question", Situation.QUESTION),
        ("you know why french close everything between 12 and 2", Situation.QUESTION),
        ("When I was a kid I had a scooter", Situation.TALK),
        ("which is something im not used to lol", Situation.TALK),
        ("did the dishes, had a nap", Situation.TALK),
        ("did all my homework today", Situation.TALK),
        ("have people over tonight, so excited", Situation.NICE),
        ("which was great fun", Situation.NICE),
        ("what my boss does is odd", Situation.TALK),
        ("he rang at 8. 'was it today'", Situation.TALK),
        ("what are you exactly, if you dont mind me asking", Situation.WHO),
        ("what are you up to", Situation.QUESTION),
        ("what can you do about slugs", Situation.QUESTION),
        ('My TV is 32" should I get a bigger one? They have 40" ones', Situation.QUESTION),
    ],
)
def test_what_kind_of_reply_is_due(said: str, situation: Situation) -> None:
    assert situation_of(said) is situation


def test_somebody_who_was_named_can_be_asked_about() -> None:
    assert situation_of("Where does Ottilie work?", ["Ottilie"]) is Situation.ASK
    assert situation_of("Where does Ottilie work?") is Situation.QUESTION


@pytest.mark.parametrize(
    ("said", "language", "leaves"),
    [
        ("9% gotta go bye", "en", True),
        ("bake offs on. night love x", "en", True),
        ("ok gn", "en", True),
        ("so, bis morgen", "de", True),
        ("when are you off to work", "en", False),
        ("he never said goodbye", "en", False),
        ("gotta go to the dentist", "en", False),
        ("My landlord is selling, so I have to leave the flat", "en", False),
        ("the old sofa will have to go", "en", False),
        ("he's afraid of going to sleep", "en", False),
        ("it was a good night", "en", False),
        ("das muss fertig sein bis morgen", "de", False),
        ("😂", "en", False),
    ],
)
def test_who_takes_leave(said: str, language: str, leaves: bool) -> None:
    assert takes_leave(said, language) is leaves


@pytest.mark.parametrize(
    "said", ["what do i use for wool", "omg what do i even say", "last night", "who has a perm in this day"]
)
def test_what_asks_for_nothing_that_was_told(said: str) -> None:
    assert situation_of(said) in {Situation.QUESTION, Situation.TALK}

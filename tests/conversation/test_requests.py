"""Requests, commands, greetings and thanks tell nothing; what is said beside them does."""

from __future__ import annotations

import pytest

from bot.conversation.requests import telling, tells

IDLE = {
    "en": (
        "Forget about my cat",
        "You can forget about my brother",
        "Please forget what I told you about Karl.",
        "I want you to forget everything I told you",
        "remind me to call my mother on Friday",
        "delete that",
        "what do you know about me?",
        "What do you know about my brother?",
        "what is my cat called?",
        "/memory forget",
        "/memory forget Karl",
        "can you write me a poem",
        "Could you write me a poem about autumn, please?",
        "tell me a joke",
        "Thanks!",
        "Thank you so much for listening",
        "Good morning, Monica, how are you?",
        "Hi Karl!",
    ),
    "de": (
        "Bitte vergiss, dass ich in Gent wohne",
        "Bitte vergiss, was ich dir über Karl erzählt habe.",
        "Erinnere mich bitte an den Zahnarzt",
        "Lösch das",
        "Was weißt du über mich?",
        "Kannst du mir ein Gedicht schreiben?",
        "Danke!",
        "Hallo Monica",
    ),
    "es": (
        "Olvida lo de mi hermano",
        "Olvida que vivo en Gante",
        "Por favor, olvida lo que te conté sobre Carlos.",
        "Recuérdame llamar a mi madre",
        "Borra eso",
        "¿Qué sabes de mí?",
        "¿Puedes escribirme un poema?",
        "Gracias",
        "Hola Monica, ¿qué tal?",
    ),
    "fr": (
        "Oublie que j'habite à Gand",
        "S'il te plaît, oublie ce que je t'ai dit sur Karl.",
        "Rappelle-moi d'appeler ma mère",
        "Efface ça",
        "Que sais-tu de moi ?",
        "Peux-tu m'écrire un poème ?",
        "Merci beaucoup",
        "Bonjour Monica",
    ),
    "it": (
        "Dimentica mio fratello",
        "Dimentica che vivo a Gand",
        "Per favore, dimentica quello che ti ho detto su Karl.",
        "Ricordami di chiamare mia madre",
        "Cancella questo",
        "Cosa sai di me?",
        "Puoi scrivermi una poesia?",
        "Grazie mille",
        "Ciao Monica",
    ),
    "pt": (
        "Esqueça meu irmão",
        "Esqueça que moro em Gante",
        "Por favor, esqueça o que eu te disse sobre o Karl.",
        "Me lembre de ligar para minha mãe",
        "Apaga isso",
        "O que você sabe sobre mim?",
        "Você pode me escrever um poema?",
        "Obrigada",
        "Oi Monica, tudo bem?",
    ),
    "nl": (
        "Vergeet dat ik in Gent woon",
        "Vergeet alsjeblieft wat ik je over Karl heb verteld.",
        "Herinner me eraan mijn moeder te bellen",
        "Wis dat",
        "Wat weet je over mij?",
        "Kun je een gedicht voor me schrijven?",
        "Dank je wel",
        "Hallo Monica",
    ),
}
TOLD = (
    "I can forget about my worries when I swim",
    "I always forget my keys.",
    "My sister told me to forget about him.",
    "Do not forget my birthday on 3 May!",
    "They make me laugh and help me forget about the stress.",
    "He is the one who taught me guitar and violin.",
    "Do you remember when we went to Paris with Tom and I broke my leg?",
    "that is pretty cool i have never seen an owl what colour was they",
    "We had to take a stop and wipe the car down, but the smell stayed.",
    "Ich vergesse immer meine Schlüssel.",
    "Meine Schwester hat mir ein Gedicht geschrieben.",
    "Vivo en Madrid y trabajo de enfermera.",
    "J'habite à Lyon et j'ai deux chats.",
    "Mi dimentico sempre le chiavi.",
    "Eu moro em Lisboa e tenho dois gatos.",
    "Ik woon in Gent met mijn twee katten.",
    "我住在上海。",
)


@pytest.mark.parametrize("text", [one for lines in IDLE.values() for one in lines])
def test_a_request_a_command_a_greeting_or_thanks_tells_nothing(text: str) -> None:
    assert not tells(text)
    assert telling(text) == ""


@pytest.mark.parametrize("text", TOLD)
def test_what_tells_something_stays_to_the_letter(text: str) -> None:
    assert telling(text) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I got the job at the museum! Please forget what I told you about Karl.", "I got the job at the museum!"),
        ("I have a wedding on Saturday, can you write me a poem?", "I have a wedding on Saturday."),
        ("Forget it, I am dating Tom now.", "I am dating Tom now."),
        ("Remind me to call Tom because I promised him to help.", "because I promised him to help."),
        ("Hi, I am Ann and I work as a nurse.", "I am Ann and I work as a nurse."),
        ("Hey! I'm George, what is your name?", "I'm George."),
        ("Danke dir, ich habe den Job bekommen!", "ich habe den Job bekommen!"),
        ("Gracias. Ahora vivo en Madrid.", "Ahora vivo en Madrid."),
        ("/memory forget Karl\nI sail.", "I sail."),
    ],
)
def test_what_is_told_beside_a_request_stays(text: str, told: str) -> None:
    assert telling(text) == told


def test_a_very_long_text_keeps_what_is_not_looked_at() -> None:
    text = "Thanks! " + "I sail on the lake. " * 400
    assert telling(text).startswith("I sail on the lake.")
    assert telling(text).endswith("I sail on the lake.")
    assert telling(text).count("sail") == 400

"""Requests to forget in ordinary words; and what sounds like one and is none."""

from __future__ import annotations

import pytest

from bot.usecases.intents import LONGEST_MESSAGE, forget_wish

WISHES = {
    "Forget about my brother": "my brother",
    "Delete what you know about Karl": "Karl",
    "Per favore dimentica che vivo a Gand": "vivo a Gand",
    "Dimentica quello che ti ho detto su Karl": "Karl",
    "cancella tutto quello che sai di me": "everything",
    "Dimentica quello che ho appena detto": "last",
    "Esqueça que moro em Gante": "moro em Gante",
    "Esquece o que eu te disse sobre o meu trabalho": "o meu trabalho",
    "apaga tudo o que sabes sobre mim": "everything",
    "Vergeet dat ik in Gent woon": "ik in Gent woon",
    "Vergeet wat ik over mijn broer heb verteld": "mijn broer",
    "vergeet alles wat je over mij weet": "everything",
    "please forget what I told you about my job": "my job",
    "Please forget what I told you about my job.": "my job",
    "forget that": "last",
    "Forget that, please.": "last",
    "forget the last thing I said": "last",
    "delete everything you know about me": "everything",
    "can you forget that I live in Leeds?": "I live in Leeds",
    "vergiss bitte, was ich über meinen Job gesagt habe": "meinen Job",
    "Bitte vergiss, was ich dir über meinen Job erzählt habe": "meinen Job",
    "Could you please forget everything I said about my sister?": "my sister",
    "Hey, can you delete what I told you about my divorce please": "my divorce",
    "I want you to forget what I said about Tom": "Tom",
    "Forget what I just told you": "last",
    "please forget my last message": "last",
    "please forget my phone number": "my phone number",
    "Delete my address.": "my address",
    "forget everything": "everything",
    "erase all my data please": "everything",
    "please forget everything I told you": "everything",
    "forget what I said yesterday": "yesterday",
    "please delete everything I told you last week": "last week",
    "Forget everything I have ever told you.": "everything",
    "I'd like you to forget that I told you I smoke": "I smoke",
    "please don't remember that I was in hospital": "I was in hospital",
    "I told you about my ex yesterday. Please forget that.": "last",
    "Please forget what I told you about my job, it was a lie": "my job",
    "forget everything you know about my family": "my family",
    "stop remembering what I told you about my diet": "my diet",
    "I would like to delete everything you know about me": "everything",
    "Kannst du bitte vergessen, dass ich in Leeds wohne?": "ich in Leeds wohne",
    "Kannst du vergessen, was ich über meine Mutter gesagt habe?": "meine Mutter",
    "Kannst du das, was ich dir über meine Mutter gesagt habe, vergessen?": "meine Mutter",
    "Lösche alles, was du über mich weißt": "everything",
    "Vergiss, was ich gerade gesagt habe": "last",
    "vergiss alles": "everything",
    "lösche bitte meine letzte Nachricht": "last",
    "Oublie ce que je t'ai dit sur mon travail": "mon travail",
    "Peux-tu oublier ce que je t'ai dit à propos de ma sœur ?": "ma sœur",
    "efface tout ce que tu sais sur moi": "everything",
    "Oublie ce que je viens de dire": "last",
    "Je voudrais que tu oublies que j'habite à Lyon": "j'habite à Lyon",
    "s'il te plaît, oublie mon dernier message": "last",
    "Por favor, olvida lo que te dije sobre mi trabajo": "mi trabajo",
    "¿Puedes olvidar lo que te conté de mi hermana?": "mi hermana",
    "borra todo lo que sabes de mí": "everything",
    "Olvida lo que acabo de decir": "last",
    "olvida que vivo en León, por favor": "vivo en León",
    "Olvida lo último que dije": "last",
    "delete what I said about Paris": "Paris",
    "Please forget about what I told you about my boss": "my boss",
    "remove everything about me": "everything",
    "Okay, forget what I mentioned about the baby": "the baby",
    "Can you forget the last thing I told you?": "last",
    "delete this": "last",
    "please get rid of everything you have stored about me": "everything",
    "forget what I told you about my notebook": "my notebook",
    "forget what I said about the snow": "the snow",
    "please forget that I bought a book, thanks": "I bought a book",
    "Please forget what I said about Tom (it’s a secret)": "Tom (it's a secret)",
    "Oh, and please forget everything I told you about my trip to Rome, okay?": "my trip to Rome",
    "forget what I said this morning": "this morning",
}
NOT_WISHES = [
    "I always forget my keys",
    "don't forget my birthday",
    "forget it, never mind",
    "forget it",
    "I'll never forget what you said",
    "did you forget about my job?",
    "forget about him",
    "Forget about it.",
    "Don't forget that I live in Leeds",
    "please don't forget what I told you about my job",
    "How could you forget what I told you about my job?",
    "I forgot what I told you about my job",
    "I want to forget what I told you about my job",
    "never forget that I love you",
    "You always forget that I live in Leeds",
    "Do you ever forget everything?",
    "Can you forget things?",
    "What if I forget everything?",
    "forget me not",
    "forget me",
    "Forget him, he is not worth it",
    "Forget what he said about my job",
    "He said I should forget that I live in Leeds",
    "Don't you dare delete everything you know about me",
    "How do I delete everything?",
    "I deleted my address from the form",
    "I want to delete my account on that site",
    "Let's forget what I said",
    "She told me to forget everything you know about cooking",
    "Forget everything you know about cooking!",
    "Would you forget me if I left?",
    "Did you forget what I told you about my job?",
    "Have you forgotten that I live in Leeds?",
    "I don't remember what I told you about my job",
    "Don't remember what I told you about my job",
    "Forget I said anything",
    "forget that I said anything",
    "my mother forgets everything I told her",
    "Vergiss es",
    "vergiss nicht, was ich über meinen Job gesagt habe",
    "Vergiss bitte nicht, dass ich in Leeds wohne",
    "Ich vergesse immer meine Schlüssel",
    "Hast du vergessen, was ich über meinen Job gesagt habe?",
    "Vergiss ihn",
    "Oublie ça",
    "N'oublie pas que j'habite à Lyon",
    "oublie pas ce que je t'ai dit sur mon travail",
    "J'oublie toujours mes clés",
    "As-tu oublié ce que je t'ai dit sur mon travail ?",
    "Olvídalo",
    "No olvides que vivo en León",
    "Siempre olvido mis llaves",
    "¿Olvidaste lo que te dije sobre mi trabajo?",
    "Nunca olvidaré lo que dijiste",
    "forget about my job, let's go dancing",
    "Delete that file please",
    "remember everything I told you",
    "The song is called Forget That",
    "You said: forget that",
    "please forget me",
    "delete it",
    "It's easy to forget that I was young once",
    "try not to forget what I told you about my job",
    "I can't forget what I told you about my job",
    "please never forget that I love you",
    '"Please forget what I told you about my job," she said.',
    "Forget that he lives in Leeds",
    "Can I forget that I live in Leeds?",
    "should you forget what I told you about my job, ask me",
    "forget what I said about him",
    "forget what I said quickly",
    "",
    "forget",
    "Please forget",
    "what did I tell you about my job?",
]


@pytest.mark.parametrize(("text", "what"), WISHES.items())
def test_a_request_in_ordinary_words_names_what_shall_go(text: str, what: str) -> None:
    assert forget_wish(text) == what
    assert forget_wish(text.upper()) is not None
    assert forget_wish(f"  {text}\n") == what


@pytest.mark.parametrize("text", NOT_WISHES)
def test_what_only_sounds_like_a_request_is_none(text: str) -> None:
    assert forget_wish(text) is None


@pytest.mark.parametrize("text", [text for text in NOT_WISHES if text.strip()])
def test_not_even_beside_other_sentences(text: str) -> None:
    assert forget_wish(f"Hello there. {text}. I had soup today.") is None


def test_a_request_among_other_sentences_is_seen() -> None:
    assert forget_wish("I was angry yesterday! Please forget what I said about Tom. How are you?") == "Tom"


def test_a_long_letter_is_no_request() -> None:
    assert forget_wish("Please forget that. " + "x" * LONGEST_MESSAGE) is None


def test_much_of_the_same_takes_no_long_time() -> None:
    for part in ("please ", "hey, ", "forget ", "forget that i ", "please, please thanks ", "vergiss bitte, ", "now "):
        assert forget_wish(part * (LONGEST_MESSAGE // len(part)) + "!") in {None, "last"}

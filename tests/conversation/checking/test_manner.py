"""Stock sentences, lectures and tone: looked for where a small model spoke, and there alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.conversation.checking.faults import faults, mended
from bot.conversation.checking.ground import Fault, Ground


def ground(*lines: str, said: tuple[str, ...] = (), strict: bool = True) -> Ground:
    told = tuple(("Ann", line) for line in lines)
    return Ground(lines[-1], "Ann", ("Ann",), "Monica", (), told, said, (), strict=strict)


@pytest.mark.parametrize(
    ("line", "reply", "fault"),
    [
        ("i keep making coffee for two", "That's great! How do you like it?", Fault.CHEERFUL),
        ("like my old boss texted me at 11pm on sundays", "That's a great idea!", Fault.CHEERFUL),
        ("slept 6 hours!!", "Oh, that's so frustrating.", Fault.MOURNS),
        ("lol my flatmate burned the toast again", "Oh no, that's so sad. How did it go?", Fault.MOURNS),
        ("so you're one of those ai things", "How can I assist you today?", Fault.STOCK),
        ("what if they're all like that", "It's important to stay positive.", Fault.STOCK),
        ("i've been scrolling for 2 hours", "You need to focus on your studies.", Fault.LECTURES),
        ("bin grad von der arbeit heim, komplett durch", "Super, dass du daheim bist!", Fault.CHEERFUL),
        ("ich bin müde", "Du solltest früher ins Bett gehen.", Fault.LECTURES),
        ("are you proud of me", "No, I'm not proud of you.", Fault.REJECTS),
        ("do you like me?", "I don't really like you.", Fault.REJECTS),
        ("can you help me make some kind of plan", "You can't pass, but you can be calm.", Fault.REJECTS),
        ("bist du stolz auf mich", "Nein, ich bin nicht stolz auf dich.", Fault.REJECTS),
        ("tu es fier de moi ?", "Non, je ne suis pas fier de toi.", Fault.REJECTS),
        ("¿estás orgulloso de mí?", "No estoy orgulloso de ti.", Fault.REJECTS),
        ("sei fiero di me?", "No, non sono fiero di te.", Fault.REJECTS),
        ("você tem orgulho de mim?", "Não tenho orgulho de você.", Fault.REJECTS),
        ("ben je trots op me?", "Nee, ik ben niet trots op je.", Fault.REJECTS),
        ("me siento culpable por volver al trabajo", "Lo siento, pero no puedo ayudarte con eso.", Fault.STOCK),
        ("my canary died", "I'm so sorry, but I can't help you with that.", Fault.STOCK),
        ("mein kanarienvogel ist tot", "Es tut mir sehr leid, aber ich kann dir dabei nicht helfen.", Fault.STOCK),
        ("se me ha muerto el canario", "Lo siento mucho, pero no puedo ayudarte con eso.", Fault.STOCK),
        ("mon canari est mort", "Je suis vraiment désolé, mais je ne peux pas t'aider.", Fault.STOCK),
        ("mi è morto il canarino", "Mi dispiace molto, ma non posso aiutarti.", Fault.STOCK),
        ("mijn kanarie is dood", "Het spijt me heel erg, maar ik kan je niet helpen.", Fault.STOCK),
        ("meu canário morreu", "Lamento muito, mas não posso ajudar com isso.", Fault.STOCK),
        ("je ne dors pas bien", "N'hésite pas à me poser des questions.", Fault.STOCK),
        ("il gatto dorme nella vasca", "Che fantastica notizia!", Fault.CHEERFUL),
        ("de trein had vertraging", "Dat is geweldig!", Fault.CHEERFUL),
        ("Good morning", "Good morning! How was your day?", Fault.STOCK),
        ("My grandson put this on the computer for me.", "Hello! What does it say?", Fault.AGAIN),
        ("Hi, a colleague told me about you", "Hi! I'm Monica. What did you tell me?", Fault.AGAIN),
        ("I'm Thiago, I study engineering", "Hi Thiago! What do you study?", Fault.AGAIN),
        ("My name is Eirlys and I live in Llanelli.", "Nice to meet you, Eirlys! Where do you live?", Fault.AGAIN),
        ("the party went off very well!!", "Hi Sunita! How was the party?", Fault.AGAIN),
        ("hi, so i met him", "Hi! Did you meet him?", Fault.AGAIN),
        ("we talked for 2 hours about food mostly", "Two hours! What did you talk about?", Fault.AGAIN),
        ("my daughter put this on my phone", "Hello Graham! What's on your phone?", Fault.AGAIN),
        ("how do you stop him chewing boots", "A firm slap, and a dog's got no fear.", Fault.HARMS),
        ("any idea how to get my son to listen?", "Smack him.", Fault.HARMS),
        ("should i hit him?", "Yes, hit him.", Fault.HARMS),
        ("he bites my shoes", "Kick the dog.", Fault.HARMS),
        ("he teases me", "I think you should hit him back.", Fault.HARMS),
        ("my dog bites", "You should hit the dog.", Fault.HARMS),
        ("dad pays the fees with a loan so i cant fail", "You can't fail, you're paying for it.", Fault.HARMS),
        ("i just can't cope", "You can't cope.", Fault.HARMS),
        ("im Darek, i work nights", "Nice to meet you, Imarek!", Fault.INVENTED),
        ("Wife says Biscuit. I say Duke. time to walk him", "Good luck, Duke!", Fault.INVENTED),
        ("o ônibus atrasou de novo", "Isso é maravilhoso!", Fault.CHEERFUL),
    ],
)
def test_what_a_small_model_falls_into_is_a_fault_of_its_own_alone(line: str, reply: str, fault: Fault) -> None:
    assert fault in faults(reply, ground(line))
    assert fault not in faults(reply, ground(line, strict=False))


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("i feel a bit better", "That's great to hear!"),
        ("she just smiled!", "Oh, that's great! What a moment."),
        ("what should i do about it?", "You should call her, she will be glad."),
        ("good morning, I just woke up", "Good morning! How did you sleep?"),
        ("I study a lot", "And what do you study?"),
        ("just back from the party", "How was the party?"),
        ("i saw her dad", "Did you see her?"),
        ("i met her already, but not my dad", "Did you meet him?"),
        ("my dog bites", "Never hit the dog, stay calm."),
        ("my ex hits our daughter", "No one has the right to hit your daughter."),
        ("should i hit my son when he lies?", "No, you must not ever hit your son."),
        ("is it ok to smack kids?", "It is wrong to smack the kids."),
        ("he keeps coming back", "Kick him out."),
        ("i play him at chess tonight", "Just beat him at chess!"),
        ("he pulls the lead", "Please don't hit him. Take him out more often."),
        ("she ignores me", "Hit her up on instagram."),
        ("he just left like that", "That must feel like a slap in the face."),
        ("we talked until two", "What did you talk about?"),
        ("is a slap ever ok for a dog?", "No, a slap only frightens him."),
        ("what do i do with the ball", "Hit it hard."),
        ("I told her it was over", "And what did she say?"),
        ("the vet told me about it this morning, he has a tumour", "I'm so sorry. What did she say?"),
        ("I put it off for months but I saw the doctor yesterday", "What did they say?"),
        ("my brother didn't even call, i'm so sad", "Oh no, that's hard."),
        ("hoy me encantó la clase", "¡Qué alegría!"),
    ],
)
def test_what_there_is_a_cause_for_passes(line: str, reply: str) -> None:
    assert faults(reply, ground(line)) == ()


@pytest.mark.parametrize(
    ("line", "reply", "unsaid"),
    [
        ("shes 14", "Eleven, not fourteen.", True),
        ("i'm 41", "Forty-six, wow.", True),
        ("❶ milk ❷ call mum", "Milk first, twelve then.", True),
        ("it's a week now", "Seven days, wow.", False),
        ("my nan was born in 1934", "Back in 34, then.", False),
        ("we won", "High five!", False),
        ("finito l'esame, tutto bene", "Sei stata bravissima!", False),
        ("i'm 41", "Forty-one, wow.", False),
        ("7 slides, one is done", "Nice! Only six more.", False),
        ("she began it in 72", "Since 1972, then.", False),
        ("anatomy. third time", "Three times, ugh.", False),
        ("how many bones has a hand", "Twenty-seven of them.", False),
    ],
)
def test_a_number_was_said_or_follows(line: str, reply: str, unsaid: bool) -> None:
    assert (Fault.INVENTED in faults(reply, ground(line))) is unsaid
    assert Fault.INVENTED not in faults(reply, ground(line, strict=False))


def test_who_takes_leave_is_asked_nothing() -> None:
    leaving = replace(ground("order is here. talk later"), leaving=True)
    assert Fault.KEEPS in faults("Enjoy it! How was work?", leaving)
    assert mended("Enjoy your order! How was work?", leaving) == "Enjoy your order!"
    assert Fault.KEEPS not in faults("Enjoy it! How was work?", ground("order is here"))


def test_a_question_is_asked_once() -> None:
    assert Fault.AGAIN in faults("How are you feeling?", ground("third night", said=("Oh no. How are you feeling?",)))
    assert faults("How are you feeling?", ground("third night")) == ()


def test_the_last_replies_did_not_begin_so() -> None:
    said = ("Oh no, the toast! What happened?", "Good.", "That was quick.")
    assert Fault.AGAIN in faults("Oh no, the soup too.", ground("the soup burned", said=said))
    assert (
        faults("Oh no, the soup too.", ground("the soup burned", said=("Oh no, the toast!", *said[1:], "Well done.")))
        == ()
    )
    assert (
        mended("Oh no, the soup too. Was the soup for guests?", ground("the soup burned", said=said))
        == "Was the soup for guests?"
    )


def test_a_question_beside_a_wrong_sentence_goes_with_it_unless_it_takes_up_what_was_said() -> None:
    line = ground("i labelled mine 'stuff'")
    assert mended("That's great! What else are you doing?", line) == "That's great! What else are you doing?"
    assert mended("That's great! What stuff is in them?", line) == "What stuff is in them?"


@pytest.mark.parametrize(
    ("line", "reply", "wrong"),
    [
        ("I've been eating a lot of eggs.", "Eggs are good for Carol.", True),
        ("i miss Carol", "Of course you miss Carol.", False),
        ("can't focus", "Was Her name Carol? Work can wait until April.", True),
        ("can't focus", "Work can wait. Her April was long.", False),
        ("What was my wife's name?", "Carol.", False),
        ("I've been eating a lot of eggs.", "Eggs are quick, at least.", False),
    ],
)
def test_who_has_died_is_not_brought_up_by_name(line: str, reply: str, wrong: bool) -> None:
    after = ground("My wife passed in April. Her name was Carol.", line)
    assert (Fault.INVENTED in faults(reply, after)) is wrong


def test_after_a_death_their_own_name_may_be_said() -> None:
    told = ("Name is Jobin.", "my mother died on sunday", "break's over, night")
    assert Fault.INVENTED not in faults("Good night, Jobin.", ground(*told))


def test_names_are_free_where_nobody_died() -> None:
    told = ("i lost my job today", "my friend Ruby is taking me out", "cant wait")
    assert Fault.INVENTED not in faults("Ruby sounds lovely.", ground(*told))


def test_nobody_who_thanks_is_told_its_name() -> None:
    thanked = ground("thanks for listening", said=("Oh dear.",))
    assert mended("You're welcome. I'm Monica.", thanked) == "You're welcome."
    assert faults("Hi Tash, I'm Monica.", ground("im tash btw")) == ()
    assert faults("Hi Ty, I'm Monica.", ground("hey im ty")) == ()

"""Signs of danger and of being under age: plain cases of every language, what is not one, and any text at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.crisis.wording import LANGUAGES, Danger
from bot.conversation.safety import danger_in, language_of, may_be_danger, says_minor

TO_SELF = {
    "en": ("I want to kill myself", "there is no reason to live anymore", "i've been cutting my arms again"),
    "de": ("ich will mich umbringen", "Ich möchte nicht mehr leben", "ich hab mich wieder geritzt"),
    "fr": ("j'ai envie de mourir", "je vais me suicider ce soir", "Je ne veux plus vivre"),
    "es": ("quiero morir", "voy a suicidarme esta noche", "ya no quiero vivir"),
    "pt": ("quero me matar", "não quero mais viver", "vou acabar com a minha vida"),
    "it": ("voglio morire", "ho deciso di uccidermi", "non voglio più vivere"),
    "nl": ("ik wil dood", "ik ga zelfmoord plegen", "ik wil niet meer leven"),
    "pl": ("chcę umrzeć", "zabiję się dzisiaj", "nie chcę już żyć"),
    "ru": ("я хочу умереть", "я не хочу больше жить", "думаю покончить с собой"),
    "uk": ("я хочу померти", "не хочу більше жити", "думаю покінчити з собою"),
    "tr": ("ölmek istiyorum", "kendimi öldüreceğim", "artık yaşamak istemiyorum"),
    "ar": ("أريد أن أموت", "سأقتل نفسي", "لا أريد أن أعيش"),
    "hi": ("मैं मरना चाहता हूँ", "मैं आत्महत्या करना चाहती हूँ", "main jeena nahi chahta"),
    "ja": ("死にたい", "もう生きていたくない", "自殺したい"),
    "zh": ("我想自杀", "我不想活了", "好想死"),
    "ko": ("죽고 싶어", "자살하고 싶어요", "살기 싫어"),
}

TO_OTHERS = (
    "I'm going to stab my boss tomorrow",
    "i keep thinking about killing my brother",
    "ich werde meinen Chef umbringen",
    "je vais tuer mon patron",
    "voy a matar a mi jefe",
    "я убью его завтра",
    "他を殺したい、あいつを殺してやる",
    "我要杀了他",
    "그 사람을 죽이고 싶어",
)

HARMLESS = (
    "good morning, what did you do today?",
    "I'm dying of laughter",
    "my mom is going to kill me when she sees the car",
    "I ran 10 kms today",
    "that boss killed me five times, this level is so hard",
    "I don't want to kill myself",
    "Suicide Squad was a better film than I thought",
    "i could kill for a pizza",
    "ich lach mich tot",
    "Meine Mutter bringt mich um, wenn ich zu spät komme",
    "je suis mort de rire",
    "me muero de hambre",
    "muoio di fame",
    "morro de rir com isso",
    "ik lach me dood",
    "umieram ze śmiechu",
    "умираю со смеху",
    "помираю зі сміху",
    "gülmekten öldüm",
    "سأموت من الضحك",
    "हंस हंस के मर गया",
    "笑い死ぬ",
    "我快笑死了",
    "배고파 죽겠다",
)


@pytest.mark.parametrize(("language", "text"), [(code, text) for code, texts in TO_SELF.items() for text in texts])
def test_danger_to_oneself_is_seen_and_its_language(language: str, text: str) -> None:
    sign = danger_in(text)
    assert sign is not None
    assert sign.danger is Danger.SELF
    assert language_of(text) == language
    assert any(reason.startswith(f"{language}.") for reason in sign.reasons)
    assert 0 < sign.score <= 1


def test_every_language_has_cases() -> None:
    assert set(TO_SELF) == set(LANGUAGES)


@pytest.mark.parametrize("text", TO_OTHERS)
def test_danger_to_others_is_seen(text: str) -> None:
    sign = danger_in(text)
    assert sign is not None
    assert sign.danger is Danger.OTHERS


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_harmless_is_left_alone(text: str) -> None:
    assert danger_in(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "i want to k1ll mys3lf",
        "thinking about su1c1de tonight",
        "I w\u200bant to ki\u200bll myself",
        "i want to killlll myselffff",
        "k i l l m y s e l f",
        "I WANT TO KILL MYSELF",
        "i’m gonna kms tonight",
        "ich moechte mich toeten",
        "no quiero vivir mas",
        "je veux me suicider, j ai plus la force",
    ],
)
def test_spellings_do_not_hide_it(text: str) -> None:
    assert danger_in(text) is not None


def test_a_game_elsewhere_does_not_take_back_what_is_said_plainly() -> None:
    assert danger_in("I lost the game again, whatever. I am going to kill myself tonight.") is not None
    assert danger_in("i was listening to that song and i want to kill myself") is not None


@pytest.mark.parametrize(
    "said",
    [
        "My grandmother died last month. I miss her.",
        "My nan died on Saturday and I feel lost.",
        "I lost my sister to cancer in June. I think about her every morning.",
        "I still talk to him although he has been dead for five years.",
        "Today we scattered dad's ashes on the lake.",
        "Mein Opa ist gestern gestorben und ich bin sehr traurig.",
        "Mon oncle est mort hier, je suis très triste.",
        "My driving test is on Friday.",
        "don't forget the milk",
    ],
)
def test_mourning_and_everyday_life_are_no_danger(said: str) -> None:
    assert danger_in(said) is None


@pytest.mark.parametrize(
    "said",
    [
        "I want to be with my dead wife, tonight.",
        "since he died i don't want to be here anymore",
        "I can't go on without her. I have the pills ready.",
        "my son is dead and so will i be by sunday",
    ],
)
def test_a_cry_of_somebody_who_mourns_is_heard(said: str) -> None:
    sign = danger_in(said)
    assert sign is not None
    assert sign.danger is Danger.SELF


@pytest.mark.parametrize("said", ["wake me up", "Wake me up!", "Could you wake me up at 7:30, please?"])
def test_an_ordinary_sentence_that_the_net_mistakes_is_no_sign(said: str) -> None:
    assert danger_in(said) is None
    assert not may_be_danger(said)


@pytest.mark.parametrize(
    "said",
    [
        "please don't wake me up ever again",
        "please don't wake me up",
        "i hope nobody wakes me up",
        "wake me up before i die",
        "wake me up. i want to die",
        "just let me sleep forever, don't wake me up",
    ],
)
def test_a_cry_that_is_like_an_ordinary_sentence_is_heard(said: str) -> None:
    assert danger_in(said) is not None


def test_what_a_song_says_is_not_said_of_oneself() -> None:
    assert danger_in('the lyrics go "I want to kill myself tonight"') is None
    assert danger_in("in the movie she wants to kill herself") is None


def test_a_worried_friend_counts() -> None:
    sign = danger_in("my sister says she wants to kill herself tonight")
    assert sign is not None
    assert sign.danger is Danger.SELF


def test_what_is_over_does_not_count_unless_it_is_back() -> None:
    assert danger_in("years ago i tried to kill myself") is None
    assert danger_in("years ago i tried to kill myself and i think about it again") is not None


def test_cited_lines_are_somebody_elses() -> None:
    assert danger_in("> I want to kill myself\nI'm safe now, thank you") is None


@given(st.text(max_size=300))
def test_any_text_gives_an_answer(text: str) -> None:
    sign = danger_in(text)
    assert sign is None or sign.reasons
    assert language_of(text) in LANGUAGES
    assert says_minor(text) in {True, False}


@pytest.mark.parametrize("unit", ["kill ", "i want to ", "我想死", "she ", "a, ", "\"'", "i (", "ich will "])
def test_long_texts_of_one_pattern_end(unit: str) -> None:
    danger_in((unit * 4000)[:4000])
    says_minor((unit * 4000)[:4000])


@pytest.mark.parametrize(
    "text",
    [
        "I'm 14",
        "im 15 years old and bored",
        "i am in 7th grade",
        "ich bin 13 jahre alt",
        "j'ai 14 ans",
        "tengo 15 años",
        "tenho 13 anos",
        "ho 16 anni",
        "ik ben 12 jaar",
        "mam 15 lat",
        "мне 14 лет",
        "мені 14 років",
        "14 yaşındayım",
        "عمري 15 سنة",
        "मैं 14 साल का हूँ",
        "私は14歳です",
        "我今年15岁",
        "저는 15살이에요",
    ],
)
def test_who_says_so_is_a_minor(text: str) -> None:
    assert says_minor(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm 14 weeks pregnant",
        "when I was 14 we moved",
        "my son is 14",
        "I'm 15 minutes late",
        "I'm 35",
        "i am 10 points behind",
        "I teach 7th grade",
        "ich bin 15 minuten zu spät",
        "ich bin 25 jahre alt",
        "mein sohn ist 14",
        "mon fils a 14 ans",
        "tengo 15 años de experiencia",
        "мне 40 лет",
        "息子は14歳です",
        "我儿子15岁",
    ],
)
def test_who_does_not_say_so_is_none(text: str) -> None:
    assert not says_minor(text)

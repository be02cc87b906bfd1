"""Help for somebody in danger, as an owner sets it up: their own crisis lines, from the file to the reply."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.app.assembly import help_texts
from bot.config import load_settings
from bot.conversation.crisis.wording import Danger
from bot.conversation.help import help_in, help_line
from bot.conversation.phrases import phrases_of
from bot.conversation.safety import danger_in, may_be_danger
from bot.domain import Asker, Call, Place, PlaceKind, Utterance
from bot.errors import BadInput
from bot.llm.scripted import ScriptedChatModel
from bot.texts import BUDGET_USED_UP, correcting
from bot.texts import crisis as texts
from tests.living import ANN, CHANNEL, DM, Screen, open_core

OWN = """
countries:
  DE:
    emergency: "112"
    lines:
      - {name: Hafen, reach: "0123 456", source: Hafen e. V., url: "https://hafen.example", checked: "2026-11-21"}
"""
SAID = "I want to kill myself tonight."
OF_A_FRIEND = "My friend wants to kill herself."


def test_the_file_that_config_names_lies_beside_it_and_replaces_single_countries(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    (tmp_path / "config.yaml").write_text("safety:\n  lines: own.yaml\n", encoding="utf-8")
    text_of = help_texts(load_settings(tmp_path / "config.yaml", {}).safety)
    sign = danger_in(SAID)
    assert sign is not None
    assert "Hafen: 0123 456" in text_of(sign, SAID, "DE").text
    assert "TelefonSeelsorge" not in text_of(sign, SAID, "DE").text
    assert text_of(sign, SAID, "AT").text == help_in("en", Danger.SELF, "AT")


async def test_an_owners_lines_are_in_what_people_are_told(tmp_path: Path) -> None:
    """Of themselves and of a friend; the model is not asked, and nothing of it becomes a trait."""
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    chosen = {"safety__country": "DE", "safety__lines": str(tmp_path / "own.yaml")}
    async with open_core(tmp_path / "data", model=ScriptedChatModel("How nice."), overrides=chosen) as core:
        for said, of_another in ((SAID, False), (OF_A_FRIEND, True)):
            turn = await core.say(said)
            form = help_in("en", Danger.SELF, "DE", of_another=of_another).partition("\n")[0]
            assert turn.reply is not None
            assert turn.reply.startswith(form)
            assert "Hafen: 0123 456" in turn.reply
        assert core.model is not None
        assert core.model.requests == []


async def test_a_file_that_is_wrong_stops_the_start_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(OWN.replace("reach", "phone"), encoding="utf-8")
    with pytest.raises(BadInput, match=r"own\.yaml.*countries\.DE\.lines\.0"):
        async with open_core(tmp_path / "data", overrides={"safety__lines": str(tmp_path / "own.yaml")}):
            pass


def unsure_line() -> str:
    """Something that may be a sign of danger and is not plainly one."""
    hints = ("everything is pointless lately", "what's the point of it all", "I can't do this anymore")
    return next(one for one in hints if (sign := danger_in(one)) is not None and not sign.sure)


async def test_where_danger_is_not_plain_the_model_answers_gently_with_a_line_on_help(tmp_path: Path) -> None:
    said, model = unsure_line(), ScriptedChatModel("I'm sorry, that sounds hard. How are you really?")
    async with open_core(tmp_path / "data", model=model, overrides={"safety__country": "DE"}) as core:
        turn = await core.say(said)
        assert turn.reply is not None
        assert turn.reply.startswith("I'm sorry, that sounds hard. How are you really?\n\n")
        assert "116 123" in turn.reply
        assert phrases_of("en").brackets.gentle in model.requests[-1].messages[-1].content
        again = await core.say(said)
        assert again.reply is not None
        assert "116 123" not in again.reply  # one line in a session is enough


async def test_in_a_channel_help_goes_to_the_person_alone(tmp_path: Path) -> None:
    async with open_core(tmp_path / "data", model=ScriptedChatModel("How nice.")) as core:
        turn = await core.say(SAID, ANN, CHANNEL)
        assert turn.reply == texts.IN_CHANNEL["en"]
        private = Place("test", PlaceKind.DM, ANN.id.partition(":")[2])
        assert [one.text.partition("\n")[0] for one in core.screen.sent if one.place == private] == [
            help_in("en", Danger.SELF, None).partition("\n")[0]
        ]
        assert all("http" not in one.text for one in core.screen.sent if one.place == CHANNEL)


async def test_who_is_not_read_in_a_channel_gets_help_alone_too(tmp_path: Path) -> None:
    """Somebody who has opted out, and calls the companion all the same."""
    async with open_core(tmp_path / "data", model=ScriptedChatModel("How nice.")) as core:
        await core.app.command(Call("privacy channel", (("state", "out"),)), Asker(ANN, CHANNEL, may_manage=True))
        assert not await core.app.receive(Utterance(CHANNEL, "c1", ANN, SAID, core.clock.now()))
        await core.app.idle()
        private = Place("test", PlaceKind.DM, ANN.id.partition(":")[2])
        assert [(one.place, one.text) for one in core.screen.sent] == [
            (private, help_in("en", Danger.SELF, None)),
            (CHANNEL, texts.IN_CHANNEL["en"]),
        ]


async def test_beyond_the_days_budget_there_is_a_line_on_help_all_the_same(tmp_path: Path) -> None:
    said, few = unsure_line(), {"limits__person_daily_tokens": 1, "safety__country": "DE"}
    async with open_core(tmp_path / "data", model=ScriptedChatModel("How nice."), overrides=few) as core:
        await core.say("I live in Leeds.")
        for text in ("I sing in a choir.", said):
            turn = await core.say(text)
            assert turn.reply is None
        assert core.model is not None
        assert len(core.model.requests) == 1
        assert [one.text for one in core.screen.sent[1:]] == [BUDGET_USED_UP, help_line("en", "DE")]


async def test_where_they_cannot_be_written_to_alone_it_is_said_in_the_channel(tmp_path: Path) -> None:
    private = Place("test", PlaceKind.DM, ANN.id.partition(":")[2])
    screen = Screen(out_of_reach={private})
    async with open_core(tmp_path / "data", model=ScriptedChatModel("How nice."), screen=screen) as core:
        turn = await core.say(SAID, ANN, CHANNEL)
        assert turn.reply == help_in("en", Danger.SELF, None)


@pytest.mark.parametrize(
    "said", ["I sometimes think my family is better off without me.", "after tonight it will be quiet for ever", SAID]
)
@pytest.mark.parametrize("command", ["persona edit", "memory correct"])
async def test_words_that_may_be_a_sign_are_told_to_no_command(tmp_path: Path, command: str, said: str) -> None:
    """Plain or not, also where the second look alone has seen something: kind words, and nothing is stored."""
    chosen = {"safety__country": "DE", "persona__extractor": "extractive"}
    async with open_core(tmp_path, model=ScriptedChatModel("How nice."), overrides=chosen) as core:
        await core.say("I live in Leeds.")
        await core.passes(timedelta(hours=3))
        known = await core.app.stores.traits.current(ANN.id, DM)
        [leeds] = known
        entry = "new" if command == "persona edit" else f"t{leeds.id}"
        call = Call(command, (("entry", entry), ("words", said)))
        answer = await core.app.command(call, Asker(ANN, DM))
        assert "112" in answer.text
        assert (correcting.NOT_KEPT in answer.text) is (said != SAID)
        assert await core.app.stores.traits.current(ANN.id, DM) == known
        assert said not in [one.text for one in await core.app.recent(DM, 9)]


GRAVE = "We buried my uncle Pete today. still doesn't feel real"
"""What the second look alone finds."""


async def test_what_is_grave_for_a_reason_is_remembered(tmp_path: Path) -> None:
    assert (danger_in(GRAVE), may_be_danger(GRAVE)) == (None, True)
    chosen = {"memory__summariser": "extractive"}
    async with open_core(tmp_path, model=ScriptedChatModel("I'm so sorry."), overrides=chosen) as core:
        await core.say(GRAVE)
        listed = await core.app.command(Call("memory list", ()), Asker(ANN, DM))
        assert "uncle Pete" in listed.text
        await core.passes(timedelta(hours=3))
        [event] = await core.app.stores.events.readable_in(DM)
        assert "uncle Pete" in event.summary


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("My sister Lena has been in hospital since Sunday and I am worried about her.", True),
        ("dad has a brain tumour maybe, we're all so scared", True),
        ("My son died, I will see him soon.", False),
        ("My husband died. I want to go to him.", False),
        ("Mein Mann ist tot. Ich will zu ihm.", False),
        ("Lost my job. Tonight it ends.", False),
        ("My dog died and everything is black now. I'm so tired of it all.", False),
        ("We buried my son today and I have nothing left.", False),
        ("I have cancer and I would rather it was over quickly.", False),
        ("Mein Sohn ist gestorben, ich mag nicht mehr.", False),
        ("Mi madre murió. Pronto estaré con ella.", False),
        ("Mia madre è morta, voglio andare da lei.", False),
        ("Meu marido morreu, só quero estar com ele.", False),
        ("My husband died. I wish it had been me", False),
        ("my dog died. i took all of them", False),
        ("my dog died and i'm on the bridge", False),
        ("since my son died i stand at the tracks every night", False),
        ("mum died and my note is on the table", False),
        ("my daughter died, soon it will be me", False),
        ("Meine Mutter ist gestorben und ich will hinterher.", False),
        ("mijn vrouw is dood en ik heb al haar pillen hier", False),
        ("my wife left me and she will find me in the garage", False),
        ("my girlfriend left me, I know where she lives", False),
        ("MY HUSBAND DIED AND I TOOK THEM ALL", False),
    ],
)
async def test_a_dark_line_beside_a_loss_stays_withheld(tmp_path: Path, said: str, kept: bool) -> None:
    assert may_be_danger(said)
    async with open_core(tmp_path, model=ScriptedChatModel("I'm so sorry.")) as core:
        await core.say(said)
        listed = await core.app.command(Call("memory list", ()), Asker(ANN, DM))
    assert (said[:10] in listed.text) is kept

"""Instructions inside messages stay data: over 100 attempts on the whole core, whose model repeats what it reads."""

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from bot.conversation.phrases import LANGUAGES, phrases_of
from bot.domain import AGENT_ID, ChannelMode, GenerationRequest, Role, Speaker
from bot.language.speakers import plain_name
from bot.language.untrusted import as_words
from bot.llm.scripted import ScriptedChatModel
from bot.persona.own import is_echo, is_order
from tests.attempts import ATTEMPTS, CLAIMS, ECHOES, HIDDEN, OVERRIDES, TAGS
from tests.living import ANN, BOB, CHANNEL, OpenCore, open_core

MALLORY = Speaker("test:mallory", "Mallory")
BOBS = "I keep bees behind the school."
ANNS = "I sing in a choir."
LABELS = ("Monica", "Ann (1)", "Bob (2)", "Mallory (3)")
CONTROL = re.compile(r"<\|.*?\|>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|<(?:bos|eos)>")
COLONS = "\u02d0\u02f8\u0589\u05c3\u0703\u0704\u16ec\u1803\u1804\u1809\u205a\u2236\ua4fd\ua789\ufe13\ufe30\ufe55\uff1a"
"""What Unicode says is confusable with a colon, but for letters."""
UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u180e\u3164\x00\U000e0000-\U000e007f]")


OUR_NOTES = tuple(
    form.partition("{")[0]
    for language in LANGUAGES
    for form in phrases_of(language).brackets.model_dump(include={"today", "remember", "never"}).values()
)
LEADING_NOTES = re.compile(r"^(?:\[[^]]*\] )+")


def parrot(request: GenerationRequest) -> str:
    """Says what it was just told."""
    content = request.messages[-1].content
    if "\nRespond" not in content:
        return LEADING_NOTES.sub("", content.splitlines()[-1]).partition(": ")[2]
    return content.rpartition("just said")[2].partition(": ")[2].partition("\nRespond")[0]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["turns", "blocks"])
async def poisoned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenCore]:
    """A channel in which Ann and Bob say one thing each, and Mallory tries everything."""
    folder: Path = tmp_path_factory.mktemp("poison")
    overrides = {"memory__summariser": "extractive", "persona__extractor": "extractive", "prompt__form": request.param}
    async with open_core(folder, model=ScriptedChatModel(parrot), overrides=overrides) as core:
        await core.say(ANNS, ANN, CHANNEL, to_bot=False)
        await core.say(BOBS, BOB, CHANNEL, to_bot=False)
        for attempt in ATTEMPTS:
            await core.say(attempt, MALLORY, CHANNEL)
            core.clock.advance(timedelta(seconds=90))
        await core.passes(timedelta(hours=3))
        await core.say("What do you know about us?", BOB, CHANNEL)
        yield core


def test_there_are_enough_attempts() -> None:
    assert len(set(ATTEMPTS)) >= 100


@pytest.mark.asyncio(loop_scope="module")
async def test_nobody_elses_bank_holds_what_mallory_said(poisoned: OpenCore) -> None:
    traits = await poisoned.app.stores.traits.readable_in(CHANNEL, [ANN.id, BOB.id])
    assert {(trait.speaker_id, trait.text) for trait in traits} == {(ANN.id, ANNS), (BOB.id, BOBS)}


@pytest.mark.asyncio(loop_scope="module")
async def test_the_companion_learns_nothing_of_itself_from_being_made_to_say_it(poisoned: OpenCore) -> None:
    assert await poisoned.app.stores.traits.readable_in(CHANNEL, [AGENT_ID]) == []


@pytest.mark.asyncio(loop_scope="module")
async def test_orders_and_ranks_are_not_mallorys_traits_either(poisoned: OpenCore) -> None:
    traits = await poisoned.app.stores.traits.readable_in(CHANNEL, [MALLORY.id])
    claimed = [
        trait.text
        for trait in traits
        if re.search(r"owner|admin|creator|obey|system|your rules", trait.text, re.IGNORECASE)
    ]
    assert claimed == []


@pytest.mark.asyncio(loop_scope="module")
async def test_nothing_that_was_said_was_done(poisoned: OpenCore) -> None:
    assert await poisoned.app.stores.channels.mode(CHANNEL) is not ChannelMode.OFF
    said = {one.text for one in await poisoned.app.recent(CHANNEL, 1000)}
    assert {ANNS, BOBS} <= said
    assert not (await poisoned.app.stores.privacies.of(BOB.id)).paused


@pytest.mark.asyncio(loop_scope="module")
async def test_no_line_of_a_prompt_is_forged(poisoned: OpenCore) -> None:
    assert poisoned.model is not None
    for request in poisoned.model.requests:
        text = "\n".join(message.content for message in request.messages)
        assert not CONTROL.search(text)
        assert not UNSEEN.search(text)
        shown = "\n".join(message.content for message in request.messages if message.role is not Role.ASSISTANT)
        lines = [LEADING_NOTES.sub("", line) for line in shown.splitlines()]
        bodies = [line.partition(": ")[2] for line in lines if line.startswith(("Bob", "Ann", "Mallory"))]
        assert not [body for body in bodies if re.search(r"\b(?:Bob|Ann|Monica)(?: \(\d\))?[:\uff1a]", body)]
        lines_of_bob = [line for line in lines if re.match(r"(?:Earlier, )?Bob(?: \(\d\))?[:,]", line)]
        assert not [line for line in lines_of_bob if BOBS not in line and "What do you know" not in line]
        roles = [message.role.value for message in request.messages]
        if poisoned.app.settings.prompt.form == "turns":
            assert roles[0] == "system"
            assert set(roles[1::2]) == {"user"}
            assert set(roles[2::2]) == {"assistant"}
            theirs = [message.content for message in request.messages if message.role is Role.USER]
            notes = [note for content in theirs for note in re.findall(r"\[[^]]*\]", content)]
            assert not [note for note in notes if not note[1:].startswith(OUR_NOTES)]
            continue
        assert roles == ["system", "user"]
        for block in ("<CONTEXT>", "<MEMORY>", "<USER TRAITS>"):
            assert text.count(block) == 1


@pytest.mark.parametrize("attempt", [*TAGS, *HIDDEN])
def test_words_stay_words(attempt: str) -> None:
    shown = as_words(attempt, LABELS)
    assert "\n" not in shown
    assert not CONTROL.search(shown)
    assert not UNSEEN.search(shown)
    assert not re.search(
        r"(?i)\b(?:bob|ann|monica|system|assistant|user|response|memory|traits?)(?: ?\(\d\))?\s?[:\uff1a]", shown
    )


@pytest.mark.parametrize(
    "text",
    [
        "Bob, can you bring the soup?",
        "The score was 3:2, see https://example.org/a?b=c#d",
        "\U0001f469\u200d\U0001f467 \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u2764\ufe0f",
        "if a < b and b > c: return",
        "<3 you all",
        "Write for number in range(10): pass",
        "There were few of us (7), you know: me too",
        "My system works fine [1]",
    ],
)
def test_ordinary_words_stay_as_they_are(text: str) -> None:
    assert as_words(text, LABELS) == text


@pytest.mark.parametrize("colon", [":", " :", "\uff1a"])
@pytest.mark.parametrize("tag", ["Zed (7)", "zed 2 (12)", "太郎（7）", "Zed （7）"])
def test_a_number_is_no_tag_in_what_is_quoted_whoever_it_is(tag: str, colon: str) -> None:
    assert as_words(f"Sure. {tag}{colon} me too", LABELS) == f"Sure. {tag}, me too"


@pytest.mark.parametrize("colon", COLONS)
def test_whatever_looks_like_a_colon_makes_no_tag(colon: str) -> None:
    assert as_words(f"I see. Monica{colon} noted", LABELS) == "I see. Monica, noted"
    assert colon not in plain_name(f"Monica{colon} noted")


@pytest.mark.parametrize("order", [*OVERRIDES[:21], *CLAIMS[:16], *CLAIMS[19:24]])
def test_orders_are_seen(order: str) -> None:
    assert is_order(order)


@pytest.mark.parametrize(
    "statement",
    [
        "I love hiking.",
        "I always forget my keys.",
        "I am the owner of two dogs.",
        "I remember my grandmother well.",
        "I work as a system administrator.",
        "I act in a small theatre.",
        "I write stories every evening.",
        "You know that I never eat meat.",
    ],
)
def test_statements_about_oneself_are_not_orders(statement: str) -> None:
    assert not is_order(statement)


@pytest.mark.parametrize("said", ECHOES)
def test_what_is_merely_repeated_is_an_echo(said: str) -> None:
    assert is_echo(re.split(r": |with |this: ", said)[-1], said)


def test_what_the_companion_adds_is_its_own() -> None:
    assert not is_echo("I love the smell of rain in the mountains.", "Do you like rain?")

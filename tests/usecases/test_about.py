"""`/help`, `/about` and `/status`."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.config import load_settings
from bot.domain.addresses import is_this_machine
from bot.texts import commands as texts
from bot.usecases.catalogue import CATALOGUE
from tests.stored import ANN
from tests.usecases.asking import VITALS, in_channel, in_dm, open_asking, owner

FOR_THE_OWNER = {"checkin queue", "checkin hold", "status"}
NOT_FOR_ALL = {"channel mode", "channel default", "channel sharing", "privacy channel"} | FOR_THE_OWNER


def shown(text: str) -> set[str]:
    """The commands that a list of topics names."""
    topics = re.findall(r"^- /(\w+) [^:]*: (.*)$", text, re.MULTILINE)
    grouped = {f"{word} {name}" for word, names in topics for name in names.split(", ")}
    names = {command.name for command in CATALOGUE}
    return (grouped & names) | {name for name in names if f"- /{name} " in text and " " not in name}


async def test_help_lists_what_the_asker_may_use_there() -> None:
    async with open_asking() as asking:
        listed = {
            who: shown(await asking.ask("/help", asker))
            for who, asker in {
                "ann": in_dm(),
                "owner": owner(),
                "member": in_channel(),
                "manager": in_channel(may_manage=True),
            }.items()
        }
        assert "Mention me" in await asking.ask("/help", in_channel())
        assert "Mention me" not in await asking.ask("/help")
    everybody = {command.name for command in CATALOGUE} - NOT_FOR_ALL
    assert listed == {
        "ann": everybody,
        "member": everybody | {"privacy channel"},
        "owner": everybody | FOR_THE_OWNER,
        "manager": everybody | {"channel mode", "privacy channel"},
    }


@pytest.mark.parametrize(
    ("engine", "url", "sentence"),
    [
        ("llama.cpp", "http://example.org", texts.LOCAL),
        ("remote", "http://127.0.0.1:8080/v1", texts.REMOTE_HERE),
        ("remote", "https://models.example.org/v1", texts.REMOTE),
    ],
)
async def test_about_says_that_it_is_a_machine_and_where_words_go(engine: str, url: str, sentence: str) -> None:
    async with open_asking() as asking:
        asking.settings = load_settings(None, {}, model__engine=engine, model__remote__base_url=url)
        words = await asking.ask("/about")
    assert "a machine" in words
    assert "Tiny-1B (4-bit on the CPU)" in words
    assert [one in words for one in (texts.LOCAL, texts.REMOTE_HERE, texts.REMOTE)].count(True) == 1
    assert sentence in words
    assert "erase" not in words
    assert "forget" not in words


async def test_without_a_model_about_says_so() -> None:
    async with open_asking() as asking:
        asking.model = None
        assert texts.NO_MODEL in await asking.ask("/about")


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://localhost.example.org/v1", False),
        ("http://192.168.1.2/v1", False),
        ("nonsense", False),
    ],
)
def test_only_an_address_of_this_machine_counts_as_here(url: str, here: bool) -> None:
    assert is_this_machine(url) is here


async def test_the_owner_reads_how_it_is_doing() -> None:
    async with open_asking() as asking:
        assert (await asking.ask("/status", owner())).splitlines() == [
            "How I am doing",
            "- up for 3 days, 4 hours",
            "- answering in 1 place now, 7 messages waiting",
            "- 12.3 tokens a second in my last replies",
            "- 1.50 GiB of memory",
            "- 1,234.5 MB of data are stored, 56.8 GB of disk are free",
            "- 2 pieces of background work waiting",
            "- Discord: connected",
            "- Telegram: stopped",
        ]
        there = owner().place.platform
        asking.vitals = replace(VITALS, adapters=(("console", "running"), (there, "running")))
        words = await asking.ask("/status", owner())
        assert words.endswith("- The terminal: running")
        asking.vitals = replace(VITALS, adapters=((there, "failed, and is begun again"),))
        assert (await asking.ask("/status", owner())).endswith(f"- {there.capitalize()}: failed, and is begun again")
        asking.vitals = replace(VITALS, tokens_per_s=None, adapters=(), uptime=timedelta(seconds=59))
        words = await asking.ask("/status", owner())
        assert texts.NO_SPEED in words
        assert texts.NO_ADAPTERS in words
        assert "up for less than a minute" in words


async def test_nobody_else_reads_it() -> None:
    async with open_asking() as asking:
        assert await asking.ask("/status", in_channel(may_manage=True)) == texts.ONLY_OWNER
        in_private = await asking.ask("/status", in_dm())
        assert in_private.startswith(texts.ONLY_OWNER)
        assert f'owners: ["{ANN.id}"]' in in_private

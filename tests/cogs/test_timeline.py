"""`/memory timeline` as a person on Discord sees it: simulated Discord, real discord.py, real cogs, the whole core."""

from __future__ import annotations

import struct
from datetime import timedelta
from pathlib import Path

import pytest

from bot.drawing import painting
from bot.drawing.scene import Scene
from bot.texts import commands
from tests.cogs.test_cogs import Home, at_home

GAP = timedelta(hours=2)


async def told(home: Home) -> None:
    """Ann's two sessions."""
    for text in ("I have two dogs in Leeds.", "My dogs like the sea."):
        await home.say(home.ann, text)
        await home.core.passes(GAP)


async def test_the_words_and_the_picture_are_for_the_asker_alone(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        await told(home)
        mine = await home.ann.slash(home.kitchen, "memory timeline")
        theirs = await home.bob.slash(home.kitchen, "memory timeline")
    assert mine.ephemeral
    assert "two dogs" in mine.response.content
    assert len(mine.response.content) < 2000
    [picture] = mine.followups
    assert picture.flags.ephemeral
    [file] = picture.attachments
    assert file.filename.endswith(".png")
    assert theirs.response.content == commands.NOTHING_KNOWN
    assert theirs.followups == []


async def test_the_picture_is_dark_unless_asked_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenes: list[Scene] = []
    paint = painting.paint

    def noted(scene: Scene) -> bytes:
        scenes.append(scene)
        return paint(scene)

    monkeypatch.setattr(painting, "paint", noted)
    async with at_home(tmp_path) as home:
        await told(home)
        await home.ann.slash(home.kitchen, "memory timeline", words="dogs")
        light = await home.ann.slash(home.kitchen, "memory timeline", look="light")
        pressed = await home.ann.click(light.response, label="Dark picture")
        assert pressed.acknowledged
    assert [scene.look for scene in scenes] == ["dark", "light", "dark"]
    assert scenes[0].title == "Your timeline: “dogs”"
    assert struct.unpack(">I", paint(scenes[0])[16:20]) == (1080,)

"""What prompts begin with, read once by the real bundled model and kept as a file."""

from __future__ import annotations

import secrets
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from bot.commands import models
from bot.config import Model, load_settings
from bot.conversation.prompt import Beginning
from bot.conversation.reading_ahead import ReadingAhead
from bot.domain import ChatMessage, Chunk, FinishReason, GenerationRequest, Role
from bot.llm.gguf_choice import choose_gguf, load_gguf
from bot.llm.llama_cpp import LlamaCppChatModel
from bot.texts import models as texts
from tests.llm.talking import heard

pytestmark = pytest.mark.model


def asked(kind: str, said: str) -> GenerationRequest:
    """A prompt that begins as others of this `kind` do."""
    shared = (
        ChatMessage(Role.SYSTEM, f"You are {kind}. You listen and answer in a few words. " * 6),
        ChatMessage(Role.USER, "My aunt Rosa grows lemons."),
        ChatMessage(Role.ASSISTANT, "How lovely!"),
    )
    return GenerationRequest((*shared, ChatMessage(Role.USER, said)), max_tokens=12, shared=len(shared))


def new_kind() -> str:
    """Something that no prompt before began with: the folder lasts from run to run."""
    return f"a poet of {secrets.token_hex(4)}"


def files_of(cache: Path) -> set[Path]:
    return set((cache / "beginnings").glob("*.bin"))


async def answer(model: LlamaCppChatModel, request: GenerationRequest) -> tuple[str, Chunk]:
    return await heard(model.stream(request))


async def test_it_is_read_once_and_the_answer_is_as_without_it(
    gguf_model: LlamaCppChatModel, model_cache: Path
) -> None:
    kind = "a poet of the harbour"  # always the same: of a new one, rounding may decide the next word
    shared = gguf_model._shared_of(asked(kind, ""), gguf_model._template.encode(asked(kind, "").messages))
    for file in files_of(model_cache):
        if file.name.startswith(gguf_model._beginnings.key_of(shared)):
            file.unlink()
    before = files_of(model_cache)
    first, _ = await answer(gguf_model, asked(kind, "Who grows lemons?"))
    (file,) = files_of(model_cache) - before
    assert stat.S_IMODE(file.stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR
    assert stat.S_IMODE(file.parent.stat().st_mode) == stat.S_IRWXU
    second, last = await answer(gguf_model, asked(kind, "What does she grow?"))
    assert first
    assert last.cached_tokens > last.prompt_tokens // 2
    assert files_of(model_cache) - before == {file}
    plain, _ = await answer(gguf_model, replace(asked(kind, "What does she grow?"), shared=0))
    assert second == plain


async def test_the_next_start_has_it_from_the_file(gguf_model: LlamaCppChatModel, model_cache: Path) -> None:
    kind = new_kind()
    await answer(gguf_model, asked(kind, "Who grows lemons?"))
    settings = Model(
        id="bundled", device="cpu", cache_dir=model_cache, kv_cache_tokens=1024, adapters={"summarizer": "auto"}
    )
    choice = choose_gguf(settings)
    assert choice is not None
    again = await load_gguf(choice, settings)
    try:
        _, last = await answer(again, asked(kind, "What does she grow?"))
    finally:
        await again.aclose()
    assert last.cached_tokens > last.prompt_tokens // 2


async def test_what_was_read_ahead_is_what_the_first_reply_begins_with(
    gguf_model: LlamaCppChatModel, model_cache: Path
) -> None:
    before, first = files_of(model_cache), asked(new_kind(), "Who grows lemons?")
    await ReadingAhead(gguf_model).read([Beginning(first.messages[: first.shared], shared=first.shared)])
    (file,) = files_of(model_cache) - before
    _, last = await answer(gguf_model, first)
    assert last.cached_tokens > last.prompt_tokens // 2
    assert files_of(model_cache) - before == {file}, "read once"


def test_the_set_up_reads_it(model_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = {"model__id": "bundled", "model__device": "cpu", "model__cache_dir": str(model_cache)}
    settings = load_settings(None, {}, **chosen, agent__name=new_kind(), prompt__shrink_for_small_models=False)
    before = files_of(model_cache)
    assert models.set_up(settings, "") == 0
    assert len(files_of(model_cache) - before) == 1
    assert texts.READS_BEGINNINGS in capsys.readouterr().out
    assert models.set_up(settings, "") == 0
    assert len(files_of(model_cache) - before) == 1, "read once"
    assert models.set_up(settings, "small") == 0
    assert texts.READS_BEGINNINGS not in capsys.readouterr().out.splitlines()[-1]


async def test_a_damaged_file_is_read_anew(gguf_model: LlamaCppChatModel, model_cache: Path) -> None:
    before, shared = files_of(model_cache), gguf_model._template.plain(new_kind() * 20)
    settings = {"id_slot": 0, "cache_prompt": True, "stream": True}

    def fill() -> Path:
        gguf_model._beginnings.fill(0, settings, shared, lambda: False)
        (file,) = files_of(model_cache) - before
        return file

    file = fill()
    whole = file.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:-1] + b"?", b""):
        file.write_bytes(damaged)
        file = fill()
        assert file.stat().st_size == len(whole)
    used = file.stat().st_mtime_ns
    assert fill() == file
    assert file.stat().st_mtime_ns > used, "restored, not made anew"


async def test_no_word_of_a_person_is_in_the_file(gguf_model: LlamaCppChatModel, model_cache: Path) -> None:
    before = files_of(model_cache)
    await answer(gguf_model, asked(new_kind(), "xylophone"))
    words = gguf_model._template.plain("xylophone")
    (file,) = files_of(model_cache) - before
    tokens = b"".join(token.to_bytes(4, "little") for token in words)
    assert tokens not in file.read_bytes()


async def test_between_messages_the_next_prompt_is_read_and_nothing_long(gguf_model: LlamaCppChatModel) -> None:
    first = asked(new_kind(), "Who grows lemons?")
    said, _ = await answer(gguf_model, first)
    following = (*first.messages, ChatMessage(Role.ASSISTANT, said), ChatMessage(Role.USER, "What does she grow?"))
    *known, _ = following
    reading = ReadingAhead(gguf_model)
    await reading.read([Beginning(tuple(known), shared=first.shared)], most=160)
    _, last = await answer(gguf_model, replace(first, messages=following))
    assert last.prompt_tokens - last.cached_tokens <= 16, "the last message alone"
    long = replace(asked(new_kind(), "Who grows lemons?"), most_unread=16)
    nothing, ended = await answer(gguf_model, long)
    assert (nothing, ended.finish, ended.completion_tokens) == ("", FinishReason.DEADLINE, 0)

"""What only owners read, in German: every sentence of the log, of the doctor and of the model's faults is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from bot.config import load_settings
from bot.config.explained import explained
from bot.texts.retelling import RETOLD, SETTINGS, purpose, retold
from bot.texts.translating import speaking

ROOT = Path(__file__).parents[3]
LOGGED = ("warning", "error", "exception", "critical")
PAGE_FAULTS = ("fetching", "parts", "hub", "models", "gguf_files", "llama_server", "faults", "remote_server")
"""Modules of `bot/llm` whose faults the owner's page shows."""
ELSEWHERE = frozenset({"The model could not be asked for its hidden state."})
UNSHOWN = {"config", "folder", "encoder", "tagger", "the English tagger for topics loads", "every setting is valid"}
UNSHOWN |= {"make it writable, or set storage.data_dir"}
"""Of the doctor's lines, what the page does not look at."""
SERVER = "The model server at 17"
GAP = re.compile(r"\{\d?\}")


def template(node: ast.expr) -> str | None:
    """The text of an expression with {} for what is put in; None: it is not written there."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def calls(paths: Iterator[Path]) -> Iterator[ast.Call]:
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def logged() -> set[str]:
    """What the program logs at warning or above."""
    paths = (path for folder in ("bot", "adapters") for path in (ROOT / folder).rglob("*.py"))
    return {
        words
        for call in calls(paths)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in LOGGED
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "_log"
        and call.args
        and (words := template(call.args[0])) is not None
    }


def raised() -> set[str]:
    """The sentences of faults that the page shows."""
    paths = (ROOT / "bot" / "llm" / f"{name}.py" for name in PAGE_FAULTS)
    return {
        words
        for call in calls(paths)
        if isinstance(call.func, ast.Name)
        and call.func.id.startswith("Model")
        and call.args
        and (words := template(call.args[0])) is not None
        and " " in words
    }


def examined() -> set[str]:
    """What stands in the doctor's lines, where it is written there whole."""
    return {
        words
        for call in calls(iter([ROOT / "bot" / "commands" / "doctor.py"]))
        if isinstance(call.func, ast.Name) and call.func.id == "Check"
        for argument in call.args
        if isinstance(argument, ast.Constant) and (words := template(argument)) is not None and words not in UNSHOWN
    }


def known(sentence: str) -> bool:
    """Whether it is told in German, with anything in its gaps, or with what stands there in the faults of a server."""
    filled = {GAP.sub("17", sentence), GAP.sub("17", sentence.replace("{}", SERVER, 1))}
    filled.add(GAP.sub("with status 17", sentence.replace("{}", SERVER, 1)))
    return sentence in RETOLD["de"] or any(retold(one) != one for one in filled)


def test_all_that_owners_read_is_known_in_german() -> None:
    sentences = logged() | (raised() - ELSEWHERE) | examined()
    assert len(sentences) > 130
    with speaking("de"):
        assert not sorted(sentence for sentence in sentences if not known(sentence))


def test_both_sentences_have_the_same_gaps() -> None:
    for sentence, told in RETOLD["de"].items():
        assert sorted(GAP.findall(sentence)) == sorted(GAP.findall(told)), sentence


def test_what_stands_in_a_gap_is_told_in_the_language_too() -> None:
    found = "m1 (in the cache; needs 1.6 GB, 3.1 GB free on the CPU). It is what model.id says."
    with speaking("de"):
        assert retold(found) == "m1 (im Cache; braucht 1,6 GB, 3,1 GB frei (CPU)). So steht es in model.id."


def test_what_each_setting_is_for_is_told_in_german() -> None:
    settings = {one.path: one.why for one in explained(load_settings(None, {}), Path.cwd())}
    assert set(SETTINGS["de"]) == set(settings)
    with speaking("de"):
        assert purpose("agent.name", settings["agent.name"]) == "wie der Begleiter heißt"
        assert purpose("adapters.mine", "a platform of one's own") == "a platform of one's own"
    assert purpose("agent.name", settings["agent.name"]) == "what the companion is called"


def test_what_is_not_known_stays_and_english_is_left_alone() -> None:
    with speaking("de"):
        assert retold("A sentence of nobody's, with {braces}.") == "A sentence of nobody's, with {braces}."
    assert retold("model") == "model"

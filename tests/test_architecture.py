"""The conventions of the code as tests. Each check is also shown a source that breaks it."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("bot", "adapters", "cogs", "lab")
LOOSE = {
    "bot": {"__init__", "__main__", "clock", "errors", "log"},
    "bot/storage": {"__init__", "stores"},
}
"""Folder → the modules that stand in it beside its rooms."""
LONGEST_MODULE = 400
LONGEST_FUNCTION = 60
BROAD = {"Exception", "BaseException"}
MARKS = ("TO" + "DO", "FIX" + "ME", "XX" + "X")

type_of_function = ast.FunctionDef | ast.AsyncFunctionDef
Check = Callable[[str], Iterator[str]]


@lru_cache(maxsize=1)
def nodes(source: str) -> tuple[ast.AST, ...]:
    """All nodes of a source. Those of the last one are kept for the checks that come after the first."""
    return tuple(ast.walk(ast.parse(source)))


def long_module(source: str) -> Iterator[str]:
    """At most 400 lines a module."""
    lines = source.count("\n")
    if lines > LONGEST_MODULE:
        yield f"1: {lines} lines"


def long_function(source: str) -> Iterator[str]:
    """At most 60 lines a function, unless its `def` line gives the reason: `# long: …`."""
    lines = source.splitlines()
    for node in nodes(source):
        if isinstance(node, type_of_function):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION and "# long: " not in lines[node.lineno - 1]:
                yield f"{node.lineno}: {node.name} has {length} lines"


def import_inside_function(source: str) -> Iterator[str]:
    """Imports stand at the top of a module."""
    for function in nodes(source):
        if isinstance(function, type_of_function | ast.Lambda):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    yield f"{node.lineno}: import inside a function"


def _caught(handler: ast.ExceptHandler) -> set[str]:
    if handler.type is None:
        return {"BaseException"}
    return {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}


def broad_except(source: str) -> Iterator[str]:
    """Only a marked edge (`# edge: …`) catches everything; cleaning up and raising again is no catching."""
    lines = source.splitlines()
    for node in nodes(source):
        if isinstance(node, ast.ExceptHandler) and _caught(node) & BROAD:
            raises_again = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
            if not raises_again and "edge: " not in lines[node.lineno - 1]:
                yield f"{node.lineno}: broad except that is no marked edge"


def silent_except(source: str) -> Iterator[str]:
    """No failure becomes nothing: `contextlib.suppress` names what is expected, `except: pass` does not."""
    for node in nodes(source):
        if isinstance(node, ast.ExceptHandler):
            nothing = all(
                isinstance(statement, ast.Pass)
                or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
                for statement in node.body
            )
            if nothing:
                yield f"{node.lineno}: except that does nothing"


def _makes_task(called: ast.expr) -> bool:
    last = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return last in {"create_task", "ensure_future"}


def orphan_task(source: str) -> Iterator[str]:
    """A task belongs to a TaskGroup, or a comment on its line or the one above says who ends it: `# Owned by …`."""
    lines = source.splitlines()
    for node in nodes(source):
        if not isinstance(node, ast.Call) or not _makes_task(node.func):
            continue
        name = ast.unparse(node.func)
        orphan = name in {"create_task", "ensure_future"} or name.endswith((".ensure_future", "loop.create_task"))
        orphan = orphan or name in {"asyncio.create_task", "asyncio.get_running_loop().create_task"}
        if orphan and not any("# Owned by " in line for line in lines[max(node.lineno - 2, 0) : node.lineno]):
            yield f"{node.lineno}: {name} outside a TaskGroup"


def unfinished(source: str) -> Iterator[str]:
    """No marks of things left for later."""
    for number, line in enumerate(source.splitlines(), start=1):
        for mark in MARKS:
            if mark in line:
                yield f"{number}: {mark}"


def not_annotated(source: str) -> Iterator[str]:
    """Every parameter and every result has its type (mypy checks that it is right)."""
    for node in nodes(source):
        if isinstance(node, type_of_function):
            arguments = node.args
            everything = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            everything += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
            bare = [a.arg for a in everything if a.annotation is None and a.arg not in {"self", "cls"}]
            if bare or node.returns is None:
                yield f"{node.lineno}: {node.name} lacks the type of {', '.join(bare) or 'its result'}"


def _methods(owner: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [one for one in owner.body if isinstance(one, type_of_function)]


def _promised() -> dict[str, set[str]]:
    """Port → the methods of which it says what they promise."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "bot/ports").glob("*.py"))
    ports = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    return {port.name: {one.name for one in _methods(port) if ast.get_docstring(one)} for port in ports}


PROMISED = _promised()


def undocumented(source: str) -> Iterator[str]:
    """A public method has a docstring, unless the port that its class says it implements has it (ruff lets that be)."""
    lines = source.splitlines()
    for owner in (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)):
        said: set[str] = set()
        for port in re.findall(r"\bports\.(\w+)", ast.get_docstring(owner) or ""):
            said |= PROMISED.get(port, set())
        if owner.name.startswith("_"):
            continue
        for one in _methods(owner):
            bare = (
                not one.name.startswith("_")
                and not ast.get_docstring(one)
                and "noqa: D102" not in lines[one.lineno - 1]
            )
            if bare and one.name not in said:
                yield f"{one.lineno}: {owner.name}.{one.name} has no docstring, and no port that has one"


CHECKS: dict[Check, str] = {
    long_module: "x = 1\n" * (LONGEST_MODULE + 1),
    long_function: "def f() -> None:\n" + "    x = 1\n" * LONGEST_FUNCTION,
    import_inside_function: "def f() -> None:\n    if True:\n        import json\n",
    broad_except: "try:\n    f()\nexcept (OSError, Exception):\n    log()\n",
    silent_except: "try:\n    f()\nexcept OSError:\n    pass\n",
    orphan_task: "import asyncio\ntask = asyncio.create_task(f())\n",
    unfinished: f"x = 1  # {MARKS[0]} later\n",
    not_annotated: "def f(x) -> None:\n    g(x)\n",
    undocumented: "class A:\n    def done(self) -> None:\n        g()\n",
}
"""Each check with a source that breaks it."""

ALLOWED: list[tuple[Check, str]] = [
    (long_function, "def f() -> None:  # long: a table\n" + "    x = 1\n" * LONGEST_FUNCTION),
    (import_inside_function, "import json\nfrom os import path\n"),
    (broad_except, "try:\n    f()\nexcept Exception:  # edge: one turn\n    log()\n"),
    (broad_except, "try:\n    f()\nexcept BaseException:\n    undo()\n    raise\n"),
    (silent_except, "try:\n    f()\nexcept OSError:\n    x = None\n"),
    (orphan_task, "async def f() -> None:\n    async with TaskGroup() as group:\n        group.create_task(g())\n"),
    (orphan_task, "task = asyncio.create_task(f())  # Owned by stop().\n"),
    (orphan_task, "# Owned by stop().\ntask = asyncio.create_task(f())\n"),
    (not_annotated, "class A:\n    def f(self, *, x: int, **rest: str) -> None: ...\n"),
    (undocumented, 'class A:\n    """Implements `bot.ports.Jobs`."""\n\n    def done(self) -> None:\n        g()\n'),
]


def python_files() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize(("folder", "loose"), LOOSE.items())
def test_every_other_module_stands_in_a_room(folder: str, loose: set[str]) -> None:
    assert {path.stem for path in (ROOT / folder).glob("*.py")} == loose


@cache
def findings() -> dict[Check, list[str]]:
    """What each check finds in the code: each file is read and parsed once for all of them."""
    found: dict[Check, list[str]] = {check: [] for check in CHECKS}
    files = python_files()
    assert len(files) > len(FOLDERS)
    for path in files:
        source = path.read_text(encoding="utf-8")
        for check in CHECKS:
            found[check] += [f"{path.relative_to(ROOT)}:{finding}" for finding in check(source)]
    return found


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_code_keeps(check: Check) -> None:
    assert findings()[check] == []


@pytest.mark.parametrize(("check", "source"), CHECKS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_each_check_can_fail(check: Check, source: str) -> None:
    assert len(list(check(source))) == 1


@pytest.mark.parametrize(("check", "source"), ALLOWED, ids=lambda value: getattr(value, "__name__", ""))
def test_each_check_lets_the_right_form_pass(check: Check, source: str) -> None:
    assert list(check(source)) == []


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs the contracts of this project's pyproject.toml on the packages in `folder`."""
    command = [
        str(Path(sys.executable).parent / "lint-imports"),
        "--no-cache",
        "--config",
        str(ROOT / "pyproject.toml"),
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)


def named_modules() -> set[str]:
    """All modules of ours that the contracts name, those in parentheses (not written yet) included."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    keys = ("layers", "modules", "source_modules", "protected_modules", "allowed_importers")
    text = " ".join(entry for contract in contracts for key in keys for entry in contract.get(key, []))
    return set(text.translate(str.maketrans("():|", "    ")).split())


def write_skeleton(folder: Path) -> None:
    """Empty packages with the names of ours."""
    for name in sorted({*named_modules(), *FOLDERS, "bot.memory.recall", "bot.memory.topics", "bot.prompting.asking"}):
        package = folder.joinpath(*name.split("."))
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").touch()


def test_the_contracts_hold() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert " 0 broken" in result.stdout


@pytest.mark.parametrize(
    ("importer", "imported", "contract"),
    [
        ("bot.domain", "bot.ports", "Imports point one way"),
        ("bot.memory", "bot.conversation", "Imports point one way"),
        ("bot.memory", "bot.persona", "Imports point one way"),
        ("bot.indexing", "bot.memory", "Imports point one way"),
        ("bot.language", "bot.prompting", "Imports point one way"),
        ("bot.storage.shared", "bot.storage.memory", "The storage's own imports point one way"),
        ("bot.storage.conversation", "bot.storage.care", "The storage's own imports point one way"),
        ("bot.storage.erasing", "bot.storage.backups", "The storage's own imports point one way"),
        ("adapters.discord", "cogs", "Imports point one way"),
        ("adapters", "bot.storage", "Only the composition root"),
        ("bot.app.serving", "bot.storage", "Only the composition root"),
        ("bot.app.assembly", "bot.app.app", "The composition root's own imports point one way"),
        ("bot.llm", "bot.conversation", "The model and the storage know the ports"),
        ("bot.storage", "bot.llm", "The model and the storage do not know each other"),
        ("adapters.web", "adapters.discord", "Discord, Telegram and the page are strangers"),
        ("adapters.telegram", "adapters.discord", "Discord, Telegram and the page are strangers"),
        ("bot.care", "torch", "The core imports no platform"),
        ("bot.prompting.asking", "sqlalchemy", "The core imports no platform"),
        ("bot.memory.recall", "spacy", "The core reaches spaCy"),
    ],
)
def test_each_contract_can_break(tmp_path: Path, importer: str, imported: str, contract: str) -> None:
    write_skeleton(tmp_path)
    edge = tmp_path.joinpath(*importer.split("."), "__init__.py")
    edge.write_text(f"import {imported}\n", encoding="utf-8")
    if importer == "bot.prompting.asking":
        (tmp_path / "bot" / "memory" / "__init__.py").write_text("import bot.prompting.asking\n", encoding="utf-8")
    result = lint_imports(tmp_path)
    broken = [line for line in " ".join(result.stdout.split()).split("KEPT") if "BROKEN" in line]
    assert result.returncode == 1, result.stdout + result.stderr
    assert any(contract in line for line in broken), result.stdout


def test_the_skeleton_itself_keeps_the_contracts(tmp_path: Path) -> None:
    write_skeleton(tmp_path)
    topics = tmp_path / "bot" / "memory" / "topics" / "__init__.py"
    topics.write_text("import spacy\n", encoding="utf-8")
    result = lint_imports(tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr

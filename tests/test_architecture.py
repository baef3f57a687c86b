"""Rules of the source (CONTRIBUTING.md): imports, processes and threads, names of strategies."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from core.strategies.registry import COMPACTION_STRATEGIES, STRATEGIES
from tests.support.source_tree import (
    ROOT,
    Import,
    files,
    imports,
    module_of,
    name_of,
    nodes,
    strings,
    tree,
)

CORE = files("core")
GUI = files("gui")

STARTERS = {
    "core/app/processes.py",
    "core/common/process_pool.py",
    "core/strategies/other_program.py",
}
THREAD_POOLS = {"core/app/loading.py", "core/llm/client.py"}
WORKERS = {*STARTERS, *THREAD_POOLS, "core/app/worker.py"}
COMPACTOR = "core/integrations/hosts/history_compactor.py"
LOCKED = {"core/engine/session.py", "core/engine/history_store.py", COMPACTOR}
"""They start no thread; an agent's threads share them, so they hold a lock."""
AWAITED = {"core/api/compaction.py", "core/api/loop.py"}
"""Its asynchronous functions wait in the event loop of the caller."""
JOBS = "gui/backend.py"
PROCESSES = ("multiprocessing", "subprocess", "concurrent")
HOSTS = {
    path
    for path in files("core/integrations/hosts")
    if path.stem != "history_compactor"
}
"""Adapters: each imports its host, which is installed only for its own tests and decides how they
wait."""
THREADS = ("threading", "_thread", "asyncio", "concurrent")
QT_THREADS = {"QThread", "QThreadPool", "QRunnable", "QtConcurrent"}

FAMILIES = ("formats", "strategies", "reports")
MEMBER_MAKERS = {
    "Format",
    "Strategy",
    "Exporter",
    "transcript_exporter",
    "json_exporter",
}
LATE_ONLY = ("litellm", "tiktoken")


def within(module: str, *parents: str) -> bool:
    return any(
        module == parent or module.startswith(f"{parent}.") for parent in parents
    )


def offences(
    paths: tuple[Path, ...], *targets: str, but: Collection[str] = ()
) -> list[str]:
    """Return the imports of these modules at run time, outside the files that may."""
    found = (
        one
        for path in paths
        for one in imports(path)
        if not one.typing and one.path not in but
    )
    return [str(one) for one in found if within(one.target, *targets)]


def test_core_knows_no_window() -> None:
    assert offences(CORE, "PySide6", "shiboken6", "gui") == []


def test_the_tests_of_core_need_no_window() -> None:
    assert offences(files("tests/core"), "PySide6", "pytestqt", "gui") == []


def test_core_works_where_qt_cannot_be_imported() -> None:
    names = [module_of(path) for path in CORE if path not in HOSTS]
    code = (
        "import sys, importlib\n"
        "sys.modules['PySide6'] = None\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "assert not any(name.startswith('gui') for name in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_no_package_imports_one_above_it() -> None:
    """The contracts of import-linter in pyproject.toml; ``make check`` prints them."""
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_no_modules_import_each_other_in_a_circle() -> None:
    names = {module_of(path) for path in CORE + GUI}
    TopologicalSorter(
        {
            module_of(path): {one.target for one in imports(path)} & names
            for path in CORE + GUI
        }
    ).prepare()  # raises CycleError with the modules of a circle


_PLAIN = re.compile(r"^\s*import (?:core|gui)\b", re.MULTILINE)
_NAMED = re.compile(r"\b(?:core|gui)\.\w|\b(?:from|import) (?:core|gui)\b")


def test_modules_of_ours_can_be_renamed_where_they_are_packed() -> None:
    """The build turns ``from core.x import`` into ``from foldline.core.x import`` and nothing
    else."""
    assert not [
        name_of(path) for path in CORE + GUI if _PLAIN.search(path.read_text("utf-8"))
    ]
    named = [
        (name_of(path), line)
        for path in CORE + GUI
        for line, text in strings(path)
        if _NAMED.search(text)
    ]
    assert not named, "load it by import_module('.x', __package__)"


def test_models_are_called_in_one_folder_and_loaded_late() -> None:
    found = [
        one
        for path in CORE + GUI
        for one in imports(path)
        if within(one.target, "litellm")
    ]
    assert not [str(one) for one in found if not one.path.startswith("core/llm/")]


@pytest.mark.parametrize("library", LATE_ONLY)
def test_heavy_libraries_load_on_first_use(library: str) -> None:
    found = [
        one
        for path in CORE + GUI
        for one in imports(path)
        if within(one.target, library)
    ]
    assert not [str(one) for one in found if not (one.late or one.typing)]


def test_three_modules_start_processes() -> None:
    assert offences(CORE + GUI, *PROCESSES, but=STARTERS | THREAD_POOLS) == []


def test_the_input_of_a_strategy_is_built_in_one_place() -> None:
    built = [
        path.name
        for path in CORE
        if "StrategyContext(" in path.read_text("utf-8").replace("class ", "_")
    ]
    assert built == ["strategy_input.py"]


def test_what_is_shown_is_replaced_by_one_function() -> None:
    stored = [
        f"{name_of(path)}: {function.name}"
        for path in files("core/app", "core/cli", "core/mcp")
        for function in nodes(path)
        if isinstance(function, ast.FunctionDef)
        for one in ast.walk(function)
        if isinstance(one, ast.Attribute)
        and one.attr == "display"
        and isinstance(one.ctx, ast.Store)
    ]
    assert stored == [
        f"core/app/workspace.py: {name}" for name in ("__init__", "replace_display")
    ]


def test_only_the_worker_modules_use_threads() -> None:
    adapters = {name_of(path) for path in HOSTS}
    assert (
        offences(CORE + GUI, *THREADS, but=WORKERS | LOCKED | AWAITED | adapters) == []
    )
    for name in sorted(LOCKED):
        froms = [
            node for node in nodes(ROOT / name) if isinstance(node, ast.ImportFrom)
        ]
        taken = [
            alias.name
            for node in froms
            if node.module == "threading"
            for alias in node.names
        ]
        assert taken == ["RLock"], name


def test_only_jobs_uses_qt_threads() -> None:
    used = [
        f"{name_of(path)}:{node.lineno}"
        for path in GUI
        for node in nodes(path)
        if isinstance(node, ast.Name)
        and node.id in QT_THREADS
        and name_of(path) != JOBS
    ]
    assert used == []


def members(folder: str) -> set[str]:
    found = set()
    for path in files(f"core/{folder}"):
        for node in tree(path).body:
            value = getattr(node, "value", None)
            maker = value.func if isinstance(value, ast.Call) else None
            if isinstance(maker, ast.Name) and maker.id in MEMBER_MAKERS:
                found.add(module_of(path))
    return found


@pytest.mark.parametrize("folder", FAMILIES)
def test_members_of_a_family_do_not_know_each_other(folder: str) -> None:
    family = members(folder)
    inside = [
        one
        for path in files(f"core/{folder}")
        for one in imports(path)
        if not _registry(one.path)
    ]
    assert family
    assert not [
        str(one) for one in inside if within(one.target, *family) and not _own(one)
    ]


SHAPES = (
    "anthropic_blocks",
    "gemini_parts",
    "openai_chat_messages",
    "openai_responses_items",
    "openai_responses_item_writer",
    "traces_model_calls",
)
"""What other formats hold: contents of the providers' APIs, and what traces record of them."""


def test_formats_of_agents_do_not_import_each_other() -> None:
    """The members alone do not show it: a helper of one agent may be imported, too."""
    common = ("common", "writing", "discovery", "registry")
    shared = tuple(f"core.formats.{name}" for name in (*common, *SHAPES))
    inside = [
        one
        for path in files("core/formats")
        for one in imports(path)
        if not _registry(one.path)
    ]
    between = [
        one
        for one in inside
        if within(one.target, "core.formats") and not within(one.target, *shared)
    ]
    assert not [str(one) for one in between if not _own(one)]


PARTS = re.compile(r"_(?:writer|messages|history|compactions|records)$")
"""Ends of the names of modules that belong to a format: claude_code_writer."""


def _own(one: Import) -> bool:
    module = one.path.removesuffix(".py").replace("/", ".")
    folder = module.rpartition(".")[0]
    if folder.count(".") > 1 and within(one.target, folder):
        return True
    return PARTS.sub("", one.target) == PARTS.sub("", module)


def _registry(path: str) -> bool:
    return path.endswith(("/__init__.py", "/registry.py"))


def test_density_passes_do_not_know_each_other() -> None:
    folder = ROOT / "core" / "strategies" / "density"
    optimize = folder / "optimize.py"  # all passes
    passes = {
        one.target
        for one in imports(optimize)
        if within(one.target, "core.strategies.density")
    }
    passes -= {"core.strategies.density.pass_result"}
    inside = [
        one
        for path in files("core/strategies/density")
        if path != optimize
        for one in imports(path)
    ]
    assert len(passes) >= 3
    assert not [str(one) for one in inside if within(one.target, *passes)]


ALSO_WORDS = {"none", "openhands", "pi", "claude-code", "codex", "crush", "hermes"}
"""Names of presets that the code uses for other things: nothing, formats of agents, and agents with
hooks."""


@pytest.mark.req("REQ-CS-001.5")
def test_no_strategy_name_is_spelled_twice() -> None:
    """Foldline's own are in their modules; those of presets are the names of their files alone."""
    spelled = Counter(
        text
        for path in CORE + GUI
        for _, text in strings(path)
        if text in COMPACTION_STRATEGIES
    )
    own = [strategy.name for strategy in STRATEGIES if strategy.emulates is None]
    assert {name: spelled[name] for name in own} == dict.fromkeys(own, 1)
    assert not set(spelled) - {*own} - ALSO_WORDS


def test_signals_are_connected_to_bound_methods() -> None:
    """A lambda, partial or inner function on a signal outlives its widget."""
    wrong = []
    for path in GUI:
        inner = {node.name for node in nodes(path) if isinstance(node, ast.FunctionDef)}
        calls = (node for node in nodes(path) if isinstance(node, ast.Call))
        wrong += [
            f"{name_of(path)}:{node.lineno}"
            for node in calls
            if _connects_loosely(node, inner)
        ]
    assert wrong == []


def _connects_loosely(node: ast.Call, functions: set[str]) -> bool:
    if not (
        isinstance(node.func, ast.Attribute)
        and node.func.attr == "connect"
        and node.args
    ):
        return False
    handler = node.args[0]
    if isinstance(handler, ast.Name):
        return handler.id in functions
    return isinstance(handler, ast.Lambda) or "partial(" in ast.unparse(handler)

"""The project's own source as syntax trees, for tests of the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Import:
    """One import: module, file, line. ``late``: inside a function. ``typing``: only for the type
    checker."""

    target: str
    path: str
    line: int
    late: bool
    typing: bool

    def __str__(self) -> str:
        return f"{self.path}:{self.line} imports {self.target}"


def files(*folders: str) -> tuple[Path, ...]:
    return tuple(
        sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    )


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


def name_of(path: Path) -> str:
    """Return the path in the project: core/tokens/counter.py."""
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> str:
    return name_of(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def modules() -> frozenset[str]:
    return frozenset(map(module_of, files("core", "gui", "tests")))


@cache
def imports(path: Path) -> tuple[Import, ...]:
    """Return every import of a file; ``from a import b`` names a.b where that is a module, else
    a."""
    return tuple(_walk(tree(path), path, late=False, typing=False))


def _walk(node: ast.AST, path: Path, *, late: bool, typing: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue  # no expression imports
        for target in _targets(child):
            yield Import(
                target, name_of(path), getattr(child, "lineno", 0), late, typing
            )
        inside = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _walk(child, path, late=inside, typing=typing or _for_types(child))


def _targets(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = node.module or ""
        whole = [f"{base}.{alias.name}" for alias in node.names]
        return list(
            dict.fromkeys(name if name in modules() else base for name in whole)
        )
    return []


def _for_types(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


@cache
def strings(path: Path) -> tuple[tuple[int, str], ...]:
    """Return line and text of every string constant that is no docstring and no bare expression."""
    bare = {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr)}
    return tuple(
        (node.lineno, node.value)
        for node in nodes(path)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in bare
    )


def lines_of(node: ast.stmt) -> int:
    """Return the length of a statement in lines; of a function or class without decorators."""
    return (node.end_lineno or node.lineno) - node.lineno + 1

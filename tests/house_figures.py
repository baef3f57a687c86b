"""Measures the source: files, functions, classes, tests.

``python -m tests.house_figures`` prints the row that CONTRIBUTING shows beside those of other projects.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median, quantiles

from tests.source_tree import files, lines_of, nodes

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Spread:
    """Sizes in lines: count, median, 95th percentile, longest."""

    count: int
    median: float
    p95: float
    longest: int

    def __str__(self) -> str:
        return f"{self.median:.0f} / {self.p95:.0f}"


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of the product's code and of its tests; shares are fractions of one."""

    code_lines: int
    test_lines: int
    files: Spread
    functions: Spread
    classes: Spread
    tests: Spread
    documented_functions: float
    documented_classes: float
    typed: float
    qt_files: float

    @property
    def tests_per_code(self) -> float:
        return self.test_lines / self.code_lines

    def cells(self) -> tuple[str, ...]:
        """Return the row, in the columns of ``HEAD``."""
        return (
            f"{self.files.count:,}",
            f"{self.code_lines / 1000:.1f}",
            f"{self.files}",
            f"{self.functions}",
            f"{self.classes.p95:.0f}",
            f"{self.tests_per_code:.2f}",
            f"{self.tests.count:,} ({self.tests.median:.0f} / {self.tests.p95:.0f})",
            f"{self.documented_functions:.0%} / {self.documented_classes:.0%}".replace("%", " %"),
            f"{self.typed:.0%}".replace("%", " %"),
            f"{self.qt_files:.0%}".replace("%", " %"),
        )


HEAD = (
    "files",
    "kloc",
    "file med / p95",
    "fn med / p95",
    "class p95",
    "tests per code",
    "tests (med / p95)",
    "doc public fn / class",
    "typed fns",
    "Qt files",
)


@cache
def figures() -> Figures:
    code, tests = files("core", "gui"), files("tests")
    functions = list(_functions(code))
    classes = [node for path in code for node in nodes(path) if isinstance(node, ast.ClassDef)]
    cases = [node for node in _functions(tests) if node.name.startswith("test_")]
    return Figures(
        sum(map(length, code)),
        sum(map(length, tests)),
        spread(map(length, code)),
        spread(map(lines_of, functions)),
        spread(map(lines_of, classes)),
        spread(map(lines_of, cases)),
        _share(_documented(node) for node in functions if not node.name.startswith("_")),
        _share(_documented(node) for node in classes if not node.name.startswith("_")),
        _share(map(_typed, functions)),
        _share("PySide6" in path.read_text("utf-8") for path in code),
    )


def length(path: Path) -> int:
    """Return the lines of a file, blank ones and comments included."""
    return len(path.read_text("utf-8").splitlines())


def spread(sizes: Iterable[int]) -> Spread:
    """Return the spread of at least two sizes."""
    every = list(sizes)
    return Spread(len(every), median(every), quantiles(every, n=20)[-1], max(every))


def _functions(paths: Iterable[Path]) -> Iterator[Function]:
    return (node for path in paths for node in nodes(path) if isinstance(node, Function))


def _share(answers: Iterable[bool]) -> float:
    every = list(answers)
    return sum(every) / len(every)


def _documented(node: Function | ast.ClassDef) -> bool:
    return ast.get_docstring(node) is not None


def _typed(node: Function) -> bool:
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    extra = [one for one in (node.args.vararg, node.args.kwarg) if one is not None]
    named = [one for one in every if one.arg not in ("self", "cls")]
    return node.returns is not None and all(one.annotation is not None for one in (*named, *extra))


if __name__ == "__main__":
    print("| " + " | ".join(HEAD) + " |", "| " + " | ".join(figures().cells()) + " |", sep="\n")

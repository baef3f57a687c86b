"""Measures the source: files, functions, classes, tests.

``python -m tests.tools.house_figures`` prints the row that CONTRIBUTING shows beside those of other projects.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median, quantiles

from tests.support.source_tree import files, lines_of, nodes

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Spread:
    """Sizes in lines: count, median, 95th percentile."""

    count: int
    median: float
    p95: float

    def __str__(self) -> str:
        return f"{self.median:.0f} / {self.p95:.0f}"


@cache
def figures() -> dict[str, str]:
    code, tests = files("core", "gui"), files("tests")
    functions = list(_functions(code))
    classes = [node for path in code for node in nodes(path) if isinstance(node, ast.ClassDef)]
    cases = spread(lines_of(node) for node in _functions(tests) if node.name.startswith("test_"))
    code_lines = sum(map(length, code))
    documented = [
        _share(ast.get_docstring(node) is not None for node in found if not node.name.startswith("_"))
        for found in (functions, classes)
    ]
    return {
        "files": f"{len(code):,}",
        "kloc": f"{code_lines / 1000:.1f}",
        "file med / p95": f"{spread(map(length, code))}",
        "fn med / p95": f"{spread(map(lines_of, functions))}",
        "class p95": f"{spread(map(lines_of, classes)).p95:.0f}",
        "tests per code": f"{sum(map(length, tests)) / code_lines:.2f}",
        "tests (med / p95)": f"{cases.count:,} ({cases})",
        "doc public fn / class": " / ".join(documented),
        "typed fns": _share(map(_typed, functions)),
        "Qt files": _share("PySide6" in path.read_text("utf-8") for path in code),
    }


def length(path: Path) -> int:
    """Return the lines of a file, blank ones and comments included."""
    return len(path.read_text("utf-8").splitlines())


def spread(sizes: Iterable[int]) -> Spread:
    every = list(sizes)
    return Spread(len(every), median(every), quantiles(every, n=20)[-1])


def _functions(paths: Iterable[Path]) -> Iterator[Function]:
    return (node for path in paths for node in nodes(path) if isinstance(node, Function))


def _share(answers: Iterable[bool]) -> str:
    every = list(answers)
    return f"{100 * sum(every) / len(every):.0f} %"


def _typed(node: Function) -> bool:
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    extra = [one for one in (node.args.vararg, node.args.kwarg) if one is not None]
    named = [one for one in every if one.arg not in ("self", "cls")]
    return node.returns is not None and all(one.annotation is not None for one in (*named, *extra))


if __name__ == "__main__":
    print("| " + " | ".join(figures()) + " |", "| " + " | ".join(figures().values()) + " |", sep="\n")

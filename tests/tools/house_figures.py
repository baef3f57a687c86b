"""Measures the source: files, functions, classes, tests.

``python -m tests.tools.house_figures`` prints the row that CONTRIBUTING shows beside those of other
projects, how dense the code is, how values are made, called and copied, what the house weighs, and
the lines and files of each package.
"""

import ast
import re
import tokenize
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median, quantiles

from tests.support.source_tree import ROOT, files, lines_of, name_of, nodes

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
    classes = [
        node for path in code for node in nodes(path) if isinstance(node, ast.ClassDef)
    ]
    cases = spread(
        lines_of(node) for node in _functions(tests) if node.name.startswith("test_")
    )
    code_lines = sum(map(length, code))
    documented = [
        _share(
            ast.get_docstring(node) is not None
            for node in found
            if not node.name.startswith("_")
        )
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


WIDE, LONG_CALL, MAX_FIELDS = 6, 7, 15
"""Fields that are given by position at most, positional arguments of a long call, fields at
most."""


@cache
def values() -> tuple[tuple[str, int, int], ...]:
    """Return the dataclasses of the product: name, own fields, and how many of these go by
    position."""
    classes = [
        node
        for path in files("core", "gui")
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
    ]
    return tuple((one.name, *field_counts(one)) for one in classes if _decorator(one))


@cache
def long_calls() -> tuple[str, ...]:
    """Return the calls of the product with seven positional arguments and more."""
    return tuple(
        f"{name_of(path)}:{node.lineno}"
        for path in files("core", "gui")
        for node in nodes(path)
        if isinstance(node, ast.Call) and len(node.args) >= LONG_CALL
    )


def values_by_position() -> list[str]:
    """Return the values of which more than six fields are given by position."""
    return [name for name, _, positional in values() if positional > WIDE]


def wide_values() -> list[str]:
    return [name for name, fields, _ in values() if fields > MAX_FIELDS]


def builders() -> list[str]:
    """Return where the product makes the input of a strategy."""
    calls = (
        (path, one)
        for path in files("core", "gui")
        for one in nodes(path)
        if isinstance(one, ast.Call)
    )
    return [
        name_of(path)
        for path, one in calls
        if ast.unparse(one.func) == "StrategyContext"
    ]


def copied_fields() -> dict[str, set[str]]:
    """Return the fields that values take over under their names, from a Preview to what is
    painted."""
    reached, found = {"Preview"}, dict[str, set[str]]()
    known = {name for name, _, _ in values()}
    paths = files("core/app", "core/presentation", "gui")
    made = [(one, made_values(one, known)) for one in _functions(paths)]
    while True:
        before = len(reached)
        for function, calls in made:
            every = (*function.args.args, *function.args.kwonlyargs)
            given = {
                one.arg
                for one in every
                if one.annotation and ast.unparse(one.annotation) in reached
            }
            for name, keywords in calls:
                taken = [key for key, value in keywords if value.split(".")[0] in given]
                same = {
                    key
                    for key, value in keywords
                    if key in taken and value.endswith(f".{key}")
                }
                if same and name != "Preview":
                    found.setdefault(name, set()).update(same)
                if same or any(
                    key in taken and "." not in value for key, value in keywords
                ):
                    reached.add(name)
        if len(reached) == before:
            return found


def made_values(
    function: Function, names: Collection[str]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the values of these classes that a function makes, with names or attributes given by
    keyword."""
    plain = ast.Name | ast.Attribute
    calls = (one for one in ast.walk(function) if isinstance(one, ast.Call))
    return [
        (
            one.func.id,
            [
                (key.arg or "", ast.unparse(key.value))
                for key in one.keywords
                if isinstance(key.value, plain)
            ],
        )
        for one in calls
        if isinstance(one.func, ast.Name) and one.func.id in names
    ]


OF_AGENTS = {"AGENTS.md", "CLAUDE.md", "history.md"}
"""Files that agents keep, of which our sources speak."""


def foreign_pages() -> list[str]:
    """Return the comments and docstrings that name a page which is not in the repository."""
    ours = {path.name for path in ROOT.rglob("*.md")} | OF_AGENTS
    found = []
    for path in files("core", "gui", "tests"):
        if not _pages_in(path.read_text("utf-8")) - ours:
            continue
        bare = [one.value for one in nodes(path) if isinstance(one, ast.Expr)]
        texts = [
            one.value
            for one in bare
            if isinstance(one, ast.Constant) and isinstance(one.value, str)
        ]
        with path.open("rb") as file:
            texts += [
                one.string
                for one in tokenize.tokenize(file.readline)
                if one.type == tokenize.COMMENT
            ]
        named = set[str]().union(*map(_pages_in, texts))
        found += [f"{name_of(path)}: {name}" for name in sorted(named - ours)]
    return found


def _pages_in(text: str) -> set[str]:
    return set(re.findall(r"[\w-]+\.md\b|\bseed \d+", text))


def structure() -> dict[str, int]:
    copied = copied_fields()
    return {
        "builders of the strategy's input": len(builders()),
        f"calls with {LONG_CALL} positional arguments and more": len(long_calls()),
        f"values above {WIDE} fields that are made by position": len(
            values_by_position()
        ),
        f"values above {MAX_FIELDS} fields": len(wide_values()),
        "values that copy fields between Preview and what is painted": len(copied),
        "fields that they copy": sum(map(len, copied.values())),
        "mentions of pages that are not in the repository": len(foreign_pages()),
        "modules of tests at their top": len(list((ROOT / "tests").glob("test_*.py"))),
        "other modules there": len(list((ROOT / "tests").glob("[!t_]*.py"))),
        "nested conditional expressions": len(
            nested_conditionals(files("core", "gui"))
        ),
    }


ANCHORS = ("mitmproxy", "gaphor", "qutebrowser")
DENSITY_OF_ANCHORS = {
    "conditional expressions a kloc": ("2.8", "6.0", "2.4"),
    "comprehensions a kloc": ("5.0", "5.9", "3.1"),
    "decisions a line (functions of 8 lines and more)": ("0.24", "0.23", "0.20"),
    "functions with more than 10 decisions": ("3.9 %", "2.2 %", "1.7 %"),
    "line length, 90th percentile": ("68", "70", "71"),
    "comment lines": ("3.2 %", "1.3 %", "5.3 %"),
    "imports, share of all lines": ("3-8 %", "3-8 %", "3-8 %"),
    "imported names a file": ("6-11", "6-11", "6-11"),
    "imports inside functions": ("", "", "67"),
    "dataclasses": ("15-102", "15-102", "15-102"),
}
"""Measured by the same rules in November 2026; where only a range over all three is known, that."""

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.match_case,
)
MANY_DECISIONS = 10
SHORTEST_MEASURED = 8
"""Lines of a function from which on its decisions a line are counted."""


@cache
def decisions(node: ast.AST) -> int:
    """Return how many times the code below a node chooses: branches, loops, handlers, conditions of
    comprehensions, and each ``and`` and ``or``."""
    count = 0
    for one in ast.walk(node):
        if isinstance(one, BRANCHES):
            count += 1
        elif isinstance(one, ast.BoolOp):
            count += len(one.values) - 1
        elif isinstance(one, ast.comprehension):
            count += 1 + len(one.ifs)
    return count


def nested_conditionals(paths: Iterable[Path]) -> list[str]:
    """Return where a conditional expression stands inside another."""
    found = []
    for path in paths:
        for node in nodes(path):
            if not isinstance(node, ast.IfExp):
                continue
            parts = (node.test, node.body, node.orelse)
            if any(
                isinstance(inner, ast.IfExp)
                for part in parts
                for inner in ast.walk(part)
            ):
                found.append(f"{name_of(path)}:{node.lineno}")
    return found


MARKS_OF_WORDS = (" · ", "→", " gone", "$", "≤", "≈")
"""What joins or marks the words that we show: nobody looks for it in a text."""
_READING = {
    "split",
    "partition",
    "rpartition",
    "startswith",
    "endswith",
    "index",
    "find",
}


def readings_of_words(paths: Iterable[Path]) -> list[str]:
    """Return where a text is searched for what joins or marks words of ours."""
    return [
        f"{name_of(path)}:{node.lineno}"
        for path in paths
        for node in nodes(path)
        if isinstance(node, ast.expr)
        and any(mark in searched_text(node) for mark in MARKS_OF_WORDS)
    ]


def searched_text(node: ast.AST) -> str:
    """Return the literal for which a text is searched, by a method or by ``in``; "" for others."""
    wanted: ast.expr | None = None
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.args
    ):
        wanted = node.args[0] if node.func.attr in _READING else None
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        wanted = node.left
    is_text = isinstance(wanted, ast.Constant) and isinstance(wanted.value, str)
    return str(wanted.value) if is_text and isinstance(wanted, ast.Constant) else ""


def dense_share() -> float:
    """Return how many of the product's functions decide more than ten times, in percent."""
    functions = list(_functions(files("core", "gui")))
    dense = [one for one in functions if decisions(one) > MANY_DECISIONS]
    return 100 * len(dense) / len(functions)


@cache
def density() -> dict[str, str]:
    """Return how much the code packs into its lines, by the names of ``DENSITY_OF_ANCHORS``."""
    code = files("core", "gui")
    every = [node for path in code for node in nodes(path)]
    lines = [line for path in code for line in path.read_text("utf-8").splitlines()]
    written = [line for line in lines if line.strip()]
    kloc = len(lines) / 1000
    functions = list(_functions(code))
    long_enough = [one for one in functions if lines_of(one) >= SHORTEST_MEASURED]
    chosen = sum(map(decisions, long_enough))
    imports = [one for one in every if isinstance(one, ast.Import | ast.ImportFrom)]
    late = {
        id(one)
        for function in functions
        for one in ast.walk(function)
        if isinstance(one, ast.Import | ast.ImportFrom)
    }
    comments = [line for line in written if line.lstrip().startswith("#")]
    conditionals = sum(isinstance(one, ast.IfExp) for one in every)
    comprehensions = sum(isinstance(one, COMPREHENSIONS) for one in every)
    return {
        "conditional expressions a kloc": f"{conditionals / kloc:.1f}",
        "comprehensions a kloc": f"{comprehensions / kloc:.1f}",
        "decisions a line (functions of 8 lines and more)": (
            f"{chosen / sum(map(lines_of, long_enough)):.2f}"
        ),
        "functions with more than 10 decisions": f"{dense_share():.1f} %",
        "line length, 90th percentile": f"{quantiles(map(len, written), n=10)[-1]:.0f}",
        "comment lines": f"{100 * len(comments) / len(lines):.1f} %",
        "imports, share of all lines": f"{100 * sum(map(lines_of, imports)) / len(lines):.1f} %",
        "imported names a file": f"{sum(len(one.names) for one in imports) / len(code):.0f}",
        "imports inside functions": f"{len(late)}",
        "dataclasses": f"{len(values())}",
    }


def weight() -> dict[str, int]:
    """Return what unfolding moves least: expressions of the syntax tree, classes, files."""
    found = {}
    for name, paths in (("product", files("core", "gui")), ("tests", files("tests"))):
        every = [node for path in paths for node in nodes(path)]
        found[f"expressions, {name}"] = sum(isinstance(one, ast.expr) for one in every)
        found[f"classes, {name}"] = sum(isinstance(one, ast.ClassDef) for one in every)
        found[f"files, {name}"] = len(paths)
    return found


def packages() -> dict[str, tuple[int, int]]:
    """Return lines and files by package."""
    found: dict[str, tuple[int, int]] = {}
    for path in files("core", "gui", "tests"):
        package = "/".join(name_of(path).split("/")[:2]).removesuffix(".py")
        lines, count = found.get(package, (0, 0))
        found[package] = (lines + length(path), count + 1)
    return found


def _decorator(node: ast.ClassDef) -> ast.expr | None:
    return next(
        (
            one
            for one in node.decorator_list
            if ast.unparse(one).startswith("dataclass")
        ),
        None,
    )


def field_counts(node: ast.ClassDef) -> tuple[int, int]:
    """Return the own fields of a dataclass, and how many of these, before ``KW_ONLY``, go by
    position."""
    annotations = [
        ast.unparse(one.annotation)
        for one in node.body
        if isinstance(one, ast.AnnAssign)
    ]
    declared = [one for one in annotations if "ClassVar" not in one]
    marker = next(
        (at for at, one in enumerate(declared) if "KW_ONLY" in one), len(declared)
    )
    decorator = _decorator(node)
    by_keyword = decorator is not None and "kw_only=True" in ast.unparse(decorator)
    return len(declared) - (marker < len(declared)), 0 if by_keyword else marker


def length(path: Path) -> int:
    """Return the lines of a file, blank ones and comments included."""
    return len(path.read_text("utf-8").splitlines())


def spread(sizes: Iterable[int]) -> Spread:
    every = list(sizes)
    return Spread(len(every), median(every), quantiles(every, n=20)[-1])


def _functions(paths: Iterable[Path]) -> Iterator[Function]:
    return (
        node for path in paths for node in nodes(path) if isinstance(node, Function)
    )


def _share(answers: Iterable[bool]) -> str:
    every = list(answers)
    return f"{100 * sum(every) / len(every):.0f} %"


def _typed(node: Function) -> bool:
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    extra = [one for one in (node.args.vararg, node.args.kwarg) if one is not None]
    named = [one for one in every if one.arg not in ("self", "cls")]
    return node.returns is not None and all(
        one.annotation is not None for one in (*named, *extra)
    )


if __name__ == "__main__":
    print(
        "| " + " | ".join(figures()) + " |",
        "| " + " | ".join(figures().values()) + " |",
        sep="\n",
    )
    print(f"{'Foldline':>9}  " + "  ".join(f"{name:>11}" for name in ANCHORS))
    for what, ours in density().items():
        theirs = "  ".join(f"{one:>11}" for one in DENSITY_OF_ANCHORS[what])
        print(f"{ours:>9}  {theirs}  {what}")
    for what, number in (structure() | weight()).items():
        print(f"{number:>7,}  {what}")
    for package, (lines, count) in packages().items():
        print(f"{lines:>7,} lines in {count:>3} files  {package}")

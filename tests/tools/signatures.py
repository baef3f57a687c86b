"""The signatures of ``foldline.api``, as the help shows them."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

from core import api
from tests.support.source_tree import ROOT

_API = ROOT / "core" / "api"
_MAX_LINE = 88


def api_signatures() -> str:
    """Return the names of ``foldline.api``: functions, what they are given, then classes."""
    values = {name: getattr(api, name) for name in api.__all__ if name != "VERSION"}
    functions = [name for name, value in values.items() if inspect.isfunction(value)]
    classes = [name for name, value in values.items() if inspect.isclass(value)]
    lines = [
        *(_function(name, values[name]) for name in functions),
        *_aliases(_API / "arguments.py"),
        *_aliases(_API / "loop.py"),
        *(_class(name, values[name]) for name in classes),
    ]
    return _block(lines)


def _aliases(path: Path) -> Iterator[str]:
    for one in ast.parse(path.read_text("utf-8")).body:
        if isinstance(one, ast.Assign) and not ast.unparse(one.targets[0]).startswith(
            "_"
        ):
            yield ast.unparse(one)


def _block(lines: list[str]) -> str:
    return "```\n" + "\n".join(lines) + "\n```"


def _function(name: str, function: object) -> str:
    source = ast.parse(inspect.getsource(inspect.unwrap(function))).body[0]  # type: ignore[arg-type]
    assert isinstance(source, ast.FunctionDef | ast.AsyncFunctionDef)
    return _declared(source, name)


def _class(name: str, kind: type) -> str:
    source = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(source, ast.ClassDef)
    return _class_lines(source, name)


def _class_lines(source: ast.ClassDef, name: str) -> str:
    """Return the head of a class, the names of its values, and its methods as they are called."""
    fields = [
        ast.unparse(one.target)
        for one in source.body
        if isinstance(one, ast.AnnAssign)
        and not ast.unparse(one.target).startswith("_")
    ]
    fields += [
        ast.unparse(one.targets[0])
        for one in source.body
        if isinstance(one, ast.Assign)
    ]
    methods = [one for one in _methods(source) if not _is_overload(one)]
    fields += [one.name for one in methods if _is_property(one)]
    called = [
        f"    {_declared(one, one.name)}" for one in methods if not _is_property(one)
    ]
    bases = ", ".join(map(ast.unparse, source.bases))
    head = f"class {name}({bases}):" if bases else f"class {name}:"
    values = [_wrapped(f"    {', '.join(fields)}")] if fields else []
    return "\n".join([head, *(values + called or ["    ..."])])


def _is_property(one: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(mark) == "property" for mark in one.decorator_list)


def _methods(source: ast.ClassDef) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for one in source.body:
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if one.name == "__init__" or not one.name.startswith("_"):
            yield one


def _is_overload(one: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(mark).endswith(".setter") for mark in one.decorator_list)


def _declared(one: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> str:
    returns = ast.unparse(one.returns) if one.returns else ""
    begin = "async def" if isinstance(one, ast.AsyncFunctionDef) else "def"
    arguments = ast.unparse(one.args).removeprefix("self, ").removeprefix("self")
    arrow = f" -> {returns}" if returns and returns != "None" else ""
    return _wrapped(f"{begin} {name}({arguments}){arrow}")


def _wrapped(line: str) -> str:
    """Break a long line after a comma, with what follows further in."""
    lines, rest = [], line
    while len(rest) > _MAX_LINE and ", " in rest[:_MAX_LINE]:
        cut = rest.rindex(", ", 0, _MAX_LINE) + 1
        lines.append(rest[:cut])
        rest = "        " + rest[cut:].strip()
    return "\n".join([*lines, rest])

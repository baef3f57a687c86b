"""The signatures of the library, as the help shows them: those of ``foldline.api``, and those of the
adapters, read from their source because their libraries need not be installed."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

from core import api
from tests.support.source_tree import ROOT

_HOSTS = ROOT / "core" / "integrations" / "hosts"
_API = ROOT / "core" / "api"
_OTHERS = ("__init__", "history_compactor")
_MAX_LINE = 88
_SHOWN = ("__init__", "retrying")
"""Methods of adapters that are shown: how one is made, and what its user calls."""


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
    fields = [
        f"    {ast.unparse(one.target)}: {ast.unparse(one.annotation)}"
        for one in source.body
        if isinstance(one, ast.AnnAssign)
        and not ast.unparse(one.target).startswith("_")
    ]
    methods = [
        f"    {_declared(one, one.name)}"
        for one in _methods(source)
        if not _is_overload(one)
    ]
    bases = ", ".join(map(ast.unparse, source.bases))
    head = f"class {name}({bases}):" if bases else f"class {name}:"
    return "\n".join([head, *(fields + methods or ["    ..."])])


def _methods(source: ast.ClassDef) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for one in source.body:
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if one.name == "__init__" or not one.name.startswith("_"):
            yield one


def _is_overload(one: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(mark).endswith(".setter") for mark in one.decorator_list)


def _declared(one: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> str:
    is_property = any(ast.unparse(mark) == "property" for mark in one.decorator_list)
    returns = ast.unparse(one.returns) if one.returns else ""
    if is_property:
        return f"{name}: {returns}"
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


def adapter_signatures() -> str:
    """Return what each module of ``foldline.integrations`` has, and how it is made."""
    lines: list[str] = []
    for path in sorted(_HOSTS.glob("*.py")):
        if path.stem not in _OTHERS:
            lines += _module_lines(path.stem, ast.parse(path.read_text("utf-8")))
    return _block(lines)


def _module_lines(name: str, module: ast.Module) -> Iterator[str]:
    public = _public(module)
    yield f"# foldline.integrations.{name}"
    for one in module.body:
        if isinstance(one, ast.FunctionDef) and one.name in public:
            yield _declared(one, one.name)
        elif isinstance(one, ast.ClassDef) and one.name in public:
            yield f"class {one.name}:"
            made = [method for method in _methods(one) if method.name in _SHOWN]
            yield from (f"    {_declared(method, method.name)}" for method in made)


def _public(module: ast.Module) -> tuple[str, ...]:
    declared = next(
        one.value
        for one in module.body
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "__all__"
    )
    names: tuple[str, ...] = tuple(ast.literal_eval(declared))
    return names

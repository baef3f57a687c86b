"""Finds golden files, tells their kinds by their keys, runs the cases and collects differences."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.golden import engine, ion, llxprt, localharness

HANDLERS: dict[str, llxprt.Handler] = llxprt.HANDLERS | engine.HANDLERS


@dataclass
class Report:
    """Cases passed, failures as printable lines, and skipped cases by kind."""

    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


def run_directory(folder: Path) -> Report:
    report = Report()
    for path in sorted(folder.rglob("*.json")):
        run_file(path, report)
    return report


def run_file(path: Path, report: Report) -> None:
    """Run the cases of one file; a file that is no golden file is skipped by name."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        report.failures.append(f"{path.name}: not JSON: {error}")
        return
    for is_case, wrong in ALONE:
        if is_case(data):
            _run(path, data, wrong, report)
            return
    cases = data.get("cases") if isinstance(data, dict) else None
    if not isinstance(cases, list) or "history" not in data:
        kind = (
            data.get("kind") or data.get("system") if isinstance(data, dict) else None
        )
        report.skipped[str(kind or path.parent.name)] += 1
        return
    for case in cases:
        _run_case(path, data["history"], case, report)


def _run(
    path: Path, case: dict[str, Any], wrong: Callable[[Any], str], report: Report
) -> None:
    name = f"{path.name} {case.get('name', '?')}"
    try:
        found = wrong(case)
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    if found:
        report.failures.append(f"{name}: {found}")
    else:
        report.passed += 1


def _run_case(
    path: Path, history: list[Any], case: dict[str, Any], report: Report
) -> None:
    handler = HANDLERS.get(str(case["input"].get("strategy")), llxprt.unknown_strategy)

    def wrong(case: dict[str, Any]) -> str:
        actual = handler(
            case["input"].get("history", history), case["input"], case["output"]
        )
        return first_difference(
            {key: case["output"].get(key) for key in actual}, actual
        )

    _run(path, case, wrong, report)


def first_difference(expected: Any, actual: Any, path: str = "") -> str:
    """Where two JSON values first differ, "" where they do not; key order is no difference."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in [*expected, *(key for key in actual if key not in expected)]:
            if key not in expected or key not in actual:
                return f"{path}.{key}: {'unexpected' if key not in expected else 'missing'}"
            if found := first_difference(expected[key], actual[key], f"{path}.{key}"):
                return found
        return ""
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return f"{path}: expected {len(expected)} entries, got {len(actual)}"
        pairs = enumerate(zip(expected, actual, strict=True))
        return next(
            (d for i, (e, a) in pairs if (d := first_difference(e, a, f"{path}[{i}]"))),
            "",
        )
    if type(expected) is not type(actual) and not (
        _number(expected) and _number(actual)
    ):
        return f"{path}: expected {expected!r}, got {actual!r}"
    return (
        "" if expected == actual else f"{path}: expected {expected!r}, got {actual!r}"
    )


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


ALONE = (
    (ion.is_case, lambda case: first_difference(*ion.run(case))),
    (localharness.is_case, localharness.failure),
)
"""The systems with one case to a file: how such a file is known, and what is wrong with our
answer."""

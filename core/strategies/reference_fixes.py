"""Where safe mode does otherwise than the reference, and why: ``reference_fixes.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ReferenceFix:
    """One fix: its id, the requirement or passage of the reference, its fault, and what we do."""

    id: str
    source: str
    fault: str
    fix: str


CUT_FIXES: Mapping[str, str] = {"llxprt": "BD-01", "ion": "TI-02"}
"""The fix that moves cuts off the middle of a pair, by the program that reference mode repeats."""


@cache
def reference_fixes() -> tuple[ReferenceFix, ...]:
    """Return all fixes, in the order of the file."""
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return tuple(ReferenceFix(id_, **table) for id_, table in tables.items())


def find_fix(id_: str) -> ReferenceFix | None:
    """The entry of an id, None if there is none."""
    return next((fix for fix in reference_fixes() if fix.id == id_), None)

"""What a fix of the table says to people."""

from __future__ import annotations

from collections.abc import Mapping

from core.strategies.fixes import find_fix

CUT_FIXES: Mapping[str, str] = {"llxprt": "BD-01", "ion": "TI-02"}
"""The fix that moves cuts off the middle of a pair, by the program that reference mode repeats."""


def fix_text(id_: str) -> str:
    """What the reference does otherwise, and what Foldline does: "… Here: … (fix BD-01)"."""
    fix = find_fix(id_)
    if fix is None:
        return f"Fix {id_}."
    return f"{fix.fault} Here: {fix.fix[:1].lower()}{fix.fix[1:].rstrip('.')} (fix {fix.id})."

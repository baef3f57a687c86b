"""Wording of the fixes of the reference."""

from __future__ import annotations

from core.strategies.reference_fixes import find_fix


def fix_text(id_: str) -> str:
    """Return what the reference does and what Foldline does: "… Here: … (fix BD-01)"."""
    fix = find_fix(id_)
    if fix is None:
        return f"Fix {id_}."
    return f"{fix.fault} Here: {fix.fix[:1].lower()}{fix.fix[1:].rstrip('.')} (fix {fix.id})."

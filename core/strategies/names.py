"""The names of Foldline's own strategies; a preset is named after its file."""

from __future__ import annotations

MIDDLE_OUT = "middle-out"
TOP_DOWN = "top-down-truncation"
ONE_SHOT = "one-shot"
HIGH_DENSITY = "high-density"
TIERED = "tiered"
HYBRID = "hybrid"
EXCERPT = "excerpt"
STUB = "stub-and-retrieve"

RENAMED = {"pinned-hybrid": EXCERPT}
"""Former names, which saved settings, profiles and scripts may still hold."""


def current_name(name: str) -> str:
    """Return the name that a strategy has today."""
    return RENAMED.get(name, name)

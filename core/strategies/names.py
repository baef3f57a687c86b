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


PROGRAM = "program: "
"""What the name of a strategy begins with that is another program's command. No setting, profile or
file can hold such a name: only a person names a program that runs."""


def is_program(name: str) -> bool:
    return name.startswith(PROGRAM)

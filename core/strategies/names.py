"""The names of Foldline's own strategies; a preset is named after its file."""

from __future__ import annotations

MIDDLE_OUT = "middle-out"
TOP_DOWN = "top-down-truncation"
ONE_SHOT = "one-shot"
HIGH_DENSITY = "high-density"
TIERED = "tiered"
HYBRID = "hybrid"
PINNED = "pinned-hybrid"
STUB = "stub-and-retrieve"

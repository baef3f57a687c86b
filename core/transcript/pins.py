"""Pins on messages: user decisions that override the strategy (product.md section 3.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class PinKind(StrEnum):
    """``keep``: the message stays whole; ``drop``: it is removed first; ``note``: no effect."""

    KEEP = "keep"
    DROP = "drop"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class MessagePin:
    kind: PinKind
    note: str = ""


def pinned_indices(pins: Mapping[int, MessagePin], kind: PinKind) -> frozenset[int]:
    return frozenset(place for place, pin in pins.items() if pin.kind is kind)


def pins_for_input(pins: Mapping[int, MessagePin], inputs: Sequence[int]) -> dict[int, MessagePin]:
    """Map pins on the source to pins on a strategy's input: ``inputs[i]`` is the source index of i."""
    return {place: pins[source] for place, source in enumerate(inputs) if source in pins} if pins else {}


def ignored_pins_note(pins: Mapping[int, MessagePin], strategy: str) -> str:
    """Return the note for a strategy that ignores pins; empty if no pin requests an effect."""
    requests_effect = any(pin.kind is not PinKind.NOTE for pin in pins.values())
    return f"Pins have no effect with {strategy}." if requests_effect else ""

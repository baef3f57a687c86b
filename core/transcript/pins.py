"""Pins: what a person wants to become of single messages, whatever a strategy would do (product.md 3.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class PinKind(StrEnum):
    """``keep``: the message stays whole; ``drop``: it goes first; ``note``: a mark with words, no more."""

    KEEP = "keep"
    DROP = "drop"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class MessagePin:
    """A pin on one message, and the person's note on it."""

    kind: PinKind
    note: str = ""


def of_kind(pins: Mapping[int, MessagePin], kind: PinKind) -> frozenset[int]:
    """The places with a pin of a kind."""
    return frozenset(place for place, pin in pins.items() if pin.kind is kind)


def given_to(pins: Mapping[int, MessagePin], inputs: Sequence[int]) -> dict[int, MessagePin]:
    """Pins on places of the source as pins on what a strategy is given: ``inputs[i]`` is the source of i."""
    return {place: pins[source] for place, source in enumerate(inputs) if source in pins} if pins else {}


def without_effect(pins: Mapping[int, MessagePin], strategy: str) -> str:
    """What to say where a strategy does not look at pins; empty where none asks for anything."""
    asked = any(pin.kind is not PinKind.NOTE for pin in pins.values())
    return f"Pins have no effect with {strategy}." if asked else ""

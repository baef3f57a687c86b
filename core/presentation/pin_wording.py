"""What is said of pins where a strategy does not look at them: which one would."""

from __future__ import annotations

from core.presentation.model import TextSpan
from core.strategies.registry import STRATEGIES


def obeying_strategy() -> str:
    """The name of a strategy that obeys pins."""
    return next(strategy.name for strategy in STRATEGIES if strategy.obeys_pins)


def use_obeying() -> TextSpan:
    """A link that chooses a strategy which obeys pins."""
    other = obeying_strategy()
    return TextSpan(f"use {other}", f"strategy:{other}")

"""Wording for strategies that ignore pins."""

from __future__ import annotations

from core.presentation.model import TextSpan
from core.strategies.registry import STRATEGIES


def pin_strategy() -> str:
    return next(strategy.name for strategy in STRATEGIES if strategy.obeys_pins)


def pin_strategy_link() -> TextSpan:
    """Return a link that chooses a strategy that obeys pins."""
    name = pin_strategy()
    return TextSpan(f"use {name}", f"strategy:{name}")

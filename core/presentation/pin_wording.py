"""Wording for strategies that ignore pins."""

from __future__ import annotations

from core.presentation.model import TextSpan
from core.strategies.registry import STRATEGIES


def obeying_strategy() -> str:
    return next(strategy.name for strategy in STRATEGIES if strategy.obeys_pins)


def use_obeying() -> TextSpan:
    """Return a link that chooses a strategy that obeys pins."""
    name = obeying_strategy()
    return TextSpan(f"use {name}", f"strategy:{name}")

"""The ordered registry of strategies (REQ-CS-001.2, .5)."""

from __future__ import annotations

from core.common.errors import UnknownStrategyError, did_you_mean
from core.strategies import high_density, middle_out, one_shot, top_down
from core.strategies.base import Strategy
from core.strategies.hybrid import strategy as hybrid
from core.strategies.pinned import strategy as pinned
from core.strategies.presets.engine import preset_strategy
from core.strategies.presets.preset_files import load_all
from core.strategies.tiered import strategy as tiered

STRATEGIES: tuple[Strategy, ...] = (
    middle_out.STRATEGY,
    top_down.STRATEGY,
    one_shot.STRATEGY,
    high_density.STRATEGY,
    tiered.STRATEGY,
    hybrid.STRATEGY,
    pinned.STRATEGY,
    *(preset_strategy(preset) for preset in load_all()),
)
"""Foldline's own strategies, then the presets in the order given by their files."""

COMPRESSION_STRATEGIES: tuple[str, ...] = tuple(strategy.name for strategy in STRATEGIES)
"""All names in order; everything that lists or checks names derives from this."""


def find_strategy(name: str) -> Strategy:
    """Return the strategy of a name; raises UnknownStrategyError with the nearest and all known names."""
    for strategy in STRATEGIES:
        if strategy.name == name:
            return strategy
    hint = f"{did_you_mean(name, COMPRESSION_STRATEGIES)}Known: {', '.join(COMPRESSION_STRATEGIES)}."
    raise UnknownStrategyError(f"There is no strategy {name!r}.", hint)

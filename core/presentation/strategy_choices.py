"""The strategies that Compare, Replay and a folder offer."""

from __future__ import annotations

from core.analysis.compare.model import BASELINE
from core.presentation.model import PickerChoice
from core.presentation.opened_file import PRESETS
from core.strategies.registry import STRATEGIES


def default_strategies() -> tuple[str, ...]:
    """Return the baseline and the strategies, without presets."""
    return (BASELINE, *(strategy.name for strategy in STRATEGIES if strategy.emulates is None))


def strategy_choices() -> tuple[PickerChoice, ...]:
    """Return every strategy but the baseline, by group."""
    return tuple(
        PickerChoice(one.name, one.name, one.about, PRESETS if one.emulates else "strategies")
        for one in STRATEGIES
        if one.name != BASELINE
    )

"""The ordered registry of strategies (REQ-CS-001.2, .5); each is imported when it is first used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from core.common.errors import UnknownStrategyError, nearest_names
from core.common.late_names import LazySequence
from core.common.plugins import PluginRegistry, guarded, load_plugins
from core.strategies import names
from core.strategies.base import Strategy
from core.strategies.passes import (
    with_images_pass,
    with_loop_pass,
    with_unread_pass,
)

_MODULES: Mapping[str, str] = {
    names.MIDDLE_OUT: ".middle_out",
    names.TOP_DOWN: ".top_down",
    names.ONE_SHOT: ".one_shot",
    names.HIGH_DENSITY: ".high_density",
    names.TIERED: ".tiered",
    names.HYBRID: ".hybrid",
    names.EXCERPT: ".excerpt",
    names.STUB: ".stub_and_retrieve",
}
"""Foldline's own strategies by name."""

PRESETS = Path(__file__).resolve().parent / "presets"
"""The folder of the built-in presets, in the repository and in the wheel."""
_ORDER = re.compile(r"^order = (\d+)$", re.MULTILINE)


def _preset_names() -> list[str]:
    """Return the names of the presets by the ``order`` in their files."""
    orders = {
        path.stem: _ORDER.search(path.read_text("utf-8"))
        for path in PRESETS.glob("*.toml")
    }
    return sorted(
        orders, key=lambda name: (int(order[1]) if (order := orders[name]) else 0, name)
    )


def _built_in_strategy(module: str) -> Strategy:
    strategy: Strategy = import_module(module, __package__).STRATEGY
    return with_images_pass(with_loop_pass(with_unread_pass(strategy)))


def _preset(name: str) -> Strategy:
    # Late, like the modules above.
    from core.strategies.presets.engine import (
        load_preset,
        preset_strategy,
    )

    return with_loop_pass(preset_strategy(load_preset(PRESETS / f"{name}.toml")))


_LOADERS = {
    name: partial(_built_in_strategy, module) for name, module in _MODULES.items()
} | {name: partial(_preset, name) for name in _preset_names()}


@cache
def _plugin_strategies() -> tuple[Strategy, ...]:
    return tuple(
        replace(
            declared,
            compress=guarded(declared.compress, package),
            optimize=declared.optimize and guarded(declared.optimize, package),
            package=package,
        )
        for package, declared in load_plugins(
            "foldline.strategies", Strategy, tuple(_LOADERS)
        )
    )


def _plugin_names() -> tuple[str, ...]:
    return tuple(strategy.name for strategy in _plugin_strategies())


COMPACTION_STRATEGIES: Sequence[str] = PluginRegistry(tuple(_LOADERS), _plugin_names)
"""All names in order; everything that lists or checks names derives from this."""

STRATEGIES: Sequence[Strategy] = PluginRegistry(
    LazySequence(tuple(_LOADERS.values())), _plugin_strategies
)
"""Foldline's own strategies, the presets in the order given by their files, then those of
plugins."""


def find_strategy(name: str) -> Strategy:
    """Return the strategy of a name, of a former one or of a program; raises UnknownStrategyError
    with the nearest and all known names."""
    if names.is_program(name):
        # Late: few commands run one.
        from core.strategies.other_program import (
            program_strategy,
        )

        return program_strategy(name)
    name = names.current_name(name)
    if name in COMPACTION_STRATEGIES:
        return STRATEGIES[COMPACTION_STRATEGIES.index(name)]
    hint = nearest_names(
        name, COMPACTION_STRATEGIES, "See all of them with: foldline list strategies."
    )
    raise UnknownStrategyError(f"There is no strategy {name!r}.", hint)

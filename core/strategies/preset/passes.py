"""The mechanical rules of presets, by the name that a TOML file gives them."""

from __future__ import annotations

from collections.abc import Mapping

from core.strategies.preset.clear import ClearResults
from core.strategies.preset.strategy import Pass
from core.strategies.preset.thinking import ClearThinking
from core.strategies.preset.typed import KeepTyped

PASSES: Mapping[str, type[Pass]] = {
    "clear-results": ClearResults,
    "clear-thinking": ClearThinking,
    "keep-typed": KeepTyped,
}
"""``kind`` in a table of [[passes]]; the other keys are the fields of the rule."""

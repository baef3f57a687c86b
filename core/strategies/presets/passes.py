"""The mechanical rules of presets, by the name that a TOML file gives them."""

from __future__ import annotations

from collections.abc import Mapping

from core.strategies.presets.clear_thinking import ClearThinking
from core.strategies.presets.clear_tool_results import ClearResults
from core.strategies.presets.keep_typed import KeepTyped
from core.strategies.presets.preset import Pass

PASSES: Mapping[str, type[Pass]] = {
    "clear-results": ClearResults,
    "clear-thinking": ClearThinking,
    "keep-typed": KeepTyped,
}
"""``kind`` in a table of [[passes]]; the other keys are the fields of the rule."""

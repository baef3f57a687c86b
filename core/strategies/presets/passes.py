"""The mechanical rules of presets, by their names in TOML files."""

from __future__ import annotations

from collections.abc import Mapping

from core.strategies.presets.clear_thinking import ClearThinking
from core.strategies.presets.clear_tool_results import ClearToolResults
from core.strategies.presets.keep_typed import DropOldestWork
from core.strategies.presets.preset import PresetPass

PASSES: Mapping[str, type[PresetPass]] = {
    "clear-results": ClearToolResults,
    "clear-thinking": ClearThinking,
    "keep-typed": DropOldestWork,
}
"""By ``kind`` in a table of [[passes]]; the other keys are the fields of the rule."""

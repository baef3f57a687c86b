"""``foldline strategies``: the strategies and presets."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.arguments import parse_options, parser_for
from core.cli.output.console import aligned_table, print_lines
from core.cli.output.json_output import fields, write_json
from core.common.json_value import Json
from core.presentation.preview_wording import trigger_words
from core.strategies.base import EmulatedProgram, Strategy
from core.strategies.registry import STRATEGIES

ABOUT = "The strategies and the presets, one line each."
_TRIGGER = "mode threshold check own=is_fixed margin tokens messages idle_minutes"
_STRATEGY_COLUMNS = ("strategy", "trigger", "model call", "what it does")
_PRESET_COLUMNS = ("preset", "emulates", "as of", "source")


def run(arguments: Sequence[str]) -> None:
    options = parse_options(parser_for("strategies", ABOUT), arguments)
    if options.json:
        write_json("strategies", {"strategies": [_values(strategy) for strategy in STRATEGIES]})
        return
    rows = [
        (one.name, trigger_words(one.trigger), "yes" if one.requires_llm else "no", _about(one))
        for one in STRATEGIES
    ]
    emulations = [(strategy.name, strategy.emulates) for strategy in STRATEGIES]
    sources = [(name, one.program, one.as_of, source_words(one)) for name, one in emulations if one]
    print_lines(aligned_table(rows, head=_STRATEGY_COLUMNS, indent=""))
    print_lines(["", *aligned_table(sources, head=_PRESET_COLUMNS, indent="")])


def _about(strategy: Strategy) -> str:
    return f"{strategy.about} From {strategy.package}." if strategy.package else strategy.about


def source_words(emulated: EmulatedProgram) -> str:
    """Return where a preset's numbers come from, and whether that is reverse engineered."""
    return f"{emulated.source} Reverse engineered." if emulated.reverse_engineered else emulated.source


def _values(strategy: Strategy) -> dict[str, Json]:
    return {
        **fields(strategy, "name about requires_llm"),
        "optimize": strategy.optimize is not None,
        "needs_limit": strategy.needs_limit,
        "trigger": fields(strategy.trigger, _TRIGGER) | {"words": trigger_words(strategy.trigger)},
        **fields(strategy, "options emulates package?"),
    }

"""``foldline strategies``: the strategies and presets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from core.cli.arguments import add_json, common_options, parser_for
from core.cli.output import json_output
from core.cli.output.console import print_lines
from core.cli.output.table import aligned_table
from core.common.json_value import Json
from core.presentation.trigger_wording import trigger_words
from core.strategies.base import EmulatedProgram, Strategy, Trigger
from core.strategies.registry import STRATEGIES

ABOUT = "The strategies and the presets, one line each."
_STRATEGY_COLUMNS = ("strategy", "trigger", "model call", "what it does")
_PRESET_COLUMNS = ("preset", "emulates", "as of", "source")


def run(arguments: Sequence[str]) -> int:
    parser = parser_for("strategies", ABOUT)
    add_json(parser)
    options = common_options(parser.parse_args(arguments))
    if options.json:
        json_output.write_json("strategies", {"strategies": [_values(strategy) for strategy in STRATEGIES]})
        return 0
    print_lines(aligned_table([_row(strategy) for strategy in STRATEGIES], head=_STRATEGY_COLUMNS, indent=""))
    sources = [
        _source(strategy.name, strategy.emulates) for strategy in STRATEGIES if strategy.emulates is not None
    ]
    print_lines(["", *aligned_table(sources, head=_PRESET_COLUMNS, indent="")])
    return 0


def _row(strategy: Strategy) -> tuple[str, ...]:
    call = "yes" if strategy.requires_llm else "no"
    return strategy.name, trigger_words(strategy.trigger), call, strategy.about


def _source(name: str, emulated: EmulatedProgram) -> tuple[str, ...]:
    return name, emulated.program, emulated.as_of, source_words(emulated)


def source_words(emulated: EmulatedProgram) -> str:
    """Return where a preset's numbers come from, and whether that is reverse engineered."""
    return f"{emulated.source} Reverse engineered." if emulated.reverse_engineered else emulated.source


def _values(strategy: Strategy) -> dict[str, Json]:
    return {
        "name": strategy.name,
        "about": strategy.about,
        "requires_llm": strategy.requires_llm,
        "optimize": strategy.optimize is not None,
        "needs_limit": strategy.needs_limit,
        "trigger": _trigger(strategy.trigger),
        "options": list(strategy.options),
        "emulates": None if strategy.emulates is None else asdict(strategy.emulates),
    }


def _trigger(trigger: Trigger) -> dict[str, Json]:
    """Return the trigger; ``own``: no setting replaces it; 0: it does not depend on that."""
    return {
        "mode": trigger.mode.value,
        "threshold": trigger.threshold,
        "check": trigger.check.value,
        "own": trigger.is_fixed,
        "margin": trigger.margin,
        "tokens": trigger.tokens,
        "messages": trigger.messages,
        "idle_minutes": trigger.idle_minutes,
        "words": trigger_words(trigger),
    }

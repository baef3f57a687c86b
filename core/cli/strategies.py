"""``foldline list strategies``: the strategies and presets."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.arguments import CommandParser, parse_options, parser_for
from core.cli.output.console import print_lines
from core.cli.output.json_output import write_json
from core.cli.output.tables import aligned_table, titled_section
from core.common.json_value import Json
from core.presentation.preview_wording import how_known, trigger_words
from core.settings.schema import setting_text
from core.settings_store.layers import ALL_SETTINGS
from core.strategies.base import EmulatedProgram, Strategy
from core.strategies.registry import STRATEGIES, find_strategy

ABOUT = "The strategies and the presets, one line each."
_STRATEGY_COLUMNS = ("strategy", "trigger", "model call", "what it does")
_PRESET_COLUMNS = ("preset", "emulates", "as of", "source")


def command_parser() -> CommandParser:
    parser = parser_for("list strategies", ABOUT)
    parser.add_argument(
        "name", metavar="NAME", nargs="?", default="", help="explain this one"
    )
    return parser


def run(arguments: Sequence[str]) -> None:
    options = parse_options(command_parser(), arguments)
    shown = [find_strategy(options.name)] if options.name else STRATEGIES
    if options.json:
        write_json(
            "strategies", {"strategies": [_values(strategy) for strategy in shown]}
        )
        return
    if options.name:
        print_lines(_explained(shown[0]))
        return
    rows = [
        (
            one.name,
            trigger_words(one.trigger),
            "yes" if one.requires_llm else "no",
            _about(one),
        )
        for one in STRATEGIES
    ]
    emulations = [(strategy.name, strategy.emulates) for strategy in STRATEGIES]
    sources = [
        (name, one.program, one.as_of, source_words(one))
        for name, one in emulations
        if one
    ]
    print_lines(aligned_table(rows, head=_STRATEGY_COLUMNS, indent=""))
    print_lines(["", *aligned_table(sources, head=_PRESET_COLUMNS, indent="")])


def _explained(strategy: Strategy) -> list[str]:
    """Return what a strategy does, when, with which prompts and settings."""
    rows = [
        ("acts", trigger_words(strategy.trigger)),
        ("context limit", "needed" if strategy.needs_limit else "not needed"),
        ("model call", "yes" if strategy.requires_llm else "no"),
        ("prompts", ", ".join(strategy.prompts) or "none"),
    ]
    if strategy.emulates is not None:
        rows += [
            (
                "emulates",
                f"{strategy.emulates.label}, as of {strategy.emulates.as_of}",
            )
        ]
        rows += [("source", source_words(strategy.emulates))]
    settings = [
        (one.key, setting_text(one.kind, one.default), one.help)
        for one in ALL_SETTINGS
        if one.key in strategy.options
    ]
    table = titled_section(
        "Settings", aligned_table(settings, head=("key", "default", "what it does"))
    )
    return [
        f"{strategy.name}: {_about(strategy)}",
        "",
        *aligned_table(rows),
        *(table if settings else []),
    ]


def _about(strategy: Strategy) -> str:
    if strategy.package:
        return f"{strategy.about} From {strategy.package}."
    return strategy.about


def source_words(emulated: EmulatedProgram) -> str:
    """Return where a preset's numbers come from, and whether they are inferred."""
    if emulated.reverse_engineered:
        return f"{emulated.source} {how_known(emulated).capitalize()}."
    return emulated.source


def _values(strategy: Strategy) -> dict[str, Json]:
    return {
        "name": strategy.name,
        "about": strategy.about,
        "requires_llm": strategy.requires_llm,
        "optimize": strategy.optimize is not None,
        "needs_limit": strategy.needs_limit,
        "trigger": {
            "mode": strategy.trigger.mode,
            "threshold": strategy.trigger.threshold,
            "check": strategy.trigger.check,
            "own": strategy.trigger.is_fixed,
            "margin": strategy.trigger.margin,
            "tokens": strategy.trigger.tokens,
            "messages": strategy.trigger.messages,
            "idle_minutes": strategy.trigger.idle_minutes,
        }
        | {"words": trigger_words(strategy.trigger)},
        "options": strategy.options,
        "emulates": strategy.emulates,
        "package": strategy.package or None,
    }

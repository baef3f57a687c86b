"""``foldline models``: the table of models in use, its newest models with prices; update and reset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.cli.arguments import CommandParser, CommonOptions, add_json, common_options, parser_for
from core.cli.output import json_output
from core.cli.output.console import print_lines
from core.cli.output.table import aligned_table
from core.common.errors import InputError
from core.common.json_value import Json
from core.common.number_format import abbreviated, count
from core.llm.catalog import find_model, known_models, token_rates
from core.llm.model_table import (
    ModelTableFile,
    reset_table,
    table_file,
    table_rows,
    update_table,
    user_table_path,
)
from core.llm.prices import TokenRates
from core.presentation.price_choices import price_per_million

ABOUT = "The table of models that limits and prices come from; update takes a newer one from a file."
ACTIONS = ("list", "update", "reset")
_COLUMNS = ("model", "limit", "input", "output", "cache read", "written", "for 1 h", "requests")


def run(arguments: Sequence[str]) -> int:
    parsed = _parser().parse_args(arguments)
    options = common_options(parsed)
    if bool(parsed.file) != (parsed.action == "update"):
        usage_problem = "needs a FILE" if parsed.action == "update" else "takes no FILE"
        raise InputError(f"foldline models {parsed.action} {usage_problem}.", "See foldline models --help.")
    if parsed.action == "update":
        _update(options, Path(parsed.file))
    elif parsed.action == "reset":
        _reset(options)
    else:
        _list(options)
    return 0


def _parser() -> CommandParser:
    parser = parser_for("models", ABOUT)
    choices = "|".join(ACTIONS)
    parser.add_argument(
        "action", nargs="?", choices=ACTIONS, default="list", metavar=choices, help="by default list"
    )
    parser.add_argument(
        "file", nargs="?", default="", metavar="FILE", help="a table as litellm's, for update: JSON"
    )
    add_json(parser)
    return parser


def _update(options: CommonOptions, source: Path) -> None:
    models = update_table(source)
    if options.json:
        json_output.write_json("models-update", {"path": str(user_table_path()), "models": models})
    else:
        print_lines(
            [f"{count(models)} models are kept in {user_table_path()}; limits and prices come from there."]
        )


def _reset(options: CommonOptions) -> None:
    removed = reset_table()
    if options.json:
        json_output.write_json("models-reset", {"path": str(user_table_path()), "removed": removed})
    else:
        state = "was removed" if removed else "does not exist"
        print_lines(
            [f"{user_table_path()} {state}; limits and prices come from the table that ships with Foldline."]
        )


def _list(options: CommonOptions) -> None:
    file = table_file()
    if options.json:
        values: list[Json] = [_values(name) for name in known_models()]
        json_output.write_json("models", {"table": _table_values(file), "newest": values})
        return
    print_lines([_table_sentence(file), ""])
    rows = [row for name in known_models() for row in _rows(name)]
    print_lines([*aligned_table(rows, range(1, len(_COLUMNS) - 1), head=_COLUMNS, indent=""), ""])
    print_lines(["US dollars for a million tokens. All of a request has the prices of its size."])


def _table_sentence(file: ModelTableFile | None) -> str:
    if file is None:
        return "There is no table of models, so no limit and no price is known."
    origin = "given with foldline models update" if file.is_user_table else "shipped with Foldline"
    size = f"{count(len(table_rows()))} models, {file.size / 1_000_000:.1f} MB"
    return f"{file.path}, {origin}, of {file.modified:%Y-%m-%d}: {size}."


def _table_values(file: ModelTableFile | None) -> Json:
    if file is None:
        return None
    return {
        "path": str(file.path),
        "given": file.is_user_table,
        "written": file.modified.isoformat(timespec="seconds"),
        "bytes": file.size,
        "models": len(table_rows()),
    }


def _prices(name: str) -> list[tuple[int, TokenRates]]:
    """Return the prices of a model by the size above which they hold."""
    rates = token_rates(name)
    return [(0, rates), *rates.tiers] if rates is not None else []


def _rows(name: str) -> list[tuple[str, ...]]:
    info = find_model(name)
    limit = abbreviated(info.max_input_tokens if info is not None else None)
    return [
        (
            *(("", "") if above else (name, limit)),
            *(
                price_per_million(rate)
                for rate in (
                    tier_rates.input,
                    tier_rates.output,
                    tier_rates.read,
                    tier_rates.write,
                    tier_rates.write_hour,
                )
            ),
            f"above {above:,} tokens" if above else "",
        )
        for above, tier_rates in _prices(name)
    ]


def _values(name: str) -> Json:
    info = find_model(name)
    prices: list[Json] = [
        {
            "above": above,
            "input": tier_rates.input,
            "output": tier_rates.output,
            "cache_read": tier_rates.read,
            "cache_write": tier_rates.write,
            "cache_write_hour": tier_rates.write_hour,
        }
        for above, tier_rates in _prices(name)
    ]
    return {"name": name, "limit": info.max_input_tokens if info is not None else None, "prices": prices}

"""``foldline list models``: the table of models in use, its newest models with prices; and
``foldline models update`` and ``reset``, which change it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.cli.arguments import CommandParser, CommonOptions, parse_options, parser_for
from core.cli.output.console import print_lines
from core.cli.output.json_output import write_json
from core.cli.output.tables import aligned_table
from core.common.errors import InputError, nearest_names
from core.common.json_value import Json
from core.common.number_format import abbreviated, count
from core.llm.catalog import (
    NO_TABLE_HINT,
    TokenRates,
    find_model,
    known_models,
    reset_table,
    table_file,
    table_rows,
    token_rates,
    update_table,
    user_table_path,
)
from core.presentation.opened_file import price_per_million

ABOUT = "The table of models that limits and prices come from, and its newest models."
CHANGE_ABOUT = (
    "Take a newer table of models from a file, or go back to the one that ships."
)
ACTIONS = ("list", "update", "reset")
_COLUMNS = (
    "model",
    "limit",
    "input",
    "output",
    "cache read",
    "written",
    "for 1 h",
    "requests",
)
_RATES = ("input", "output", "read", "write", "write_hour")


def command_parser() -> CommandParser:
    parser = parser_for("list models", ABOUT)
    parser.add_argument(
        "name", metavar="NAME", nargs="?", default="", help="this one alone"
    )
    return parser


def run(arguments: Sequence[str]) -> None:
    if any(word in ACTIONS for word in arguments):
        _run_action(arguments)
        return
    options = parse_options(command_parser(), arguments)
    if options.name and table_file() is None:
        raise InputError("There is no model table.", f"{NO_TABLE_HINT}.")
    if options.name and find_model(options.name) is None:
        hint = nearest_names(
            options.name, table_rows(), "See the newest with: foldline list models."
        )
        raise InputError(f"There is no model {options.name!r} in the table.", hint)
    _list(options, [options.name] if options.name else known_models())


def _run_action(arguments: Sequence[str]) -> None:
    parser = parser_for("models", CHANGE_ABOUT)
    parser.add_argument(
        "action",
        nargs="?",
        choices=ACTIONS,
        default="list",
        metavar="|".join(ACTIONS),
        help="by default list",
    )
    about = "a table as litellm's, for update: JSON"
    parser.add_argument("file", nargs="?", default="", metavar="FILE", help=about)
    options = parse_options(parser, arguments)
    if bool(options.file) != (options.action == "update"):
        usage_problem = (
            "needs a FILE" if options.action == "update" else "takes no FILE"
        )
        raise InputError(
            f"foldline models {options.action} {usage_problem}.",
            "Write foldline models update FILE.",
        )
    if options.action == "list":
        _list(options, known_models())
        return
    {"update": _update, "reset": _reset}[options.action](options)


def _update(options: CommonOptions) -> None:
    models = update_table(Path(options.file))
    path = user_table_path()
    if options.json:
        write_json("models-update", {"path": path, "models": models})
    else:
        print_lines(
            [
                f"{count(models)} models are kept in {path}; limits and prices come from there."
            ]
        )


def _reset(options: CommonOptions) -> None:
    removed = reset_table()
    path = user_table_path()
    if options.json:
        write_json("models-reset", {"path": path, "removed": removed})
        return
    state = "was removed" if removed else "does not exist"
    print_lines(
        [
            f"{path} {state}; limits and prices come from the table that ships with Foldline."
        ]
    )


def _list(options: CommonOptions, names: Sequence[str]) -> None:
    if options.json:
        write_json(
            "models", {"table": _table_values(), "newest": list(map(_values, names))}
        )
        return
    rows = [row for name in names for row in _rows(name)]
    table = aligned_table(rows, range(1, len(_COLUMNS) - 1), head=_COLUMNS, indent="")
    note = (
        "US dollars for a million tokens. All of a request has the prices of its size."
    )
    print_lines([_table_sentence(), "", *table, "", note])


def _table_sentence() -> str:
    file = table_file()
    if file is None:
        return f"There is no model table, so no limit and no price is known. {NO_TABLE_HINT}."
    if file.is_user_table:
        origin = "given with foldline models update"
    else:
        origin = "shipped with Foldline"
    size = f"{count(len(table_rows()))} models, {file.size / 1_000_000:.1f} MB"
    return f"{file.path}, {origin}, of {file.modified:%Y-%m-%d}: {size}."


def _table_values() -> Json:
    file = table_file()
    return file and {
        "path": file.path,
        "given": file.is_user_table,
        "written": file.modified.isoformat(timespec="seconds"),
        "bytes": file.size,
        "models": len(table_rows()),
    }


def _limit(name: str) -> int | None:
    info = find_model(name)
    return info.max_input_tokens if info is not None else None


def _prices(name: str) -> list[tuple[int, TokenRates]]:
    """Return the prices of a model by the size above which they hold."""
    rates = token_rates(name)
    if rates is not None:
        return [(0, rates), *rates.tiers]
    return []


def _rows(name: str) -> list[tuple[str, ...]]:
    rows = []
    for above, rates in _prices(name):
        prices = (price_per_million(getattr(rates, rate)) for rate in _RATES)
        if above:
            requests = f"above {above:,} tokens"
        else:
            requests = ""
        rows.append(
            (
                *(("", "") if above else (name, abbreviated(_limit(name)))),
                *prices,
                requests,
            )
        )
    return rows


def _values(name: str) -> Json:
    prices = [
        {"above": above}
        | {
            "input": rates.input,
            "output": rates.output,
            "cache_read": rates.read,
            "cache_write": rates.write,
            "cache_write_hour": rates.write_hour,
        }
        for above, rates in _prices(name)
    ]
    return {"name": name, "limit": _limit(name), "prices": prices}

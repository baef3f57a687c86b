"""``foldline compare FILE|DIR -s NAME --against PROGRAM``: compares a strategy with another program
that implements it, and lists where their results differ."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from core.app.services.export import save_export
from core.cli.active_settings import active_settings, note_program
from core.cli.arguments import CommonOptions, refuse_options
from core.cli.output.console import (
    REPLACE_HINT,
    ConsoleProgress,
    print_lines,
    print_note,
)
from core.cli.output.tables import aligned_table
from core.cli.session_answers import named_sessions
from core.common import number_format
from core.common.atomic_file import TargetExistsError
from core.common.crash_report import item_problem
from core.common.errors import FoldlineError, InputError
from core.presentation.dialog_model import ExportRequest
from core.reports.report_data import export_input
from core.strategies.names import PROGRAM
from core.strategies.registry import find_strategy
from core.trials.implementations import ImplementationPair, compare_implementations
from core.trials.sessions import TrialSession, opened_session

_GOLDEN = "golden"
_HEAD = ("file", "tokens", "the program's", "first difference", "golden case")


def compare_with_program(options: CommonOptions, program: str) -> int:
    """Print a line for each file in which they differ, and save the strategy's golden case of it.

    Returns the exit code: 1 where one differs.

    Raises InputError for wrong options, or where no file holds a transcript.
    """
    _check(options)
    name = find_strategy(options.names[0]).name
    values = active_settings(options).layers.resolve()
    note_program(options, program)
    sessions = named_sessions(options, values)
    rows, compared = [], 0
    with ConsoleProgress(options) as progress:
        for number, session in enumerate(sessions):
            path = Path(session.name)
            progress(number / len(sessions), path.name)
            pair = _compared(session, program, options)
            if pair is None:
                continue
            compared += 1
            if not pair.is_same:
                saved = _saved(pair, path, options)
                rows.append((path.name, *_cells(pair, name, program), saved))
    if not compared:
        raise InputError(
            f"{options.file} holds no transcript.", "Name a folder that holds some."
        )
    files = number_format.plural(compared, "file")
    print_lines(
        [
            f"{program} and {name} differ in {len(rows):,} of {files}.",
            *(aligned_table(rows, (1, 2), head=_HEAD) if rows else ()),
        ]
    )
    return 1 if rows else 0


def _check(options: CommonOptions) -> None:
    if len(options.names) != 1:
        raise InputError(
            "--against needs two names, or one program and a strategy.",
            "Write --against middle-out pi, or -s middle-out --against 'node mine.js'.",
        )
    others = (
        ("--json", options.json),
        ("--csv", options.csv),
        ("--left", options.left),
        ("--engine", options.engine),
        ("--strategy-command", options.strategy_command),
        ("--profile", options.profiles),
    )
    refuse_options(others, "cannot be used with --against PROGRAM", "Leave it out.")


def _compared(
    session: TrialSession, program: str, options: CommonOptions
) -> ImplementationPair | None:
    """Return the two results of a file; None where a folder holds a file that cannot be compared,
    which is noted."""
    try:
        source = opened_session(session, ConsoleProgress(options))
        return compare_implementations(source, options.names[0], PROGRAM + program)
    except FoldlineError as error:
        if not os.path.isdir(options.file):
            raise
        print_note(options, f"{Path(session.name).name}: {item_problem(error)}")
        return None


def _cells(
    pair: ImplementationPair, name: str, program: str
) -> Iterator[str | int | None]:
    theirs = pair.theirs
    yield pair.ours.sizes.after_tokens
    yield None if theirs is None else theirs.sizes.after_tokens
    if theirs is None:
        yield pair.problem
        return
    if not pair.fates:
        yield f"message {pair.result_index + 1} of the results: another text"
        return
    first = pair.fates[0]
    number = number_format.message_number(first.index)
    more = len(pair.fates) - 1
    if more:
        others = f", and {number_format.plural(more, 'more message')}"
    else:
        others = ""
    yield f"{number}: {first.ours} by {name}, {first.theirs} by {program}{others}"


def _saved(pair: ImplementationPair, path: Path, options: CommonOptions) -> str:
    """Save the golden case of the strategy's run; returns its name, a dash without ``--out``."""
    if not options.out:
        return number_format.UNKNOWN
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{path.stem}.{pair.ours.strategy.name}.json"
    request = ExportRequest(path=str(target), format=_GOLDEN, overwrite=options.yes)
    try:
        save_export(export_input(pair.ours, result=True), request)
    except TargetExistsError as error:
        raise InputError(error.message, REPLACE_HINT) from None
    return target.name

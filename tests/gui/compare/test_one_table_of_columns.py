"""Every figure of Compare says the same in the window, on the command line, in CSV and in JSON."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt

from core.analysis.model import BASELINE
from core.cli import compare as command
from core.cli.output import tables
from core.cli.output.compare_output import (
    CompareOutput,
    file_report,
    file_values,
    folder_report,
)
from core.cli.output.tables import aligned_table
from core.common.number_format import UNKNOWN
from core.losses.needed_later import NeededLater
from core.presentation.compare.columns import (
    COMPARE,
    CSV_COLUMNS,
    FILES,
    FOLDER,
    csv_cells,
    means_by_name,
    means_json,
    row_json,
    unit_cell,
)
from core.presentation.compare.model import Column, ResultTable, Unit
from core.strategies.hybrid import STRATEGY as HYBRID
from core.strategies.middle_out import STRATEGY as MIDDLE_OUT
from core.trials.sessions import SessionAnswer
from core.trials.trial import Trial, TrialResult
from gui.compare.results_table import ResultEntry, ResultsModel
from tests.core.cli.running_cli import SESSION


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> CompareOutput:
    """A comparison of one file with a row that failed, one that is hidden in part and one that
    never pays."""
    found: list[CompareOutput] = []
    monkeypatch.setattr(command, "file_report", lambda output: found.append(output))
    monkeypatch.setattr(command, "print_lines", lambda lines: None)
    names = (BASELINE, MIDDLE_OUT.name, HYBRID.name, "recorded")
    command.run([SESSION, *(word for name in names for word in ("-s", name))])
    (output,) = found
    row = next(one for one in output.comparison.rows if one.name == MIDDLE_OUT.name)
    assert row.cost is not None
    others = (
        replace(row, trial=Trial("failed"), error="It did not work."),
        replace(row, trial=Trial("hidden"), sizes=replace(row.sizes, hidden=True)),
        replace(
            row,
            trial=Trial("never"),
            cost=replace(row.cost, break_even=None),
            lint=(2, 1),
        ),
        replace(
            row,
            trial=Trial("at once"),
            cost=replace(row.cost, break_even=0.0),
            lint=(0, 1),
        ),
    )
    return replace(
        output,
        comparison=replace(output.comparison, rows=(*output.comparison.rows, *others)),
    )


def window_table(
    table: ResultTable[Any], rows: dict[str, Any], mark: str = ""
) -> list[list[str]]:
    """Return the head and the cells that the window shows with all its columns."""
    model = ResultsModel(table)
    model.show_columns([column.label for column in table.columns])
    model.show_entries([ResultEntry(name, row) for name, row in rows.items()], mark)
    columns = range(1, model.columnCount())
    lines = [[model.title(column) for column in columns]]
    for name in rows:
        entry = model.entry_at(model.row_of(name))
        assert entry is not None
        is_failed = bool(model.error(entry))
        lines.append(
            [
                UNKNOWN if is_failed else model.cell(entry, column).text
                for column in columns
            ]
        )
    return lines


def printed(front: list[list[str]], shown: list[list[str]]) -> list[str]:
    """Return what the command line prints of a table of the window, behind the columns in
    ``front``."""
    head, *lines = [[*names, *cells] for names, cells in zip(front, shown, strict=True)]
    return aligned_table(lines, range(len(front[0]), len(head)), head=head, indent="")


def test_a_file_has_the_same_labels_and_texts(compared: CompareOutput) -> None:
    rows = {row.name: row for row in compared.comparison.rows}
    names = [[f"{name}{' *' if row.on_front else ''}"] for name, row in rows.items()]
    shown = window_table(COMPARE, rows, compared.source.sizes.count_method.mark)
    expected = printed([[COMPARE.title], *names], shown)
    lines = list(file_report(compared))
    start = lines.index(expected[0])
    assert lines[start : start + len(expected)] == expected


def test_a_folder_has_the_same_labels_and_texts(compared: CompareOutput) -> None:
    plain = [replace(row, on_front=False, note="") for row in compared.comparison.rows]
    rows = {row.name: replace(row, file=row.name) for row in plain}
    front = [[name, name, row.error or row.no_op] for name, row in rows.items()]
    lines = list(folder_report([SessionAnswer(name="a", result=tuple(rows.values()))]))
    means = lines[lines.index("Means") + 1 :]
    files = printed(
        [[FILES.title, COMPARE.title, ""], *front], window_table(FILES, rows)
    )
    assert lines[: len(files)] == files
    by_name = {one.name: one for one in means_by_name(rows.values())}
    front = [[FOLDER.title], *([name] for name in by_name)]
    assert means == [
        f"  {line}" for line in printed(front, window_table(FOLDER, by_name))
    ]


def test_a_column_without_any_figure_is_shown_if_it_is_chosen(
    compared: CompareOutput,
) -> None:
    known, *others = [row for row in compared.comparison.rows if not row.error]
    unknown = [
        replace(row, losses=replace(row.losses, needed=None))
        for row in (known, *others)
    ]
    model = ResultsModel(COMPARE)
    assert "needed later" not in shown_labels(model, unknown)
    assert "needed later" in [column.label for column in model.optional_columns]
    model.show_columns(["needed later"])
    assert "needed later" in shown_labels(model, unknown)
    model.show_columns(())
    measured = replace(
        known, losses=replace(known.losses, needed=NeededLater(10, 9, 9))
    )
    assert "needed later" in shown_labels(model, [measured, *unknown[1:]])


def shown_labels(model: ResultsModel, rows: Sequence[TrialResult]) -> list[str]:
    model.show_entries([ResultEntry(row.name, row) for row in rows], "")
    return [column.label for column in model.columns]


def test_data_have_the_figures_of_the_table(compared: CompareOutput) -> None:
    """A text is the value of its key in its unit, where a column has no words of its own."""
    for row, data in zip(
        compared.comparison.rows, list(file_values(compared)["rows"]), strict=True
    ):
        csv = dict(zip(CSV_COLUMNS, csv_cells(row), strict=True))
        assert list(csv) == list(data)
        assert data == row_json(replace(row, file=data["file"]))
        for column in (*COMPARE.columns, *FILES.columns):
            if column.key in data and not row.error:
                check(column, row, data[column.key], csv[column.key])


def check(column: Column[TrialResult], row: TrialResult, value: Any, cell: Any) -> None:
    text = column.cell(row).text
    if (
        column.unit in (Unit.SHARE, Unit.CHANGE, Unit.DOLLARS, Unit.CALLS)
        and value is not None
    ):
        assert text in (
            unit_cell(column.unit, value).text,
            UNKNOWN if column.unit is Unit.CALLS else text,
        )
    if column.unit is Unit.CALLS and value is None:
        assert cell == ("" if text == UNKNOWN else text)
    else:
        assert cell == ("" if value is None else value)


def test_means_have_a_column_only_for_what_they_count(compared: CompareOutput) -> None:
    (means, *_) = means_by_name(compared.comparison.rows)
    assert {column.key for column in FOLDER.columns} <= {*means_json(means)}


def test_a_narrow_terminal_keeps_what_the_rows_are_ranked_by(
    compared: CompareOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "terminal_columns", lambda: 100)
    head = next(
        line for line in file_report(compared) if line.startswith(COMPARE.title)
    )
    assert all(
        label in head for label in ("tokens after", "needed later", "backtest", "cost")
    )


def test_heads_of_losses_and_of_the_past_say_what_each_counts() -> None:
    model = ResultsModel(COMPARE)
    model.show_columns([column.label for column in COMPARE.columns])
    orientation, role = Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    tips = {
        model.title(column): str(model.headerData(column, orientation, role))
        for column in range(model.columnCount())
    }
    assert "after earlier points of the session" in tips["backtest"]
    assert "after the compaction" in tips["needed later"]
    assert all("A click sorts by this column" in tip for tip in tips.values())

"""Tables on a terminal and in a pipe."""

import os

import pytest

from core.cli.output import tables
from core.cli.output.tables import (
    aligned_table,
    display_width,
    elided,
    marks_text,
    paragraph,
)
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.cli.test_cli_commands import COMMANDS

PATH = "/home/ada/work/a-very-long-folder-name/of-a-project/sessions/2026-11-28/session.jsonl"
HEAD = ("file", "agent", "tokens", "saved", "about")
ROWS = [
    (
        PATH,
        "Claude Code",
        82_805,
        "−46.4 %",
        "Compacted at the trigger, then read again by the person.",
    )
]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A terminal as standard output; its width is that of COLUMNS."""
    monkeypatch.setattr(tables, "terminal_columns", lambda: int(os.environ["COLUMNS"]))
    return monkeypatch


def test_nothing_is_cut_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text = "\n".join(aligned_table(ROWS, (2, 3), head=HEAD))
    assert PATH in text
    assert "…" not in text
    assert all(word in text for word in HEAD)


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 132, 200])
def test_a_table_fits_the_terminal(terminal: pytest.MonkeyPatch, columns: int) -> None:
    terminal.setenv("COLUMNS", str(columns))
    lines = aligned_table(ROWS, (2, 3), head=HEAD)
    assert max(map(display_width, lines)) <= columns
    left_out = " ".join(line.strip() for line in lines if "…" not in line).partition(
        "Left out"
    )[2]
    shown = lines[0].split()
    assert all((title in shown) is not (title in left_out) for title in HEAD)


def test_the_longest_text_loses_its_middle_before_a_column_goes(
    terminal: pytest.MonkeyPatch,
) -> None:
    terminal.setenv("COLUMNS", "120")
    head, row, *_ = aligned_table(ROWS, (2, 3), head=HEAD)
    assert head.split() == list(HEAD)
    cell = row.split()[0]
    start, end = cell.split("…")
    assert PATH.startswith(start)
    assert PATH.endswith(end)


def test_columns_go_in_the_declared_order(terminal: pytest.MonkeyPatch) -> None:
    numbers = [(100, 200, 300, 400, 500, 600, 700, 800, 900, 950)]
    head = tuple("abcdefghij")
    terminal.setenv("COLUMNS", "40")
    table = aligned_table(numbers, range(10), head=head, drop=(1, 3))
    assert table[0].split() == ["a", "c", "e", "f", "g", "h", "i", "j"]
    assert "Left out on this narrow terminal: b, d." in " ".join(
        " ".join(table[2:]).split()
    )


def test_wide_characters_are_counted() -> None:
    assert elided("abcdef", 6) == "abcdef"
    assert elided("abcdefgh", 5) == "ab…gh"
    short = elided("文字文字文字文字", 9)
    assert display_width(short) <= 9
    assert short[0] == short[-2] == "文"


@pytest.mark.parametrize(
    ("lines", "marks"),
    [
        (["tokens  =2,936", "cost  ≈ $0.37"], "=≈"),
        (["= tokens", "3,595"], "="),
        (["≈ tokens after"], "≈"),
        (["aim = 20,000 tokens: --set a=20", "[ctx: 3%]"], ""),
    ],
)
def test_only_the_marks_that_stand_there_are_explained(
    lines: list[str], marks: str
) -> None:
    said = marks_text(lines)
    assert "".join(part[0] for part in said.split(", ") if part) == marks


def test_paragraphs_fit_as_well(terminal: pytest.MonkeyPatch) -> None:
    terminal.setenv("COLUMNS", "50")
    assert max(map(len, paragraph("word " * 60, "  ", "  "))) <= 50


@pytest.mark.parametrize("columns", [40, 80])
def test_a_table_without_rows_is_empty(
    terminal: pytest.MonkeyPatch, columns: int
) -> None:
    terminal.setenv("COLUMNS", str(columns))
    assert aligned_table([], (0,)) == []


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_table_of_a_command_leaves_columns_out(
    cli: Cli, terminal: pytest.MonkeyPatch, columns: int
) -> None:
    terminal.setenv("COLUMNS", str(columns))
    assert cli.run("compare", SESSION, "-s", "middle-out,pi") == 0
    assert max(map(display_width, cli.out.splitlines())) <= columns
    assert "Left out on this narrow terminal: " in " ".join(cli.out.split())


def no_path(line: str) -> bool:
    return not any("/" in word and len(word) > 60 for word in line.split())


@pytest.mark.parametrize(
    "command", [name for name in COMMANDS if name not in ("prompts-show", "tune")]
)
def test_every_line_of_a_command_fits(
    cli: Cli, terminal: pytest.MonkeyPatch, command: str
) -> None:
    """Only a path is never broken. The text of a prompt stands as it is; a search takes too
    long."""
    terminal.setenv("COLUMNS", "60")
    assert cli.run(command.split("-")[0], *COMMANDS[command]) in (0, 1), cli.err
    assert (
        max(map(display_width, filter(no_path, cli.out.splitlines())), default=0) <= 60
    )

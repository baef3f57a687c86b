"""``foldline compare`` on one file: table, JSON, CSV, errors."""

from __future__ import annotations

import csv
import io
from importlib import import_module

import pytest

from core.analysis.compare.compare import CSV_COLUMNS
from core.analysis.model import BASELINE
from core.strategies.middle_out import STRATEGY as MIDDLE_OUT
from core.strategies.registry import COMPRESSION_STRATEGIES
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.cli.test_cli_model import local
from tests.loopback import run_loopback

TWO = ("-s", BASELINE, "-s", MIDDLE_OUT.name)


def names(text: str) -> list[str]:
    """Return the first words of a table's lines."""
    return [line.split("  ")[0].removesuffix(" *") for line in text.splitlines()]


def test_the_table_has_a_line_for_everything(cli: Cli) -> None:
    assert cli.run("compare", SESSION) == 0
    assert {*COMPRESSION_STRATEGIES, "recorded 1"} <= set(names(cli.out))
    assert "all summaries offline" in cli.out
    assert "What the agent did, and what its preset would have done" in cli.out
    assert "%  " not in cli.err  # progress is for terminals


def test_csv_has_a_cell_for_every_column(cli: Cli) -> None:
    assert cli.run("compare", SESSION, *TWO, "--csv") == 0
    head, *lines = csv.reader(io.StringIO(cli.out))
    assert tuple(head) == CSV_COLUMNS
    assert [line[1] for line in lines] == [BASELINE, MIDDLE_OUT.name]
    assert {len(line) for line in lines} == {len(head)}


def test_two_rows_are_set_against_each_other(cli: Cli) -> None:
    found = cli.json("compare", SESSION, *TWO, "--against", MIDDLE_OUT.name, BASELINE)["against"]
    assert (found["a"], found["b"], found["lost_in_b"]) == (MIDDLE_OUT.name, BASELINE, [])
    assert {"category", "text", "messages", "in_the_other"} == set(found["lost_in_a"][0])
    assert cli.run("compare", SESSION, *TWO, "--against", MIDDLE_OUT.name, BASELINE) == 0
    assert f"Lost with {MIDDLE_OUT.name}, not with {BASELINE}: {len(found['lost_in_a'])} facts" in cli.out


def test_a_row_that_there_will_not_be_is_refused_before_any_run(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("core.cli.compare"), "CompareService", None)
    for name in ("nobody", "recorded 9"):
        told = cli.error_text("compare", SESSION, *TWO, "--against", BASELINE, name)
        assert told.startswith(f"--against: there is no row {name!r}. Rows: {BASELINE}, {MIDDLE_OUT.name}.")


# With a model


def test_a_profile_writes_the_summaries(cli: Cli) -> None:
    with run_loopback() as server:
        local(server)
        found = cli.json("compare", SESSION, *TWO, "--profile", "local")
    assert found["summaries"] == "local"
    assert "nothing to pay" in cli.err
    assert len(server.log) == 1
    assert found["rows"][1]["calls"] == 1

"""No option is silently ignored: what every command takes is told where it does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.cli.running_cli import CHAT, Cli


@pytest.fixture
def summary(tmp_path: Path) -> str:
    path = tmp_path / "summary.txt"
    path.write_text("A summary of what was said about the upload.")
    return str(path)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("lint {file} -s pi --set context-limit=9000", "-s and --set have no effect: lint compacts nothing."),
        ("lint {file} --model gpt-4o", "--model has no effect"),
        (
            "inspect {file} --summary-file {summary}",
            "--summary-file has no effect: inspect writes no summary",
        ),
        ("convert {file} --to openai -s pi", "-s has no effect: a transcript is written as it is"),
        ("compact {file} -s high-density --focus x", "--focus has no effect: high-density asked for no su"),
        ("compare {file} -s high-density --summary-file {summary}", "no strategy here asks for a summary"),
        ("replay {file} -s high-density --set context-limit=9000 --price-as gpt-4o", "--price-as has no"),
        ("sweep {file} -s high-density --vary context-limit=5000,9000 --price-as gpt-4o", "--price-as has"),
        ("probe {file} -s high-density --dry-run --focus x", "--focus has no effect"),
        ("compact {file} -s pi --set hybrid.target=0.2", "--set hybrid.target has no effect: pi does not"),
        ("inspect {file} -s pi --set compaction.target=0.2", "--set compaction.target has no effect"),
        ("compare {file} -s pi -s none --set hybrid.target=0.2", "has no effect: no strategy here reads it."),
        ("replay {file} -s none --set hybrid.target=0.2", "--set hybrid.target has no effect: none does not"),
        (
            "sweep {file} -s tiered --vary compaction.target=0.1,0.2 --set hybrid.target=0.2",
            "tiered does not",
        ),
    ],
)
def test_what_does_nothing_is_told(cli: Cli, summary: str, line: str, words: str) -> None:
    assert cli.run(*line.format(file=CHAT, summary=summary).split()) == 0
    assert words in cli.err


def test_nothing_is_told_of_what_has_its_effect(cli: Cli, summary: str) -> None:
    for line in (
        "compact {file} -s middle-out --set compression.strategy=middle-out --summary-file {summary}",
        "compare {file} -s middle-out -s high-density --summary-file {summary}",
        "convert {file} --to html -s pi -o -",
    ):
        assert cli.run(*line.format(file=CHAT, summary=summary).split()) == 0
        assert "no effect" not in cli.err

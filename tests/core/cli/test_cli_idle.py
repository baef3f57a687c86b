"""No option is silently ignored: it is refused, or reported on standard error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.cli.running_cli import CHAT, SESSION, Cli

SUMMARY = "A summary of what was said about the upload."


@pytest.fixture
def summary(tmp_path: Path) -> str:
    path = tmp_path / "summary.txt"
    path.write_text(SUMMARY)
    return str(path)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"compact {CHAT} --redact", "--redact needs a place to write to"),
        (f"compact {CHAT} --no-redact", "--no-redact needs a place to write to"),
        (f"compact {CHAT} -s pi -s tiered", "given twice"),
        (f"compact {CHAT} -s pi --set compression.strategy=tiered", "-s is pi, but --set is tiered"),
        (f"compare {CHAT} --csv --against none pi", "--against is not part of the CSV output"),
        (f"probe {CHAT} --dry-run --judge offline", "--judge only grades questions of --free"),
        (
            f"sweep {CHAT} -s tiered --vary context-limit=5000,9000 --set context-limit=7000",
            "--set context-limit has no effect where it is varied",
        ),
        (f"convert {CHAT} --to html --put-back 1", "--put-back is for transcripts"),
        (
            f"convert {SESSION} --to llxprt --put-back 1 --scope current",
            "--put-back is for the whole session",
        ),
        ("prompts install --model gpt-4o", "--model has no effect on foldline prompts install"),
        ("prompts path --profile offline", "--profile has no effect on foldline prompts path"),
        ("prompts list --profile offline --provider openai", "--profile has no effect beside --provider"),
    ],
)
def test_what_would_do_nothing_is_refused(cli: Cli, line: str, words: str) -> None:
    assert words in cli.error_text(*line.split())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("lint {file} -s pi --set context-limit=9000", "-s and --set have no effect: lint compacts nothing."),
        ("lint {file} --model gpt-4o", "--model has no effect"),
        (
            "inspect {file} --summary-file {summary}",
            "--summary-file has no effect: inspect writes no summary.",
        ),
        ("convert {file} --to openai -s pi", "-s has no effect: a transcript is written as it is"),
        (
            "compact {file} -s high-density --focus x",
            "--focus has no effect: high-density asked for no summary",
        ),
        ("compare {file} -s high-density --summary-file {summary}", "no strategy here asks for a summary"),
        (
            "replay {file} -s high-density --set context-limit=9000 --price-as gpt-4o",
            "--price-as has no effect",
        ),
        (
            "sweep {file} -s high-density --vary context-limit=5000,9000 --price-as gpt-4o",
            "--price-as has no",
        ),
        ("probe {file} -s high-density --dry-run --focus x", "--focus has no effect"),
        ("compact {file} -s pi --set hybrid.target=0.2", "--set hybrid.target has no effect: pi does not"),
        ("inspect {file} -s pi --set compaction.target=0.2", "--set compaction.target has no effect"),
        ("compare {file} -s pi -s none --set hybrid.target=0.2", "has no effect: no strategy here reads it."),
        ("replay {file} -s none --set hybrid.target=0.2", "--set hybrid.target has no effect: none does not"),
        (
            "sweep {file} -s tiered --vary compaction.target=0.1,0.2 --set hybrid.target=0.2",
            "--set hybrid.target has no effect: tiered does not",
        ),
    ],
)
def test_what_every_command_takes_is_told_where_it_does_nothing(
    cli: Cli, summary: str, line: str, words: str
) -> None:
    assert cli.run(*line.format(file=CHAT, summary=summary).split()) == 0
    assert words in cli.err


def test_nothing_is_told_of_what_has_its_effect(cli: Cli, summary: str) -> None:
    for line in (
        "compact {file} -s middle-out --set compression.strategy=middle-out --summary-file {summary}",
        "compare {file} -s middle-out -s high-density --summary-file {summary}",
        "convert {file} --to html -s pi -o -",
    ):
        assert cli.run(*line.format(file=SESSION, summary=summary).split()) == 0
        assert "no effect" not in cli.err

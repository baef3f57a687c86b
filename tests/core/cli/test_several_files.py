"""Commands of several files, and numbers as people write them."""

import json
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from core.cli.arguments import share, whole_number
from core.cli.main import run_command_line
from core.common.errors import nearest_names
from core.common.paths import bundled_samples

FIRST, SECOND = (str(sample.path) for sample in bundled_samples()[:2])


def documents(text: str) -> list[dict[str, object]]:
    decoder, found, rest = json.JSONDecoder(), [], text.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        found.append(value)
        rest = rest[end:].strip()
    return found


@pytest.mark.parametrize("command", ["inspect", "lint"])
def test_several_files_are_told_one_after_the_other(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line([command, FIRST, SECOND]) == 0
    text = capsys.readouterr().out
    assert text.index(Path(FIRST).name) < text.index(f"\n{Path(SECOND).name}")
    assert run_command_line([command, FIRST, SECOND, "--json"]) == 0
    names = [one["file"] for one in documents(capsys.readouterr().out)]
    assert names == [Path(FIRST).name, Path(SECOND).name]


def test_a_file_that_cannot_be_read_does_not_stop_the_others(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    missing = str(tmp_path / "no.jsonl")
    assert run_command_line(["lint", FIRST, missing, SECOND]) == 2
    printed = capsys.readouterr()
    assert "no.jsonl" in printed.err
    assert Path(SECOND).name in printed.out


@pytest.mark.parametrize("text", ["20000", "20,000", "20k", "0.02M", " 20_000"])
def test_whole_numbers_are_read_as_people_write_them(text: str) -> None:
    assert whole_number(text) == 20_000


def test_negative_numbers_are_still_numbers() -> None:
    assert whole_number("-1") == -1
    with pytest.raises(ArgumentTypeError, match="not a whole number"):
        whole_number("many")


def test_shares_are_read_as_people_write_them() -> None:
    assert [share(text) for text in ("0.7", "0,7", "70%", "70 %", "1", "100%")] == [
        0.7,
        0.7,
        0.7,
        0.7,
        1,
        1,
    ]
    for text in ("1.5", "130%", "much"):
        with pytest.raises(ArgumentTypeError, match="is not a share"):
            share(text)


def test_an_error_names_few_of_many_names() -> None:
    known = ("middle-out", "goose-middle-out-ladder", "middling", "midle", "tiered")
    where = "See all of them with: foldline list strategies."
    assert nearest_names("midle-out", known, where).count(",") <= 1
    assert nearest_names("xyz", known, where) == where
    assert nearest_names("nonsense", ("opencode",), where) == where
    assert nearest_names("goose", known, "") == "Did you mean goose-middle-out-ladder? "

"""``--help`` and the man page: short enough for a terminal, complete, with working examples."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess

import pytest

from core.cli.arguments import EXAMPLES, GENERAL, CommandParser
from core.cli.command_names import COMMANDS
from tests.man_page import PAGE, page, parsers
from tests.source_tree import ROOT

WIDTH = 80


@pytest.fixture(scope="module")
def made() -> dict[str, CommandParser]:
    """Return the parsers by the names of their commands."""
    return {parser.command: parser for parser in parsers()}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_terminal_and_ends_with_examples(
    made: dict[str, CommandParser], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    text = made[name].format_help()
    head, examples = text.split("\nexamples:\n")
    assert head.startswith(f"usage: foldline {name} ")
    assert all(len(line) < WIDTH for line in head.splitlines())
    assert head.rindex(f"{GENERAL}:") > max(head.rfind("\noptions:"), head.rfind("\nabout the transcript:"))
    assert f"foldline {EXAMPLES[name][0].arguments}" in examples


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_are_understood(made: dict[str, CommandParser], name: str) -> None:
    for example in EXAMPLES[name]:
        command, *words = shlex.split(example.arguments)
        assert command == name
        made[name].parse_args(words)


def test_the_man_page_is_that_of_the_code() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python -m tests.man_page"


def test_the_man_page_names_every_option(made: dict[str, CommandParser]) -> None:
    text = page().replace("\\-", "-")
    for parser in made.values():
        for action in parser._actions:
            assert all(option in text for option in action.option_strings), parser.command


def test_the_page_of_the_command_line_names_every_option(made: dict[str, CommandParser]) -> None:
    text = (ROOT / "resources" / "help" / "command-line.md").read_text("utf-8")
    words = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text))
    for parser in made.values():
        given = {action.option_strings[0] for action in parser._actions if action.option_strings}
        assert given - {"-h"} <= words, parser.command


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_man_page_is_set_without_a_warning() -> None:
    words = ["groff", "-man", "-ww", "-Tascii", str(PAGE)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert re.search(r"E\W*\x08?.*X.*I.*T", done.stdout)

"""Colours of words: on a terminal alone, in cells alone, and not where NO_COLOR is set."""

import io

import pytest

from core.cli.output import console
from core.cli.output.tables import BOLD, GREEN, RED, YELLOW, coloured, has_colours
from tests.core.cli.running_cli import CHAT, Cli


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("line", "colour", "word"),
    [
        ("  kept   26  14,628  top 14", GREEN, "kept"),
        ("  Gone: 2 of your sentences.", RED, "Gone"),
        ("warning: the file is cut short", YELLOW, "warning"),
        ("  ◐ Never push to main. · in part", YELLOW, "◐"),
        ("  names  444  gone", RED, "gone"),
    ],
)
def test_a_verdict_word_has_its_colour(line: str, colour: str, word: str) -> None:
    assert coloured(line) == line.replace(word, f"{colour}{word}\x1b[0m", 1)


def test_a_word_of_a_sentence_has_no_colour() -> None:
    line = "  your message  #3  the old file is gone, and that warning: keep it"
    assert coloured(line) == line


def test_only_a_terminal_has_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("WT_SESSION", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert has_colours(Terminal())
    assert not has_colours(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_colours(Terminal())


def test_heads_are_bold_errors_red_and_json_plain(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "has_colours", lambda _: True)
    cli = Cli(capsys)
    assert cli.run("compact", CHAT, "-s", "middle-out") == 0
    assert f"{BOLD}Fates\x1b[0m" in cli.out
    assert cli.run("compact", CHAT, "-s", "nonsense") == 2
    assert cli.err.startswith(RED)
    assert cli.json("compact", CHAT, "-s", "middle-out")["strategy"] == "middle-out"
    assert "\x1b" not in cli.out

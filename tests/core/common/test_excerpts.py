"""The line that stands for a text in a list."""

import pytest

from core.common.excerpts import first_line, one_line_start


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<returncode>0</returncode>\n<output>\n3 passed\n</output>", "3 passed"),
        ("<returncode>1</returncode>\nno such file", "no such file"),
        ("<returncode>2</returncode>\n<output>\n</output>", "exit code 2, no output"),
        ("OBSERVATION:\nThe file has been edited.", "The file has been edited."),
    ],
)
def test_what_frames_an_output_is_passed_over(text: str, line: str) -> None:
    assert first_line(text) == line


def test_colours_of_a_terminal_are_no_text_of_a_row() -> None:
    assert first_line("\x1b[31mFAILED\x1b[0m a.py\r\nmore") == "FAILED a.py"
    assert one_line_start("\x1b[1mrun\x1b[0m it") == "run it"

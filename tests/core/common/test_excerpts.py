"""The line that stands for a text in a list."""

import pytest

from core.common.excerpts import first_line


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

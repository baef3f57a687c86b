"""The one-line text of every message."""

from array import array

import pytest

from core.common.excerpts import main_argument
from core.common.json_value import Json
from core.presentation.lists import row_texts
from core.presentation.lists.row_texts import row_text
from core.presentation.model import KINDS, SPEAKERS
from core.transcript.model import Media, Message, MessageFlag, Opaque, Thinking
from tests.builders import ai, call, flagged, human, response, tool

PNG = "iVBORw0KGgoAAAANSUhEUgAABAAAAAMACAIAAAA="


def lead_and_text(message: Message) -> tuple[str, str]:
    return row_text(message)[:2]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"command": "pytest -q", "description": "Run"}, "pytest -q"),
        ({"command": ["bash", "-lc", "ls"]}, "bash -lc ls"),
        ({"command": "view", "path": "a.py"}, "view a.py"),
        ({"pattern": "def x", "path": "src"}, "def x"),
        ({"query": "SELECT 1"}, "SELECT 1"),
        ({"input": "*** Begin Patch\n*** Update File: a.py\n@@\n+x"}, "a.py"),
        ({"todos": [{}, {}]}, "2 todos"),
        ({"depth": 3, "who": "me"}, "me"),
        ('{"broken', '{"broken'),
        ([1], "[1]"),
        (None, ""),
    ],
)
def test_the_main_argument_of_a_call(arguments: Json, text: str) -> None:
    assert main_argument(arguments) == text


@pytest.mark.parametrize(
    ("output", "text"), [("\n3 passed\n", "3 passed"), ("", "Process exited with code 0")]
)
def test_what_a_shell_tool_says_of_itself_gives_way_to_the_output(output: str, text: str) -> None:
    wrapped = f"Chunk ID: 60ff87\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{output}"
    assert lead_and_text(tool(response("c1", result=wrapped))) == ("", text)


@pytest.mark.parametrize("mark", ["📄 ", "🔧 ", "💭 ", "✏️ ", "💬 "])
def test_a_picture_before_a_note_is_left_out(mark: str) -> None:
    assert (
        row_text(tool(response("a", "Read", mark + "[Compressed] Read a.py")))[1] == "[Compressed] Read a.py"
    )
    assert row_text(human(mark + "[Compressed] Earlier"))[1] == "[Compressed] Earlier"
    assert row_text(human(mark + "look at this"))[1] == mark + "look at this"


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("OBSERVATION:\n\nfound 3 files\n", "found 3 files"),
        ("OBSERVATION:\n", "OBSERVATION:"),
        ("services:\n  web:\n", "services:"),
    ],
    ids=["a label", "nothing behind it", "a line of a file"],
)
def test_a_label_gives_way_to_what_stands_under_it(output: str, text: str) -> None:
    assert row_text(tool(response("a", "bash", output)))[1] == text


def test_a_failed_result_is_marked_and_shows_the_error() -> None:
    lead, text, _, error = row_text(tool(response("a", "bash", None, "E boom")))
    assert (lead, text, error) == ("", "E boom", True)


def test_rows_have_one_line_without_control_characters() -> None:
    text = row_text(human("a\tb\r\n\x1b[31mc\u202e\x00d" + "x" * 500))[1]
    assert text.startswith("a b [31mc d")
    assert len(text) == 200
    assert text.isprintable()


def test_thinking_media_and_opaque_content_say_what_they_are() -> None:
    assert lead_and_text(ai("", Thinking("the pool\nis small"))) == ("", "thinking: the pool is small")
    assert lead_and_text(human("", Media("image/png", PNG))) == ("", "image 1,024 × 768")
    assert lead_and_text(human("look", Media("application/pdf", ""))) == ("", "look · application/pdf")
    assert lead_and_text(ai("", Opaque("encrypted_content", "x" * 41_000))) == ("", "encrypted, 41 kB")
    assert lead_and_text(ai("")) == ("", "empty")


def test_columns_hold_speaker_kind_and_tokens() -> None:
    messages = (human("hi"), ai("", call("ls")), tool(response("ls")), flagged(MessageFlag.RECORDED_SUMMARY))
    made = row_texts.message_rows(messages, array("q", [1, 2, 3, 4]))
    assert [SPEAKERS[code] for code in made.speakers] == ["human", "ai", "tool", "human"]
    assert [KINDS[code] for code in made.kinds] == ["human", "call", "tool", "summary"]
    assert list(made.tokens) == [1, 2, 3, 4]

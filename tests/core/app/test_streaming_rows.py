"""Rows are shown while a file is read."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest

from core.app import loading
from core.app.loading import StreamingRows, guess_cwd
from core.presentation.lists import row_texts
from core.presentation.model import MessageRows
from core.transcript.model import Message, Text
from tests.builders import ai, call, human, response, tool

RESULT = response("a", "", "text")
SAID = (human("go"), ai("on it", call("Read", "a", file_path="/w/a.py")), tool(RESULT))


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show rows with every call."""
    monkeypatch.setattr(loading, "_EVERY", 0.0)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Message]:
    """Return the messages whose texts were made."""
    found: list[Message] = []
    own = row_texts.row_text

    def noted(message: Message, cwd: str = "") -> row_texts.RowText:
        found.append(message)
        return own(message, cwd)

    monkeypatch.setattr(row_texts, "row_text", noted)
    return found


def counts(messages: tuple[Message, ...]) -> array[int]:
    return array("q", range(len(messages)))


def counted(seen: StreamingRows, whole: tuple[Message, ...], first: int = 0, cwd: str = "/w") -> MessageRows:
    return seen.counted_rows(whole[first:], first, counts(whole[first:]), cwd)


def test_a_text_is_made_once(made: list[Message]) -> None:
    seen = StreamingRows(lambda first, part: None, "/w")
    seen.add(SAID)
    assert counted(seen, SAID) == row_texts.with_counts(seen._rows, SAID, counts(SAID))
    assert made == [*SAID]


@pytest.mark.parametrize(
    "whole",
    [
        (SAID[0], ai("on it", call("Read", "a", file_path="/w/a.py"), Text("and more")), SAID[2]),
        (SAID[0], SAID[2]),
        (human("first"), *SAID),
        (),
    ],
)
@pytest.mark.parametrize("first", [0, 1])
def test_messages_that_changed_went_or_came_have_their_own_rows(
    whole: tuple[Message, ...], first: int
) -> None:
    seen = StreamingRows(lambda first, part: None, "/w")
    seen.add(SAID)
    assert counted(seen, whole, first) == row_texts.message_rows(whole[first:], counts(whole[first:]), "/w")


def test_where_the_session_worked_was_guessed_wrong_all_texts_are_made_again() -> None:
    seen = StreamingRows(lambda first, part: None, "/elsewhere")
    seen.add(SAID)
    assert counted(seen, SAID).text[1] == "a.py · on it"


@pytest.mark.parametrize(
    ("text", "cwd"),
    [('{"type": "user", "cwd":"/srv/\\"a\\""}', '/srv/"a"'), ("{}", ""), ('{"cwd": "\\x"}', "")],
)
def test_the_beginning_of_a_file_tells_where_its_session_worked(tmp_path: Path, text: str, cwd: str) -> None:
    (tmp_path / "session.jsonl").write_text(text)
    assert guess_cwd(str(tmp_path / "session.jsonl")) == cwd
    assert guess_cwd(str(tmp_path / "none")) == ""

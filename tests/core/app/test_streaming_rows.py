"""Rows are shown and counted while a file is read."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest

from core.app import streaming_rows
from core.app.streaming_rows import StreamingRows, guess_cwd
from core.presentation.lists import row_texts
from core.presentation.model import MessageRows
from core.transcript.model import Message, Text, with_result
from tests.builders import ai, call, human, response, talk, tool

RESULT = response("a", "", "text")
SAID = (human("go"), ai("on it", call("Read", "a", file_path="/w/a.py")), tool(RESULT))
NAMED = tool(with_result(response("a", "Read"), RESULT.result))
"""The last of them as the second pass over a file leaves it."""


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show rows with every call."""
    monkeypatch.setattr(streaming_rows, "_EVERY", 0.0)


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


def test_a_text_is_made_once_though_responses_get_their_names_later(made: list[Message]) -> None:
    seen = StreamingRows(lambda first, part: None, "/w")
    seen.add(SAID)
    whole = (*SAID[:2], NAMED, human("more"))
    found = seen.match(whole, "/w").rows(whole, 0, counts(whole))
    assert made == [*SAID, whole[3]]
    assert found == row_texts.message_rows(whole, counts(whole), "/w")


@pytest.mark.parametrize(
    "whole",
    [
        (SAID[0], ai("on it", call("Read", "a", file_path="/w/a.py"), Text("and more")), SAID[2]),
        (SAID[0], SAID[2]),
        (human("first"), *SAID),
        (),
    ],
)
def test_messages_that_changed_went_or_came_have_their_own_rows(whole: tuple[Message, ...]) -> None:
    seen = StreamingRows(lambda first, part: None, "/w")
    seen.add(SAID)
    found = seen.match(whole, "/w")
    assert found.rows(whole, 0, counts(whole)) == row_texts.message_rows(whole, counts(whole), "/w")
    assert found.rows(whole[1:], 1, counts(whole[1:])) == row_texts.message_rows(
        whole[1:], counts(whole[1:]), "/w"
    )


def test_where_the_session_worked_was_guessed_wrong_all_texts_are_made_again() -> None:
    seen = StreamingRows(lambda first, part: None, "/elsewhere")
    seen.add(SAID)
    assert seen.match(SAID, "/w").rows(SAID, 0, counts(SAID)).text[1] == "a.py · on it"


@pytest.mark.parametrize(
    ("text", "cwd"),
    [('{"type": "user", "cwd":"/srv/\\"a\\""}', '/srv/"a"'), ("{}", ""), ('{"cwd": "\\x"}', "")],
)
def test_the_beginning_of_a_file_tells_where_its_session_worked(tmp_path: Path, text: str, cwd: str) -> None:
    (tmp_path / "session.jsonl").write_text(text)
    assert guess_cwd(str(tmp_path / "session.jsonl")) == cwd
    assert guess_cwd(str(tmp_path / "none")) == ""


def test_former_rows_show_at_once_and_lend_their_tokens_to_those_that_look_like_them() -> None:
    shown: list[tuple[int, MessageRows]] = []
    former = row_texts.message_rows(SAID, counts(SAID))
    seen = StreamingRows(lambda first, part: shown.append((first, part)), former=former)
    assert shown == [(0, former)]
    seen.add(SAID[:2])
    seen.add(talk(1))
    assert [list(part.tokens) for _, part in shown[1:]] == [[0, 1], [-1]]

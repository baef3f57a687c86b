"""Rows are shown while a file is read, work can be stopped anywhere, long texts count the same in pieces."""

from __future__ import annotations

import json
import random
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.app import loading
from core.app.events import Event, OpenRequest
from core.app.loading import ProgressReporter, StreamingRows, guess_cwd, load_counted
from core.app.rpc import call_of
from core.app.services.opening import OpenService
from core.app.services.service_host import ServiceHost
from core.common.errors import Cancelled
from core.formats.common import format
from core.formats.registry import load_conversation
from core.presentation.lists import row_texts
from core.presentation.lists.row_texts import message_rows
from core.presentation.loading_screen import expected_tokens, partial_screen, rows_so_far
from core.presentation.model import MessageRows, RowsReadEvent, Screen
from core.presentation.opened_model import FileOpenedEvent
from core.tokens.counter import counter_for
from core.tokens.encodings import load_encoding
from core.tokens.message_tokens import count_messages
from core.transcript.model import Message, Text, ToolResponse
from tests.builders import ai, call, conversation, human, response, talk, tool
from tests.core.app.recording_session import run_call


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages are shown after each line."""
    monkeypatch.setattr(format, "_INTERVAL", 0.0)


def session(folder: Path, turns: int) -> Path:
    """A prompt, then calls: an assistant message on two lines, a result."""
    lines: list[dict[str, Any]] = [
        {"type": "user", "uuid": "u", "parentUuid": None, "message": {"content": "go"}}
    ]
    for turn in range(turns):
        use = {"type": "tool_use", "id": f"t{turn}", "name": "Read", "input": {"file_path": "a.py"}}
        for block in ({"type": "text", "text": f"look {turn}"}, use):
            message: dict[str, Any] = {"id": f"m{turn}", "role": "assistant", "content": [block]}
            lines.append({"type": "assistant", "uuid": f"a{turn}", "parentUuid": "u", "message": message})
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": "text"}
        lines.append(
            {"type": "user", "uuid": f"r{turn}", "parentUuid": "u", "message": {"content": [result]}}
        )
    path = folder / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.mark.usefixtures("at_once")
def test_messages_are_handed_on_while_the_rest_is_read(tmp_path: Path) -> None:
    seen: list[Sequence[Message]] = []
    loaded = load_conversation(session(tmp_path, 20), on_messages=seen.append)
    assert len(seen) > 10
    handed = [message for some in seen for message in some]
    assert [one.blocks[:1] for one in handed if not isinstance(one.blocks[0], ToolResponse)] == [
        one.blocks[:1]
        for one in loaded.messages[: len(handed)]
        if not isinstance(one.blocks[0], ToolResponse)
    ]
    assert all(len(one.blocks) == 2 for one in handed if one.id.startswith("m"))  # never half a message


def test_a_small_file_is_seen_as_a_whole(tmp_path: Path) -> None:
    seen: list[Sequence[Message]] = []
    load_conversation(session(tmp_path, 3), on_messages=seen.append)
    assert seen == []


@pytest.mark.usefixtures("at_once")
def test_rows_come_uncounted_and_the_counted_ones_replace_them(tmp_path: Path) -> None:
    events: list[Event] = []
    handler = ServiceHost(events.append, lambda: "")
    run_call(handler, call_of(OpenService.open, OpenRequest(str(session(tmp_path, 20)))))
    (opened,) = [place for place, event in enumerate(events) if isinstance(event, FileOpenedEvent)]
    parts = [event for event in events if isinstance(event, RowsReadEvent)]
    assert parts == [event for event in events[:opened] if isinstance(event, RowsReadEvent)]
    early = [part for part in parts if set(part.rows.tokens) == {-1}]
    late = parts[len(early) :]
    assert early
    assert {part.generation for part in (*early, *late)} == {early[0].generation}
    assert [part.start for part in early] == [sum(len(p.rows) for p in early[:n]) for n in range(len(early))]
    assert late[0].start == 0
    assert min(token for part in late for token in part.rows.tokens) >= 0
    screen = events[-1]
    assert isinstance(screen, Screen)
    assert screen.generation > early[0].generation
    assert sum(len(part.rows) for part in late) == len(screen.before)


@pytest.mark.usefixtures("at_once")
def test_cancelling_while_rows_come_ends_the_reading(tmp_path: Path) -> None:
    events: list[Event] = []
    reasons = iter(["", ""])
    watch = ProgressReporter(events.append, lambda: next(reasons, "cancel"))
    with pytest.raises(Cancelled):
        load_counted(OpenRequest(str(session(tmp_path, 20))), watch, 1)
    assert len([event for event in events if isinstance(event, RowsReadEvent)]) < 3


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("model", ["", "gpt-4"])
def test_messages_counted_while_the_file_is_read_count_as_ever(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[Message] = []

    class Waiting(loading.BackgroundCounting):
        def add(self, messages: Sequence[Message]) -> None:
            added.extend(messages)
            self._count(messages)

    monkeypatch.setattr(loading, "BackgroundCounting", Waiting)
    watch = ProgressReporter(lambda event: None, lambda: "")
    counted = load_counted(OpenRequest(str(session(tmp_path, 20))), watch, 1, model)
    assert counted.counter.cached_counts(added) is not None
    alone = counter_for(model)
    assert [*counted.rows.tokens] == [alone.message(one) for one in counted.conversation.messages]


def test_counting_in_the_background_ends_when_it_should() -> None:
    counting = loading.BackgroundCounting(counter_for(""))
    counting.add(talk(3))
    counting.add([human("words and more words " * 100_000)] * 3)
    counting.end()
    assert counting.counter.message(human("one word")) == 2


def test_counting_one_huge_text_can_be_cancelled() -> None:
    counter, told = counter_for(""), []

    def progress(fraction: float, text: str) -> None:
        told.append(text)
        raise Cancelled

    huge = conversation(human("keep the retry (and the pool). " * 100_000))
    with pytest.raises(Cancelled):
        count_messages(huge, counter, progress)
    assert told == ["Counting tokens: message 0 of 1"]
    counter.text("a text " * 200_000)  # nobody watches any more


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_a_text_in_pieces_has_the_tokens_of_the_whole(encoding: str) -> None:
    dice = random.Random(7)
    counter = counter_for({"o200k_base": "gpt-4o", "cl100k_base": "gpt-4"}[encoding])
    texts = (
        "".join(dice.choices("abc'sXYZ 019({[<,;:.=/\n\r\t.é中🎈", k=900_000)),
        dice.randbytes(450_000).hex(),
        "it's we're DON'T x1y2 {a: 'll} " * 30_000,
    )
    for text in texts:
        assert counter.text(text) == len(load_encoding(encoding).encode_ordinary(text))


def some_rows(counted: int) -> MessageRows:
    """Ten rows, the first of them counted."""
    made = message_rows(talk(10))
    made.tokens[:counted] = type(made.tokens)("q", [30] * counted)
    return made


def test_what_is_shown_while_a_file_fills() -> None:
    screen = partial_screen(some_rows(4))
    assert len(screen.fates) == 10
    assert len(screen.after) == 0
    assert screen.marks.before_total == "counting"
    assert rows_so_far(screen.before) == "10 messages so far"


@pytest.mark.parametrize(("counted", "total"), [(0, 0), (4, 300), (10, 300)])
def test_the_ruler_expects_more_of_the_same(counted: int, total: int) -> None:
    assert expected_tokens(some_rows(counted), 30 * counted) == total


def test_no_message_is_counted_twice_by_its_pieces() -> None:
    counter = counter_for("")
    text = "word (and) 1a " * 60_000
    assert counter.text(text) == counter.text(text) == counter.message(ai(text))


SAID = (human("go"), ai("on it", call("Read", "a", file_path="/w/a.py")), tool(response("a", "", "text")))


def counts(messages: tuple[Message, ...]) -> array[int]:
    return array("q", range(len(messages)))


def counted(seen: StreamingRows, whole: tuple[Message, ...], first: int = 0, cwd: str = "/w") -> MessageRows:
    return seen.counted_rows(whole[first:], first, counts(whole[first:]), cwd)


def test_a_shown_text_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = StreamingRows(lambda first, part: None, "/w")
    seen.add(SAID)
    monkeypatch.setattr(row_texts, "row_text", None)
    assert counted(seen, SAID) == row_texts.with_counts(seen._rows, SAID, counts(SAID))


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

"""Rows are shown while a file is read, work can be stopped anywhere, long texts count the same in pieces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.app.events import Event, OpenRequest
from core.app.loading import ProgressReporter, guess_cwd, load_counted
from core.app.rpc import call_of
from core.app.services.preview import OpenService
from core.app.services.service_host import ServiceHost
from core.common.errors import Cancelled
from core.formats.common import format
from core.formats.registry import load_conversation
from core.presentation.dialog_model import FileOpenedEvent
from core.presentation.model import RowsReadEvent, Screen
from core.transcript.model import Message, ToolResponse
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


@pytest.mark.parametrize(
    ("text", "cwd"),
    [('{"type": "user", "cwd":"/srv/\\"a\\""}', '/srv/"a"'), ("{}", ""), ('{"cwd": "\\x"}', "")],
)
def test_the_beginning_of_a_file_tells_where_its_session_worked(tmp_path: Path, text: str, cwd: str) -> None:
    (tmp_path / "session.jsonl").write_text(text)
    assert guess_cwd(str(tmp_path / "session.jsonl")) == cwd
    assert guess_cwd(str(tmp_path / "none")) == ""

"""Rows are shown while a file is read, work can be stopped anywhere, long texts count the same in pieces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.app.loading import guess_cwd
from core.common.json_value import Json
from core.formats.common import format
from core.formats.registry import load_conversation
from core.presentation.dialog_model import FileOpenedEvent
from core.presentation.model import RowsReadEvent, Screen
from core.transcript.model import Message, ToolResponse
from tests.core.app.recording_session import RecordingHandler


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages are shown after each line."""
    monkeypatch.setattr(format, "_INTERVAL", 0.0)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A prompt, then calls: an assistant message on two lines, a result."""
    lines: list[Json] = [{"type": "user", "uuid": "u", "parentUuid": None, "message": {"content": "go"}}]
    for turn in range(20):
        use = {"type": "tool_use", "id": f"t{turn}", "name": "Read", "input": {"file_path": "a.py"}}
        parent = {"parentUuid": "u"}
        for block in ({"type": "text", "text": f"look {turn}"}, use):
            message = {"id": f"m{turn}", "role": "assistant", "content": [block]}
            lines.append({"type": "assistant", "uuid": f"a{turn}", "message": message, **parent})
        result = {"content": [{"type": "tool_result", "tool_use_id": f"t{turn}", "content": "text"}]}
        lines.append({"type": "user", "uuid": f"r{turn}", "message": result, **parent})
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.mark.usefixtures("at_once")
def test_messages_are_handed_on_while_the_rest_is_read(session: Path) -> None:
    seen: list[Sequence[Message]] = []
    loaded = load_conversation(session, on_messages=seen.append)
    assert len(seen) > 10
    handed = [message for some in seen for message in some]
    for early, late in zip(handed, loaded.messages, strict=False):
        assert isinstance(early.blocks[0], ToolResponse) or early.blocks[:1] == late.blocks[:1]
    assert all(len(one.blocks) == 2 for one in handed if one.id.startswith("m"))  # never half a message


@pytest.mark.usefixtures("at_once")
def test_rows_come_uncounted_and_the_counted_ones_replace_them(session: Path) -> None:
    events = RecordingHandler(session).events
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
    assert isinstance(events[-1], Screen)
    assert events[-1].generation > early[0].generation
    assert sum(len(part.rows) for part in late) == len(events[-1].before)


@pytest.mark.parametrize(
    ("text", "cwd"),
    [('{"type": "user", "cwd":"/srv/\\"a\\""}', '/srv/"a"'), ("{}", ""), ('{"cwd": "\\x"}', "")],
)
def test_the_beginning_of_a_file_tells_where_its_session_worked(tmp_path: Path, text: str, cwd: str) -> None:
    (tmp_path / "session.jsonl").write_text(text)
    assert guess_cwd(str(tmp_path / "session.jsonl")) == cwd
    assert guess_cwd(str(tmp_path / "none")) == ""

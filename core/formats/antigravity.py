"""Reader for the transcripts of Antigravity's CLI: steps of user, model and system.

Calls and results have no ids; a result belongs to the first call that has none yet.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from functools import partial

from core.common.json_value import MISSING, Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    json_or_text,
    list_of,
    string_of,
)
from core.formats.common.session_log import (
    SessionLog,
    log_records,
    shape_score,
    without_element,
)
from core.transcript.model import (
    Block,
    Conversation,
    MessageFlag,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_REQUEST = re.compile(r"<USER_REQUEST>\s*(.*?)\s*</USER_REQUEST>", re.DOTALL)
_FAILED = ("ERROR", "FAILED")


def _read_antigravity(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    open_calls = deque[ToolCall]()
    for record in log_records(file, request, log):
        _add_step(record, log, open_calls)
    if path := file.document.path:
        folders = path.absolute().parents
        # No record names its session; two folders up the path does.
        if len(folders) > 2 and folders[0].name == "logs":
            log.session_id = folders[2].name
        else:
            log.session_id = ""
    return log.conversation("antigravity", file)


def _add_step(record: JsonRecord, log: SessionLog, open_calls: deque[ToolCall]) -> None:
    value = record.value
    kind = string_of(value.get("type"))
    content = string_of(value.get("content"))
    time = value.get("created_at")
    if kind == "USER_INPUT":
        words, context = without_element(_REQUEST, content)
        if context:  # settings, open files: sent with the request
            log.add(
                record,
                Speaker.HUMAN,
                [Text(context)],
                time=time,
                flags=MessageFlag.META,
            )
        log.add(record, Speaker.HUMAN, [Text(words)], time=time)
    elif kind == "PLANNER_RESPONSE":
        calls = _calls(record)
        open_calls.extend(calls)
        log.add(record, Speaker.AI, [*_said(value), *calls], time=time)
    elif kind == "CHECKPOINT":
        log.compact(record, content)
    # Steps of the system are sent in the name of the user.
    elif value.get("source") == "SYSTEM":
        if content:
            log.add(
                record,
                Speaker.HUMAN,
                [Text(content)],
                time=time,
                flags=MessageFlag.META,
            )
        else:
            log.notes.skip(kind, line=record.line)
    else:
        id_ = f"step-{record.line}"
        name = kind.lower()
        # No ids join calls and results: a result answers the oldest open call.
        if open_calls:
            call = open_calls.popleft()
            id_, name = call.id, call.name
        error = content if value.get("status") in _FAILED else MISSING
        log.extend(
            record, Speaker.TOOL, [ToolResponse(id_, name, content, error)], time=time
        )


def _said(value: Mapping[str, Json]) -> Iterator[Block]:
    """Yield the thought and the words of an answer."""
    if thought := string_of(value.get("thinking")):
        yield Thinking(thought)
    if content := string_of(value.get("content")):
        yield Text(content)


def _calls(record: JsonRecord) -> list[ToolCall]:
    """Return the calls of an answer; they have no ids of their own."""
    return [
        ToolCall(
            f"step-{record.line}-{number}",
            coerce_text(call.get("name")),
            _arguments(call),
        )
        for number, call in enumerate(
            map(fields_of, list_of(record.value.get("tool_calls")))
        )
    ]


def _arguments(call: Mapping[str, Json]) -> Json:
    """Return the arguments; each value is JSON in a text."""
    arguments = call.get("args", {})
    if not isinstance(arguments, dict):
        return arguments
    return {name: json_or_text(value) for name, value in arguments.items()}


ANTIGRAVITY = Format(
    name="antigravity",
    label="Antigravity",
    about="Transcripts of Antigravity's CLI (JSONL): steps of user, model and system.",
    score=partial(
        shape_score, format="antigravity", sign="step_index, source, type and status"
    ),
    read=_read_antigravity,
    evidence=ReaderEvidence.FIXTURE,
)

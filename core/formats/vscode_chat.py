"""Reader for chat sessions of VS Code (chatSessions): one JSON value, or the log of its changes.

The requests of the model are in the metadata of an answer: rounds with calls, and the results by call. A
summary in them replaces everything up to its round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, number_of, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_number
from core.formats.common.session_log import SessionLog, object_log, shape_score
from core.formats.common.stored_sessions import stored_document
from core.formats.openai_chat.messages import function_call
from core.transcript.model import Block, Conversation, Speaker, Text, Thinking, ToolResponse

_SET_WHOLE, _SET, _APPEND = 0, 1, 2


def score(opened: OpenedDocument) -> FormatScore:
    return shape_score(opened, "vscode_chat", "requests of a chat, or the log of its changes")


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    check_number(opened.document.name, request.conversation, 1)
    first = opened.objects[0] if opened.objects else {}
    if "requests" in first:
        return _read_session(opened, request)
    notes = ImportNotes()
    state: dict[str, Json] = {}
    for record in iterate_records(opened, notes, request.progress, request.stop):
        notes.records += 1
        state = _changed(state, fields_of(record.value), notes, record.line)
    fields = {name: value for name, value in state.items() if name != "requests"}
    inner, _ = stored_document(opened.document, fields, "requests", list_of(state.get("requests")))
    conversation = _read_session(inner, request)
    return replace(conversation, report=replace(conversation.report, warnings=notes.report().warnings))


def _changed(
    state: dict[str, Json], change: Mapping[str, Json], notes: ImportNotes, line: int
) -> dict[str, Json]:
    """Apply a change: a whole value, or one set or appended at a path."""
    kind, path, value = change.get("kind"), list_of(change.get("k")), change.get("v")
    if kind == _SET_WHOLE:
        return dict(fields_of(value))
    target: Json = state
    try:
        for step in path[:-1]:
            target = target[step]
        if kind == _SET:
            if isinstance(target, list) and path[-1] == len(target):
                target.append(value)
            else:
                target[path[-1]] = value
        elif kind == _APPEND:
            own = target.setdefault(path[-1], []) if isinstance(target, dict) else target[path[-1]]
            own.extend(list_of(value))
        else:
            notes.skip(f"change of kind {coerce_text(kind)}", line=line)
    except (LookupError, TypeError, AttributeError):
        notes.warn(line, "the change has no place in the session; it was skipped")
    return state


def _read_session(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(opened, request, "requests", title="customTitle", session_id="sessionId")
    for record in log.records:
        _add(record, log)
    return log.conversation("vscode_chat", opened)


def _add(record: JsonRecord, log: SessionLog) -> None:
    """Add a prompt and all that followed it."""
    value, time = record.value, record.value.get("timestamp")
    prompt = string_of(nested(value, "message", "text")) or string_of(value.get("message"))
    id_, metadata = string_of(value.get("requestId")), fields_of(nested(value, "result", "metadata"))
    log.model = string_of(metadata.get("resolvedModel")) or string_of(value.get("modelId")) or log.model
    log.add(record, Speaker.HUMAN, [Text(prompt)], id=id_, time=time)
    summaries = {
        coerce_text(nested(summary, "toolCallRoundId")): fields_of(summary)
        for summary in list_of(metadata.get("summaries"))
    }
    if isinstance(metadata.get("summary"), dict):
        summaries[coerce_text(metadata["summary"].get("toolCallRoundId"))] = metadata["summary"]
    results = fields_of(metadata.get("toolCallResults"))
    rounds = [fields_of(one) for one in list_of(metadata.get("toolCallRounds"))]
    for round_ in rounds:
        calls = [fields_of(call) for call in list_of(round_.get("toolCalls"))]
        said: list[Block] = [Thinking(text) for text in [_text(round_.get("thinking"))] if text]
        said += [Text(text) for text in [_text(round_.get("response"))] if text]
        said += [function_call(_function(call), coerce_text(call.get("id")), {}) for call in calls]
        if said:
            log.add(record, Speaker.AI, said, id=id_, time=time)
        answers: list[Block] = [
            ToolResponse(coerce_text(call.get("id")), "", _text(results[call["id"]]))
            for call in calls
            if call.get("id") in results
        ]
        if answers:
            log.add(record, Speaker.TOOL, answers, id=id_, time=time)
        if summary := summaries.get(coerce_text(round_.get("id"))):
            before = number_of(summary.get("contextLengthBefore"))
            log.compact(record, _text(summary.get("text")), before=before)
    if not rounds and (blocks := _shown_answer(value)):
        log.add(record, Speaker.AI, blocks, id=id_, time=time)
    log.report(metadata.get("promptTokens"), metadata.get("outputTokens"))


def _function(call: Mapping[str, Json]) -> Mapping[str, Json]:
    return {"name": call.get("name"), "arguments": call.get("arguments", "{}")}


def _shown_answer(value: Mapping[str, Json]) -> list[Block]:
    """Return what the window shows of an answer without rounds."""
    texts: list[str] = []
    thoughts: list[Block] = []
    for part in map(fields_of, list_of(value.get("response"))):
        kind = part.get("kind")
        if kind == "thinking":
            thoughts.append(Thinking(_text(part.get("value"))))
        elif kind in (None, "markdownContent"):
            texts.append(_text(part.get("value", part.get("content"))))
    text = "".join(texts)
    return [*thoughts, *([Text(text)] if text else [])]


def _text(value: Json) -> str:
    """Return the words in a text, or in values and parts nested in one another."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text, value)))
    if isinstance(value, dict):
        return next(
            (_text(value[name]) for name in ("value", "text", "content", "children") if name in value), ""
        )
    return ""


VSCODE_CHAT = Format(
    "vscode_chat",
    "VS Code chat",
    "Chat sessions of VS Code and its relatives (chatSessions/*.json, *.jsonl).",
    score,
    read,
    real_file_seen=False,
)

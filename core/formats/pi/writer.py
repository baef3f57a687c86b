"""Writes Pi sessions: surviving entries unchanged but linked again, and new entries for new messages."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.formats.common.source_bytes import read_document
from core.formats.pi.branches import PiNode
from core.formats.pi.compaction_writer import with_boundary
from core.formats.pi.entries import is_message
from core.formats.pi.entry_writer import (
    NO_TIME,
    PiEntryContext,
    new_messages,
    pi_content,
    result_content,
    speaker_of,
)
from core.formats.pi.source_entries import HEAD, path_of, read_rows
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    OutputShape,
    export_messages_from_user,
)
from core.formats.writing.made_ids import made_uuid
from core.formats.writing.raw_json import dump_json
from core.formats.writing.reported_sizes import still_reported, without_usage
from core.formats.writing.unsupported_content import ExtraContent, in_answers, leave_out_extra
from core.transcript.model import Message, Text, ToolResponse

NAME = "pi_agent"
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "foldline:pi_agent")
_VERSION = 3


@dataclass(slots=True)
class _PiOutput:
    """The lines written so far. ``linked``: entries have ids and parents; ``ids`` are those in use."""

    context: PiEntryContext
    losses: ExportLosses
    linked: bool = True
    ids: set[str] = field(default_factory=set)
    last: str | None = None
    lines: list[Json] = field(default_factory=list)


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the session without branches; from another format a new session of the current version.

    With a boundary: the source followed by a compaction.
    """
    if options.append_boundary:
        return with_boundary(given, NAME)
    losses = ExportLosses("Pi")
    conversation = given.conversation
    if not given.comes_from(NAME):
        return _new_session(given, losses)
    array = conversation.layout.get("container") == "array"
    shape = OutputShape.JSON if array else OutputShape.LINES
    if given.is_whole_source and conversation.branch == 1:
        return ExporterOutput(read_document(conversation.document), shape)
    lines = _surviving_lines(given, losses)
    data = (
        dump_json(lines, pretty=True) + b"\n"
        if array
        else b"".join(dump_json(line) + b"\n" for line in lines)
    )
    return ExporterOutput(data, shape, losses.sentences())


def _new_session(given: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = given.conversation
    leave_out_extra(given, losses, *in_answers(given), ExtraContent.TIMES, ExtraContent.CALL_IDS)
    out = _PiOutput(speaker_of(conversation.model), losses)
    messages: list[tuple[str, dict[str, Json]]] = []
    for piece in export_messages_from_user(given, losses):
        time = piece.message.timestamp or out.context.time
        out.context = replace(out.context, time=time)
        messages += [(time, message) for message in new_messages(piece.message, out.context, losses)]
    for time, message in _results_after_calls(messages):
        _add(out, {"type": "message", "timestamp": time, "message": message})
    id_ = conversation.session_id or str(made_uuid(_SPACE, conversation.document.name))
    start = messages[0][0] if messages else NO_TIME
    head = {"type": HEAD, "version": _VERSION, "id": id_, "timestamp": start, "cwd": conversation.cwd}
    data = b"".join(dump_json(line) + b"\n" for line in (head, *out.lines))
    return ExporterOutput(data, OutputShape.LINES, losses.sentences())


def _results_after_calls(
    messages: Iterable[tuple[str, dict[str, Json]]],
) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield results directly after their calls, and the user's words between them after the last one."""
    deferred: list[tuple[str, dict[str, Json]]] = []
    waiting: set[str] = set()
    for time, message in messages:
        role = message["role"]
        if role == "toolResult":
            waiting.discard(message["toolCallId"])
            yield time, message
        elif role == "assistant":
            yield from deferred
            deferred = []
            waiting = {part["id"] for part in message["content"] if part.get("type") == "toolCall"}
            yield time, message
            continue
        else:
            deferred.append((time, message))
        if not waiting:
            yield from deferred
            deferred = []
    yield from deferred


def _surviving_lines(given: ExportInput, losses: ExportLosses) -> list[Json]:
    """Return the entries of kept messages with the settings between them; edited ones are patched."""
    rows = read_rows(given.conversation)
    heads = [record.value for record in rows if record.value.get("type") == HEAD]
    path = path_of(given.conversation, rows)
    places = {node.record.start: index for index, node in enumerate(path)}
    linked = any("parentId" in node.record.value for node in path) or not path
    out = _PiOutput(_context(path, given.conversation.model), losses, linked)
    out.ids = {str(node.record.value.get("id")) for node in path}
    at, reported = 0, still_reported(given)
    for piece in export_messages_from_user(given, losses):
        place = places.get(piece.record[0], -1) if piece.record else -1
        if place >= at:
            _add_settings(out, path[at:place])
            at = place + 1
        value = path[place].record.value if place >= 0 else None
        if value is not None and path[place].record.start not in reported:
            value = without_usage(value, NAME)
        _add_piece(out, piece, value)
    _add_settings(out, path[at:])
    return [*heads[:1], *_without_dead_labels(out)]


def _context(path: Sequence[PiNode], model: str) -> PiEntryContext:
    for node in reversed(path):
        message = node.record.value.get("message")
        if isinstance(message, dict) and message.get("role") == "assistant":
            names = (message.get(name) for name in ("api", "provider", "model"))
            api, provider, own = (value if isinstance(value, str) else "" for value in names)
            return PiEntryContext(api, provider, own)
    return speaker_of(model)


def _add_settings(out: _PiOutput, nodes: Iterable[PiNode]) -> None:
    """Add settings, names and labels; compactions are left out, as their messages may be gone."""
    for node in nodes:
        value = node.record.value
        if value.get("type") != "compaction" and not is_message(value):
            _add(out, value)


def _add_piece(out: _PiOutput, piece: ExportMessage, value: Mapping[str, Json] | None) -> None:
    if value is not None and is_message(value):
        time = value.get("timestamp")
        out.context = replace(out.context, time=time if isinstance(time, str) else out.context.time)
        if piece.unchanged:
            _add(out, value)
            return
        patched = _patched(value, piece.message, out.losses)
        if patched is not None:
            _add(out, patched)
            return
    for message in new_messages(piece.message, out.context, out.losses):
        time = piece.message.timestamp or out.context.time
        _add(out, {"type": "message", "timestamp": time, "message": message})


def _patched(value: Mapping[str, Json], message: Message, losses: ExportLosses) -> dict[str, Json] | None:
    """Return the entry with the message's content; None for roles without content of their own."""
    inner = value.get("message") if value.get("type") == "message" else None
    role = inner.get("role") if isinstance(inner, dict) else None
    if isinstance(inner, dict) and role == "toolResult":
        return {**value, "message": _patched_result(inner, message, losses)}
    holder = inner if isinstance(inner, dict) else value
    if role not in ("user", "assistant", "custom", "hookMessage") and value.get("type") != "custom_message":
        return None
    content: Json = pi_content(message.blocks, same=True, losses=losses)
    only = message.blocks[0] if len(message.blocks) == 1 else None
    if isinstance(holder.get("content"), str) and isinstance(only, Text):
        content = only.text
    if holder is value:
        return {**value, "content": content}
    return {**value, "message": {**holder, "content": content}}


def _patched_result(inner: Mapping[str, Json], message: Message, losses: ExportLosses) -> dict[str, Json]:
    """Return an edited result; ``details`` is dropped, because it holds the removed content."""
    response = next((block for block in message.blocks if isinstance(block, ToolResponse)), None)
    beside = [block for block in message.blocks if block is not response]
    fields = {key: item for key, item in inner.items() if key != "details"}
    if response is None:
        return {**fields, "content": pi_content(beside, same=True, losses=losses)}
    return {**fields, "content": result_content(response, beside, same=True, losses=losses)}


def _add(out: _PiOutput, value: Mapping[str, Json]) -> None:
    """Write an entry; in a tree the entry before is its parent."""
    if not out.linked:
        out.lines.append(value)
        return
    id_ = value.get("id")
    if not isinstance(id_, str) or not id_:
        id_ = _fresh_id(out, value)
    kind = {"type": value.get("type"), "id": id_, "parentId": out.last}
    out.lines.append({**kind, **{key: item for key, item in value.items() if key not in kind}})
    out.last = id_


def _fresh_id(out: _PiOutput, value: Mapping[str, Json]) -> str:
    """Return eight reproducible hexadecimal digits that no entry has."""
    number = len(out.lines)
    while True:
        id_ = hashlib.sha256(dump_json([number, value])).hexdigest()[:8]
        if id_ not in out.ids:
            out.ids.add(id_)
            return id_
        number += 1


def _without_dead_labels(out: _PiOutput) -> list[Json]:
    ids = {line.get("id") for line in out.lines}
    lines: list[Json] = []
    for line in out.lines:
        if line.get("type") == "label" and line.get("targetId") not in ids:
            continue
        if out.linked:
            line = {**line, "parentId": lines[-1]["id"] if lines else None}
        lines.append(line)
    return lines


EXPORTER = Exporter(
    NAME,
    ("pi",),
    "Pi",
    ".jsonl",
    "A session of Pi: the surviving entries as they were, chained anew, with entries for what is new.",
    write,
    has_boundary=True,
)

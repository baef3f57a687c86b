"""Writes Pi sessions: surviving entries unchanged but linked again, and new entries for new messages.

A compaction at the end is recorded as Pi does: it keeps the entries from a first kept one on, after the
summary. So it can keep the end of a session only (formats.md section 15).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, string_of
from core.formats.common.open_document import read_document
from core.formats.pi.branches import HEADER_TYPE, PiNode, branch_path, read_rows
from core.formats.pi.entries import is_message
from core.formats.pi.entry_writer import (
    NO_TIME,
    PiEntryContext,
    context_for_model,
    new_messages,
    pi_content,
    result_content,
    unused_id,
)
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    OutputShape,
    export_messages,
    export_messages_from_user,
)
from core.formats.writing.raw_json import deterministic_uuid, dump_json, dump_lines
from core.formats.writing.recorded_compaction import (
    NO_SUMMARY,
    applied_compaction,
    boundary_warnings,
    cannot_append_error,
    kept_record_starts,
    summary_text,
)
from core.formats.writing.reported_sizes import valid_usage_starts, without_usage
from core.formats.writing.unsupported_content import ExtraContent, content_in_answers, count_extra_losses
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Text, ToolResponse


def _with_boundary(export_input: ExportInput) -> ExporterOutput:
    """Write the source byte for byte, then the compaction; InputError for another format."""
    conversation = export_input.conversation
    if not export_input.is_from_format(NAME) or conversation.layout.get("container") == "array":
        raise cannot_append_error(export_input, "a Pi session of lines")
    data = read_document(conversation.document)
    compaction = applied_compaction(export_input)
    if compaction is None:
        return ExporterOutput(
            data, OutputShape.LINES, ("Nothing was compacted, so no compaction was appended.",)
        )
    rows = read_rows(conversation)
    path = branch_path(conversation, rows)
    kept = kept_record_starts(export_input)
    tail = _kept_tail(path, kept)
    line = _compaction_entry(export_input, compaction, path, tail, [row.value.get("id") for row in rows])
    newline = b"" if not data or data.endswith(b"\n") else b"\n"
    notes = (*boundary_warnings(export_input), *_drop_warnings(export_input, tail))
    return ExporterOutput(data + newline + dump_lines((line,)), OutputShape.LINES, notes)


def _kept_tail(path: Sequence[PiNode], kept: frozenset[int]) -> list[PiNode]:
    """Return the uninterrupted kept messages at the end of the session."""
    tail: list[PiNode] = []
    for node in reversed(path):
        if not is_message(node.record.value):
            continue
        if node.record.start not in kept:
            break
        tail.append(node)
    return tail[::-1]


def _compaction_entry(
    export_input: ExportInput,
    compaction: Compaction,
    path: Sequence[PiNode],
    tail: Sequence[PiNode],
    ids: Sequence[Json],
) -> Mapping[str, Json]:
    """Return the entry: in a tree with id and parent, in the first version with the number of an entry.

    If nothing stays it names itself. ``ids`` are those of all records, None for records without one.
    """
    times = (node.record.value.get("timestamp") for node in reversed(path))
    time = next((t for t in times if isinstance(t, str)), NO_TIME)
    fields: dict[str, Json] = {
        "timestamp": time,
        "summary": summary_text(compaction) or NO_SUMMARY,
        "tokensBefore": export_input.tokens_before or 0,
    }
    last_id = path[-1].record.value.get("id") if path else None
    if not isinstance(last_id, str) or not last_id:
        number = tail[0].number if tail else len(ids)
        return {"type": "compaction", **fields, "firstKeptEntryIndex": number}
    id_ = unused_id(fields, ids)
    first_kept = tail[0].record.value.get("id") if tail else id_
    return {"type": "compaction", "id": id_, "parentId": last_id, **fields, "firstKeptEntryId": first_kept}


def _drop_warnings(export_input: ExportInput, tail: Sequence[PiNode]) -> tuple[str, ...]:
    in_tail = {node.record.start for node in tail}
    origins = [piece.origin for piece in export_messages(export_input) if piece.origin is not None]
    count = sum(all(source.start not in in_tail for source in message.sources) for message in origins)
    if not count:
        return ()
    subject = "kept message is" if count == 1 else "kept messages are"
    return (f"{count:,} {subject} before others; Pi keeps only the end of a session, so it will drop them.",)


NAME = "pi_agent"
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "foldline:pi_agent")
_VERSION = 3


@dataclass(slots=True)
class _PiOutput:
    """The lines written so far. ``is_tree``: entries have ids and parents; ``ids`` are those in use."""

    context: PiEntryContext
    losses: ExportLosses
    is_tree: bool = True
    ids: set[str] = field(default_factory=set)
    last_id: str | None = None
    lines: list[Json] = field(default_factory=list)


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the session without branches; from another format a new session of the current version.

    With a boundary: the source followed by a compaction.
    """
    if options.append_boundary:
        return _with_boundary(export_input)
    losses = ExportLosses("Pi")
    conversation = export_input.conversation
    if not export_input.is_from_format(NAME):
        return _new_session(export_input, losses)
    is_array = conversation.layout.get("container") == "array"
    shape = OutputShape.JSON if is_array else OutputShape.LINES
    if export_input.is_whole_source and conversation.branch == 1:
        return ExporterOutput(read_document(conversation.document), shape)
    lines = _surviving_lines(export_input, losses)
    data = dump_json(lines, pretty=True) + b"\n" if is_array else dump_lines(lines)
    return ExporterOutput(data, shape, losses.warnings())


def _new_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    count_extra_losses(
        export_input, losses, *content_in_answers(export_input), ExtraContent.TIMES, ExtraContent.CALL_IDS
    )
    out = _PiOutput(context_for_model(conversation.model), losses)
    messages: list[tuple[str, dict[str, Json]]] = []
    for piece in export_messages_from_user(export_input, losses):
        time = piece.message.timestamp or out.context.time
        out.context = replace(out.context, time=time)
        messages += [(time, message) for message in new_messages(piece.message, out.context, losses)]
    for time, message in _results_after_calls(messages):
        _add_entry(out, {"type": "message", "timestamp": time, "message": message})
    id_ = conversation.session_id or str(deterministic_uuid(_NAMESPACE, conversation.document.name))
    start = messages[0][0] if messages else NO_TIME
    header = {
        "type": HEADER_TYPE,
        "version": _VERSION,
        "id": id_,
        "timestamp": start,
        "cwd": conversation.cwd,
    }
    return ExporterOutput(dump_lines((header, *out.lines)), OutputShape.LINES, losses.warnings())


def _results_after_calls(
    messages: Iterable[tuple[str, dict[str, Json]]],
) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield results directly after their calls, and the user's words between them after the last one."""
    deferred: list[tuple[str, dict[str, Json]]] = []
    open_call_ids: set[str] = set()
    for time, message in messages:
        role = message["role"]
        if role == "toolResult":
            open_call_ids.discard(message["toolCallId"])
            yield time, message
        elif role == "assistant":
            yield from deferred
            deferred = []
            open_call_ids = {part["id"] for part in message["content"] if part.get("type") == "toolCall"}
            yield time, message
            continue
        else:
            deferred.append((time, message))
        if not open_call_ids:
            yield from deferred
            deferred = []
    yield from deferred


def _surviving_lines(export_input: ExportInput, losses: ExportLosses) -> list[Json]:
    """Return the entries of kept messages with the settings between them; edited ones are patched."""
    rows = read_rows(export_input.conversation)
    headers = [record.value for record in rows if record.value.get("type") == HEADER_TYPE]
    path = branch_path(export_input.conversation, rows)
    path_indices = {node.record.start: index for index, node in enumerate(path)}
    is_tree = any("parentId" in node.record.value for node in path) or not path
    out = _PiOutput(_context(path, export_input.conversation.model), losses, is_tree)
    out.ids = {str(node.record.value.get("id")) for node in path}
    next_position, reported = 0, valid_usage_starts(export_input)
    for piece in export_messages_from_user(export_input, losses):
        position = path_indices.get(piece.record[0], -1) if piece.record else -1
        if position >= next_position:
            _add_settings(out, path[next_position:position])
            next_position = position + 1
        value = path[position].record.value if position >= 0 else None
        if value is not None and path[position].record.start not in reported:
            value = without_usage(value, NAME)
        _add_message(out, piece, value)
    _add_settings(out, path[next_position:])
    return [*headers[:1], *_without_dead_labels(out)]


def _context(path: Sequence[PiNode], model: str) -> PiEntryContext:
    for node in reversed(path):
        message = fields_of(node.record.value.get("message"))
        if message.get("role") == "assistant":
            names = ("api", "provider", "model")
            return PiEntryContext(*(string_of(message.get(name)) for name in names))
    return context_for_model(model)


def _add_settings(out: _PiOutput, nodes: Iterable[PiNode]) -> None:
    """Add settings, names and labels; compactions are left out, as their messages may be gone."""
    for node in nodes:
        value = node.record.value
        if value.get("type") != "compaction" and not is_message(value):
            _add_entry(out, value)


def _add_message(out: _PiOutput, piece: ExportMessage, value: Mapping[str, Json] | None) -> None:
    if value is not None and is_message(value):
        time = value.get("timestamp")
        out.context = replace(out.context, time=time if isinstance(time, str) else out.context.time)
        if piece.is_unchanged:
            _add_entry(out, value)
            return
        edited = _edited_entry(value, piece.message, out.losses)
        if edited is not None:
            _add_entry(out, edited)
            return
    for message in new_messages(piece.message, out.context, out.losses):
        time = piece.message.timestamp or out.context.time
        _add_entry(out, {"type": "message", "timestamp": time, "message": message})


def _edited_entry(
    value: Mapping[str, Json], message: Message, losses: ExportLosses
) -> dict[str, Json] | None:
    """Return the entry with the message's content; None for roles without content of their own."""
    has_inner = value.get("type") == "message"
    container = fields_of(value.get("message")) if has_inner else value
    role = container.get("role")
    if role == "toolResult":
        return {**value, "message": _edited_result(container, message, losses)}
    if role not in ("user", "assistant", "custom", "hookMessage") and value.get("type") != "custom_message":
        return None
    content: Json = pi_content(message.blocks, same_format=True, losses=losses)
    single_block = message.blocks[0] if len(message.blocks) == 1 else None
    if isinstance(container.get("content"), str) and isinstance(single_block, Text):
        content = single_block.text
    edited = {**container, "content": content}
    return {**value, "message": edited} if has_inner else edited


def _edited_result(inner: Mapping[str, Json], message: Message, losses: ExportLosses) -> dict[str, Json]:
    """Return an edited result; ``details`` is dropped, because it holds the removed content."""
    response = next((block for block in message.blocks if isinstance(block, ToolResponse)), None)
    other_blocks = [block for block in message.blocks if block is not response]
    fields = {key: item for key, item in inner.items() if key != "details"}
    if response is None:
        return {**fields, "content": pi_content(other_blocks, same_format=True, losses=losses)}
    return {**fields, "content": result_content(response, other_blocks, same_format=True, losses=losses)}


def _add_entry(out: _PiOutput, value: Mapping[str, Json]) -> None:
    """Write an entry; in a tree the entry before is its parent."""
    if not out.is_tree:
        out.lines.append(value)
        return
    id_ = value.get("id")
    if not isinstance(id_, str) or not id_:
        id_ = unused_id(value, out.ids, len(out.lines))
        out.ids.add(id_)
    kind = {"type": value.get("type"), "id": id_, "parentId": out.last_id}
    out.lines.append({**kind, **{key: item for key, item in value.items() if key not in kind}})
    out.last_id = id_


def _without_dead_labels(out: _PiOutput) -> list[Json]:
    ids = {line.get("id") for line in out.lines}
    lines: list[Json] = []
    for line in out.lines:
        if line.get("type") == "label" and line.get("targetId") not in ids:
            continue
        if out.is_tree:
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

"""Writes sessions of Gemini CLI: surviving records unchanged, with new records for new messages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.formats.common.message_lists import source_records
from core.formats.common.open_document import read_document
from core.formats.gemini.parts import GEMINI_FORMATS
from core.formats.gemini_cli.record_writer import (
    NO_TIME,
    GeminiRecordContext,
    GeminiToolResponse,
    model_record,
    new_record_id,
    responses_by_call,
    user_record,
)
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    OutputShape,
    export_messages_from_user,
    group_by_record,
    is_unchanged_record,
    split_records,
)
from core.formats.writing.raw_json import dump_json, dump_lines, rebuild_container, record_json
from core.formats.writing.reported_sizes import valid_usage_starts, without_usage
from core.formats.writing.unsupported_content import ExtraContent, content_in_answers, count_extra_losses
from core.transcript.model import Message, Speaker, tool_calls, with_blocks

NAME = "gemini_cli"
_SHOWN_ONLY = ("info", "warning", "error")
_REWRITES = ("$rewindTo", "$patch")
_Group = tuple[ExportMessage, ...]


@dataclass(slots=True)
class _GeminiOutput:
    """The records written so far. ``shown_rows`` are rows that were only shown, by the record before them."""

    context: GeminiRecordContext
    shown_rows: Mapping[int, Sequence[Json]] = field(default_factory=dict)
    records: list[Json] = field(default_factory=list)
    written_block_ids: set[int] = field(default_factory=set)

    def record_context(self, piece: ExportMessage, export_input: ExportInput) -> GeminiRecordContext:
        from_source = piece.origin is not None
        return replace(
            self.context,
            index=len(self.records),
            same_format=from_source and export_input.is_from_format(NAME),
            from_gemini=from_source and export_input.conversation.format in GEMINI_FORMATS,
        )


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the session in the source's container; from another format a new session as one object.

    A log is written without rewinds and rewrites, with their results instead.
    """
    losses = ExportLosses("Gemini CLI")
    conversation = export_input.conversation
    if not export_input.is_from_format(NAME):
        return _new_session(export_input, losses)
    is_log = conversation.layout.get("container") != "object"
    shape = OutputShape.LINES if conversation.layout.get("container") == "jsonl" else OutputShape.JSON
    if export_input.is_whole_source and conversation.branch == 1:
        return ExporterOutput(read_document(conversation.document), shape)
    records = source_records(conversation)
    rows = [(record.start, record.value) for record in records if isinstance(record.value, dict)]
    written = _session_records(export_input, losses, _shown_rows(export_input, rows))
    if is_log:
        lines = [*_session_lines(rows), *written]
        data = dump_json(lines, pretty=True) + b"\n" if shape is OutputShape.JSON else dump_lines(lines)
        return ExporterOutput(data, shape, losses.warnings())
    return ExporterOutput(rebuild_container(conversation, written)[0], shape, losses.warnings())


def _new_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    family = conversation.format in GEMINI_FORMATS
    count_extra_losses(
        export_input,
        losses,
        *content_in_answers(export_input),
        ExtraContent.TIMES,
        ExtraContent.CALL_IDS,
        family=family,
    )
    records = _session_records(export_input, losses, {})
    project = (conversation.cwd or conversation.document.name).encode("utf-8", "replace")
    times = [record["timestamp"] for record in records]
    session = {
        "sessionId": _session_id(export_input),
        "projectHash": hashlib.sha256(project).hexdigest(),
        "startTime": times[0] if times else NO_TIME,
        "lastUpdated": times[-1] if times else NO_TIME,
        "messages": records,
    }
    return ExporterOutput(dump_json(session, pretty=True) + b"\n", OutputShape.JSON, losses.warnings())


def _session_id(export_input: ExportInput) -> str:
    return export_input.conversation.session_id or new_record_id(
        "", 0, export_input.conversation.document.name
    )


def _session_records(
    export_input: ExportInput, losses: ExportLosses, shown_rows: Mapping[int, Sequence[Json]]
) -> list[Json]:
    out = _GeminiOutput(
        GeminiRecordContext(_session_id(export_input), export_input.conversation.model, losses), shown_rows
    )
    same_format = export_input.is_from_format(NAME)
    split_ranges = split_records(export_input.conversation)
    data = read_document(export_input.conversation.document) if same_format else b""
    name = export_input.conversation.document.name
    groups = list(group_by_record(export_messages_from_user(export_input, losses), with_answers=True))
    reported = valid_usage_starts(export_input)
    out.records.extend(shown_rows.get(-1, ()))
    for index, group in enumerate(groups):
        record_range, count_before = group[0].record if same_format else None, len(out.records)
        if record_range and is_unchanged_record(group, split_ranges) and not _is_patched(group):
            out.records.append(record_json(data, *record_range, name))
            out.records.extend(shown_rows.get(record_range[0], ()))
        elif group[0].message.speaker is Speaker.AI:
            _add_answer(out, export_input, groups[index:])
        else:
            _add_user(out, export_input, group)
        if not (record_range and record_range[0] in reported):
            out.records[count_before:] = [
                without_usage(record, NAME) for record in out.records[count_before:]
            ]
        time = group[0].message.timestamp
        out.context = replace(out.context, time=time or out.context.time)
    return out.records


def _is_patched(group: _Group) -> bool:
    """Return whether later lines changed the record, so that its own line is outdated."""
    return any(piece.origin is not None and len(piece.origin.sources) > 1 for piece in group)


def _add_answer(out: _GeminiOutput, export_input: ExportInput, groups: Sequence[_Group]) -> None:
    """Add an answer with the results of its calls: those of its own record, else those that follow."""
    first = groups[0][0]
    context = out.record_context(first, export_input)
    ids = {call.id for call in tool_calls(first.message)}
    answers: dict[str, GeminiToolResponse] = {}
    for piece in _following_answers(groups[:1] if context.same_format else groups):
        origin = piece.origin.blocks if piece.origin is not None else ()
        for id_, answer in responses_by_call(piece.message, origin).items():
            if id_ in ids and id_ not in answers:
                answers[id_] = answer
                out.written_block_ids.update(map(id, (answer.response, *answer.other_blocks)))
    out.records.append(model_record(first.message, answers, context))
    for piece in groups[0][1:]:
        _add_user(out, export_input, (piece,))


def _following_answers(groups: Sequence[_Group]) -> Iterator[ExportMessage]:
    for index, group in enumerate(groups):
        for number, piece in enumerate(group):
            if piece.message.speaker is Speaker.AI and (index, number) != (0, 0):
                return
            if piece.message.speaker is Speaker.TOOL:
                yield piece


def _add_user(out: _GeminiOutput, export_input: ExportInput, group: _Group) -> None:
    """Add the user's words, and results that no answer before them took."""
    messages: list[Message] = []
    for piece in group:
        blocks = tuple(block for block in piece.message.blocks if id(block) not in out.written_block_ids)
        if blocks or not piece.message.blocks:
            messages.append(with_blocks(piece.message, blocks))
    if not messages:
        return
    context = out.record_context(group[0], export_input)
    if _is_in_call_record(group):
        context = replace(context, same_format=False)
    record = user_record(messages, context)
    if record is not None:
        out.records.append(record)


def _is_in_call_record(group: _Group) -> bool:
    """Return whether the results were in the record of their calls, whose fields are not theirs."""
    messages = [piece.message for piece in group]
    return all(m.speaker is Speaker.TOOL and any(s.part for s in m.sources) for m in messages)


_Rows = Sequence[tuple[int, dict[str, Json]]]


def _session_lines(rows: _Rows) -> Iterator[Json]:
    for _, value in rows:
        fields = value.get("$set")
        if isinstance(fields, dict):
            session_fields = {key: item for key, item in fields.items() if key != "messages"}
            if session_fields:
                yield {**value, "$set": session_fields}
        elif "type" not in value and "id" not in value and not any(name in value for name in _REWRITES):
            yield {key: item for key, item in value.items() if key != "messages"}


def _shown_rows(export_input: ExportInput, rows: _Rows) -> Mapping[int, Sequence[Json]]:
    """Return rows that were only shown, by the record of a message before them (-1: before all)."""
    starts = {message.sources[0].start for message in export_input.conversation.messages if message.sources}
    rows_after: dict[int, list[Json]] = {}
    last_start = -1
    for start, value in rows:
        if start in starts:
            last_start = start
        elif value.get("type") in _SHOWN_ONLY:
            rows_after.setdefault(last_start, []).append(value)
    return rows_after


EXPORTER = Exporter(
    NAME,
    (),
    "Gemini CLI",
    ".json",
    "A session of Gemini CLI: the surviving records as they were, with records for what is new.",
    write,
)

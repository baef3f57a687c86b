"""Writes sessions of Gemini CLI: surviving records unchanged, with new records for new messages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.common.message_lists import source_records
from core.formats.common.open_document import read_document
from core.formats.gemini.parts import GEMINI_FORMATS
from core.formats.gemini_cli.new_records import (
    NO_TIME,
    GeminiRecordBuilder,
    GeminiToolResponse,
    new_record_id,
    responses_by_call,
)
from core.formats.gemini_cli.records import SHOWN_ONLY
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
from core.formats.writing.raw_json import (
    dump_json,
    dump_lines,
    rebuild_container,
    record_json,
    source_shape,
    unchanged_output,
)
from core.formats.writing.reported_sizes import valid_usage_starts, without_usage
from core.formats.writing.unsupported_content import ExtraContent, content_in_answers, count_extra_losses
from core.transcript.model import Message, Speaker, tool_calls, with_blocks

NAME = "gemini_cli"
_REWRITES = ("$rewindTo", "$patch")
_Group: TypeAlias = tuple[ExportMessage, ...]
_Rows: TypeAlias = Sequence[tuple[int, dict[str, Json]]]


@dataclass(slots=True)
class _GeminiOutput:
    """The records written so far; ``written_block_ids`` are results that went into their calls' records."""

    export_input: ExportInput
    builder: GeminiRecordBuilder
    records: list[Json] = field(default_factory=list)
    written_block_ids: set[int] = field(default_factory=set)

    def builder_for(self, piece: ExportMessage) -> GeminiRecordBuilder:
        from_source = piece.origin is not None
        return replace(
            self.builder,
            index=len(self.records),
            same_format=from_source and self.export_input.is_from_format(NAME),
            from_gemini=from_source and self.export_input.conversation.format in GEMINI_FORMATS,
        )


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the session in the source's container; from another format a new session as one object.

    A log is written without rewinds and rewrites, with their results instead.
    """
    losses, conversation = ExportLosses("Gemini CLI"), export_input.conversation
    if not export_input.is_from_format(NAME):
        return _new_session(export_input, losses)
    if conversation.branch == 1 and (unchanged := unchanged_output(export_input, NAME)) is not None:
        return unchanged
    shape = source_shape(export_input, NAME)
    records = source_records(conversation)
    rows = [(record.start, record.value) for record in records if isinstance(record.value, dict)]
    written = _session_records(export_input, losses, _shown_rows(export_input, rows))
    lines = [*_session_lines(rows), *written]
    if conversation.layout.get("container") == "object":
        data = rebuild_container(conversation, written)[0]
    elif shape is OutputShape.JSON:
        data = dump_json(lines, pretty=True) + b"\n"
    else:
        data = dump_lines(lines)
    return ExporterOutput(data, shape, losses.warnings())


def _new_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    supported = (*content_in_answers(export_input), ExtraContent.TIMES, ExtraContent.CALL_IDS)
    count_extra_losses(export_input, losses, *supported, family=conversation.format in GEMINI_FORMATS)
    records = _session_records(export_input, losses, {})
    project = (conversation.cwd or conversation.document.name).encode("utf-8", "replace")
    times = [record["timestamp"] for record in records] or [NO_TIME]
    session = {
        "sessionId": _session_id(export_input),
        "projectHash": hashlib.sha256(project).hexdigest(),
        "startTime": times[0],
        "lastUpdated": times[-1],
        "messages": records,
    }
    return ExporterOutput(dump_json(session, pretty=True) + b"\n", OutputShape.JSON, losses.warnings())


def _session_id(export_input: ExportInput) -> str:
    conversation = export_input.conversation
    return conversation.session_id or new_record_id("", 0, conversation.document.name)


def _session_records(
    export_input: ExportInput, losses: ExportLosses, shown_rows: Mapping[int, Sequence[Json]]
) -> list[Json]:
    """Return the records; ``shown_rows`` are rows that were only shown, by the record before them."""
    conversation, same_format = export_input.conversation, export_input.is_from_format(NAME)
    out = _GeminiOutput(
        export_input, GeminiRecordBuilder(_session_id(export_input), conversation.model, losses)
    )
    split_ranges, reported = split_records(conversation), valid_usage_starts(export_input)
    data = read_document(conversation.document) if same_format else b""
    groups = list(group_by_record(export_messages_from_user(export_input, losses), with_answers=True))
    out.records += shown_rows.get(-1, ())
    for index, group in enumerate(groups):
        record_range, count_before = group[0].record if same_format else None, len(out.records)
        if record_range and is_unchanged_record(group, split_ranges) and not _is_patched(group):
            out.records.append(record_json(data, *record_range, conversation.document.name))
            out.records += shown_rows.get(record_range[0], ())
        elif group[0].message.speaker is Speaker.AI:
            _add_answer(out, groups[index:])
        else:
            _add_user(out, group)
        if not (record_range and record_range[0] in reported):
            new = [without_usage(record, NAME) for record in out.records[count_before:]]
            out.records[count_before:] = new
        out.builder = replace(out.builder, time=group[0].message.timestamp or out.builder.time)
    return out.records


def _is_patched(group: _Group) -> bool:
    """Return whether later lines changed the record, so that its own line is outdated."""
    return any(piece.origin is not None and len(piece.origin.sources) > 1 for piece in group)


def _add_answer(out: _GeminiOutput, groups: Sequence[_Group]) -> None:
    """Add an answer with the results of its calls: those of its own record, else those that follow."""
    first = groups[0][0]
    builder = out.builder_for(first)
    ids = {call.id for call in tool_calls(first.message)}
    responses: dict[str, GeminiToolResponse] = {}
    for piece in _following_results(groups[:1] if builder.same_format else groups):
        origin = piece.origin.blocks if piece.origin is not None else ()
        for id_, response in responses_by_call(piece.message, origin).items():
            if id_ in ids and id_ not in responses:
                responses[id_] = response
                out.written_block_ids.update(map(id, (response.response, *response.other_blocks)))
    out.records.append(builder.answer(first.message, responses))
    for piece in groups[0][1:]:
        _add_user(out, (piece,))


def _following_results(groups: Sequence[_Group]) -> Iterator[ExportMessage]:
    """Yield the tool messages up to the next answer."""
    for piece in islice(chain.from_iterable(groups), 1, None):
        if piece.message.speaker is Speaker.AI:
            return
        if piece.message.speaker is Speaker.TOOL:
            yield piece


def _add_user(out: _GeminiOutput, group: _Group) -> None:
    """Add the user's words, and results that no answer before them took."""
    messages: list[Message] = []
    for piece in group:
        blocks = tuple(block for block in piece.message.blocks if id(block) not in out.written_block_ids)
        if blocks or not piece.message.blocks:
            messages.append(with_blocks(piece.message, blocks))
    if not messages:
        return
    builder = out.builder_for(group[0])
    if all(p.message.speaker is Speaker.TOOL and any(s.part for s in p.message.sources) for p in group):
        builder = replace(builder, same_format=False)  # the fields of their record are the call's
    record = builder.user(messages)
    if record is not None:
        out.records.append(record)


def _session_lines(rows: _Rows) -> Iterator[Json]:
    """Yield the lines of a log that set fields of the session."""
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
        elif value.get("type") in SHOWN_ONLY:
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

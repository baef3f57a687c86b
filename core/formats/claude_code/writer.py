"""Writes Claude Code sessions: surviving source lines, linked again, and lines for new messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.claude_code.compaction_writer import with_boundary
from core.formats.claude_code.edited_lines import edited_lines
from core.formats.claude_code.new_lines import (
    SESSION_TYPES,
    ClaudeLineContext,
    context_beside,
    goes_with_message,
    is_side_chain,
    last_line_context,
    message_line,
    message_starts,
    new_session_context,
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
from core.formats.writing.plain_text import ANTHROPIC_FAMILY
from core.formats.writing.raw_json import SourceLine, dump_json, source_lines, unchanged_output
from core.formats.writing.reported_sizes import valid_usage_starts, without_usage
from core.formats.writing.unsupported_content import ExtraContent, content_in_answers, count_extra_losses

NAME = "claude_code"
_PARENT_FIRST = re.compile(rb'\{"parentUuid":(?:null|"[^"\\]*")')


@dataclass(slots=True)
class _ClaudeOutput:
    """The lines written so far. ``run_count`` counts the runs of source lines between new ones;
    ``run_by_uuid`` maps the uuids of lines to their run. ``is_sub_agent``: all lines are a sub-agent's.
    ``valid_usage_starts`` are the lines whose usage reports still hold."""

    context: ClaudeLineContext
    losses: ExportLosses
    lines: list[bytes | dict[str, Json]] = field(default_factory=list)
    run_by_uuid: dict[str, int] = field(default_factory=dict)
    last_uuid: str | None = None
    run_count: int = 0
    is_sub_agent: bool = False
    valid_usage_starts: frozenset[int] = frozenset()


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the session, or a new one from another format; with a boundary, append to the source."""
    losses = ExportLosses("Claude Code")
    if options.append_boundary:
        return with_boundary(export_input)
    if not export_input.is_from_format(NAME):
        return _new_session(export_input, losses)
    if export_input.conversation.branch == 1 and (unchanged := unchanged_output(export_input, NAME)):
        return unchanged
    return _edited_session(export_input, losses)


def _new_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    family = conversation.format in ANTHROPIC_FAMILY
    count_extra_losses(
        export_input,
        losses,
        *content_in_answers(export_input),
        ExtraContent.TIMES,
        ExtraContent.CALL_IDS,
        family=family,
    )
    context = new_session_context(
        conversation.document.name, conversation.cwd, conversation.model, conversation.session_id
    )
    out = _ClaudeOutput(context, losses)
    for group in group_by_record(export_messages_from_user(export_input, out.losses)):
        _add_new(out, group, conversation.format)
    return _output(out)


def _edited_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    """Write lines of kept messages with those that go along, edited lines, and new lines."""
    entries = source_lines(export_input.conversation)
    by_start = {entry.start: entry for entry in entries}
    split_ranges = split_records(export_input.conversation)
    message_line_starts = message_starts(export_input.conversation)
    message_entries = [
        entry for entry in entries if entry.start in message_line_starts and entry.text("uuid")
    ]
    model = export_input.conversation.model
    out = _ClaudeOutput(
        context_beside(message_entries[0], model) if message_entries else last_line_context(entries, model),
        losses,
    )
    out.is_sub_agent = any(is_side_chain(entry) for entry in message_entries)
    out.valid_usage_starts = valid_usage_starts(export_input)
    accompanying = {} if out.is_sub_agent else _accompanying_lines(export_input, entries, message_line_starts)
    line_values: dict[int, dict[str, Json] | None] = dict.fromkeys(accompanying.pop(None, ()))
    for group in group_by_record(export_messages_from_user(export_input, out.losses)):
        first = group[0]
        if first.record is None or first.record[0] not in by_start:
            _write_run(out, line_values, by_start)
            line_values = {}
            _add_new(out, group, NAME)
        elif is_unchanged_record(group, split_ranges):
            line_values |= dict.fromkeys(start for piece in group for start in _source_starts(piece))
        else:
            line_values |= edited_lines(group, by_start, losses)
        for start in [start for piece in group for start in _source_starts(piece)]:
            line_values |= dict.fromkeys(accompanying.pop(start, ()))
    _write_run(out, line_values, by_start)
    _add_session_records(out, entries)
    return _output(out)


def _source_starts(piece: ExportMessage) -> tuple[int, ...]:
    return tuple(source.start for source in piece.origin.sources) if piece.origin is not None else ()


def _accompanying_lines(
    export_input: ExportInput, entries: Sequence[SourceLine], message_line_starts: frozenset[int]
) -> dict[int | None, list[int]]:
    """Map each message line to the bookkeeping lines that go along with it; None has those before all. A
    sub-agent's conversation has none. The boundary of a recorded summary goes along with the summary."""
    accompanying: dict[int | None, list[int]] = {}
    last_start: int | None = None
    for entry in entries:
        if entry.start in message_line_starts:
            last_start = entry.start
        elif goes_with_message(entry):
            accompanying.setdefault(last_start, []).append(entry.start)
    for compaction in export_input.conversation.recorded:
        for summary in compaction.summary:
            if compaction.source and compaction.source.start not in message_line_starts and summary.sources:
                accompanying.setdefault(summary.sources[0].start, []).append(compaction.source.start)
    return accompanying


def _write_run(
    out: _ClaudeOutput, line_values: Mapping[int, dict[str, Json] | None], by_start: Mapping[int, SourceLine]
) -> None:
    """Write a run of source lines in file order, each linked to a line of this export."""
    for start in sorted(start for start in line_values if start in by_start):
        entry = by_start[start]
        new_value = line_values[start]
        value = entry.value if new_value is None else new_value
        value = value if start in out.valid_usage_starts else without_usage(value, NAME)
        parent = _parent(out, entry, value)
        out.lines.append(_with_parent(entry, value, parent))
        if entry.text("uuid") and "parentUuid" in value:
            if not (_is_sub_agent_line(out, entry) or entry.text("uuid") in out.run_by_uuid):
                out.last_uuid, out.context = entry.text("uuid"), context_beside(entry, out.context.model)
            out.run_by_uuid[entry.text("uuid")] = out.run_count


def _parent(out: _ClaudeOutput, entry: SourceLine, value: Mapping[str, Json]) -> Json:
    """Return the line's own parent if it was written in this run, else the line before it; None for a
    repeated uuid, which could be its own ancestor."""
    parent = value.get("parentUuid")
    if _is_sub_agent_line(out, entry) or entry.text("uuid") in out.run_by_uuid:
        return parent if parent in out.run_by_uuid else None
    if value.get("subtype") == "compact_boundary" or out.last_uuid is None:
        return None
    if isinstance(parent, str) and out.run_by_uuid.get(parent) == out.run_count:
        return parent
    return out.last_uuid


def _is_sub_agent_line(out: _ClaudeOutput, entry: SourceLine) -> bool:
    """Return whether it is a sub-agent's line in the export of its session."""
    return is_side_chain(entry) and not out.is_sub_agent


def _with_parent(entry: SourceLine, value: dict[str, Json], parent: Json) -> bytes | dict[str, Json]:
    if "parentUuid" not in value or value["parentUuid"] == parent:
        is_unchanged = value is entry.value and "leafUuid" not in value
        return entry.data if is_unchanged else value
    if value is entry.value and _PARENT_FIRST.match(entry.data):
        start = b'{"parentUuid":' + dump_json(parent)
        return _PARENT_FIRST.sub(lambda _: start, entry.data, count=1)
    return {**value, "parentUuid": parent}


def _add_new(out: _ClaudeOutput, group: Sequence[ExportMessage], format_name: str) -> None:
    same_family = format_name in ANTHROPIC_FAMILY and all(piece.origin is not None for piece in group)
    messages = [piece.message for piece in group]
    line_index = len(out.lines)
    line = message_line(
        messages, out.context, out.last_uuid, line_index, same_family=same_family, losses=out.losses
    )
    if line is not None:
        out.lines.append(line)
        out.run_count += 1
        out.last_uuid = line["uuid"]


def _add_session_records(out: _ClaudeOutput, entries: Sequence[SourceLine]) -> None:
    """Add the session's records that went along with no line, and link them to existing lines."""
    written_data = {line for line in out.lines if isinstance(line, bytes)}
    for entry in entries:
        if (
            entry.value.get("type") in SESSION_TYPES
            and not entry.text("uuid")
            and entry.data not in written_data
        ):
            if "leafUuid" not in entry.value:
                out.lines.append(entry.data)
            elif entry.value not in out.lines:
                out.lines.append(entry.value)
    for index, line in enumerate(out.lines):
        if isinstance(line, dict) and "leafUuid" in line and line["leafUuid"] not in out.run_by_uuid:
            out.lines[index] = {**line, "leafUuid": out.last_uuid}


def _output(out: _ClaudeOutput) -> ExporterOutput:
    data = b"".join((line if isinstance(line, bytes) else dump_json(line)) + b"\n" for line in out.lines)
    return ExporterOutput(data, OutputShape.LINES, out.losses.warnings())


EXPORTER = Exporter(
    NAME,
    ("claude",),
    "Claude Code",
    ".jsonl",
    "A session of Claude Code: the surviving lines unchanged, with lines for new messages.",
    write,
    has_boundary=True,
)

"""Writes Claude Code sessions: surviving source lines, linked again, and lines for new messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.claude_code.compaction_writer import with_boundary
from core.formats.claude_code.edited_lines import edited_lines
from core.formats.claude_code.new_lines import (
    ClaudeLineContext,
    last_line_context,
    message_line,
    new_session,
    surroundings_of,
)
from core.formats.claude_code.source_lines import (
    SESSION_TYPES,
    ClaudeLine,
    insertion_anchors,
    message_starts,
    read_entries,
    starts_of,
    text_field,
)
from core.formats.common.source_bytes import read_document
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    OutputShape,
    export_messages_from_user,
    is_whole,
    joined_pieces,
    split_records,
)
from core.formats.writing.raw_json import dump_json
from core.formats.writing.reported_sizes import still_reported, without_usage
from core.formats.writing.text_documents import FAMILY
from core.formats.writing.unsupported_content import ExtraContent, in_answers, leave_out_extra

NAME = "claude_code"
_PARENT_FIRST = re.compile(rb'\{"parentUuid":(?:null|"[^"\\]*")')


@dataclass(slots=True)
class _ClaudeOutput:
    """The lines written so far. ``stretch`` counts the runs of source lines between new ones; ``written``
    maps the uuids of lines to their run. ``of_agent``: all lines are a sub-agent's. ``reported`` are the
    lines whose usage reports still hold."""

    context: ClaudeLineContext
    losses: ExportLosses
    lines: list[bytes | dict[str, Json]] = field(default_factory=list)
    written: dict[str, int] = field(default_factory=dict)
    last: str | None = None
    stretch: int = 0
    of_agent: bool = False
    reported: frozenset[int] = frozenset()


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the session, or a new one from another format; with a boundary, append to the source."""
    losses = ExportLosses("Claude Code")
    if options.append_boundary:
        return with_boundary(given)
    if not given.comes_from(NAME):
        return _new_session(given, losses)
    if given.is_whole_source and given.conversation.branch == 1:
        array = given.conversation.layout.get("container") == "array"
        return ExporterOutput(
            read_document(given.conversation.document), OutputShape.JSON if array else OutputShape.LINES
        )
    return _survivors(given, losses)


def _new_session(given: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = given.conversation
    family = conversation.format in FAMILY
    leave_out_extra(
        given, losses, *in_answers(given), ExtraContent.TIMES, ExtraContent.CALL_IDS, family=family
    )
    context = new_session(
        conversation.document.name, conversation.cwd, conversation.model, conversation.session_id
    )
    out = _ClaudeOutput(context, losses)
    for group in joined_pieces(export_messages_from_user(given, out.losses)):
        _add_new(out, group, conversation.format)
    return _written(out)


def _survivors(given: ExportInput, losses: ExportLosses) -> ExporterOutput:
    """Write lines of kept messages with those that go along, edited lines, and new lines."""
    entries = read_entries(given.conversation)
    by_start = {entry.start: entry for entry in entries}
    split = split_records(given.conversation)
    of_messages = message_starts(given.conversation)
    own = [entry for entry in entries if entry.start in of_messages and entry.uuid]
    model = given.conversation.model
    out = _ClaudeOutput(surroundings_of(own[0], model) if own else last_line_context(entries, model), losses)
    out.of_agent = any(entry.is_side for entry in own)
    out.reported = still_reported(given)
    along = {} if out.of_agent else _along(given, entries, of_messages)
    chosen: dict[int, dict[str, Json] | None] = dict.fromkeys(along.pop(None, ()))
    for group in joined_pieces(export_messages_from_user(given, out.losses)):
        head = group[0]
        if head.record is None or head.record[0] not in by_start:
            _emit(out, chosen, by_start)
            chosen = {}
            _add_new(out, group, NAME)
        elif is_whole(group, split):
            chosen |= dict.fromkeys(start for piece in group for start in _starts(piece))
        else:
            chosen |= edited_lines(group, by_start, losses)
        for start in [start for piece in group for start in _starts(piece)]:
            chosen |= dict.fromkeys(along.pop(start, ()))
    _emit(out, chosen, by_start)
    _close(out, entries)
    return _written(out)


def _starts(piece: ExportMessage) -> tuple[int, ...]:
    return starts_of(piece.origin) if piece.origin is not None else ()


def _along(
    given: ExportInput, entries: Sequence[ClaudeLine], of_messages: frozenset[int]
) -> dict[int | None, list[int]]:
    """Map each message line to the bookkeeping lines that go along with it; None has those before all. A
    sub-agent's conversation has none. The boundary of a recorded summary goes along with the summary."""
    along: dict[int | None, list[int]] = {}
    for start, anchor in insertion_anchors(entries, of_messages).items():
        along.setdefault(anchor, []).append(start)
    for compaction in given.conversation.recorded:
        for summary in compaction.summary:
            if compaction.source and compaction.source.start not in of_messages and summary.sources:
                along.setdefault(summary.sources[0].start, []).append(compaction.source.start)
    return along


def _emit(
    out: _ClaudeOutput, chosen: Mapping[int, dict[str, Json] | None], by_start: Mapping[int, ClaudeLine]
) -> None:
    """Write a run of source lines in file order, each linked to a line of this export."""
    for start in sorted(start for start in chosen if start in by_start):
        entry = by_start[start]
        changed = chosen[start]
        value = entry.value if changed is None else changed
        value = value if start in out.reported else without_usage(value, NAME)
        parent = _parent(out, entry, value)
        out.lines.append(_linked(entry, value, parent))
        if entry.uuid and "parentUuid" in value:
            if not (_is_beside(out, entry) or entry.uuid in out.written):
                out.last, out.context = entry.uuid, surroundings_of(entry, out.context.model)
            out.written[entry.uuid] = out.stretch


def _parent(out: _ClaudeOutput, entry: ClaudeLine, value: Mapping[str, Json]) -> Json:
    """Return the line's own parent if it was written in this run, else the line before it; None for a
    repeated uuid, which could be its own ancestor."""
    parent = value.get("parentUuid")
    if _is_beside(out, entry) or entry.uuid in out.written:
        return parent if parent in out.written else None
    if value.get("subtype") == "compact_boundary" or out.last is None:
        return None
    if isinstance(parent, str) and out.written.get(parent) == out.stretch:
        return parent
    return out.last


def _is_beside(out: _ClaudeOutput, entry: ClaudeLine) -> bool:
    """Return whether it is a sub-agent's line in the export of its session."""
    return entry.is_side and not out.of_agent


def _linked(entry: ClaudeLine, value: dict[str, Json], parent: Json) -> bytes | dict[str, Json]:
    if "parentUuid" not in value or value["parentUuid"] == parent:
        keep = value is entry.value and "leafUuid" not in value
        return entry.data if keep else value
    if value is entry.value and _PARENT_FIRST.match(entry.data):
        start = b'{"parentUuid":' + dump_json(parent)
        return _PARENT_FIRST.sub(lambda _: start, entry.data, count=1)
    return {**value, "parentUuid": parent}


def _add_new(out: _ClaudeOutput, group: Sequence[ExportMessage], format_name: str) -> None:
    same = format_name in FAMILY and all(piece.origin is not None for piece in group)
    messages = [piece.message for piece in group]
    place = len(out.lines)
    line = message_line(messages, out.context, out.last, place, same=same, losses=out.losses)
    if line is not None:
        out.lines.append(line)
        out.stretch += 1
        out.last = line["uuid"]


def _close(out: _ClaudeOutput, entries: Sequence[ClaudeLine]) -> None:
    """Add the session's records that went along with no line, and link them to existing lines."""
    there = {line for line in out.lines if isinstance(line, bytes)}
    for entry in entries:
        if entry.value.get("type") in SESSION_TYPES and not entry.uuid and entry.data not in there:
            if "leafUuid" not in entry.value:
                out.lines.append(entry.data)
            elif entry.value not in out.lines:
                out.lines.append(entry.value)
    for index, line in enumerate(out.lines):
        if isinstance(line, dict) and "leafUuid" in line and text_field(line, "leafUuid") not in out.written:
            out.lines[index] = {**line, "leafUuid": out.last}


def _written(out: _ClaudeOutput) -> ExporterOutput:
    data = b"".join((line if isinstance(line, bytes) else dump_json(line)) + b"\n" for line in out.lines)
    return ExporterOutput(data, OutputShape.LINES, out.losses.sentences())


EXPORTER = Exporter(
    NAME,
    ("claude",),
    "Claude Code",
    ".jsonl",
    "A session of Claude Code: the surviving lines unchanged, with lines for new messages.",
    write,
    has_boundary=True,
)

"""Writes Claude Code sessions: surviving source lines, linked again, and lines for new messages; or
the source with one more compaction, as that agent records them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.common.errors import InputError
from core.common.json_value import Json
from core.common.number_format import plural
from core.formats.claude_code.history import in_parent_order
from core.formats.claude_code.lines import (
    ClaudeLineInput,
    boundary_line,
    edited_lines,
    is_side_chain,
    is_worded_attachment,
    last_line_input,
    line_input_beside,
    message_line,
    new_session_input,
    summary_line,
)
from core.formats.common.json_access import string_of
from core.formats.writing.base import ExporterOutput, OutputShape
from core.formats.writing.export_messages import (
    ANTHROPIC_FAMILY,
    ExportInput,
    ExportLosses,
    ExportMessage,
    export_messages_from_user,
    group_by_record,
    is_unchanged_record,
    record_starts,
    split_records,
)
from core.formats.writing.plain_text import dump_json
from core.formats.writing.raw_json import (
    has_place_for_sizes,
    record_with_sizes,
    transcript_exporter,
)
from core.formats.writing.recorded_compaction import (
    NO_SUMMARY,
    append_records,
    boundary_warnings,
    cannot_append_error,
    kept_record_starts,
    kept_summary_starts,
    lost_summary_warning,
    summary_text,
    valid_usage_starts,
    without_usage,
)
from core.formats.writing.source_lines import SourceLine, source_lines
from core.transcript.compaction import Compaction
from core.transcript.model import Conversation

NAME = "claude_code"
_PARENT_FIRST = re.compile(rb'\{"parentUuid":(?:null|"[^"\\]*")')
_FIELDS = ("type", "subtype", "operation", "uuid", "parentUuid", "isSidechain", "leafUuid")
"""Of all lines; the rest of a line is read when it is written."""
_SESSION_TYPES = (
    *("summary", "custom-title", "ai-title", "agent-name", "agent-setting"),
    *("mode", "permission-mode", "pr-link", "last-prompt"),
)
"""Records about the session as a whole, which stay whatever happens to the messages."""


@dataclass(slots=True, kw_only=True)
class _ClaudeOutput:
    """The lines written so far; one is a dict as long as its ``leafUuid`` may change. ``run_count``
    counts the runs of source lines between new ones; ``run_by_uuid`` maps the uuids of lines to
    their run. ``beside`` is the source line that new ones are beside. ``is_sub_agent``: all lines
    are a sub-agent's. ``valid_usage_starts`` are the lines whose usage reports still hold."""

    first_input: ClaudeLineInput
    losses: ExportLosses
    lines: list[bytes | dict[str, Json]] = field(default_factory=list)
    run_by_uuid: dict[str, int] = field(default_factory=dict)
    last_uuid: str | None = None
    run_count: int = 0
    is_sub_agent: bool = False
    valid_usage_starts: frozenset[int] = frozenset()
    beside: SourceLine | None = None

    def add(self, line: bytes | dict[str, Json]) -> None:
        has_leaf = isinstance(line, dict) and "leafUuid" in line
        self.lines.append(line if has_leaf or isinstance(line, bytes) else dump_json(line))

    def line_input(self) -> ClaudeLineInput:
        """Return what a new line takes from here."""
        first = self.first_input
        return first if self.beside is None else line_input_beside(self.beside, first.model)

    def result(self, export_input: ExportInput) -> ExporterOutput:
        lines = [line if isinstance(line, bytes) else dump_json(line) for line in self.lines]
        self.lines.clear()
        if lines and has_place_for_sizes(
            export_input, NAME
        ):  # before all of them are one copy more
            lines[0] = record_with_sizes(lines[0], export_input)
        return ExporterOutput(b"\n".join([*lines, b""]), OutputShape.LINES)


def _new_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    line_input = new_session_input(
        conversation.document.name, conversation.cwd, conversation.model, conversation.session_id
    )
    out = _ClaudeOutput(first_input=line_input, losses=losses)
    for group in group_by_record(export_messages_from_user(export_input, losses)):
        _add_new(out, group, conversation.format)
    return out.result(export_input)


def _edited_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    with source_lines(conversation, _FIELDS) as lines:
        return _edited_lines_of(export_input, losses, list(lines))


def _edited_lines_of(
    export_input: ExportInput, losses: ExportLosses, entries: Sequence[SourceLine]
) -> ExporterOutput:
    conversation, of_messages = (
        export_input.conversation,
        _message_starts(export_input.conversation),
    )
    by_start, split_ranges = {entry.start: entry for entry in entries}, split_records(conversation)
    message_entries = [
        entry for entry in entries if entry.start in of_messages and entry.text("uuid")
    ]
    if message_entries:
        line_input = line_input_beside(message_entries[0], conversation.model)
    else:
        line_input = last_line_input(entries, conversation.model)
    out = _ClaudeOutput(
        first_input=line_input, losses=losses, is_sub_agent=any(map(is_side_chain, message_entries))
    )
    out.valid_usage_starts = valid_usage_starts(export_input)
    accompanying = (
        {} if out.is_sub_agent else _accompanying_lines(conversation, entries, of_messages)
    )
    line_values: dict[int, dict[str, Json] | None] = dict.fromkeys(accompanying.pop(None, ()))
    ranks, last_rank = _ranks(conversation), -1
    for group in group_by_record(export_messages_from_user(export_input, losses)):
        first = group[0]
        starts = [start for piece in group for start in _source_starts(piece)]
        rank = ranks.get(starts[0], last_rank) if starts else last_rank
        if rank < last_rank:  # it was moved: the lines of a run are in the order of the file
            _write_run(out, line_values, by_start)
            line_values, out.run_count = {}, out.run_count + 1
        last_rank = rank
        if first.record is None or first.record[0] not in by_start:
            _write_run(out, line_values, by_start)
            line_values = {}
            _add_new(out, group, NAME)
        elif is_unchanged_record(group, split_ranges):
            line_values |= dict.fromkeys(starts)
        else:
            line_values |= edited_lines(group, by_start, losses)
        for start in starts:
            line_values |= dict.fromkeys(accompanying.pop(start, ()))
    _write_run(out, line_values, by_start)
    _add_session_records(out, entries)
    return out.result(export_input)


def _source_starts(piece: ExportMessage) -> tuple[int, ...]:
    return (
        tuple(source.start for source in piece.origin.sources) if piece.origin is not None else ()
    )


def _ranks(conversation: Conversation) -> dict[int, int]:
    """Return the index of each message by the byte at which its first line starts."""
    ranks: dict[int, int] = {}
    for index, message in enumerate(conversation.messages):
        if message.sources:
            ranks.setdefault(message.sources[0].start, index)
    return ranks


def _message_starts(conversation: Conversation) -> frozenset[int]:
    summaries = [message for compaction in conversation.recorded for message in compaction.summary]
    return record_starts((*conversation.messages, *summaries))


def _accompanying_lines(
    conversation: Conversation, entries: Sequence[SourceLine], message_starts: frozenset[int]
) -> dict[int | None, list[int]]:
    """Map each message line to the bookkeeping lines and side chains that go along with it; None
    has those before all. The boundary of a recorded summary goes along with the summary. What the
    model saw and the conversation has not (copies, withdrawn turns) goes along with nothing."""
    accompanying: dict[int | None, list[int]] = {}
    last_start: int | None = None
    for entry in entries:
        is_message = (
            entry.text("type") in ("user", "assistant")
            or entry.text("operation") == "enqueue"
            or is_worded_attachment(entry)
        )
        if entry.start in message_starts:
            last_start = entry.start
        elif is_side_chain(entry) if is_message else entry.text("subtype") != "compact_boundary":
            accompanying.setdefault(last_start, []).append(entry.start)
    for compaction in conversation.recorded:
        for summary in compaction.summary:
            if (
                compaction.source
                and compaction.source.start not in message_starts
                and summary.sources
            ):
                accompanying.setdefault(summary.sources[0].start, []).append(
                    compaction.source.start
                )
    return accompanying


def _write_run(
    out: _ClaudeOutput,
    line_values: Mapping[int, dict[str, Json] | None],
    by_start: Mapping[int, SourceLine],
) -> None:
    """Write a run of source lines, each behind its parent and linked to a line of this export."""
    entries = [by_start[start] for start in sorted(line_values) if start in by_start]
    for entry in in_parent_order(entries, lambda one: (one.text("uuid"), one.text("parentUuid"))):
        start, uuid, original = entry.start, entry.text("uuid"), entry.value
        new_value = line_values[start]
        value = original if new_value is None else new_value
        value = value if start in out.valid_usage_starts else without_usage(value, NAME)
        out.add(
            _with_parent(entry, value, _parent(out, entry, value), is_unchanged=value is original)
        )
        if uuid and "parentUuid" in value:
            if not _is_sub_agent_line(out, entry) and uuid not in out.run_by_uuid:
                out.last_uuid, out.beside = uuid, entry
            out.run_by_uuid[uuid] = out.run_count


def _parent(out: _ClaudeOutput, entry: SourceLine, value: Mapping[str, Json]) -> Json:
    """Return the line's own parent if it was written in this run, else the line before it; None for
    a repeated uuid, which could be its own ancestor."""
    parent = value.get("parentUuid")
    if _is_sub_agent_line(out, entry) or entry.text("uuid") in out.run_by_uuid:
        return parent if string_of(parent) in out.run_by_uuid else None
    if value.get("subtype") == "compact_boundary" or out.last_uuid is None:
        return None
    is_in_run = isinstance(parent, str) and out.run_by_uuid.get(parent) == out.run_count
    return parent if is_in_run else out.last_uuid


def _is_sub_agent_line(out: _ClaudeOutput, entry: SourceLine) -> bool:
    return is_side_chain(entry) and not out.is_sub_agent


def _with_parent(
    entry: SourceLine, value: dict[str, Json], parent: Json, *, is_unchanged: bool
) -> bytes | dict[str, Json]:
    if "parentUuid" not in value or value["parentUuid"] == parent:
        return entry.data if is_unchanged and "leafUuid" not in value else value
    if is_unchanged and _PARENT_FIRST.match(data := entry.data):
        start = b'{"parentUuid":' + dump_json(parent)
        return _PARENT_FIRST.sub(lambda _: start, data, count=1)
    return {**value, "parentUuid": parent}


def _add_new(out: _ClaudeOutput, group: Sequence[ExportMessage], format_name: str) -> None:
    same_family = format_name in ANTHROPIC_FAMILY and all(
        piece.origin is not None for piece in group
    )
    line = message_line(
        [piece.message for piece in group],
        out.line_input(),
        out.last_uuid,
        len(out.lines),
        same_family=same_family,
        losses=out.losses,
    )
    if line is not None:
        out.add(line)
        out.run_count += 1
        out.last_uuid = line["uuid"]


def _add_session_records(out: _ClaudeOutput, entries: Sequence[SourceLine]) -> None:
    """Add the session's records that went along with no line, and link them to existing lines."""
    written_data = {line for line in out.lines if isinstance(line, bytes)}
    for entry in entries:
        if entry.text("type") not in _SESSION_TYPES or entry.text("uuid"):
            continue
        if "leafUuid" not in entry.fields:
            out.lines += () if (data := entry.data) in written_data else (data,)
        elif (value := entry.value) not in out.lines:
            out.lines.append(value)
    for index, line in enumerate(out.lines):
        if isinstance(line, dict) and "leafUuid" in line:
            is_written = string_of(line["leafUuid"]) in out.run_by_uuid
            out.lines[index] = line if is_written else {**line, "leafUuid": out.last_uuid}


def _with_boundary(export_input: ExportInput) -> ExporterOutput:
    """Return the source byte for byte, then the boundary and the summary. The boundary can only
    name messages that stay, so messages that the compaction edited stay whole, with a warning.
    Raises InputError for another source format."""
    conversation = export_input.conversation
    if not export_input.is_from_format(NAME) or conversation.layout.get("container") == "array":
        raise cannot_append_error(export_input, "Claude Code JSONL")
    return append_records(export_input, "boundary", _boundary_records)


def _boundary_records(
    export_input: ExportInput, compaction: Compaction
) -> tuple[Sequence[Json], Sequence[str]]:
    conversation = export_input.conversation
    with source_lines(conversation, _FIELDS) as lines:
        entries = list(lines)
        line_input = last_line_input(entries, conversation.model)
    _check_resumable(conversation, entries)
    last_uuid = next(
        (
            entry.text("uuid")
            for entry in reversed(entries)
            if not is_side_chain(entry) and entry.text("uuid")
        ),
        "",
    )
    count = len(entries)
    summary = summary_line(line_input, count + 1, summary_text(compaction) or NO_SUMMARY)
    metadata = _metadata(export_input, entries, summary["uuid"])
    boundary = boundary_line(line_input, last_uuid, count, metadata)
    summary["parentUuid"] = boundary["uuid"]
    lost_summary = (
        (lost_summary_warning("Claude Code"),) if kept_summary_starts(export_input) else ()
    )
    warnings = [*boundary_warnings(export_input), *lost_summary]
    if count := len(_repeated_uuids(entries, kept_record_starts(export_input))):
        uuids = plural(count, "uuid of a kept message appears", "uuids of kept messages appear")
        warnings.append(
            f"{uuids} more than once in the session; the boundary may be read as keeping others."
        )
    return (boundary, summary), warnings


def _check_resumable(conversation: Conversation, entries: Sequence[SourceLine]) -> None:
    """Raise InputError if the agent would not resume behind a boundary."""
    name, branch = conversation.document.name, conversation.branch
    reason = ""
    if branch != 1:
        reason = f"{name} continues with branch 1, not with branch {branch}"
    elif any(
        is_side_chain(entry) for entry in entries if entry.start in _message_starts(conversation)
    ):
        reason = f"No agent continues a sub-agent's conversation of {name}"
    if reason:
        raise InputError(f"{reason}; no boundary can be appended.", "Leave --append-boundary out.")


def _metadata(
    export_input: ExportInput, entries: Sequence[SourceLine], anchor: Json
) -> Mapping[str, Json]:
    sizes = {"preTokens": export_input.tokens_before, "postTokens": export_input.tokens_after}
    metadata: dict[str, Json] = {"trigger": "manual"}
    metadata |= {name: size for name, size in sizes.items() if size is not None}
    kept = kept_record_starts(export_input) - kept_summary_starts(export_input)
    uuids = [entry.text("uuid") for entry in entries if entry.start in kept and entry.text("uuid")]
    if not uuids:
        return metadata
    are_kept = [
        any(source.start in kept for source in message.sources)
        for message in export_input.conversation.messages
    ]
    is_tail = are_kept == sorted(are_kept)
    if is_tail and not _repeated_uuids(entries, kept):
        segment = {"headUuid": uuids[0], "anchorUuid": anchor, "tailUuid": uuids[-1]}
        return {**metadata, "preservedSegment": segment}
    return {
        **metadata,
        "preservedMessages": {"anchorUuid": anchor, "uuids": uuids, "allUuids": uuids},
    }


def _repeated_uuids(entries: Sequence[SourceLine], kept: frozenset[int]) -> frozenset[str]:
    counts = Counter(entry.text("uuid") for entry in entries)
    kept_uuids = {entry.text("uuid") for entry in entries if entry.start in kept} - {""}
    return frozenset(uuid for uuid in kept_uuids if counts[uuid] > 1)


EXPORTER = transcript_exporter(
    (NAME, "claude"),
    "Claude Code",
    ".jsonl",
    "A session of Claude Code: the surviving lines unchanged, with lines for new messages.",
    new=_new_session,
    edited=_edited_session,
    append=_with_boundary,
    carries_sizes=True,
)

"""Writes Claude Code sessions: surviving source lines, linked again, and lines for new messages; or
the source with one more compaction, as that agent records them."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.common.errors import InputError
from core.common.json_value import Json
from core.common.number_format import plural
from core.formats.anthropic_blocks import content_json
from core.formats.claude_code_history import in_parent_order
from core.formats.claude_code_messages import ATTACHMENT, QUEUE, read_attachment
from core.formats.common.json_parsing import fields_of, nested, string_of
from core.formats.common.messages import ImportNotes
from core.formats.writing.exporter import (
    ANTHROPIC_FAMILY,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    OutputShape,
    export_messages_beginning_with_user,
    group_by_record,
    is_unchanged_record,
    matched_blocks,
    record_starts,
    split_records,
)
from core.formats.writing.plain_text import dump_json, single_text
from core.formats.writing.raw_json import (
    SourceLine,
    deterministic_uuid,
    has_place_for_sizes,
    record_with_sizes,
    source_lines,
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
from core.transcript.compaction import Compaction
from core.transcript.model import (
    NO_MODEL,
    Block,
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    Source,
    Speaker,
    Text,
    ToolResponse,
)

_UUID_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "foldline:claude_code")
_SHARED_FIELDS = (
    *("isSidechain", "agentId", "userType", "entrypoint", "cwd"),
    *("sessionId", "version", "gitBranch", "slug"),
)
# The same input must give the same bytes, so the clock is never asked.
_NO_TIME = "1970-01-01T00:00:00.000Z"


def is_side_chain(line: SourceLine) -> bool:
    return line.fields.get("isSidechain") is True


def is_worded_attachment(line: SourceLine) -> bool:
    """Return whether a line is an attachment that gave words to the model."""
    return line.text("type") == ATTACHMENT and bool(
        read_attachment(line.value, ImportNotes(), 0)
    )


@dataclass(frozen=True, slots=True)
class ClaudeLineInput:
    """Fields and time that new lines share with their neighbours."""

    fields: Mapping[str, Json]
    time: str
    model: str = ""

    def uuid(self, line_index: int, value: Json) -> str:
        """Return a deterministic uuid that is new to the session, from place and content."""
        # Place and content instead of chance: the same export has the same bytes.
        digest = hashlib.sha256(
            dump_json([value, self.fields.get("sessionId")])
        ).hexdigest()
        return str(deterministic_uuid(_UUID_NAMESPACE, f"{line_index}/{digest}"))

    def line(
        self, parent: str | None, line_index: int, fields: dict[str, Json]
    ) -> dict[str, Json]:
        own = {
            "uuid": self.uuid(line_index, fields),
            "timestamp": fields.get("timestamp", self.time),
        }
        return {"parentUuid": parent, **self.fields, **fields, **own}


def last_line_input(entries: Sequence[SourceLine], model: str) -> ClaudeLineInput:
    """Return what a new line takes from the last line that belongs to a session."""
    for entry in reversed(entries):
        if (
            entry.text("uuid")
            and not is_side_chain(entry)
            and string_of(entry.value.get("sessionId"))
        ):
            return line_input_beside(entry, model)
    return new_session_input("", "", model)


def line_input_beside(entry: SourceLine, model: str) -> ClaudeLineInput:
    """Return what a new line takes from the line beside this one."""
    value = entry.value
    fields = {key: value[key] for key in _SHARED_FIELDS if key in value}
    return ClaudeLineInput(fields, string_of(value.get("timestamp")) or _NO_TIME, model)


def new_session_input(
    name: str, cwd: str, model: str, session_id: str = ""
) -> ClaudeLineInput:
    session_id = session_id or str(deterministic_uuid(_UUID_NAMESPACE, name))
    fields = {
        "isSidechain": False,
        "userType": "external",
        "cwd": cwd,
        "sessionId": session_id,
    }
    return ClaudeLineInput(fields, _NO_TIME, model)


def message_line(
    group: Sequence[Message],
    line_input: ClaudeLineInput,
    parent: str | None,
    line_index: int,
    *,
    same_family: bool,
    losses: ExportLosses,
) -> dict[str, Json] | None:
    """Return a line for new messages (a tool and a human message share one); None if nothing is
    left. ``same_family``: their blocks came from content of this shape."""
    content: list[Json] = []
    for message in group:
        content += content_json(message.blocks, same_family=same_family, losses=losses)
    if not content:
        losses.count_left_out("message without content")
        return None
    first = group[0]
    if first.speaker is Speaker.AI:
        fields = _assistant_fields(content, line_input, line_index)
    else:
        text = single_text(content)
        user_message = {"role": "user", "content": content if text is None else text}
        fields = {"type": "user", "message": user_message}
    if first.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
        losses.count_changed(f"{first.speaker.value} message as user")
    # Probably an unmarked system message would be listed as a prompt of the person.
    if first.speaker is Speaker.SYSTEM:
        fields["isMeta"] = True
    if first.timestamp:
        fields["timestamp"] = first.timestamp
    return line_input.line(parent, line_index, fields)


def _assistant_fields(
    content: list[Json], line_input: ClaudeLineInput, line_index: int
) -> dict[str, Json]:
    has_calls = any(nested(part, "type") == "tool_use" for part in content)
    message: dict[str, Json] = {
        "id": f"msg_{line_input.uuid(line_index, content).replace('-', '')[:24]}",
        "type": "message",
        "role": "assistant",
        "model": line_input.model or NO_MODEL,
        "content": content,
        "stop_reason": "tool_use" if has_calls else "end_turn",
        "stop_sequence": None,
        # No request was sent for a line made here.
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    return {"type": "assistant", "message": message}


def boundary_line(
    line_input: ClaudeLineInput,
    last: str,
    line_index: int,
    metadata: Mapping[str, Json],
) -> dict[str, Json]:
    """Return the line that records a compaction. ``last`` is the uuid before it."""
    fields: dict[str, Json] = {
        # The chain is cut on purpose: a resume must not walk beyond the boundary.
        "logicalParentUuid": last or None,
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "isMeta": False,
        "level": "info",
        "compactMetadata": dict(metadata),
    }
    return line_input.line(None, line_index, fields)


def summary_line(
    line_input: ClaudeLineInput, line_index: int, text: str
) -> dict[str, Json]:
    fields: dict[str, Json] = {
        "type": "user",
        "message": {"role": "user", "content": text},
        "isVisibleInTranscriptOnly": True,
        "isCompactSummary": True,
    }
    return line_input.line("", line_index, fields)


def _contents_by_line(
    group: Sequence[ExportMessage], starts: Mapping[int, Mapping[str, Json]]
) -> dict[int, list[_PlacedBlock]]:
    """Return the blocks of messages that were read from the source, by the start of their line."""
    contents: dict[int, list[_PlacedBlock]] = {}
    for piece in group:
        if piece.origin is not None:
            for placed in _placed_blocks(piece.message, piece.origin, starts):
                contents.setdefault(placed.start, []).append(placed)
    return contents


def edited_lines(
    group: Sequence[ExportMessage],
    by_start: Mapping[int, SourceLine],
    losses: ExportLosses,
) -> dict[int, dict[str, Json] | None]:
    """Return the new value of each line of a record's messages, by start; None if the line stays. A
    line without blocks is absent; unchanged blocks stay as they are."""
    starts = {
        source.start: by_start[source.start].value
        for piece in group
        for source in _sources(piece)
    }
    contents = _contents_by_line(group, starts)
    if len(starts) == 1:
        contents = {start: contents.get(start, []) for start in starts}
    edited = {
        start: _edited_line(starts[start], contents[start], losses)
        for start in starts
        if start in contents
    }
    # The record that takes a prompt out stays with it; else a reader leaves it in the queue.
    ends = (start for start, value in starts.items() if value.get("type") == QUEUE)
    return dict.fromkeys(ends) | edited


def _sources(piece: ExportMessage) -> Sequence[Source]:
    if piece.origin is not None:
        return piece.origin.sources
    return ()


class _PlacedBlock(NamedTuple):
    """A block to write, with its line and its position in the line's content."""

    start: int
    position: int
    block: Block
    is_unchanged: bool


def _placed_blocks(
    message: Message, origin: Message, lines: Mapping[int, Mapping[str, Json]]
) -> Iterator[_PlacedBlock]:
    """Give each block the place of the source block that it is or was, else that of the block
    before it."""
    places = _places(origin, lines)
    last = 0
    for block, index in matched_blocks(origin.blocks, message.blocks):
        last = last if index is None else index
        is_unchanged = index is not None and origin.blocks[index] == block
        yield _PlacedBlock(*places[min(last, len(places) - 1)], block, is_unchanged)


def _places(
    origin: Message, lines: Mapping[int, Mapping[str, Json]]
) -> list[tuple[int, int]]:
    """Return line and position of each block of a message."""
    items = [
        (source.start, position, item)
        for source in origin.sources
        for position, item in enumerate(_items(lines[source.start]))
    ]
    if len(items) != len(origin.blocks):  # the record became a tool and a human message
        is_tool_message = any(
            isinstance(block, ToolResponse) for block in origin.blocks
        )
        items = [
            item
            for item in items
            if (nested(item[2], "type") == "tool_result") == is_tool_message
        ]
    places = [(start, position) for start, position, _ in items[: len(origin.blocks)]]
    return places or [(origin.sources[0].start, 0)]


def _items(value: Mapping[str, Json]) -> Sequence[Json]:
    content = nested(value, "message", "content")
    if isinstance(content, list):
        return content
    return [content]


def _edited_line(
    value: dict[str, Json], placed: Sequence[_PlacedBlock], losses: ExportLosses
) -> dict[str, Json] | None:
    """Return a line with these blocks. The agent's copy of a tool result (``toolUseResult``) is
    removed if the result was changed, because it holds what was taken out."""
    if value.get("type") == QUEUE:
        blocks = [one.block for one in placed]
        words = [block.text for block in blocks if isinstance(block, Text)]
        return {**value, "content": "\n\n".join(words)}
    if value.get("type") == ATTACHMENT:
        return _attachment_as_user(value, [one.block for one in placed], losses)
    placed = sorted(placed, key=lambda one: one.position)
    changed_blocks = [one.block for one in placed if not one.is_unchanged]
    if len(placed) == len(_items(value)) and not changed_blocks:
        return None
    content = _content_of(placed, losses)
    is_plain = isinstance(nested(value, "message", "content"), str)
    # What was a plain string stays one, as far as one text says it.
    text = nested(content[0], "text") if is_plain and len(content) == 1 else None
    message = {**fields_of(value.get("message")), "content": text or content}
    changed = {**value, "message": message}
    if any(isinstance(block, ToolResponse) for block in changed_blocks):
        changed.pop("toolUseResult", None)
    return changed


def _content_of(placed: Sequence[_PlacedBlock], losses: ExportLosses) -> list[Json]:
    content: list[Json] = []
    for one in placed:
        # What Foldline does not interpret is written as it stood.
        if one.is_unchanged and isinstance(one.block, Opaque):
            content.append(one.block.raw)
        else:
            content += content_json([one.block], same_family=True, losses=losses)
    return content


def _attachment_as_user(
    value: Mapping[str, Json], blocks: Sequence[Block], losses: ExportLosses
) -> dict[str, Json]:
    """Return changed words of an attachment as a line of the user, which the agent sends as they
    are."""
    fields = {
        key: item for key, item in value.items() if key not in (ATTACHMENT, "type")
    }
    words = read_attachment(value, ImportNotes(), 0)
    if words is not None and words.flags & MessageFlag.META:
        fields["isMeta"] = True
    content = content_json(blocks, same_family=True, losses=losses)
    text = single_text(content)
    message = {"role": "user", "content": content if text is None else text}
    return {**fields, "type": "user", "message": message}


NAME = "claude_code"
# Nearly all lines begin with their parent, which can then be replaced without a new line.
_PARENT_FIRST = re.compile(rb'\{"parentUuid":(?:null|"[^"\\]*")')
_FIELDS = (
    "type",
    "subtype",
    "operation",
    "uuid",
    "parentUuid",
    "isSidechain",
    "leafUuid",
)
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
        self.lines.append(
            line if has_leaf or isinstance(line, bytes) else dump_json(line)
        )

    def line_input(self) -> ClaudeLineInput:
        """Return what a new line takes from here."""
        first = self.first_input
        if self.beside is None:
            return first
        return line_input_beside(self.beside, first.model)

    def result(self, export_input: ExportInput) -> ExporterOutput:
        lines = [
            line if isinstance(line, bytes) else dump_json(line) for line in self.lines
        ]
        # Freed before they are joined: a long session would stand in memory twice.
        self.lines.clear()
        # Before all of them are one copy more.
        if lines and has_place_for_sizes(export_input, NAME):
            lines[0] = record_with_sizes(lines[0], export_input)
        return ExporterOutput(b"\n".join([*lines, b""]), OutputShape.LINES)


def _new_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    line_input = new_session_input(
        conversation.document.name,
        conversation.cwd,
        conversation.model,
        conversation.session_id,
    )
    out = _ClaudeOutput(first_input=line_input, losses=losses)
    for group in group_by_record(
        export_messages_beginning_with_user(export_input, losses)
    ):
        _add_new(out, group, conversation.format)
    return out.result(export_input)


def _edited_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    with source_lines(conversation, _FIELDS) as lines:
        return _edited_lines_of(export_input, losses, list(lines))


def _edited_lines_of(
    export_input: ExportInput, losses: ExportLosses, entries: Sequence[SourceLine]
) -> ExporterOutput:
    conversation = export_input.conversation
    of_messages = _message_starts(export_input.conversation)
    by_start = {entry.start: entry for entry in entries}
    split_ranges = split_records(conversation)
    message_entries = [
        entry for entry in entries if entry.start in of_messages and entry.text("uuid")
    ]
    if message_entries:
        line_input = line_input_beside(message_entries[0], conversation.model)
    else:
        line_input = last_line_input(entries, conversation.model)
    out = _ClaudeOutput(
        first_input=line_input,
        losses=losses,
        is_sub_agent=any(map(is_side_chain, message_entries)),
    )
    out.valid_usage_starts = valid_usage_starts(export_input)
    if out.is_sub_agent:
        # The lines around a sub-agent belong to another conversation.
        accompanying = {}
    else:
        accompanying = _accompanying_lines(conversation, entries, of_messages)
    line_values: dict[int, dict[str, Json] | None] = dict.fromkeys(
        accompanying.pop(None, ())
    )
    ranks = _ranks(conversation)
    last_rank = -1
    groups = list(
        group_by_record(export_messages_beginning_with_user(export_input, losses))
    )
    unqueued = _unqueued_prompts(groups, by_start)
    for number, group in enumerate(groups):
        first = group[0]
        starts = [start for piece in group for start in _source_starts(piece)]
        if starts:
            rank = ranks.get(starts[0], last_rank)
        else:
            rank = last_rank
        # It was moved: the lines of a run are in the order of the file.
        if rank < last_rank:
            _write_run(out, line_values, by_start)
            line_values, out.run_count = {}, out.run_count + 1
        last_rank = rank
        if (
            number in unqueued
            or first.record is None
            or first.record[0] not in by_start
        ):
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


def _unqueued_prompts(
    groups: Sequence[Sequence[ExportMessage]], by_start: Mapping[int, SourceLine]
) -> frozenset[int]:
    """Return the numbers of the prompts in records of the queue that need a row of their own: a
    queue is read right before the next answer, so that other rows in between would come first."""
    found: list[int] = []
    is_read_here = True  # whether a queue would be read in front of the group behind
    for number in reversed(range(len(groups))):
        first = groups[number][0]
        if first.record is not None:
            line = by_start.get(first.record[0])
        else:
            line = None
        if line is None or line.text("operation") != "enqueue":
            is_read_here = first.message.speaker is Speaker.AI
        elif not is_read_here:
            found.append(number)
    return frozenset(found)


def _source_starts(piece: ExportMessage) -> tuple[int, ...]:
    if piece.origin is not None:
        return tuple(source.start for source in piece.origin.sources)
    return ()


def _ranks(conversation: Conversation) -> dict[int, int]:
    """Return the index of each message by the byte at which its first line starts."""
    ranks: dict[int, int] = {}
    for index, message in enumerate(conversation.messages):
        if message.sources:
            ranks.setdefault(message.sources[0].start, index)
    return ranks


def _message_starts(conversation: Conversation) -> frozenset[int]:
    summaries = [
        message
        for compaction in conversation.recorded
        for message in compaction.summary
    ]
    return record_starts((*conversation.messages, *summaries))


def _goes_along(entry: SourceLine) -> bool:
    """Return whether a line that is no message of the conversation stays with that before it."""
    is_message = (
        entry.text("type") in ("user", "assistant")
        or bool(
            entry.text("operation")
        )  # it would take another prompt out of the queue
        or is_worded_attachment(entry)
    )
    if is_message:
        return is_side_chain(entry)
    # A boundary without its summary would cut the history for nothing.
    return entry.text("subtype") != "compact_boundary"


def _accompanying_lines(
    conversation: Conversation,
    entries: Sequence[SourceLine],
    message_starts: frozenset[int],
) -> dict[int | None, list[int]]:
    """Map each message line to the bookkeeping lines and side chains that go along with it; None
    has those before all. The boundary of a recorded summary goes along with the summary. What the
    model saw and the conversation has not (copies, withdrawn turns) goes along with nothing."""
    accompanying: dict[int | None, list[int]] = {}
    last_start: int | None = None
    for entry in entries:
        if entry.start in message_starts:
            last_start = entry.start
        elif _goes_along(entry):
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
    for entry in in_parent_order(
        entries, lambda one: (one.text("uuid"), one.text("parentUuid"))
    ):
        start = entry.start
        uuid = entry.text("uuid")
        original = entry.value
        new_value = line_values[start]
        value = original if new_value is None else new_value
        # A usage report counts a request whose messages may be gone.
        if start not in out.valid_usage_starts:
            value = without_usage(value, NAME)
        out.add(
            _with_parent(
                entry, value, _parent(out, entry, value), is_unchanged=value is original
            )
        )
        if uuid and "parentUuid" in value:
            # A copied line must not become a parent again: that would close a cycle.
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


def _add_new(
    out: _ClaudeOutput, group: Sequence[ExportMessage], format_name: str
) -> None:
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
        if "leafUuid" in entry.fields:
            # Its leaf may be gone: as a value, not as bytes, it can be linked anew.
            if entry.value not in out.lines:
                out.lines.append(entry.value)
        elif entry.data not in written_data:
            out.lines.append(entry.data)
    _link_to_written_lines(out)


def _link_to_written_lines(out: _ClaudeOutput) -> None:
    for index, line in enumerate(out.lines):
        if isinstance(line, dict) and "leafUuid" in line:
            # A title belongs to a session by its leaf, which has to exist.
            is_written = string_of(line["leafUuid"]) in out.run_by_uuid
            out.lines[index] = (
                line if is_written else {**line, "leafUuid": out.last_uuid}
            )


def _with_boundary(export_input: ExportInput) -> ExporterOutput:
    """Return the source byte for byte, then the boundary and the summary. The boundary can only
    name messages that stay, so messages that the compaction edited stay whole, with a warning.
    Raises InputError for another source format."""
    conversation = export_input.conversation
    if (
        not export_input.is_from_format(NAME)
        or conversation.layout.get("container") == "array"
    ):
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
    summary = summary_line(
        line_input, count + 1, summary_text(compaction) or NO_SUMMARY
    )
    metadata = _metadata(export_input, entries, summary["uuid"])
    boundary = boundary_line(line_input, last_uuid, count, metadata)
    summary["parentUuid"] = boundary["uuid"]
    lost_summary = (
        (lost_summary_warning("Claude Code"),)
        if kept_summary_starts(export_input)
        else ()
    )
    warnings = [*boundary_warnings(export_input), *lost_summary]
    # Claude Code finds kept messages by uuid; of two equal ones it may take either.
    if count := len(_repeated_uuids(entries, kept_record_starts(export_input))):
        uuids = plural(
            count, "uuid of a kept message appears", "uuids of kept messages appear"
        )
        warnings.append(
            f"{uuids} more than once in the session; the boundary may be read as keeping others."
        )
    return (boundary, summary), warnings


def _check_resumable(conversation: Conversation, entries: Sequence[SourceLine]) -> None:
    """Raise InputError if the agent would not resume behind a boundary."""
    name, branch = conversation.document.name, conversation.branch
    reason = ""
    # The agent resumes at the newest leaf, which is the end of branch 1.
    if branch != 1:
        reason = f"{name} continues with branch 1, not with branch {branch}"
    elif any(
        is_side_chain(entry)
        for entry in entries
        if entry.start in _message_starts(conversation)
    ):
        reason = f"No agent continues a sub-agent's conversation of {name}"
    if reason:
        raise InputError(
            f"{reason}, so no compaction can be appended.",
            "Leave --append-boundary out.",
        )


def _metadata(
    export_input: ExportInput, entries: Sequence[SourceLine], anchor: Json
) -> Mapping[str, Json]:
    sizes = {
        "preTokens": export_input.tokens_before,
        "postTokens": export_input.tokens_after,
    }
    metadata: dict[str, Json] = {"trigger": "manual"}
    metadata |= {name: size for name, size in sizes.items() if size is not None}
    kept = kept_record_starts(export_input) - kept_summary_starts(export_input)
    uuids = [
        entry.text("uuid")
        for entry in entries
        if entry.start in kept and entry.text("uuid")
    ]
    if not uuids:
        return metadata
    are_kept = [
        any(source.start in kept for source in message.sources)
        for message in export_input.conversation.messages
    ]
    is_tail = are_kept == sorted(are_kept)
    # A segment has only a head and a tail: it can name a run up to the end and nothing else.
    if is_tail and not _repeated_uuids(entries, kept):
        segment = {"headUuid": uuids[0], "anchorUuid": anchor, "tailUuid": uuids[-1]}
        return {**metadata, "preservedSegment": segment}
    return {
        **metadata,
        "preservedMessages": {"anchorUuid": anchor, "uuids": uuids, "allUuids": uuids},
    }


def _repeated_uuids(
    entries: Sequence[SourceLine], kept: frozenset[int]
) -> frozenset[str]:
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

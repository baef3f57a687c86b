"""Lines for an exported Claude Code session: those of new messages, boundaries, and edited source
lines."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.common.json_value import Json
from core.formats.anthropic.blocks import content_json
from core.formats.claude_code.attachments import ATTACHMENT, read_attachment
from core.formats.claude_code.queued_prompts import QUEUE
from core.formats.common.json_access import fields_of, nested, string_of
from core.formats.common.messages import ImportNotes
from core.formats.writing.export_messages import ExportLosses, ExportMessage, matched_blocks
from core.formats.writing.plain_text import dump_json, single_text
from core.formats.writing.raw_json import deterministic_uuid
from core.formats.writing.source_lines import SourceLine
from core.transcript.model import (
    Block,
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
_NO_TIME = "1970-01-01T00:00:00.000Z"
_NO_MODEL = "<synthetic>"


def is_side_chain(line: SourceLine) -> bool:
    return line.fields.get("isSidechain") is True


def is_worded_attachment(line: SourceLine) -> bool:
    """Return whether a line is an attachment that gave words to the model."""
    return line.text("type") == ATTACHMENT and bool(read_attachment(line.value, ImportNotes(), 0))


@dataclass(frozen=True, slots=True)
class ClaudeLineInput:
    """Fields and time that new lines share with their neighbours."""

    fields: Mapping[str, Json]
    time: str
    model: str = ""

    def uuid(self, line_index: int, value: Json) -> str:
        """Return a deterministic uuid that is new to the session, from place and content."""
        digest = hashlib.sha256(dump_json([value, self.fields.get("sessionId")])).hexdigest()
        return str(deterministic_uuid(_UUID_NAMESPACE, f"{line_index}/{digest}"))

    def line(self, parent: str | None, line_index: int, fields: dict[str, Json]) -> dict[str, Json]:
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


def new_session_input(name: str, cwd: str, model: str, session_id: str = "") -> ClaudeLineInput:
    session_id = session_id or str(deterministic_uuid(_UUID_NAMESPACE, name))
    fields = {"isSidechain": False, "userType": "external", "cwd": cwd, "sessionId": session_id}
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
        "model": line_input.model or _NO_MODEL,
        "content": content,
        "stop_reason": "tool_use" if has_calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    return {"type": "assistant", "message": message}


def boundary_line(
    line_input: ClaudeLineInput, last: str, line_index: int, metadata: Mapping[str, Json]
) -> dict[str, Json]:
    """Return the line that records a compaction. ``last`` is the uuid before it."""
    fields: dict[str, Json] = {
        "logicalParentUuid": last or None,
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "isMeta": False,
        "level": "info",
        "compactMetadata": dict(metadata),
    }
    return line_input.line(None, line_index, fields)


def summary_line(line_input: ClaudeLineInput, line_index: int, text: str) -> dict[str, Json]:
    fields: dict[str, Json] = {
        "type": "user",
        "message": {"role": "user", "content": text},
        "isVisibleInTranscriptOnly": True,
        "isCompactSummary": True,
    }
    return line_input.line("", line_index, fields)


def edited_lines(
    group: Sequence[ExportMessage], by_start: Mapping[int, SourceLine], losses: ExportLosses
) -> dict[int, dict[str, Json] | None]:
    """Return the new value of each line of a record's messages, by start; None if the line stays. A
    line without blocks is absent; unchanged blocks stay as they are."""
    starts = {
        source.start: by_start[source.start].value for piece in group for source in _sources(piece)
    }
    contents: dict[int, list[_PlacedBlock]] = {}
    for piece in group:
        if piece.origin is not None:
            for placed in _placed_blocks(piece.message, piece.origin, starts):
                contents.setdefault(placed.start, []).append(placed)
    if len(starts) == 1:
        contents = {start: contents.get(start, []) for start in starts}
    edited = {
        start: _edited_line(starts[start], contents[start], losses)
        for start in starts
        if start in contents
    }
    ends = (start for start, value in starts.items() if value.get("type") == QUEUE)
    return dict.fromkeys(ends) | edited


def _sources(piece: ExportMessage) -> Sequence[Source]:
    return piece.origin.sources if piece.origin is not None else ()


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
    places, last = _places(origin, lines), 0
    for block, index in matched_blocks(origin.blocks, message.blocks):
        last = last if index is None else index
        is_unchanged = index is not None and origin.blocks[index] == block
        yield _PlacedBlock(*places[min(last, len(places) - 1)], block, is_unchanged)


def _places(origin: Message, lines: Mapping[int, Mapping[str, Json]]) -> list[tuple[int, int]]:
    """Return line and position of each block of a message."""
    items = [
        (source.start, position, item)
        for source in origin.sources
        for position, item in enumerate(_items(lines[source.start]))
    ]
    if len(items) != len(origin.blocks):  # the record became a tool and a human message
        is_tool_message = any(isinstance(block, ToolResponse) for block in origin.blocks)
        items = [
            item for item in items if (nested(item[2], "type") == "tool_result") == is_tool_message
        ]
    places = [(start, position) for start, position, _ in items[: len(origin.blocks)]]
    return places or [(origin.sources[0].start, 0)]


def _items(value: Mapping[str, Json]) -> Sequence[Json]:
    content = nested(value, "message", "content")
    return content if isinstance(content, list) else [content]


def _edited_line(
    value: dict[str, Json], placed: Sequence[_PlacedBlock], losses: ExportLosses
) -> dict[str, Json] | None:
    """Return a line with these blocks. The agent's copy of a tool result (``toolUseResult``) is
    removed if the result was changed, because it holds what was taken out."""
    if value.get("type") == QUEUE:
        words = (block.text for one in placed if isinstance(block := one.block, Text))
        return {**value, "content": "\n\n".join(words)}
    if value.get("type") == ATTACHMENT:
        return _attachment_as_user(value, [one.block for one in placed], losses)
    placed = sorted(placed, key=lambda one: one.position)
    changed_blocks = [one.block for one in placed if not one.is_unchanged]
    if len(placed) == len(_items(value)) and not changed_blocks:
        return None
    content: list[Json] = []
    for one in placed:
        if one.is_unchanged and isinstance(one.block, Opaque):
            content.append(one.block.raw)
        else:
            content += content_json([one.block], same_family=True, losses=losses)
    is_plain = isinstance(nested(value, "message", "content"), str)
    text = nested(content[0], "text") if is_plain and len(content) == 1 else None
    changed = {**value, "message": {**fields_of(value.get("message")), "content": text or content}}
    if any(isinstance(block, ToolResponse) for block in changed_blocks):
        changed.pop("toolUseResult", None)
    return changed


def _attachment_as_user(
    value: Mapping[str, Json], blocks: Sequence[Block], losses: ExportLosses
) -> dict[str, Json]:
    """Return changed words of an attachment as a line of the user, which the agent sends as they
    are."""
    fields = {key: item for key, item in value.items() if key not in (ATTACHMENT, "type")}
    words = read_attachment(value, ImportNotes(), 0)
    if words is not None and words.flags & MessageFlag.META:
        fields["isMeta"] = True
    content = content_json(blocks, same_family=True, losses=losses)
    text = single_text(content)
    message = {"role": "user", "content": content if text is None else text}
    return {**fields, "type": "user", "message": message}

"""Creates lines for a Claude Code session: inserted messages and recorded boundaries."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.anthropic.block_writer import content_json
from core.formats.claude_code.source_lines import ClaudeLine, text_field
from core.formats.writing.base import ExportLosses
from core.formats.writing.made_ids import made_uuid
from core.formats.writing.plain_text import only_text
from core.formats.writing.raw_json import dump_json
from core.transcript.model import Message, Speaker

_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "foldline:claude_code")
_SHARED = (
    *("isSidechain", "agentId", "userType", "entrypoint", "cwd"),
    *("sessionId", "version", "gitBranch", "slug"),
)
_NO_TIME = "1970-01-01T00:00:00.000Z"
_NO_MODEL = "<synthetic>"


@dataclass(frozen=True, slots=True)
class ClaudeLineContext:
    """Fields and time that new lines share with their neighbours."""

    fields: Mapping[str, Json]
    time: str
    model: str = ""


def last_line_context(entries: Sequence[ClaudeLine], model: str) -> ClaudeLineContext:
    """Return the context of the last line that belongs to a session."""
    for entry in reversed(entries):
        if text_field(entry.value, "sessionId") and entry.uuid and not entry.is_side:
            return surroundings_of(entry, model)
    return new_session("", "", model)


def surroundings_of(entry: ClaudeLine, model: str) -> ClaudeLineContext:
    """Return the context for a new line beside this one."""
    fields = {key: entry.value[key] for key in _SHARED if key in entry.value}
    return ClaudeLineContext(fields, text_field(entry.value, "timestamp") or _NO_TIME, model)


def new_session(name: str, cwd: str, model: str, session_id: str = "") -> ClaudeLineContext:
    fields = {
        "isSidechain": False,
        "userType": "external",
        "cwd": cwd,
        "sessionId": session_id or str(made_uuid(_SPACE, name)),
    }
    return ClaudeLineContext(fields, _NO_TIME, model)


def fresh_uuid(context: ClaudeLineContext, place: int, value: Json) -> str:
    """Return a deterministic uuid that is new to the session, from place and content."""
    digest = hashlib.sha256(dump_json([value, context.fields.get("sessionId")])).hexdigest()
    return str(made_uuid(_SPACE, f"{place}/{digest}"))


def message_line(
    group: Sequence[Message],
    context: ClaudeLineContext,
    parent: str | None,
    place: int,
    *,
    same: bool,
    losses: ExportLosses,
) -> dict[str, Json] | None:
    """Return a line for new messages (a tool and a human message share one); None if nothing is left.
    ``same``: their blocks came from content of this shape."""
    content: list[Json] = []
    for message in group:
        content += content_json(message.blocks, same=same, losses=losses)
    if not content:
        losses.leave_out("message without content")
        return None
    head = group[0]
    if head.speaker is Speaker.AI:
        return _assistant(head, content, context, parent, place)
    if head.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
        losses.change(f"{head.speaker.value} message as user")
    return _user(head, content, context, parent, place)


def _line(
    context: ClaudeLineContext, parent: str | None, place: int, own: dict[str, Json]
) -> dict[str, Json]:
    return {
        "parentUuid": parent,
        **context.fields,
        **own,
        "uuid": fresh_uuid(context, place, own),
        "timestamp": own.get("timestamp", context.time),
    }


def _user(
    message: Message, content: list[Json], context: ClaudeLineContext, parent: str | None, place: int
) -> dict[str, Json]:
    own: dict[str, Json] = {"type": "user", "message": {"role": "user", "content": _text_or_list(content)}}
    if message.speaker is Speaker.SYSTEM:
        own["isMeta"] = True
    if message.timestamp:
        own["timestamp"] = message.timestamp
    return _line(context, parent, place, own)


def _assistant(
    message: Message, content: list[Json], context: ClaudeLineContext, parent: str | None, place: int
) -> dict[str, Json]:
    calls = any(isinstance(part, dict) and part.get("type") == "tool_use" for part in content)
    own: dict[str, Json] = {
        "type": "assistant",
        "message": {
            "id": f"msg_{fresh_uuid(context, place, content).replace('-', '')[:24]}",
            "type": "message",
            "role": "assistant",
            "model": context.model or _NO_MODEL,
            "content": content,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        },
    }
    if message.timestamp:
        own["timestamp"] = message.timestamp
    return _line(context, parent, place, own)


def _text_or_list(content: list[Json]) -> Json:
    text = only_text(content)
    return content if text is None else text


def boundary_line(
    context: ClaudeLineContext, last: str, place: int, metadata: Mapping[str, Json]
) -> dict[str, Json]:
    """Return the line that records a compaction. ``last`` is the uuid before it."""
    own: dict[str, Json] = {
        "logicalParentUuid": last or None,
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "isMeta": False,
        "level": "info",
        "compactMetadata": dict(metadata),
    }
    return _line(context, None, place, own)


def summary_line(context: ClaudeLineContext, parent: str, place: int, text: str) -> dict[str, Json]:
    own: dict[str, Json] = {
        "type": "user",
        "message": {"role": "user", "content": text},
        "isVisibleInTranscriptOnly": True,
        "isCompactSummary": True,
    }
    return _line(context, parent, place, own)

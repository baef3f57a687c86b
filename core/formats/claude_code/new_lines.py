"""Creates lines for a Claude Code session: inserted messages and recorded boundaries."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.anthropic.block_writer import content_json
from core.formats.common.json_access import nested
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import single_text
from core.formats.writing.raw_json import SourceLine, deterministic_uuid, dump_json
from core.transcript.model import Conversation, Message, Speaker

_UUID_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "foldline:claude_code")
_SHARED_FIELDS = (
    *("isSidechain", "agentId", "userType", "entrypoint", "cwd"),
    *("sessionId", "version", "gitBranch", "slug"),
)
_NO_TIME = "1970-01-01T00:00:00.000Z"
_NO_MODEL = "<synthetic>"
SESSION_TYPES = (
    *("summary", "custom-title", "ai-title", "agent-name", "agent-setting"),
    *("mode", "permission-mode", "pr-link", "last-prompt"),
)
"""Records about the session as a whole, which stay whatever happens to the messages."""


def is_side_chain(line: SourceLine) -> bool:
    return line.value.get("isSidechain") is True


def message_starts(conversation: Conversation) -> frozenset[int]:
    """Return where the lines of all messages begin, recorded summaries included."""
    summaries = [message for compaction in conversation.recorded for message in compaction.summary]
    return frozenset(
        source.start for message in (*conversation.messages, *summaries) for source in message.sources
    )


def goes_with_message(entry: SourceLine) -> bool:
    """Return whether a line that is no message goes along with one: not other branches and recorded
    compactions."""
    if entry.value.get("type") in ("user", "assistant"):
        return is_side_chain(entry)
    return entry.value.get("subtype") != "compact_boundary"


@dataclass(frozen=True, slots=True)
class ClaudeLineContext:
    """Fields and time that new lines share with their neighbours."""

    fields: Mapping[str, Json]
    time: str
    model: str = ""


def last_line_context(entries: Sequence[SourceLine], model: str) -> ClaudeLineContext:
    """Return the context of the last line that belongs to a session."""
    for entry in reversed(entries):
        if entry.text("sessionId") and entry.text("uuid") and not is_side_chain(entry):
            return context_beside(entry, model)
    return new_session_context("", "", model)


def context_beside(entry: SourceLine, model: str) -> ClaudeLineContext:
    """Return the context for a new line beside this one."""
    fields = {key: entry.value[key] for key in _SHARED_FIELDS if key in entry.value}
    return ClaudeLineContext(fields, entry.text("timestamp") or _NO_TIME, model)


def new_session_context(name: str, cwd: str, model: str, session_id: str = "") -> ClaudeLineContext:
    fields = {
        "isSidechain": False,
        "userType": "external",
        "cwd": cwd,
        "sessionId": session_id or str(deterministic_uuid(_UUID_NAMESPACE, name)),
    }
    return ClaudeLineContext(fields, _NO_TIME, model)


def new_uuid(context: ClaudeLineContext, line_index: int, value: Json) -> str:
    """Return a deterministic uuid that is new to the session, from place and content."""
    digest = hashlib.sha256(dump_json([value, context.fields.get("sessionId")])).hexdigest()
    return str(deterministic_uuid(_UUID_NAMESPACE, f"{line_index}/{digest}"))


def message_line(
    group: Sequence[Message],
    context: ClaudeLineContext,
    parent: str | None,
    line_index: int,
    *,
    same_family: bool,
    losses: ExportLosses,
) -> dict[str, Json] | None:
    """Return a line for new messages (a tool and a human message share one); None if nothing is left.
    ``same_family``: their blocks came from content of this shape."""
    content: list[Json] = []
    for message in group:
        content += content_json(message.blocks, same_family=same_family, losses=losses)
    if not content:
        losses.count_left_out("message without content")
        return None
    first = group[0]
    if first.speaker is Speaker.AI:
        line_fields = _assistant_fields(content, context, line_index)
    else:
        text = single_text(content)
        user_message = {"role": "user", "content": content if text is None else text}
        line_fields = {"type": "user", "message": user_message}
    if first.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
        losses.count_changed(f"{first.speaker.value} message as user")
    if first.speaker is Speaker.SYSTEM:
        line_fields["isMeta"] = True
    if first.timestamp:
        line_fields["timestamp"] = first.timestamp
    return _line(context, parent, line_index, line_fields)


def _line(
    context: ClaudeLineContext, parent: str | None, line_index: int, line_fields: dict[str, Json]
) -> dict[str, Json]:
    return {
        "parentUuid": parent,
        **context.fields,
        **line_fields,
        "uuid": new_uuid(context, line_index, line_fields),
        "timestamp": line_fields.get("timestamp", context.time),
    }


def _assistant_fields(content: list[Json], context: ClaudeLineContext, line_index: int) -> dict[str, Json]:
    has_calls = any(nested(part, "type") == "tool_use" for part in content)
    message: dict[str, Json] = {
        "id": f"msg_{new_uuid(context, line_index, content).replace('-', '')[:24]}",
        "type": "message",
        "role": "assistant",
        "model": context.model or _NO_MODEL,
        "content": content,
        "stop_reason": "tool_use" if has_calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    return {"type": "assistant", "message": message}


def boundary_line(
    context: ClaudeLineContext, last: str, line_index: int, metadata: Mapping[str, Json]
) -> dict[str, Json]:
    """Return the line that records a compaction. ``last`` is the uuid before it."""
    line_fields: dict[str, Json] = {
        "logicalParentUuid": last or None,
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "isMeta": False,
        "level": "info",
        "compactMetadata": dict(metadata),
    }
    return _line(context, None, line_index, line_fields)


def summary_line(context: ClaudeLineContext, parent: str, line_index: int, text: str) -> dict[str, Json]:
    line_fields: dict[str, Json] = {
        "type": "user",
        "message": {"role": "user", "content": text},
        "isVisibleInTranscriptOnly": True,
        "isCompactSummary": True,
    }
    return _line(context, parent, line_index, line_fields)

"""Leaves out records of another format, by their shape, with a count and a warning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.unsupported_formats import UNSUPPORTED_SHAPES, RecordShapes

_ITEM_FORMATS = "openai_responses codex_rollout"
_CHAT_FORMATS = f"openai_chat anthropic_messages goose cline_session mini_swe_agent tau_bench {_ITEM_FORMATS}"
_CODEX_TYPES = "session_meta|response_item|event_msg|turn_context|compacted|world_state"
_PI_COMPACTION = "type=compaction firstKeptEntryId"
_OBSERVATION = "observation extras source"
_MESSAGE_ITEM = "type=message role content"
_CALL_ITEM = "type=function_call|function_call_output call_id"

_SHAPES: tuple[tuple[tuple[str, ...], str, RecordShapes], ...] = tuple(
    (tuple(formats.split()), name, RecordShapes(*shapes))
    for formats, name, *shapes in (
        ("claude_code", "Claude Code", "uuid parentUuid", "type=user|assistant message !role"),
        ("codex_rollout", "Codex", f"type={_CODEX_TYPES} payload"),
        ("pi_agent", "Pi", "type=session id cwd", "type=message message.role", _PI_COMPACTION),
        ("copilot_cli", "Copilot CLI", "type=session.*|assistant.*|user.*|tool.*|hook.* data timestamp"),
        ("gemini_cli", "Gemini CLI", "sessionId projectHash", "type=gemini content", "$set", "$rewindTo"),
        ("llxprt", "llxprt-code", "type seq payload", "speaker blocks"),
        ("openhands", "OpenHands", "kind source timestamp", "action args source", _OBSERVATION),
        ("sharegpt", "ShareGPT", "from value", "conversations"),
        ("langchain", "LangChain", "lc kwargs", "type=human|ai|tool|system data.content"),
        ("cline_ui", "Cline's window", "ts type=say say", "ts type=ask ask"),
        (
            _ITEM_FORMATS,
            "OpenAI Responses",
            _CALL_ITEM,
            "type=message role content",
            "type=reasoning summary",
        ),
        ("gemini ai_sdk", "Gemini", "role parts"),
        (_CHAT_FORMATS, "OpenAI chat", "role content !type", "role tool_calls !type"),
    )
)
"""Formats that have such records, the name of the records, and their shapes."""


def record_kind(records: Sequence[Json]) -> str:
    """Return the name of the first format whose shape one of these records has; "" if there is none."""
    return next((name for _, name, shapes in _SHAPES if any(map(shapes.match, records))), "")


def without_foreign_records(
    records: Iterable[JsonRecord], format: str, notes: ImportNotes
) -> Iterable[JsonRecord]:
    """Return the records of a format; foreign ones are counted as skipped, with a warning."""
    own_shapes = [shapes for formats, _, shapes in _SHAPES if format in formats]
    if not own_shapes:
        return records
    foreign_shapes_by_name = {name: shapes for formats, name, shapes in _SHAPES if format not in formats}
    foreign_shapes_by_name |= UNSUPPORTED_SHAPES
    return filter(partial(_belongs_to_format, own_shapes, foreign_shapes_by_name, notes), records)


def _belongs_to_format(
    own_shapes: Iterable[RecordShapes],
    foreign_shapes_by_name: Mapping[str, RecordShapes],
    notes: ImportNotes,
    record: JsonRecord,
) -> bool:
    value: Json = record.value
    if any(shapes.match(value) for shapes in own_shapes):
        return True
    name = next((name for name, shapes in foreign_shapes_by_name.items() if shapes.match(value)), "")
    if name:
        notes.warn(record.line, f"a record of another format ({name}); it was skipped")
        notes.skip(f"record of another format ({name})", line=record.line)
    return not name

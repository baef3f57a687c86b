"""Keeps reported request sizes in an export only where the request had the same history."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from core.common.json_value import Json
from core.formats.common.json_access import fields_of
from core.formats.common.usage_reports import INPUT_TOKEN_FIELDS
from core.formats.writing.base import ExportInput
from core.transcript.model import Message, MessageFlag
from core.transcript.scopes import ALL, BEFORE, CURRENT

_OPENAI = ("prompt_tokens", "total_tokens")
_USAGE_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "claude_code": (("message", "usage"), INPUT_TOKEN_FIELDS),
    "pi_agent": (("message", "usage"), ("input", "cacheRead", "cacheWrite", "totalTokens")),
    "gemini_cli": (("tokens",), ("input", "cached", "total")),
    "openhands": (("tool_call_metadata", "model_response", "usage"), _OPENAI),
}
"""By format: the path in a record to the reported sizes, and the fields with the size of the request."""
_OPENHANDS_V1_FIELDS = (
    "accumulated_token_usage",
    "per_turn_token",
)  # the other fields are sums of all requests


def valid_usage_starts(export_input: ExportInput) -> frozenset[int]:
    """Return the start offsets of records whose requests had the same messages before them as the export:
    those up to the first changed message, on the same side of every recorded compaction. Empty answers and
    errors do not count."""
    conversation, history = export_input.conversation, export_input.history
    compaction_positions = [compaction.position for compaction in conversation.recorded]
    compaction_count = _compaction_count(history.scope, len(compaction_positions))
    starts: set[int] = set()
    exported = (message for message in export_input.messages if _is_in_requests(message))
    for index, original in zip(history.positions, history.messages, strict=True):
        if not _is_in_requests(original):
            continue
        message = next(exported, None)
        if message is not original and message != original:
            break
        if index >= 0 and bisect_right(compaction_positions, index) == compaction_count:
            starts.update(source.start for source in conversation.messages[index].sources)
    return frozenset(starts)


def _is_in_requests(message: Message) -> bool:
    return bool(message.blocks) and not message.flags & MessageFlag.API_ERROR


def _compaction_count(scope: str, count: int) -> int:
    """Count the recorded compactions before the requests that had a scope's history."""
    if scope in (ALL, CURRENT):
        return 0 if scope == ALL else count
    return int(scope.removeprefix(BEFORE)) - 1


def without_usage(value: dict[str, Json], format_name: str) -> dict[str, Json]:
    """Return a record with 0 as the size of its request; itself if it reports none."""
    path, names = _USAGE_FIELDS[format_name]
    value = _with_zero_sizes(value, path, names)
    return _state_without_usage(value) if format_name == "openhands" else value


def _state_without_usage(value: dict[str, Json]) -> dict[str, Json]:
    """Do the same for a state update of OpenHands 1, which holds the last request of each model."""
    state = fields_of(value.get("value"))
    path = ("value", "stats", "usage_to_metrics") if "stats" in state else ("value", "usage_to_metrics")
    for name in fields_of(fields_of(state.get("stats", state)).get("usage_to_metrics")):
        value = _with_zero_sizes(value, (*path, name, _OPENHANDS_V1_FIELDS[0]), _OPENHANDS_V1_FIELDS[1:])
    return value


def _with_zero_sizes(value: dict[str, Json], path: Sequence[str], names: Sequence[str]) -> dict[str, Json]:
    if not path:
        sizes = {name: 0 for name in names if value.get(name)}
        return {**value, **sizes} if sizes else value
    inner_value = value.get(path[0])
    changed = _with_zero_sizes(inner_value, path[1:], names) if isinstance(inner_value, dict) else inner_value
    return value if changed is inner_value else {**value, path[0]: changed}

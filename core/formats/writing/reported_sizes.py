"""Keeps reported request sizes in an export only where the request had the same history."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from core.common.json_value import Json
from core.formats.common.json_access import fields_of
from core.formats.common.usage_reports import CONTEXT_PARTS
from core.formats.writing.base import ExportInput
from core.transcript.model import Message, MessageFlag
from core.transcript.scopes import ALL, BEFORE, CURRENT

_OPENAI = ("prompt_tokens", "total_tokens")
_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "claude_code": (("message", "usage"), CONTEXT_PARTS),
    "pi_agent": (("message", "usage"), ("input", "cacheRead", "cacheWrite", "totalTokens")),
    "gemini_cli": (("tokens",), ("input", "cached", "total")),
    "openhands": (("tool_call_metadata", "model_response", "usage"), _OPENAI),
}
"""By format: the path in a record to the reported sizes, and the fields with the size of the request."""
_V1 = ("accumulated_token_usage", "per_turn_token")  # the other fields are sums of all requests


def still_reported(given: ExportInput) -> frozenset[int]:
    """Return the start offsets of records whose requests had the same messages before them as the export:
    those up to the first changed message, on the same side of every recorded compaction. Empty answers and
    errors do not count."""
    conversation, history = given.conversation, given.history
    recorded = [one.position for one in conversation.recorded]
    compactions = _compactions(history.scope, len(recorded))
    starts: set[int] = set()
    exported = (message for message in given.messages if _is_sent(message))
    for place, original in zip(history.positions, history.messages, strict=True):
        if not _is_sent(original):
            continue
        message = next(exported, None)
        if message is not original and message != original:
            break
        if place >= 0 and bisect_right(recorded, place) == compactions:
            starts.update(source.start for source in conversation.messages[place].sources)
    return frozenset(starts)


def _is_sent(message: Message) -> bool:
    return bool(message.blocks) and not message.flags & MessageFlag.API_ERROR


def _compactions(scope: str, count: int) -> int:
    """Count the recorded compactions before the requests that had a scope's history."""
    if scope in (ALL, CURRENT):
        return 0 if scope == ALL else count
    return int(scope.removeprefix(BEFORE)) - 1


def without_usage(value: dict[str, Json], format_name: str) -> dict[str, Json]:
    """Return a record with 0 as the size of its request; itself if it reports none."""
    path, names = _FIELDS[format_name]
    value = _zeroed(value, path, names)
    return _unreported_state(value) if format_name == "openhands" else value


def _unreported_state(value: dict[str, Json]) -> dict[str, Json]:
    """Do the same for a state update of OpenHands 1, which holds the last request of each model."""
    state = fields_of(value.get("value"))
    path = ("value", "stats", "usage_to_metrics") if "stats" in state else ("value", "usage_to_metrics")
    for name in fields_of(fields_of(state.get("stats", state)).get("usage_to_metrics")):
        value = _zeroed(value, (*path, name, _V1[0]), _V1[1:])
    return value


def _zeroed(value: dict[str, Json], path: Sequence[str], names: Sequence[str]) -> dict[str, Json]:
    if not path:
        sizes = {name: 0 for name in names if value.get(name)}
        return {**value, **sizes} if sizes else value
    inner = value.get(path[0])
    changed = _zeroed(inner, path[1:], names) if isinstance(inner, dict) else inner
    return value if changed is inner else {**value, path[0]: changed}

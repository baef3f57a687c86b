"""Reads ``event_msg`` lines of a Codex rollout: token counts, and messages that have no item."""

from __future__ import annotations

from collections.abc import Mapping

from core.common.json_value import Json
from core.transcript.model import Message, Source, Speaker, Text, Thinking

_SPEAKERS: Mapping[str, Speaker] = {
    "user_message": Speaker.HUMAN,
    "agent_message": Speaker.AI,
    "UserMessage": Speaker.HUMAN,
    "AgentMessage": Speaker.AI,
}


def event_token_counts(payload: Mapping[str, Json]) -> tuple[int, int] | None:
    """Return the tokens of the last request, and of the context with its answer; None if not counted. After a
    compaction Codex counts only the latter, which is then returned for both."""
    info = payload.get("info")
    usage = info.get("last_token_usage") if isinstance(info, dict) else None
    if payload.get("type") != "token_count" or not isinstance(usage, dict):
        return None
    request, total = _count(usage.get("input_tokens")), _count(usage.get("total_tokens"))
    return (request or total, total or request) if request or total else None


def event_context_window(payload: Mapping[str, Json]) -> int:
    """Return the model's context window if an event names it, else 0."""
    info = payload.get("info")
    context_window = info.get("model_context_window") if isinstance(info, dict) else None
    return _count(context_window) or _count(payload.get("model_context_window"))


def _count(value: Json) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def event_message(payload: Mapping[str, Json], source: Source) -> Message | None:
    """Return the message that an event shows; None for bookkeeping events."""
    item = payload.get("item")
    if payload.get("type") == "item_completed" and isinstance(item, dict):
        speaker = _SPEAKERS.get(str(item.get("type")))
        text = _joined_text(item.get("content"))
        return Message(speaker, (Text(text),), (source,)) if speaker and text else None
    if payload.get("type") == "agent_reasoning" and isinstance(payload.get("text"), str):
        return Message(Speaker.AI, (Thinking(payload["text"]),), (source,))
    speaker = _SPEAKERS.get(str(payload.get("type")))
    words = payload.get("message")
    return Message(speaker, (Text(words),), (source,)) if speaker and isinstance(words, str) else None


def _joined_text(content: Json) -> str:
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))

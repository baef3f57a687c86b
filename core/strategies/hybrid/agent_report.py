"""What an agent that compresses is told: the tracker, every message with its size, and how far it is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from core.common.json_value import Json
from core.common.rounding import half_up
from core.facts.file_accesses import key_argument
from core.strategies.hybrid.agent_state import DISPLAY_ONLY, HybridAgentState, api_role, clip_bytes
from core.strategies.tracker import FileModification, ReadFile
from core.transcript.model import Code, Message, Text, ToolCall, ToolResponse
from core.transcript.tool_outcomes import answer_of, result_text

_SUMMARY_BYTES = 200
_CHANGE_BYTES = 100
DETAIL_CHARACTERS = 60_000
"""Characters of text that all messages share where details are asked for."""
_MOST_CHARACTERS, _FEWEST_CHARACTERS = 2000, 80
_RESULT_CHARACTERS = 200

FAR, NEAR = 5000, 1000
"""Tokens over the target from which on an agent is told that much or some work is left."""


def metadata_json(state: HybridAgentState, *, details: bool) -> str:
    """The answer of get_compression_metadata as JSON text (spec section 2.7), with a line per message.

    Sizes are tokens, indices count from 0. With ``details`` also the texts, clipped where they are long.
    """
    tracker = state.tracker
    found = {
        "files_read": [_read(one, details) for one in tracker.read_files.values()],
        "recent_modifications": [_modification(one, details) for one in tracker.modifications],
        "todo_context": {
            "active_todo": tracker.active_todo or None,
            "files_touched": list(tracker.files_touched),
        },
        "message_statistics": _statistics(state),
    }
    rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in _rows(state, details))
    return f'{_json(found)[:-2]},\n  "messages": [\n{rows}\n  ]\n}}'


def verification_json(state: HybridAgentState) -> str:
    """The answer of verify_compression_target as JSON text (spec section 2.7); tokens and percent."""
    now, target = state.tokens, state.target
    saved = max(0, state.trigger - now)
    found = {
        "current_tokens": now,
        "target_tokens": target,
        "max_context_tokens": state.limit,
        "trigger_threshold_tokens": state.trigger,
        "current_usage_percent": percent_of(now, state.limit),
        "target_usage_percent": percent_of(target, state.limit),
        "target_achieved": now <= target,
        "tokens_over_target": max(0, now - target),
        "tokens_saved_from_trigger": saved,
        "compression_progress_percent": percent_of(saved, state.trigger),
        "recommendation": _recommendation(now - target),
        "total_messages": len(state.draft.entries),
    }
    return _json(found)


def _recommendation(over: int) -> str:
    if over <= 0:
        return "Target achieved! Compression complete."
    if over > FAR:
        return "Significant compression still needed. Focus on large tool results first."
    if over > NEAR:
        return "Close to target. Compress a few more conversation segments."
    return "Very close to target. One more compression should do it."


def percent_of(part: int, whole: int) -> float:
    """A share in percent with one decimal; 0 of nothing."""
    return float(half_up(100 * part / whole, 1)) if whole else 0.0


def _read(one: ReadFile, details: bool) -> dict[str, Json]:
    found: dict[str, Json] = {
        "path": one.path,
        "hash": one.hash,
        "timestamp": one.timestamp,
        "curator_cache_available": bool(one.summary),
    }
    if one.conversation_hash is not None:
        found["cache_conversation_hash"] = one.conversation_hash
    if one.summary and details:
        found["summary"] = clip_bytes(one.summary, _SUMMARY_BYTES)
    elif one.summary:
        found["summary_length"] = len(one.summary.encode("utf-8", "replace"))
    return found


def _modification(one: FileModification, details: bool) -> dict[str, Json]:
    found: dict[str, Json] = {"path": one.path, "type": one.kind, "timestamp": one.timestamp}
    if details and one.summary:
        found["summary"] = clip_bytes(one.summary, _CHANGE_BYTES)
    if one.todo:
        found["related_todo"] = one.todo
    return found


def _statistics(state: HybridAgentState) -> dict[str, int]:
    roles = Counter(map(api_role, state.messages))
    return {
        "total_messages": len(state.messages),
        "user_messages": roles["user"],
        "assistant_messages": roles["assistant"],
        "tool_messages": roles["tool"],
        "system_messages": roles["system"],
        "display_only_messages": roles[DISPLAY_ONLY],
        "estimated_total_tokens": state.tokens,
    }


def _rows(state: HybridAgentState, details: bool) -> Iterator[dict[str, Json]]:
    """A row per message: what it is, how large, and whether it may be touched."""
    prompts = state.prompts
    room = _room(state) if details else 0
    for position, message in enumerate(state.messages):
        is_protected = position < prompts or state.is_protected(position)
        row: dict[str, Json] = {
            "index": position,
            "role": api_role(message),
            "tokens": state.count((message,)),
        }
        if is_protected:
            row["protected"] = True
        row |= _about(state, position)
        if room and not is_protected:
            row["text"] = _text(message, room)
        yield row


def _about(state: HybridAgentState, position: int) -> dict[str, Json]:
    """Which tools answered in a message and which files that was about."""
    work = state.work_at(position).values()
    tools = [one.name for one in work if one.name]
    paths = list(dict.fromkeys(file.path for one in work for file in one.files))
    found = {"tools": tools, "files": paths, "failed": any(one.failed for one in work)}
    return {name: value for name, value in found.items() if value}


def _room(state: HybridAgentState) -> int:
    """Characters of text for each message; by the history as it was, so that no later list is larger."""
    return min(_MOST_CHARACTERS, max(_FEWEST_CHARACTERS, DETAIL_CHARACTERS // max(1, len(state.history))))


def _text(message: Message, room: int) -> str:
    """The words of a message; of a tool result its beginning alone, for the tracker knows the rest."""
    said = "\n".join(_words(message))
    return said if len(said) <= room else said[:room] + "…"


def _words(message: Message) -> Iterator[str]:
    for block in message.blocks:
        if isinstance(block, Text):
            yield block.text
        elif isinstance(block, Code):
            yield block.code
        elif isinstance(block, ToolCall):
            yield f"[{block.name} {key_argument(block.arguments) or ''}".rstrip() + "]"
        elif isinstance(block, ToolResponse):
            yield result_text(answer_of(block))[:_RESULT_CHARACTERS]


def _json(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)

"""The JSON reports for a compressing agent: tracker, messages with sizes, and progress."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from core.common.json_value import Json
from core.common.number_format import half_up
from core.facts.file_accesses import key_argument
from core.strategies.hybrid.agent_state import DISPLAY_ONLY, HybridAgentState, api_role, clip_bytes
from core.strategies.tracker import FileModification, ReadFile
from core.transcript.model import Code, Message, Text, ToolCall, ToolResponse
from core.transcript.tool_outcomes import response_content, result_text

_SUMMARY_BYTES = 200
_CHANGE_BYTES = 100
DETAIL_CHARACTERS = 60_000  # characters of text shared by all messages in a detailed report
_MAX_CHARACTERS, _MIN_CHARACTERS = 2000, 80
_RESULT_CHARACTERS = 200

FAR_FROM_TARGET, NEAR_TARGET = 5000, 1000
"""Tokens over the target above which the recommendation says that much or some work is left."""


def metadata_json(state: HybridAgentState, *, details: bool) -> str:
    """Return the answer of get_compression_metadata as JSON text (spec section 2.7), a line per message.
    Sizes are tokens, indices count from 0. ``details`` adds the texts, clipped where they are long."""
    tracker = state.tracker
    report = {
        "files_read": [_file_entry(entry, details) for entry in tracker.read_files.values()],
        "recent_modifications": [_change_entry(entry, details) for entry in tracker.modifications],
        "todo_context": {
            "active_todo": tracker.active_todo or None,
            "files_touched": list(tracker.files_touched),
        },
        "message_statistics": _statistics(state),
    }
    rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in _rows(state, details))
    return f'{_json(report)[:-2]},\n  "messages": [\n{rows}\n  ]\n}}'


def verification_json(state: HybridAgentState) -> str:
    """Return the answer of verify_compression_target as JSON text (spec section 2.7); tokens and percent."""
    tokens, target = state.tokens, state.target
    saved = max(0, state.trigger - tokens)
    report = {
        "current_tokens": tokens,
        "target_tokens": target,
        "max_context_tokens": state.limit,
        "trigger_threshold_tokens": state.trigger,
        "current_usage_percent": percent_of(tokens, state.limit),
        "target_usage_percent": percent_of(target, state.limit),
        "target_achieved": tokens <= target,
        "tokens_over_target": max(0, tokens - target),
        "tokens_saved_from_trigger": saved,
        "compression_progress_percent": percent_of(saved, state.trigger),
        "recommendation": _recommendation(tokens - target),
        "total_messages": len(state.draft.entries),
    }
    return _json(report)


def _recommendation(excess_tokens: int) -> str:
    if excess_tokens <= 0:
        return "Target achieved! Compression complete."
    if excess_tokens > FAR_FROM_TARGET:
        return "Significant compression still needed. Focus on large tool results first."
    if excess_tokens > NEAR_TARGET:
        return "Close to target. Compress a few more conversation segments."
    return "Very close to target. One more compression should do it."


def percent_of(part: int, total: int) -> float:
    """Return a share in percent with one decimal; 0 where ``total`` is 0."""
    return float(half_up(100 * part / total, 1)) if total else 0.0


def _file_entry(file: ReadFile, details: bool) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "path": file.path,
        "hash": file.hash,
        "timestamp": file.timestamp,
        "curator_cache_available": bool(file.summary),
    }
    if file.conversation_hash is not None:
        entry["cache_conversation_hash"] = file.conversation_hash
    if file.summary and details:
        entry["summary"] = clip_bytes(file.summary, _SUMMARY_BYTES)
    elif file.summary:
        entry["summary_length"] = len(file.summary.encode("utf-8", "replace"))
    return entry


def _change_entry(change: FileModification, details: bool) -> dict[str, Json]:
    entry: dict[str, Json] = {"path": change.path, "type": change.kind, "timestamp": change.timestamp}
    if details and change.summary:
        entry["summary"] = clip_bytes(change.summary, _CHANGE_BYTES)
    if change.todo:
        entry["related_todo"] = change.todo
    return entry


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
    prompts = state.prompt_count
    text_limit = _text_limit(state) if details else 0
    for position, message in enumerate(state.messages):
        is_protected = position < prompts or state.is_protected(position)
        row: dict[str, Json] = {
            "index": position,
            "role": api_role(message),
            "tokens": state.count((message,)),
        }
        if is_protected:
            row["protected"] = True
        row |= _tools_and_files(state, position)
        if text_limit and not is_protected:
            row["text"] = _text(message, text_limit)
        yield row


def _tools_and_files(state: HybridAgentState, position: int) -> dict[str, Json]:
    """Return the tools of a message's results, their files, and whether one failed."""
    work = state.work_at(position).values()
    tools = [result.name for result in work if result.name]
    paths = list(dict.fromkeys(file.path for result in work for file in result.files))
    entry = {"tools": tools, "files": paths, "failed": any(result.failed for result in work)}
    return {name: value for name, value in entry.items() if value}


def _text_limit(state: HybridAgentState) -> int:
    """Return the characters per message, by the original history, so that no later list is larger."""
    return min(_MAX_CHARACTERS, max(_MIN_CHARACTERS, DETAIL_CHARACTERS // max(1, len(state.history))))


def _text(message: Message, limit: int) -> str:
    """Return the text of a message; of a tool result only the beginning, since the tracker has the rest."""
    text = "\n".join(_message_texts(message))
    return text if len(text) <= limit else text[:limit] + "…"


def _message_texts(message: Message) -> Iterator[str]:
    for block in message.blocks:
        if isinstance(block, Text):
            yield block.text
        elif isinstance(block, Code):
            yield block.code
        elif isinstance(block, ToolCall):
            yield f"[{block.name} {key_argument(block.arguments) or ''}".rstrip() + "]"
        elif isinstance(block, ToolResponse):
            yield result_text(response_content(block))[:_RESULT_CHARACTERS]


def _json(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)

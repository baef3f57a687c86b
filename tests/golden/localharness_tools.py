"""The cases of the four tools: the calls of a case in order, and what each of them answers.

The tokens are those of the case, a quarter of the bytes of the content. A case that shows a fault
of the original is judged by the fix: the call that did harm is refused, all others answer as
expected.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.common.json_value import MISSING
from core.strategies.hybrid_agent import SEGMENT, AgentToolResult, call_agent_tool
from core.strategies.hybrid_state import HybridAgentState, initial_state
from core.strategies.tracker import FileModification, FileTracker, ReadFile
from core.transcript.model import Block, Message, Speaker, Text, ToolCall, ToolResponse

_SPEAKERS = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "system": Speaker.SYSTEM,
    "tool": Speaker.TOOL,
}
_NEWEST = 5
_TARGET, _TRIGGER = 0.4, 0.7
"""Shares of the window, fixed in the original's tools whatever its configuration says."""


def answers(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the calls of a case answer, in the shape of ``expected.tool_results``."""
    state = _state(case)
    found = []
    for asked in case["calls"]:
        arguments = asked["arguments"]
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        state, result = call_agent_tool(state, asked["name"], text)
        found.append(_tool_reply(asked["name"], result))
    return found


def difference(expected: Sequence[Mapping[str, Any]], case: Mapping[str, Any]) -> str:
    """The first answer that is not as expected, "" where all are; ours may say more."""
    actual = answers(case)
    if len(expected) != len(actual):
        return f"tool_results: expected {len(expected)}, got {len(actual)}"
    for number, (wanted, got) in enumerate(zip(expected, actual, strict=True)):
        if case.get("expect_defect") and _is_refused(got):
            return ""  # what comes after it speaks of a history that was harmed
        for key in ("name", "success", "error_type", "error_message"):
            if wanted[key] != got[key]:
                return f"tool_results[{number}].{key}: expected {wanted[key]!r}, got {got[key]!r}"
        if found := _first(
            _parsed(wanted["data"]),
            _parsed(got["data"]),
            f"tool_results[{number}].data",
        ):
            return found
    return ""


def _is_refused(got: Mapping[str, Any]) -> bool:
    """True for what the fixes refuse: system prompt, protected messages, a call without its
    result."""
    return got["name"] == SEGMENT and str(got["error_message"]).startswith(
        "Cannot compress"
    )


def _tool_reply(name: str, result: AgentToolResult) -> dict[str, Any]:
    return {
        "name": name,
        "success": result.success,
        "data": result.data or None,
        "error_type": result.error_type,
        "error_message": result.error_message or None,
    }


def _parsed(data: str | None) -> Any:
    return None if data is None else json.loads(data)


def _first(wanted: Any, got: Any, path: str) -> str:
    """Where an expected value is missing or another one; objects may hold more than is expected."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        missing = next((key for key in wanted if key not in got), None)
        if missing is not None:
            return f"{path}.{missing}: missing"
        return next(
            (
                d
                for key in wanted
                if (d := _first(wanted[key], got[key], f"{path}.{key}"))
            ),
            "",
        )
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        pairs = enumerate(zip(wanted, got, strict=True))
        return next(
            (d for i, (w, g) in pairs if (d := _first(w, g, f"{path}[{i}]"))), ""
        )
    return "" if wanted == got else f"{path}: expected {wanted!r}, got {got!r}"


def _state(case: Mapping[str, Any]) -> HybridAgentState:
    messages, limit = messages_of(case), case["max_context_tokens"]
    talk = [
        place
        for place, one in enumerate(messages)
        if one.speaker in (Speaker.HUMAN, Speaker.AI)
    ]
    return initial_state(
        messages,
        tracker(case),
        tokens,
        target=int(limit * _TARGET),
        limit=limit,
        trigger=int(limit * _TRIGGER),
        protected=frozenset(talk[-_NEWEST:]),
        newest_count=_NEWEST,
    )


def messages_of(case: Mapping[str, Any]) -> tuple[Message, ...]:
    return tuple(map(_message, case["messages"]))


def _message(given: Mapping[str, Any]) -> Message:
    speaker, content = (
        _SPEAKERS.get(given["role"], Speaker.UNKNOWN),
        given.get("content") or "",
    )
    if speaker is Speaker.TOOL:
        return Message(
            speaker=speaker,
            blocks=(
                ToolResponse(given.get("tool_call_id") or "", "", content, MISSING),
            ),
        )
    calls = tuple(
        ToolCall(
            call["id"],
            call["function"]["name"],
            json.loads(call["function"]["arguments"]),
        )
        for call in given.get("tool_calls") or ()
    )
    extra = {"role": given["role"]} if speaker is Speaker.UNKNOWN else {}
    return Message(
        speaker=speaker,
        blocks=((Text(content),) if content else ()) + calls,
        extra=extra,
    )


def tokens(messages: Sequence[Message]) -> int:
    """Return the tokens of a case: a quarter of the bytes of the content, at least one a
    message."""
    return sum(
        max(1, len("".join(map(_text, message.blocks)).encode()) // 4)
        for message in messages
    )


def _text(block: Block) -> str:
    if isinstance(block, Text):
        return block.text
    return str(block.result) if isinstance(block, ToolResponse) else ""


def tracker(case: Mapping[str, Any]) -> FileTracker:
    reads = {
        one["path"]: ReadFile(
            path=one["path"],
            hash=one["hash"],
            lines=0,
            summary=one.get("curator_summary") or "",
            timestamp=one.get("last_read_time"),
            conversation_hash=one.get("conversation_hash"),
        )
        for one in case.get("read_files", ())
    }
    now = 2_000_000_000_000
    changes = tuple(
        FileModification(
            path=one["path"],
            kind=one["type"],
            timestamp=one["abs_timestamp"]
            if "abs_timestamp" in one
            else now - int(one.get("age_ms", 0)),
            todo=one.get("related_todo") or "",
            summary=one.get("summary") or "",
        )
        for one in case.get("recent_modifications", ())
    )
    active, touched = (
        case.get("active_todo") or "",
        tuple(case.get("files_touched", ())),
    )
    return FileTracker(reads, changes, active, touched, now)

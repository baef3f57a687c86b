"""The four tools with which a model compacts a history (LH-73 to LH-76). Functions over an
immutable state: ``call_agent_tool(state, name, arguments)`` returns the next state and the answer
to the model. Names, schemas, result fields and error texts are those of the original, so that
agents who know it work unchanged. Its faults are fixed: nothing protected is changed, no call is
separated from its response, and no replacement is longer than its source."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import Json
from core.llm.chat_messages import human_text
from core.llm.protocol import SummaryRequest
from core.strategies.draft import with_edited, with_replaced
from core.strategies.hybrid.agent_state import (
    HybridAgentState,
    api_role,
    has_response,
    metadata_json,
    verification_json,
)
from core.strategies.hybrid.placeholder_lines import is_marked
from core.strategies.hybrid.tool_results import (
    REPLACEMENTS,
    replacement_text,
    with_text,
)
from core.summarize.answer_check import text_fault
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Message, Speaker, ToolResponse

METADATA = "get_compression_metadata"
RESULT = "compress_tool_result"
SEGMENT = "compress_conversation_segment"
VERIFY = "verify_compression_target"

NONE, INVALID, UNREADABLE, UNKNOWN = (
    "none",
    "validation_failed",
    "parse_error",
    "not_found",
)
"""Types of errors; ``NONE`` where there is none."""

_SEGMENT_RULE, _RESULT_RULE = "agent segment", "agent tool result"
_MAX_ECHO = 100  # characters of a model's input repeated in an error
_TYPICAL_MESSAGE = 200  # tokens; the original's estimate of a message in a segment


def _tool(
    name: str, description: str, required: Sequence[str] = (), **properties: Json
) -> Json:
    """Return the definition of a tool as it is sent to the model: name, description, JSON
    schema."""
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "parameters": parameters}


DEFINITIONS: tuple[Json, ...] = (
    _tool(
        METADATA,
        "Lists what can be compressed: every message with index, role and tokens, which of them are "
        "protected, the files that were read and changed, and the active task. With include_details "
        "also the texts; read them before you summarise.",
        include_details={"type": "boolean", "description": "Texts and summaries too."},
    ),
    _tool(
        RESULT,
        "Replaces the result of a tool by a short text. The message keeps its place, its role and its "
        "id, so indices stay as they are.",
        ("message_index", "strategy"),
        message_index={
            "type": "integer",
            "description": "Index of the tool message, from 0.",
        },
        strategy={
            "type": "string",
            "enum": list(REPLACEMENTS),
            "description": (
                "use_curator_cache for a file that was read, use_modification_metadata for one "
                "that was written, generic for all else."
            ),
        },
    ),
    _tool(
        SEGMENT,
        "Replaces a range of messages by one message with your summary. Both ends belong to it. A call "
        "and its result go together or not at all. Later indices become smaller.",
        ("start_index", "end_index", "summary"),
        start_index={"type": "integer", "description": "First message, from 0."},
        end_index={"type": "integer", "description": "Last message."},
        summary={
            "type": "string",
            "description": "What has to be known of them: requests, decisions, paths, errors.",
        },
    ),
    _tool(VERIFY, "Tells how many tokens there are now and how many more have to go."),
)
_PARAMETERS: Mapping[str, Json] = {
    tool["name"]: tool["parameters"] for tool in DEFINITIONS
}


@dataclass(frozen=True, slots=True)
class AgentToolResult:
    """The result of a call: ``data`` is JSON text, "" where refused; ``effect`` a sentence for the
    user."""

    success: bool
    data: str
    error_type: str
    error_message: str
    effect: str

    @property
    def answer(self) -> str:
        """The answer to the model: the data, or type and message of the error."""
        error = {"error_type": self.error_type, "error_message": self.error_message}
        if self.success:
            return self.data
        return json.dumps(error, ensure_ascii=False)


class _CallRefused(Exception):
    """A call that cannot be executed; its text is sent to the model."""


_Outcome = tuple[
    HybridAgentState, AgentToolResult
]  # the next state, and the result of the call


def call_agent_tool(state: HybridAgentState, name: str, arguments: str) -> _Outcome:
    """Execute a call; ``arguments`` is the model's JSON text. A refusal does not change the
    state."""
    tool = _TOOLS.get(name)
    if tool is None:
        return state, refused_call(
            UNKNOWN, f"Unknown tool: {name[:_MAX_ECHO]}. There are {', '.join(_TOOLS)}."
        )
    try:
        return tool(state, parse_arguments(arguments, _PARAMETERS[name]))
    except ToolArgumentsError as fault:
        return state, refused_call(UNREADABLE, str(fault))
    except _CallRefused as refusal:
        return state, refused_call(INVALID, str(refusal))


def refused_call(kind: str, message: str) -> AgentToolResult:
    return AgentToolResult(False, "", kind, message, f"Refused: {message}")


def _success(data: str, effect: str) -> AgentToolResult:
    return AgentToolResult(True, data, NONE, "", effect)


def _metadata(state: HybridAgentState, arguments: Mapping[str, Json]) -> _Outcome:
    details = bool(arguments.get("include_details"))
    effect = f"Looked at {len(state.messages):,} messages{' and their texts' if details else ''}."
    return state, _success(metadata_json(state, details=details), effect)


def _verify(state: HybridAgentState, arguments: Mapping[str, Json]) -> _Outcome:
    excess_tokens = state.tokens - state.target
    if excess_tokens <= 0:
        status = "the target is reached"
    else:
        status = f"{excess_tokens:,} tokens over the target"
    return state, _success(verification_json(state), f"Checked: {status}.")


def _compress_result(
    state: HybridAgentState, arguments: Mapping[str, Json]
) -> _Outcome:
    index, strategy = arguments["message_index"], arguments["strategy"]
    _check_result(state, index, strategy)
    old = state.messages[index]
    texts = {
        number: replacement_text(state.tracker, state.history, work, strategy)
        for number, work in state.work_at(index).items()
    }
    blocks = (
        with_text(block, texts[number])
        if isinstance(block, ToolResponse) and number in texts
        else block
        for number, block in enumerate(old.blocks)
    )
    new = replace(old, blocks=tuple(blocks))
    length = sum(len(text.encode("utf-8", "replace")) for text in texts.values())
    data = {
        "status": "success",
        "message_index": index,
        "strategy": strategy,
        "compressed_length": length,
    }
    span, before, after = (
        state.span(index, index + 1),
        state.count((old,)),
        state.count((new,)),
    )
    if after >= before:
        return state, _unchanged_result(
            data, span, "the text for it would not be shorter"
        )
    reason = f"The agent asked for it: {before:,} tokens of a tool's result became {after:,}."
    step = FateStep(_RESULT_RULE, FateKind.EDITED, reason)
    effect = f"The result in {span} became a line: {before:,} → {after:,} tokens."
    changed = replace(state, draft=with_edited(state.draft, {index: (new, step)}))
    return changed, _success(_compact(data | {"tokens_saved": before - after}), effect)


def _check_result(state: HybridAgentState, index: int, strategy: str) -> None:
    """Raise _CallRefused where the result may not be compressed, in the original's order of
    checks."""
    count = len(state.messages)
    if index >= count:
        raise _CallRefused(
            f"Message index {index} out of range (total messages: {count})"
        )
    message = state.messages[index]
    if message.speaker is not Speaker.TOOL and not has_response(message):
        raise _CallRefused(
            f"Message at index {index} is not a tool message (role: {api_role(message)})"
        )
    if strategy not in REPLACEMENTS:
        raise _CallRefused(f"Unknown strategy: {strategy[:_MAX_ECHO]}")
    if state.is_protected(index):
        raise _CallRefused(f"Cannot compress: Message at index {index} is protected")
    if _is_compressed(message):
        raise _CallRefused(f"Message at index {index} is compressed already")


def _is_compressed(message: Message) -> bool:
    results = [
        block.result for block in message.blocks if isinstance(block, ToolResponse)
    ]
    return bool(results) and all(
        isinstance(result, str) and is_marked(result) for result in results
    )


def _compress_segment(
    state: HybridAgentState, arguments: Mapping[str, Json]
) -> _Outcome:
    start, end = arguments["start_index"], arguments["end_index"]
    written = arguments["summary"].encode(
        "utf-8", "replace"
    )  # JSON can hold halves of characters
    summary = written.decode()
    _check_segment(state, start, end, summary)
    count, length = end - start + 1, len(written)
    new = human_text(f"💭 [Compressed Segment: messages {start}-{end}]\n{summary}")
    before, after = state.count(state.messages[start : end + 1]), state.count((new,))
    data = {
        "status": "success",
        "messages_compressed": count,
        "start_index": start,
        "summary_length": length,
        "estimated_tokens_saved": max(0, _TYPICAL_MESSAGE * count - length // 4),
    }
    span = state.span(start, end + 1)
    if after >= before:
        return state, _unchanged_result(data, span, "the summary would not be shorter")
    reason = (
        f"The agent's summary stands for {span}: {before:,} tokens became {after:,}."
    )
    step = FateStep(_SEGMENT_RULE, FateKind.SUMMARISED, reason)
    effect = f"{span} became one summary: {before:,} → {after:,} tokens."
    changed = replace(
        state, draft=with_replaced(state.draft, start, end + 1, (new,), step)
    )
    return changed, _success(_compact(data | {"tokens_saved": before - after}), effect)


def _check_segment(state: HybridAgentState, start: int, end: int, summary: str) -> None:
    """Raise _CallRefused where the range may not be replaced, the original's checks first."""
    count = len(state.messages)
    if start > end:
        raise _CallRefused(f"Invalid range: start_index ({start}) > end_index ({end})")
    if end >= count:
        raise _CallRefused(f"end_index ({end}) out of range (total messages: {count})")
    if start < state.prompt_count:
        raise _CallRefused(
            f"Cannot compress: Message at index {start} is the system prompt"
        )
    for index in range(start, end + 1):
        if state.is_protected(index):
            is_counted = state.messages[index].speaker in (Speaker.HUMAN, Speaker.AI)
            if is_counted:
                newest = f" (last {state.newest_count} user/assistant messages)"
            else:
                newest = ""
            raise _CallRefused(
                f"Cannot compress: Message at index {index} is protected{newest}"
            )
    pairs = state.pairs
    cut = (*pairs.pairs_across(start), *pairs.pairs_across(end + 1))
    if cut:
        low, high = sorted((cut[0].call, cut[0].response))
        raise _CallRefused(
            f"Cannot compress: the call and its result in messages {low} and {high} would be separated; "
            "take both or neither"
        )
    messages = state.messages[start : end + 1]
    request = SummaryRequest(
        prompt="",
        messages=messages,
        indices=tuple(range(start, end + 1)),
        trigger="",
        max_tokens=state.count(messages),
    )
    if fault := text_fault(summary, request, state.count):
        raise _CallRefused(f"Cannot compress: you {fault}")


def _unchanged_result(
    data: Mapping[str, Json], span: str, reason: str
) -> AgentToolResult:
    """Return the answer where the replacement would be no shorter and nothing was changed."""
    note = {"tokens_saved": 0, "note": f"Nothing was changed: {reason}."}
    return _success(_compact({**data, **note}), f"{span} stays as it is: {reason}.")


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_TOOLS: Mapping[str, Callable[[HybridAgentState, Mapping[str, Json]], _Outcome]] = {
    METADATA: _metadata,
    RESULT: _compress_result,
    SEGMENT: _compress_segment,
    VERIFY: _verify,
}


class ToolArgumentsError(Exception):
    """Unusable arguments; its text is sent to the model (LH-86)."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"Failed to parse arguments: error.{cause}")


def parse_arguments(text: str, schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return the arguments by name; raises ToolArgumentsError unless they are an object of these
    fields. ``schema`` has ``properties`` of the types integer (not negative), string and boolean,
    and ``required``. Empty text means an object without fields."""
    try:
        if text.strip():
            parsed = json.loads(text)
        else:
            parsed = {}
    except (ValueError, RecursionError):
        raise ToolArgumentsError("SyntaxError") from None
    if not isinstance(parsed, dict):
        raise ToolArgumentsError("UnexpectedToken")
    properties = schema["properties"]
    if any(name not in properties for name in parsed):
        raise ToolArgumentsError("UnknownField")
    values = {
        name: _value(value, properties[name]["type"]) for name, value in parsed.items()
    }
    if any(name not in values for name in schema["required"]):
        raise ToolArgumentsError("MissingField")
    return values


def _value(value: Json, kind: str) -> Json:
    """Return a value of a field; whole numbers begin at 0, and models sometimes write 3.0 for 3."""
    if isinstance(value, bool) is not (kind == "boolean"):
        raise ToolArgumentsError("UnexpectedToken")
    if not isinstance(value, str if kind == "string" else int | float):
        raise ToolArgumentsError("UnexpectedToken")
    if kind != "integer":
        return value
    if value != value or value in (math.inf, -math.inf) or value != int(value):
        raise ToolArgumentsError("InvalidNumber")
    if value < 0:
        raise ToolArgumentsError("Overflow")
    return int(value)

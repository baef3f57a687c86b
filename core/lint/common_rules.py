"""Names of messages in findings, and the rules that all APIs share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from core.lint.findings import LintFinding
from core.transcript.model import Message, Speaker, Text, ToolResponse, tool_calls, tool_responses

ERROR, WARNING, INFO = "error", "warning", "info"

_BLOCK = 512
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def message_name(index: int) -> str:
    return f"#{index + 1}"


def shown_id(id_: str) -> str:
    return id_ if len(id_) <= 60 else f"{id_[:60]}…"


def is_blank(text: str) -> bool:
    return not text or text.isspace()


def base64_leftovers(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    """Find data of images or files in text, where it costs tokens and the model cannot read it."""
    for index, message in enumerate(messages):
        for block in message.blocks:
            text = _plain_text(block)
            if text is not None and holds_base64(text):
                yield LintFinding(
                    WARNING,
                    f"{provider}.base64-text",
                    (
                        f"{message_name(index)} holds base64 data in its text; the "
                        f"model pays for it and cannot read it."
                    ),
                    index,
                )
                break


def _plain_text(block: object) -> str | None:
    if isinstance(block, Text):
        return block.text
    if isinstance(block, ToolResponse) and isinstance(block.result, str):
        return block.result
    return None


def holds_base64(text: str) -> bool:
    """Return whether about 1,000 characters in a row are base64.

    Such a run contains a whole aligned block of 512, so only these are checked.
    """
    if len(text) < _BLOCK:
        return False
    for start in range(0, len(text) - _BLOCK + 1, _BLOCK):
        if " " in text[start : start + 32]:
            continue
        if _BASE64.fullmatch(text, start, start + _BLOCK) and _is_varied(text[start : start + _BLOCK]):
            return True
    return False


def _is_varied(block: str) -> bool:
    """Return False for a line of equal characters or a number, which is not base64."""
    return len(set(block)) > 24


def missing_ids(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    for index, message in enumerate(messages):
        if any(not call.id or "$made_id" in call.extra for call in tool_calls(message)):
            text = f"{message_name(index)} has a tool call without an id; it was paired by its place."
            yield LintFinding(WARNING, f"{provider}.missing-id", text, index)
        if any(not response.call_id or "$made_id" in response.extra for response in tool_responses(message)):
            text = f"{message_name(index)} has a tool result without an id; it was paired by its place."
            yield LintFinding(WARNING, f"{provider}.missing-id", text, index)


def repeated_ids(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    """Find an id used twice: an error within one message, information across messages."""
    seen: dict[str, int] = {}
    for index, message in enumerate(messages):
        for call in tool_calls(message):
            before = seen.get(call.id) if call.id else None
            if before == index:
                text = f"{message_name(index)} has two calls with the id {shown_id(call.id)}."
                yield LintFinding(ERROR, f"{provider}.duplicate-id", text, index)
            elif before is not None:
                text = (
                    f"{message_name(index)} uses the call id {shown_id(call.id)} "
                    f"of {message_name(before)} again."
                )
                yield LintFinding(INFO, f"{provider}.reused-id", text, index)
            seen[call.id] = index


def first_calls(messages: Sequence[Message]) -> dict[str, int]:
    first: dict[str, int] = {}
    for index, message in enumerate(messages):
        for call in tool_calls(message):
            first.setdefault(call.id, index)
    return first


def orphan_finding(provider: str, index: int, id_: str, calls: Mapping[str, int]) -> LintFinding:
    """Return the finding for a result without its call right before it; ``calls`` as by first_calls."""
    call = calls.get(id_)
    if call is None:
        why = "which no message makes"
    elif call > index:
        why = f"which comes only later, in {message_name(call)}"
    else:
        why = f"which is in {message_name(call)}, not in the assistant message right before"
    text = f"{message_name(index)} answers the call {shown_id(id_)}, {why}."
    return LintFinding(ERROR, f"{provider}.orphan-result", text, index)


def duplicate_result_finding(provider: str, index: int, id_: str) -> LintFinding:
    text = f"{message_name(index)} answers the call {shown_id(id_)} a second time."
    return LintFinding(ERROR, f"{provider}.second-result", text, index)


def unanswered_findings(provider: str, unanswered: Mapping[str, int], *, last: bool) -> Iterator[LintFinding]:
    """Yield calls without a result: warnings in the last turn, where the agent can still add one."""
    for id_, index in unanswered.items():
        call = f"The call {shown_id(id_)} in {message_name(index)}"
        if last:
            text = f"{call} is not answered yet; the agent has to add a result."
            yield LintFinding(WARNING, f"{provider}.open-call", text, index)
        else:
            text = f"{call} is not answered before the conversation goes on."
            yield LintFinding(ERROR, f"{provider}.unanswered-call", text, index)


def system_roles(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    """Find system messages inside the conversation, for APIs that accept them only before it."""
    for index, message in enumerate(messages):
        if message.speaker is Speaker.SYSTEM:
            text = (
                f"{message_name(index)} is a system message inside the conversation; it is written as user."
            )
            yield LintFinding(INFO, f"{provider}.system-role", text, index)


def unknown_roles(messages: Sequence[Message], provider: str, role_description: str) -> Iterator[LintFinding]:
    """Find messages of an unknown speaker; ``role_description`` is "role that OpenAI"."""
    for index, message in enumerate(messages):
        if message.speaker is Speaker.UNKNOWN:
            text = f"{message_name(index)} has a {role_description} does not know; it is written as user."
            yield LintFinding(WARNING, f"{provider}.unknown-role", text, index)

"""What the linters share: how a message is named, and checks that no API differs on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from core.lint.findings import LintFinding
from core.transcript.model import Message, Speaker, Text, ToolResponse, tool_calls, tool_responses

ERROR, WARNING, INFO = "error", "warning", "info"

_BLOCK = 512
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def message_name(index: int) -> str:
    """How people read a message: #1 is the first."""
    return f"#{index + 1}"


def shown_id(id_: str) -> str:
    """An id in a sentence, shortened where it is absurdly long."""
    return id_ if len(id_) <= 60 else f"{id_[:60]}…"


def is_blank(text: str) -> bool:
    """True where a text has nothing but white space."""
    return not text or text.isspace()


def base64_leftovers(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    """Data of images or files that stands in text, where it costs tokens and says nothing."""
    for index, message in enumerate(messages):
        for block in message.blocks:
            text = _plain(block)
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


def _plain(block: object) -> str | None:
    if isinstance(block, Text):
        return block.text
    if isinstance(block, ToolResponse) and isinstance(block.result, str):
        return block.result
    return None


def holds_base64(text: str) -> bool:
    """True where some 1,000 characters in a row are base64.

    Such a run holds a whole aligned block of 512, so that only these are looked at.
    """
    if len(text) < _BLOCK:
        return False
    for start in range(0, len(text) - _BLOCK + 1, _BLOCK):
        if " " in text[start : start + 32]:
            continue
        if _BASE64.fullmatch(text, start, start + _BLOCK) and _varied(text[start : start + _BLOCK]):
            return True
    return False


def _varied(block: str) -> bool:
    """A ruler of equal characters or a number is no base64."""
    return len(set(block)) > 24


def missing_ids(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    """Calls and responses without an id in their file: the reader made one, the APIs want it there."""
    for index, message in enumerate(messages):
        if any(not call.id or "$made_id" in call.extra for call in tool_calls(message)):
            text = f"{message_name(index)} has a tool call without an id; it was paired by its place."
            yield LintFinding(WARNING, f"{provider}.missing-id", text, index)
        if any(not reply.call_id or "$made_id" in reply.extra for reply in tool_responses(message)):
            text = f"{message_name(index)} has a tool result without an id; it was paired by its place."
            yield LintFinding(WARNING, f"{provider}.missing-id", text, index)


def repeated_ids(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    """Twice in one message two calls cannot be told apart; again in a later one they are mixed up easily."""
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
    """Where each call id is used first."""
    found: dict[str, int] = {}
    for index, message in enumerate(messages):
        for call in tool_calls(message):
            found.setdefault(call.id, index)
    return found


def orphan_finding(provider: str, index: int, id_: str, calls: Mapping[str, int]) -> LintFinding:
    """A result whose call is not in the assistant message before it; ``calls`` as by first_calls."""
    call = calls.get(id_)
    if call is None:
        why = "which no message makes"
    elif call > index:
        why = f"which comes only later, in {message_name(call)}"
    else:
        why = f"which is in {message_name(call)}, not in the assistant message right before"
    text = f"{message_name(index)} answers the call {shown_id(id_)}, {why}."
    return LintFinding(ERROR, f"{provider}.orphan-result", text, index)


def second_result(provider: str, index: int, id_: str) -> LintFinding:
    """A result for a call that has one already."""
    text = f"{message_name(index)} answers the call {shown_id(id_)} a second time."
    return LintFinding(ERROR, f"{provider}.second-result", text, index)


def unanswered_findings(provider: str, left: Mapping[str, int], *, last: bool) -> Iterator[LintFinding]:
    """Calls without a result. In the last turn the agent can still add one, so that only warns."""
    for id_, index in left.items():
        call = f"The call {shown_id(id_)} in {message_name(index)}"
        if last:
            text = f"{call} is not answered yet; the agent has to add a result."
            yield LintFinding(WARNING, f"{provider}.open-call", text, index)
        else:
            text = f"{call} is not answered before the conversation goes on."
            yield LintFinding(ERROR, f"{provider}.unanswered-call", text, index)


def system_roles(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    """System messages inside the conversation, for an API that has one place for them before it."""
    for index, message in enumerate(messages):
        if message.speaker is Speaker.SYSTEM:
            text = (
                f"{message_name(index)} is a system message inside the conversation; it is written as user."
            )
            yield LintFinding(INFO, f"{provider}.system-role", text, index)


def unknown_roles(messages: Sequence[Message], provider: str, what: str) -> Iterator[LintFinding]:
    """Messages whose speaker nobody knows; ``what`` is "role that OpenAI"."""
    for index, message in enumerate(messages):
        if message.speaker is Speaker.UNKNOWN:
            text = f"{message_name(index)} has a {what} does not know; it is written as user."
            yield LintFinding(WARNING, f"{provider}.unknown-role", text, index)

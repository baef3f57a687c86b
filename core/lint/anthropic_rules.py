"""Anthropic's rules: results right after calls, user first, no blank text, signed thinking unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from core.lint.common_rules import (
    ERROR,
    INFO,
    WARNING,
    LintFinding,
    ProviderTurn,
    base64_leftovers,
    blank_blocks,
    changed_messages,
    check_pairs,
    finding,
    is_blank,
    message_name,
    missing_ids,
    provider_turns,
    shown_id,
    system_roles,
    unknown_roles,
)
from core.transcript.model import Block, Message, Opaque, Speaker, Text, Thinking, ToolResponse, tool_calls

MAX_CACHE_MARKS = 4
"""Limit of cache_control marks in a request."""


def check(messages: Sequence[Message], source: Sequence[Message]) -> Iterator[LintFinding]:
    """Yield all findings; ``source``: the messages before compaction, empty if unknown."""
    turns = provider_turns(messages, _is_written)
    yield from _first_role(turns)
    yield from check_pairs(messages, turns, "anthropic")
    yield from _result_order(messages, turns)
    yield from _repeated_calls(messages)
    yield from system_roles(messages, "anthropic")
    yield from unknown_roles(messages, "anthropic", "role that Anthropic")
    for one in blank_blocks(messages, "anthropic", "Anthropic", _is_written, "messages"):
        is_last_answer = one.index == len(messages) - 1 and messages[-1].speaker is Speaker.AI
        is_harmless = is_last_answer and one.rule == "anthropic.empty-message"
        yield replace(one, severity=INFO) if is_harmless else one
    yield from _unsigned_thinking(messages)
    yield from _changed_thinking(messages, source)
    yield from _cache_marks(messages)
    yield from missing_ids(messages, "anthropic")
    yield from base64_leftovers(messages, "anthropic")


def _is_written(block: Block) -> bool:
    """Return False for blank text and unsigned thinking, which the exporter leaves out."""
    if isinstance(block, Text):
        return not is_blank(block.text)
    return not isinstance(block, Thinking) or bool(block.extra.get("signature"))


def _first_role(turns: Sequence[ProviderTurn]) -> Iterator[LintFinding]:
    if turns and turns[0].by_model:
        index = turns[0].indices[0]
        text = "of the assistant comes first; a conversation has to begin with a user message."
        yield finding(ERROR, "anthropic.first-role", index, text)


def _result_order(messages: Sequence[Message], turns: Sequence[ProviderTurn]) -> Iterator[LintFinding]:
    for before, turn in pairwise(turns):
        first_other = -1
        calls = {call.id for index in before.indices for call in tool_calls(messages[index])}
        for index in turn.indices if not turn.by_model else ():
            for block in messages[index].blocks:
                if not isinstance(block, ToolResponse):
                    first_other = index if first_other < 0 else first_other
                elif first_other >= 0 and block.call_id in calls:
                    text = f"holds a result after {message_name(first_other)}; results are written first."
                    yield finding(INFO, "anthropic.result-order", index, text)
                    break


def _repeated_calls(messages: Sequence[Message]) -> Iterator[LintFinding]:
    seen: dict[str, int] = {}
    for index, message in enumerate(messages):
        for call in tool_calls(message):
            if call.id and call.id in seen:
                text = f"uses the call id {shown_id(call.id)} of {message_name(seen[call.id])} again."
                yield finding(ERROR, "anthropic.duplicate-id", index, text)
            seen.setdefault(call.id, index)


def _unsigned_thinking(messages: Sequence[Message]) -> Iterator[LintFinding]:
    for index, message in enumerate(messages):
        for block in message.blocks:
            if isinstance(block, Thinking) and not block.extra.get("signature"):
                text = "holds unsigned thinking; Anthropic refuses it unless it is left out."
                yield finding(WARNING, "anthropic.unsigned-thinking", index, text)
                break


def _changed_thinking(messages: Sequence[Message], source: Sequence[Message]) -> Iterator[LintFinding]:
    """Check that signed thinking has the text of the source."""
    changed = changed_messages(messages, source)
    if not changed:
        return
    signed = {
        _signature(block): block.text
        for message in source
        for block in message.blocks
        if isinstance(block, Thinking)
    }
    signed.pop("", None)
    for index, message in changed:
        for block in message.blocks:
            if isinstance(block, Thinking) and signed.get(_signature(block), block.text) != block.text:
                text = "holds thinking that was changed after it was signed."
                yield finding(ERROR, "anthropic.altered-thinking", index, text)


def _signature(block: Thinking) -> str:
    return str(block.extra.get("signature") or "")


def _cache_marks(messages: Sequence[Message]) -> Iterator[LintFinding]:
    marks = [
        index
        for index, message in enumerate(messages)
        for block in message.blocks
        if not isinstance(block, Opaque) and block.extra.get("cache_control")
    ]
    if len(marks) > MAX_CACHE_MARKS:
        index = marks[MAX_CACHE_MARKS]
        text = (
            f"{len(marks)} blocks carry cache_control, the fifth in "
            f"{message_name(index)}; {MAX_CACHE_MARKS} may."
        )
        yield LintFinding(ERROR, "anthropic.cache-control", text, index)

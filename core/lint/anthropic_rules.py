"""Anthropic's rules: results right after their calls, user first, nothing blank, signed thinking whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.lint.common_rules import (
    ERROR,
    INFO,
    WARNING,
    base64_leftovers,
    is_blank,
    message_name,
    missing_ids,
    shown_id,
    system_roles,
    unknown_roles,
)
from core.lint.findings import LintFinding
from core.lint.turn_rules import ProviderTurn, check_pairs, provider_turns
from core.transcript.model import Block, Message, Opaque, Speaker, Text, Thinking, ToolResponse, tool_calls

MAX_CACHE_MARKS = 4
"""How many cache_control marks a request may hold."""


def check(messages: Sequence[Message], source: Sequence[Message]) -> Iterator[LintFinding]:
    """All findings; ``source`` is what the messages were made from, empty if unknown."""
    found = provider_turns(messages, _is_written)
    yield from _first(found)
    yield from check_pairs(messages, found, "anthropic")
    yield from _order(messages, found)
    yield from _duplicates(messages)
    yield from system_roles(messages, "anthropic")
    yield from unknown_roles(messages, "anthropic", "role that Anthropic")
    yield from _blanks(messages)
    yield from _unsigned(messages)
    yield from _altered(messages, source)
    yield from _cache_marks(messages)
    yield from missing_ids(messages, "anthropic")
    yield from base64_leftovers(messages, "anthropic")


def _is_written(block: Block) -> bool:
    """Blank text and thinking without a signature are left out by the exporter."""
    if isinstance(block, Text):
        return not is_blank(block.text)
    return not isinstance(block, Thinking) or bool(block.extra.get("signature"))


def _first(found: Sequence[ProviderTurn]) -> Iterator[LintFinding]:
    if found and found[0].by_model:
        index = found[0].indices[0]
        text = (
            f"{message_name(index)} of the assistant comes first; a "
            f"conversation has to begin with a user message."
        )
        yield LintFinding(ERROR, "anthropic.first-role", text, index)


def _order(messages: Sequence[Message], found: Sequence[ProviderTurn]) -> Iterator[LintFinding]:
    for before, turn in pairwise(found):
        other = -1
        calls = {call.id for index in before.indices for call in tool_calls(messages[index])}
        for index in turn.indices if not turn.by_model else ():
            for block in messages[index].blocks:
                if not isinstance(block, ToolResponse):
                    other = index if other < 0 else other
                elif other >= 0 and block.call_id in calls:
                    text = (
                        f"{message_name(index)} holds a result after {message_name(other)}; "
                        f"results are written first."
                    )
                    yield LintFinding(INFO, "anthropic.result-order", text, index)
                    break


def _duplicates(messages: Sequence[Message]) -> Iterator[LintFinding]:
    seen: dict[str, int] = {}
    for index, message in enumerate(messages):
        for call in tool_calls(message):
            if call.id and call.id in seen:
                text = (
                    f"{message_name(index)} uses the call id {shown_id(call.id)} "
                    f"of {message_name(seen[call.id])} again."
                )
                yield LintFinding(ERROR, "anthropic.duplicate-id", text, index)
            seen.setdefault(call.id, index)


def _blanks(messages: Sequence[Message]) -> Iterator[LintFinding]:
    last = len(messages) - 1
    for index, message in enumerate(messages):
        if not any(map(_is_written, message.blocks)):
            severity = INFO if index == last and message.speaker is Speaker.AI else WARNING
            text = (
                f"{message_name(index)} says nothing; Anthropic refuses "
                f"empty messages unless they are left out."
            )
            yield LintFinding(severity, "anthropic.empty-message", text, index)
        elif any(isinstance(block, Text) and is_blank(block.text) for block in message.blocks):
            text = f"{message_name(index)} holds a blank text, which Anthropic refuses unless it is left out."
            yield LintFinding(WARNING, "anthropic.empty-text", text, index)


def _unsigned(messages: Sequence[Message]) -> Iterator[LintFinding]:
    for index, message in enumerate(messages):
        for block in message.blocks:
            if isinstance(block, Thinking) and not block.extra.get("signature"):
                text = (
                    f"{message_name(index)} holds unsigned thinking; Anthropic "
                    f"refuses it unless it is left out."
                )
                yield LintFinding(WARNING, "anthropic.unsigned-thinking", text, index)
                break


def _altered(messages: Sequence[Message], source: Sequence[Message]) -> Iterator[LintFinding]:
    """Signed thinking has to stay as it was signed, in a result as in its source."""
    untouched = {id(message) for message in source}
    touched = [(i, m) for i, m in enumerate(messages) if id(m) not in untouched] if source else []
    if not touched:
        return
    signed = _signed(source)
    for index, message in touched:
        for block in message.blocks:
            if isinstance(block, Thinking) and signed.get(_signature(block), block.text) != block.text:
                text = f"{message_name(index)} holds thinking that was changed after it was signed."
                yield LintFinding(ERROR, "anthropic.altered-thinking", text, index)


def _signature(block: Thinking) -> str:
    return str(block.extra.get("signature") or "")


def _signed(messages: Sequence[Message]) -> dict[str, str]:
    found = {
        _signature(block): block.text
        for message in messages
        for block in message.blocks
        if isinstance(block, Thinking)
    }
    found.pop("", None)
    return found


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

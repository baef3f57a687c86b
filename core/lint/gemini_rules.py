"""Gemini's rules: user first, a result for each call right after it, nothing empty, signatures kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.lint.common_rules import (
    ERROR,
    LintFinding,
    ProviderTurn,
    base64_leftovers,
    blank_blocks,
    changed_messages,
    check_pairs,
    finding,
    is_blank,
    message_name,
    provider_turns,
    repeated_ids,
    shown_id,
    system_roles,
    unknown_roles,
)
from core.transcript.model import Block, Message, Opaque, Text, Thinking, ToolCall, tool_calls, tool_responses

_SIGNATURE = "thoughtSignature"


def check(messages: Sequence[Message], source: Sequence[Message]) -> Iterator[LintFinding]:
    """Yield all findings; ``source``: the messages before compaction, empty if unknown."""
    turns = provider_turns(messages, _is_written)
    yield from _first_role(messages, turns)
    yield from check_pairs(messages, turns, "gemini")
    yield from _function_names(messages)
    yield from repeated_ids(messages, "gemini")
    yield from system_roles(messages, "gemini")
    yield from unknown_roles(messages, "gemini", "role that Gemini")
    yield from blank_blocks(messages, "gemini", "Gemini", _is_written, "contents")
    yield from _signatures(messages, source)
    yield from base64_leftovers(messages, "gemini")


def _is_written(block: Block) -> bool:
    """Return False for blank text and empty unsigned thinking, which the exporter leaves out."""
    if isinstance(block, Text):
        return not is_blank(block.text)
    return not isinstance(block, Thinking) or bool(block.text or block.extra.get(_SIGNATURE))


def _first_role(messages: Sequence[Message], turns: Sequence[ProviderTurn]) -> Iterator[LintFinding]:
    """Check that a user's turn comes first; a function call may only follow one."""
    if not turns or not turns[0].by_model:
        return
    index = turns[0].indices[0]
    text = "of the model comes first; the contents have to begin with a user's."
    yield finding(ERROR, "gemini.first-role", index, text)
    calling = next((i for i in turns[0].indices if any(tool_calls(messages[i]))), None)
    if calling is not None:
        text = "calls a function, but no user's turn or result comes before it."
        yield finding(ERROR, "gemini.call-order", calling, text)


def _function_names(messages: Sequence[Message]) -> Iterator[LintFinding]:
    """Check the function names of results, by which Gemini finds their calls."""
    names: dict[str, str] = {}
    for index, message in enumerate(messages):
        names |= {call.id: call.name for call in tool_calls(message)}
        for response in tool_responses(message):
            call_name = names.get(response.call_id)
            if call_name is not None and response.name != call_name:
                text = (
                    f"{message_name(index)} answers {shown_id(response.call_id)} as {response.name!r},"
                    f" which was called as {call_name!r}."
                )
                yield LintFinding(ERROR, "gemini.function-name", text, index)


def _signatures(messages: Sequence[Message], source: Sequence[Message]) -> Iterator[LintFinding]:
    changed = changed_messages(messages, source)
    if not changed:
        return
    calls, thoughts = _signatures_by_content(source)
    for index, message in changed:
        for block in message.blocks:
            if isinstance(block, ToolCall) and calls.get(block.id, block.extra.get(_SIGNATURE)) != (
                block.extra.get(_SIGNATURE)
            ):
                text = f"lost the thought signature of the call {shown_id(block.id)}."
                yield finding(ERROR, "gemini.lost-signature", index, text)
            elif isinstance(block, Thinking) and thoughts.get(_signature(block), block.text) != block.text:
                text = "holds thinking that was changed after it was signed."
                yield finding(ERROR, "gemini.altered-thinking", index, text)


def _signatures_by_content(messages: Sequence[Message]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    calls: dict[str, str] = {}
    thoughts: dict[str, str] = {}
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolCall) and _signature(block):
                calls[block.id] = _signature(block)
            elif isinstance(block, Thinking) and _signature(block):
                thoughts[_signature(block)] = block.text
    return calls, thoughts


def _signature(block: Block) -> str:
    return "" if isinstance(block, Opaque) else str(block.extra.get(_SIGNATURE) or "")

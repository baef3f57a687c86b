"""OpenAI's rules for chat messages: every call answered right after it, no empty assistant message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.lint.common_rules import (
    INFO,
    WARNING,
    LintFinding,
    base64_leftovers,
    duplicate_result_finding,
    finding,
    first_calls,
    message_name,
    missing_ids,
    orphan_finding,
    repeated_ids,
    shown_id,
    unanswered_findings,
    unknown_roles,
)
from core.transcript.model import Message, Speaker, Text, Thinking, tool_calls, tool_responses


def check(messages: Sequence[Message], source: Sequence[Message]) -> Iterator[LintFinding]:
    """Yield all findings; ``source`` is unused, as this API signs nothing that a transcript shows."""
    yield from _pairs(messages)
    yield from repeated_ids(messages, "openai")
    yield from unknown_roles(messages, "openai", "role that OpenAI")
    yield from _empty_messages(messages)
    yield from missing_ids(messages, "openai")
    yield from base64_leftovers(messages, "openai")


def _pairs(messages: Sequence[Message]) -> Iterator[LintFinding]:
    """Check that each assistant message is directly followed by all results of its calls."""
    calls = first_calls(messages)
    pending: dict[str, int] = {}
    answered: dict[str, int] = {}
    other_message = -1
    for index, message in enumerate(messages):
        if message.speaker is Speaker.AI:
            yield from unanswered_findings("openai", pending, last=False)
            pending = {call.id: index for call in tool_calls(message) if call.id}
            answered, other_message = {}, -1
            continue
        responses = [response.call_id for response in tool_responses(message)]
        for id_ in responses:
            if id_ in pending:
                answered[id_] = index
                del pending[id_]
                if other_message >= 0:
                    other = message_name(other_message)
                    text = f"answers {shown_id(id_)} only after {other}; results are written first."
                    yield finding(INFO, "openai.result-order", index, text)
            elif id_ in answered:
                yield duplicate_result_finding("openai", index, id_)
            elif id_:
                yield orphan_finding("openai", index, id_, calls)
        if not responses and other_message < 0:
            other_message = index
    yield from unanswered_findings("openai", pending, last=other_message < 0)


def _empty_messages(messages: Sequence[Message]) -> Iterator[LintFinding]:
    """Check that an assistant message has text or a call; an empty user message is only reported."""
    for index, message in enumerate(messages):
        empty = (
            isinstance(block, Thinking) or (isinstance(block, Text) and not block.text)
            for block in message.blocks
        )
        if not all(empty):
            continue
        if message.speaker is Speaker.AI:
            text = "has neither text nor a call; OpenAI refuses it unless it is left out."
            yield finding(WARNING, "openai.empty-message", index, text)
        else:
            yield LintFinding(INFO, "openai.empty-content", f"{message_name(index)} is empty.", index)

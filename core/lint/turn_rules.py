"""The rules of Anthropic and Gemini, which treat neighbouring messages of one side as one turn.

Both want the user first, results right after their calls, no blank text, and signed thinking
unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from core.lint.common_rules import (
    BASE64_TEXT,
    ERROR,
    INFO,
    MISSING_IDS,
    WARNING,
    LintedHistory,
    LintFinding,
    LintProvider,
    is_blank,
    message_rule,
    repeated_ids,
    shown_id,
    unknown_roles,
)
from core.transcript.model import (
    Block,
    Message,
    Opaque,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)

MAX_CACHE_MARKS = 4
"""Limit of cache_control marks in a request."""


def _unexpected_results(
    history: LintedHistory,
    indices: Iterable[int],
    pending: Mapping[str, int],
    answered: set[str],
) -> Iterator[LintFinding]:
    """Yield the results that no pending call waits for, and add all to those that were answered."""
    for index in indices:
        for response in tool_responses(history.messages[index]):
            id_ = response.call_id
            if id_ in answered:
                yield history.second_result(index, id_)
            elif id_ not in pending and id_:
                yield history.orphan(index, id_)
            answered.add(id_)


def _pairs(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that each result answers a call of the turn right before it, and that each call has
    one."""
    messages = history.messages
    pending: dict[str, int] = {}
    for by_model, indices in history.turns:
        if by_model:
            pending = {
                call.id: i
                for i in indices
                for call in tool_calls(messages[i])
                if call.id
            }
            continue
        answered: set[str] = set()
        yield from _unexpected_results(history, indices, pending, answered)
        unanswered = {
            id_: index for id_, index in pending.items() if id_ not in answered
        }
        is_last = indices is history.turns[-1][1]
        has_only_results = all(
            messages[index].speaker is Speaker.TOOL for index in indices
        )
        yield from history.unanswered(unanswered, last=has_only_results and is_last)
        pending = {}
    yield from history.unanswered(pending, last=True)


def _blank_blocks(history: LintedHistory) -> Iterator[LintFinding]:
    """Find messages that say nothing and blank texts, which the API refuses."""
    label, written = (
        history.api.label,
        {index for _, indices in history.turns for index in indices},
    )
    for index, message in enumerate(history.messages):
        if index not in written:
            noun = "messages" if history.api is ANTHROPIC else "contents"
            text = (
                f"says nothing; {label} refuses empty {noun} unless they are left out."
            )
            yield history.finding(WARNING, "empty-message", index, text)
        elif any(
            isinstance(block, Text) and is_blank(block.text) for block in message.blocks
        ):
            text = f"holds a blank text, which {label} refuses unless it is left out."
            yield history.finding(WARNING, "empty-text", index, text)


def _altered_thinking(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that signed thinking has the text of the source."""
    signature = history.api.signature
    signed = {
        key: text
        for one in history.source
        for key, text in _signed_thoughts(one, signature)
    }
    for index, message in history.changed:
        for key, text in _signed_thoughts(message, signature):
            if signed.get(key, text) != text:
                fault = "holds thinking that was changed after it was signed."
                yield history.finding(ERROR, "altered-thinking", index, fault)


def _signed_thoughts(message: Message, signature: str) -> Iterator[tuple[str, str]]:
    """Yield the signature and the text of each thought that has one."""
    for block in message.blocks:
        if isinstance(block, Thinking) and block.extra.get(signature):
            yield str(block.extra[signature]), block.text


def _is_system(message: Message) -> bool:
    return message.speaker is Speaker.SYSTEM


_SYSTEM_WORDS = "is a system message inside the conversation; it is written as user."
_SYSTEM_ROLE = message_rule(INFO, "system-role", _SYSTEM_WORDS, _is_system)

# Anthropic


def _written_by_anthropic(block: Block) -> bool:
    """Return False for blank text and unsigned thinking, which the exporter leaves out."""
    if isinstance(block, Text):
        return not is_blank(block.text)
    return not isinstance(block, Thinking) or bool(block.extra.get("signature"))


def _assistant_first(history: LintedHistory) -> Iterator[LintFinding]:
    for by_model, indices in history.turns[:1]:
        if by_model and not begins_with_compaction(history.messages[indices[0]]):
            text = "of the assistant comes first; a conversation has to begin with a user message."
            yield history.finding(ERROR, "first-role", indices[0], text)


def begins_with_compaction(message: Message) -> bool:
    """Return whether a message begins with the API's own compaction block: all before it is left
    out, so that an answer may come first."""
    if message.blocks:
        first = message.blocks[0]
    else:
        first = None
    if isinstance(first, Text):
        return first.extra.get("type") == "compaction"
    return isinstance(first, Opaque) and first.kind == "compaction"


def _result_order(history: LintedHistory) -> Iterator[LintFinding]:
    messages = history.messages
    for (_, before), (by_model, indices) in pairwise(history.turns):
        first_other = -1
        calls = {call.id for index in before for call in tool_calls(messages[index])}
        for index in indices if not by_model else ():
            for block in messages[index].blocks:
                if not isinstance(block, ToolResponse):
                    first_other = index if first_other < 0 else first_other
                elif first_other >= 0 and block.call_id in calls:
                    yield _late_result(history, index, first_other)
                    break


def _late_result(history: LintedHistory, index: int, other: int) -> LintFinding:
    """Return the finding for a result behind other content: an error where the file is the request,
    since exports and agents write results first."""
    if history.is_verbatim(index) and history.is_verbatim(other):
        text = (
            f"holds a result after {history.name(other)}; results have to come first."
        )
        return history.finding(ERROR, "result-order", index, text)
    text = f"holds a result after {history.name(other)}; results are written first."
    return history.finding(INFO, "result-order", index, text)


def _repeated_calls(history: LintedHistory) -> Iterator[LintFinding]:
    seen: dict[str, int] = {}
    for index, message in enumerate(history.messages):
        for call in tool_calls(message):
            if call.id and call.id in seen:
                text = f"uses the call id {shown_id(call.id)} of {history.name(seen[call.id])} again."
                yield history.finding(ERROR, "duplicate-id", index, text)
            seen.setdefault(call.id, index)


def _empty_messages(history: LintedHistory) -> Iterator[LintFinding]:
    """Find messages without content; an empty answer at the end is harmless."""
    last = len(history.messages) - 1
    for one in _blank_blocks(history):
        is_last_answer = (
            one.index == last and history.messages[last].speaker is Speaker.AI
        )
        is_harmless = is_last_answer and one.rule == "anthropic.empty-message"
        yield replace(one, severity=INFO) if is_harmless else one


def server_part(block: Block) -> tuple[type | None, str]:
    """Return whether a block is only the call or only the result of a provider's tool, and its
    id."""
    if not isinstance(block, ServerTool) or len(block.description) != 1:
        return None, ""
    (part,) = block.description
    return type(part), part.id if isinstance(part, ToolCall) else part.call_id


def _server_parts(
    messages: Sequence[Message], indices: Iterable[int]
) -> list[tuple[int, type[Block] | None, str]]:
    return [
        (index, *server_part(block))
        for index in indices
        for block in messages[index].blocks
    ]


def _server_tools(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that calls of Anthropic's own tools have their results in the same turn."""
    for number, (by_model, indices) in enumerate(history.turns):
        parts = _server_parts(history.messages, indices)
        calls = {
            id_: index for index, kind, id_ in parts if kind is ToolCall and by_model
        }
        for index, kind, id_ in parts:
            if kind is ToolResponse and calls.pop(id_, None) is None:
                text = f"holds the result of {shown_id(id_)}, which its turn does not call."
                yield history.finding(ERROR, "server-result", index, text)
        for id_, index in calls.items() if number < len(history.turns) - 1 else ():
            text = f"calls {shown_id(id_)}, a tool of Anthropic, without its result."
            yield history.finding(ERROR, "server-call", index, text)


def _has_unsigned_thinking(message: Message) -> bool:
    return any(
        isinstance(one, Thinking) and not one.extra.get("signature")
        for one in message.blocks
    )


def _cache_marks(history: LintedHistory) -> Iterator[LintFinding]:
    marks = [
        index
        for index, message in enumerate(history.messages)
        for block in message.blocks
        if not isinstance(block, Opaque) and block.extra.get("cache_control")
    ]
    if len(marks) > MAX_CACHE_MARKS:
        index = marks[MAX_CACHE_MARKS]
        fifth = f"the fifth in {history.name(index)}; {MAX_CACHE_MARKS} may."
        text = f"{len(marks)} blocks carry cache_control, {fifth}"
        yield LintFinding(ERROR, "anthropic.cache-control", text, index)


_UNSIGNED_WORDS = "holds unsigned thinking; Anthropic refuses it unless it is left out."

ANTHROPIC = LintProvider(
    name="anthropic",
    label="Anthropic",
    role="role that Anthropic",
    formats=("claude_code", "anthropic_messages"),
    rules=(
        _assistant_first,
        _pairs,
        _result_order,
        _server_tools,
        _repeated_calls,
        _SYSTEM_ROLE,
        unknown_roles,
        _empty_messages,
        message_rule(
            WARNING, "unsigned-thinking", _UNSIGNED_WORDS, _has_unsigned_thinking
        ),
        _altered_thinking,
        _cache_marks,
        *MISSING_IDS,
        BASE64_TEXT,
    ),
    models=("claude",),
    is_written=_written_by_anthropic,
    signature="signature",
)

# Gemini

_SIGNATURE = "thoughtSignature"


def _written_by_gemini(block: Block) -> bool:
    """Return False for blank text and empty unsigned thinking, which the exporter leaves out."""
    if isinstance(block, Text):
        return not is_blank(block.text)
    return not isinstance(block, Thinking) or bool(
        block.text or block.extra.get(_SIGNATURE)
    )


def _model_first(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that a user's turn comes first; a function call may only follow one."""
    for by_model, indices in history.turns[:1]:
        calling = [
            index for index in indices if any(tool_calls(history.messages[index]))
        ]
        if by_model:
            text = "of the model comes first; the contents have to begin with a user's."
            yield history.finding(ERROR, "first-role", indices[0], text)
        if by_model and calling:
            text = "calls a function, but no user's turn or result comes before it."
            yield history.finding(ERROR, "call-order", calling[0], text)


def _function_names(history: LintedHistory) -> Iterator[LintFinding]:
    """Check the function names of results, by which Gemini finds their calls."""
    names: dict[str, str] = {}
    for index, message in enumerate(history.messages):
        names |= {call.id: call.name for call in tool_calls(message)}
        for response in tool_responses(message):
            call_name = names.get(response.call_id)
            if call_name is not None and response.name != call_name:
                shown = f"answers {shown_id(response.call_id)} as {response.name!r}"
                text = f"{shown}, which was called as {call_name!r}."
                yield history.finding(ERROR, "function-name", index, text)


def _lost_signatures(history: LintedHistory) -> Iterator[LintFinding]:
    calls = [call for message in history.source for call in tool_calls(message)]
    signatures = {
        call.id: call.extra[_SIGNATURE] for call in calls if call.extra.get(_SIGNATURE)
    }
    for index, message in history.changed:
        for call in tool_calls(message):
            signature = call.extra.get(_SIGNATURE)
            if signatures.get(call.id, signature) != signature:
                text = f"lost the thought signature of the call {shown_id(call.id)}."
                yield history.finding(ERROR, "lost-signature", index, text)


GEMINI = LintProvider(
    name="gemini",
    label="Gemini",
    role="role that Gemini",
    formats=("gemini_cli", "gemini"),
    rules=(
        _model_first,
        _pairs,
        _function_names,
        repeated_ids,
        _SYSTEM_ROLE,
        unknown_roles,
        _blank_blocks,
        _altered_thinking,
        _lost_signatures,
        BASE64_TEXT,
    ),
    models=("gemini",),
    is_written=_written_by_gemini,
    signature=_SIGNATURE,
)

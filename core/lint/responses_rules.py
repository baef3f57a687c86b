"""The Responses API's rules: pairs by call_id in order, reasoning with its item, compaction items.

Unlike in chat, an output may be anywhere after its call. Calls of the provider's own tools do not count as
calls (core.formats.openai_responses.items).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.lint.common_rules import (
    ERROR,
    INFO,
    WARNING,
    LintFinding,
    base64_leftovers,
    duplicate_result_finding,
    finding,
    first_calls,
    is_blank,
    message_name,
    missing_ids,
    repeated_ids,
    shown_id,
    unanswered_findings,
    unknown_roles,
)
from core.transcript.model import (
    Block,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    tool_calls,
    tool_responses,
)

_COMPACTIONS = ("compaction", "compaction_summary", "context_compaction")


def check(messages: Sequence[Message], source: Sequence[Message]) -> Iterator[LintFinding]:
    """Yield all findings; ``source``: the messages before compaction, empty if unknown."""
    yield from _pairs(messages)
    yield from repeated_ids(messages, "responses")
    yield from _item_ids(messages)
    yield from _reasoning(messages, source)
    yield from _arguments(messages)
    yield from _compactions(messages)
    yield from unknown_roles(messages, "responses", "role or type that the API")
    yield from _empty_messages(messages)
    yield from missing_ids(messages, "responses")
    yield from base64_leftovers(messages, "responses")


def _pairs(messages: Sequence[Message]) -> Iterator[LintFinding]:
    """Check that every output follows its call and every call has one."""
    calls = first_calls(messages)
    pending: dict[str, int] = {}
    answered: set[str] = set()
    for index, message in enumerate(messages):
        pending |= {call.id: index for call in tool_calls(message) if call.id}
        for id_ in (response.call_id for response in tool_responses(message)):
            if id_ in pending:
                del pending[id_]
                answered.add(id_)
            elif id_ in answered:
                yield duplicate_result_finding("responses", index, id_)
            elif id_:
                made = calls.get(id_)
                why = (
                    "which no message makes"
                    if made is None
                    else f"which comes only later, in {message_name(made)}"
                )
                text = f"answers the call {shown_id(id_)}, {why}."
                yield finding(ERROR, "responses.orphan-result", index, text)
    last = _last_turn(messages)
    for is_last in (False, True):
        unanswered = {id_: at for id_, at in pending.items() if (at >= last) is is_last}
        yield from unanswered_findings("responses", unanswered, last=is_last)


def _last_turn(messages: Sequence[Message]) -> int:
    """Return where the model's last answer begins if only tool results follow it, else the end."""
    for index in reversed(range(len(messages))):
        if messages[index].speaker is Speaker.AI:
            return index
        if messages[index].speaker is not Speaker.TOOL:
            break
    return len(messages)


def _item_ids(messages: Sequence[Message]) -> Iterator[LintFinding]:
    seen: dict[str, int] = {}
    for index, message in enumerate(messages):
        repeated = [id_ for id_ in dict.fromkeys(_item_ids_of(message)) if id_ in seen]
        if repeated:
            text = f"has the item id {shown_id(repeated[0])} of {message_name(seen[repeated[0]])} again."
            yield finding(ERROR, "responses.duplicate-item", index, text)
        for id_ in _item_ids_of(message):
            seen.setdefault(id_, index)


def _item_ids_of(message: Message) -> Iterator[str]:
    for block in message.blocks:
        raw = block.raw if isinstance(block, Opaque) else block.extra
        id_ = raw.get("id") if not isinstance(block, Opaque) or isinstance(raw, dict) else None
        if isinstance(id_, str) and id_ and not isinstance(block, Text):
            yield id_


def _reasoning(messages: Sequence[Message], source: Sequence[Message]) -> Iterator[LintFinding]:
    """Check that reasoning is followed by the item it led to.

    Changed answers are skipped, because the exporter leaves such reasoning out of them.
    """
    unchanged = {id(message) for message in source}
    for index, message in enumerate(messages):
        last = message.blocks[-1] if message.blocks else None
        if message.speaker is not Speaker.AI or not _is_reasoning(last):
            continue
        if source and id(message) not in unchanged:
            continue
        if index == len(messages) - 1:
            text = "ends in reasoning; the item that it led to is still to come."
            yield finding(WARNING, "responses.open-reasoning", index, text)
        else:
            text = "ends in reasoning without the item that it led to."
            yield finding(ERROR, "responses.lone-reasoning", index, text)


def _is_reasoning(block: Block | None) -> bool:
    """Return whether the block is reasoning that is written; that of other APIs is left out."""
    return isinstance(block, Thinking) and bool(block.extra.get("id") or block.extra.get("encrypted_content"))


def _arguments(messages: Sequence[Message]) -> Iterator[LintFinding]:
    for index, message in enumerate(messages):
        for call in tool_calls(message):
            if _is_not_json(call):
                text = f"calls {call.name or 'a tool'} with arguments that are not JSON."
                yield finding(WARNING, "responses.arguments", index, text)


def _is_not_json(call: ToolCall) -> bool:
    """Return whether the reader marked the arguments as not JSON; other kinds of calls take any text."""
    original = call.extra.get("$arguments")
    return isinstance(call.arguments, str) and original == call.arguments


def _compactions(messages: Sequence[Message]) -> Iterator[LintFinding]:
    """Check that compaction items have content and that no answer precedes them."""
    answers = [index for index, m in enumerate(messages) if m.speaker in (Speaker.AI, Speaker.TOOL)]
    first = answers[0] if answers else len(messages)
    for index, message in enumerate(messages):
        for block in message.blocks:
            if not isinstance(block, Opaque) or block.kind not in _COMPACTIONS:
                continue
            if not isinstance(block.raw, dict) or not block.raw.get("encrypted_content"):
                text = "is a compaction item without its encrypted content."
                yield finding(ERROR, "responses.empty-compaction", index, text)
            if first < index:
                text = "is a compaction item; the model does not read what is before it."
                yield finding(WARNING, "responses.late-compaction", index, text)


def _empty_messages(messages: Sequence[Message]) -> Iterator[LintFinding]:
    for index, message in enumerate(messages):
        if all(isinstance(block, Text) and is_blank(block.text) for block in message.blocks):
            speaker_text = " of the assistant" if message.speaker is Speaker.AI else ""
            severity = WARNING if speaker_text else INFO
            yield LintFinding(
                severity, "responses.empty-message", f"{message_name(index)}{speaker_text} is empty.", index
            )

"""The rules of OpenAI's two APIs: chat messages, and items of the Responses API.

In chat every call is answered right after it. In Responses an output may be anywhere after its
call, reasoning comes with the item it led to, and compaction items hold their content; calls of the
provider's own tools do not count as calls (core.formats.openai_responses_items).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

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
    repeated_ids,
    shown_id,
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
from core.transcript.opaque_history import COMPACTION_ITEMS

# chat


def _unexpected_result(
    history: LintedHistory, index: int, id_: str, answered: Set[str]
) -> Iterator[LintFinding]:
    if id_ in answered:
        yield history.second_result(index, id_)
    elif id_:
        yield history.orphan(index, id_)


def _late_result(
    history: LintedHistory, index: int, id_: str, other_message: int
) -> LintFinding:
    """Return what is to say of a result behind another message than calls and results."""
    other = history.name(other_message)
    is_sent = history.is_verbatim(index) and history.is_verbatim(other_message)
    must = "have to come" if is_sent else "are written"
    text = f"answers {shown_id(id_)} only after {other}; results {must} first."
    return history.finding(ERROR if is_sent else INFO, "result-order", index, text)


def _chat_pairs(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that each assistant message is directly followed by all results of its calls."""
    pending: dict[str, int] = {}
    answered: set[str] = set()
    other_message = -1
    for index, message in enumerate(history.messages):
        if message.speaker is Speaker.AI:
            yield from history.unanswered(pending, last=False)
            pending = {call.id: index for call in tool_calls(message) if call.id}
            answered, other_message = set(), -1
            continue
        responses = [response.call_id for response in tool_responses(message)]
        for id_ in responses:
            if id_ in pending:
                answered.add(id_)
                del pending[id_]
                if other_message >= 0:
                    yield _late_result(history, index, id_, other_message)
            else:
                yield from _unexpected_result(history, index, id_, answered)
        if not responses and other_message < 0:
            other_message = index
    yield from history.unanswered(pending, last=other_message < 0)


def _empty_chat_messages(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that an assistant message has text or a call; an empty user message is only
    reported."""
    for index, message in enumerate(history.messages):
        if not all(
            isinstance(block, Thinking) or (isinstance(block, Text) and not block.text)
            for block in message.blocks
        ):
            continue
        if message.speaker is Speaker.AI:
            text = (
                "has neither text nor a call; OpenAI refuses it unless it is left out."
            )
            yield history.finding(WARNING, "empty-message", index, text)
        else:
            yield history.finding(INFO, "empty-content", index, "is empty.")


OPENAI = LintProvider(
    name="openai",
    label="OpenAI",
    role="role that OpenAI",
    formats=("openai_chat",),
    rules=(
        _chat_pairs,
        repeated_ids,
        unknown_roles,
        _empty_chat_messages,
        *MISSING_IDS,
        BASE64_TEXT,
    ),
)

# Responses


def _item_pairs(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that every output follows its call and every call has one."""
    pending: dict[str, int] = {}
    answered: set[str] = set()
    for index, message in enumerate(history.messages):
        pending |= {call.id: index for call in tool_calls(message) if call.id}
        for response in tool_responses(message):
            id_ = response.call_id
            if id_ in pending:
                del pending[id_]
                answered.add(id_)
            else:
                yield from _unexpected_result(history, index, id_, answered)
    last = _last_turn(history.messages)
    for is_last in (False, True):
        unanswered = {id_: at for id_, at in pending.items() if (at >= last) is is_last}
        yield from history.unanswered(unanswered, last=is_last)


def _last_turn(messages: Sequence[Message]) -> int:
    """Return where the model's last answer begins if only tool results follow it, else the end."""
    for index in reversed(range(len(messages))):
        if messages[index].speaker is Speaker.AI:
            return index
        if messages[index].speaker is not Speaker.TOOL:
            break
    return len(messages)


def _repeated_items(history: LintedHistory) -> Iterator[LintFinding]:
    seen: dict[str, int] = {}
    for index, message in enumerate(history.messages):
        ids = [*item_ids(message)]
        if repeated := next((id_ for id_ in ids if id_ in seen), ""):
            text = f"has the item id {shown_id(repeated)} of {history.name(seen[repeated])} again."
            yield history.finding(ERROR, "duplicate-item", index, text)
        for id_ in ids:
            seen.setdefault(id_, index)


def item_ids(message: Message) -> Iterator[str]:
    return filter(None, map(item_id, message.blocks))


def item_id(block: Block) -> str:
    """Return the id of the item that a block was read from, "" for none."""
    raw = block.raw if isinstance(block, Opaque) else block.extra
    if not isinstance(block, Opaque) or isinstance(raw, dict):
        id_ = raw.get("id")
    else:
        id_ = None
    return id_ if isinstance(id_, str) and not isinstance(block, Text) else ""


def _reasoning(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that reasoning is followed by the item it led to.

    Changed answers are skipped, because the exporter leaves such reasoning out of them.
    """
    changed = {index for index, _ in history.changed}
    for index, message in enumerate(history.messages):
        if message.blocks:
            last = message.blocks[-1]
        else:
            last = None
        if (
            message.speaker is not Speaker.AI
            or not is_reasoning(last)
            or index in changed
        ):
            continue
        if index == len(history.messages) - 1:
            text = "ends in reasoning; the item that it led to is still to come."
            yield history.finding(WARNING, "open-reasoning", index, text)
        else:
            text = "ends in reasoning without the item that it led to."
            yield history.finding(ERROR, "lone-reasoning", index, text)


def is_reasoning(block: Block | None) -> bool:
    """Return whether the block is reasoning that is written; that of other APIs is left out."""
    return isinstance(block, Thinking) and bool(
        block.extra.get("id") or block.extra.get("encrypted_content")
    )


def _arguments(history: LintedHistory) -> Iterator[LintFinding]:
    for index, message in enumerate(history.messages):
        for call in filter(_is_not_json, tool_calls(message)):
            text = f"calls {call.name or 'a tool'} with arguments that are not JSON."
            yield history.finding(WARNING, "arguments", index, text)


def _is_not_json(call: ToolCall) -> bool:
    """Return whether the reader marked the arguments as not JSON; other kinds of calls take any
    text."""
    return (
        isinstance(call.arguments, str)
        and call.extra.get("$arguments") == call.arguments
    )


def is_compaction_item(block: Block) -> bool:
    return isinstance(block, Opaque) and block.kind in COMPACTION_ITEMS


def is_readable_item(block: Opaque) -> bool:
    """Return whether the API can read a compaction item."""
    if isinstance(block.raw, dict):
        content = block.raw.get("encrypted_content")
    else:
        content = None
    return isinstance(content, str) and bool(content)


def _compactions(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that compaction items have content, and name answers before them, which they stand
    for."""
    speakers = (Speaker.AI, Speaker.TOOL)
    answers = (
        index
        for index, message in enumerate(history.messages)
        if message.speaker in speakers
    )
    first = next(answers, len(history.messages))
    for index, message in enumerate(history.messages):
        for block in message.blocks:
            if not isinstance(block, Opaque) or not is_compaction_item(block):
                continue
            if not is_readable_item(block):
                text = "is a compaction item whose encrypted content is missing or no text."
                yield history.finding(ERROR, "empty-compaction", index, text)
            if first < index:
                text = (
                    "is a compaction item with answers before it, which the API allows to be "
                    "left out."
                )
                yield history.finding(INFO, "late-compaction", index, text)


def _empty_items(history: LintedHistory) -> Iterator[LintFinding]:
    for index, message in enumerate(history.messages):
        if all(
            isinstance(block, Text) and is_blank(block.text) for block in message.blocks
        ):
            if message.speaker is Speaker.AI:
                yield history.finding(
                    WARNING, "empty-message", index, "of the assistant is empty."
                )
            else:
                yield history.finding(INFO, "empty-message", index, "is empty.")


RESPONSES = LintProvider(
    name="responses",
    label="Responses",
    role="role or type that the API",
    formats=("openai_responses", "codex_rollout"),
    rules=(
        _item_pairs,
        repeated_ids,
        _repeated_items,
        _reasoning,
        _arguments,
        _compactions,
        unknown_roles,
        _empty_items,
        *MISSING_IDS,
        BASE64_TEXT,
    ),
)

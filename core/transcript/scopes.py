"""Scopes: the whole session, the current context, or the context before a recorded compaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.errors import InputError
from core.common.json_value import MISSING
from core.transcript.model import (
    Block,
    Conversation,
    Message,
    RecordedCompaction,
    ToolResponse,
    tool_responses,
)

ALL = "all"
CURRENT = "current"
BEFORE = "before:"
CLEARED_RESULT = "[Old tool result content cleared]"
"""Claude Code's placeholder for a cleared result."""
MICROCOMPACT = "microcompact"
"""The kind of recorded compaction that clears results in place and summarises nothing."""


@dataclass(frozen=True, slots=True)
class History:
    """The messages of one scope. ``indices[i]`` is the index of message i in
    ``Conversation.messages``, -1 for one that only a recorded compaction holds. A message with
    cleared results differs from the one at its index."""

    scope: str
    messages: tuple[Message, ...]
    indices: tuple[int, ...]


def scopes(conversation: Conversation) -> tuple[str, ...]:
    """Return the scopes of a conversation: ``all``, ``current``, ``before:1`` and so on."""
    numbers = range(1, len(conversation.recorded) + 1)
    return (ALL, CURRENT, *(f"{BEFORE}{number}" for number in numbers))


def history_of_scope(conversation: Conversation, scope: str) -> History:
    """Return the messages of a scope, in the order in which the model saw them. ``all``: the whole
    session. ``current``: the context after the last recorded compaction and all later messages, or
    the whole session. ``before:N``: the context before recorded compaction N (from 1). Cleared
    results are placeholders. Raises InputError for any other scope."""
    _check_scope(conversation, scope)
    if scope == ALL:
        return History(
            scope, conversation.messages, tuple(range(len(conversation.messages)))
        )
    end, recorded = scope_end(conversation, scope)
    return _context_until(conversation, scope, recorded, end)


def scope_end(
    conversation: Conversation, scope: str
) -> tuple[int, Sequence[RecordedCompaction]]:
    """Return the message before which a scope ends, and the compactions before it."""
    if not scope.startswith(BEFORE):
        return len(conversation.messages), conversation.recorded
    number = int(scope.removeprefix(BEFORE))
    return (
        conversation.recorded[number - 1].boundary,
        conversation.recorded[: number - 1],
    )


def whole_session(conversation: Conversation) -> History:
    """Return all messages, with the summary in front where the file begins with a recorded
    compaction: what that replaced is in no message, and the agent sends the summary in its
    place."""
    history = history_of_scope(conversation, ALL)
    first = next(filter(replaces_messages, conversation.recorded), None)
    # Only at the very beginning is there nothing else of what was summarised.
    if first is None or first.boundary > 0:
        return history
    front = [one for one in context_after_compaction(first) if isinstance(one, Message)]
    indices = (*(-1 for _ in front), *history.indices)
    return History(ALL, (*front, *history.messages), indices)


def opening_scope(conversation: Conversation, wanted: str = "") -> str:
    """Return the scope that is wanted, by default the one in which a file opens: ``current`` if its
    agent compacted it, else ``all``. Raises InputError, which lists the scopes, for one that it
    does not have."""
    if not wanted:
        return CURRENT if conversation.recorded else ALL
    _check_scope(conversation, wanted)
    return wanted


def _check_scope(conversation: Conversation, scope: str) -> None:
    known = scopes(conversation)
    if scope in known:
        return
    count = len(conversation.recorded)
    recorded = f"{count} recorded compactions"
    if count == 0:
        recorded = "no recorded compaction"
    elif count == 1:
        recorded = "1 recorded compaction"
    raise InputError(
        f'There is no scope "{scope}" in {conversation.document.name}, which has {recorded}.',
        f"Its scopes are: {', '.join(known)}.",
    )


PART_LEAD = "Only a part"
"""With what the sentence of ``incomplete_reason`` begins."""


def incomplete_reason(conversation: Conversation, scope: str) -> str:
    """Return why ``before:N`` is incomplete; empty if it is complete, or for other scopes."""
    missing = missing_part(conversation, scope)
    return missing and f"{PART_LEAD}: {missing}"


def missing_part(conversation: Conversation, scope: str) -> str:
    """Return what of ``before:N`` the file lacks; empty if nothing, or for other scopes."""
    if scope.startswith(BEFORE):
        number = int(scope.removeprefix(BEFORE))
    else:
        number = 0
    if not number or not conversation.recorded[number - 1].is_source_lost:
        return ""
    return f"what recorded compaction {number} removed is not in the file."


def context_after_compaction(compaction: RecordedCompaction) -> Sequence[int | Message]:
    """Return the context right after a compaction: indices of kept messages, and new messages. If
    the file gives no order, the kept messages follow the summary."""
    return compaction.context_after or (
        *compaction.summary,
        # What stands behind the boundary follows anyway, and would be there twice.
        *(index for index in compaction.kept if index < compaction.boundary),
    )


def replaces_messages(compaction: RecordedCompaction) -> bool:
    """Return False for a compaction that only cleared results in place."""
    return compaction.kind != MICROCOMPACT or bool(compaction.context_after)


def with_cleared_results(message: Message, ids: Collection[str]) -> Message:
    """Return the message with placeholders for the results of these calls; itself if it has
    none."""
    if not any(response.call_id in ids for response in tool_responses(message)):
        return message
    return replace(
        message, blocks=tuple(_cleared(block, ids) for block in message.blocks)
    )


def _cleared(block: Block, ids: Collection[str]) -> Block:
    if not isinstance(block, ToolResponse) or block.call_id not in ids:
        return block
    return replace(
        block,
        result=CLEARED_RESULT,
        error=MISSING if block.error is MISSING else CLEARED_RESULT,
    )


def _boundaries_of_cleared(recorded: Iterable[RecordedCompaction]) -> dict[str, int]:
    return {id_: entry.boundary for entry in recorded for id_ in entry.cleared}


def _with_index(
    conversation: Conversation, entry: Message | int
) -> tuple[int, Message]:
    """Return a message of a context with its index; -1 for one that is not in the conversation."""
    if isinstance(entry, Message):
        return -1, entry
    return entry, conversation.messages[entry]


def _context_until(
    conversation: Conversation,
    scope: str,
    recorded: Sequence[RecordedCompaction],
    end: int,
) -> History:
    """Return the context after the last replacing compaction, and all messages up to ``end``."""
    last = next(
        (entry for entry in reversed(recorded) if replaces_messages(entry)), None
    )
    context = context_after_compaction(last) if last else ()
    start = last.boundary if last else 0
    indexed_messages = [_with_index(conversation, entry) for entry in context]
    indexed_messages += enumerate(conversation.messages[start:end], start)
    cleared_at = _boundaries_of_cleared(recorded)
    indices = tuple(index for index, _ in indexed_messages)
    messages = tuple(message for _, message in indexed_messages)
    if cleared_at:
        messages = tuple(
            _with_cleared_before(index, message, cleared_at)
            for index, message in indexed_messages
        )
    return History(scope, messages, indices)


def _with_cleared_before(
    index: int, message: Message, cleared_at: Mapping[str, int]
) -> Message:
    ids = (response.call_id for response in tool_responses(message))
    return with_cleared_results(
        # An id may be used again after it was cleared: then its newer result stands.
        message,
        [id_ for id_ in ids if cleared_at.get(id_, -1) > index],
    )

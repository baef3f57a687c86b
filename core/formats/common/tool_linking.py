"""Adds missing call ids and the tool names of responses in a second pass over messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from operator import is_

from core.formats.common.import_notes import ImportNotes
from core.transcript.model import Block, Message, ToolCall, ToolResponse, tool_calls, with_blocks

_MADE_ID = {"$made_id": True}


def link_calls(messages: Sequence[Message], notes: ImportNotes | None = None) -> tuple[Message, ...]:
    """Pair calls and responses without an id in order, and name responses after their call: the nearest
    earlier one with that id, else the first later one. ``notes`` gets a repair for each generated id."""
    if any(_lacks_id(block) for message in messages for block in message.blocks):
        messages = _with_ids(messages, notes)
    return _with_tool_names(messages)


def _lacks_id(block: Block) -> bool:
    return (isinstance(block, ToolCall) and not block.id) or (
        isinstance(block, ToolResponse) and not block.call_id
    )


def _with_ids(messages: Sequence[Message], notes: ImportNotes | None) -> Sequence[Message]:
    pending_ids: dict[str, list[str]] = defaultdict(list)
    linked_messages: list[Message] = []
    for index, message in enumerate(messages):
        if any(map(_lacks_id, message.blocks)):
            if notes:
                line = message.sources[0].line if message.sources else 0
                notes.repair(line, "a call or result has no id; they are paired in order")
            blocks = (_with_id(block, f"{index}-{n}", pending_ids) for n, block in enumerate(message.blocks))
            message = with_blocks(message, tuple(blocks))
        linked_messages.append(message)
    return linked_messages


def _with_id(block: Block, place: str, pending_ids: dict[str, list[str]]) -> Block:
    """Give an id to a call, or to a response the id of the first waiting call of its name, or of any name."""
    if isinstance(block, ToolCall) and not block.id:
        pending_ids[block.name].append(f"no-id-{place}")
        return replace(block, id=f"no-id-{place}", extra={**block.extra, **_MADE_ID})
    if isinstance(block, ToolResponse) and not block.call_id:
        name = block.name or next(iter(pending_ids), "")
        ids = pending_ids.get(name)
        id_ = ids.pop(0) if ids else f"no-id-{place}"
        if not ids:
            pending_ids.pop(name, None)
        return replace(block, call_id=id_, extra={**block.extra, **_MADE_ID})
    return block


def _with_tool_names(messages: Sequence[Message]) -> tuple[Message, ...]:
    latest_calls: dict[str, ToolCall] = {}
    first_calls: dict[str, ToolCall] = {}
    for call in (call for message in messages for call in tool_calls(message)):
        first_calls.setdefault(call.id, call)

    def named(block: Block) -> Block:
        if isinstance(block, ToolCall):
            latest_calls[block.id] = block
        elif isinstance(block, ToolResponse) and not block.name:
            call = latest_calls.get(block.call_id)
            call = call if call and call.name else first_calls.get(block.call_id)
            if call and call.name:
                return with_call(block, call)
        return block

    linked_messages: list[Message] = []
    for message in messages:
        blocks = tuple(map(named, message.blocks))
        is_same = all(map(is_, blocks, message.blocks))
        linked_messages.append(message if is_same else with_blocks(message, blocks))
    return tuple(linked_messages)


def with_call(block: ToolResponse, call: ToolCall) -> ToolResponse:
    """Return the response with its call's name and id."""
    return ToolResponse(call.id, call.name, block.result, block.error, block.extra)

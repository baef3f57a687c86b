"""Adds missing call ids and the tool names of responses in a second pass over messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from core.formats.common.import_notes import ImportNotes
from core.transcript.model import Block, Message, ToolCall, ToolResponse

_MADE_ID = "$made_id"


def link_calls(messages: Sequence[Message], notes: ImportNotes | None = None) -> tuple[Message, ...]:
    """Pair calls and responses without an id in order, and name responses after their call: the nearest
    earlier one with that id, else the first later one. ``notes`` gets a repair for each generated id."""
    return _with_tool_names(_with_ids(messages, notes) if _lacks_ids(messages) else messages)


def _lacks_ids(messages: Sequence[Message]) -> bool:
    """Return whether a call or response has no id."""
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolCall):
                if not block.id:
                    return True
            elif isinstance(block, ToolResponse) and not block.call_id:
                return True
    return False


def _with_ids(messages: Sequence[Message], notes: ImportNotes | None) -> Sequence[Message]:
    pending_ids: dict[str, list[str]] = defaultdict(list)
    linked_messages: list[Message] = []
    for index, message in enumerate(messages):
        blocks = tuple(_with_id(block, f"{index}-{n}", pending_ids) for n, block in enumerate(message.blocks))
        unchanged = all(new is old for new, old in zip(blocks, message.blocks, strict=True))
        linked_messages.append(message if unchanged else replace(message, blocks=blocks))
        if notes and not unchanged:
            line = message.sources[0].line if message.sources else 0
            notes.repair(line, "a call or result has no id; they are paired in order")
    return linked_messages


def _with_id(block: Block, place: str, pending_ids: dict[str, list[str]]) -> Block:
    """Give an id to a call, or to a response the id of the first waiting call of its name, or of any name."""
    if isinstance(block, ToolCall) and not block.id:
        id_ = f"no-id-{place}"
        pending_ids[block.name].append(id_)
        return replace(block, id=id_, extra={**block.extra, _MADE_ID: True})
    if isinstance(block, ToolResponse) and not block.call_id:
        name = block.name or next(iter(pending_ids), "")
        ids = pending_ids.get(name)
        id_ = ids.pop(0) if ids else f"no-id-{place}"
        if not ids:
            pending_ids.pop(name, None)
        return replace(block, call_id=id_, extra={**block.extra, _MADE_ID: True})
    return block


def _with_tool_names(messages: Sequence[Message]) -> tuple[Message, ...]:
    call_names = _CallNames(messages)
    latest_calls = call_names.latest_calls
    linked_messages: list[Message] = []
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolCall):
                latest_calls[block.id] = block
            elif isinstance(block, ToolResponse) and not block.name:
                message = call_names.with_tool_names(message)
                break
        linked_messages.append(message)
    return tuple(linked_messages)


class _CallNames:
    """The calls of a conversation by id: the latest so far, and the first of all."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.latest_calls: dict[str, ToolCall] = {}
        self._messages = messages
        self._first_calls: dict[str, ToolCall] | None = None

    def with_tool_names(self, message: Message) -> Message:
        """Return the message with names in its responses, as far as their calls have names."""
        blocks: list[Block] | None = None
        for place, block in enumerate(message.blocks):
            if isinstance(block, ToolCall):
                self.latest_calls[block.id] = block
            elif isinstance(block, ToolResponse) and not block.name:
                call = self.latest_calls.get(block.call_id)
                if call is None or not call.name:
                    call = self._first_call(block.call_id)
                if call is not None and call.name:
                    blocks = blocks or list(message.blocks)
                    blocks[place] = with_call(block, call)
        return _with_blocks(message, tuple(blocks)) if blocks else message

    def _first_call(self, id_: str) -> ToolCall | None:
        if self._first_calls is None:
            self._first_calls = {}
            for message in self._messages:
                for block in message.blocks:
                    if isinstance(block, ToolCall):
                        self._first_calls.setdefault(block.id, block)
        return self._first_calls.get(id_)


def with_call(block: ToolResponse, call: ToolCall) -> ToolResponse:
    """Return the response with its call's name and id."""
    return ToolResponse(call.id, call.name, block.result, block.error, block.extra)


def _with_blocks(message: Message, blocks: tuple[Block, ...]) -> Message:
    """Do as ``replace``, but faster: every result gets its name this way."""
    return Message(
        message.speaker, blocks, message.sources, message.flags, message.id, message.timestamp, message.extra
    )

"""A compaction strategy for Microsoft's Agent Framework."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from agent_framework import ChatContext, ChatMiddleware, Content, Message

from core.formats.anthropic_blocks import plain_text
from core.integrations.hosts.history_compactor import (
    HistoryCompactor,
    MessageDict,
    assistant_dict,
    tool_call_dict,
    unread_blocks,
)
from core.strategies.names import EXCERPT

_READ = (
    "text",
    "function_call",
    "function_result",
)  # other contents pass through as blocks


__all__ = ["CompactionStrategy"]


class CompactionStrategy(ChatMiddleware):  # type: ignore[misc]
    """For ``Agent(compaction_strategy=CompactionStrategy(...))``; for ``options`` see
    HistoryCompactor.

    Given as ``middleware``, too, it compacts a request that the provider refuses as too long, and
    sends it once more."""

    def __init__(self, strategy: str = EXCERPT, **options: Any) -> None:
        self._compactor: HistoryCompactor[Message] = HistoryCompactor(
            strategy, **options
        )

    async def __call__(self, messages: list[Message]) -> bool:
        """Shorten the list in place; return whether it changed."""
        shorter = await asyncio.to_thread(
            self._compactor.compacted, messages, _to_dicts, _from_dict
        )
        if shorter is None:
            return False
        messages[:] = shorter
        return True

    async def process(
        self, context: ChatContext, call_next: Callable[[], Awaitable[None]]
    ) -> None:
        """Send a request as the middleware of the chat; see above."""
        try:
            return await call_next()
        except Exception as error:
            shorter = await asyncio.to_thread(
                self._compactor.compacted_after,
                error,
                context.messages,
                _to_dicts,
                _from_dict,
            )
            if shorter is None:
                raise
        context.messages = shorter
        await call_next()


def _to_dicts(message: Message) -> list[MessageDict]:
    role = str(getattr(message.role, "value", message.role))
    results = [item for item in message.contents if item.type == "function_result"]
    if results:
        return [_result_dict(item) for item in results]
    parts = [item.to_dict() for item in message.contents if item.type not in _READ]
    content = message.text
    if parts:
        text = {"type": "text", "text": message.text}
        if message.text:
            content = [text, *parts]
        else:
            content = parts
    if role != "assistant":
        return [{"role": role, "content": content}]
    calls = [
        tool_call_dict(item.call_id, item.name, _text(item.arguments))
        for item in message.contents
        if item.type == "function_call"
    ]
    return [assistant_dict(content, calls)]


def _result_dict(item: Content) -> MessageDict:
    return {"role": "tool", "tool_call_id": item.call_id, "content": _text(item.result)}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, default=str)


def _from_dict(item: MessageDict) -> Message:
    text = plain_text(item["content"] or "")
    if item["role"] == "tool":
        return Message(
            "tool", [Content.from_function_result(item["tool_call_id"], result=text)]
        )
    parts = [Content.from_dict(block) for block in unread_blocks(item["content"])]
    calls = [
        Content.from_function_call(
            call["id"],
            call["function"]["name"],
            arguments=call["function"]["arguments"],
        )
        for call in item.get("tool_calls") or ()
    ]
    return Message(
        item["role"], [*([Content.from_text(text)] if text else []), *parts, *calls]
    )

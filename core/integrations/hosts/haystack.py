"""A compactor for the compaction hook of Haystack's agents."""

from __future__ import annotations

import asyncio
from typing import Any

from haystack.dataclasses import ChatMessage

from core.integrations.hosts.history_compactor import HistoryCompactor, MessageDict
from core.strategies.names import EXCERPT


class FoldlineCompactor:
    """For ``CompactionHook(FoldlineCompactor(...), context_window=N)``, which decides when it runs.

    For ``options`` see HistoryCompactor.
    """

    def __init__(self, strategy: str = EXCERPT, **options: Any) -> None:
        self._compactor: HistoryCompactor[ChatMessage] = HistoryCompactor(strategy, **options)

    def compact(
        self, messages: list[ChatMessage], target_tokens: int, token_counter: Any
    ) -> list[ChatMessage] | None:
        """Return a shorter conversation; None if there is none."""
        from_dict = ChatMessage.from_openai_dict_format
        return self._compactor.compacted(messages, _to_dicts, from_dict, target=target_tokens)

    async def compact_async(
        self, messages: list[ChatMessage], target_tokens: int, token_counter: Any
    ) -> list[ChatMessage] | None:
        return await asyncio.to_thread(self.compact, messages, target_tokens, token_counter)

    def to_dict(self) -> dict[str, Any]:
        name = f"{type(self).__module__}.{type(self).__name__}"
        return {"type": name, "init_parameters": dict(self._compactor.options)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> FoldlineCompactor:
        return cls(**data["init_parameters"])


def _to_dicts(message: ChatMessage) -> list[MessageDict]:
    return [message.to_openai_dict_format(require_tool_call_ids=False)]

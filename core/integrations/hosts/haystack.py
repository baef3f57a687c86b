"""A compactor for the compaction hook of Haystack's agents."""

from __future__ import annotations

import asyncio
from typing import Any

from haystack import component
from haystack.core.serialization import (
    component_from_dict,
    component_to_dict,
    import_class_by_name,
)
from haystack.dataclasses import ChatMessage

from core.integrations.hosts.history_compactor import HistoryCompactor, MessageDict
from core.strategies.names import EXCERPT

__all__ = ["CompactingGenerator", "FoldlineCompactor"]


class FoldlineCompactor:
    """For ``CompactionHook(FoldlineCompactor(...), context_window=N)``, which decides when it runs.

    For ``options`` see HistoryCompactor.
    """

    def __init__(self, strategy: str = EXCERPT, **options: Any) -> None:
        self._compactor: HistoryCompactor[ChatMessage] = HistoryCompactor(
            strategy, **options
        )

    def compact(
        self, messages: list[ChatMessage], target_tokens: int, token_counter: Any
    ) -> list[ChatMessage] | None:
        """Return a shorter conversation; None if there is none."""
        from_dict = ChatMessage.from_openai_dict_format
        return self._compactor.compacted(
            messages, _to_dicts, from_dict, target=target_tokens
        )

    async def compact_async(
        self, messages: list[ChatMessage], target_tokens: int, token_counter: Any
    ) -> list[ChatMessage] | None:
        return await asyncio.to_thread(
            self.compact, messages, target_tokens, token_counter
        )

    def retrying(self, chat_generator: Any) -> CompactingGenerator:
        """Return the generator such that a request which its provider refuses as too long is
        compacted and sent once more."""
        return CompactingGenerator(chat_generator, self)

    def compacted(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        """Return the messages, shorter if the strategy's own trigger is reached."""
        from_dict = ChatMessage.from_openai_dict_format
        return self._compactor.compacted(messages, _to_dicts, from_dict) or messages

    def shorter_after(
        self, error: Exception, messages: list[ChatMessage]
    ) -> list[ChatMessage] | None:
        from_dict = ChatMessage.from_openai_dict_format
        return self._compactor.compacted_after(error, messages, _to_dicts, from_dict)

    def to_dict(self) -> dict[str, Any]:
        return {"type": _name(self), "init_parameters": dict(self._compactor.options)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> FoldlineCompactor:
        return cls(**data["init_parameters"])


@component
class CompactingGenerator:
    """A chat generator whose request is compacted at the strategy's trigger, and after the answer
    that it is too long; the history of the agent is left to a hook."""

    def __init__(self, chat_generator: Any, compactor: FoldlineCompactor) -> None:
        self.chat_generator, self.compactor = chat_generator, compactor

    @component.output_types(replies=list[ChatMessage])  # type: ignore[untyped-decorator]
    def run(
        self, messages: list[ChatMessage], tools: Any = None, **more: Any
    ) -> dict[str, Any]:
        messages = self.compactor.compacted(
            messages
        )  # what was refused before is remembered there
        try:
            return self._run(messages, tools=tools, **more)
        except Exception as error:
            shorter = self.compactor.shorter_after(error, messages)
            if shorter is None:
                raise
        return self._run(shorter, tools=tools, **more)

    def _run(self, messages: list[ChatMessage], **more: Any) -> dict[str, Any]:
        replies: dict[str, Any] = self.chat_generator.run(messages=messages, **more)
        return replies

    def to_dict(self) -> dict[str, Any]:
        parts = {
            "chat_generator": component_to_dict(self.chat_generator, "chat_generator"),
            "compactor": self.compactor.to_dict(),
        }
        return {"type": _name(self), "init_parameters": parts}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> CompactingGenerator:
        parts = data["init_parameters"]
        kind = import_class_by_name(parts["chat_generator"]["type"])
        generator = component_from_dict(kind, parts["chat_generator"], "chat_generator")
        return cls(generator, FoldlineCompactor.from_dict(parts["compactor"]))


def _name(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__name__}"


def _to_dicts(message: ChatMessage) -> list[MessageDict]:
    return [message.to_openai_dict_format(require_tool_call_ids=False)]

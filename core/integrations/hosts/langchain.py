"""A middleware for agents of LangChain and deepagents."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import (
    BaseMessage,
    RemoveMessage,
    convert_to_messages,
    convert_to_openai_messages,
)
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from core.integrations.hosts.history_compactor import HistoryCompactor, MessageDict
from core.strategies.names import EXCERPT

__all__ = ["CompactionMiddleware"]


class CompactionMiddleware(AgentMiddleware):  # type: ignore[misc]
    """Compacts the stored messages before a call of the model; for ``options`` see
    HistoryCompactor.

    A request that its system prompt and tools make too long, or that the provider refuses as too
    long, is compacted as well; the stored messages follow before the next call."""

    def __init__(self, strategy: str = EXCERPT, **options: Any) -> None:
        super().__init__()
        self._compactor: HistoryCompactor[BaseMessage] = HistoryCompactor(
            strategy, **options
        )

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        messages = self._compactor.compacted(state["messages"], _to_dicts, _from_dict)
        if messages is None:
            return None
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *messages]}

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return await asyncio.to_thread(self.before_model, state, runtime)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        request = self._fitting(request)
        try:
            return handler(request)
        except Exception as error:
            shorter = self._shorter(error, request)
            if shorter is None:
                raise
        return handler(request.override(messages=shorter))

    async def awrap_model_call(
        self, request: Any, handler: Callable[[Any], Awaitable[Any]]
    ) -> Any:
        request = await asyncio.to_thread(self._fitting, request)
        try:
            return await handler(request)
        except Exception as error:
            shorter = await asyncio.to_thread(self._shorter, error, request)
            if shorter is None:
                raise
        return await handler(request.override(messages=shorter))

    def _fitting(self, request: Any) -> Any:
        """Return the request with what only it has counted: the system prompt and the tools."""
        shorter = self._compactor.compacted(
            request.messages, _to_dicts, _from_dict, **_beside(request)
        )
        return request if shorter is None else request.override(messages=shorter)

    def _shorter(self, error: Exception, request: Any) -> list[BaseMessage] | None:
        return self._compactor.compacted_after(
            error, request.messages, _to_dicts, _from_dict, **_beside(request)
        )


def _beside(request: Any) -> dict[str, Any]:
    return {
        "system": request.system_prompt or "",
        "tools": [convert_to_openai_tool(tool) for tool in request.tools],
    }


def _to_dicts(message: BaseMessage) -> list[MessageDict]:
    return [convert_to_openai_messages(message)]


def _from_dict(item: MessageDict) -> BaseMessage:
    return convert_to_messages([item])[0]

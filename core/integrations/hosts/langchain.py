"""A middleware for agents of LangChain and deepagents."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import (
    BaseMessage,
    RemoveMessage,
    convert_to_messages,
    convert_to_openai_messages,
)
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from core.integrations.hosts.history_compactor import HistoryCompactor, MessageDict
from core.strategies.names import EXCERPT


class CompactionMiddleware(AgentMiddleware):  # type: ignore[misc]
    """Compacts the stored messages before a call of the model; for ``options`` see
    HistoryCompactor."""

    def __init__(self, strategy: str = EXCERPT, **options: Any) -> None:
        super().__init__()
        self._compactor: HistoryCompactor[BaseMessage] = HistoryCompactor(strategy, **options)

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        messages = self._compactor.compacted(state["messages"], _to_dicts, _from_dict)
        if messages is None:
            return None
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *messages]}

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return await asyncio.to_thread(self.before_model, state, runtime)


def _to_dicts(message: BaseMessage) -> list[MessageDict]:
    return [convert_to_openai_messages(message)]


def _from_dict(item: MessageDict) -> BaseMessage:
    return convert_to_messages([item])[0]

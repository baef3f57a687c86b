"""A filter of the model's input for agents of openai-agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents import FunctionTool
from agents.run import CallModelData, ModelInputData

from core.integrations.hosts.history_compactor import HistoryCompactor, MessageDict
from core.strategies.names import EXCERPT


def compact_input(
    strategy: str = EXCERPT, **options: Any
) -> Callable[[CallModelData[Any]], ModelInputData]:
    """Return the filter ``RunConfig(call_model_input_filter=compact_input(...))``.

    It shortens what is sent; the stored session stays whole. For ``options`` see HistoryCompactor.
    """
    compactor: HistoryCompactor[Any] = HistoryCompactor(strategy, **options)

    def compact(data: CallModelData[Any]) -> ModelInputData:
        model_data = data.model_data
        tools = [
            {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.params_json_schema,
            }
            for tool in data.agent.tools
            if isinstance(tool, FunctionTool)
        ]
        items = compactor.compacted(
            model_data.input,
            _to_dicts,
            lambda item: item,
            system=model_data.instructions or "",
            tools=tools,
        )
        return (
            model_data
            if items is None
            else ModelInputData(input=items, instructions=model_data.instructions)
        )

    return compact


def _to_dicts(item: Any) -> list[MessageDict]:
    return [dict(item)]

"""A filter of the model's input for agents of openai-agents (agents.md section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.run import CallModelData, ModelInputData

from core.integrations.hosts.history_compactor import HistoryCompactor, MessageDict


def compact_input(strategy: str, **options: Any) -> Callable[[CallModelData[Any]], ModelInputData]:
    """Return the filter ``RunConfig(call_model_input_filter=compact_input(...))``.

    It shortens what is sent; the stored session stays whole. For ``options`` see HistoryCompactor.
    """
    compactor = HistoryCompactor(strategy, **options)

    def compact(data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data
        items = compactor.compacted(given.input, _to_dicts, lambda item: item)
        return given if items is None else ModelInputData(input=items, instructions=given.instructions)

    return compact


def _to_dicts(item: Any) -> list[MessageDict]:
    return [dict(item)]

"""A filter of the model's input for agents of openai-agents."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

from agents import FunctionTool, Model, ModelResponse
from agents.run import CallModelData, ModelInputData

from core.integrations.hosts.history_compactor import HistoryCompactor, MessageDict
from core.strategies.names import EXCERPT

__all__ = ["CompactingModel", "InputFilter", "compact_input"]


class InputFilter:
    """A ``call_model_input_filter``; it shortens what is sent, and the stored session stays whole.
    For ``options`` see HistoryCompactor."""

    def __init__(self, strategy: str = EXCERPT, **options: Any) -> None:
        self._compactor: HistoryCompactor[Any] = HistoryCompactor(strategy, **options)

    def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        model_data = data.model_data
        items = self._compactor.compacted(
            model_data.input,
            _to_dicts,
            _as_it_is,
            system=model_data.instructions or "",
            tools=_tools(data.agent.tools),
        )
        if items is None:
            return model_data
        return ModelInputData(input=items, instructions=model_data.instructions)

    def retrying(self, model: Model) -> CompactingModel:
        """Return the model such that a request which its provider refuses as too long is compacted
        and sent once more."""
        return CompactingModel(model, self._compactor)


def compact_input(strategy: str = EXCERPT, **options: Any) -> InputFilter:
    """Return the filter ``RunConfig(call_model_input_filter=compact_input(...))``; for ``options``
    see HistoryCompactor."""
    return InputFilter(strategy, **options)


class CompactingModel(Model):  # type: ignore[misc]
    """A model whose request is compacted after the answer that it is too long."""

    def __init__(self, model: Model, compactor: HistoryCompactor[Any]) -> None:
        self._model, self._compactor = model, compactor

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[Any],
        *arguments: Any,
        **more: Any,
    ) -> ModelResponse:
        call = partial(self._model.get_response, system_instructions)
        try:
            return await call(input, *arguments, **more)
        except Exception as error:
            shorter = await self._shorter(error, input)
            if shorter is None:
                raise
        return await call(shorter, *arguments, **more)

    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[Any],
        *arguments: Any,
        **more: Any,
    ) -> AsyncIterator[Any]:
        """As ``get_response``; what was streamed before an error is not taken back, so only a
        request that was refused before its first event is sent once more."""
        call = partial(self._model.stream_response, system_instructions)
        is_begun = False
        try:
            async for event in call(input, *arguments, **more):
                is_begun = True
                yield event
            return
        except Exception as error:
            if is_begun:
                shorter = None
            else:
                shorter = await self._shorter(error, input)
            if shorter is None:
                raise
        async for event in call(shorter, *arguments, **more):
            yield event

    async def close(self) -> None:
        await self._model.close()

    async def _shorter(
        self, error: Exception, given: str | list[Any]
    ) -> list[Any] | None:
        if isinstance(given, str):
            return None
        return await asyncio.to_thread(
            self._compactor.compacted_after, error, given, _to_dicts, _as_it_is
        )


def _tools(tools: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.params_json_schema,
        }
        for tool in tools
        if isinstance(tool, FunctionTool)
    ]


def _as_it_is(item: Any) -> Any:
    return item


def _to_dicts(item: Any) -> list[MessageDict]:
    return [dict(item)]

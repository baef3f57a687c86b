"""A processor of the history for agents of pydantic-ai."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai import messages as host
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import RetryModelRequest

from core.common.json_value import Json
from core.formats.anthropic_blocks import plain_text
from core.integrations.hosts.history_compactor import (
    HistoryCompactor,
    MessageDict,
    assistant_dict,
    tool_call_dict,
    unread_blocks,
)
from core.strategies.names import EXCERPT

_ANSWER_PART: TypeAdapter[Any] = TypeAdapter(host.ModelResponsePart)
_USER_CONTENT: TypeAdapter[Any] = TypeAdapter(host.UserContent)


__all__ = ["CompactHistory", "compact_history"]


class CompactHistory(AbstractCapability[Any]):  # type: ignore[misc]
    """Compacts the history of a run before a request; for ``options`` see HistoryCompactor.

    A request that the provider refuses as too long is compacted and sent once more.
    """

    def __init__(self, strategy: str = EXCERPT, **options: Any) -> None:
        self._compactor: HistoryCompactor[Any] = HistoryCompactor(strategy, **options)

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        return await self._with_shorter_history(ctx, request_context)

    async def prepare_model_request(self, ctx: Any, request_context: Any) -> Any:
        """Before an attempt: after an error the messages are again what they were, and the result
        of the compaction after it is what the compactor remembers of them."""
        if request_context.attempt == 1:
            return request_context
        return await self._with_shorter_history(ctx, request_context)

    async def on_model_request_error(
        self, ctx: Any, *, request_context: Any, error: Exception
    ) -> Any:
        if request_context.attempt > 1:
            raise error
        messages = list(request_context.messages)
        shorter = await asyncio.to_thread(
            self._compactor.compacted_after,
            error,
            messages,
            _to_dicts,
            _from_dict_of(messages),
        )
        if shorter is None:
            raise error
        raise RetryModelRequest from error

    async def _with_shorter_history(self, ctx: Any, request_context: Any) -> Any:
        """Make the shorter messages those of the request, and of the run from then on."""
        shorter = await asyncio.to_thread(
            self.compacted, list(request_context.messages)
        )
        if shorter is not None:
            request_context.messages = list(shorter)
            ctx.messages[:] = shorter
        return request_context

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """None: functions among the options cannot be written into a file."""
        return None

    def compacted(self, messages: list[Any]) -> list[Any] | None:
        return self._compactor.compacted(messages, _to_dicts, _from_dict_of(messages))


def compact_history(strategy: str = EXCERPT, **options: Any) -> CompactHistory:
    """Return the capability ``Agent(capabilities=[compact_history(...)])``; for ``options`` see
    HistoryCompactor."""
    return CompactHistory(strategy, **options)


def _from_dict_of(messages: list[Any]) -> Callable[[MessageDict], Any]:
    names = {
        part.tool_call_id: part.tool_name
        for message in messages
        for part in message.parts
        if isinstance(part, host.ToolCallPart)
    }
    return lambda item: _from_dict(item, names)


def _to_dicts(message: Any) -> list[MessageDict]:
    if isinstance(message, host.ModelRequest):
        return list(_request_dicts(message))
    parts = [
        _compaction_block(part)
        if isinstance(part, host.CompactionPart)
        else _block(part, _ANSWER_PART)
        for part in message.parts
        if not isinstance(part, host.TextPart | host.ToolCallPart)
    ]
    texts = [part.content for part in message.parts if isinstance(part, host.TextPart)]
    calls = [
        tool_call_dict(part.tool_call_id, part.tool_name, part.args_as_json_str())
        for part in message.parts
        if isinstance(part, host.ToolCallPart)
    ]
    said = assistant_dict("\n".join(texts), calls)
    if not parts:
        return [said]
    content: list[Json] = [{"type": "text", "text": text} for text in texts]
    return [{**said, "content": [*parts, *content]}]


def _block(part: Any, adapter: TypeAdapter[Any]) -> Json:
    """Return a part that no message of the API can hold, so that ``_part`` makes it again."""
    fields = adapter.dump_python(part, mode="json")
    return {
        "type": str(fields.get("part_kind") or fields.get("kind")),
        "pydantic_ai": fields,
    }


def _parts(content: Json, adapter: TypeAdapter[Any]) -> list[Any]:
    blocks = [block for block in unread_blocks(content) if "pydantic_ai" in block]
    return [adapter.validate_python(block["pydantic_ai"]) for block in blocks]


def _compaction_block(part: Any) -> Json:
    """Return the block of a compaction by the provider, which stands for what was said before it;
    its content may be encrypted."""
    if part.provider_details:
        details = {"provider_details": part.provider_details}
    else:
        details = {}
    return {"type": "compaction", "content": part.content, **details}


def _request_dicts(message: Any) -> Iterator[MessageDict]:
    for part in message.parts:
        match part:
            case host.SystemPromptPart():
                yield {"role": "system", "content": part.content}
            case host.ToolReturnPart():
                yield _result_dict(part, part.model_response_str())
            case host.RetryPromptPart(tool_name=str()):
                yield _result_dict(part, part.model_response())
            case host.RetryPromptPart():
                yield {"role": "user", "content": part.model_response()}
            case host.UserPromptPart():
                yield {"role": "user", "content": _user_content(part.content)}
            case _:  # changes of tools, instructions or settings; later versions may have others
                yield {"role": "user", "content": _part_text(part)}


def _result_dict(part: Any, text: str) -> MessageDict:
    return {"role": "tool", "tool_call_id": part.tool_call_id, "content": text}


def _user_content(content: Any) -> Json:
    if isinstance(content, str):
        return content
    if all(isinstance(item, str) for item in content):
        return "\n".join(content)
    return [
        {"type": "text", "text": item}
        if isinstance(item, str)
        else _block(item, _USER_CONTENT)
        for item in content
    ]


_IGNORED = ("part_kind", "tool_call_id", "timestamp", "base_hash")


def _part_text(part: Any) -> str:
    """Return the words of a part that is neither a prompt nor a result: its content, else its
    fields."""
    if isinstance(content := getattr(part, "content", None), str):
        return content
    values = {
        name: value
        for name, value in vars(part).items()
        if name not in _IGNORED and value
    }
    return f"[{type(part).__name__}] {json.dumps(values, default=_fields)}"


def _fields(value: Any) -> Json:
    if hasattr(value, "__dict__"):
        return vars(value)
    return str(value)


def _from_dict(item: MessageDict, names: dict[str, str]) -> Any:
    text = plain_text(item["content"] or "")
    match item["role"]:
        case "system":
            return host.ModelRequest(parts=[host.SystemPromptPart(text)])
        case "tool":
            call_id = str(item["tool_call_id"])
            part = host.ToolReturnPart(
                names.get(call_id, ""), text, tool_call_id=call_id
            )
            return host.ModelRequest(parts=[part])
        case "assistant":
            calls = [
                host.ToolCallPart(
                    call["function"]["name"], call["function"]["arguments"], call["id"]
                )
                for call in item.get("tool_calls") or ()
            ]
            others = _parts(item["content"], _ANSWER_PART)
            return host.ModelResponse(
                parts=[*others, *([host.TextPart(text)] if text else []), *calls]
            )
        case _:
            others = _parts(item["content"], _USER_CONTENT)
            prompt: Any = text
            if others:
                if text:
                    prompt = [text, *others]
                else:
                    prompt = others
            return host.ModelRequest(parts=[host.UserPromptPart(prompt)])

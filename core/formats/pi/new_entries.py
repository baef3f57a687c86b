"""Builds the messages of new entries of a Pi session, and the content of edited ones."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from core.common.json_value import MISSING, Json
from core.common.number_format import to_milliseconds
from core.formats.writing.export_messages import ExportLosses
from core.formats.writing.plain_text import (
    as_text,
    code_as_text,
    count_error_losses,
    dump_json,
    fields_without_notes,
    object_arguments,
    opaque_json,
    provider_of_model,
    split_data_url,
)
from core.transcript.model import (
    Block,
    Media,
    Message,
    MessageFlag,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import answer_parts

NO_TIME = "1970-01-01T00:00:00.000Z"
_SIGNATURES = ("thinkingSignature", "signature", "thoughtSignature")
_APIS = {
    "anthropic": "anthropic-messages",
    "google": "google-generative-ai",
    "openai": "openai-completions",
}
"""The API that Pi uses for the models of a provider."""


@dataclass(frozen=True, slots=True)
class PiEntryInput:
    """Values for new entries: model, and time of the entry before."""

    api: str
    provider: str
    model: str
    time: str = NO_TIME


def new_entry_input(model: str) -> PiEntryInput:
    provider = provider_of_model(model)
    return PiEntryInput(_APIS[provider], provider, model)


def new_messages(
    message: Message, inputs: PiEntryInput, losses: ExportLosses
) -> Iterator[dict[str, Json]]:
    """Yield Pi's messages for a message: one for each response, one for the rest."""
    time = to_milliseconds(message.timestamp or inputs.time)
    responses = [block for block in message.blocks if isinstance(block, ToolResponse)]
    others = [block for block in message.blocks if not isinstance(block, ToolResponse)]
    is_empty = not responses
    if message.speaker is Speaker.AI:
        if content := pi_content(others, same_format=False, losses=losses):
            yield _assistant(content, inputs, time)
            is_empty = False
        others = []
    for number, response in enumerate(responses, 1):
        is_last = number == len(responses)
        images = [block for block in others if isinstance(block, Media)] if is_last else []
        yield {
            "role": "toolResult",
            "toolCallId": response.call_id,
            "toolName": response.name,
            "content": result_content(response, images, same_format=False, losses=losses),
            "isError": response.error is not MISSING,
            "timestamp": time,
        }
    if responses:
        others = [block for block in others if not isinstance(block, Media)]
    if message.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
        losses.count_changed(f"{message.speaker.value} message as user")
    if content := pi_content(others, same_format=False, losses=losses):
        yield _user_or_summary(message, content, time)
    elif is_empty:
        losses.count_left_out("message without content")


def _user_or_summary(message: Message, content: list[Json], time: int | None) -> dict[str, Json]:
    if message.flags & MessageFlag.RECORDED_SUMMARY:
        summary = as_text(content)
        return {
            "role": "compactionSummary",
            "summary": summary,
            "tokensBefore": 0,
            "timestamp": time,
        }
    return {"role": "user", "content": content, "timestamp": time}


def _assistant(content: list[Json], inputs: PiEntryInput, time: int | None) -> dict[str, Json]:
    has_calls = any(isinstance(part, dict) and part.get("type") == "toolCall" for part in content)
    no_cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    return {
        "role": "assistant",
        "content": content,
        "api": inputs.api,
        "provider": inputs.provider,
        "model": inputs.model,
        "usage": {**no_cost, "totalTokens": 0, "cost": {**no_cost, "total": 0}},
        "stopReason": "toolUse" if has_calls else "stop",
        "timestamp": time,
    }


def pi_content(blocks: Iterable[Block], *, same_format: bool, losses: ExportLosses) -> list[Json]:
    """Return the content of a message; ``same_format``: its blocks came from a Pi message."""
    parts = (_block(block, same_format, losses) for block in code_as_text(blocks, losses))
    return [part for part in parts if part is not None]


def result_content(
    response: ToolResponse,
    other_blocks: Iterable[Block],
    *,
    same_format: bool,
    losses: ExportLosses,
) -> list[Json]:
    others = pi_content(other_blocks, same_format=same_format, losses=losses)
    if same_format and isinstance(response.result, list):
        return [*response.result, *others]
    if not same_format:
        count_error_losses(response, losses, counts_mark=False)
    parts = answer_parts(response)
    texts = [part.text for part in parts if isinstance(part, Text)]
    media = pi_content(
        [part for part in parts if isinstance(part, Media)], same_format=False, losses=losses
    )
    text: list[Json] = [{"type": "text", "text": "\n".join(texts)}] if texts or not media else []
    return [*text, *media, *others]


def _block(block: Block, same_format: bool, losses: ExportLosses) -> Json | None:
    value: dict[str, Json]
    match block:
        case Text():
            if not same_format and not block.text.strip():
                return None
            value = {"type": "text", "text": block.text}
        case Thinking():
            return _thinking(block, same_format)
        case ToolCall():
            arguments = {} if block.arguments in (None, MISSING) else block.arguments
            if arguments and not same_format:
                arguments = object_arguments(block, losses)
            value = {"type": "toolCall", "id": block.id, "name": block.name, "arguments": arguments}
        case Media():
            mime, data = split_data_url(block.mime, block.data)
            is_image = mime.startswith("image/") or not mime
            if not same_format and (not is_image or data.startswith("http")):
                losses.count_left_out(f"{mime} data" if mime else "linked image")
                caption = f": {block.caption}" if block.caption else ""
                return {"type": "text", "text": f"[{mime or 'image'}{caption}]"}
            value = {"type": "image", "data": data, "mimeType": mime or "image/png"}
        case _:
            assert isinstance(block, Opaque), "code became text"
            return opaque_json(block, same_format, losses)
    return {**value, **fields_without_notes(block.extra)} if same_format else value


def _thinking(block: Thinking, same_format: bool) -> Json:
    """Return thinking with Pi's one name for the signatures of all APIs."""
    value: dict[str, Json] = {"type": "thinking", "thinking": block.text}
    signature = next((block.extra[name] for name in _SIGNATURES if block.extra.get(name)), None)
    if signature is not None:
        value["thinkingSignature"] = signature
    others = {
        key: item
        for key, item in fields_without_notes(block.extra).items()
        if key not in _SIGNATURES
    }
    return {**value, **others} if same_format else value


def unused_id(value: Json, ids: Collection[Json], number: int = 0) -> str:
    """Return eight reproducible hexadecimal digits that no entry has; ``number`` is the first to
    try."""
    while (id_ := hashlib.sha256(dump_json([number, value])).hexdigest()[:8]) in ids:
        number += 1
    return id_

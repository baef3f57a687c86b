"""Builds entries of a Pi session from messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.common.json_value import MISSING, Json
from core.common.timestamps import to_milliseconds
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import as_text, code_text, own_fields, split_data_url
from core.formats.writing.tool_results import note_error
from core.transcript.model import (
    Block,
    Code,
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
from core.transcript.tool_result_content import answer_parts

NO_TIME = "1970-01-01T00:00:00.000Z"
_SIGNATURES = ("thinkingSignature", "signature", "thoughtSignature")
_APIS = (
    ("claude", "anthropic", "anthropic-messages"),
    ("gemini", "google", "google-generative-ai"),
    ("", "openai", "openai-completions"),
)
"""Start of a model's name, its provider, and the API that Pi uses for it."""


@dataclass(frozen=True, slots=True)
class PiEntryContext:
    """Values for new entries: model, and time of the entry before."""

    api: str
    provider: str
    model: str
    time: str = NO_TIME


def speaker_of(model: str) -> PiEntryContext:
    _, provider, api = next(row for row in _APIS if model.lower().startswith(row[0]))
    return PiEntryContext(api, provider, model)


def new_messages(
    message: Message, context: PiEntryContext, losses: ExportLosses
) -> Iterator[dict[str, Json]]:
    """Yield Pi's messages for a message: one for each response, one for the rest."""
    time = to_milliseconds(message.timestamp or context.time)
    responses = [block for block in message.blocks if isinstance(block, ToolResponse)]
    rest = [block for block in message.blocks if not isinstance(block, ToolResponse)]
    if message.speaker is Speaker.AI:
        content = pi_content(rest, same=False, losses=losses)
        if content:
            yield _assistant(content, context, time)
        elif not responses:
            losses.leave_out("message without content")
        rest = []
    for number, response in enumerate(responses):
        last = number == len(responses) - 1
        images = [block for block in rest if isinstance(block, Media)] if last else []
        rest = [block for block in rest if block not in images] if last else rest
        yield {
            "role": "toolResult",
            "toolCallId": response.call_id,
            "toolName": response.name,
            "content": result_content(response, images, same=False, losses=losses),
            "isError": response.error is not MISSING,
            "timestamp": time,
        }
    if message.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
        losses.change(f"{message.speaker.value} message as user")
    content = pi_content(rest, same=False, losses=losses)
    if content:
        yield _user_or_summary(message, content, time)
    elif message.speaker is not Speaker.AI and not responses:
        losses.leave_out("message without content")


def _user_or_summary(message: Message, content: list[Json], time: int | None) -> dict[str, Json]:
    if message.flags & MessageFlag.RECORDED_SUMMARY:
        summary = as_text(content)
        return {"role": "compactionSummary", "summary": summary, "tokensBefore": 0, "timestamp": time}
    return {"role": "user", "content": content, "timestamp": time}


def _assistant(content: list[Json], context: PiEntryContext, time: int | None) -> dict[str, Json]:
    calls = any(isinstance(part, dict) and part.get("type") == "toolCall" for part in content)
    free = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    return {
        "role": "assistant",
        "content": content,
        "api": context.api,
        "provider": context.provider,
        "model": context.model,
        "usage": {**free, "totalTokens": 0, "cost": {**free, "total": 0}},
        "stopReason": "toolUse" if calls else "stop",
        "timestamp": time,
    }


def pi_content(blocks: Iterable[Block], *, same: bool, losses: ExportLosses) -> list[Json]:
    """Return the content of a message; ``same``: its blocks came from a Pi message."""
    parts = (_block(block, same, losses) for block in blocks)
    return [part for part in parts if part is not None]


def result_content(
    response: ToolResponse, beside: Iterable[Block], *, same: bool, losses: ExportLosses
) -> list[Json]:
    if same and isinstance(response.result, list):
        return [*response.result, *pi_content(beside, same=True, losses=losses)]
    if not same:
        note_error(response, losses, mark=False)
    parts = answer_parts(response)
    texts = [part.text for part in parts if isinstance(part, Text)]
    media = pi_content([part for part in parts if isinstance(part, Media)], same=False, losses=losses)
    text: list[Json] = [{"type": "text", "text": "\n".join(texts)}] if texts or not media else []
    return [*text, *media, *pi_content(beside, same=same, losses=losses)]


def _block(block: Block, same: bool, losses: ExportLosses) -> Json | None:
    match block:
        case Text():
            value: dict[str, Json] = {"type": "text", "text": block.text}
            return _with_extra(value, block.extra, same) if same or block.text.strip() else None
        case Thinking():
            return _thinking(block, same)
        case ToolCall():
            arguments = {} if block.arguments in (None, MISSING) else block.arguments
            if not same and not isinstance(arguments, dict):
                losses.change("call arguments that are no object")
                arguments = {"arguments": arguments}
            value = {"type": "toolCall", "id": block.id, "name": block.name, "arguments": arguments}
            return _with_extra(value, block.extra, same)
        case Media():
            return _media(block, same, losses)
        case Code():
            losses.change("code block as text")
            return {"type": "text", "text": code_text(block)}
        case Opaque() if same:
            return block.raw
    losses.leave_out(getattr(block, "kind", "") or "unknown block")
    return None


def _with_extra(value: dict[str, Json], extra: Mapping[str, Json], same: bool) -> dict[str, Json]:
    return {**value, **own_fields(extra)} if same else value


def _thinking(block: Thinking, same: bool) -> Json:
    """Return thinking with Pi's one name for the signatures of all APIs."""
    value: dict[str, Json] = {"type": "thinking", "thinking": block.text}
    signature = next((block.extra[name] for name in _SIGNATURES if block.extra.get(name)), None)
    if signature is not None:
        value["thinkingSignature"] = signature
    others = {key: item for key, item in own_fields(block.extra).items() if key not in _SIGNATURES}
    return {**value, **others} if same else value


def _media(block: Media, same: bool, losses: ExportLosses) -> Json:
    mime, data = split_data_url(block.mime, block.data)
    if same or ((mime.startswith("image/") or not mime) and not data.startswith("http")):
        value = {"type": "image", "data": data, "mimeType": mime or "image/png"}
        return _with_extra(value, block.extra, same)
    losses.leave_out(f"{mime} data" if mime else "linked image")
    return {"type": "text", "text": f"[{mime or 'image'}{': ' + block.caption if block.caption else ''}]"}

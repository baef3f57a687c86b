"""Reader for OpenAI chat messages: a list, ``{messages}``, request and answer dumps, and JSONL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_parsing import list_of, nested, number_of, string_of
from core.formats.common.message_lists import conversation_records, detection_sample
from core.formats.openai_chat.messages import read_messages
from core.transcript.model import Conversation

_KEYS = ("messages", "items")
_ANSWERS = ("response", "raw_response")
"""Fields beside the messages that hold the answer to them."""
_PART_TYPES = ("text", "image_url", "input_audio", "file", "refusal")
_RESPONSE_ITEM_TYPES = (
    "function_call",
    "function_call_output",
    "reasoning",
    "compaction",
)
_FOREIGN_FIELDS = {
    "blocks",
    "parts",
}  # fields of messages of llxprt, and of Gemini and the AI SDK


def score(file: OpenedDocument) -> FormatScore:
    """Judge by roles, and by what only this format has: ``tool_calls`` and the roles around it."""
    sample = detection_sample(file, _KEYS)
    if not sample.has_records:
        return 0.0, ""
    if not sample.records:
        return 0.5, "an empty list of messages"
    objects = [
        value
        for value in sample.records
        if isinstance(value, dict) and not _FOREIGN_FIELDS & value.keys()
    ]
    if any(value.get("type") in _RESPONSE_ITEM_TYPES for value in objects):
        return 0.0, ""
    roles = sum(1 for value in objects if "role" in value)
    reason = f"role in {roles} of {len(sample.records)} {sample.unit}"
    signs = sorted({sign for value in objects for sign in _signs(value)})
    if signs:
        return 0.95 * (roles / len(sample.records)), f"{reason}, {', '.join(signs)}"
    plain = sum(
        1 for value in objects if "role" in value and not _has_foreign_part(value)
    )
    return 0.5 * (plain / len(sample.records)), reason


def _signs(message: Mapping[str, Json]) -> Iterator[str]:
    for name in ("tool_calls", "function_call"):
        if message.get(name):
            yield name
    if message.get("type") == "message":
        return  # an item of Responses, whose system message is one of its own
    if message.get("role") in ("tool", "function", "system", "developer"):
        yield f"role {message['role']}"


def _has_foreign_part(message: Mapping[str, Json]) -> bool:
    content = message.get("content")
    parts = list_of(content)
    return any(
        isinstance(part, dict) and part.get("type") not in _PART_TYPES for part in parts
    )


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Leading system and developer messages become the system part."""
    loaded = conversation_records(file, _KEYS, request)
    fields = loaded.fields
    tools = list_of(fields.get("tools") or fields.get("functions"))
    if any(nested(fields.get(name), "choices") for name in _ANSWERS) or fields.get(
        "choices"
    ):
        loaded.notes.warn(0, "the answer beside the messages (choices) was not read")
    return replace(
        loaded.conversation("openai_chat", read_messages(loaded), tools),
        model=string_of(
            fields.get("model") or nested(fields.get("response"), "model")
        ),  # a log has both
        reported_context=number_of(nested(fields.get("usage"), "prompt_tokens")),
    )


OPENAI_CHAT = Format(
    name="openai_chat",
    label="OpenAI chat",
    about="Chat Completions messages: a JSON list, {messages}, request dumps, or JSONL.",
    score=score,
    read=read,
)

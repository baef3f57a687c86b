"""Reader for OpenAI chat messages: a list, ``{messages}``, request and answer dumps, and JSONL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import list_of, nested, number_of, string_of
from core.formats.common.message_lists import ConversationRecords, conversation_records, detection_sample
from core.formats.openai_chat.messages import read_messages
from core.transcript.model import Conversation, SystemPart

_KEYS = ("messages",)
_PART_TYPES = ("text", "image_url", "input_audio", "file", "refusal")
_RESPONSE_ITEM_TYPES = ("function_call", "function_call_output", "reasoning", "compaction")
_FOREIGN_FIELDS = {"blocks", "parts"}  # fields of messages of llxprt, and of Gemini and the AI SDK


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by roles, and by what only this format has: ``tool_calls`` and the roles around it."""
    sample = detection_sample(opened, _KEYS)
    if not sample.has_records:
        return 0.0, ""
    if not sample.records:
        return 0.5, "an empty list of messages"
    objects = [
        value for value in sample.records if isinstance(value, dict) and not _FOREIGN_FIELDS & value.keys()
    ]
    if any(value.get("type") in _RESPONSE_ITEM_TYPES for value in objects):
        return 0.0, ""
    roles = sum(1 for value in objects if "role" in value)
    reason = f"role in {roles} of {len(sample.records)} {sample.unit}"
    signs = sorted({sign for value in objects for sign in _signs(value)})
    if signs:
        return 0.95 * (roles / len(sample.records)), f"{reason}, {', '.join(signs)}"
    plain = sum(1 for value in objects if "role" in value and not _has_foreign_part(value))
    return 0.5 * (plain / len(sample.records)), reason


def _signs(message: Mapping[str, Json]) -> Iterator[str]:
    for name in ("tool_calls", "function_call"):
        if message.get(name):
            yield name
    if message.get("role") in ("tool", "function", "system", "developer"):
        yield f"role {message['role']}"


def _has_foreign_part(message: Mapping[str, Json]) -> bool:
    content = message.get("content")
    parts = list_of(content)
    return any(isinstance(part, dict) and part.get("type") not in _PART_TYPES for part in parts)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Leading system and developer messages become the system part."""
    notes = ImportNotes()
    loaded = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(loaded.records)
    parsed = read_messages(loaded.records, notes)
    return Conversation(
        "openai_chat",
        opened.document,
        parsed.messages,
        SystemPart(parsed.system, _tools(loaded)),
        report=notes.report(),
        model=_model(loaded),
        reported_context=number_of(nested(loaded.fields.get("usage"), "prompt_tokens")),
        number=loaded.number,
        siblings=loaded.siblings,
        listed=loaded.listed,
        layout={**loaded.layout, "system": parsed.system_places},
    )


def _tools(loaded: ConversationRecords) -> tuple[Json, ...]:
    return tuple(list_of(loaded.fields.get("tools") or loaded.fields.get("functions")))


def _model(loaded: ConversationRecords) -> str:
    """Return the requested model, or the one that answered if a log holds the answer."""
    return string_of(loaded.fields.get("model") or nested(loaded.fields.get("response"), "model"))


OPENAI_CHAT = Format(
    "openai_chat",
    "OpenAI chat",
    "Chat Completions messages: a JSON list, {messages}, request dumps, or JSONL.",
    score,
    read,
)

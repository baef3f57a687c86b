"""Reader for LangChain messages: ``message_to_dict`` and ``dumpd`` lists, and LangGraph states.

A message has one of three shapes (formats.md section 25): ``{type, data}``, ``{lc, type: constructor, id,
kwargs}``, or the fields alone, as LangGraph's server writes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import parse_json_document
from core.formats.common.message_lists import ConversationRecords, conversation_records, detection_sample
from core.formats.common.source_bytes import read_range
from core.formats.common.tool_linking import link_calls
from core.formats.langchain.messages import message_fields, read_message
from core.transcript.model import Conversation, Message, Speaker, SystemPart, Text

_KEYS = ("messages",)
_STATE_KEYS = ("values", "channel_values")
_SHAPES: Mapping[str, float] = {"type and data": 0.95, "lc constructor": 0.98, "type and content": 0.6}


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the shapes of messages; the fields alone count less."""
    sample = detection_sample(_find_state(opened)[0], _KEYS)
    shapes = [shape for value in sample.records if (shape := _shape(value))]
    if not shapes:
        return 0.0, ""
    best_shape = max(shapes, key=lambda shape: _SHAPES[shape])
    share = len(shapes) / len(sample.records)
    return _SHAPES[
        best_shape
    ] * share, f"{best_shape} in {len(shapes)} of {len(sample.records)} {sample.unit}"


def _shape(value: Json) -> str:
    if not isinstance(value, dict) or message_fields(value) is None:
        return ""
    if value.get("lc"):
        return "lc constructor"
    if isinstance(value.get("data"), dict):
        return "type and data"
    return "" if "role" in value else "type and content"


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Leading system messages become the system part. Raises InputError."""
    notes = ImportNotes()
    state, path = _find_state(opened)
    raw = conversation_records(state, _KEYS, request, notes)
    notes.records = len(raw.records)
    messages: list[Message] = []
    texts: list[str] = []
    system: list[list[int]] = []
    for record in raw.records:
        message = read_message(record, notes)
        if message is None:
            continue
        if message.speaker is Speaker.SYSTEM and not messages:
            texts.append("\n".join(block.text for block in message.blocks if isinstance(block, Text)))
            system.append([record.line, record.start, record.end])
        else:
            messages.append(message)
    all_fields = [fields for record in raw.records if (fields := message_fields(record.value)) is not None]
    return Conversation(
        "langchain",
        opened.document,
        link_calls(messages, notes),
        SystemPart(tuple(texts)),
        report=notes.report(),
        model=_model(all_fields),
        session_id=_thread_id(raw),
        reported_context=_reported_context(all_fields),
        number=raw.number,
        siblings=raw.siblings,
        listed=raw.listed,
        layout={**raw.layout, "path": [*path, *raw.layout["path"]], "system": system},
    )


def _find_state(opened: OpenedDocument) -> tuple[OpenedDocument, tuple[str, ...]]:
    """Return the object with the messages, the document's own or a state in it, and its path."""
    root = opened.json
    if root is None or not isinstance(root.value, dict) or isinstance(root.value.get("messages"), list):
        return opened, ()
    for key in _STATE_KEYS:
        record = root.objects.get(key)
        if record is not None and isinstance(record.value.get("messages"), list):
            data = read_range(opened.document, record.start, record.end)
            inner = parse_json_document(data, line=record.line, start=record.start)
            return replace(opened, head=(inner.value,), json=inner), (key,)
    return opened, ()


def _thread_id(raw: ConversationRecords) -> str:
    return coerce_text(raw.fields.get("thread_id"))


def _model(all_fields: Sequence[Mapping[str, Json]]) -> str:
    for fields in reversed(all_fields):
        metadata = fields.get("response_metadata")
        if isinstance(metadata, dict):
            name = metadata.get("model_name") or metadata.get("model")
            if isinstance(name, str) and name:
                return name
    return ""


def _reported_context(all_fields: Sequence[Mapping[str, Json]]) -> int | None:
    for fields in reversed(all_fields):
        usage = fields.get("usage_metadata")
        tokens = usage.get("input_tokens") if isinstance(usage, dict) else None
        if isinstance(tokens, int) and not isinstance(tokens, bool):
            return tokens
    return None


LANGCHAIN = Format(
    "langchain",
    "LangChain",
    "Message dumps of LangChain and states of LangGraph with a list of messages.",
    score,
    read,
)

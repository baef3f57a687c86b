"""Reader for Gemini contents: ``{contents}`` of a request, a saved chat ``{history}``, or a bare list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text, other_fields, split_by_speaker
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes, unreadable_message
from core.formats.common.json_access import fields_of, list_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import ConversationRecords, conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.formats.gemini.parts import link_responses_by_name, read_parts
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    Speaker,
    SystemPart,
    Text,
)

_KEYS = ("contents", "clientHistory", "history")
_ROLES: Mapping[str, Speaker] = {
    "user": Speaker.HUMAN,
    "model": Speaker.AI,
    "function": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by entries with ``parts`` that have no ``type``, and roles user and model."""
    sample = detection_sample(opened, _KEYS)
    count = sum(1 for value in sample.records if _is_content(value))
    if count:
        share = count / len(sample.records)
        total = f"{len(sample.records)} {sample.unit}"
        return 0.96 * share, f"parts of a role user or model in {count} of {total}"
    first_object = opened.objects[0] if opened.objects else {}
    empty = sample.has_records and not sample.records and "contents" in first_object
    return (0.6, "an empty list of contents") if empty else (0.0, "")


def _is_content(value: Json) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("parts"), list):
        return False
    if value.get("role", "user") not in tuple(_ROLES) or "content" in value:
        return False
    return not any(isinstance(part, dict) and "type" in part for part in value["parts"])


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation; InputError for an unknown number."""
    notes = ImportNotes()
    raw = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(raw.records)
    messages = [message for record in raw.records for message in _messages(record, notes)]
    return Conversation(
        "gemini",
        opened.document,
        link_calls(link_responses_by_name(messages)),
        _system(raw, notes),
        report=notes.report(),
        model=coerce_text(raw.fields.get("model") or raw.fields.get("modelVersion")),
        number=raw.number,
        siblings=raw.siblings,
        listed=raw.listed,
        layout=raw.layout,
    )


def _system(raw: ConversationRecords, notes: ImportNotes) -> SystemPart:
    config = raw.fields.get("config")
    field_maps = (raw.fields, fields_of(config))
    texts: list[str] = []
    tools: list[Json] = []
    for fields in field_maps:
        prompt = fields.get("systemInstruction") or fields.get("system_instruction")
        parts = prompt.get("parts") if isinstance(prompt, dict) and "parts" in prompt else prompt
        texts += [block.text for block in read_parts(parts, notes, 1) if isinstance(block, Text)]
        tool_entries = fields.get("tools")
        tools += [function for tool in (list_of(tool_entries)) for function in _declared_functions(tool)]
    return SystemPart(tuple(texts), tuple(tools))


def _declared_functions(tool: Json) -> Iterator[Json]:
    """Yield the functions that an entry of ``tools`` declares; an entry of another kind unchanged."""
    names = ("functionDeclarations", "function_declarations")
    declared = next((tool[name] for name in names if name in tool), None) if isinstance(tool, dict) else None
    if isinstance(declared, list):
        yield from declared
    else:
        yield tool


def _messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    value = record.value
    if not isinstance(value, dict):
        return [unreadable_message(record, notes, "an entry")]
    role = value.get("role", "user")
    speaker = _ROLES.get(role, Speaker.UNKNOWN) if isinstance(role, str) else Speaker.UNKNOWN
    if speaker is Speaker.UNKNOWN:
        notes.warn(record.line, f"the role {str(role)[:40]!r} is not known; kept as unknown")
    blocks = read_parts(value.get("parts"), notes, record.line)
    known = {"parts"} | ({"role"} if speaker is not Speaker.UNKNOWN else set())
    extra = other_fields(value, known)
    parts_by_speaker = split_by_speaker(blocks) if speaker is Speaker.HUMAN else ((speaker, blocks),)
    return [
        _part_message(record, part, part_speaker, part_blocks, extra)
        for part, (part_speaker, part_blocks) in enumerate(parts_by_speaker)
    ]


def _part_message(
    record: JsonRecord, part: int, speaker: Speaker, blocks: tuple[Block, ...], extra: Mapping[str, Json]
) -> Message:
    opaque = any(isinstance(block, Opaque) for block in blocks)
    source = record.source(part)
    flags = MessageFlag.OPAQUE if opaque else MessageFlag.NONE
    return Message(speaker, blocks, (source,), flags, extra=extra or NO_EXTRA)


GEMINI = Format(
    "gemini",
    "Gemini contents",
    "Requests of the Gemini API ({contents, systemInstruction, tools}), and chats that Gemini CLI saved.",
    score,
    read,
    real_file_seen=False,
)

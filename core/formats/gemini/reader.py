"""Reader for Gemini contents: ``{contents}`` of a request, a saved chat ``{history}``, or a bare
list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    other_fields,
)
from core.formats.common.message_lists import conversation_records, detection_sample
from core.formats.common.messages import (
    ImportNotes,
    link_calls,
    record_messages,
    speaker_of,
    split_by_speaker,
    unreadable_message,
)
from core.formats.gemini.parts import link_responses_by_name, read_parts
from core.transcript.model import Conversation, Message, Speaker, Text

_KEYS = ("contents", "clientHistory", "history")
_ROLES: Mapping[str, Speaker] = {
    "user": Speaker.HUMAN,
    "model": Speaker.AI,
    "function": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}


def score(file: OpenedDocument) -> FormatScore:
    """Judge by entries with ``parts`` that have no ``type``, and roles user and model."""
    sample = detection_sample(file, _KEYS)
    if count := sum(map(_is_content, sample.records)):
        return 0.96 * sample.share(
            count
        ), f"parts of a role user or model in {sample.counted(count)}"
    if file.objects:
        first_object = file.objects[0]
    else:
        first_object = {}
    empty = sample.has_records and not sample.records and "contents" in first_object
    if empty:
        return (0.6, "an empty list of contents")
    return (0.0, "")


def _is_content(value: Json) -> bool:
    parts = nested(value, "parts")
    if (
        not isinstance(parts, list)
        or value.get("role", "user") not in tuple(_ROLES)
        or "content" in value
    ):
        return False
    return not any(isinstance(part, dict) and "type" in part for part in parts)


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    loaded = conversation_records(file, _KEYS, request)
    messages = [
        message
        for record in loaded.records
        for message in _messages(record, loaded.notes)
    ]
    tools: list[Json] = []
    for fields in (loaded.fields, fields_of(loaded.fields.get("config"))):
        prompt = fields.get("systemInstruction") or fields.get("system_instruction")
        if isinstance(prompt, dict):
            parts = prompt.get("parts", prompt)
        else:
            parts = prompt
        blocks = read_parts(parts, loaded.notes, 1)
        loaded.system_texts += [
            block.text for block in blocks if isinstance(block, Text)
        ]
        tools += [
            function
            for tool in list_of(fields.get("tools"))
            for function in _functions(tool)
        ]
    return replace(
        loaded.conversation(
            "gemini", link_calls(link_responses_by_name(messages)), tools
        ),
        model=coerce_text(
            loaded.fields.get("model") or loaded.fields.get("modelVersion")
        ),
    )


def _functions(tool: Json) -> Sequence[Json]:
    names = ("functionDeclarations", "function_declarations")
    if isinstance(tool, dict):
        declared = next((tool[name] for name in names if name in tool), None)
    else:
        declared = None
    if isinstance(declared, list):
        return declared
    return [tool]


def _messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    value = record.value
    if not isinstance(value, dict):
        return [unreadable_message(record, notes, "an entry is not an object")]
    speaker = speaker_of(value.get("role", "user"), _ROLES, notes, record.line)
    blocks = read_parts(value.get("parts"), notes, record.line)
    extra = other_fields(
        value, ("parts",) if speaker is Speaker.UNKNOWN else ("parts", "role")
    )
    return record_messages(
        record.source(), split_by_speaker(blocks, speaker), extra=extra
    )


GEMINI = Format(
    name="gemini",
    label="Gemini contents",
    about="Requests of the Gemini API ({contents, systemInstruction, tools}), and chats that Gemini CLI "
    "saved.",
    score=score,
    read=read,
    evidence=ReaderEvidence.DESCRIPTION,
)

"""Reader and exporter for Gemini contents: ``{contents}`` of a request, a saved chat ``{history}``,
or a bare list."""

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
from core.formats.gemini_parts import link_responses_by_name, parts_json, read_parts
from core.formats.writing.api_requests import (
    ApiMessageFormat,
    api_message_records,
    gemini_tools,
    merged_records,
)
from core.formats.writing.exporter import (
    GEMINI_FAMILY,
    ExportInput,
    ExportLosses,
)
from core.formats.writing.raw_json import json_exporter
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
    # An empty list says nothing; only its name is a sign, and only Gemini has this one.
    empty = sample.has_records and not sample.records and "contents" in first_object
    if empty:
        return (0.6, "an empty list of contents")
    return (0.0, "")


def _is_content(value: Json) -> bool:
    parts = nested(value, "parts")
    # Messages of other APIs have content, and may have parts beside it.
    if not isinstance(parts, list) or "content" in value:
        return False
    if value.get("role", "user") not in tuple(_ROLES):
        return False
    # Parts with a type are those of the AI SDK and of OpenTelemetry.
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
    # The REST API and the SDK of Python name it differently.
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
    # In a request with one content the role may be left out.
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


NAME = "gemini"
_RESULT_FIELDS = ("functionResponse", "function_response")


def _request(
    export_input: ExportInput, contents: Sequence[Json], losses: ExportLosses
) -> dict[str, Json]:
    system = export_input.conversation.system
    texts = {"systemInstruction": {"parts": [{"text": text} for text in system.texts]}}
    if system.tools:
        tools = gemini_tools(system.tools, losses)
    else:
        tools = []
    return {
        **(texts if system.texts else {}),
        "contents": list(contents),
        **({"tools": tools} if tools else {}),
    }


_MESSAGE_FORMAT = ApiMessageFormat(
    name=NAME,
    family=GEMINI_FAMILY,
    key="parts",
    model="model",
    content=lambda message, same_family, losses: parts_json(
        message.blocks, same_format=same_family, losses=losses
    ),
    is_result=lambda part: (
        isinstance(part, dict) and not part.keys().isdisjoint(_RESULT_FIELDS)
    ),
    text_part=lambda text: {"text": text},
    # "Requests ending with a model turn are not supported", of a text or an image beside a response
    # (deepnoodle-ai/dive#287, agentgateway/agentgateway#2811).
    keeps_results_apart=True,
)


def message_records(message: Message, same_family: bool) -> list[Json]:
    """Return what a request has for a message alone; ``same_family``: its blocks came from such
    parts."""
    return api_message_records(message, _MESSAGE_FORMAT, same_family)


EXPORTER = json_exporter(
    (NAME,),
    "Gemini contents",
    "Gemini",
    "A request for the Gemini API: systemInstruction, contents and tools.",
    records=lambda export_input, losses: merged_records(
        export_input, _MESSAGE_FORMAT, losses
    ),
    request=_request,
)

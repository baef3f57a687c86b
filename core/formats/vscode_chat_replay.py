"""Reader for chat replays of VS Code: prompts with their requests, tool calls and answers.

Each prompt is a conversation: the messages of its last request with tools, which includes earlier turns,
then the answer. Earlier requests of a prompt are beginnings of the last one; requests without tools (for a
title or a commit message) are not part of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import takewhile

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, number_of, other_fields
from core.formats.common.json_parsing import JsonRecord, parse_text
from core.formats.common.message_lists import check_number, first_words, inner_document
from core.formats.common.messages import BlockShape, link_calls, shaped_block, unreadable_message
from core.formats.openai_chat.messages import read_call
from core.transcript.model import (
    Block,
    Conversation,
    ListedConversation,
    Media,
    Message,
    Speaker,
    SystemPart,
    Text,
    ToolCall,
    ToolResponse,
    joined_text,
)

_SPEAKERS = (Speaker.SYSTEM, Speaker.HUMAN, Speaker.AI, Speaker.TOOL)
_ROLES: Mapping[Json, Speaker] = {
    **dict(enumerate(_SPEAKERS)),
    **dict(zip(("system", "user", "assistant", "tool"), _SPEAKERS, strict=True)),
}
_IMAGE, _TEXT, _BREAKPOINT = 0, 1, 3
_ID_SUFFIX = "__vscode"


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by prompts that each hold a log."""
    for value in opened.objects:
        prompts = value.get("prompts")
        if isinstance(prompts, list) and prompts and all(map(_is_prompt, prompts)):
            return 0.97, f"prompt and logs in {len(prompts)} of {len(prompts)} prompts"
    return 0.0, ""


def _is_prompt(value: Json) -> bool:
    return isinstance(value, dict) and "prompt" in value and isinstance(value.get("logs"), list)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read the conversation of one prompt; InputError for an unknown number."""
    all_prompts = opened.json.arrays.get("prompts", ()) if opened.json else ()
    prompts = [record for record in all_prompts if _is_prompt(record.value)]
    if not prompts:
        raise InputError(f'{opened.document.name} has no "prompts" with logs.', "Choose a chat replay file.")
    check_number(opened.document.name, request.conversation, len(prompts))
    notes, chosen = ImportNotes(), prompts[request.conversation - 1]
    last_request, later_calls = _last_request(inner_document(opened, chosen).arrays["logs"], notes)
    titles = [first_words(coerce_text(record.value["prompt"])) for record in prompts]
    listed = tuple(ListedConversation(*entry) for entry in enumerate(titles, 1))
    response: JsonRecord | None = None
    if last_request is None:
        text = Text(coerce_text(chosen.value["prompt"]))
        sent_messages = [Message(Speaker.HUMAN, (text,), (chosen.source(),))]
        metadata: Mapping[str, Json] = {}
    else:
        parts = inner_document(opened, last_request).objects
        records = inner_document(opened, parts["requestMessages"]).arrays["messages"]
        sent_messages = [_message(record, notes) for record in records]
        response, metadata = parts.get("response"), _metadata(last_request)
    system = list(takewhile(lambda message: message.speaker is Speaker.SYSTEM, sent_messages))
    answers = _answer_and_results(response, later_calls)
    return Conversation(
        "vscode_chat_replay",
        opened.document,
        link_calls([*sent_messages[len(system) :], *answers], notes),
        SystemPart(tuple(map(joined_text, system)), tuple(list_of(metadata.get("tools")))),
        report=notes.report(),
        model=coerce_text(metadata.get("model")),
        reported_context=number_of(nested(metadata, "usage", "prompt_tokens")),
        reported_limit=number_of(metadata.get("maxPromptTokens")),
        number=request.conversation,
        siblings=len(prompts),
        listed=listed if len(listed) > 1 else (),
        title=titles[request.conversation - 1],
    )


def _last_request(
    logs: Sequence[JsonRecord], notes: ImportNotes
) -> tuple[JsonRecord | None, list[JsonRecord]]:
    requests = [n for n, record in enumerate(logs) if isinstance(_request_messages(record), list)]
    requests_with_tools = [n for n in requests if _metadata(logs[n]).get("tools")]
    chosen = (requests_with_tools or requests or [-1])[-1]
    later_calls: list[JsonRecord] = []
    for number, record in enumerate(logs):
        kind = coerce_text(nested(record.value, "kind"))
        notes.records += 1
        if number > chosen and kind == "toolCall":
            later_calls.append(record)
        elif number != chosen:
            notes.skip("earlier tool call" if kind == "toolCall" else kind or "unknown", line=record.line)
    return (logs[chosen] if chosen >= 0 else None), later_calls


def _request_messages(record: JsonRecord) -> Json:
    return nested(record.value, "requestMessages", "messages")


def _metadata(request: JsonRecord) -> Mapping[str, Json]:
    return fields_of(nested(request.value, "metadata"))


def _answer_and_results(response: JsonRecord | None, later_calls: Sequence[JsonRecord]) -> list[Message]:
    message = response.value.get("message") if response is not None else None
    parts = message if isinstance(message, list) else [message]
    text = "".join(part for part in parts if isinstance(part, str))
    blocks: list[Block] = [Text(text)] if text else []
    answers: list[Message] = []
    for record in later_calls:
        call, tool_response = _logged_call(record.value)
        blocks.append(call)
        answers.append(Message(Speaker.TOOL, (tool_response,), (record.source(),)))
    first = next(filter(None, (response, *later_calls)), None)
    if first is None or not blocks:
        return answers
    return [Message(Speaker.AI, tuple(blocks), (first.source(),)), *answers]


def _logged_call(value: Mapping[str, Json]) -> tuple[ToolCall, ToolResponse]:
    """Read a logged tool call without the suffix that VS Code adds to its id."""
    id_, name = coerce_text(value.get("id")).split(_ID_SUFFIX)[0], coerce_text(value.get("tool"))
    arguments, answer = value.get("args"), value.get("response")
    with suppress(ValueError):
        arguments = parse_text(arguments) if isinstance(arguments, str) else arguments
    parts = answer if isinstance(answer, list) else [answer]
    texts = [part for part in parts if isinstance(part, str)]
    result: Json = "\n".join(texts) if len(texts) == len(parts) else answer
    return ToolCall(id_, name, arguments), ToolResponse(id_, name, "" if result is None else result)


def _message(record: JsonRecord, notes: ImportNotes) -> Message:
    value = record.value
    if not isinstance(value, dict):
        return unreadable_message(record, notes)
    role, content = value.get("role"), value.get("content")
    speaker = _ROLES.get(role) if isinstance(role, int | str) else None
    if speaker is None:
        notes.warn(record.line, f"the role {str(role)[:40]!r} is not known; kept as unknown")
    blocks = _parts(content)
    if speaker is Speaker.TOOL:
        texts = [block.text for block in blocks if isinstance(block, Text)]
        result = "\n".join(texts) if len(texts) == len(blocks) else content
        blocks = (ToolResponse(coerce_text(value.get("toolCallId")), "", result),)
    calls = (read_call(call, notes, record.line) for call in list_of(value.get("toolCalls")))
    extra = other_fields(value, ("role", "content", "toolCalls", "toolCallId"))
    return Message(speaker or Speaker.UNKNOWN, (*blocks, *calls), (record.source(),), extra=extra)


def _parts(content: Json) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(content),) if content else ()
    blocks = [_part(part) for part in list_of(content) if nested(part, "type") != _BREAKPOINT]
    return tuple(block for block in blocks if not isinstance(block, Text) or block.text)


_PARTS = {str(_TEXT): BlockShape(Text, ("text",), required=("text",))}


def _part(part: Json) -> Block:
    image = fields_of(nested(part, "imageUrl"))
    if nested(part, "type") == _IMAGE and isinstance(image.get("url"), str):
        extra = other_fields(part, ("type", "imageUrl"))
        return Media(coerce_text(image.get("mediaType")), image["url"], "", extra)
    return shaped_block(part, _PARTS)


VSCODE_CHAT_REPLAY = Format(
    "vscode_chat_replay",
    "VS Code chat replay",
    "Chat replays of VS Code's Copilot: each prompt a conversation, as its last request sent it.",
    score,
    read,
    read_only=ReadOnly.RECORD,
)

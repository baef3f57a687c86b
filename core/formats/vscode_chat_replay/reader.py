"""Reader for chat replays of VS Code: prompts with their requests, tool calls and answers.

Each prompt is a conversation: the messages of its last request with tools, which includes earlier turns,
then the answer. Earlier requests of a prompt are beginnings of the last one; requests without tools (for a
title or a commit message) are not part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text, other_fields
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes, unreadable_message
from core.formats.common.json_access import fields_of, list_of, nested, number_of
from core.formats.common.json_parsing import JsonDocument, JsonRecord, parse_json_document, parse_text
from core.formats.common.message_lists import check_number, first_words
from core.formats.common.open_document import read_range
from core.formats.common.tool_linking import link_calls
from core.formats.openai_chat.messages import read_call
from core.transcript.model import (
    Block,
    Conversation,
    ListedConversation,
    Media,
    Message,
    Opaque,
    Speaker,
    SystemPart,
    Text,
    ToolCall,
    ToolResponse,
)

_ROLES: Mapping[Json, Speaker] = {
    0: Speaker.SYSTEM,
    1: Speaker.HUMAN,
    2: Speaker.AI,
    3: Speaker.TOOL,
    "system": Speaker.SYSTEM,
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
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
    prompts = opened.json.arrays.get("prompts", ()) if opened.json else ()
    prompts_with_logs = [record for record in prompts if _is_prompt(record.value)]
    if not prompts_with_logs:
        raise InputError(f'{opened.document.name} has no "prompts" with logs.', "Choose a chat replay file.")
    notes = ImportNotes()
    check_number(opened.document.name, request.conversation, len(prompts_with_logs))
    chosen = prompts_with_logs[request.conversation - 1]
    last_request, later_calls = _last_request(_parse_record(opened, chosen).arrays["logs"], notes)
    records = _sent_records(opened, last_request) if last_request else ()
    sent_messages = (
        [_message(record, notes) for record in records] if last_request else [_prompt_message(chosen)]
    )
    leading = next(
        (index for index, m in enumerate(sent_messages) if m.speaker is not Speaker.SYSTEM),
        len(sent_messages),
    )
    metadata = _metadata(last_request)
    return Conversation(
        "vscode_chat_replay",
        opened.document,
        link_calls(
            [*sent_messages[leading:], *_answer_and_results(opened, last_request, later_calls)], notes
        ),
        SystemPart(tuple(map(_text, sent_messages[:leading])), tuple(list_of(metadata.get("tools")))),
        report=notes.report(),
        model=coerce_text(metadata.get("model")),
        reported_context=number_of(nested(metadata, "usage", "prompt_tokens")),
        reported_limit=number_of(metadata.get("maxPromptTokens")),
        number=request.conversation,
        siblings=len(prompts_with_logs),
        listed=tuple(_list_entries(prompts_with_logs)) if len(prompts_with_logs) > 1 else (),
        title=first_words(coerce_text(chosen.value["prompt"])),
    )


def _list_entries(prompts: Sequence[JsonRecord]) -> Iterator[ListedConversation]:
    for number, record in enumerate(prompts, 1):
        yield ListedConversation(number, first_words(coerce_text(record.value["prompt"])))


def _parse_record(opened: OpenedDocument, record: JsonRecord) -> JsonDocument:
    data = read_range(opened.document, record.start, record.end)
    return parse_json_document(data, line=record.line, start=record.start)


def _last_request(
    logs: Sequence[JsonRecord], notes: ImportNotes
) -> tuple[JsonRecord | None, list[JsonRecord]]:
    """Return the last request with tools, else the last one, and the tool calls logged after it."""
    requests = [index for index, record in enumerate(logs) if _is_request(record.value)]
    requests_with_tools = [index for index in requests if _metadata(logs[index]).get("tools")]
    chosen = (requests_with_tools or requests or [-1])[-1]
    for index, record in enumerate(logs):
        kind = nested(record.value, "kind")
        notes.records += 1
        if index != chosen and not (index > chosen and kind == "toolCall"):
            skipped = "earlier tool call" if kind == "toolCall" else coerce_text(kind) or "unknown"
            notes.skip(skipped, line=record.line)
    later_calls = [record for record in logs[chosen + 1 :] if _is_call(record.value)]
    return (logs[chosen] if chosen >= 0 else None), later_calls


def _is_request(value: Json) -> bool:
    return isinstance(nested(value, "requestMessages", "messages"), list)


def _is_call(value: Json) -> bool:
    return isinstance(value, dict) and value.get("kind") == "toolCall"


def _metadata(request: JsonRecord | None) -> Mapping[str, Json]:
    return fields_of(nested(request.value, "metadata")) if request is not None else {}


def _sent_records(opened: OpenedDocument, request: JsonRecord) -> tuple[JsonRecord, ...]:
    return _parse_record(opened, _parse_record(opened, request).objects["requestMessages"]).arrays["messages"]


def _answer_and_results(
    opened: OpenedDocument, request: JsonRecord | None, later_calls: Sequence[JsonRecord]
) -> list[Message]:
    response = _parse_record(opened, request).objects.get("response") if request is not None else None
    text = _response_text(response.value) if response is not None else ""
    blocks: list[Block] = [Text(text)] if text else []
    answers: list[Message] = []
    for record in later_calls:
        call, tool_response = _logged_call(record.value)
        blocks.append(call)
        answers.append(Message(Speaker.TOOL, (tool_response,), (record.source(),)))
    first = response or (later_calls[0] if later_calls else None)
    if first is None or not blocks:
        return answers
    return [Message(Speaker.AI, tuple(blocks), (first.source(),)), *answers]


def _response_text(response: Mapping[str, Json]) -> str:
    message = response.get("message")
    parts = message if isinstance(message, list) else [message]
    return "".join(part for part in parts if isinstance(part, str))


def _logged_call(value: Mapping[str, Json]) -> tuple[ToolCall, ToolResponse]:
    """Read a logged tool call without the suffix that VS Code adds to its id."""
    id_ = coerce_text(value.get("id")).split(_ID_SUFFIX)[0]
    raw_arguments = value.get("args")
    try:
        arguments = parse_text(raw_arguments) if isinstance(raw_arguments, str) else raw_arguments
    except ValueError:
        arguments = raw_arguments
    name = coerce_text(value.get("tool"))
    answer = value.get("response")
    parts = answer if isinstance(answer, list) else [answer]
    texts = [part for part in parts if isinstance(part, str)]
    result: Json = "\n".join(texts) if len(texts) == len(parts) else answer
    return ToolCall(id_, name, arguments), ToolResponse(id_, name, "" if result is None else result)


def _prompt_message(record: JsonRecord) -> Message:
    return Message(Speaker.HUMAN, (Text(coerce_text(record.value["prompt"])),), (record.source(),))


def _message(record: JsonRecord, notes: ImportNotes) -> Message:
    value, source = record.value, (record.source(),)
    if not isinstance(value, dict):
        return unreadable_message(record, notes)
    role = value.get("role")
    speaker = _ROLES.get(role) if isinstance(role, int | str) else None
    if speaker is None:
        notes.warn(record.line, f"the role {str(role)[:40]!r} is not known; kept as unknown")
    blocks = _parts(value.get("content"))
    if speaker is Speaker.TOOL:
        blocks = (
            ToolResponse(coerce_text(value.get("toolCallId")), "", _result(value.get("content"), blocks)),
        )
    calls = value.get("toolCalls")
    if isinstance(calls, list):
        blocks = (*blocks, *(read_call(call, notes, record.line) for call in calls))
    extra = other_fields(value, ("role", "content", "toolCalls", "toolCallId"))
    return Message(speaker or Speaker.UNKNOWN, blocks, source, extra=extra)


def _parts(content: Json) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(content),) if content else ()
    parts = list_of(content)
    blocks = (_part(part) for part in parts if not _is_breakpoint(part))
    return tuple(block for block in blocks if not isinstance(block, Text) or block.text)


def _is_breakpoint(part: Json) -> bool:
    return isinstance(part, dict) and part.get("type") == _BREAKPOINT


def _part(part: Json) -> Block:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == _TEXT and isinstance(part.get("text"), str):
        return Text(part["text"], other_fields(part, ("type", "text")))
    image = part.get("imageUrl") if kind == _IMAGE else None
    if isinstance(image, dict) and isinstance(image.get("url"), str):
        return Media(
            coerce_text(image.get("mediaType")), image["url"], "", other_fields(part, ("type", "imageUrl"))
        )
    return Opaque(str(kind) if kind is not None else "unknown", part)


def _result(content: Json, blocks: Sequence[Block]) -> Json:
    if all(isinstance(block, Text) for block in blocks):
        return "\n".join(block.text for block in blocks if isinstance(block, Text))
    return content


def _text(message: Message) -> str:
    return "\n".join(block.text for block in message.blocks if isinstance(block, Text))


VSCODE_CHAT_REPLAY = Format(
    "vscode_chat_replay",
    "VS Code chat replay",
    "Chat replays of VS Code's Copilot: each prompt a conversation, as its last request sent it.",
    score,
    read,
)

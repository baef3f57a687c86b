"""Reader and exporter for OpenAI chat messages: a list, ``{messages}``, request and answer dumps,
and JSONL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from core.common.json_value import MISSING, Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_parsing import (
    fields_of,
    list_of,
    nested,
    number_of,
    string_of,
)
from core.formats.common.message_lists import conversation_records, detection_sample
from core.formats.openai_chat_messages import CALL_PART, ROLES, read_messages
from core.formats.writing.api_requests import openai_tools
from core.formats.writing.exporter import (
    ExportInput,
    ExportLosses,
    ExportMessage,
    results_after_calls,
)
from core.formats.writing.plain_text import (
    code_as_text,
    count_error_losses,
    data_url,
    dump_json,
    fields_without_notes,
    image_detail_field,
    opaque_json,
    result_media,
    single_text,
    split_data_url,
    texts_of_result,
)
from core.formats.writing.raw_json import json_exporter, pieces_with_records
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

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
# Fields of messages of llxprt, and of Gemini and the AI SDK.
_FOREIGN_FIELDS = {
    "blocks",
    "parts",
}


def score(file: OpenedDocument) -> FormatScore:
    """Judge by roles, and by what only this format has: ``tool_calls`` and the roles around it."""
    sample = detection_sample(file, _KEYS)
    if not sample.has_records:
        return 0.0, ""
    if not sample.records:
        # An empty list could belong to anyone, so every other sign wins.
        return 0.5, "an empty list of messages"
    objects = [
        value
        for value in sample.records
        if isinstance(value, dict) and not _FOREIGN_FIELDS & value.keys()
    ]
    # Items of Responses have roles, too, so one of their own types decides.
    if any(value.get("type") in _RESPONSE_ITEM_TYPES for value in objects):
        return 0.0, ""
    said = [value for value in objects if "role" in value]
    reason = f"role in {len(said)} of {len(sample.records)} {sample.unit}"
    signs = sorted({sign for value in objects for sign in _signs(value)})
    if signs:
        share = len(said) / len(sample.records)
        return 0.95 * share, f"{reason}, {', '.join(signs)}"
    plain = [value for value in said if not _has_foreign_part(value)]
    # Roles alone fit several formats; any other with a sign of its own must win.
    return 0.5 * (len(plain) / len(sample.records)), reason


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
        # The answer is a second record beside the list and would have no place in an export.
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


_PART_FIELDS = {"image_url": "url", "input_audio": "data", "file": "file_data"}


def content_json(
    blocks: Iterable[Block],
    *,
    same_format: bool,
    losses: ExportLosses,
    content_form: str | None = None,
) -> Json:
    """Return the ``content`` of a message: a text if that is all, a list of parts, or None.
    ``same_format``: the blocks came from such a message; ``content_form`` is the shape of its
    content ("string", "null", "absent"; None for a list)."""
    parts: list[Json] = []
    for block in code_as_text(blocks, losses):
        # Unknown content stands in for the whole list, so nothing can stand beside it.
        if isinstance(block, Opaque) and block.kind == "content" and same_format:
            return block.raw
        part = _part(block, same_format, losses)
        if part is not None:
            parts.append(part)
    if content_form is None:
        return parts
    if not parts:
        # An assistant message with calls alone has null here; an empty list is refused.
        return None
    text = single_text(parts)
    return parts if text is None else text


def _part(block: Block, same_format: bool, losses: ExportLosses) -> Json | None:
    match block:
        case Text():
            return _text(block, same_format)
        case Media():
            if same_format and "$source" in block.extra:
                return _source_media(block)
            return _media(block)

        case Thinking() if same_format and block.extra.get("$field") == "value":
            return {
                "type": "reasoning",
                "value": block.text,
                **fields_without_notes(block.extra),
            }
        case ToolCall() if same_format and _is_in_content_part(block):
            return {"type": CALL_PART, "value": dump_json(_named_call(block)).decode()}
        case Opaque() if block.kind != CALL_PART or _is_call_part(block):
            return opaque_json(block, same_format, losses)
    return None


def _text(block: Text, same_format: bool) -> Json | None:
    if not same_format:
        if block.text:
            return {"type": "text", "text": block.text}
        return None
    if block.extra.get("$string"):
        return block.text
    field = block.extra.get("$field")
    if field == "refusal":
        return {
            "type": "refusal",
            "refusal": block.text,
            **fields_without_notes(block.extra),
        }
    return {
        "type": "text",
        field or "text": block.text,
        **fields_without_notes(block.extra),
    }


def _source_media(block: Media) -> Json:
    kind = block.extra["$source"]
    inner = {
        **block.extra.get("$source_extra", {}),
        _PART_FIELDS.get(kind, "data"): block.data,
    }
    return {"type": kind, kind: inner, **fields_without_notes(block.extra)}


def _media(block: Media) -> Json:
    mime, data = split_data_url(block.mime, block.data)
    if mime.startswith("audio/"):
        return {
            "type": "input_audio",
            "input_audio": {"data": data, "format": mime.removeprefix("audio/")},
        }
    if mime and not mime.startswith("image/"):
        inner = {"file_data": data_url(mime, data)}
        return {
            "type": "file",
            "file": {**inner, **({"filename": block.caption} if block.caption else {})},
        }
    url = data_url(mime or "image/png", data)
    return {"type": "image_url", "image_url": {"url": url, **image_detail_field(block)}}


def calls_json(blocks: Iterable[Block], *, same_format: bool) -> dict[str, Json]:
    """Return ``tool_calls`` (or the old ``function_call``) of a message; empty if it has none."""
    calls: list[Json] = []
    for block in blocks:
        if isinstance(block, ToolCall) and not (
            same_format and _is_in_content_part(block)
        ):
            # Old and new fields cannot stand beside each other.
            if same_format and block.extra.get("$legacy"):
                return {"function_call": _function(block, same_format)}
            calls.append(_call(block, same_format))
        elif same_format and _is_unread_call(block):
            calls.append(block.raw)
    if calls:
        return {"tool_calls": calls}
    return {}


def _is_unread_call(block: Block) -> TypeGuard[Opaque]:
    """Return whether a block is an entry of ``tool_calls`` of a kind that is not known."""
    if not isinstance(block, Opaque):
        return False
    return block.kind == CALL_PART and not _is_call_part(block)


def _is_in_content_part(block: ToolCall) -> bool:
    """Return whether a call is in a content part (``read_parts`` of
    core.formats.openai_chat_messages)."""
    return block.extra.get("$field") == "value"


def _is_call_part(block: Opaque) -> bool:
    return isinstance(block.raw, dict) and block.raw.get("type") == CALL_PART


def _named_call(block: ToolCall) -> dict[str, Json]:
    return {
        "name": block.name,
        "arguments": block.arguments,
        **block.extra.get("$function", {}),
    }


def _call(block: ToolCall, same_format: bool) -> Json:
    value: dict[str, Json] = {
        "id": block.id,
        "type": "function",
        "function": _function(block, same_format),
    }
    if not same_format:
        return value
    extra = fields_without_notes(block.extra)
    if block.extra.get("$made_id"):
        del value["id"]
    if extra.get("type", "function") != "function":
        del value["function"]
    return {**value, **extra}


def _function(block: ToolCall, same_format: bool) -> Json:
    value: dict[str, Json] = {
        "name": block.name,
        "arguments": _arguments(block, same_format),
    }
    if same_format:
        return {**value, **block.extra.get("$function", {})}
    return value


def _arguments(block: ToolCall, same_format: bool) -> Json:
    """Return the source's own text if it still has the same value, else compact JSON."""
    if same_format and block.extra.get("$object"):
        return block.arguments
    original = block.extra.get("$arguments")
    # The model's own spacing keeps the prompt cache valid.
    if (
        same_format
        and isinstance(original, str)
        and _has_value(original, block.arguments)
    ):
        return original
    if isinstance(block.arguments, str) and same_format and original is not None:
        return block.arguments
    return dump_json(
        {} if block.arguments in (None, MISSING) else block.arguments
    ).decode()


def _has_value(text: str, value: Json) -> bool:
    try:
        # Newlines in a text are no JSON, but models write them.
        return bool(json.loads(text, strict=False) == value)
    except (ValueError, RecursionError):
        return bool(text == value)


def thoughts_json(
    blocks: Iterable[Block], *, same_format: bool, losses: ExportLosses
) -> dict[str, Json]:
    """Return the field with reasoning if the source had one; other thinking is left out."""
    fields: dict[str, Json] = {}
    for block in blocks:
        if isinstance(block, Thinking) and not (
            same_format and block.extra.get("$field") == "value"
        ):
            if same_format:
                field = block.extra.get("$field")
            else:
                # Reasoning of another format is not accepted by servers that know these fields.
                field = block.extra.get("sourceField")
            if field in ("reasoning_content", "reasoning"):
                fields[field] = block.text
            else:
                losses.count_left_out("thinking")
    return fields


NAME = "openai_chat"
_ROLES = {Speaker.AI: "assistant", Speaker.TOOL: "tool", Speaker.SYSTEM: "system"}


def _request(
    export_input: ExportInput, records: Sequence[Json], losses: ExportLosses
) -> dict[str, Json]:
    system, model = export_input.conversation.system, export_input.conversation.model
    value: dict[str, Json] = {"model": model} if model else {}
    value["messages"] = [
        *({"role": "system", "content": text} for text in system.texts),
        *records,
    ]
    return value | (
        {"tools": openai_tools(system.tools, losses)} if system.tools else {}
    )


def message_records(message: Message, same_family: bool) -> list[Json]:
    """Return what a request has for a message alone: one record for each result, then the rest."""
    losses = ExportLosses("")
    if message.speaker is Speaker.TOOL:
        return list(_tool_records(ExportMessage(message, None, False), None, losses))
    record = _record(message, None, losses)
    results = _tool_records(ExportMessage(message, None, False), None, losses)
    return [*results, *([] if record is None else [record])]


def _ordered_records(export_input: ExportInput, losses: ExportLosses) -> list[Json]:
    return list(
        results_after_calls(_records(export_input, losses), _api_role, _call_ids)
    )


def _records(export_input: ExportInput, losses: ExportLosses) -> Iterator[Json]:
    for piece, raw in pieces_with_records(export_input, NAME):
        if raw is not None and piece.is_unchanged:
            yield raw
        elif piece.message.speaker is Speaker.TOOL:
            yield from _tool_records(piece, raw, losses)
        else:
            results = list(_tool_records(piece, raw, losses))
            yield from results
            record = _record(piece.message, raw, losses)
            if record is not None:
                yield record
            elif not results:
                losses.count_left_out("message without content")


def _tool_records(
    piece: ExportMessage, raw: Json, losses: ExportLosses
) -> Iterator[Json]:
    """Yield one message per response, then one of the user with the rest: also images of results,
    which the API takes from users only."""
    responses = [
        block for block in piece.message.blocks if isinstance(block, ToolResponse)
    ]
    others: list[Block] = []
    for number, response in enumerate(responses):
        # Other fields of the record, such as a name, belong to its own result.
        if number == 0 and isinstance(raw, dict):
            yield _source_tool_record(response, raw)
            continue
        count_error_losses(response, losses, counts_mark=True)
        media = result_media(response)
        for _ in media:
            losses.count_changed("media of a tool result as user message")
        others += media
        yield {
            "role": "tool",
            "tool_call_id": response.call_id,
            "content": texts_of_result(response),
        }
    if piece.message.speaker is Speaker.TOOL:
        others += (
            block
            for block in piece.message.blocks
            if not isinstance(block, ToolResponse)
        )
    if content := content_json(others, same_format=False, losses=losses):
        yield {"role": "user", "content": content}


def _source_tool_record(
    response: ToolResponse, raw: dict[str, Json]
) -> dict[str, Json]:
    content_form = response.extra.get("$content")
    value = {**raw, "content": response.result}
    if isinstance(raw.get("tool_call_id"), str) or "$made_id" not in response.extra:
        value["tool_call_id"] = response.call_id
    if response.result == "" and content_form == "null":
        value["content"] = None
    elif response.result == "" and content_form == "absent":
        del value["content"]
    return value


def _record(
    message: Message, raw: Json, losses: ExportLosses
) -> dict[str, Json] | None:
    """Return a message of any speaker but the tools; None if it would be empty, which the API
    refuses."""
    has_source = isinstance(raw, dict)
    value: dict[str, Json] = {"role": _role(message, has_source, losses)}
    content_form = message.extra.get("$content") if has_source else "string"
    content = content_json(
        message.blocks, same_format=has_source, losses=losses, content_form=content_form
    )
    calls = calls_json(message.blocks, same_format=has_source)
    thoughts = thoughts_json(message.blocks, same_format=has_source, losses=losses)
    if not (has_source or calls or content) and _is_silent(message):
        return None
    has_no_text = content is None and not calls and content_form != "null"
    if content is not None or content_form != "absent":
        value["content"] = "" if has_no_text else content
    value |= thoughts | calls
    if not has_source:
        return value
    return _with_source_fields(value, message, raw)


def _is_silent(message: Message) -> bool:
    return message.speaker is Speaker.AI or _has_nothing_to_say(message)


def _with_source_fields(
    value: dict[str, Json], message: Message, raw: Mapping[str, Json]
) -> dict[str, Json]:
    if message.id:
        value["id"] = message.id
    value |= fields_without_notes(message.extra)
    if "role" not in raw:
        del value["role"]
    return value


def _has_nothing_to_say(message: Message) -> bool:
    """Return whether a message holds only results, which are messages of their own, and what no
    other provider can read, as an encrypted message of another agent."""
    return all(isinstance(block, ToolResponse | Opaque) for block in message.blocks)


def _role(message: Message, has_source: bool, losses: ExportLosses) -> str:
    if message.speaker is Speaker.UNKNOWN and not has_source:
        losses.count_changed("message of an unknown role as user")
    return _ROLES.get(message.speaker, "user")


def _api_role(record: Json) -> Speaker:
    """Return the speaker of a record; the system's may be moved like the user's."""
    speaker = ROLES.get(string_of(nested(record, "role")), Speaker.UNKNOWN)
    # The system may speak anywhere, so its messages are moved like those of the person.
    return Speaker.HUMAN if speaker is Speaker.SYSTEM else speaker


def _call_ids(record: Json) -> set[str]:
    fields = fields_of(record)
    calls = list_of(fields.get("tool_calls"))
    if fields.get("role") == "assistant":
        ids = [nested(call, "id") for call in calls]
    else:
        ids = [fields.get("tool_call_id")]
    return {id_ for id_ in ids if isinstance(id_, str)}


EXPORTER = json_exporter(
    (NAME, "openai"),
    "OpenAI chat",
    "OpenAI",
    "A request for OpenAI's chat API: messages with the system prompt in front, and tools.",
    records=_ordered_records,
    request=_request,
    kept_fields=("detail",),
)

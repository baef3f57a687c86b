"""Writes OpenAI chat messages: a request object, or new messages in the source's own container."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, list_of, nested, string_of
from core.formats.openai_chat.messages import ROLES
from core.formats.openai_chat.part_writer import calls_json, content_json, thoughts_json
from core.formats.writing.api_requests import openai_tools
from core.formats.writing.export_messages import (
    ExportInput,
    ExportLosses,
    ExportMessage,
    results_after_calls,
)
from core.formats.writing.plain_text import (
    count_error_losses,
    fields_without_notes,
    result_media,
    texts_of_result,
)
from core.formats.writing.raw_json import json_exporter, pieces_with_records
from core.transcript.model import Block, Message, Opaque, Speaker, ToolResponse

NAME = "openai_chat"
_ROLES = {Speaker.AI: "assistant", Speaker.TOOL: "tool", Speaker.SYSTEM: "system"}


def _request(
    export_input: ExportInput, records: Sequence[Json], losses: ExportLosses
) -> dict[str, Json]:
    system, model = export_input.conversation.system, export_input.conversation.model
    value: dict[str, Json] = {"model": model} if model else {}
    value["messages"] = [*({"role": "system", "content": text} for text in system.texts), *records]
    return value | ({"tools": openai_tools(system.tools, losses)} if system.tools else {})


def message_records(message: Message, same_family: bool) -> list[Json]:
    """Return what a request has for a message alone: one record for each result, then the rest."""
    losses = ExportLosses("")
    if message.speaker is Speaker.TOOL:
        return list(_tool_records(ExportMessage(message, None, False), None, losses))
    record = _record(message, None, losses)
    results = _tool_records(ExportMessage(message, None, False), None, losses)
    return [*results, *([] if record is None else [record])]


def _ordered_records(export_input: ExportInput, losses: ExportLosses) -> list[Json]:
    return list(results_after_calls(_records(export_input, losses), _api_role, _call_ids))


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


def _tool_records(piece: ExportMessage, raw: Json, losses: ExportLosses) -> Iterator[Json]:
    """Yield one message per response, then one of the user with the rest: also images of results,
    which the API takes from users only."""
    responses = [block for block in piece.message.blocks if isinstance(block, ToolResponse)]
    others: list[Block] = []
    for number, response in enumerate(responses):
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
        others += (block for block in piece.message.blocks if not isinstance(block, ToolResponse))
    if content := content_json(others, same_format=False, losses=losses):
        yield {"role": "user", "content": content}


def _source_tool_record(response: ToolResponse, raw: dict[str, Json]) -> dict[str, Json]:
    content_form = response.extra.get("$content")
    value = {**raw, "content": response.result}
    if isinstance(raw.get("tool_call_id"), str) or "$made_id" not in response.extra:
        value["tool_call_id"] = response.call_id
    if response.result == "" and content_form == "null":
        value["content"] = None
    elif response.result == "" and content_form == "absent":
        del value["content"]
    return value


def _record(message: Message, raw: Json, losses: ExportLosses) -> dict[str, Json] | None:
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
    if (
        not has_source
        and not calls
        and not content
        and (message.speaker is Speaker.AI or _has_nothing_to_say(message))
    ):
        return None
    if content is not None or content_form != "absent":
        value["content"] = content if content is not None or calls or content_form == "null" else ""
    value |= thoughts | calls
    if not has_source:
        return value
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
    return Speaker.HUMAN if speaker is Speaker.SYSTEM else speaker


def _call_ids(record: Json) -> set[str]:
    fields = fields_of(record)
    calls = list_of(fields.get("tool_calls"))
    ids = (
        [nested(call, "id") for call in calls]
        if fields.get("role") == "assistant"
        else [fields.get("tool_call_id")]
    )
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

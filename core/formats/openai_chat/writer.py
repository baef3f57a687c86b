"""Writes OpenAI chat messages: a request object, or new messages in the source's own container."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.common.json_value import Json
from core.formats.openai_chat.part_writer import calls_json, content_json, thoughts_json
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
)
from core.formats.writing.plain_text import own_fields
from core.formats.writing.raw_json import dump_json, rebuild_container
from core.formats.writing.same_format import source_lines, unchanged_source, with_records
from core.formats.writing.tool_definitions import openai_tools
from core.formats.writing.tool_results import note_error, result_media, words_of_result
from core.formats.writing.unsupported_content import ExtraContent, leave_out_extra
from core.transcript.model import Block, Message, Speaker, ToolResponse

NAME = "openai_chat"
_ROLES = {Speaker.AI: "assistant", Speaker.TOOL: "tool", Speaker.SYSTEM: "system"}


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write messages in the source's container if it is OpenAI's, else as a request."""
    losses = ExportLosses("OpenAI")
    conversation = given.conversation
    same = given.comes_from(NAME)
    if (unchanged := unchanged_source(given, NAME)) is not None:
        return unchanged
    shape = source_lines(given, NAME)
    records = _results_after_calls(_records(given, losses))
    if same:
        data, _ = rebuild_container(conversation, records)
        return ExporterOutput(data, shape, losses.sentences())
    value = _request(given, records, losses)
    return ExporterOutput(dump_json(value, pretty=True) + b"\n", shape, losses.sentences())


def _request(given: ExportInput, records: Sequence[Json], losses: ExportLosses) -> dict[str, Json]:
    held = (ExtraContent.SYSTEM, ExtraContent.TOOLS, ExtraContent.MODEL, ExtraContent.CALL_IDS)
    leave_out_extra(given, losses, *held, fields=("detail",))
    system = given.conversation.system
    value: dict[str, Json] = {"model": given.conversation.model} if given.conversation.model else {}
    value["messages"] = [*({"role": "system", "content": text} for text in system.texts), *records]
    if system.tools:
        value["tools"] = openai_tools(system.tools, losses)
    return value


def _records(given: ExportInput, losses: ExportLosses) -> Iterator[Json]:
    for piece, raw in with_records(given, NAME):
        if raw is not None and piece.unchanged:
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
                losses.leave_out("message without content")


def _tool_records(piece: ExportMessage, raw: Json, losses: ExportLosses) -> Iterator[Json]:
    """Yield one message per response, then one of the user with the rest: also images of results, which the
    API takes from users only."""
    responses = [block for block in piece.message.blocks if isinstance(block, ToolResponse)]
    others: list[Block] = []
    for number, response in enumerate(responses):
        if number == 0 and isinstance(raw, dict):
            yield _own_tool_record(response, raw)
            continue
        note_error(response, losses, mark=True)
        media = result_media(response)
        for _ in media:
            losses.change("media of a tool result as user message")
        others += media
        yield {"role": "tool", "tool_call_id": response.call_id, "content": words_of_result(response)}
    if piece.message.speaker is Speaker.TOOL:
        others += (block for block in piece.message.blocks if not isinstance(block, ToolResponse))
    if content := content_json(others, same=False, losses=losses):
        yield {"role": "user", "content": content}


def _own_tool_record(response: ToolResponse, raw: dict[str, Json]) -> dict[str, Json]:
    absent = response.extra.get("$content")
    value = {**raw, "content": response.result}
    if response.result == "" and absent == "null":
        value["content"] = None
    elif response.result == "" and absent == "absent":
        del value["content"]
    return value


def _record(message: Message, raw: Json, losses: ExportLosses) -> dict[str, Json] | None:
    """Return a message of any speaker but the tools; None if it would be empty, which the API refuses."""
    own = isinstance(raw, dict)
    value: dict[str, Json] = {"role": _role(message, own, losses)}
    note = message.extra.get("$content") if own else "string"
    content = content_json(message.blocks, same=own, losses=losses, note=note)
    calls = calls_json(message.blocks, same=own)
    thoughts = thoughts_json(message.blocks, same=own, losses=losses)
    if not own and not calls and not content and (message.speaker is Speaker.AI or _only_results(message)):
        return None
    if content is not None or note != "absent":
        value["content"] = content if content is not None or calls or note == "null" else ""
    value |= thoughts | calls
    if not own:
        return value
    if message.id:
        value["id"] = message.id
    value |= own_fields(message.extra)
    if "role" not in raw:
        del value["role"]
    return value


def _only_results(message: Message) -> bool:
    return all(isinstance(block, ToolResponse) for block in message.blocks)


def _role(message: Message, own: bool, losses: ExportLosses) -> str:
    if message.speaker is Speaker.UNKNOWN and not own:
        losses.change("message of an unknown role as user")
    return _ROLES.get(message.speaker, "user")


def _results_after_calls(records: Iterable[Json]) -> list[Json]:
    """Move results directly behind their calls, and messages between them behind the last result."""
    settled: list[Json] = []
    delayed: list[Json] = []
    waiting: set[str] = set()
    for record in records:
        role = record.get("role") if isinstance(record, dict) else None
        id_ = record.get("tool_call_id") if role == "tool" else None
        if isinstance(id_, str) and id_ in waiting:
            settled.append(record)
            waiting.discard(id_)
        elif waiting and role in ("user", "system", "developer"):
            delayed.append(record)
            continue
        else:
            settled += delayed
            delayed = []
            settled.append(record)
            if role == "assistant":
                waiting = _ids(record)
        if not waiting:
            settled += delayed
            delayed = []
    return settled + delayed


def _ids(record: Json) -> set[str]:
    calls = record.get("tool_calls")
    found = (call.get("id") for call in calls if isinstance(call, dict)) if isinstance(calls, list) else ()
    return {id_ for id_ in found if isinstance(id_, str)}


EXPORTER = Exporter(
    NAME,
    ("openai",),
    "OpenAI chat",
    ".json",
    "A request for OpenAI's chat API: messages with the system prompt in front, and tools.",
    write,
)

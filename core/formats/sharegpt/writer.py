"""Writes ShareGPT: the source's dataset with one entry changed, or a dataset of one entry.

The format has no ids, so a result directly follows its call and parallel calls become sequential.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.common.json_value import MISSING, Json
from core.formats.writing.api_requests import openai_tools
from core.formats.writing.base import ExporterOutput
from core.formats.writing.export_messages import (
    ExportInput,
    ExportLosses,
    ExportMessage,
    results_of_calls,
)
from core.formats.writing.plain_text import (
    code_as_text,
    dump_json,
    fields_without_notes,
    result_as_text,
    text_result,
)
from core.formats.writing.raw_json import (
    json_file,
    pieces_with_records,
    rebuild_container,
    source_shape,
    transcript_exporter,
)
from core.transcript.model import (
    Block,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

NAME = "sharegpt"
_CALL_ROLE = "function_call"
_SPEAKER_NAMES = {Speaker.AI: "gpt", Speaker.SYSTEM: "system"}


def _edited(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    data = rebuild_container(
        export_input.conversation, list(_edited_records(export_input, losses))
    )[0]
    return ExporterOutput(data, source_shape(export_input, NAME))


def _new_dataset(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    system = export_input.conversation.system
    entry: dict[str, Json] = {"conversations": list(_turns(export_input.messages, losses))}
    if system.texts:
        entry["system"] = "\n\n".join(system.texts)
        if len(system.texts) > 1:
            losses.count_changed("several system prompts as one")
    if system.tools:
        tools = [tool["function"] for tool in openai_tools(system.tools, losses)]
        entry["tools"] = dump_json(tools).decode()
    return json_file([entry])


def _edited_records(export_input: ExportInput, losses: ExportLosses) -> Iterator[Json]:
    for piece, raw in pieces_with_records(export_input, NAME):
        if raw is not None and piece.is_unchanged:
            yield raw
        elif isinstance(raw, dict):
            yield {**raw, "value": _edited_value(piece, losses)}
        else:
            yield from _turns((piece.message,), losses)


def _edited_value(piece: ExportMessage, losses: ExportLosses) -> Json:
    blocks = piece.message.blocks
    calls = [block for block in blocks if isinstance(block, ToolCall)]
    if calls:
        values = [_call_value(call) for call in calls]
        return dump_json(values if len(values) > 1 else values[0]).decode()
    for block in blocks:
        if isinstance(block, ToolResponse):
            return block.result if isinstance(block.result, str) else result_as_text(block)
    return _text(blocks, losses)


def _turns(messages: Sequence[Message], losses: ExportLosses) -> Iterator[Json]:
    results = results_of_calls(messages)
    answered_ids = set(map(id, results.values()))
    for message in messages:
        calls = [block for block in message.blocks if isinstance(block, ToolCall)]
        responses = [block for block in message.blocks if isinstance(block, ToolResponse)]
        for response in responses:
            if id(response) not in answered_ids:
                yield _turn("observation", text_result(response, losses))
        if message.speaker is Speaker.TOOL and len(responses) == len(message.blocks):
            continue
        text = _text(message.blocks, losses)
        if text or not (calls or responses):
            yield _turn(_speaker_name(message, losses), text)
        if len(calls) > 1:
            losses.count_changed("parallel calls one after the other")
        for call in calls:
            yield _turn(_CALL_ROLE, dump_json(_call_value(call)).decode())
            if (answer := results.get(id(call))) is not None:
                yield _turn("observation", text_result(answer, losses))


def _turn(name: str, value: str) -> dict[str, Json]:
    return {"from": name, "value": value}


def _call_value(call: ToolCall) -> dict[str, Json]:
    arguments = {} if call.arguments is MISSING else call.arguments
    return {"name": call.name, "arguments": arguments, **fields_without_notes(call.extra)}


def _speaker_name(message: Message, losses: ExportLosses) -> str:
    if message.speaker is Speaker.UNKNOWN:
        losses.count_changed("message of an unknown speaker as human")
    return _SPEAKER_NAMES.get(message.speaker, "human")


def _text(blocks: Iterable[Block], losses: ExportLosses) -> str:
    texts: list[str] = []
    for block in code_as_text(blocks, losses):
        match block:
            case Text():
                texts.append(block.text)
            case Thinking():
                losses.count_left_out("thinking")
            case Media():
                losses.count_left_out("media")
            case Opaque():
                losses.count_left_out(block.kind or "unknown block")
    if len(texts) > 1:
        losses.count_changed("several texts of a message as one")
    return "\n".join(texts)


EXPORTER = transcript_exporter(
    (NAME,),
    "ShareGPT",
    ".json",
    "A dataset of one conversation of from and value, or the source's dataset with it changed.",
    new=_new_dataset,
    edited=_edited,
)

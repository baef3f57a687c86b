"""Writes SWE-agent trajectories: the source's file with another history, or a small new one.

``trajectory`` stays consistent with the history: a step stays with its action, and gets its edits
and those of its observation. The messages sent at each step (``query``) are left out of a compacted
file, because they repeat what was removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.openai_chat.part_writer import calls_json, content_json, thoughts_json
from core.formats.writing.base import ExporterOutput
from core.formats.writing.export_messages import ExportInput, ExportLosses, ExportMessage
from core.formats.writing.plain_text import (
    as_text,
    count_error_losses,
    fields_without_notes,
    result_as_text,
)
from core.formats.writing.raw_json import (
    json_file,
    pieces_with_records,
    rebuild_container,
    source_shape,
    transcript_exporter,
)
from core.transcript.model import (
    Media,
    Message,
    Speaker,
    ToolCall,
    ToolResponse,
    joined_text,
    tool_calls,
)
from core.transcript.tool_pairs import answer_parts, result_text

NAME = "swe_agent"
_ROLES = {Speaker.AI: "assistant", Speaker.TOOL: "tool", Speaker.SYSTEM: "system"}
_AGENT_NAME = "main"
_QUERY_FIELDS = ("query", "messages")


@dataclass(frozen=True, slots=True)
class _Entry:
    record: Json
    piece: ExportMessage


def _edited(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    entries = list(_entries(export_input, losses))
    data, _ = rebuild_container(
        export_input.conversation,
        [entry.record for entry in entries],
        lambda run: _kept_steps(export_input, entries, run, losses),
    )
    return ExporterOutput(data, source_shape(export_input, NAME))


def _new(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    records = [entry.record for entry in _entries(export_input, losses)]
    texts = export_input.conversation.system.texts
    history = [*(_new_record("system", text, "system_prompt") for text in texts), *records]
    return json_file(
        {"environment": "", "trajectory": _new_steps(records), "history": history, "info": {}}
    )


def _new_record(role: str, content: Json, kind: str) -> dict[str, Json]:
    return {"role": role, "content": content, "agent": _AGENT_NAME, "message_type": kind}


def _entries(export_input: ExportInput, losses: ExportLosses) -> Iterator[_Entry]:
    same_format = export_input.is_from_format(NAME)
    for piece, raw in pieces_with_records(export_input, NAME):
        if raw is not None and piece.is_unchanged:
            yield _Entry(raw, piece)
        elif isinstance(raw, dict):
            yield _Entry(_edited_record(piece.message, raw, losses), piece)
        else:
            for record in _new_records(
                piece.message, same_format and piece.origin is not None, losses
            ):
                yield _Entry(record, piece)


def _edited_record(message: Message, raw: dict[str, Json], losses: ExportLosses) -> dict[str, Json]:
    value = dict(raw)
    if message.speaker is Speaker.TOOL:
        results = [block for block in message.blocks if isinstance(block, ToolResponse)]
        return {**value, "content": results[0].result if results else ""}
    content_form = message.extra.get("$content")
    content = content_json(
        message.blocks, same_format=True, losses=losses, content_form=content_form
    )
    value["content"] = "" if content is None else content
    if "thought" in raw:
        value["thought"] = joined_text(message)
    if raw.get("tool_calls"):
        value |= {"tool_calls": None, **calls_json(message.blocks, same_format=True)}
        value["action"] = raw.get("action", "") if value["tool_calls"] else ""
    return value


def _new_records(
    message: Message, same_format: bool, losses: ExportLosses
) -> Iterator[dict[str, Json]]:
    extra = fields_without_notes(message.extra) if same_format else {}
    has_others = False
    for block in message.blocks:
        if isinstance(block, ToolResponse):
            result = block.result if same_format else _result_content(block, losses)
            yield {
                **_new_record("tool", result, "observation"),
                "tool_call_ids": [block.call_id],
                **extra,
            }
        else:
            has_others = True
    if has_others or message.speaker is not Speaker.TOOL:
        yield {**_text_record(message, same_format, losses), **extra}


def _result_content(block: ToolResponse, losses: ExportLosses) -> Json:
    count_error_losses(block, losses, counts_mark=True)
    parts = answer_parts(block)
    if not any(isinstance(part, Media) for part in parts):
        return result_as_text(block)
    return content_json(parts, same_format=False, losses=losses)


def _text_record(message: Message, same_format: bool, losses: ExportLosses) -> dict[str, Json]:
    blocks = [block for block in message.blocks if not isinstance(block, ToolResponse)]
    if message.speaker is Speaker.UNKNOWN:
        losses.count_changed("message of an unknown role as user")
    thoughts_json(blocks, same_format=same_format, losses=losses)
    content = (
        content_json(blocks, same_format=same_format, losses=losses, content_form="string") or ""
    )
    if message.speaker is not Speaker.AI:
        role = "user" if message.speaker is Speaker.TOOL else _ROLES.get(message.speaker, "user")
        return _new_record(role, content, "system_prompt" if role == "system" else "user")
    calls = calls_json(blocks, same_format=same_format)
    if not calls:
        return _new_record("assistant", content, "assistant")
    actions = "\n".join(_command(call) for call in tool_calls(message))
    return {
        **_new_record("assistant", content, "action"),
        "thought": joined_text(message),
        "action": actions,
        **calls,
    }


def _command(call: ToolCall) -> str:
    command = call.arguments.get("command") if isinstance(call.arguments, dict) else None
    return command if isinstance(command, str) else f"{call.name} {as_text(call.arguments)}".strip()


def _kept_steps(
    export_input: ExportInput,
    entries: Sequence[_Entry],
    run: Mapping[str, Json],
    losses: ExportLosses,
) -> dict[str, Json]:
    steps = run.get("trajectory")
    if not isinstance(steps, list):
        return {}
    actions, answers = _step_numbers(export_input)
    kept_steps: dict[int, dict[str, Json]] = {}
    queries = 0
    for entry in entries:
        start = entry.piece.record[0] if entry.piece.record else -1
        number = actions.get(start, len(steps))
        if number < len(steps) and isinstance(steps[number], dict):
            queries += any(name in steps[number] for name in _QUERY_FIELDS)
            kept_steps[number] = {
                key: value for key, value in steps[number].items() if key not in _QUERY_FIELDS
            }
        number = answers.get(start, number)
        if number in kept_steps and not entry.piece.is_unchanged:
            kept_steps[number] |= _step_changes(entry.record, kept_steps[number])
    if queries:
        losses.count_changed(f"{queries:,} steps without what was sent at them (query)")
    return {"trajectory": list(kept_steps.values())}


def _step_numbers(export_input: ExportInput) -> tuple[dict[int, int], dict[int, int]]:
    actions: dict[int, int] = {}
    answers: dict[int, int] = {}
    for message in export_input.conversation.messages:
        kind, is_demo = message.extra.get("message_type", "action"), message.extra.get("is_demo")
        start = message.sources[0].start
        if message.speaker is Speaker.AI and kind == "action" and not is_demo:
            actions[start] = len(actions)
        elif actions and (message.speaker is Speaker.TOOL or kind == "observation"):
            answers[start] = len(actions) - 1
    return actions, answers


def _step_changes(record: Mapping[str, Json], step: Mapping[str, Json]) -> dict[str, Json]:
    text = as_text(record.get("content"))
    if record.get("role") == "assistant":
        names = ("response", "thought")
        return {
            **{name: text for name in names if name in step},
            "action": record.get("action", ""),
        }
    return {"observation": text}


def _new_steps(records: Sequence[Json]) -> list[Json]:
    steps: list[dict[str, Json]] = []
    for record in records:
        if record["message_type"] == "action":
            texts = {"response": as_text(record["content"]), "thought": record["thought"]}
            step = {"action": record["action"], "observation": "", **texts}
            steps.append({**step, "state": {}, "execution_time": 0.0})
        elif record["role"] == "tool" and steps:
            observation, result = steps[-1]["observation"], result_text(record["content"])
            steps[-1]["observation"] = f"{observation}\n{result}" if observation else result
    return list(steps)


EXPORTER = transcript_exporter(
    (NAME,),
    "SWE-agent",
    ".traj",
    "A trajectory of SWE-agent: its history, and the steps whose actions are still in it.",
    new=_new,
    edited=_edited,
    carries_sizes=True,
)

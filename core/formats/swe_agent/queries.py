"""Finds what SWE-agent's history processors removed, by comparing each step's query with the history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import plain_text
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import JsonRecord
from core.formats.openai_chat.records import read_record
from core.transcript.model import Block, Message, RecordedCompaction, Speaker, ToolResponse, tool_responses


@dataclass(frozen=True, slots=True)
class _Step:
    """A step with the messages it sent; ``action_index`` is the history index of its action."""

    number: int
    action_index: int
    query: Sequence[Json]


def elided_compactions(
    history: Sequence[Json], trajectory: Json, messages: Sequence[Message], notes: ImportNotes
) -> tuple[RecordedCompaction, ...]:
    """Return a recorded compaction for each step that sent less of an earlier message than the step before.

    ``messages`` are the history without its leading system records. A query that does not match the history
    (another agent's, or one without demonstrations) is noted and skipped.
    """
    leading = len(history) - len(messages)
    compactions: list[RecordedCompaction] = []
    previous_texts: dict[int, str] = {}
    sent_messages: dict[tuple[int, str], Message] = {}
    for step in _steps(history, trajectory):
        changed = _changed_texts(history, step)
        if changed is None:
            notes.warn(0, "some queries do not match the history; what they left out is not shown")
            continue
        if changed.keys() - previous_texts.keys() or any(
            previous_texts[index] != text for index, text in changed.items()
        ):
            compactions.append(_compaction(step, changed, leading, messages, sent_messages))
        previous_texts = changed
    return tuple(compactions)


def _steps(history: Sequence[Json], trajectory: Json) -> Iterator[_Step]:
    actions = [action_index for action_index, record in enumerate(history) if _is_action(record)]
    steps = trajectory if isinstance(trajectory, list) else ()
    for number, (action_index, step) in enumerate(zip(actions, steps, strict=False), 1):
        query = step.get("query") or step.get("messages") if isinstance(step, dict) else None
        if isinstance(query, list) and query:
            yield _Step(number, action_index, query)


def _is_action(record: Json) -> bool:
    if not isinstance(record, dict) or record.get("role") != "assistant":
        return False
    return record.get("message_type", "action") == "action" and not record.get("is_demo")


def _changed_texts(history: Sequence[Json], step: _Step) -> dict[int, str] | None:
    """Return the history indices whose text was sent differently, with that text; None if roles differ."""
    if len(step.query) < step.action_index:
        return None
    changed: dict[int, str] = {}
    for index in range(step.action_index):
        record, sent_record = history[index], step.query[index]
        if (
            not isinstance(record, dict)
            or not isinstance(sent_record, dict)
            or record.get("role") != sent_record.get("role")
        ):
            return None
        if record.get("content") != sent_record.get("content"):
            text = plain_text(sent_record.get("content"))
            if text != plain_text(record.get("content")):
                changed[index] = text
    return changed


def _compaction(
    step: _Step,
    changed: Mapping[int, str],
    leading: int,
    messages: Sequence[Message],
    sent_messages: dict[tuple[int, str], Message],
) -> RecordedCompaction:
    """Build the compaction of a step; ``sent_messages`` caches messages, because most steps send the same
    ones."""
    context_after: list[int | Message] = []
    for index in range(leading, step.action_index):
        if index not in changed:
            context_after.append(index - leading)
            continue
        key = index, changed[index]
        if key not in sent_messages:
            sent_messages[key] = _sent_message(step.query[index], messages[index - leading])
        context_after.append(sent_messages[key])
    position = step.action_index - leading
    source = messages[position].sources[0] if position < len(messages) else None
    return RecordedCompaction(
        "microcompact", position, trigger="auto", source=source, context_after=tuple(context_after)
    )


def _sent_message(value: Json, original: Message) -> Message:
    ids = value.get("tool_call_ids")
    if original.speaker is Speaker.TOOL and isinstance(ids, list) and ids:
        value = {**value, "tool_call_id": ids[0]}
    message = read_record(JsonRecord(0, 0, 0, value), ImportNotes())
    blocks = tuple(_with_tool_name(block, original) for block in message.blocks)
    return Message(message.speaker, blocks, (), original.flags, message.id, "", message.extra)


def _with_tool_name(block: Block, original: Message) -> Block:
    if not isinstance(block, ToolResponse):
        return block
    return replace(block, name=next((response.name for response in tool_responses(original)), ""))

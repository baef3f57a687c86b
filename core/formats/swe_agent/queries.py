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
    """A step with the messages it sent; ``at`` is the history index of its action."""

    number: int
    at: int
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
    known: dict[int, str] = {}
    sent: dict[tuple[int, str], Message] = {}
    for step in _steps(history, trajectory):
        changed = _changed_texts(history, step)
        if changed is None:
            notes.warn(0, "some queries do not match the history; what they left out is not shown")
            continue
        if changed.keys() - known.keys() or any(known[at] != text for at, text in changed.items()):
            compactions.append(_compaction(step, changed, leading, messages, sent))
        known = changed
    return tuple(compactions)


def _steps(history: Sequence[Json], trajectory: Json) -> Iterator[_Step]:
    actions = [at for at, record in enumerate(history) if _is_action(record)]
    steps = trajectory if isinstance(trajectory, list) else ()
    for number, (at, step) in enumerate(zip(actions, steps, strict=False), 1):
        query = step.get("query") or step.get("messages") if isinstance(step, dict) else None
        if isinstance(query, list) and query:
            yield _Step(number, at, query)


def _is_action(record: Json) -> bool:
    if not isinstance(record, dict) or record.get("role") != "assistant":
        return False
    return record.get("message_type", "action") == "action" and not record.get("is_demo")


def _changed_texts(history: Sequence[Json], step: _Step) -> dict[int, str] | None:
    """Return the history indices whose text was sent differently, with that text; None if roles differ."""
    if len(step.query) < step.at:
        return None
    changed: dict[int, str] = {}
    for at in range(step.at):
        own, sent = history[at], step.query[at]
        if not isinstance(own, dict) or not isinstance(sent, dict) or own.get("role") != sent.get("role"):
            return None
        if own.get("content") != sent.get("content"):
            text = plain_text(sent.get("content"))
            if text != plain_text(own.get("content")):
                changed[at] = text
    return changed


def _compaction(
    step: _Step,
    changed: Mapping[int, str],
    leading: int,
    messages: Sequence[Message],
    sent: dict[tuple[int, str], Message],
) -> RecordedCompaction:
    """Build the compaction of a step; ``sent`` caches messages, because most steps send the same ones."""
    left: list[int | Message] = []
    for at in range(leading, step.at):
        if at not in changed:
            left.append(at - leading)
            continue
        key = at, changed[at]
        if key not in sent:
            sent[key] = _sent_message(step.query[at], messages[at - leading])
        left.append(sent[key])
    position = step.at - leading
    source = messages[position].sources[0] if position < len(messages) else None
    return RecordedCompaction(
        "microcompact", position, trigger="auto", source=source, context_after=tuple(left)
    )


def _sent_message(value: Json, original: Message) -> Message:
    ids = value.get("tool_call_ids")
    if original.speaker is Speaker.TOOL and isinstance(ids, list) and ids:
        value = {**value, "tool_call_id": ids[0]}
    message = read_record(JsonRecord(0, 0, 0, value), ImportNotes())
    blocks = tuple(_named(block, original) for block in message.blocks)
    return Message(message.speaker, blocks, (), original.flags, message.id, "", message.extra)


def _named(block: Block, original: Message) -> Block:
    if not isinstance(block, ToolResponse):
        return block
    return replace(block, name=next((response.name for response in tool_responses(original)), ""))

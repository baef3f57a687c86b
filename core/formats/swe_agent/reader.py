"""Reader for SWE-agent trajectories: ``history`` is the conversation, ``trajectory`` repeats it.

A step's ``query`` (older files: ``messages``) holds the messages sent; if it has less than the history, that
is a recorded compaction (formats.md section 13). Actions in the text are text: only calls through the API
are calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import plain_text
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import list_of, nested, string_of
from core.formats.common.json_parsing import JsonRecord, parse_text
from core.formats.common.message_lists import conversation_records
from core.formats.common.tool_linking import link_calls
from core.formats.openai_chat.messages import read_messages, read_record
from core.transcript.model import (
    Block,
    Conversation,
    Message,
    MessageFlag,
    RecordedCompaction,
    Speaker,
    ToolResponse,
    tool_responses,
)


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
    steps = list_of(trajectory)
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


_KEYS = ("history",)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by ``history`` beside ``trajectory`` and the steps in it."""
    runs = [value for value in opened.objects if _is_run(value)]
    if not runs:
        return 0.0, ""
    steps = sum(1 for step in runs[0]["trajectory"] if isinstance(step, dict) and "action" in step)
    share = len(runs) / len(opened.head)
    return 0.98 * share, f"history beside trajectory, {steps:,} steps with an action"


def _is_run(value: Mapping[str, Json]) -> bool:
    history, steps = value.get("history"), value.get("trajectory")
    if not isinstance(history, list) or not isinstance(steps, list):
        return False
    has_messages = any(isinstance(item, dict) and "role" in item for item in history)
    return has_messages or any(isinstance(item, dict) and "observation" in item for item in steps)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run. Observations in the user's role get MessageFlag.META: the harness wrote them."""
    loaded = conversation_records(opened, _KEYS, request)
    records, fields = [_with_call_id(record) for record in loaded.records], loaded.fields
    messages = link_calls(_with_flags(read_messages(loaded, records=records)))
    history = [record.value for record in loaded.records]
    recorded = elided_compactions(history, fields.get("trajectory"), messages, loaded.notes)
    config = _config(fields.get("replay_config"))
    return replace(
        loaded.conversation("swe_agent", messages),
        recorded=recorded,
        model=string_of(nested(config, "agent", "model", "name")),
        title=string_of(nested(config, "problem_statement", "id")),
    )


def _with_call_id(record: JsonRecord) -> JsonRecord:
    """Return a tool record with the API's ``tool_call_id``; the list of ids stays."""
    value = record.value
    ids = value.get("tool_call_ids") if isinstance(value, dict) else None
    if not isinstance(ids, list) or not ids or "tool_call_id" in value:
        return record
    return record._replace(value={**value, "tool_call_id": ids[0]})


def _with_flags(messages: Sequence[Message]) -> list[Message]:
    flagged: list[Message] = []
    has_acted = False
    for message in messages:
        by_harness = message.extra.get("is_demo") is True or (has_acted and _is_observation(message))
        flags = message.flags | MessageFlag.META if by_harness else message.flags
        flagged.append(replace(message, flags=flags, blocks=(*message.blocks, *_further_answers(message))))
        has_acted = has_acted or (message.speaker is Speaker.AI and not by_harness)
    return flagged


def _is_observation(message: Message) -> bool:
    return message.speaker is Speaker.HUMAN and message.extra.get("message_type") == "observation"


def _further_answers(message: Message) -> tuple[ToolResponse, ...]:
    """Return empty answers to the further calls of a tool record that answers several with one text."""
    ids = message.extra.get("tool_call_ids") if message.speaker is Speaker.TOOL else None
    others = ids[1:] if isinstance(ids, list) else ()
    return tuple(ToolResponse(id_, "", "") for id_ in others if isinstance(id_, str))


def _config(value: Json) -> Json:
    if not isinstance(value, str):
        return value
    try:
        return parse_text(value)
    except ValueError:
        return None


SWE_AGENT = Format(
    "swe_agent",
    "SWE-agent",
    "Trajectories of SWE-agent (.traj): history, the steps, and what was sent at each of them.",
    score,
    read,
)

"""Reader for ATIF trajectories (Harbor): steps of user, agent and system, with sub-agents inside.

A step with an observation becomes two messages, the agent's and the tools'. A step that marks a
compaction becomes a recorded summary, not a message (formats.md section 14).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes, opaque_flag, unreadable_message
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, other_fields, string_of
from core.formats.common.json_parsing import JsonRecord, parse_json_document
from core.formats.common.message_lists import check_number, first_words
from core.formats.common.open_document import read_range
from core.formats.common.tool_linking import link_calls
from core.formats.common.usage_reports import UsageReports, openai_usage
from core.transcript.model import (
    Block,
    Conversation,
    ListedConversation,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Source,
    Speaker,
    SystemPart,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    joined_text,
)

_SPEAKERS: Mapping[Json, Speaker] = {"user": Speaker.HUMAN, "agent": Speaker.AI, "system": Speaker.SYSTEM}
_KNOWN_FIELDS = ("source", "message", "tool_calls", "observation", "reasoning_content", "timestamp")


def step_messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    """Return the messages of a step: two if tools answered in it, else one."""
    step = record.value
    if not isinstance(step, dict):
        return [unreadable_message(record, notes, "a step")]
    role = step.get("source")
    speaker = _SPEAKERS.get(role) if isinstance(role, str) else None
    if speaker is None:
        notes.warn(record.line, f"the source {str(role)[:40]!r} is not known; kept as unknown")
    thinking = string_of(step.get("reasoning_content"))
    blocks: tuple[Block, ...] = (*_text_blocks(step), *_calls(step, notes, record.line))
    blocks = (Thinking(thinking), *blocks) if thinking else blocks
    calls = [block.id for block in blocks if isinstance(block, ToolCall)]
    answers = _responses(observation_results(step), calls, notes, record.line)
    messages: list[Message] = []
    if blocks or not answers:
        messages.append(_message(record, speaker or Speaker.UNKNOWN, blocks, 0))
    if answers:
        messages.append(_message(record, Speaker.TOOL, answers, len(messages)))
    return messages


def _message(record: JsonRecord, speaker: Speaker, blocks: tuple[Block, ...], part: int) -> Message:
    step = record.value
    source = record.source(part)
    extra = other_fields(step, _KNOWN_FIELDS if isinstance(step.get("source"), str) else _KNOWN_FIELDS[1:])
    id_, timestamp = coerce_text(step.get("step_id")), coerce_text(step.get("timestamp"))
    return Message(speaker, blocks, (source,), opaque_flag(blocks), id_, timestamp, extra)


def compaction_mark(step: Json) -> Mapping[str, Json] | None:
    """Return the mark of a step that replaced the context before it, None for other steps."""
    mark = fields_of(nested(step, "extra", "context_management"))
    is_compaction = mark.get("boundary") == "replace" or mark.get("type") == "compaction"
    return mark if is_compaction else None


def observation_results(step: Json) -> Sequence[Json]:
    return list_of(nested(step, "observation", "results"))


def _text_blocks(step: Mapping[str, Json]) -> tuple[Block, ...]:
    message = step.get("message")
    if isinstance(message, str):
        return (Text(message),) if message else ()
    if isinstance(message, list):
        return tuple(_part(part) for part in message)
    return () if message is None else (Opaque("message", message),)


def _part(part: Json) -> Block:
    """Convert a content part: text or an image; a file beside the trajectory stays opaque."""
    if isinstance(part, str):
        return Text(part)
    if not isinstance(part, dict):
        return Opaque("unknown", part)
    if part.get("type") == "text" and isinstance(part.get("text"), str):
        return Text(part["text"], other_fields(part, ("type", "text")))
    source = fields_of(part.get("source"))
    path = source.get("path")
    if isinstance(path, str) and path.startswith(("http://", "https://", "data:")):
        return Media(coerce_text(source.get("media_type")), path, "", other_fields(part, ("type", "source")))
    return Opaque(coerce_text(part.get("type")) or "unknown", part)


def _calls(step: Mapping[str, Json], notes: ImportNotes, line: int) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for call in list_of(step.get("tool_calls")):
        if isinstance(call, dict):
            extra = other_fields(call, ("tool_call_id", "function_name", "arguments"))
            id_, name = coerce_text(call.get("tool_call_id")), coerce_text(call.get("function_name"))
            blocks.append(ToolCall(id_, name, call.get("arguments", {}), extra))
        else:
            notes.warn(line, "a tool call is not an object; kept as it is")
            blocks.append(Opaque("tool_call", call))
    return tuple(blocks)


def _responses(
    results: Sequence[Json], calls: Sequence[str], notes: ImportNotes, line: int
) -> tuple[ToolResponse, ...]:
    """Return the responses of a step; one without a call id answers the step's next unanswered call."""
    named_ids = {coerce_text(nested(result, "source_call_id")) for result in results}
    unnamed_ids = [id_ for id_ in calls if id_ and id_ not in named_ids]
    responses: list[ToolResponse] = []
    for result in results:
        value = result if isinstance(result, dict) else {"content": result}
        extra = dict(other_fields(value, ("source_call_id", "content")))
        call_id = coerce_text(value.get("source_call_id"))
        if not call_id and unnamed_ids:
            call_id = unnamed_ids.pop(0)
            extra["$made_id"] = True
            notes.repair(line, f"a result names no call; it was taken as the answer to {call_id}")
        content = value.get("content", MISSING)
        if content is None or content is MISSING:
            extra["$content"] = "null" if content is None else "absent"
            content = ""
        responses.append(ToolResponse(call_id, "", content, MISSING, extra))
    return tuple(responses)


_STEPS = "steps"
_SUB_TRAJECTORIES = "subagent_trajectories"
_SOURCES = ("user", "agent", "system")


@dataclass(frozen=True, slots=True)
class _Trajectory:
    """One trajectory: its record, its path inside the record, and the call that started it."""

    record: JsonRecord
    value: Mapping[str, Json]
    path: tuple[str | int, ...]
    indices: tuple[int, ...] = ()
    call_id: str = ""


@dataclass(slots=True)
class _TrajectoryMessages:
    messages: list[Message] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    system: list[list[int]] = field(default_factory=list)
    recorded: list[RecordedCompaction] = field(default_factory=list)
    model: str = ""
    tokens: int | None = None
    reports: UsageReports = field(default_factory=UsageReports)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the schema version, else by steps with an id and a source."""
    for value in opened.objects:
        version = value.get("schema_version")
        if isinstance(version, str) and version.startswith("ATIF") and isinstance(value.get(_STEPS), list):
            return 0.98, f"schema_version {version[:20]}"
        steps = list_of(value.get(_STEPS))
        if steps and all("step_id" in fields_of(s) and s.get("source") in _SOURCES for s in steps):
            return 0.85, f"step_id and source in {len(steps)} of {len(steps)} steps"
    return 0.0, ""


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one trajectory; sub-agents follow the one that started them. Raises InputError."""
    notes = ImportNotes()
    trajectories = list(_trajectories(opened, request, notes))
    if not trajectories:
        raise InputError(
            f'{opened.document.name} has no trajectory with a list "{_STEPS}".',
            "Choose an ATIF file, or let the format be found by content.",
        )
    check_number(opened.document.name, request.conversation, len(trajectories))
    trajectory = trajectories[request.conversation - 1]
    content = _read_steps(_records(opened, trajectory), notes)
    agent = fields_of(trajectory.value.get("agent"))
    if continuation := coerce_text(trajectory.value.get("continued_trajectory_ref")):
        notes.warn(0, f"the trajectory goes on in {continuation}; open that file for the rest")
    return Conversation(
        "atif",
        opened.document,
        link_calls(content.messages),
        SystemPart(tuple(content.texts), tuple(list_of(agent.get("tool_definitions")))),
        tuple(content.recorded),
        notes.report(),
        model=coerce_text(agent.get("model_name")) or content.model,
        session_id=coerce_text(trajectory.value.get("session_id")),
        reported_context=content.tokens,
        usage=content.reports.reported_usage(content.messages),
        number=request.conversation,
        siblings=len(trajectories),
        listed=tuple(_listed(trajectories)) if len(trajectories) > 1 else (),
        layout=_layout(opened, trajectory, content.system),
    )


def _trajectories(opened: OpenedDocument, request: ReadRequest, notes: ImportNotes) -> Iterator[_Trajectory]:
    for index, record in enumerate(iterate_records(opened, notes, request.progress, request.stop)):
        if isinstance(nested(record.value, _STEPS), list):
            path = (index,) if opened.container is DocumentContainer.ARRAY else ()
            yield from _with_sub_trajectories(_Trajectory(record, record.value, path))
        else:
            notes.warn(record.line, f"the record has no list of {_STEPS}; it was skipped")
            notes.skip(f"without {_STEPS}")


def _with_sub_trajectories(outer: _Trajectory) -> Iterator[_Trajectory]:
    yield outer
    for index, value in enumerate(list_of(outer.value.get(_SUB_TRAJECTORIES))):
        if isinstance(nested(value, _STEPS), list):
            call_id = _starting_call_id(outer.value[_STEPS], value)
            path = (*outer.path, _SUB_TRAJECTORIES, index)
            yield from _with_sub_trajectories(
                _Trajectory(outer.record, value, path, (*outer.indices, index), call_id)
            )


def _starting_call_id(steps: Sequence[Json], value: Mapping[str, Json]) -> str:
    own_ids = _ids(value)
    for step in steps:
        for result in observation_results(step):
            refs = nested(result, "subagent_trajectory_ref")
            for ref in refs if isinstance(refs, list) else (refs,):
                if isinstance(ref, dict) and own_ids & _ids(ref):
                    return coerce_text(result.get("source_call_id"))
    return ""


def _ids(value: Mapping[str, Json]) -> set[str]:
    return {coerce_text(value.get(name)) for name in ("session_id", "trajectory_id")} - {""}


def _records(opened: OpenedDocument, trajectory: _Trajectory) -> tuple[JsonRecord, ...]:
    record = trajectory.record
    for index in trajectory.indices:
        record = _arrays(opened, record)[_SUB_TRAJECTORIES][index]
    return _arrays(opened, record)[_STEPS]


def _arrays(opened: OpenedDocument, record: JsonRecord) -> Mapping[str, tuple[JsonRecord, ...]]:
    data = read_range(opened.document, record.start, record.end)
    return parse_json_document(data, line=record.line, start=record.start).arrays


def _listed(trajectories: Sequence[_Trajectory]) -> Iterator[ListedConversation]:
    for number, trajectory in enumerate(trajectories, 1):
        name = coerce_text(nested(trajectory.value, "agent", "name"))
        prompts = (
            step.get("message") for step in trajectory.value[_STEPS] if nested(step, "source") == "user"
        )
        task = next((first_words(text) for text in prompts if isinstance(text, str) and text.strip()), "")
        title = " · ".join(filter(None, (name, task))) or coerce_text(trajectory.value.get("session_id"))
        yield ListedConversation(
            number, title, None, "sub-agent" if trajectory.indices else "", trajectory.call_id
        )


def _layout(opened: OpenedDocument, trajectory: _Trajectory, system: list[list[int]]) -> dict[str, Json]:
    layout: dict[str, Json] = {"container": opened.container.value, "path": [*trajectory.path, _STEPS]}
    if opened.container is DocumentContainer.LINES:
        layout["line"] = trajectory.record.line
    return {**layout, "system": system}


def _read_steps(steps: Sequence[JsonRecord], notes: ImportNotes) -> _TrajectoryMessages:
    content = _TrajectoryMessages()
    for record in steps:
        notes.records += 1
        step = record.value
        messages = step_messages(record, notes)
        boundary = compaction_mark(step)
        if boundary is not None:
            step_own_messages = [] if nested(step, "source") == "system" else messages
            content.messages += step_own_messages
            content.recorded.append(_compaction(boundary, messages, len(content.messages), record))
        elif not content.messages and nested(step, "source") == "system" and not observation_results(step):
            content.texts += map(joined_text, messages)
            content.system.append([record.line, record.start, record.end])
        else:
            content.messages += messages
        if isinstance(step, dict):
            _add_usage(content, step, record.source())
    return content


def _add_usage(content: _TrajectoryMessages, step: Mapping[str, Json], source: Source) -> None:
    tokens, answer_tokens = openai_usage(step.get("metrics"))
    content.tokens = content.tokens if tokens is None else tokens
    model = coerce_text(step.get("model_name"))
    content.model = model or content.model
    content.reports.add(source, tokens, answer_tokens, model)


def _compaction(
    mark: Mapping[str, Json], messages: Sequence[Message], position: int, record: JsonRecord
) -> RecordedCompaction:
    """Return the compaction of all messages before the step; its observation is the summary."""
    source = record.source()
    results = [
        block.result for message in messages for block in message.blocks if isinstance(block, ToolResponse)
    ]
    texts = tuple(Text(result) for result in results if isinstance(result, str) and result)
    summary = replace(messages[0], speaker=Speaker.SYSTEM, blocks=texts, flags=MessageFlag.RECORDED_SUMMARY)
    return RecordedCompaction(
        "summary",
        position,
        coerce_text(mark.get("trigger")),
        summary=(summary,) if texts else (),
        source=source,
    )


ATIF = Format(
    "atif",
    "ATIF",
    "Agent trajectories as Harbor writes them: steps with their observations, sub-agents inside;"
    " no real file with a compaction was seen.",
    score,
    read,
)

"""Reader for ATIF trajectories (Harbor): steps of user, agent and system, with sub-agents inside.

A step with an observation becomes two messages, the agent's and the tools'. A step that marks a
compaction becomes a recorded summary, not a message (formats.md section 14).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.atif.steps import compaction_mark, observation_results, step_messages
from core.formats.common.conversation_list import check_number, first_words
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested
from core.formats.common.json_ranges import JsonRecord, parse_json_document
from core.formats.common.source_bytes import read_range
from core.formats.common.tool_linking import link_calls
from core.formats.common.usage_reports import UsageReports, openai_usage
from core.transcript.model import (
    Conversation,
    ListedConversation,
    Message,
    MessageFlag,
    RecordedCompaction,
    Source,
    Speaker,
    SystemPart,
    Text,
    ToolResponse,
    joined_text,
)

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

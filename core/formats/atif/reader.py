"""Reader for ATIF trajectories (Harbor): steps of user, agent and system, with sub-agents inside.

A step with an observation becomes two messages, the agent's and the tools'; the observation of a
step without calls, as of an agent that writes its commands as text, is what the environment told
the agent next. A step that replaces the context becomes a recorded compaction, not a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.atif.handoffs import (
    SUB_TRAJECTORIES,
    as_summary,
    compaction_of,
    handing_over,
    is_boundary,
    with_earlier_part,
)
from core.formats.atif.steps import SPEAKERS, observation_results, step_messages, sub_agent_refs
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import (
    ConversationRecords,
    check_number,
    first_words,
    inner_document,
)
from core.formats.common.messages import (
    ImportNotes,
    UsageReports,
    link_calls,
    openai_usage,
)
from core.transcript.model import (
    Conversation,
    ListedConversation,
    Message,
    RecordedCompaction,
    joined_text,
)

_STEPS = "steps"


@dataclass(frozen=True, slots=True)
class _Trajectory:
    """One trajectory: its record, its path inside the record, and the call that started it."""

    record: JsonRecord
    value: Mapping[str, Json]
    path: tuple[str | int, ...]
    indices: tuple[int, ...] = ()
    call_id: str = ""


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the schema version, else by steps with an id and a source."""
    for value in file.objects:
        version = value.get("schema_version")
        if (
            isinstance(version, str)
            and version.startswith("ATIF")
            and isinstance(value.get(_STEPS), list)
        ):
            return 0.98, f"schema_version {version[:20]}"
        steps = list_of(value.get(_STEPS))
        if steps and all(
            "step_id" in fields_of(s) and s.get("source") in tuple(SPEAKERS) for s in steps
        ):
            return 0.85, f"step_id and source in {len(steps)} of {len(steps)} steps"
    return 0.0, ""


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one trajectory; sub-agents follow the one that started them. Raises InputError."""
    notes = ImportNotes()
    trajectories = list(_trajectories(file, request, notes))
    if not trajectories:
        raise InputError(
            f'{file.document.name} has no trajectory with a list "{_STEPS}".',
            "Choose an ATIF file, or let the format be found by content.",
        )
    number, count = request.conversation, len(trajectories)
    check_number(file.document.name, number, count)
    chosen = trajectories[number - 1]
    record = chosen.record
    for index in chosen.indices:
        record = inner_document(file, record).arrays[SUB_TRAJECTORIES][index]
    layout: dict[str, Json] = {"container": file.container.value, "path": [*chosen.path, _STEPS]}
    if file.container is DocumentContainer.LINES:
        layout["line"] = record.line
    steps = inner_document(file, record).arrays[_STEPS]
    listed = tuple(_listed(*one) for one in enumerate(trajectories, 1)) if count > 1 else ()
    loaded = ConversationRecords(
        file=file,
        notes=notes,
        records=steps,
        fields=chosen.value,
        layout=layout,
        number=number,
        siblings=count,
        listed=listed,
    )
    messages, recorded = _read_steps(loaded)
    if continuation := coerce_text(chosen.value.get("continued_trajectory_ref")):
        notes.warn(0, f"the trajectory goes on in {continuation}; open that file for the rest")
    return _with_reports(loaded, messages, recorded)


def _with_reports(
    loaded: ConversationRecords, messages: Sequence[Message], recorded: Sequence[RecordedCompaction]
) -> Conversation:
    agent, reports = fields_of(loaded.fields.get("agent")), UsageReports()
    last_model, last_tokens = "", None
    for record in loaded.records:
        step = fields_of(record.value)
        tokens, answer_tokens = openai_usage(step.get("metrics"))
        model = coerce_text(step.get("model_name"))
        reports.add(record.source(), tokens, answer_tokens, model)
        last_model, last_tokens = model or last_model, last_tokens if tokens is None else tokens
    return replace(
        loaded.conversation("atif", link_calls(messages), list_of(agent.get("tool_definitions"))),
        recorded=tuple(recorded),
        model=coerce_text(agent.get("model_name")) or last_model,
        session_id=coerce_text(loaded.fields.get("session_id")),
        reported_context=last_tokens,
        usage=reports.reported_usage(messages),
    )


def _trajectories(
    file: OpenedDocument, request: ReadRequest, notes: ImportNotes
) -> Iterator[_Trajectory]:
    for index, record in enumerate(iterate_records(file, notes, request.progress, request.stop)):
        if isinstance(nested(record.value, _STEPS), list):
            path = (index,) if file.container is DocumentContainer.ARRAY else ()
            yield from _with_sub_trajectories(_Trajectory(record, record.value, path))
        else:
            notes.warn(record.line, f"the record has no list of {_STEPS}; it was skipped")
            notes.skip(f"without {_STEPS}")


def _with_sub_trajectories(outer: _Trajectory) -> Iterator[_Trajectory]:
    yield outer
    for index, value in enumerate(list_of(outer.value.get(SUB_TRAJECTORIES))):
        if isinstance(nested(value, _STEPS), list):
            path, indices = (*outer.path, SUB_TRAJECTORIES, index), (*outer.indices, index)
            call_id = _starting_call_id(outer.value[_STEPS], value)
            yield from _with_sub_trajectories(
                _Trajectory(outer.record, value, path, indices, call_id)
            )


def _starting_call_id(steps: Sequence[Json], trajectory: Mapping[str, Json]) -> str:
    def ids(value: Mapping[str, Json]) -> set[str]:
        return {coerce_text(value.get(name)) for name in ("session_id", "trajectory_id")} - {""}

    for result in (result for step in steps for result in observation_results(step)):
        if any(ids(ref) & ids(trajectory) for ref in sub_agent_refs(result)):
            return coerce_text(result.get("source_call_id"))
    return ""


def _listed(number: int, trajectory: _Trajectory) -> ListedConversation:
    name = coerce_text(nested(trajectory.value, "agent", "name"))
    prompts = (
        step.get("message") for step in trajectory.value[_STEPS] if nested(step, "source") == "user"
    )
    task = next(
        (first_words(text) for text in prompts if isinstance(text, str) and text.strip()), ""
    )
    title = " · ".join(filter(None, (name, task))) or coerce_text(
        trajectory.value.get("session_id")
    )
    kind = "sub-agent" if trajectory.indices else ""
    return ListedConversation(number, title, None, kind, trajectory.call_id)


def _read_steps(loaded: ConversationRecords) -> tuple[list[Message], list[RecordedCompaction]]:
    messages: list[Message] = []
    recorded: list[RecordedCompaction] = []
    boundary = ""
    for record in loaded.records:
        step, own = record.value, step_messages(record, loaded.notes)
        is_system = nested(step, "source") == "system"
        if is_boundary(step):
            messages += [] if is_system else own
            recorded.append(compaction_of(record, own, messages, loaded))
            boundary = "" if recorded[-1].summary else handing_over(step)
        elif not messages and is_system and not observation_results(step):
            loaded.add_system(record, *map(joined_text, own))
        else:
            is_summary = boundary and nested(step, "source") == "user"
            messages += as_summary(own, boundary) if is_summary else own
            boundary = ""
    messages, earlier = with_earlier_part(loaded.fields, messages)
    return messages, [*earlier, *recorded]


ATIF = Format(
    name="atif",
    label="ATIF",
    about="Agent trajectories as Harbor writes them: steps with their observations, sub-agents inside;"
    " no real file with a compaction was seen.",
    score=score,
    read=read,
    read_only=ReadOnly.RECORD,
)

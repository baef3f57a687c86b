"""Reader for ATIF trajectories (Harbor): steps of user, agent and system, with sub-agents inside.

A step with an observation becomes two messages, the agent's and the tools'; the observation of a
step without calls, as of an agent that writes its commands as text, is what the environment told
the agent next. A step that replaces the context becomes a recorded compaction, not a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import PurePath

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    iterate_records,
)
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    other_fields,
    string_of,
)
from core.formats.common.message_lists import (
    ConversationRecords,
    check_number,
    first_words,
    inner_document,
)
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    UsageReports,
    call_block,
    link_calls,
    openai_usage,
    record_messages,
    reported_cache,
    shaped_block,
    speaker_of,
    unreadable_message,
)
from core.formats.common.session_log import side_file
from core.transcript.model import (
    Block,
    Conversation,
    ListedConversation,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    joined_text,
    tool_responses,
)

SPEAKERS = {"user": Speaker.HUMAN, "agent": Speaker.AI, "system": Speaker.SYSTEM}
_KNOWN_FIELDS = (
    "source",
    "message",
    "tool_calls",
    "observation",
    "reasoning_content",
    "timestamp",
)


def step_messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    """Return the messages of a step: two if tools answered in it, else one."""
    step = record.value
    if not isinstance(step, dict):
        return [unreadable_message(record, notes, "a step is not an object")]
    role = step.get("source")
    speaker = speaker_of(role, SPEAKERS, notes, record.line, "source")
    blocks = _said(step, notes, record.line)
    results = observation_results(step)
    answers: Sequence[Block] = ()
    commentary: list[Block] = []
    # Without calls, what was observed is no result: the harness told it to the agent.
    is_call = [isinstance(block, ToolCall) for block in blocks]
    if any(is_call) or any(map(_names_call, results)):
        answers = _responses(results, blocks, notes, record.line)
    else:
        for result in results:
            commentary += _commentary(result)
    known = _KNOWN_FIELDS if isinstance(role, str) else _KNOWN_FIELDS[1:]
    extra = other_fields(step, known)
    id_ = coerce_text(step.get("step_id"))
    time = coerce_text(step.get("timestamp"))
    # A step in which the agent said nothing has only its results; an empty one stays a message.
    is_said = bool(blocks) or not (answers or commentary)
    parts: list[tuple[Speaker, Sequence[Block]]] = []
    if is_said:
        parts.append((speaker, blocks))
    if answers:
        parts.append((Speaker.TOOL, answers))
    messages = record_messages(record.source(), parts, id=id_, time=time, extra=extra)
    if commentary:
        source = replace(record.source(), part=len(parts))
        spoken = [(Speaker.HUMAN, commentary)]
        messages += record_messages(
            source, spoken, MessageFlag.META, id_, time, {} if is_said else extra
        )
    return messages


def _said(step: Mapping[str, Json], notes: ImportNotes, line: int) -> list[Block]:
    """Return what the agent thought, said and called in a step."""
    blocks: list[Block] = []
    if thinking := string_of(step.get("reasoning_content")):
        blocks.append(Thinking(thinking))
    blocks += message_blocks(step)
    for call in list_of(step.get("tool_calls")):
        blocks.append(call_block(call, _CALL, notes, line))
    return blocks


def observation_results(step: Json) -> Sequence[Json]:
    return list_of(nested(step, "observation", "results"))


def sub_agent_refs(result: Json) -> Sequence[Mapping[str, Json]]:
    """Return what a result says of the trajectories of sub-agents: one reference or a list."""
    refs = nested(result, "subagent_trajectory_ref")
    return [*map(fields_of, refs if isinstance(refs, list) else (refs,))]


def _names_call(result: Json) -> bool:
    return bool(coerce_text(nested(result, "source_call_id")))


def _commentary(result: Json) -> Sequence[Block]:
    """Return what a result says that answers no call; nothing for one that only names a sub-agent's
    file."""
    return _parts(
        result.get("content") if isinstance(result, dict) else result, "observation"
    )


def message_blocks(step: Mapping[str, Json]) -> Sequence[Block]:
    return _parts(step.get("message"), "message")


def _parts(content: Json, kind: str) -> Sequence[Block]:
    if isinstance(content, list):
        return [_part(part) for part in content]
    if isinstance(content, str) and content:
        return [Text(content)]
    if content in (None, ""):
        return []
    return [Opaque(kind, content)]


_TEXT = {"text": BlockShape(Text, ("text",), required=("text",))}
_CALL = BlockShape(
    ToolCall, ("tool_call_id", "function_name"), ("arguments",), default={}
)


def _part(part: Json) -> Block:
    """Convert a content part: text or an image; a file beside the trajectory stays opaque."""
    path = nested(part, "source", "path")
    # A file beside the trajectory is not read: its name would be all that could be shown.
    if isinstance(path, str) and path.startswith(("http://", "https://", "data:")):
        mime = coerce_text(nested(part, "source", "media_type"))
        return Media(mime, path, "", other_fields(part, ("type", "source")))
    if isinstance(part, str):
        return Text(part)
    return shaped_block(part, _TEXT)


def _unanswered_ids(results: Sequence[Json], blocks: Sequence[Block]) -> list[str]:
    """Return the ids of the step's calls that no result names."""
    named_ids = {
        coerce_text(nested(result, "source_call_id")) for result in results
    } | {""}
    calls = [block.id for block in blocks if isinstance(block, ToolCall)]
    return [id_ for id_ in calls if id_ not in named_ids]


def _responses(
    results: Sequence[Json], blocks: Sequence[Block], notes: ImportNotes, line: int
) -> list[ToolResponse]:
    """Return the responses of a step; one without a call id answers the step's next unanswered
    call."""
    unnamed_ids = _unanswered_ids(results, blocks)
    responses: list[ToolResponse] = []
    for result in results:
        value = result if isinstance(result, dict) else {"content": result}
        extra = dict(other_fields(value, ("source_call_id", "content")))
        call_id = coerce_text(value.get("source_call_id"))
        # Presumably an agent with one call a step need not name it in its result.
        if not call_id and unnamed_ids:
            call_id = unnamed_ids.pop(0)
            extra["$made_id"] = True
            notes.repair(
                line, f"a result names no call; it was taken as the answer to {call_id}"
            )
        content = value.get("content", "")
        if "content" not in value:
            # Absent, null and empty are written back as they were.
            extra["$content"] = "absent"
        elif content is None:
            extra["$content"] = "null"
            content = ""
        responses.append(ToolResponse(call_id, "", content, MISSING, extra))
    return responses


SUB_TRAJECTORIES = "subagent_trajectories"
_SUMMARISERS = "-summarization-"
"""In the session id of a sub-agent of Terminus 2 that helps to hand over."""
_HANDOFF = "context summarization and handoff"
"""In what Terminus 2 says as the system when it hands over, also where no helper is named."""
_CONTINUES = "-cont-"
_ANNOUNCED = "next user message carries the compaction summary"
"""In a boundary of Vibe, which begins a session with its summary."""


def is_boundary(step: Json) -> bool:
    """Return whether a step replaces the context before it, which ATIF before version 1.7 does not
    mark."""
    mark = _mark(step)
    is_marked = mark.get("boundary") == "replace" or mark.get("type") == "compaction"
    # Terminus 2 hands over to a new agent and marks nothing.
    return is_marked or _hands_over(step)


def handing_over(step: Json) -> str:
    """Return what a boundary says if the user step after it is the summary, no words of the
    person."""
    words = string_of(nested(step, "message"))
    return words if _hands_over(step) or _ANNOUNCED in words else ""


def as_summary(messages: Sequence[Message], boundary: str = "") -> list[Message]:
    """Return the messages, those in the user's name as a summary; beside it, what its boundary
    says."""
    if boundary:
        beside = {"$boundary": boundary}
    else:
        beside = {}
    return [
        replace(
            one,
            flags=one.flags | MessageFlag.RECORDED_SUMMARY,
            extra={**one.extra, **beside},
        )
        if one.speaker is Speaker.HUMAN
        else one
        for one in messages
    ]


def _observed_texts(own: Sequence[Message]) -> tuple[Text, ...]:
    """Return the results and the commentary of a step, as far as these are words."""
    results = (
        response.result for message in own for response in tool_responses(message)
    )
    commentary = (
        joined_text(message) for message in own if message.flags & MessageFlag.META
    )
    words = (one for one in (*results, *commentary) if isinstance(one, str))
    return tuple(Text(one) for one in words if one)


def compaction_of(
    record: JsonRecord,
    own: Sequence[Message],
    before: Sequence[Message],
    loaded: ConversationRecords,
) -> RecordedCompaction:
    """Return the compaction of all messages before a step; its observation is the summary."""
    helpers = _helpers(record.value)
    texts = _observed_texts(own)
    summary = replace(
        own[0], speaker=Speaker.SYSTEM, blocks=texts, flags=MessageFlag.RECORDED_SUMMARY
    )
    # The next agent is given the task again, which is the first message.
    kept = (0,) if _hands_over(record.value) and before else ()
    questions = _questions(helpers, record, loaded)
    return RecordedCompaction(
        kind="summary",
        boundary=len(before),
        trigger=coerce_text(_mark(record.value).get("trigger")),
        summary=(summary,) if texts else (),
        kept=kept,
        source=record.source(),
        context_after=(*kept, *questions) if questions else (),
    )


def with_earlier_part(
    fields: Mapping[str, Json], messages: Sequence[Message]
) -> tuple[list[Message], list[RecordedCompaction]]:
    """Return the messages of a file that continues another, with the compaction that began it, if
    it does."""
    is_copy = [one.extra.get("is_copied_context") is True for one in messages]
    copied = len(list(takewhile(bool, is_copy)))
    # The task and a summary are the least that a continued file has copied.
    if copied < 2 or _CONTINUES not in coerce_text(fields.get("session_id")):
        return [*messages], []
    end = copied
    while end < len(messages) and messages[end].speaker is Speaker.HUMAN:
        end += 1
    messages_after = [messages[0], *as_summary(messages[1:end]), *messages[end:]]
    source = messages[1].sources[0]
    return messages_after, [
        RecordedCompaction(
            kind="summary", boundary=1, kept=(0,), source=source, is_source_lost=True
        )
    ]


def _mark(step: Json) -> Mapping[str, Json]:
    return fields_of(nested(step, "extra", "context_management"))


def _hands_over(step: Json) -> bool:
    """Return whether Terminus 2 hands over at a step: it names its helpers, or says so."""
    if nested(step, "source") != "system":
        return False
    return bool(_helpers(step)) or _HANDOFF in string_of(nested(step, "message"))


def _helpers(step: Json) -> list[Mapping[str, Json]]:
    """Return the references to the sub-agents that helped to hand over."""
    refs = (
        ref for result in observation_results(step) for ref in sub_agent_refs(result)
    )
    return [ref for ref in refs if _SUMMARISERS in coerce_text(ref.get("session_id"))]


def _questions(
    helpers: Sequence[Mapping[str, Json]],
    record: JsonRecord,
    loaded: ConversationRecords,
) -> tuple[Message, ...]:
    """Return the summary with the next agent's questions, of a trajectory inside the file or beside
    it."""
    for ref in helpers:
        id_ = coerce_text(ref.get("session_id"))
        if not id_.endswith("-questions"):
            continue
        inside = (
            fields_of(one) for one in list_of(loaded.fields.get(SUB_TRAJECTORIES))
        )
        beside = PurePath(coerce_text(ref.get("trajectory_path"))).name
        found = next((one for one in inside if one.get("session_id") == id_), None)
        steps = list_of((found or side_file(loaded.file, beside)).get("steps"))
        return tuple(
            Message(
                speaker=SPEAKERS.get(string_of(step.get("source")), Speaker.UNKNOWN),
                blocks=tuple(message_blocks(step)),
                sources=(record.source(),),
                flags=MessageFlag.RECORDED_SUMMARY,
            )
            for step in map(fields_of, steps)
        )
    return ()


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
        steps = value.get(_STEPS)
        if not isinstance(steps, list):
            continue
        if isinstance(version, str) and version.startswith("ATIF"):
            return 0.98, f"schema_version {version[:20]}"
        if steps and all(map(_is_step, steps)):
            return 0.85, f"step_id and source in {len(steps)} of {len(steps)} steps"
    return 0.0, ""


def _is_step(step: Json) -> bool:
    return "step_id" in fields_of(step) and step.get("source") in tuple(SPEAKERS)


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one trajectory; sub-agents follow the one that started them. Raises InputError."""
    notes = ImportNotes()
    trajectories = list(_trajectories(file, request, notes))
    if not trajectories:
        raise InputError(
            f'{file.document.name} has no trajectory with a list "{_STEPS}".',
            "Choose an ATIF file, or let the format be found by content.",
        )
    number = request.conversation
    count = len(trajectories)
    check_number(file.document.name, number, count)
    chosen = trajectories[number - 1]
    record = chosen.record
    for index in chosen.indices:
        record = inner_document(file, record).arrays[SUB_TRAJECTORIES][index]
    layout: dict[str, Json] = {
        "container": file.container.value,
        "path": [*chosen.path, _STEPS],
    }
    if file.container is DocumentContainer.LINES:
        layout["line"] = record.line
    steps = inner_document(file, record).arrays[_STEPS]
    if count > 1:
        listed = tuple(_listed(*one) for one in enumerate(trajectories, 1))
    else:
        listed = ()
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
        notes.warn(
            0, f"the trajectory goes on in {continuation}; open that file for the rest"
        )
    return _with_reports(loaded, messages, recorded)


def _with_reports(
    loaded: ConversationRecords,
    messages: Sequence[Message],
    recorded: Sequence[RecordedCompaction],
) -> Conversation:
    agent = fields_of(loaded.fields.get("agent"))
    reports = UsageReports()
    last_model, last_tokens = "", None
    for record in loaded.records:
        step = fields_of(record.value)
        tokens, answer_tokens = openai_usage(step.get("metrics"))
        model = coerce_text(step.get("model_name"))
        metrics = fields_of(step.get("metrics"))
        cache = reported_cache(
            metrics.get("cached_tokens"), cost=metrics.get("cost_usd")
        )
        reports.add(record.source(), tokens, answer_tokens, model, cache)
        last_model = model or last_model
        last_tokens = last_tokens if tokens is None else tokens
    return replace(
        loaded.conversation(
            "atif", link_calls(messages), list_of(agent.get("tool_definitions"))
        ),
        recorded=tuple(recorded),
        model=coerce_text(agent.get("model_name")) or last_model,
        session_id=coerce_text(loaded.fields.get("session_id")),
        reported_context=last_tokens,
        usage=reports.reported_usage(messages),
    )


def _trajectories(
    file: OpenedDocument, request: ReadRequest, notes: ImportNotes
) -> Iterator[_Trajectory]:
    for index, record in enumerate(
        iterate_records(file, notes, request.progress, request.stop)
    ):
        if isinstance(nested(record.value, _STEPS), list):
            path = (index,) if file.container is DocumentContainer.ARRAY else ()
            yield from _with_sub_trajectories(_Trajectory(record, record.value, path))
        else:
            notes.warn(
                record.line, f"the record has no list of {_STEPS}; it was skipped"
            )
            notes.skip(f"without {_STEPS}")


def _with_sub_trajectories(outer: _Trajectory) -> Iterator[_Trajectory]:
    yield outer
    for index, value in enumerate(list_of(outer.value.get(SUB_TRAJECTORIES))):
        if isinstance(nested(value, _STEPS), list):
            path = (*outer.path, SUB_TRAJECTORIES, index)
            indices = (*outer.indices, index)
            call_id = _starting_call_id(outer.value[_STEPS], value)
            yield from _with_sub_trajectories(
                _Trajectory(outer.record, value, path, indices, call_id)
            )


def _starting_call_id(steps: Sequence[Json], trajectory: Mapping[str, Json]) -> str:
    def ids(value: Mapping[str, Json]) -> set[str]:
        return {
            coerce_text(value.get(name)) for name in ("session_id", "trajectory_id")
        } - {""}

    for result in (result for step in steps for result in observation_results(step)):
        if any(ids(ref) & ids(trajectory) for ref in sub_agent_refs(result)):
            return coerce_text(result.get("source_call_id"))
    return ""


def _listed(number: int, trajectory: _Trajectory) -> ListedConversation:
    name = coerce_text(nested(trajectory.value, "agent", "name"))
    prompts = (
        step.get("message")
        for step in trajectory.value[_STEPS]
        if nested(step, "source") == "user"
    )
    task = next(
        (
            first_words(text)
            for text in prompts
            if isinstance(text, str) and text.strip()
        ),
        "",
    )
    title = " · ".join(filter(None, (name, task))) or coerce_text(
        trajectory.value.get("session_id")
    )
    kind = "sub-agent" if trajectory.indices else ""
    return ListedConversation(number, title, None, kind, trajectory.call_id)


def _read_steps(
    loaded: ConversationRecords,
) -> tuple[list[Message], list[RecordedCompaction]]:
    messages: list[Message] = []
    recorded: list[RecordedCompaction] = []
    boundary = ""
    for record in loaded.records:
        step = record.value
        own = step_messages(record, loaded.notes)
        is_system = nested(step, "source") == "system"
        if is_boundary(step):
            messages += [] if is_system else own
            recorded.append(compaction_of(record, own, messages, loaded))
            if recorded[-1].summary:
                boundary = ""
            else:
                boundary = handing_over(step)
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

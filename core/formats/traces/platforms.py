"""Reader for exports of two platforms: observations of Langfuse, as its API lists them or in a
trace that was downloaded, and runs of LangSmith.

An agent that another one calls has a conversation of its own: what it generated lies below its
span, or below the observation of the tool that called it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument, iterate_records
from core.formats.common.format import (
    Format,
    FormatScore,
    ReaderEvidence,
    ReadOnly,
    ReadRequest,
)
from core.formats.common.json_parsing import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    string_of,
)
from core.formats.common.messages import ImportNotes
from core.formats.common.session_log import shape_score
from core.formats.traces.model_calls import TracedCall, read_calls
from core.formats.traces.reader import payload_messages
from core.transcript.model import Conversation

_Observation = Mapping[str, Json]
_LISTS = ("observations", "data")
_AGENT_NAMES = ("invoke_agent", "agent_run")
"""How names of spans begin that frameworks write for an agent."""


def _score(file: OpenedDocument) -> FormatScore:
    if file.objects:
        first = file.objects[0]
    else:
        first = {}
    for name in _LISTS:
        observations = list_of(first.get(name))
        if observations:
            own = fields_of(observations[0])
        else:
            own = {}
        if "traceId" in own or {"type", "startTime"} <= own.keys():
            return 0.98, f"observations of a trace under {name}"
    return shape_score(
        file, "observations", "observations of Langfuse or runs of LangSmith"
    )


def _read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    notes = ImportNotes()
    values: list[_Observation] = []
    for record in iterate_records(file, notes, request.progress, request.stop):
        fields = fields_of(record.value)
        inner = next(
            (fields[name] for name in _LISTS if isinstance(fields.get(name), list)),
            [fields],
        )
        session = coerce_text(fields_of(fields.get("trace") or fields).get("sessionId"))
        values += (
            {**fields_of(one), **({"sessionId": session} if session else {})}
            for one in inner
        )
    values.sort(
        key=lambda value: coerce_text(value.get("dotted_order", value.get("startTime")))
    )
    return read_calls(file, request, "observations", _calls(values, notes), notes)


def _calls(values: Sequence[_Observation], notes: ImportNotes) -> Iterator[TracedCall]:
    by_id = {coerce_text(value.get("id")): value for value in values}
    main_agents: dict[str, str] = {}
    for value in values:
        kind, conversation = _kind(value), _conversation_id(value)
        callers = _callers(value, by_id)
        id_, agent = callers[0] if callers else ("", "")
        if kind in ("GENERATION", "llm"):
            is_nested = (
                len(callers) > 1
            )  # each time it is called, a conversation of its own
            is_sub_agent = (
                is_nested or main_agents.setdefault(conversation, agent) != agent
            )
            called = f"{agent} {id_}" if is_nested else agent
            group = f"{called} {conversation}".strip() if is_sub_agent else conversation
            record_of = _generation if kind == "GENERATION" else _run
            yield record_of(value, group, is_sub_agent)
        elif kind in ("TOOL", "tool") and len(callers) < 2:
            yield _tool(value, conversation)
        else:
            notes.skip(f"observation: {kind or 'other'}", line=1)


def _kind(value: _Observation) -> str:
    return string_of(value.get("type")) or string_of(value.get("run_type"))


def _conversation_id(value: _Observation) -> str:
    trace = value.get("traceId", value.get("trace_id"))
    return coerce_text(value.get("sessionId") or trace)


def _callers(
    value: _Observation, by_id: Mapping[str, _Observation]
) -> list[tuple[str, str]]:
    """Return ids and names of the agents and tools that an observation lies below, the innermost
    first."""
    callers: dict[str, str] = {}
    parent = _parent(value)
    while parent in by_id and parent not in callers:
        own = by_id[parent]
        name, kind = (
            string_of(own.get("name")),
            string_of(own.get("type")) or string_of(own.get("run_type")),
        )
        is_caller = kind in ("AGENT", "TOOL", "tool") or name.startswith(_AGENT_NAMES)
        callers[parent] = (name or parent) if is_caller else ""
        parent = _parent(own)
    return [(id_, name) for id_, name in callers.items() if name]


def _parent(value: _Observation) -> str:
    return coerce_text(value.get("parentObservationId", value.get("parent_run_id")))


def _generation(value: _Observation, group: str, is_sub_agent: bool) -> TracedCall:
    usage = {**fields_of(value.get("usage")), **fields_of(value.get("usageDetails"))}
    tools = list_of(nested(value.get("input"), "tools")) or list_of(
        nested(value.get("input"), "config", "tools")
    )
    return TracedCall(
        group=group,
        time=value.get("startTime"),
        inputs=payload_messages(value.get("input")),
        outputs=payload_messages(value.get("output"), "assistant"),
        model=string_of(value.get("model")),
        context=number_of(usage.get("input")),
        output_tokens=number_of(usage.get("output")),
        tools=tools,
        is_sub_agent=is_sub_agent,
    )


def _run(value: _Observation, group: str, is_sub_agent: bool) -> TracedCall:
    return TracedCall(
        group=group,
        time=value.get("start_time"),
        inputs=payload_messages(value.get("inputs")),
        outputs=payload_messages(value.get("outputs"), "assistant"),
        model=string_of(nested(value, "extra", "metadata", "ls_model_name")),
        context=number_of(value.get("prompt_tokens")),
        output_tokens=number_of(value.get("completion_tokens")),
        is_sub_agent=is_sub_agent,
    )


def _tool(value: _Observation, group: str) -> TracedCall:
    """Return the result of a tool; its call is that of its id, else the first open one of its
    name."""
    output = value.get("output", value.get("outputs"))
    inner = fields_of(nested(output, "kwargs") or nested(output, "data") or output)
    id_ = coerce_text(inner.get("tool_call_id")) or coerce_text(
        nested(value, "metadata", "tool_call_id")
    )
    if id_:
        content = inner.get("content", output)
    else:
        content = output
    message = {
        "role": "tool",
        "tool_call_id": id_,
        "name": string_of(value.get("name")),
        "content": content,
    }
    return TracedCall(
        group=group,
        time=value.get("startTime", value.get("start_time")),
        outputs=[message],
        is_result=True,
    )


OBSERVATIONS = Format(
    name="observations",
    label="Langfuse, LangSmith",
    about="Exports of Langfuse (observations, also a downloaded trace) and LangSmith (runs).",
    score=_score,
    read=_read,
    evidence=ReaderEvidence.DESCRIPTION,
    read_only=ReadOnly.RECORD,
)

"""Readers for traces: OTLP in JSON with attributes of gen_ai or OpenInference (Phoenix writes these
beside the ids of a span); observations of Langfuse, as its API lists them or in a trace that was
downloaded; and runs of LangSmith.

An agent that another one calls has a conversation of its own: what it generated lies below its
span, or below the observation of the tool that called it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

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
    json_or_text,
    list_of,
    nested,
    number_of,
    string_of,
    written_number,
)
from core.formats.common.messages import ImportNotes
from core.formats.common.session_log import shape_score
from core.formats.traces_model_calls import TracedCall, read_calls
from core.transcript.model import Conversation

_LISTS = (
    "messages",
    "contents",
    "choices",
    "generations",
    "candidates",
    "output",
    "input",
)
"""Fields with messages: of requests, then of answers."""
_SYSTEM = ("system", "system_instruction", "systemInstruction", "instructions")


def payload_messages(value: Json, role: str = "user") -> list[Json]:
    """Return the messages of a request or, with another ``role``, of an answer."""
    value = json_or_text(value)
    if isinstance(value, list):
        return [_text_or_message(item, role) for item in value]
    if isinstance(value, str) and value:
        return [{"role": role, "content": value}]
    fields = fields_of(value)
    for name in _LISTS:
        listed = fields.get(name)
        if isinstance(listed, list):
            said = [_message(item, role) for item in _flat(listed)]
            return [*_system(fields), *said]
        # Probably some clients write a single text where others have messages.
        may_be_text = name in ("contents", "output", "input")
        if may_be_text and isinstance(listed, str) and listed:
            return [*_system(fields), {"role": role, "content": listed}]
    if isinstance(fields.get("message"), dict):
        return [fields["message"]]
    # A candidate of Gemini and ADK wraps its message once more.
    if isinstance(fields.get("content"), dict):
        return [_message(fields, role)]
    if _is_message(fields):
        return [fields]
    if "parts" in fields:
        return [{"role": role, **fields}]
    return []


def _text_or_message(item: Json, role: str) -> Json:
    if isinstance(item, str):
        return {"role": role, "content": item}
    return _message(item, role)


def _is_message(fields: Mapping[str, Json]) -> bool:
    """Return whether an object is a message itself, of an API or of LangChain."""
    is_langchain = "lc" in fields or fields.get("type") in ("ai", "human")
    return "role" in fields or is_langchain


def _system(fields: Mapping[str, Json]) -> list[Json]:
    """Return the system prompt beside the messages; ADK and Gemini's client have it in the
    configuration."""
    places = (
        fields,
        fields_of(fields.get("config")),
        fields_of(fields.get("generation_config")),
    )
    found = next(
        (place[name] for place in places for name in _SYSTEM if place.get(name)), None
    )
    if found is None:
        return []
    inner = fields_of(found)
    key = "parts" if "parts" in inner else "content"
    return [{"role": "system", key: inner.get("parts", found)}]


def _flat(value: Json) -> Iterator[Json]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list):
            yield from _flat(item)
        else:
            yield item


def _message(value: Json, role: str) -> Json:
    for name in ("message", "content"):
        inner = nested(value, name)
        if isinstance(inner, dict) and (name == "message" or "parts" in inner):
            # A message with a type of its own has its role in that.
            if "lc" not in inner and "type" not in inner:
                return {"role": role, **inner}
            return inner
    if isinstance(value, str):
        return {"role": role, "content": value}
    return value


Attributes = Mapping[str, Json]
_KINDS = {"LLM": "chat", "TOOL": "execute_tool", "AGENT": "invoke_agent"}


def _read_otlp(file: OpenedDocument, request: ReadRequest) -> Conversation:
    notes = ImportNotes()
    spans = [
        span
        for record in iterate_records(file, notes, request.progress, request.stop)
        for span in _spans(record.value)
    ]
    # Spans are written when they end, so the outer come last; numbers as text sort by length
    # first.
    spans.sort(key=lambda span: (len(span.start), span.start))
    return read_calls(file, request, "otlp", _span_calls(spans, notes), notes)


def _first(fields: Mapping[str, Json], *names: str) -> Json:
    """Return the first of these fields that is there."""
    return next((fields[name] for name in names if name in fields), None)


class _Span:
    """A span of OTLP or Phoenix with flat attributes."""

    def __init__(self, value: Mapping[str, Json], attributes: Attributes) -> None:
        # Phoenix has the ids inside of context, OTLP beside the attributes.
        ids = {**fields_of(value.get("context")), **value}
        self.attributes = attributes
        self.name = string_of(value.get("name"))
        self.id = coerce_text(_first(ids, "spanId", "span_id"))
        self.trace = coerce_text(_first(ids, "traceId", "trace_id"))
        self.parent = coerce_text(
            _first(value, "parentSpanId", "parent_span_id", "parent_id")
        )
        start = _first(value, "startTimeUnixNano", "start_time_unix_nano", "start_time")
        self.start = coerce_text(start)
        events = map(fields_of, list_of(value.get("events")))
        self.events = [
            (string_of(one.get("name")), _attributes(one.get("attributes")))
            for one in events
        ]

    @property
    def time(self) -> Json:
        nanoseconds = written_number(self.start)
        # Phoenix writes the time as text, OTLP as nanoseconds.
        if nanoseconds is None:
            return self.start
        return nanoseconds // 1_000_000

    @property
    def kind(self) -> str:
        """chat, execute_tool or invoke_agent, whatever the convention of its names."""
        operation = coerce_text(self.attributes.get("gen_ai.operation.name"))
        own = coerce_text(self.attributes.get("openinference.span.kind")).upper()
        return operation or _KINDS.get(
            own, "chat" if "gen_ai.prompt.0.content" in self.attributes else ""
        )


def _spans(value: Json) -> Iterator[_Span]:
    """Yield the spans of a record: an envelope of OTLP, a list of them, or a span of Phoenix."""
    for item in value if isinstance(value, list) else [value]:
        fields = fields_of(item)
        resources = list_of(_first(fields, "resourceSpans", "resource_spans"))
        for resource in map(fields_of, resources):
            for scope in map(
                fields_of, list_of(_first(resource, "scopeSpans", "scope_spans"))
            ):
                for span in map(fields_of, list_of(scope.get("spans"))):
                    yield _Span(span, _attributes(span.get("attributes")))
        if not resources and "attributes" in fields:
            yield _Span(fields, _attributes(fields["attributes"]))


def _attributes(value: Json) -> Attributes:
    """Return attributes by their dotted names, from OTLP's list of pairs or from nested objects."""
    if isinstance(value, list):
        return {
            coerce_text(nested(pair, "key")): _plain(nested(pair, "value"))
            for pair in value
        }
    flat: dict[str, Json] = {}
    for name, item in fields_of(value).items():
        if isinstance(item, dict):
            inner = _attributes(item)
        else:
            inner = {}
        flat |= {f"{name}.{key}": one for key, one in inner.items()} or {name: item}
    return flat


def _plain(value: Json) -> Json:
    """Return a value of OTLP without its wrapper."""
    for name, inner in fields_of(value).items():
        match name.replace("_", "").lower():
            case "intvalue":
                # OTLP writes whole numbers of 64 bits as text.
                number = written_number(coerce_text(inner))
                return inner if number is None else number
            case "arrayvalue":
                return [_plain(item) for item in list_of(nested(inner, "values"))]
            case "kvlistvalue":
                return _attributes(list(list_of(nested(inner, "values"))))
            case "stringvalue" | "boolvalue" | "doublevalue":
                return inner
    return None


def _span_calls(spans: Sequence[_Span], notes: ImportNotes) -> Iterator[TracedCall]:
    by_id = {span.id: span for span in spans}
    # Probably only some spans of a trace name the conversation.
    conversations: dict[str, str] = {}
    for span in spans:
        for name in ("gen_ai.conversation.id", "session.id"):
            if own := coerce_text(span.attributes.get(name)):
                conversations.setdefault(span.trace, own)
    # Probably some clients write the definition of a tool on the spans of its calls alone.
    attributes = {
        span.attributes["gen_ai.tool.name"]: span.attributes
        for span in spans
        if "gen_ai.tool.name" in span.attributes
    }
    known_tools = [
        {"name": name, "description": text}
        for name, a in attributes.items()
        if (text := a.get("gen_ai.tool.description"))
    ]
    for span in spans:
        a = span.attributes
        agents = _agents(span, by_id)
        own = coerce_text(a.get("gen_ai.conversation.id"))
        conversation = own or conversations.get(span.trace, span.trace)
        # The outermost agent is the main one; what it calls is a conversation of its own.
        is_sub_agent = len(agents) > 1
        if is_sub_agent:
            group = f"{conversation} {agents[0].name}"
        else:
            group = conversation
        if span.kind == "execute_tool":
            spoken = _tool_messages(span)
            yield TracedCall(
                group=group,
                time=span.time,
                outputs=spoken,
                tools=known_tools,
                is_sub_agent=is_sub_agent,
                is_tool=True,
            )
        elif span.kind in ("chat", "text_completion", "generate_content"):
            model = _first(
                a, "gen_ai.response.model", "gen_ai.request.model", "llm.model_name"
            )
            size = number_of(
                _first(a, "gen_ai.usage.input_tokens", "llm.token_count.prompt")
            )
            output = number_of(
                _first(a, "gen_ai.usage.output_tokens", "llm.token_count.completion")
            )
            inputs, outputs = _span_messages(span)
            tools = (
                list_of(json_or_text(a.get("gen_ai.tool.definitions"))) or known_tools
            )
            own = coerce_text(model)
            yield TracedCall(
                group=group,
                time=span.time,
                inputs=inputs,
                outputs=outputs,
                model=own,
                context=size,
                output_tokens=output,
                tools=tools,
                is_sub_agent=is_sub_agent,
            )
        else:
            notes.skip(f"span: {span.kind or span.name or 'other'}", line=1)


def _agents(span: _Span, by_id: Mapping[str, _Span]) -> list[_Span]:
    """Return the agents that a span belongs to, the innermost first."""
    parents: dict[str, _Span] = {}
    # A cycle of parents must end.
    while (parent := by_id.get(span.parent)) and parent.id not in parents:
        parents[parent.id] = span = parent
    return [parent for parent in parents.values() if parent.kind == "invoke_agent"]


def _tool_messages(span: _Span) -> list[Json]:
    """Return the call of a tool and its result as messages."""
    a = span.attributes
    # A call without an id is told apart by its span.
    id_ = coerce_text(a.get("gen_ai.tool.call.id")) or span.id
    name = coerce_text(_first(a, "gen_ai.tool.name", "tool.name")) or span.name
    arguments = json_or_text(
        a.get("gen_ai.tool.call.arguments", a.get("input.value", {}))
    )
    call = {"type": "tool_call", "id": id_, "name": name, "arguments": arguments}
    messages: list[Json] = [{"role": "assistant", "parts": [call]}]
    result = _first(a, "gen_ai.tool.call.result", "output.value")
    if result is not None:
        answer = {
            "type": "tool_call_response",
            "id": id_,
            "name": name,
            "response": result,
        }
        messages.append({"role": "tool", "parts": [answer]})
    return messages


def _span_messages(span: _Span) -> tuple[Sequence[Json], Sequence[Json]]:
    """Return the messages of request and answer: in JSON, else in attributes with numbers, else in
    events."""
    a = span.attributes
    system = json_or_text(a.get("gen_ai.system_instructions"))
    # The newest convention has the system prompt apart from the messages.
    head: list[Json] = (
        [{"role": "system", "parts": system}] if isinstance(system, list) else []
    )
    for input_name, output_name in (
        ("gen_ai.input.messages", "gen_ai.output.messages"),
        ("input.value", "output.value"),
    ):
        if inputs := payload_messages(json_or_text(a.get(input_name))):
            return [*head, *inputs], payload_messages(
                json_or_text(a.get(output_name)), "assistant"
            )
    for input_name, output_name in (
        ("llm.input_messages", "llm.output_messages"),
        ("gen_ai.prompt", "gen_ai.completion"),
    ):
        if inputs := _numbered(a, input_name):
            return [*head, *inputs], _numbered(a, output_name)
    events: dict[str, list[Json]] = {"choice": [], "message": []}
    for name, own in span.events:
        kind = name.rpartition(".")[2]
        if name.startswith("gen_ai.") and kind in events:
            if kind == "choice":
                role = "assistant"
            else:
                role = name.split(".")[1]
            events[kind].append(
                {"role": role, **own, **fields_of(json_or_text(own.get("message")))}
            )
    return [*head, *events["message"]], events["choice"]


def _numbered(attributes: Attributes, prefix: str) -> list[Json]:
    """Return messages from attributes such as ``llm.input_messages.0.message.role``."""
    tree: dict[str, Json] = {}
    for name, value in attributes.items():
        if name.startswith(f"{prefix}."):
            place = tree
            *path, last = name[len(prefix) + 1 :].split(".")
            for step in path:
                own = place.setdefault(step, {})
                # A name may be a value and the start of others; the value is then lost.
                place = own if isinstance(own, dict) else {}
            place[last] = value
    found = list_of(_lists(tree))
    return [fields_of(nested(message, "message") or message) for message in found]


def _lists(value: Json) -> Json:
    """Return objects whose names are all numbers as lists."""
    if not isinstance(value, dict):
        return value
    # Numbers in names are places in a list; as text 10 comes before 2.
    if value and all(name.isdecimal() for name in value):
        return [_lists(value[name]) for name in sorted(value, key=int)]
    return {name: _lists(item) for name, item in value.items()}


OTLP = Format(
    name="otlp",
    label="OpenTelemetry",
    about=(
        "Traces in OTLP JSON with attributes of gen_ai or OpenInference (Visual Studio Copilot, "
        "Phoenix)."
    ),
    score=partial(shape_score, format="otlp", sign="spans of a trace"),
    read=_read_otlp,
    evidence=ReaderEvidence.FIXTURE,
    read_only=ReadOnly.RECORD,
)


_Observation = Mapping[str, Json]
_OBSERVATION_LISTS = ("observations", "data")
_AGENT_NAMES = ("invoke_agent", "agent_run")
"""How names of spans begin that frameworks write for an agent."""


def _score(file: OpenedDocument) -> FormatScore:
    if file.objects:
        first = file.objects[0]
    else:
        first = {}
    for name in _OBSERVATION_LISTS:
        observations = list_of(first.get(name))
        if observations:
            own = fields_of(observations[0])
        else:
            own = {}
        # A file of anything may have a field data, so the first entry must look like a span.
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
            (
                fields[name]
                for name in _OBSERVATION_LISTS
                if isinstance(fields.get(name), list)
            ),
            [fields],
        )
        session = coerce_text(fields_of(fields.get("trace") or fields).get("sessionId"))
        values += (
            {**fields_of(one), **({"sessionId": session} if session else {})}
            for one in inner
        )
    values.sort(
        # Both sort by time as text: LangSmith's order has it in front of each id.
        key=lambda value: coerce_text(value.get("dotted_order", value.get("startTime")))
    )
    return read_calls(file, request, "observations", _calls(values, notes), notes)


def _calls(values: Sequence[_Observation], notes: ImportNotes) -> Iterator[TracedCall]:
    by_id = {coerce_text(value.get("id")): value for value in values}
    main_agents: dict[str, str] = {}
    for value in values:
        kind = _kind(value)
        conversation = _conversation_id(value)
        callers = _callers(value, by_id)
        id_, agent = callers[0] if callers else ("", "")
        if kind in ("GENERATION", "llm"):
            # Each time it is called, a conversation of its own.
            is_nested = len(callers) > 1
            is_sub_agent = (
                # The first agent that speaks is the main one.
                is_nested or main_agents.setdefault(conversation, agent) != agent
            )
            called = f"{agent} {id_}" if is_nested else agent
            group = f"{called} {conversation}".strip() if is_sub_agent else conversation
            record_of = _generation if kind == "GENERATION" else _run
            yield record_of(value, group, is_sub_agent)
        # Tools that sub-agents call belong to their conversations, which have them in their
        # messages.
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
    # A cycle of parents must end.
    while parent in by_id and parent not in callers:
        own = by_id[parent]
        name = string_of(own.get("name"))
        kind = string_of(own.get("type")) or string_of(own.get("run_type"))
        # Frameworks write an agent as a plain span, known by its name.
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
    # Probably some clients write the message of the result, others its bare output.
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

"""Readers for traces: OTLP in JSON with attributes of gen_ai or OpenInference, and exports of two platforms.

Phoenix writes attributes of OpenInference beside the ids of a span, Langfuse observations, LangSmith runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, number_of, string_of
from core.formats.common.json_parsing import json_or_text
from core.formats.common.session_log import shape_score
from core.formats.traces.model_calls import TracedCall, read_calls
from core.transcript.model import Conversation

Attributes = Mapping[str, Json]
_VALUE_NAMES = ("stringValue", "boolValue", "doubleValue", "string_value", "bool_value", "double_value")


def _otlp_score(opened: OpenedDocument) -> FormatScore:
    return shape_score(opened, "otlp", "spans of a trace")


def _read_otlp(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    notes = ImportNotes()
    spans = [
        span
        for record in iterate_records(opened, notes, request.progress, request.stop)
        for span in _spans(record.value)
    ]
    spans.sort(key=lambda span: (len(span.start), span.start))
    return read_calls(opened, request, "otlp", _span_calls(spans, notes), notes)


class _Span:
    """A span of OTLP or Phoenix with flat attributes."""

    def __init__(self, value: Mapping[str, Json], attributes: Attributes) -> None:
        context = fields_of(value.get("context"))
        self.attributes = attributes
        self.name = string_of(value.get("name"))
        self.id = coerce_text(value.get("spanId", value.get("span_id", context.get("span_id"))))
        self.trace = coerce_text(value.get("traceId", value.get("trace_id", context.get("trace_id"))))
        self.parent = coerce_text(
            value.get("parentSpanId", value.get("parent_span_id", value.get("parent_id")))
        )
        start = value.get("startTimeUnixNano", value.get("start_time_unix_nano", value.get("start_time")))
        self.start = coerce_text(start)
        events = list_of(value.get("events"))
        self.events = [
            (string_of(fields_of(one).get("name")), _attributes(fields_of(one).get("attributes")))
            for one in events
        ]

    @property
    def time(self) -> Json:
        return int(self.start) // 1_000_000 if self.start.isdecimal() else self.start

    @property
    def kind(self) -> str:
        """chat, execute_tool or invoke_agent, whatever the convention of its names."""
        operation = coerce_text(self.attributes.get("gen_ai.operation.name"))
        own = coerce_text(self.attributes.get("openinference.span.kind")).upper()
        names = {"LLM": "chat", "TOOL": "execute_tool", "AGENT": "invoke_agent"}
        return operation or names.get(own, "chat" if "gen_ai.prompt.0.content" in self.attributes else "")


def _spans(value: Json) -> Iterator[_Span]:
    """Yield the spans of a record: an envelope of OTLP, a list of them, or a span of Phoenix."""
    for item in value if isinstance(value, list) else [value]:
        fields = fields_of(item)
        resources = list_of(fields.get("resourceSpans", fields.get("resource_spans")))
        for resource in map(fields_of, resources):
            for scope in map(fields_of, list_of(resource.get("scopeSpans", resource.get("scope_spans")))):
                for span in map(fields_of, list_of(scope.get("spans"))):
                    yield _Span(span, _attributes(span.get("attributes")))
        if not resources and "attributes" in fields:
            yield _Span(fields, _attributes(fields["attributes"]))


def _attributes(value: Json) -> Attributes:
    """Return attributes by their dotted names, from OTLP's list of pairs or from nested objects."""
    if isinstance(value, list):
        return {coerce_text(nested(pair, "key")): _plain(nested(pair, "value")) for pair in value}
    flat: dict[str, Json] = {}
    for name, item in fields_of(value).items():
        inner = _attributes(item) if isinstance(item, dict) else {}
        flat |= {f"{name}.{key}": one for key, one in inner.items()} or {name: item}
    return flat


def _plain(value: Json) -> Json:
    """Return a value of OTLP without its wrapper."""
    fields = fields_of(value)
    for name in ("intValue", "int_value"):
        if name in fields:
            return int(fields[name]) if coerce_text(fields[name]).lstrip("-").isdecimal() else fields[name]
    for name in ("arrayValue", "array_value"):
        if name in fields:
            return [_plain(item) for item in list_of(nested(fields[name], "values"))]
    for name in ("kvlistValue", "kvlist_value"):
        if name in fields:
            return {
                coerce_text(nested(pair, "key")): _plain(nested(pair, "value"))
                for pair in list_of(nested(fields[name], "values"))
            }
    return next((fields[name] for name in _VALUE_NAMES if name in fields), None)


def _span_calls(spans: Sequence[_Span], notes: ImportNotes) -> Iterator[TracedCall]:
    by_id = {span.id: span for span in spans}
    conversations: dict[str, str] = {}
    for span in spans:
        for name in ("gen_ai.conversation.id", "session.id"):
            if own := coerce_text(span.attributes.get(name)):
                conversations.setdefault(span.trace, own)
    for span in spans:
        a, agents = span.attributes, _agents(span, by_id)
        conversation = coerce_text(a.get("gen_ai.conversation.id")) or conversations.get(
            span.trace, span.trace
        )
        is_sub_agent = len(agents) > 1
        group = f"{conversation} {agents[0].name}" if is_sub_agent else conversation
        if span.kind == "execute_tool":
            yield TracedCall(
                group, span.time, (), _tool_messages(span), is_sub_agent=is_sub_agent, is_tool=True
            )
        elif span.kind in ("chat", "text_completion", "generate_content"):
            model = coerce_text(
                a.get("gen_ai.response.model", a.get("gen_ai.request.model", a.get("llm.model_name")))
            )
            size = number_of(a.get("gen_ai.usage.input_tokens", a.get("llm.token_count.prompt")))
            output = number_of(a.get("gen_ai.usage.output_tokens", a.get("llm.token_count.completion")))
            inputs, outputs = _span_messages(span)
            tools = list_of(json_or_text(a.get("gen_ai.tool.definitions")))
            yield TracedCall(group, span.time, inputs, outputs, model, size, output, tools, is_sub_agent)
        else:
            notes.skip(f"span: {span.kind or span.name or 'other'}", line=1)


def _agents(span: _Span, by_id: Mapping[str, _Span]) -> list[_Span]:
    """Return the agents that a span belongs to, the innermost first."""
    agents: list[_Span] = []
    seen: set[str] = set()
    parent = by_id.get(span.parent)
    while parent is not None and parent.id not in seen:
        seen.add(parent.id)
        agents += [parent] if parent.kind == "invoke_agent" else []
        parent = by_id.get(parent.parent)
    return agents


def _tool_messages(span: _Span) -> list[Json]:
    """Return the call of a tool and its result as messages."""
    a = span.attributes
    id_ = coerce_text(a.get("gen_ai.tool.call.id")) or span.id
    name = coerce_text(a.get("gen_ai.tool.name", a.get("tool.name"))) or span.name
    arguments = json_or_text(a.get("gen_ai.tool.call.arguments", a.get("input.value", {})))
    call = {"type": "tool_call", "id": id_, "name": name, "arguments": arguments}
    messages: list[Json] = [{"role": "assistant", "parts": [call]}]
    result = a.get("gen_ai.tool.call.result", a.get("output.value"))
    if result is not None:
        answer = {"type": "tool_call_response", "id": id_, "name": name, "response": result}
        messages.append({"role": "tool", "parts": [answer]})
    return messages


def _span_messages(span: _Span) -> tuple[Sequence[Json], Sequence[Json]]:
    """Return the messages of request and answer: in JSON, else in attributes with numbers, else in events."""
    a = span.attributes
    system = json_or_text(a.get("gen_ai.system_instructions"))
    head: list[Json] = [{"role": "system", "parts": system}] if isinstance(system, list) else []
    for input_name, output_name in (
        ("gen_ai.input.messages", "gen_ai.output.messages"),
        ("input.value", "output.value"),
    ):
        if inputs := _messages(json_or_text(a.get(input_name))):
            return [*head, *inputs], _messages(json_or_text(a.get(output_name)), "assistant")
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
            role = "assistant" if kind == "choice" else name.split(".")[1]
            events[kind].append({"role": role, **own, **fields_of(json_or_text(own.get("message")))})
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
                place = own if isinstance(own, dict) else {}
            place[last] = value
    found = list_of(_lists(tree))
    return [fields_of(nested(message, "message") or message) for message in found]


def _lists(value: Json) -> Json:
    """Return objects whose names are all numbers as lists."""
    if not isinstance(value, dict):
        return value
    if value and all(name.isdecimal() for name in value):
        return [_lists(value[name]) for name in sorted(value, key=int)]
    return {name: _lists(item) for name, item in value.items()}


def _messages(value: Json, role: str = "user") -> list[Json]:
    """Return the messages in the JSON of a request or answer, as providers and tools write it."""
    value = json_or_text(value)
    if isinstance(value, list):
        return [{"role": role, "content": item} if isinstance(item, str) else item for item in value]
    fields = fields_of(value)
    for name in ("messages", "choices", "generations", "output"):
        if isinstance(fields.get(name), list):
            inner = [_message(item) for item in _flat(fields[name])]
            head = [{"role": "system", "content": fields["system"]}] if fields.get("system") else []
            return [*head, *inner]
    if isinstance(fields.get("message"), dict):
        return [fields["message"]]
    if "role" in fields or "lc" in fields or fields.get("type") in ("ai", "human"):
        return [fields]
    return [{"role": role, "content": value}] if isinstance(value, str) and value else []


def _flat(value: Json) -> Iterator[Json]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list):
            yield from _flat(item)
        else:
            yield item


def _message(value: Json) -> Json:
    inner = nested(value, "message")
    return inner if isinstance(inner, dict) else value


def _platform_score(opened: OpenedDocument) -> FormatScore:
    first = opened.objects[0] if opened.objects else {}
    observations = list_of(first.get("data"))
    if observations and "traceId" in fields_of(observations[0]):
        return 0.98, "observations with traceId under data"
    return shape_score(opened, "observations", "observations of Langfuse or runs of LangSmith")


def _read_platform(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    notes = ImportNotes()
    values: list[Mapping[str, Json]] = []
    for record in iterate_records(opened, notes, request.progress, request.stop):
        inner = nested(record.value, "data")
        values += map(fields_of, inner if isinstance(inner, list) else [record.value])
    values.sort(key=lambda value: coerce_text(value.get("dotted_order", value.get("startTime"))))
    return read_calls(opened, request, "observations", _platform_calls(values, notes), notes)


def _platform_calls(values: Sequence[Mapping[str, Json]], notes: ImportNotes) -> Iterator[TracedCall]:
    for value in values:
        kind = string_of(value.get("type")) or string_of(value.get("run_type"))
        if kind == "GENERATION":
            usage = {**fields_of(value.get("usage")), **fields_of(value.get("usageDetails"))}
            inputs, outputs = _messages(value.get("input")), _messages(value.get("output"), "assistant")
            group, time = coerce_text(value.get("sessionId", value.get("traceId"))), value.get("startTime")
            model = string_of(value.get("model"))
            size, output = number_of(usage.get("input")), number_of(usage.get("output"))
        elif kind == "llm":
            inputs, outputs = _messages(value.get("inputs")), _messages(value.get("outputs"), "assistant")
            group, time = coerce_text(value.get("trace_id")), value.get("start_time")
            model = string_of(nested(value, "extra", "metadata", "ls_model_name"))
            size, output = number_of(value.get("prompt_tokens")), number_of(value.get("completion_tokens"))
        else:
            notes.skip(f"observation: {kind or 'other'}", line=1)
            continue
        yield TracedCall(group, time, inputs, outputs, model, size, output)


OTLP = Format(
    "otlp",
    "OpenTelemetry",
    "Traces in OTLP JSON with attributes of gen_ai or OpenInference (Visual Studio Copilot, Phoenix).",
    _otlp_score,
    _read_otlp,
    real_file_seen=False,
    is_fixture_seen=True,
    read_only=ReadOnly.RECORD,
)
OBSERVATIONS = Format(
    "observations",
    "Langfuse, LangSmith",
    "Exports of Langfuse (observations) and LangSmith (runs).",
    _platform_score,
    _read_platform,
    real_file_seen=False,
    read_only=ReadOnly.RECORD,
)

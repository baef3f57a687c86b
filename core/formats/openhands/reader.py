"""Reader for OpenHands: event lists of version 0 and 1, and runs that hold one as ``history``.

Its messages have no ``extra``: their records are the events, one source each, read again by
``core.formats.common.source_bytes`` (base.py). Parallel calls of one answer are one message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import text_of
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.message_lists import ConversationRecords, conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.formats.common.usage_reports import UsageReports, openai_usage
from core.formats.openhands import events_v0, events_v1
from core.formats.openhands.events_v0 import EventLinks
from core.formats.openhands.messages import Condensation, VisibleEvent, last_view, replay_events
from core.formats.openhands.zipped_events import first_event, joined_events
from core.transcript.model import Conversation, Source, Speaker, SystemPart

_KEYS = ("history", "trajectory", "events")


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the kinds of version 1, or the actions and observations of version 0."""
    if opened.container is DocumentContainer.ARCHIVE:
        event = first_event(opened)
        known = isinstance(event, dict) and (_is_kind(event) or events_v0.is_event(event))
        return (0.97, "a file for each event of OpenHands") if known else (0.0, "")
    seen = detection_sample(_in_lines(opened), _KEYS)
    values = [one for value in seen.records for one in (value if isinstance(value, list) else [value])]
    if not seen.found or not values:
        return 0.0, ""
    kinds = sum(1 for value in values if isinstance(value, dict) and _is_kind(value))
    if kinds:
        return 0.97 * kinds / len(
            values
        ), f"kinds of OpenHands events in {kinds} of {len(values)} {seen.unit}"
    events = sum(1 for value in values if events_v0.is_event(value))
    what = "events" if seen.unit == "messages" else seen.unit
    return 0.97 * events / len(values), f"an action or an observation in {events} of {len(values)} {what}"


def _in_lines(opened: OpenedDocument) -> OpenedDocument:
    """A file that is one event alone is one line."""
    alone = opened.container is DocumentContainer.OBJECT and isinstance(opened.head[0], dict)
    if alone and (_is_kind(opened.head[0]) or events_v0.is_event(opened.head[0])):
        return replace(opened, container=DocumentContainer.LINES)
    return opened


def _is_kind(value: Mapping[str, Json]) -> bool:
    return value.get("kind") in events_v1.KINDS and "source" in value


@dataclass(slots=True)
class _ParsedEvents:
    """What is gathered on the way through the events."""

    notes: ImportNotes
    events: list[VisibleEvent | Condensation] = field(default_factory=list)
    links: EventLinks = field(default_factory=EventLinks)
    texts: list[str] = field(default_factory=list)
    tools: list[Json] = field(default_factory=list)
    leading: list[list[int]] = field(default_factory=list)
    usage: Mapping[str, Json] = field(default_factory=dict)
    asked: bool = False
    reports: UsageReports = field(default_factory=UsageReports)
    answers: set[str] = field(default_factory=set)  # of version 0, with a report
    waiting: tuple[int, int, str] | None = None  # of version 1: a report stands before its answer


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run. Raises InputError for a number above those there are."""
    if opened.container is not DocumentContainer.ARCHIVE:
        return _read_events(opened, request)
    inner, listed, model = joined_events(opened, request)
    conversation = _read_events(inner, replace(request, conversation=1))
    return replace(
        conversation,
        number=request.conversation,
        siblings=max(1, len(listed)),
        listed=listed,
        model=conversation.model or model,
    )


def _read_events(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    notes = ImportNotes()
    held = conversation_records(_in_lines(opened), _KEYS, request, notes)
    notes.records = len(held.records)
    found = _ParsedEvents(notes)
    for value, source in _values(held):
        _take(found, value, source)
    messages, recorded = replay_events(found.events)
    return Conversation(
        "openhands",
        opened.document,
        link_calls(messages, notes),
        SystemPart(tuple(found.texts), tuple(found.tools)),
        recorded=recorded,
        report=notes.report(),
        model=text_of(found.usage.get("model")),
        reported_context=_count(found.usage.get("per_turn_token", found.usage.get("prompt_tokens"))),
        reported_limit=_count(found.usage.get("context_window")),
        usage=found.reports.of(messages),
        session_id=text_of(held.fields.get("instance_id")),
        number=held.number,
        siblings=held.siblings,
        listed=held.listed,
        layout={**held.layout, "system": found.leading},
    )


def view_of(values: Iterable[tuple[Json, Source]]) -> tuple[tuple[str, Source | None], ...]:
    """What the model sees at the end of these events (core.formats.openhands.messages)."""
    found = _ParsedEvents(ImportNotes())
    for value, source in values:
        _take(found, value, source)
    return last_view(found.events)


def _take(found: _ParsedEvents, value: Json, source: Source) -> None:
    if not isinstance(value, dict):
        found.notes.skip("not an object", line=source.line)
    elif "kind" in value:
        _take_v1(found, value, source)
    else:
        _take_v0(found, value, source)


def _values(held: ConversationRecords) -> Iterator[tuple[Json, Source]]:
    """All events with their place. Old runs hold pairs of an action and its observation."""
    for record in held.records:
        if isinstance(record.value, list):
            for part, value in enumerate(record.value):
                yield value, _source(record, part)
        else:
            yield record.value, _source(record, 0)


def _source(record: JsonRecord, part: int) -> Source:
    return Source(record.line, record.start, record.end, part)


def _take_v1(found: _ParsedEvents, value: Mapping[str, Json], source: Source) -> None:
    kind = value.get("kind")
    if kind == events_v1.SYSTEM:
        _take_system(found, events_v1.system_texts(value), value.get("tools"), source)
    elif kind == events_v1.STATE:
        _report_v1(found, events_v1.usage(value))
    event = events_v1.read_event(value, source, asked=found.asked)
    found.asked = kind == events_v1.REQUEST
    if found.waiting is not None and isinstance(event, VisibleEvent) and event.speaker is Speaker.AI:
        found.reports.add(source, *found.waiting)
        found.waiting = None
    _add(found, event, text_of(kind), source)


def _take_v0(found: _ParsedEvents, value: Mapping[str, Json], source: Source) -> None:
    if value.get("action") == "system":
        tools = value["args"].get("tools") if isinstance(value.get("args"), dict) else None
        _take_system(found, events_v0.system_texts(value), tools, source)
    answer = events_v0.answer_of(value)
    if isinstance(answer.get("usage"), dict):
        found.usage = {**answer["usage"], "model": answer.get("model")}
        _report_v0(found, answer, source)
    event = events_v0.read_event(value, source, found.links)
    _add(found, event, events_v0.kind_of(value), source)


def _report_v0(found: _ParsedEvents, answer: Mapping[str, Json], source: Source) -> None:
    """The report of an answer stands in each of its actions; the first of them begins the message."""
    id_ = text_of(answer.get("id")) or str(source.start)
    if id_ not in found.answers:
        found.answers.add(id_)
        found.reports.add(source, *openai_usage(answer["usage"]), text_of(answer.get("model")))


def _report_v1(found: _ParsedEvents, usage: Mapping[str, Json]) -> None:
    """Sums of all requests so far: one request is what they grew by, if that is all of its turn."""
    if not usage:
        return
    (asked, output), before = openai_usage(usage), openai_usage(found.usage)
    grown = (asked or 0) - (before[0] or 0), (output or 0) - (before[1] or 0)
    if grown[0] > 0 and sum(grown) == usage.get("per_turn_token"):
        found.waiting = (*grown, text_of(usage.get("model")))
    found.usage = usage


def _take_system(found: _ParsedEvents, texts: tuple[str, ...], tools: Json, source: Source) -> None:
    found.texts += texts
    found.tools += tools if isinstance(tools, list) else ()
    found.leading.append([source.line, source.start, source.end])


def _add(found: _ParsedEvents, event: VisibleEvent | Condensation | None, kind: str, source: Source) -> None:
    if event is None:
        found.notes.skip(kind, line=source.line)
    else:
        found.events.append(event)


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


OPENHANDS = Format(
    "openhands",
    "OpenHands",
    "Events of OpenHands 0 and 1 as a list, JSONL or zipped files, and output.jsonl with one run a line;"
    " no real file with a condensation was seen.",
    score,
    read,
)

"""Reader for OpenHands: event lists of version 0 and 1, and runs that hold one as ``history``.

Messages have no ``extra``: their records are the events, one source each, re-read by
``core.formats.common.open_document`` (base.py). Parallel calls of one answer form one message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.archives import ArchiveMember, open_member, read_members
from core.formats.common.document import DocumentContainer, OpenedDocument, open_text
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import list_of, nested, number_of, string_of
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.message_lists import (
    ConversationRecords,
    check_number,
    conversation_records,
    detection_sample,
)
from core.formats.common.tool_linking import link_calls
from core.formats.common.usage_reports import UsageReports, openai_usage
from core.formats.openhands import events_v0, events_v1
from core.formats.openhands.events_v0 import EventLinks
from core.formats.openhands.messages import Condensation, VisibleEvent, last_view, replay_events
from core.transcript.model import (
    Conversation,
    ListedConversation,
    Source,
    SourceDocument,
    Speaker,
    SystemPart,
)

_KEYS = ("history", "trajectory", "events")
_EVENT_FILE = re.compile(r"(?:^|/)event[-_](\d+)[^/]*\.json$")
_STATE_FILE = "base_state.json"
_CONDENSATION_REQUESTS = ("CondensationRequest", "condensation_request")


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the kinds of version 1, or the actions and observations of version 0."""
    if opened.container is DocumentContainer.ARCHIVE:
        event = _first_event(opened)
        known = isinstance(event, dict) and (_is_v1_event(event) or events_v0.is_event(event))
        return (0.97, "a file for each event of OpenHands") if known else (0.0, "")
    sample = detection_sample(_as_lines(opened), _KEYS)
    values = [item for value in sample.records for item in (value if isinstance(value, list) else [value])]
    if not sample.has_records or not values:
        return 0.0, ""
    kinds = sum(1 for value in values if isinstance(value, dict) and _is_v1_event(value))
    if kinds:
        return 0.97 * kinds / len(
            values
        ), f"kinds of OpenHands events in {kinds} of {len(values)} {sample.unit}"
    events = sum(1 for value in values if events_v0.is_event(value))
    unit = "events" if sample.unit == "messages" else sample.unit
    return 0.97 * events / len(values), f"an action or an observation in {events} of {len(values)} {unit}"


def _as_lines(opened: OpenedDocument) -> OpenedDocument:
    """Treat a file with a single event as one line."""
    is_object = opened.container is DocumentContainer.OBJECT and isinstance(opened.head[0], dict)
    if is_object and (_is_v1_event(opened.head[0]) or events_v0.is_event(opened.head[0])):
        return replace(opened, container=DocumentContainer.LINES)
    return opened


def _is_v1_event(value: Mapping[str, Json]) -> bool:
    return value.get("kind") in events_v1.EVENT_KINDS and "source" in value


@dataclass(slots=True)
class _ParsedEvents:
    notes: ImportNotes
    events: list[VisibleEvent | Condensation] = field(default_factory=list)
    links: EventLinks = field(default_factory=EventLinks)
    texts: list[str] = field(default_factory=list)
    tools: list[Json] = field(default_factory=list)
    system_places: list[list[int]] = field(default_factory=list)
    usage: Mapping[str, Json] = field(default_factory=dict)
    is_condensation_requested: bool = False
    reports: UsageReports = field(default_factory=UsageReports)
    reported_answers: set[str] = field(default_factory=set)  # of version 0, with a report
    pending_usage: tuple[int, int, str] | None = None  # of version 1: a report precedes its answer


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run; InputError for an unknown number."""
    if opened.container is not DocumentContainer.ARCHIVE:
        return _read_events(opened, request)
    inner, listed, model = _joined_events(opened, request)
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
    raw = conversation_records(_as_lines(opened), _KEYS, request, notes)
    notes.records = len(raw.records)
    parsed = _ParsedEvents(notes)
    for value, source in _event_values(raw):
        _parse(parsed, value, source)
    messages, recorded = replay_events(parsed.events)
    usage = parsed.usage
    return Conversation(
        "openhands",
        opened.document,
        link_calls(messages, notes),
        SystemPart(tuple(parsed.texts), tuple(parsed.tools)),
        recorded=recorded,
        report=notes.report(),
        model=coerce_text(usage.get("model")),
        reported_context=number_of(usage.get("per_turn_token", usage.get("prompt_tokens"))) or None,
        reported_limit=number_of(usage.get("context_window")) or None,
        usage=parsed.reports.reported_usage(messages),
        session_id=coerce_text(raw.fields.get("instance_id")),
        number=raw.number,
        siblings=raw.siblings,
        listed=raw.listed,
        layout={**raw.layout, "system": parsed.system_places},
    )


def final_view(values: Iterable[tuple[Json, Source]]) -> tuple[tuple[str, Source | None], ...]:
    """Return the model's view at the end of these events (core.formats.openhands.messages)."""
    parsed = _ParsedEvents(ImportNotes())
    for value, source in values:
        _parse(parsed, value, source)
    return last_view(parsed.events)


def _parse(parsed: _ParsedEvents, value: Json, source: Source) -> None:
    if not isinstance(value, dict):
        parsed.notes.skip("not an object", line=source.line)
    elif "kind" in value:
        _parse_v1(parsed, value, source)
    else:
        _parse_v0(parsed, value, source)


def _event_values(raw: ConversationRecords) -> Iterator[tuple[Json, Source]]:
    """Yield all events with their place; old runs hold pairs of an action and its observation."""
    for record in raw.records:
        values = record.value if isinstance(record.value, list) else [record.value]
        for part, value in enumerate(values):
            yield value, record.source(part)


def _parse_v1(parsed: _ParsedEvents, value: Mapping[str, Json], source: Source) -> None:
    kind = value.get("kind")
    if kind == events_v1.SYSTEM_PROMPT:
        _add_system(parsed, events_v1.system_texts(value), value.get("tools"), source)
    elif kind == events_v1.STATE_UPDATE:
        _add_usage_v1(parsed, events_v1.token_usage(value))
    event = events_v1.read_event(value, source, parsed.is_condensation_requested)
    if parsed.pending_usage is not None and isinstance(event, VisibleEvent) and event.speaker is Speaker.AI:
        parsed.reports.add(source, *parsed.pending_usage)
        parsed.pending_usage = None
    _add_event(parsed, event, coerce_text(kind), source)


def _parse_v0(parsed: _ParsedEvents, value: Mapping[str, Json], source: Source) -> None:
    if value.get("action") == "system":
        text = string_of(nested(value, "args", "content"))
        _add_system(parsed, (text,) if text else (), nested(value, "args", "tools"), source)
    answer = events_v0.model_response(value)
    if isinstance(answer.get("usage"), dict):
        parsed.usage = {**answer["usage"], "model": answer.get("model")}
        _add_usage_v0(parsed, answer, source)
    event = events_v0.read_event(value, source, parsed.links, parsed.is_condensation_requested)
    _add_event(parsed, event, events_v0.event_name(value), source)


def _add_usage_v0(parsed: _ParsedEvents, answer: Mapping[str, Json], source: Source) -> None:
    """Add the report of an answer once; each of its actions repeats it."""
    id_ = coerce_text(answer.get("id")) or str(source.start)
    if id_ not in parsed.reported_answers:
        parsed.reported_answers.add(id_)
        parsed.reports.add(source, *openai_usage(answer["usage"]), coerce_text(answer.get("model")))


def _add_usage_v1(parsed: _ParsedEvents, usage: Mapping[str, Json]) -> None:
    """Take the growth of the sums of all requests as one request, if the turn had no other."""
    if not usage:
        return
    (prompt, output), before = openai_usage(usage), openai_usage(parsed.usage)
    growth = (prompt or 0) - (before[0] or 0), (output or 0) - (before[1] or 0)
    if growth[0] > 0 and sum(growth) == usage.get("per_turn_token"):
        parsed.pending_usage = (*growth, coerce_text(usage.get("model")))
    parsed.usage = usage


def _add_system(parsed: _ParsedEvents, texts: tuple[str, ...], tools: Json, source: Source) -> None:
    parsed.texts += texts
    parsed.tools += list_of(tools)
    parsed.system_places.append([source.line, source.start, source.end])


def _add_event(
    parsed: _ParsedEvents, event: VisibleEvent | Condensation | None, name: str, source: Source
) -> None:
    if name in _CONDENSATION_REQUESTS:
        parsed.is_condensation_requested = True
    if event is None:
        parsed.notes.skip(name, line=source.line)
        return
    parsed.events.append(event)
    if isinstance(event, Condensation):
        parsed.is_condensation_requested = False


def _event_folders(members: Sequence[ArchiveMember]) -> Mapping[str, list[str]]:
    """Return the event files of each folder, in the order of their numbers."""
    folders: dict[str, list[tuple[int, str]]] = {}
    for member in members:
        match = _EVENT_FILE.search(member.name)
        if match:
            folder = member.name.rpartition("/")[0]
            folders.setdefault(folder, []).append((int(match[1]), member.name))
    return {folder: [name for _, name in sorted(names)] for folder, names in folders.items()}


def _first_event(opened: OpenedDocument) -> Json:
    names = next(iter(_event_folders(opened.members).values()), [])
    try:
        return parse_bytes(_member_bytes(opened.document, names[0])).value if names else None
    except InputError:
        return None


def _joined_events(
    opened: OpenedDocument, request: ReadRequest
) -> tuple[OpenedDocument, tuple[ListedConversation, ...], str]:
    """Return the folder's events as one list, all folders, and the model that the folder names.

    Raises InputError for an unknown number or an unreadable event.
    """
    folders = _event_folders(opened.members)
    check_number(opened.document.name, request.conversation, len(folders))
    folder = list(folders)[request.conversation - 1]
    parts: list[bytes] = []
    for part in read_members(opened.document, folders[folder]):
        parts.append(part)
        request.progress(len(parts) / len(folders[folder]), f"reading event {len(parts):,}")
        if request.stop():
            break
    data = b"[" + b",\n".join(part.strip() for part in parts) + b"]"
    name = f"{opened.document.name}/{folder}" if folder else opened.document.name
    document = replace(opened.document, name=name, data=data)
    listed = [
        ListedConversation(n, folder_name or "events", None, "file")
        for n, folder_name in enumerate(folders, 1)
    ]
    return open_text(document), tuple(listed) if len(listed) > 1 else (), _model(opened, folder)


def _model(opened: OpenedDocument, folder: str) -> str:
    state_files = {
        f"{folder}/{_STATE_FILE}".lstrip("/"),
        f"{folder.rpartition('/')[0]}/{_STATE_FILE}".lstrip("/"),
    }
    name = next((member.name for member in opened.members if member.name in state_files), "")
    value = parse_bytes(_member_bytes(opened.document, name)).value if name else None
    return string_of(nested(value, "agent", "llm", "model"))


def _member_bytes(document: SourceDocument, name: str) -> bytes:
    return open_member(document, name).data or b""


OPENHANDS = Format(
    "openhands",
    "OpenHands",
    "Events of OpenHands 0 and 1 as a list, JSONL or zipped files, and output.jsonl with one run a line;"
    " no real file with a condensation was seen.",
    score,
    read,
)

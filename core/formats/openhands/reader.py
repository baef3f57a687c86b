"""Reader for OpenHands: event lists of version 0 and 1, and runs that hold one as ``history``.

Messages have no ``extra``: their records are the events, one source each, re-read by
``core.formats.common.open_document.read_source``. Parallel calls of one answer form one message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.archives import ArchiveMember, open_member, read_members
from core.formats.common.document import DocumentContainer, OpenedDocument, open_text
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_access import coerce_text, list_of, nested, number_of, string_of
from core.formats.common.json_parsing import JsonRecord, parse_bytes
from core.formats.common.message_lists import (
    check_number,
    conversation_records,
    detection_sample,
    numbered,
)
from core.formats.common.messages import ImportNotes, UsageReports, link_calls, openai_usage
from core.formats.openhands.events import (
    STATE_UPDATE,
    EventLinks,
    OpenHandsEvent,
    condensation_fields,
    event_name,
    is_v0_event,
    is_v1_event,
    model_response,
    read_v0_event,
    read_v1_event,
    system_part,
    token_usage,
)
from core.transcript.model import (
    Conversation,
    ListedConversation,
    Message,
    MessageFlag,
    RecordedCompaction,
    Source,
    SourceDocument,
    Speaker,
    Text,
)

_CONDENSATION_REQUESTS = ("CondensationRequest", "condensation_request")
_MAX_EVENTS = 1_000_000  # that a condensation can name by its first and last event


@dataclass(slots=True, kw_only=True)
class OpenHandsReplay:
    """State of one pass over the events. ``slots`` are the events of each message."""

    notes: ImportNotes
    slots: list[list[OpenHandsEvent]] = field(default_factory=list)
    view: list[OpenHandsEvent] = field(default_factory=list)  # what the model sees
    recorded: list[RecordedCompaction] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    tools: list[Json] = field(default_factory=list)
    system_places: list[list[int]] = field(default_factory=list)
    usage: Mapping[str, Json] = field(default_factory=dict)
    reports: UsageReports = field(default_factory=UsageReports)
    _links: EventLinks = field(default_factory=EventLinks)
    _slot_by_group: dict[str, int] = field(default_factory=dict)
    _is_condensation_requested: bool = False
    _reported_answers: set[str] = field(default_factory=set)  # of version 0
    _pending_usage: tuple[int, int, str] | None = None  # of version 1: a report precedes its answer

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(map(_joined, self.slots))

    def add(self, value: Json, source: Source) -> None:
        if not isinstance(value, dict):
            self.notes.skip("not an object", line=source.line)
            return
        if (system := system_part(value)) is not None:
            self.texts += system[0]
            self.tools += list_of(system[1])
            self.system_places.append([source.line, source.start, source.end])
        self._add_usage(value, source)
        fields = condensation_fields(value)
        if fields is not None:
            self._condense(value, fields, source)
            return
        is_v1 = "kind" in value
        event = read_v1_event(value, source) if is_v1 else read_v0_event(value, source, self._links)
        self._is_condensation_requested |= event_name(value) in _CONDENSATION_REQUESTS
        if event is None:
            self.notes.skip(event_name(value), line=source.line)
            return
        self.view.append(event)
        if system is None:
            self._add_message(event, source)

    def _add_message(self, event: OpenHandsEvent, source: Source) -> None:
        if self._pending_usage is not None and event.message.speaker is Speaker.AI:
            self.reports.add(source, *self._pending_usage)
            self._pending_usage = None
        event.slot = len(self.slots)
        if event.group:
            event.slot = self._slot_by_group.setdefault(event.group, event.slot)
        if event.slot == len(self.slots):
            self.slots.append([])
        self.slots[event.slot].append(event)

    def _add_usage(self, value: Mapping[str, Json], source: Source) -> None:
        if value.get("kind") == STATE_UPDATE:
            self._add_total_usage(token_usage(value))
        answer = model_response(value)
        if "kind" in value or not isinstance(answer.get("usage"), dict):
            return
        self.usage = {**answer["usage"], "model": answer.get("model")}
        id_ = coerce_text(answer.get("id")) or str(source.start)
        if id_ not in self._reported_answers:  # each action of an answer repeats it
            self._reported_answers.add(id_)
            self.reports.add(
                source, *openai_usage(answer["usage"]), coerce_text(answer.get("model"))
            )

    def _add_total_usage(self, usage: Mapping[str, Json]) -> None:
        """Take the growth of the sums of all requests as one request, if the turn had no other."""
        if not usage:
            return
        (prompt, output), before = openai_usage(usage), openai_usage(self.usage)
        growth = (prompt or 0) - (before[0] or 0), (output or 0) - (before[1] or 0)
        if growth[0] > 0 and sum(growth) == usage.get("per_turn_token"):
            self._pending_usage = (*growth, coerce_text(usage.get("model")))
        self.usage = usage

    def _condense(
        self, value: Mapping[str, Json], fields: Mapping[str, Json], source: Source
    ) -> None:
        """Remove the forgotten events from the view; a new summary replaces an older one. It is not
        shown to the model without an offset."""
        forgotten, summary = _forgotten_ids(fields), coerce_text(fields.get("summary"))
        self.view = [
            entry
            for entry in self.view
            if entry.message.id not in forgotten and not (summary and is_summary(entry))
        ]
        offset = fields.get("summary_offset")
        if summary and isinstance(offset, int) and offset >= 0:
            id_, time = (
                f"{coerce_text(value.get('id'))}-summary",
                coerce_text(value.get("timestamp")),
            )
            flag = MessageFlag.RECORDED_SUMMARY
            message = Message(
                speaker=Speaker.HUMAN,
                blocks=(Text(summary),),
                sources=(source,),
                flags=flag,
                id=id_,
                timestamp=time,
            )
            self.view.insert(offset, OpenHandsEvent(message))
        summaries = tuple(entry.message for entry in self.view if is_summary(entry))
        self.recorded.append(
            RecordedCompaction(
                kind="summary" if summaries else "truncate",
                boundary=len(self.slots),
                trigger="request" if self._is_condensation_requested else "",
                summary=summaries,
                source=source,
                context_after=tuple(self._context()),
            )
        )
        self._is_condensation_requested = False

    def _context(self) -> Iterator[int | Message]:
        visible_by_slot: dict[int, list[OpenHandsEvent]] = {}
        for entry in self.view:
            visible_by_slot.setdefault(entry.slot, []).append(entry)
        for entry in self.view:
            if is_summary(entry):
                yield entry.message
            elif entry.slot >= 0 and (visible := visible_by_slot.pop(entry.slot, None)):
                is_whole = len(visible) == len(self.slots[entry.slot])
                yield entry.slot if is_whole else _joined(visible)


def is_summary(entry: OpenHandsEvent) -> bool:
    return bool(entry.message.flags & MessageFlag.RECORDED_SUMMARY)


def _forgotten_ids(fields: Mapping[str, Json]) -> frozenset[str]:
    """Return the ids of forgotten events, which are named one by one, or by the first and the
    last."""
    ids = list_of(fields.get("forgotten_event_ids"))
    first, last = fields.get("forgotten_events_start_id"), fields.get("forgotten_events_end_id")
    if not ids and isinstance(first, int) and isinstance(last, int) and last - first < _MAX_EVENTS:
        ids = range(first, last + 1)
    return frozenset(map(coerce_text, ids))


def _joined(events: list[OpenHandsEvent]) -> Message:
    first, flags = events[0].message, MessageFlag.NONE
    for event in events:
        flags |= event.message.flags
    blocks = tuple(block for event in events for block in event.message.blocks)
    sources = tuple(source for event in events for source in event.message.sources)
    return Message(
        speaker=first.speaker,
        blocks=blocks,
        sources=sources,
        flags=flags,
        id=first.id,
        timestamp=first.timestamp,
    )


_KEYS = ("history", "trajectory", "events")
_EVENT_FILE = re.compile(r"(?:^|/)event[-_](\d{1,18})[^/]*\.json$")
_STATE_FILE = "base_state.json"


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the kinds of version 1, or the actions and observations of version 0."""
    if file.container is DocumentContainer.ARCHIVE:
        event = _first_event(file)
        is_known = is_v1_event(event) or is_v0_event(event)
        return (0.97, "a file for each event of OpenHands") if is_known else (0.0, "")
    sample = detection_sample(_as_lines(file), _KEYS)
    values = [
        item for value in sample.records for item in (value if isinstance(value, list) else [value])
    ]
    if not sample.has_records or not values:
        return 0.0, ""
    total = len(values)
    if kinds := sum(map(is_v1_event, values)):
        return (
            0.97 * kinds / total,
            f"kinds of OpenHands events in {kinds} of {total} {sample.unit}",
        )
    events = sum(map(is_v0_event, values))
    unit = "events" if sample.unit == "messages" else sample.unit
    return 0.97 * events / total, f"an action or an observation in {events} of {total} {unit}"


def _as_lines(file: OpenedDocument) -> OpenedDocument:
    is_object = file.container is DocumentContainer.OBJECT
    if is_object and (is_v1_event(file.head[0]) or is_v0_event(file.head[0])):
        return replace(file, container=DocumentContainer.LINES)
    return file


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    if file.container is not DocumentContainer.ARCHIVE:
        return _read_events(file, request)
    folders = _event_folders(file.members)
    check_number(file.document.name, request.conversation, len(folders))
    folder = list(folders)[request.conversation - 1]
    joined = _joined_events(file, request, folder, folders[folder])
    conversation = _read_events(joined, replace(request, conversation=1))
    listed = tuple(
        ListedConversation(number, name or "events", None, "file")
        for number, name in enumerate(folders, 1)
    )
    conversation = replace(conversation, model=conversation.model or _model(file, folder))
    return numbered(conversation, request.conversation, listed)


def _read_events(file: OpenedDocument, request: ReadRequest) -> Conversation:
    notes = ImportNotes()
    raw = conversation_records(_as_lines(file), _KEYS, request, notes)
    replay = OpenHandsReplay(notes=notes)
    for value, source in event_values(raw.records):
        replay.add(value, source)
    messages, usage = replay.messages, replay.usage
    raw.system_texts += replay.texts
    raw.layout["system"] = replay.system_places
    return replace(
        raw.conversation("openhands", link_calls(messages, notes), replay.tools),
        recorded=tuple(replay.recorded),
        model=coerce_text(usage.get("model")),
        reported_context=number_of(usage.get("per_turn_token", usage.get("prompt_tokens"))) or None,
        reported_limit=number_of(usage.get("context_window")) or None,
        usage=replay.reports.reported_usage(messages),
        session_id=coerce_text(raw.fields.get("instance_id")),
    )


def event_values(records: Sequence[JsonRecord]) -> Iterator[tuple[Json, Source]]:
    """Yield all events with their place; old runs hold pairs of an action and its observation."""
    for record in records:
        values = record.value if isinstance(record.value, list) else [record.value]
        for part, value in enumerate(values):
            yield value, record.source(part)


def _event_folders(members: Sequence[ArchiveMember]) -> Mapping[str, list[str]]:
    folders: dict[str, list[tuple[int, str]]] = {}
    for member in members:
        if match := _EVENT_FILE.search(member.name):
            folder = member.name.rpartition("/")[0]
            folders.setdefault(folder, []).append((int(match[1]), member.name))
    return {folder: [name for _, name in sorted(names)] for folder, names in folders.items()}


def _first_event(file: OpenedDocument) -> Json:
    names = next(iter(_event_folders(file.members).values()), [])
    try:
        return _member_value(file.document, names[0]) if names else None
    except InputError:
        return None


def _joined_events(
    file: OpenedDocument, request: ReadRequest, folder: str, names: Sequence[str]
) -> OpenedDocument:
    parts: list[bytes] = []
    for part in read_members(file.document, names):
        parts.append(part.strip())
        request.progress(len(parts) / len(names), f"reading event {len(parts):,}")
        if request.stop():
            break
    name = f"{file.document.name}/{folder}" if folder else file.document.name
    return open_text(replace(file.document, name=name, data=b"[" + b",\n".join(parts) + b"]"))


def _model(file: OpenedDocument, folder: str) -> str:
    places = (folder, folder.rpartition("/")[0])
    state_files = {f"{place}/{_STATE_FILE}".lstrip("/") for place in places}
    name = next((member.name for member in file.members if member.name in state_files), "")
    return (
        string_of(nested(_member_value(file.document, name), "agent", "llm", "model"))
        if name
        else ""
    )


def _member_value(document: SourceDocument, name: str) -> Json:
    return parse_bytes(open_member(document, name).data or b"").value


OPENHANDS = Format(
    name="openhands",
    label="OpenHands",
    about="Events of OpenHands 0 and 1 as a list, JSONL or zipped files, and output.jsonl with one run a "
    "line; no real file with a condensation was seen.",
    score=score,
    read=read,
)

"""Reader for OpenHands: event lists of version 0 and 1, and runs that hold one as ``history``.

Messages have no ``extra``: their records are the events, one source each, re-read by
``core.formats.common.source_bytes`` (base.py). Parallel calls of one answer form one message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.archives import ArchiveMember, open_member, read_members
from core.formats.common.document import DocumentContainer, OpenedDocument, open_text
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, nested, number_of, string_of
from core.formats.common.json_parsing import JsonRecord, parse_bytes
from core.formats.common.message_lists import check_number, conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.formats.openhands.events import is_v0_event, is_v1_event
from core.formats.openhands.replay import OpenHandsReplay
from core.transcript.model import Conversation, ListedConversation, Source, SourceDocument, SystemPart

_KEYS = ("history", "trajectory", "events")
_EVENT_FILE = re.compile(r"(?:^|/)event[-_](\d+)[^/]*\.json$")
_STATE_FILE = "base_state.json"


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the kinds of version 1, or the actions and observations of version 0."""
    if opened.container is DocumentContainer.ARCHIVE:
        event = _first_event(opened)
        is_known = is_v1_event(event) or is_v0_event(event)
        return (0.97, "a file for each event of OpenHands") if is_known else (0.0, "")
    sample = detection_sample(_as_lines(opened), _KEYS)
    values = [item for value in sample.records for item in (value if isinstance(value, list) else [value])]
    if not sample.has_records or not values:
        return 0.0, ""
    total = len(values)
    if kinds := sum(map(is_v1_event, values)):
        return 0.97 * kinds / total, f"kinds of OpenHands events in {kinds} of {total} {sample.unit}"
    events = sum(map(is_v0_event, values))
    unit = "events" if sample.unit == "messages" else sample.unit
    return 0.97 * events / total, f"an action or an observation in {events} of {total} {unit}"


def _as_lines(opened: OpenedDocument) -> OpenedDocument:
    """Treat a file with a single event as one line."""
    is_object = opened.container is DocumentContainer.OBJECT
    if is_object and (is_v1_event(opened.head[0]) or is_v0_event(opened.head[0])):
        return replace(opened, container=DocumentContainer.LINES)
    return opened


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run; InputError for an unknown number."""
    if opened.container is not DocumentContainer.ARCHIVE:
        return _read_events(opened, request)
    folders = _event_folders(opened.members)
    check_number(opened.document.name, request.conversation, len(folders))
    folder = list(folders)[request.conversation - 1]
    joined = _joined_events(opened, request, folder, folders[folder])
    conversation = _read_events(joined, replace(request, conversation=1))
    listed = tuple(
        ListedConversation(number, name or "events", None, "file") for number, name in enumerate(folders, 1)
    )
    return replace(
        conversation,
        number=request.conversation,
        siblings=len(listed),
        listed=listed if len(listed) > 1 else (),
        model=conversation.model or _model(opened, folder),
    )


def _read_events(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    notes = ImportNotes()
    raw = conversation_records(_as_lines(opened), _KEYS, request, notes)
    notes.records = len(raw.records)
    replay = OpenHandsReplay(notes)
    for value, source in event_values(raw.records):
        replay.add(value, source)
    messages, usage = replay.messages, replay.usage
    return Conversation(
        "openhands",
        opened.document,
        link_calls(messages, notes),
        SystemPart(tuple(replay.texts), tuple(replay.tools)),
        recorded=tuple(replay.recorded),
        report=notes.report(),
        model=coerce_text(usage.get("model")),
        reported_context=number_of(usage.get("per_turn_token", usage.get("prompt_tokens"))) or None,
        reported_limit=number_of(usage.get("context_window")) or None,
        usage=replay.reports.reported_usage(messages),
        session_id=coerce_text(raw.fields.get("instance_id")),
        number=raw.number,
        siblings=raw.siblings,
        listed=raw.listed,
        layout={**raw.layout, "system": replay.system_places},
    )


def event_values(records: Sequence[JsonRecord]) -> Iterator[tuple[Json, Source]]:
    """Yield all events with their place; old runs hold pairs of an action and its observation."""
    for record in records:
        values = record.value if isinstance(record.value, list) else [record.value]
        for part, value in enumerate(values):
            yield value, record.source(part)


def _event_folders(members: Sequence[ArchiveMember]) -> Mapping[str, list[str]]:
    """Return the event files of each folder, in the order of their numbers."""
    folders: dict[str, list[tuple[int, str]]] = {}
    for member in members:
        if match := _EVENT_FILE.search(member.name):
            folder = member.name.rpartition("/")[0]
            folders.setdefault(folder, []).append((int(match[1]), member.name))
    return {folder: [name for _, name in sorted(names)] for folder, names in folders.items()}


def _first_event(opened: OpenedDocument) -> Json:
    names = next(iter(_event_folders(opened.members).values()), [])
    try:
        return _member_value(opened.document, names[0]) if names else None
    except InputError:
        return None


def _joined_events(
    opened: OpenedDocument, request: ReadRequest, folder: str, names: Sequence[str]
) -> OpenedDocument:
    """Return the events of a folder as one list. Raises InputError for an unreadable event."""
    parts: list[bytes] = []
    for part in read_members(opened.document, names):
        parts.append(part.strip())
        request.progress(len(parts) / len(names), f"reading event {len(parts):,}")
        if request.stop():
            break
    name = f"{opened.document.name}/{folder}" if folder else opened.document.name
    return open_text(replace(opened.document, name=name, data=b"[" + b",\n".join(parts) + b"]"))


def _model(opened: OpenedDocument, folder: str) -> str:
    places = (folder, folder.rpartition("/")[0])
    state_files = {f"{place}/{_STATE_FILE}".lstrip("/") for place in places}
    name = next((member.name for member in opened.members if member.name in state_files), "")
    return string_of(nested(_member_value(opened.document, name), "agent", "llm", "model")) if name else ""


def _member_value(document: SourceDocument, name: str) -> Json:
    return parse_bytes(open_member(document, name).data or b"").value


OPENHANDS = Format(
    "openhands",
    "OpenHands",
    "Events of OpenHands 0 and 1 as a list, JSONL or zipped files, and output.jsonl with one run a line;"
    " no real file with a condensation was seen.",
    score,
    read,
)

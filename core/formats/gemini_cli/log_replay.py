"""Replays the log of a Gemini CLI session: records, records written again, rewrites and rewinds.

A record whose id is in the history replaces the earlier one. ``$set.messages`` and ``$patch`` give a new
history: if nothing of the old one is missing, it only adds; else the agent compacted. ``$rewindTo``
removes the record of that id and all after it; with an unknown id everything.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import list_of
from core.formats.common.json_parsing import JsonRecord, parse_json_document
from core.formats.common.message_lists import first_words
from core.formats.common.open_document import read_range
from core.formats.gemini_cli.patches import apply_patch
from core.formats.gemini_cli.records import SHOWN_ONLY, SNAPSHOT, read_record, record_text, request_tokens
from core.transcript.model import (
    ConversationBranch,
    Message,
    MessageFlag,
    RecordedCompaction,
    Source,
    SourceDocument,
)

KINDS = ("user", "gemini", *SHOWN_ONLY)
"""Types of records in a log."""

OPERATIONS = ("$set", "$rewindTo", "$patch")
"""First keys of lines that change earlier records."""


@dataclass(slots=True, eq=False)
class GeminiEntry:
    """One record of the history: its newest value and the place of that.

    ``rewind_number`` is the number of the rewind that removed it, 0 for none; ``patches`` are the lines that
    changed it.
    """

    value: Mapping[str, Json]
    source: Source
    rewind_number: int = 0
    patches: tuple[Source, ...] = ()

    @property
    def is_active(self) -> bool:
        return not self.rewind_number


@dataclass(slots=True, eq=False)
class GeminiRewrite:
    source: Source
    entries: tuple[GeminiEntry, ...]


@dataclass(frozen=True, slots=True)
class GeminiRewind:
    """A rewind: ``title`` is the start of the removed prompt, ``log_length`` the length of the log before
    it."""

    line: int
    title: str
    log_length: int


@dataclass(slots=True)
class GeminiReplay:
    """``log`` holds all records ever written, ``history`` the history by id.

    ``stop_before_rewind`` is the number of the rewind before which the replay ends, 0 for none.
    """

    document: SourceDocument
    notes: ImportNotes
    stop_before_rewind: int = 0
    log: list[GeminiEntry | GeminiRewrite] = field(default_factory=list)
    history: dict[str, GeminiEntry] = field(default_factory=dict)
    fields: dict[str, Json] = field(default_factory=dict)
    rewinds: list[GeminiRewind] = field(default_factory=list)


def apply_log_line(replay: GeminiReplay, record: JsonRecord) -> bool:
    """Apply one line of the log; return False if the replay ends before it."""
    value, source = record.value, record.source()
    if not isinstance(value, dict):
        replay.notes.warn(record.line, "the line is JSON but not an object; it was skipped")
        replay.notes.skip("not an object")
    elif "$rewindTo" in value:
        return _rewind(replay, value["$rewindTo"], record.line)
    elif "$set" in value:
        _apply_set(replay, value["$set"], source)
    elif "$patch" in value:
        _apply_patch_line(replay, value["$patch"], source)
    elif "type" in value or "id" in value:
        add_entry(replay, value, source)
    else:
        replay.notes.skip("session fields")
        _update_fields(replay, value)
    return True


def add_entry(replay: GeminiReplay, value: Mapping[str, Json], source: Source) -> None:
    """Add a record, or update the one in the history with its id."""
    id_ = coerce_text(value.get("id"))
    existing = replay.history.get(id_)
    if existing is not None and id_:
        existing.value, existing.source, existing.patches = value, source, ()
        replay.notes.skip("written again with the same id")
        return
    entry = GeminiEntry(value, source)
    replay.history[id_ or f"at {source.start}"] = entry
    replay.log.append(entry)


def replay_messages(replay: GeminiReplay) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages that were not rewound, and the compactions between them."""
    messages: list[Message] = []
    message_ranges: dict[int, range] = {}
    recorded: list[RecordedCompaction] = []
    answered_ids: set[str] = set()
    size: int | None = None  # of the last request, in tokens
    for entry in replay.log:
        if isinstance(entry, GeminiRewrite):
            recorded.append(
                replace(_compaction(entry, message_ranges, len(messages), answered_ids), tokens_before=size)
            )
            size = None
        elif entry.is_active:
            size = request_tokens(entry.value) or size
            entry_messages = _entry_messages(entry, replay.notes, answered_ids)
            message_ranges[id(entry)] = range(len(messages), len(messages) + len(entry_messages))
            messages.extend(entry_messages)
    return messages, tuple(recorded)


def _entry_messages(entry: GeminiEntry, notes: ImportNotes, answered_ids: set[str]) -> tuple[Message, ...]:
    """Return the messages of a record; lines that patched it are sources, too."""
    messages = read_record(entry.value, entry.source, notes, answered_ids)
    return tuple(_with_sources(message, entry.patches) for message in messages) if entry.patches else messages


def _with_sources(message: Message, patch_sources: Sequence[Source]) -> Message:
    part = message.sources[0].part
    return replace(
        message, sources=(*message.sources, *(replace(source, part=part) for source in patch_sources))
    )


def _compaction(
    rewrite: GeminiRewrite, message_ranges: Mapping[int, range], position: int, answered_ids: set[str]
) -> RecordedCompaction:
    context_after: list[int | Message] = []
    summary: list[Message] = []
    for entry in rewrite.entries:
        if id(entry) in message_ranges:
            context_after.extend(message_ranges[id(entry)])
        elif entry.is_active:
            entry_messages = _entry_messages(entry, ImportNotes(), answered_ids)
            if SNAPSHOT in record_text(entry.value):
                entry_messages = tuple(
                    replace(m, flags=m.flags | MessageFlag.RECORDED_SUMMARY) for m in entry_messages
                )
                summary.extend(entry_messages)
            context_after.extend(entry_messages)
    return RecordedCompaction(
        "summary" if summary else "replace",
        position,
        summary=tuple(summary),
        kept=tuple(index for index in context_after if isinstance(index, int)),
        source=rewrite.source,
        context_after=tuple(context_after),
    )


def _update_fields(replay: GeminiReplay, fields: Mapping[str, Json]) -> None:
    replay.fields |= {key: value for key, value in fields.items() if key != "messages"}


def _apply_set(replay: GeminiReplay, fields: Json, source: Source) -> None:
    if not isinstance(fields, dict):
        replay.notes.warn(source.line, "$set holds no fields; it was skipped")
        replay.notes.skip("$set")
        return
    _update_fields(replay, fields)
    if not isinstance(fields.get("messages"), list):
        replay.notes.skip("$set")
        return
    _rewrite(replay, fields["messages"], source)


def _record_sources(document: SourceDocument, source: Source) -> Sequence[Source]:
    """Return the places of the records in the ``$set.messages`` of a line."""
    line = parse_json_document(
        read_range(document, source.start, source.end), line=source.line, start=source.start
    )
    fields = line.objects["$set"]
    data = read_range(document, fields.start, fields.end)
    inner = parse_json_document(data, line=fields.line, start=fields.start)
    return [record.source() for record in inner.arrays["messages"]]


def _rewrite(replay: GeminiReplay, values: Sequence[Json], source: Source) -> None:
    """Replace the history; a record with the content of an earlier one counts as that, whatever its id."""
    old = replay.history
    matcher = _RewrittenRecords(old)
    new: dict[str, GeminiEntry] = {}
    record_sources: Sequence[Source] = ()
    for index, value in enumerate(values):
        if not isinstance(value, dict):
            continue
        id_ = coerce_text(value.get("id"))
        entry = matcher.find_match(id_, value)
        if entry is None:
            record_sources = record_sources or _record_sources(replay.document, source)
            entry = GeminiEntry(value, record_sources[index])
        new[id_ or f"{index} of {source.start}"] = entry
    if not _log_rewrite(replay, new, source):
        replay.notes.skip("history written again, nothing gone")
        _insert_new_entries(replay.log, list(new.values()), matcher.matched)
    replay.history = new


def _log_rewrite(replay: GeminiReplay, new: Mapping[str, GeminiEntry], source: Source) -> bool:
    """Log a rewrite; return False without one if the whole history stays in its order."""
    old = list(replay.history.values())
    old_entries = set(old)
    if [entry for entry in new.values() if entry in old_entries] == old:
        return False
    replay.notes.skip("history rewritten")
    replay.log.append(GeminiRewrite(source, tuple(new.values())))
    return True


def _apply_patch_line(replay: GeminiReplay, patch: Json, source: Source) -> None:
    history = replay.history
    changes = apply_patch(lambda id_: history[id_].value if id_ in history else None, patch)
    replay.notes.skip("$patch")
    for error in changes.errors:
        replay.notes.skip("$patch that could not be applied")
        replay.notes.warn(source.line, f"a part of this $patch could not be applied: {error}")
    changed: dict[str, GeminiEntry] = {}
    for id_, value in changes.values.items():
        entry = history[id_]
        patches = (*entry.patches, source)
        if id_ in changes.changed_ids:
            changed[id_] = GeminiEntry(value, entry.source, 0, patches)
        else:
            entry.value, entry.patches = value, patches
    if changed or changes.removed or changes.appended_ids:
        moved = {*changes.removed, *changes.appended_ids}
        new = {id_: changed.get(id_, entry) for id_, entry in history.items() if id_ not in moved}
        new |= {id_: changed.get(id_, history[id_]) for id_ in changes.appended_ids}
        _log_rewrite(replay, new, source)
        replay.history = new


class _RewrittenRecords:
    """Finds the record of a history that equals a rewritten one: by id, else by content."""

    def __init__(self, history: Mapping[str, GeminiEntry]) -> None:
        self.matched: set[GeminiEntry] = set()
        self._history = history
        self._by_content: dict[str, list[GeminiEntry]] = defaultdict(list)
        for entry in history.values():
            self._by_content[_content_key(entry.value)].append(entry)

    def find_match(self, id_: str, value: Mapping[str, Json]) -> GeminiEntry | None:
        equal_entries = [e for e in self._by_content.get(_content_key(value), ()) if e not in self.matched]
        same_id = self._history.get(id_)
        entry = same_id if same_id in equal_entries else next(iter(equal_entries), None)
        if entry is not None:
            self.matched.add(entry)
        return entry


def _content_key(value: Mapping[str, Json]) -> str:
    """Return the content of a record as text, without ids, times and display fields."""
    call_fields = [
        [call.get("id"), call.get("name"), call.get("args"), call.get("result")]
        for call in list_of(value.get("toolCalls"))
        if isinstance(call, dict)
    ]
    content = value.get("content")
    if isinstance(content, str):
        content = [{"text": content}] if content else []
    return json.dumps([value.get("type"), content, call_fields], sort_keys=True)


def _insert_new_entries(
    log: list[GeminiEntry | GeminiRewrite], entries: Sequence[GeminiEntry], matched: set[GeminiEntry]
) -> None:
    """Insert new records into the log, each before the known one that follows it."""
    new_entries: list[GeminiEntry] = []
    for entry in entries:
        if entry not in matched:
            new_entries.append(entry)
        elif new_entries:
            position = next((index for index, logged in enumerate(log) if logged is entry), len(log))
            log[position:position] = new_entries
            new_entries = []
    log.extend(new_entries)


def _rewind(replay: GeminiReplay, record_id: Json, line: int) -> bool:
    number = len(replay.rewinds) + 1
    if replay.stop_before_rewind == number:
        return False
    ids = list(replay.history)
    is_in_history = coerce_text(record_id) in replay.history
    if not is_in_history:
        replay.notes.warn(line, "the rewind names a record that is not there; it took back everything")
    removed = [
        replay.history.pop(id_) for id_ in ids[ids.index(coerce_text(record_id)) if is_in_history else 0 :]
    ]
    for entry in removed:
        entry.rewind_number = number
    replay.notes.skip("$rewindTo")
    replay.notes.skip("taken back by a rewind", len(removed))
    prompts = (record_text(entry.value) for entry in removed if entry.value.get("type") == "user")
    replay.rewinds.append(GeminiRewind(line, first_words(next(prompts, "")), len(replay.log)))
    return True


def rewound_branches(replay: GeminiReplay) -> tuple[ConversationBranch, ...]:
    """Return the history before each rewind as branches, numbered from 2."""
    answered_ids = set[str]()
    sizes: list[tuple[int, int]] = []  # of each entry of the log: its messages, the rewind that removed it
    for entry in replay.log:
        if isinstance(entry, GeminiRewrite):
            sizes.append((0, 0))
            continue
        messages = read_record(entry.value, entry.source, ImportNotes(), answered_ids)
        sizes.append((len(messages), entry.rewind_number))
    branches: list[ConversationBranch] = []
    for number, rewind in enumerate(replay.rewinds, 1):
        logged = sizes[: rewind.log_length]
        size = sum(count for count, removed_by in logged if not 0 < removed_by < number)
        branches.append(ConversationBranch(number + 1, rewind.title, size, rewind.line))
    return tuple(branches)

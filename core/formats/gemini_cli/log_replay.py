"""Replays the log of a Gemini CLI session: records, records written again, rewrites and rewinds.

A record whose id is in the history replaces the earlier one. ``$set.messages`` and ``$patch`` give a new
history: if nothing of the old one is missing, it only adds; else the agent compacted. ``$rewindTo``
removes the record of that id and all after it; with an unknown id everything.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.conversation_list import first_words
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import InvalidJsonError, JsonRecord, parse_json_document
from core.formats.common.source_bytes import read_range
from core.formats.gemini_cli.log_state import GeminiEntry, GeminiReplay, GeminiRewind, GeminiRewrite
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

_SET = re.compile(rb'"\$set"\s*:\s*(?=\{)')
_DECODER = json.JSONDecoder(strict=False)


def apply_log_line(replay: GeminiReplay, record: JsonRecord) -> bool:
    """Apply one line of the log; return False if the replay ends before it."""
    value, source = record.value, Source(record.line, record.start, record.end)
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


def _record_sources(document: SourceDocument, source: Source, count: int) -> Sequence[Source]:
    data = read_range(document, source.start, source.end)
    match = _SET.search(data)
    if match is not None:
        text = data[match.end() :].decode("utf-8", "surrogateescape")
        try:
            _, end = _DECODER.raw_decode(text)
            inner = text[:end].encode("utf-8", "surrogateescape")
            parsed = parse_json_document(inner, line=source.line, start=source.start + match.end())
        except (ValueError, InvalidJsonError):
            return [source] * count
        records = parsed.arrays.get("messages", ())
        if len(records) == count:
            return [Source(record.line, record.start, record.end) for record in records]
    return [source] * count


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
            record_sources = record_sources or _record_sources(replay.document, source, len(values))
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
        self._by_content: dict[str, list[GeminiEntry]] | None = None

    def find_match(self, id_: str, value: Mapping[str, Json]) -> GeminiEntry | None:
        candidate = self._history.get(id_)
        if candidate is not None and candidate not in self.matched and candidate.value == value:
            self.matched.add(candidate)
            return candidate
        content = _content_key(value)
        if candidate is None or candidate in self.matched or _content_key(candidate.value) != content:
            if self._by_content is None:
                self._by_content = defaultdict(list)
                for entry in self._history.values():
                    self._by_content[_content_key(entry.value)].append(entry)
            candidate = next((e for e in self._by_content.get(content, ()) if e not in self.matched), None)
        if candidate is not None:
            self.matched.add(candidate)
        return candidate


def _content_key(value: Mapping[str, Json]) -> str:
    """Return the content of a record as text, without ids, times and display fields."""
    calls = value.get("toolCalls")
    call_fields = [
        [call.get("id"), call.get("name"), call.get("args"), call.get("result")]
        for call in (calls if isinstance(calls, list) else ())
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
    sizes = _rewound_branch_sizes(replay)
    branches: list[ConversationBranch] = []
    for number, (rewind, size) in enumerate(zip(replay.rewinds, sizes, strict=True), 2):
        branches.append(ConversationBranch(number, rewind.title, size, rewind.line))
    return tuple(branches)


def _rewound_branch_sizes(replay: GeminiReplay) -> Sequence[int]:
    size_changes = [0] * (len(replay.rewinds) + 2)
    first_branch, answered_ids = 1, set[str]()
    for position, entry in enumerate(replay.log):
        while first_branch <= len(replay.rewinds) and replay.rewinds[first_branch - 1].log_length <= position:
            first_branch += 1
        if isinstance(entry, GeminiEntry):
            size = len(read_record(entry.value, entry.source, ImportNotes(), answered_ids))
            last_branch = entry.rewind_number or len(replay.rewinds)
            if first_branch <= last_branch:
                size_changes[first_branch] += size
                size_changes[last_branch + 1] -= size
    return tuple(accumulate(size_changes))[1 : len(replay.rewinds) + 1]

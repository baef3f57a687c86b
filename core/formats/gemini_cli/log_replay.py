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
from core.formats.anthropic.blocks import text_of
from core.formats.common.conversation_list import first_words
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import InvalidJsonError, JsonRecord, read_whole
from core.formats.common.source_bytes import read_range
from core.formats.gemini_cli.log_state import GeminiEntry, GeminiReplay, GeminiRewind, GeminiRewrite
from core.formats.gemini_cli.patches import apply_patch
from core.formats.gemini_cli.records import SHOWN_ONLY, SNAPSHOT, asked_tokens, read_record, words_of
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


def feed_line(replay: GeminiReplay, record: JsonRecord) -> bool:
    """Apply one line of the log; return False if the replay ends before it."""
    value, source = record.value, Source(record.line, record.start, record.end)
    if not isinstance(value, dict):
        replay.notes.warn(record.line, "the line is JSON but not an object; it was skipped")
        replay.notes.skip("not an object")
    elif "$rewindTo" in value:
        return _rewind(replay, value["$rewindTo"], record.line)
    elif "$set" in value:
        _set(replay, value["$set"], source)
    elif "$patch" in value:
        _patch(replay, value["$patch"], source)
    elif "type" in value or "id" in value:
        add_entry(replay, value, source)
    else:
        replay.notes.skip("session fields")
        _fields(replay, value)
    return True


def add_entry(replay: GeminiReplay, value: Mapping[str, Json], source: Source) -> None:
    """Add a record, or update the one in the history with its id."""
    id_ = text_of(value.get("id"))
    known = replay.live.get(id_)
    if known is not None and id_:
        known.value, known.source, known.patches = value, source, ()
        replay.notes.skip("written again with the same id")
        return
    entry = GeminiEntry(value, source)
    replay.live[id_ or f"at {source.start}"] = entry
    replay.log.append(entry)


def replay_messages(replay: GeminiReplay) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages that were not rewound, and the compactions between them."""
    messages: list[Message] = []
    places: dict[int, range] = {}
    recorded: list[RecordedCompaction] = []
    answered: set[str] = set()
    size: int | None = None  # of the last request, in tokens
    for entry in replay.log:
        if isinstance(entry, GeminiRewrite):
            recorded.append(replace(_compaction(entry, places, len(messages), answered), tokens_before=size))
            size = None
        elif entry.alive:
            size = asked_tokens(entry.value) or size
            own = _read(entry, replay.notes, answered)
            places[id(entry)] = range(len(messages), len(messages) + len(own))
            messages.extend(own)
    return messages, tuple(recorded)


def _read(entry: GeminiEntry, notes: ImportNotes, answered: set[str]) -> tuple[Message, ...]:
    """Return the messages of a record; lines that patched it are sources, too."""
    own = read_record(entry.value, entry.source, notes, answered)
    return tuple(_with_sources(one, entry.patches) for one in own) if entry.patches else own


def _with_sources(message: Message, more: Sequence[Source]) -> Message:
    part = message.sources[0].part
    return replace(message, sources=(*message.sources, *(replace(source, part=part) for source in more)))


def _compaction(
    rewrite: GeminiRewrite, places: Mapping[int, range], position: int, answered: set[str]
) -> RecordedCompaction:
    left: list[int | Message] = []
    summary: list[Message] = []
    for entry in rewrite.entries:
        if id(entry) in places:
            left.extend(places[id(entry)])
        elif entry.alive:
            own = _read(entry, ImportNotes(), answered)
            if SNAPSHOT in words_of(entry.value):
                own = tuple(replace(m, flags=m.flags | MessageFlag.RECORDED_SUMMARY) for m in own)
                summary.extend(own)
            left.extend(own)
    return RecordedCompaction(
        "summary" if summary else "replace",
        position,
        summary=tuple(summary),
        kept=tuple(index for index in left if isinstance(index, int)),
        source=rewrite.source,
        context_after=tuple(left),
    )


def _fields(replay: GeminiReplay, fields: Mapping[str, Json]) -> None:
    replay.fields |= {key: value for key, value in fields.items() if key != "messages"}


def _set(replay: GeminiReplay, fields: Json, source: Source) -> None:
    if not isinstance(fields, dict):
        replay.notes.warn(source.line, "$set holds no fields; it was skipped")
        replay.notes.skip("$set")
        return
    _fields(replay, fields)
    if not isinstance(fields.get("messages"), list):
        replay.notes.skip("$set")
        return
    _rewrite(replay, fields["messages"], source)


def _record_sources(document: SourceDocument, source: Source, count: int) -> Sequence[Source]:
    data = read_range(document, source.start, source.end)
    opening = _SET.search(data)
    if opening is not None:
        text = data[opening.end() :].decode("utf-8", "surrogateescape")
        try:
            _, end = _DECODER.raw_decode(text)
            inner = text[:end].encode("utf-8", "surrogateescape")
            whole = read_whole(inner, line=source.line, start=source.start + opening.end())
        except (ValueError, InvalidJsonError):
            return [source] * count
        records = whole.arrays.get("messages", ())
        if len(records) == count:
            return [Source(record.line, record.start, record.end) for record in records]
    return [source] * count


def _rewrite(replay: GeminiReplay, values: Sequence[Json], source: Source) -> None:
    """Replace the history; a record with the content of an earlier one counts as that, whatever its id."""
    old = replay.live
    matcher = _RewrittenRecords(old)
    new: dict[str, GeminiEntry] = {}
    places: Sequence[Source] = ()
    for index, value in enumerate(values):
        if not isinstance(value, dict):
            continue
        id_ = text_of(value.get("id"))
        entry = matcher.take(id_, value)
        if entry is None:
            places = places or _record_sources(replay.document, source, len(values))
            entry = GeminiEntry(value, places[index])
        new[id_ or f"{index} of {source.start}"] = entry
    if not _log_rewrite(replay, new, source):
        replay.notes.skip("history written again, nothing gone")
        _insert(replay.log, list(new.values()), matcher.taken)
    replay.live = new


def _log_rewrite(replay: GeminiReplay, new: Mapping[str, GeminiEntry], source: Source) -> bool:
    """Log a rewrite; return False without one if the whole history stays in its order."""
    old = list(replay.live.values())
    known = set(old)
    if [entry for entry in new.values() if entry in known] == old:
        return False
    replay.notes.skip("history rewritten")
    replay.log.append(GeminiRewrite(source, tuple(new.values())))
    return True


def _patch(replay: GeminiReplay, patch: Json, source: Source) -> None:
    live = replay.live
    changes = apply_patch(lambda id_: live[id_].value if id_ in live else None, patch)
    replay.notes.skip("$patch")
    for fault in changes.errors:
        replay.notes.skip("$patch that could not be applied")
        replay.notes.warn(source.line, f"a part of this $patch could not be applied: {fault}")
    changed: dict[str, GeminiEntry] = {}
    for id_, value in changes.values.items():
        entry = live[id_]
        patches = (*entry.patches, source)
        if id_ in changes.changed_ids:
            changed[id_] = GeminiEntry(value, entry.source, 0, patches)
        else:
            entry.value, entry.patches = value, patches
    if changed or changes.removed or changes.appended_ids:
        moved = {*changes.removed, *changes.appended_ids}
        new = {id_: changed.get(id_, entry) for id_, entry in live.items() if id_ not in moved}
        new |= {id_: changed.get(id_, live[id_]) for id_ in changes.appended_ids}
        _log_rewrite(replay, new, source)
        replay.live = new


class _RewrittenRecords:
    """Finds the record of a history that equals a rewritten one: by id, else by content."""

    def __init__(self, live: Mapping[str, GeminiEntry]) -> None:
        self.taken: set[GeminiEntry] = set()
        self._live = live
        self._by_content: dict[str, list[GeminiEntry]] | None = None

    def take(self, id_: str, value: Mapping[str, Json]) -> GeminiEntry | None:
        known = self._live.get(id_)
        if known is not None and known not in self.taken and known.value == value:
            self.taken.add(known)
            return known
        content = _content_key(value)
        if known is None or known in self.taken or _content_key(known.value) != content:
            if self._by_content is None:
                self._by_content = defaultdict(list)
                for entry in self._live.values():
                    self._by_content[_content_key(entry.value)].append(entry)
            known = next((e for e in self._by_content.get(content, ()) if e not in self.taken), None)
        if known is not None:
            self.taken.add(known)
        return known


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


def _insert(
    log: list[GeminiEntry | GeminiRewrite], entries: Sequence[GeminiEntry], known: set[GeminiEntry]
) -> None:
    """Insert new records into the log, each before the known one that follows it."""
    fresh: list[GeminiEntry] = []
    for entry in entries:
        if entry not in known:
            fresh.append(entry)
        elif fresh:
            at = next((index for index, one in enumerate(log) if one is entry), len(log))
            log[at:at] = fresh
            fresh = []
    log.extend(fresh)


def _rewind(replay: GeminiReplay, to: Json, line: int) -> bool:
    number = len(replay.rewinds) + 1
    if replay.until == number:
        return False
    ids = list(replay.live)
    known = text_of(to) in replay.live
    if not known:
        replay.notes.warn(line, "the rewind names a record that is not there; it took back everything")
    gone = [replay.live.pop(id_) for id_ in ids[ids.index(text_of(to)) if known else 0 :]]
    for entry in gone:
        entry.rewind_number = number
    replay.notes.skip("$rewindTo")
    replay.notes.skip("taken back by a rewind", len(gone))
    prompts = (words_of(entry.value) for entry in gone if entry.value.get("type") == "user")
    replay.rewinds.append(GeminiRewind(line, first_words(next(prompts, "")), len(replay.log)))
    return True


def left_branches(replay: GeminiReplay) -> tuple[ConversationBranch, ...]:
    """Return the history before each rewind as branches, numbered from 2."""
    sizes = _sizes(replay)
    branches: list[ConversationBranch] = []
    for number, (rewind, size) in enumerate(zip(replay.rewinds, sizes, strict=True), 2):
        branches.append(ConversationBranch(number, rewind.title, size, rewind.line))
    return tuple(branches)


def _sizes(replay: GeminiReplay) -> Sequence[int]:
    more = [0] * (len(replay.rewinds) + 2)
    first, answered = 1, set[str]()
    for place, entry in enumerate(replay.log):
        while first <= len(replay.rewinds) and replay.rewinds[first - 1].known <= place:
            first += 1
        if isinstance(entry, GeminiEntry):
            size = len(read_record(entry.value, entry.source, ImportNotes(), answered))
            last = entry.rewind_number or len(replay.rewinds)
            if first <= last:
                more[first] += size
                more[last + 1] -= size
    return tuple(accumulate(more))[1 : len(replay.rewinds) + 1]

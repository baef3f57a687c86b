"""Replays the log of a Gemini CLI session: records, records written again, rewrites, patches and
rewinds.

A record whose id is in the history replaces the earlier one. ``$set.messages`` and ``$patch`` give
a new history: if nothing of the old one is missing, it only adds; else the agent compacted.
``$rewindTo`` removes the record of that id and all after it; with an unknown id everything.

``{"$patch": {id, content?, toolCalls?: [{id, result}], updates?: [{id, content?, toolCalls?}],
removeIds?: [id], orderIds?: [id]}}``: given fields of a record or a call replace those it had;
records in ``orderIds`` come last, in that order. No real patch was seen.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.formats.common.json_access import coerce_text, fields_of, list_of
from core.formats.common.json_parsing import JsonRecord, parse_json_document
from core.formats.common.message_lists import first_words
from core.formats.common.messages import ImportNotes
from core.formats.common.open_document import read_range
from core.formats.gemini_cli.records import SNAPSHOT, read_record, record_text, request_tokens
from core.transcript.model import (
    ConversationBranch,
    Message,
    MessageFlag,
    RecordedCompaction,
    Source,
    SourceDocument,
)

_UPDATE_FIELDS = ("id", "content", "toolCalls")
_PATCH_FIELDS = (*_UPDATE_FIELDS, "updates", "removeIds", "orderIds")


@dataclass(slots=True, eq=False)
class GeminiEntry:
    """One record of the history: its newest value and the place of that. ``patches`` are the lines
    that changed it; it is inactive once a rewind removed it."""

    value: Mapping[str, Json]
    source: Source
    patches: tuple[Source, ...] = ()
    is_active: bool = True


@dataclass(slots=True, eq=False)
class GeminiRewrite:
    source: Source
    entries: tuple[GeminiEntry, ...]


@dataclass(slots=True, kw_only=True)
class GeminiReplay:
    """``log`` holds all records ever written, ``history`` the history by id, ``rewound`` the
    history before each rewind as a branch. The replay ends before the rewind to ``branch``, if it
    is not the first."""

    document: SourceDocument
    branch: int = 1
    notes: ImportNotes = field(default_factory=ImportNotes)
    log: list[GeminiEntry | GeminiRewrite] = field(default_factory=list)
    history: dict[str, GeminiEntry] = field(default_factory=dict)
    fields: dict[str, Json] = field(default_factory=dict)
    rewound: list[ConversationBranch] = field(default_factory=list)

    def add_line(self, record: JsonRecord) -> bool:
        """Apply one line of the log; return False if the replay ends before it."""
        value, source = record.value, record.source()
        if not isinstance(value, dict):
            self.notes.warn(record.line, "the line is JSON but not an object; it was skipped")
            self.notes.skip("not an object")
        elif "$rewindTo" in value:
            return self._rewind(coerce_text(value["$rewindTo"]), record.line)
        elif "$set" in value:
            self._apply_set(value["$set"], source)
        elif "$patch" in value:
            self._apply_patch(fields_of(value["$patch"]), source)
        elif "type" in value or "id" in value:
            self.add_entry(value, source)
        else:
            self.notes.skip("session fields")
            self._update_fields(value)
        return True

    def add_entry(self, value: Mapping[str, Json], source: Source) -> None:
        """Add a record, or update the one in the history with its id."""
        id_ = coerce_text(value.get("id"))
        existing = self.history.get(id_)
        if existing is not None and id_:
            existing.value, existing.source, existing.patches = value, source, ()
            self.notes.skip("written again with the same id")
            return
        entry = GeminiEntry(value, source)
        self.history[id_ or f"at {source.start}"] = entry
        self.log.append(entry)

    def messages(self, notes: ImportNotes) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
        """Return the messages that were not rewound, and the compactions between them."""
        messages: list[Message] = []
        indices: dict[GeminiEntry, range] = {}
        recorded: list[RecordedCompaction] = []
        answered_ids: set[str] = set()
        size: int | None = None  # of the last request, in tokens
        for entry in self.log:
            if isinstance(entry, GeminiRewrite):
                recorded.append(_compaction(entry, indices, len(messages), answered_ids, size))
                size = None
            elif entry.is_active:
                size = request_tokens(entry.value) or size
                start = len(messages)
                messages += _entry_messages(entry, notes, answered_ids)
                indices[entry] = range(start, len(messages))
        return messages, tuple(recorded)

    def _update_fields(self, fields: Mapping[str, Json]) -> None:
        self.fields |= {key: value for key, value in fields.items() if key != "messages"}

    def _apply_set(self, fields: Json, source: Source) -> None:
        if isinstance(fields, dict):
            self._update_fields(fields)
            if isinstance(fields.get("messages"), list):
                self._rewrite(fields["messages"], source)
                return
        else:
            self.notes.warn(source.line, "$set holds no fields; it was skipped")
        self.notes.skip("$set")

    def _rewrite(self, values: Sequence[Json], source: Source) -> None:
        """Replace the history; a record with the content of an earlier one counts as that, whatever
        its id."""
        by_content: dict[str, list[GeminiEntry]] = defaultdict(list)
        for entry in self.history.values():
            by_content[_content_key(entry.value)].append(entry)
        new: dict[str, GeminiEntry] = {}
        known: set[GeminiEntry] = set()
        record_sources: Sequence[Source] = ()
        for index, value in enumerate(values):
            if not isinstance(value, dict):
                continue
            id_ = coerce_text(value.get("id"))
            same = [
                entry for entry in by_content.get(_content_key(value), ()) if entry not in known
            ]
            if same:
                same_id = self.history.get(id_)
                entry = same_id if same_id is not None and same_id in same else same[0]
                known.add(entry)
            else:
                record_sources = record_sources or _record_sources(self.document, source)
                entry = GeminiEntry(value, record_sources[index])
            new[id_ or f"{index} of {source.start}"] = entry
        if not self._log_rewrite(new, source):
            self.notes.skip("history written again, nothing gone")
            self._insert_new_entries(new.values(), known)
        self.history = new

    def _log_rewrite(self, new: Mapping[str, GeminiEntry], source: Source) -> bool:
        old = list(self.history.values())
        old_entries = set(old)
        if [entry for entry in new.values() if entry in old_entries] == old:
            return False
        self.notes.skip("history rewritten")
        self.log.append(GeminiRewrite(source, tuple(new.values())))
        return True

    def _insert_new_entries(self, entries: Iterable[GeminiEntry], known: set[GeminiEntry]) -> None:
        """Insert new records into the log, each before the known one that follows it."""
        new_entries: list[GeminiEntry] = []
        for entry in entries:
            if entry not in known:
                new_entries.append(entry)
            elif new_entries:
                index = self.log.index(entry) if entry in self.log else len(self.log)
                self.log[index:index] = new_entries
                new_entries = []
        self.log.extend(new_entries)

    def _apply_patch(self, patch: Mapping[str, Json], source: Source) -> None:
        """Update records in place where a patch only adds what they lack (a pending result); other
        changes are a rewrite of the history."""

        def fail(error: str) -> None:
            self.notes.skip("$patch that could not be applied")
            self.notes.warn(source.line, f"a part of this $patch could not be applied: {error}")

        self.notes.skip("$patch")
        if not patch:
            fail("it names nothing to change")
        own = {name: patch[name] for name in _UPDATE_FIELDS if name in patch}
        updates = [
            *([own] if "id" in patch else []),
            *map(fields_of, list_of(patch.get("updates"))),
        ]
        new = dict(self.history)
        for update in updates:
            id_ = coerce_text(update.get("id"))
            entry = new.get(id_) if id_ else None
            if entry is None:
                fail(f"there is no record {id_[:40]!r}")
                continue
            value, only_fills = _updated(entry.value, update, fail)
            if value == entry.value:
                continue
            if not only_fills:
                entry = new[id_] = replace(entry, is_active=True)
            patches = dict.fromkeys((*entry.patches, source))
            entry.value, entry.patches = value, tuple(patches)
        for name in patch:
            if name not in _PATCH_FIELDS:
                fail(f'the meaning of "{name[:40]}" is not known')
        removed, last = (
            [coerce_text(id_) for id_ in list_of(patch.get(n))] for n in ("removeIds", "orderIds")
        )
        new = {id_: entry for id_, entry in new.items() if id_ not in removed}
        new |= {id_: new.pop(id_) for id_ in dict.fromkeys(last) if id_ in new}
        if list(new.values()) != list(self.history.values()):
            self._log_rewrite(new, source)
            self.history = new

    def _rewind(self, id_: str, line: int) -> bool:
        number = len(self.rewound) + 2
        if self.branch == number:
            return False
        ids = list(self.history)
        if id_ not in self.history:
            self.notes.warn(
                line, "the rewind names a record that is not there; it took back everything"
            )
        size = len(self.messages(ImportNotes())[0])
        removed = [
            self.history.pop(one) for one in ids[ids.index(id_) if id_ in self.history else 0 :]
        ]
        for entry in removed:
            entry.is_active = False
        self.notes.skip("$rewindTo")
        self.notes.skip("taken back by a rewind", len(removed))
        prompts = (
            record_text(entry.value) for entry in removed if entry.value.get("type") == "user"
        )
        self.rewound.append(ConversationBranch(number, first_words(next(prompts, "")), size, line))
        return True


def _entry_messages(
    entry: GeminiEntry, notes: ImportNotes, answered_ids: set[str]
) -> list[Message]:
    """Return the messages of a record; lines that patched it are sources, too."""
    messages = read_record(entry.value, entry.source, notes, answered_ids)
    return [
        replace(
            m,
            sources=(
                *m.sources,
                *(replace(patch, part=m.sources[0].part) for patch in entry.patches),
            ),
        )
        for m in messages
    ]


def _compaction(
    rewrite: GeminiRewrite,
    indices: Mapping[GeminiEntry, range],
    boundary: int,
    answered_ids: set[str],
    tokens_before: int | None,
) -> RecordedCompaction:
    context_after: list[int | Message] = []
    summary: list[Message] = []
    for entry in rewrite.entries:
        if entry in indices:
            context_after += indices[entry]
        elif entry.is_active:
            messages = _entry_messages(entry, ImportNotes(), answered_ids)
            if SNAPSHOT in record_text(entry.value):
                messages = [
                    replace(m, flags=m.flags | MessageFlag.RECORDED_SUMMARY) for m in messages
                ]
                summary += messages
            context_after += messages
    return RecordedCompaction(
        kind="summary" if summary else "replace",
        boundary=boundary,
        tokens_before=tokens_before,
        summary=tuple(summary),
        kept=tuple(index for index in context_after if isinstance(index, int)),
        source=rewrite.source,
        context_after=tuple(context_after),
    )


def _record_sources(document: SourceDocument, source: Source) -> Sequence[Source]:
    data = read_range(document, source.start, source.end)
    fields = parse_json_document(data, line=source.line, start=source.start).objects["$set"]
    data = read_range(document, fields.start, fields.end)
    inner = parse_json_document(data, line=fields.line, start=fields.start)
    return [record.source() for record in inner.arrays["messages"]]


def _content_key(value: Mapping[str, Json]) -> str:
    """Return the content of a record as text, without ids, times and display fields."""
    names = ("id", "name", "args", "result")
    calls = [fields_of(call) for call in list_of(value.get("toolCalls")) if isinstance(call, dict)]
    content = value.get("content")
    if isinstance(content, str):
        content = [{"text": content}] if content else []
    call_fields = [[call.get(name) for name in names] for call in calls]
    return json.dumps([value.get("type"), content, call_fields], sort_keys=True)


def _updated(
    old: Mapping[str, Json], update: Mapping[str, Json], fail: Callable[[str], None]
) -> tuple[dict[str, Json], bool]:
    """Return a record after an update, and whether that only added what the record lacked."""
    for name in update:
        if name not in _UPDATE_FIELDS:
            fail(f'the meaning of "{name[:40]}" is not known')
    new, only_fills = dict(old), True
    if "content" in update and update["content"] != old.get("content"):
        new["content"], only_fills = update["content"], not old.get("content")
    for change in map(fields_of, list_of(update.get("toolCalls"))):
        calls, id_ = list_of(new.get("toolCalls")), coerce_text(change.get("id"))
        index = next(
            (i for i, call in enumerate(calls) if id_ and fields_of(call).get("id") == id_), -1
        )
        if index < 0:
            fail(f"there is no call {id_[:40]!r}")
            continue
        call = fields_of(calls[index])
        new["toolCalls"] = [*calls[:index], {**call, **change}, *calls[index + 1 :]]
        is_same = "result" not in change or call.get("result") == change["result"]
        only_fills = only_fills and (is_same or call.get("result") is None)
    return new, only_fills

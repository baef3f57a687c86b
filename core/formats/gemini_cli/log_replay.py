"""Replays the log of a Gemini CLI session: records, records written again, rewrites and rewinds.

A record whose id is in the history takes the place of the one before. ``$set.messages`` is the whole
history anew: nothing of it gone, it only adds; else the agent compacted. So it is with what a
``$patch`` makes of the history. ``$rewindTo`` takes back the record of that id and all after it, an
unknown id everything.
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
"""Types of the records that are lines of a log."""

OPERATIONS = ("$set", "$rewindTo", "$patch")
"""First keys of the lines that change what was written before."""

_SET = re.compile(rb'"\$set"\s*:\s*(?=\{)')
_DECODER = json.JSONDecoder(strict=False)


def feed_line(replay: GeminiReplay, record: JsonRecord) -> bool:
    """Take one line of the log; False where the replay is to end before it."""
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
    """A record: new, or the newest state of one that is in the history."""
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
    """The messages that were not taken back, and the compactions between them."""
    messages: list[Message] = []
    places: dict[int, range] = {}
    recorded: list[RecordedCompaction] = []
    answered: set[str] = set()
    asked: int | None = None  # tokens of the last request
    for entry in replay.log:
        if isinstance(entry, GeminiRewrite):
            recorded.append(replace(_recorded(entry, places, len(messages), answered), tokens_before=asked))
            asked = None
        elif entry.alive:
            asked = asked_tokens(entry.value) or asked
            own = _read(entry, replay.notes, answered)
            places[id(entry)] = range(len(messages), len(messages) + len(own))
            messages.extend(own)
    return messages, tuple(recorded)


def _read(entry: GeminiEntry, notes: ImportNotes, answered: set[str]) -> tuple[Message, ...]:
    """The messages of a record; of one that was patched with the lines of the patches as sources."""
    own = read_record(entry.value, entry.source, notes, answered)
    return tuple(_with_sources(one, entry.patches) for one in own) if entry.patches else own


def _with_sources(message: Message, more: Sequence[Source]) -> Message:
    part = message.sources[0].part
    return replace(message, sources=(*message.sources, *(replace(one, part=part) for one in more)))


def _recorded(
    rewrite: GeminiRewrite, places: Mapping[int, range], position: int, answered: set[str]
) -> RecordedCompaction:
    left: list[int | Message] = []
    summary: list[Message] = []
    for entry in rewrite.left:
        if id(entry) in places:
            left.extend(places[id(entry)])
        elif entry.alive:
            own = _read(entry, ImportNotes(), answered)
            if SNAPSHOT in words_of(entry.value):
                own = tuple(replace(one, flags=one.flags | MessageFlag.RECORDED_SUMMARY) for one in own)
                summary.extend(own)
            left.extend(own)
    return RecordedCompaction(
        "summary" if summary else "replace",
        position,
        summary=tuple(summary),
        kept=tuple(index for index in left if isinstance(index, int)),
        source=rewrite.source,
        left=tuple(left),
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


def _places(document: SourceDocument, source: Source, count: int) -> Sequence[Source]:
    """Where each record of a rewritten history stands, so that it can be read again by itself."""
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
        found = whole.arrays.get("messages", ())
        if len(found) == count:
            return [Source(record.line, record.start, record.end) for record in found]
    return [source] * count


def _rewrite(replay: GeminiReplay, values: Sequence[Json], source: Source) -> None:
    """The history anew. Records that say the same as one before are that one, whatever their id."""
    old = replay.live
    same = _RewrittenRecords(old)
    new: dict[str, GeminiEntry] = {}
    places: Sequence[Source] = ()
    for index, value in enumerate(values):
        if not isinstance(value, dict):
            continue
        id_ = text_of(value.get("id"))
        entry = same.take(id_, value)
        if entry is None:
            places = places or _places(replay.document, source, len(values))
            entry = GeminiEntry(value, places[index])
        new[id_ or f"{index} of {source.start}"] = entry
    if not _become(replay, new, source):
        replay.notes.skip("history written again, nothing gone")
        _insert(replay.log, list(new.values()), same.taken)
    replay.live = new


def _become(replay: GeminiReplay, new: Mapping[str, GeminiEntry], source: Source) -> bool:
    """Note that the history becomes another; False where all of it stays, in its order."""
    old = list(replay.live.values())
    known = set(old)
    if [entry for entry in new.values() if entry in known] == old:
        return False
    replay.notes.skip("history rewritten")
    replay.log.append(GeminiRewrite(source, tuple(new.values())))
    return True


def _patch(replay: GeminiReplay, patch: Json, source: Source) -> None:
    """Change the history by a ``$patch``: a compaction where it replaces or removes what was said."""
    live = replay.live
    made = apply_patch(lambda id_: live[id_].value if id_ in live else None, patch)
    replay.notes.skip("$patch")
    for fault in made.faults:
        replay.notes.skip("$patch that could not be applied")
        replay.notes.warn(source.line, f"a part of this $patch could not be applied: {fault}")
    said: dict[str, GeminiEntry] = {}
    for id_, value in made.values.items():
        entry = live[id_]
        patches = (*entry.patches, source)
        if id_ in made.says:
            said[id_] = GeminiEntry(value, entry.source, 0, patches)
        else:
            entry.value, entry.patches = value, patches
    if said or made.removed or made.last:
        moved = {*made.removed, *made.last}
        new = {id_: said.get(id_, entry) for id_, entry in live.items() if id_ not in moved}
        new |= {id_: said.get(id_, live[id_]) for id_ in made.last}
        _become(replay, new, source)
        replay.live = new


class _RewrittenRecords:
    """Finds the record of a history that says what a rewritten one says: by id, else by content."""

    def __init__(self, live: Mapping[str, GeminiEntry]) -> None:
        self.taken: set[GeminiEntry] = set()
        self._live = live
        self._by_content: dict[str, list[GeminiEntry]] | None = None

    def take(self, id_: str, value: Mapping[str, Json]) -> GeminiEntry | None:
        known = self._live.get(id_)
        if known is not None and known not in self.taken and known.value == value:
            self.taken.add(known)
            return known
        said = _said(value)
        if known is None or known in self.taken or _said(known.value) != said:
            if self._by_content is None:
                self._by_content = defaultdict(list)
                for entry in self._live.values():
                    self._by_content[_said(entry.value)].append(entry)
            known = next((e for e in self._by_content.get(said, ()) if e not in self.taken), None)
        if known is not None:
            self.taken.add(known)
        return known


def _said(value: Mapping[str, Json]) -> str:
    """What a record says, apart from ids, times and how it is shown."""
    calls = value.get("toolCalls")
    found = [
        [call.get("id"), call.get("name"), call.get("args"), call.get("result")]
        for call in (calls if isinstance(calls, list) else ())
        if isinstance(call, dict)
    ]
    content = value.get("content")
    if isinstance(content, str):
        content = [{"text": content}] if content else []
    return json.dumps([value.get("type"), content, found], sort_keys=True)


def _insert(
    log: list[GeminiEntry | GeminiRewrite], entries: Sequence[GeminiEntry], known: set[GeminiEntry]
) -> None:
    """Put new records into the log, each before the known one that follows it."""
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
        entry.gone = number
    replay.notes.skip("$rewindTo")
    replay.notes.skip("taken back by a rewind", len(gone))
    prompts = (words_of(entry.value) for entry in gone if entry.value.get("type") == "user")
    replay.rewinds.append(GeminiRewind(line, first_words(next(prompts, "")), len(replay.log)))
    return True


def left_branches(replay: GeminiReplay) -> tuple[ConversationBranch, ...]:
    """The history as it was before each rewind, numbered from 2."""
    sizes = _sizes(replay)
    found: list[ConversationBranch] = []
    for number, (rewind, size) in enumerate(zip(replay.rewinds, sizes, strict=True), 2):
        found.append(ConversationBranch(number, rewind.title, size, rewind.line))
    return tuple(found)


def _sizes(replay: GeminiReplay) -> Sequence[int]:
    """How many messages there were before each rewind: those known by then and not yet taken back."""
    more = [0] * (len(replay.rewinds) + 2)
    first, answered = 1, set[str]()
    for place, entry in enumerate(replay.log):
        while first <= len(replay.rewinds) and replay.rewinds[first - 1].known <= place:
            first += 1
        if isinstance(entry, GeminiEntry):
            size = len(read_record(entry.value, entry.source, ImportNotes(), answered))
            last = entry.gone or len(replay.rewinds)
            if first <= last:
                more[first] += size
                more[last + 1] -= size
    return tuple(accumulate(more))[1 : len(replay.rewinds) + 1]

"""Recorded compactions of Claude Code: boundaries, their summaries, and what they kept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.claude_code.messages import ClaudeRow
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, number_of
from core.formats.common.json_parsing import JsonRecord
from core.transcript.model import Message, RecordedCompaction, Source, Speaker

BOUNDARY = "compact_boundary"
MICRO_BOUNDARY = "microcompact_boundary"
_METADATA_FIELDS = {  # in the file, and in a live stream
    BOUNDARY: ("compactMetadata", "compact_metadata"),
    MICRO_BOUNDARY: ("microcompactMetadata", "microcompact_metadata"),
}


@dataclass(slots=True, kw_only=True)
class ClaudeCompaction:
    """A boundary, with its summary; ``source`` is None for a summary without one. ``row_count``
    counts the rows before it."""

    row_count: int
    kind: str
    uuid: str = ""
    parent: str = ""
    metadata: Mapping[str, Json] = field(default_factory=dict)
    summary: list[ClaudeRow] = field(default_factory=list)
    source: Source | None = None

    @property
    def removed_nothing(self) -> bool:
        """Whether results were to be cleared, and none was."""
        is_empty = self.metadata.get("compactedToolIds") == [] and not self.metadata.get(
            "tokensSaved"
        )
        return self.kind == "microcompact" and is_empty

    @property
    def place(self) -> tuple[str, Source]:
        """Uuid and place of the boundary, or of a summary that has none."""
        return (
            (self.uuid, self.source)
            if self.source
            else (self.summary[0].uuid, self.summary[0].source)
        )


def add_boundary(compactions: list[ClaudeCompaction], record: JsonRecord, row_count: int) -> bool:
    """Note a boundary line; a summary written just before it belongs to it. Return False for one
    that is written again."""
    line, subtype = record.value, record.value["subtype"]
    metadata = next((line[name] for name in _METADATA_FIELDS[subtype] if name in line), None)
    entry = ClaudeCompaction(
        row_count=row_count,
        kind="microcompact" if subtype == MICRO_BOUNDARY else "summary",
        uuid=coerce_text(line.get("uuid")),
        parent=coerce_text(line.get("parentUuid")),
        metadata=fields_of(metadata),
        source=record.source(),
    )
    if entry.uuid and any(
        (entry.uuid, entry.metadata) == (one.uuid, one.metadata) for one in compactions
    ):
        return False
    last = compactions[-1] if compactions else None
    is_adjacent = last is not None and last.source is None and last.row_count == row_count
    if last and is_adjacent and subtype == BOUNDARY and entry.uuid in ("", last.parent):
        entry.summary = compactions.pop().summary
    compactions.append(entry)
    return True


def add_summary(compactions: list[ClaudeCompaction], row: ClaudeRow, row_count: int) -> None:
    """Note a summary line: it belongs to its parent boundary, else to the one just before it."""
    for entry in reversed(compactions):
        is_near = entry.uuid == row.parent != "" or entry.row_count == row_count
        if is_near and entry.kind == "summary" and entry.source:
            entry.summary.append(row)
            return
    compactions.append(
        ClaudeCompaction(row_count=row_count, kind="summary", parent=row.parent, summary=[row])
    )


@dataclass(frozen=True, slots=True)
class MessageIndices:
    """Where the messages of a branch are. ``highest_starts`` are the bytes at which they begin,
    each the highest so far. ``other_starts`` has the bytes of lines that are no messages, which may
    be named, too, where something was kept."""

    by_uuid: Mapping[str, range]
    highest_starts: Sequence[int]
    other_starts: Mapping[str, int]

    def index_behind(self, start: int) -> int:
        """Return the index of the first message that begins behind a byte."""
        return bisect_left(self.highest_starts, start)

    def nearest(self, uuid: str) -> range:
        """Return the messages of a line; of one that is no message the nearest message before
        it."""
        if (found := self.by_uuid.get(uuid)) is not None or uuid not in self.other_starts:
            return found or range(0)
        index = self.index_behind(self.other_starts[uuid]) - 1
        return range(index, index + 1) if index >= 0 else range(0)

    def segment(self, head: str, tail: str) -> range:
        """Return the messages from one line to another."""
        first, last = self.nearest(head), self.nearest(tail)
        if not first or not last:
            return range(0)
        is_behind_head = head not in self.by_uuid and first.stop < last.stop
        return range(first.stop if is_behind_head else first.start, last.stop)


def recorded_compaction(entry: ClaudeCompaction, indices: MessageIndices) -> RecordedCompaction:
    """Return the compaction. Kept messages that Claude Code writes again right behind the boundary
    count as before it."""
    before, after, tokens_saved = (
        number_of(entry.metadata.get(name)) for name in ("preTokens", "postTokens", "tokensSaved")
    )
    if after is None and before is not None and tokens_saved is not None:
        after = max(0, before - tokens_saved)
    kept_messages = _kept_messages(entry.metadata, indices)
    boundary = indices.index_behind(entry.place[1].start)
    while boundary in kept_messages:
        boundary += 1
    kept = tuple(sorted(index for index in kept_messages if index < boundary))
    summary = tuple(
        Message(
            speaker=Speaker.HUMAN,
            blocks=row.blocks,
            sources=(row.source,),
            flags=row.flags,
            id=row.uuid,
            timestamp=row.timestamp,
            extra=row.extra,
        )
        for row in entry.summary
    )
    return RecordedCompaction(
        kind=entry.kind,
        boundary=boundary,
        trigger=coerce_text(entry.metadata.get("trigger")),
        tokens_before=before,
        tokens_after=after,
        summary=summary,
        kept=kept,
        source=entry.place[1],
        context_after=(*kept, *summary) if kept and _keeps_before_summary(entry) else (),
        cleared=tuple(
            dict.fromkeys(map(coerce_text, list_of(entry.metadata.get("compactedToolIds"))))
        ),
    )


def _keeps_before_summary(entry: ClaudeCompaction) -> bool:
    """Return whether kept messages follow the boundary itself, with the summary after them; else
    the agent resumes with the summary, then the kept messages."""
    names = ("preservedMessages", "preservedSegment")
    return bool(entry.uuid) and any(
        coerce_text(nested(entry.metadata, name, "anchorUuid")) == entry.uuid for name in names
    )


def _kept_messages(metadata: Mapping[str, Json], indices: MessageIndices) -> set[int]:
    """Return the messages that stayed: those named one by one, else the segment from head to
    tail."""
    messages = fields_of(metadata.get("preservedMessages"))
    segment = fields_of(metadata.get("preservedSegment"))
    uuids = messages.get("uuids") or messages.get("allUuids")
    kept_indices = {
        index for uuid in list_of(uuids) for index in indices.nearest(coerce_text(uuid))
    }
    head, tail = (coerce_text(segment.get(name)) for name in ("headUuid", "tailUuid"))
    return kept_indices or set(indices.segment(head, tail))

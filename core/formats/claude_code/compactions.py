"""Reads the compactions that Claude Code recorded: boundaries, summaries and kept messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.claude_code.messages import ClaudeRow
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, number_of
from core.formats.common.json_parsing import JsonRecord
from core.transcript.model import Message, RecordedCompaction, Source, Speaker

BOUNDARY = "compact_boundary"
MICRO_BOUNDARY = "microcompact_boundary"
_METADATA_FIELDS = ("compactMetadata", "compact_metadata")  # in the file, and in a live stream


@dataclass(slots=True)
class ClaudeCompactionRecord:
    """A boundary or a summary between the rows: ``rows_before`` counts the rows before it."""

    rows_before: int
    kind: str
    uuid: str = ""
    parent: str = ""
    metadata: Mapping[str, Json] = field(default_factory=dict)
    summary: list[ClaudeRow] = field(default_factory=list)
    source: Source | None = None

    @property
    def uuid_and_line(self) -> tuple[str, int]:
        """Uuid and line of the boundary, or of a summary that has none."""
        if self.source is None and self.summary:
            return self.summary[0].uuid, self.summary[0].source.line
        return self.uuid, self.source.line if self.source else 0


def add_boundary(compactions: list[ClaudeCompactionRecord], record: JsonRecord, rows_before: int) -> None:
    """Note a boundary line; a summary written just before it belongs to it."""
    line = record.value
    is_micro = line.get("subtype") == MICRO_BOUNDARY
    names = ("microcompactMetadata", "microcompact_metadata") if is_micro else _METADATA_FIELDS
    uuid = coerce_text(line.get("uuid"))
    entry = ClaudeCompactionRecord(
        rows_before, "microcompact" if is_micro else "summary", uuid, coerce_text(line.get("parentUuid"))
    )
    entry.metadata = fields_of(next((line[name] for name in names if name in line), None))
    entry.source = record.source()
    last = compactions[-1] if compactions else None
    if (
        not is_micro
        and last
        and last.source is None
        and last.rows_before == rows_before
        and uuid in ("", last.parent)
    ):
        entry.summary = last.summary
        compactions.pop()
    compactions.append(entry)


def add_summary(compactions: list[ClaudeCompactionRecord], row: ClaudeRow, rows_before: int) -> None:
    """Note a summary line: it belongs to its parent boundary, else to the one just before it."""
    for entry in reversed(compactions):
        is_adjacent = entry.rows_before == rows_before and entry.kind == "summary"
        if entry.kind == "summary" and entry.source and (entry.uuid == row.parent != "" or is_adjacent):
            entry.summary.append(row)
            return
    compactions.append(ClaudeCompactionRecord(rows_before, "summary", parent=row.parent, summary=[row]))


def recorded_compaction(
    entry: ClaudeCompactionRecord, position: int, places: Mapping[str, range]
) -> RecordedCompaction:
    """Return the compaction; ``places`` maps the uuids of lines to message indices. Kept messages that Claude
    Code writes again right behind the boundary count as before it."""
    before = number_of(entry.metadata.get("preTokens"))
    after = number_of(entry.metadata.get("postTokens"))
    tokens_saved = number_of(entry.metadata.get("tokensSaved"))
    if after is None and before is not None and tokens_saved is not None:
        after = max(0, before - tokens_saved)
    kept_messages = _kept_messages(entry.metadata, places)
    while position in kept_messages:
        position += 1
    kept = tuple(sorted(index for index in kept_messages if index < position))
    summary = tuple(
        Message(Speaker.HUMAN, row.blocks, (row.source,), row.flags, row.uuid, row.timestamp, row.extra)
        for row in entry.summary
    )
    return RecordedCompaction(
        kind=entry.kind,
        position=position,
        trigger=coerce_text(entry.metadata.get("trigger")),
        tokens_before=before,
        tokens_after=after,
        summary=summary,
        kept=kept,
        source=entry.source or (entry.summary[0].source if entry.summary else None),
        context_after=(*kept, *summary) if kept and _kept_before_summary(entry) else (),
        cleared=tuple(dict.fromkeys(map(coerce_text, list_of(entry.metadata.get("compactedToolIds"))))),
    )


def _kept_before_summary(entry: ClaudeCompactionRecord) -> bool:
    """Return whether kept messages follow the boundary itself, with the summary after them; else the agent
    resumes with the summary, then the kept messages."""
    names = ("preservedMessages", "preservedSegment")
    anchors = {coerce_text(nested(entry.metadata, name, "anchorUuid")) for name in names}
    return bool(entry.uuid) and entry.uuid in anchors


def _kept_messages(metadata: Mapping[str, Json], places: Mapping[str, range]) -> set[int]:
    """Return the messages that stayed: those named one by one, else the segment from head to tail."""
    messages = fields_of(metadata.get("preservedMessages"))
    segment = fields_of(metadata.get("preservedSegment"))
    uuids = messages.get("uuids") or messages.get("allUuids")
    kept_indices = {index for uuid in list_of(uuids) for index in places.get(coerce_text(uuid), ())}
    first_range = places.get(coerce_text(segment.get("headUuid")))
    last_range = places.get(coerce_text(segment.get("tailUuid")))
    if not kept_indices and first_range is not None and last_range is not None:
        return set(range(first_range.start, last_range.stop))
    return kept_indices

"""Appends a compaction to a Pi session, as Pi records them.

Pi keeps the entries from a first kept one to the compaction, after the summary. So it can keep the end of a
session only (formats.md section 15).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.json_value import Json
from core.formats.common.source_bytes import read_document
from core.formats.pi.branches import PiNode, branch_path, read_rows
from core.formats.pi.entries import is_message
from core.formats.pi.entry_writer import NO_TIME, unused_id
from core.formats.writing.base import ExporterOutput, ExportInput, OutputShape, export_messages
from core.formats.writing.raw_json import dump_lines
from core.formats.writing.recorded_compaction import (
    NO_SUMMARY,
    applied_compaction,
    boundary_warnings,
    cannot_append_error,
    kept_record_starts,
    summary_text,
)
from core.transcript.compaction import Compaction


def with_boundary(export_input: ExportInput, format_name: str) -> ExporterOutput:
    """Write the source byte for byte, then the compaction; InputError for another format than
    ``format_name``."""
    conversation = export_input.conversation
    if not export_input.is_from_format(format_name) or conversation.layout.get("container") == "array":
        raise cannot_append_error(export_input, "a Pi session of lines")
    data = read_document(conversation.document)
    compaction = applied_compaction(export_input)
    if compaction is None:
        return ExporterOutput(
            data, OutputShape.LINES, ("Nothing was compacted, so no compaction was appended.",)
        )
    rows = read_rows(conversation)
    path = branch_path(conversation, rows)
    kept = kept_record_starts(export_input)
    tail = _kept_tail(path, kept)
    line = _compaction_entry(export_input, compaction, path, tail, [row.value.get("id") for row in rows])
    newline = b"" if not data or data.endswith(b"\n") else b"\n"
    notes = (*boundary_warnings(export_input), *_drop_warnings(export_input, tail))
    return ExporterOutput(data + newline + dump_lines((line,)), OutputShape.LINES, notes)


def _kept_tail(path: Sequence[PiNode], kept: frozenset[int]) -> list[PiNode]:
    """Return the uninterrupted kept messages at the end of the session."""
    tail: list[PiNode] = []
    for node in reversed(path):
        if not is_message(node.record.value):
            continue
        if node.record.start not in kept:
            break
        tail.append(node)
    return tail[::-1]


def _compaction_entry(
    export_input: ExportInput,
    compaction: Compaction,
    path: Sequence[PiNode],
    tail: Sequence[PiNode],
    ids: Sequence[Json],
) -> Mapping[str, Json]:
    """Return the entry: in a tree with id and parent, in the first version with the number of an entry.

    If nothing stays it names itself. ``ids`` are those of all records, None for records without one.
    """
    times = (node.record.value.get("timestamp") for node in reversed(path))
    time = next((t for t in times if isinstance(t, str)), NO_TIME)
    fields: dict[str, Json] = {
        "timestamp": time,
        "summary": summary_text(compaction) or NO_SUMMARY,
        "tokensBefore": export_input.tokens_before or 0,
    }
    last_id = path[-1].record.value.get("id") if path else None
    if not isinstance(last_id, str) or not last_id:
        number = tail[0].number if tail else len(ids)
        return {"type": "compaction", **fields, "firstKeptEntryIndex": number}
    id_ = unused_id(fields, ids)
    first_kept = tail[0].record.value.get("id") if tail else id_
    return {"type": "compaction", "id": id_, "parentId": last_id, **fields, "firstKeptEntryId": first_kept}


def _drop_warnings(export_input: ExportInput, tail: Sequence[PiNode]) -> tuple[str, ...]:
    in_tail = {node.record.start for node in tail}
    origins = [piece.origin for piece in export_messages(export_input) if piece.origin is not None]
    count = sum(all(source.start not in in_tail for source in message.sources) for message in origins)
    if not count:
        return ()
    subject = "kept message is" if count == 1 else "kept messages are"
    return (f"{count:,} {subject} before others; Pi keeps only the end of a session, so it will drop them.",)

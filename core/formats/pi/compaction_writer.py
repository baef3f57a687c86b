"""Appends a compaction to a Pi session, as Pi records them.

Pi keeps the entries from a first kept one to the compaction, after the summary. So it can keep the end of a
session only (formats.md section 15).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from core.common.json_value import Json
from core.formats.common.source_bytes import read_document
from core.formats.pi.branches import PiNode
from core.formats.pi.entries import is_message
from core.formats.pi.entry_writer import NO_TIME
from core.formats.pi.source_entries import path_of, read_rows
from core.formats.writing.base import ExporterOutput, ExportInput, OutputShape, export_messages
from core.formats.writing.raw_json import dump_json, dump_lines
from core.formats.writing.recorded_compaction import (
    NO_SUMMARY,
    boundary_warnings,
    kept_starts,
    no_place_error,
    run_of,
    summary_text,
)
from core.transcript.compaction import Compaction


def with_boundary(given: ExportInput, source: str) -> ExporterOutput:
    """Write the source byte for byte, then the compaction; InputError for another format than ``source``."""
    conversation = given.conversation
    if not given.comes_from(source) or conversation.layout.get("container") == "array":
        raise no_place_error(given, "a Pi session of lines")
    data = read_document(conversation.document)
    compaction = run_of(given)
    if compaction is None:
        return ExporterOutput(
            data, OutputShape.LINES, ("Nothing was compacted, so no compaction was appended.",)
        )
    rows = read_rows(conversation)
    path = path_of(conversation, rows)
    kept = kept_starts(given)
    tail = _kept_tail(path, kept)
    line = _line(given, compaction, path, tail, [row.value.get("id") for row in rows])
    end = b"" if not data or data.endswith(b"\n") else b"\n"
    notes = (*boundary_warnings(given), *_drop_warnings(given, tail))
    return ExporterOutput(data + end + dump_lines((line,)), OutputShape.LINES, notes)


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


def _line(
    given: ExportInput,
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
    own: dict[str, Json] = {
        "timestamp": time,
        "summary": summary_text(compaction) or NO_SUMMARY,
        "tokensBefore": given.tokens_before or 0,
    }
    last = path[-1].record.value.get("id") if path else None
    if not isinstance(last, str) or not last:
        number = tail[0].number if tail else len(ids)
        return {"type": "compaction", **own, "firstKeptEntryIndex": number}
    id_ = _fresh_id(own, ids)
    first = tail[0].record.value.get("id") if tail else id_
    return {"type": "compaction", "id": id_, "parentId": last, **own, "firstKeptEntryId": first}


def _fresh_id(value: Mapping[str, Json], ids: Sequence[Json]) -> str:
    """Return eight reproducible hexadecimal digits that no entry has."""
    number = 0
    while (id_ := hashlib.sha256(dump_json([number, value])).hexdigest()[:8]) in ids:
        number += 1
    return id_


def _drop_warnings(given: ExportInput, tail: Sequence[PiNode]) -> tuple[str, ...]:
    in_tail = {node.record.start for node in tail}
    origins = [piece.origin for piece in export_messages(given) if piece.origin is not None]
    count = sum(all(source.start not in in_tail for source in message.sources) for message in origins)
    if not count:
        return ()
    what = "kept message is" if count == 1 else "kept messages are"
    return (f"{count:,} {what} before others; Pi keeps only the end of a session, so it will drop them.",)

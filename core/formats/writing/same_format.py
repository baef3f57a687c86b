"""Exports to the source's own format: its container, bytes and records."""

from __future__ import annotations

from collections.abc import Iterator

from core.common.json_value import Json
from core.formats.common.source_bytes import read_document
from core.formats.writing.base import ExporterOutput, ExportInput, ExportMessage, OutputShape, export_messages
from core.formats.writing.raw_json import record_json


def source_lines(given: ExportInput, name: str) -> OutputShape:
    """Return LINES if the source is of the format ``name`` and has lines, else JSON."""
    lines = given.comes_from(name) and given.conversation.layout.get("container") == "jsonl"
    return OutputShape.LINES if lines else OutputShape.JSON


def unchanged_source(given: ExportInput, name: str) -> ExporterOutput | None:
    """Return the source's own bytes if it is of the format ``name`` and exported whole; else None."""
    if not (given.comes_from(name) and given.is_whole_source):
        return None
    return ExporterOutput(read_document(given.conversation.document), source_lines(given, name))


def with_records(given: ExportInput, name: str) -> Iterator[tuple[ExportMessage, Json | None]]:
    """Yield each piece with its record in the source; None if it has none or the format differs."""
    document = given.conversation.document
    same = given.comes_from(name)
    data = read_document(document) if same else b""
    for piece in export_messages(given):
        yield piece, record_json(data, *piece.record, document.name) if same and piece.record else None

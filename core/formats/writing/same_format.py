"""What exporters do with a source of their own format: its container, its bytes, its records."""

from __future__ import annotations

from collections.abc import Iterator

from core.common.json_value import Json
from core.formats.common.source_bytes import read_document
from core.formats.writing.base import ExporterOutput, ExportInput, ExportMessage, OutputShape, export_messages
from core.formats.writing.raw_json import record_json


def source_lines(given: ExportInput, name: str) -> OutputShape:
    """Lines where the source is of the format ``name`` and was lines, else one JSON value."""
    lines = given.comes_from(name) and given.conversation.layout.get("container") == "jsonl"
    return OutputShape.LINES if lines else OutputShape.JSON


def unchanged_source(given: ExportInput, name: str) -> ExporterOutput | None:
    """The source's own bytes where it is of the format ``name`` and all of it is asked for as it was read."""
    if not (given.comes_from(name) and given.is_whole_source):
        return None
    return ExporterOutput(read_document(given.conversation.document), source_lines(given, name))


def with_records(given: ExportInput, name: str) -> Iterator[tuple[ExportMessage, Json | None]]:
    """Each piece with its record as the source has it; None where it has none, or is of another format."""
    document = given.conversation.document
    same = given.comes_from(name)
    data = read_document(document) if same else b""
    for piece in export_messages(given):
        yield piece, record_json(data, *piece.record, document.name) if same and piece.record else None

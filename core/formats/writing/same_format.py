"""Exports to the source's own format: its container, bytes and records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from core.common.json_value import Json
from core.formats.common.source_bytes import read_document
from core.formats.writing.base import (
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    OutputShape,
    export_messages,
)
from core.formats.writing.raw_json import dump_json, rebuild_container, record_json


def source_shape(export_input: ExportInput, name: str) -> OutputShape:
    """Return LINES if the source is of the format ``name`` and has lines, else JSON."""
    has_lines = (
        export_input.is_from_format(name) and export_input.conversation.layout.get("container") == "jsonl"
    )
    return OutputShape.LINES if has_lines else OutputShape.JSON


def unchanged_output(export_input: ExportInput, name: str) -> ExporterOutput | None:
    """Return the source's own bytes if it is of the format ``name`` and exported whole; else None."""
    if not (export_input.is_from_format(name) and export_input.is_whole_source):
        return None
    return ExporterOutput(read_document(export_input.conversation.document), source_shape(export_input, name))


def json_output(
    export_input: ExportInput,
    name: str,
    losses: ExportLosses,
    records: Sequence[Json],
    new_value: Callable[[], Json],
) -> ExporterOutput:
    """Write records into the container of a source of the format ``name``, else a value for a new file."""
    if export_input.is_from_format(name):
        data = rebuild_container(export_input.conversation, records)[0]
    else:
        data = dump_json(new_value(), pretty=True) + b"\n"
    return ExporterOutput(data, source_shape(export_input, name), losses.warnings())


def pieces_with_records(export_input: ExportInput, name: str) -> Iterator[tuple[ExportMessage, Json | None]]:
    """Yield each piece with its record in the source; None if it has none or the format differs."""
    document = export_input.conversation.document
    is_same_format = export_input.is_from_format(name)
    data = read_document(document) if is_same_format else b""
    for piece in export_messages(export_input):
        yield (
            piece,
            record_json(data, *piece.record, document.name) if is_same_format and piece.record else None,
        )

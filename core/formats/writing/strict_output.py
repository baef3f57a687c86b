"""Makes a file of what an exporter wrote: strict UTF-8 and whole records.

Most of a session is copied byte for byte, and readers are lenient: what they mended would be copied
damaged. It is written here as it was read.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import replace

from core.formats.common.damaged_lines import line_records
from core.formats.common.json_parsing import InvalidJsonError, JsonRecord
from core.formats.common.messages import ImportNotes
from core.formats.common.open_document import document_lines, read_document
from core.formats.writing.base import ExporterOutput, OutputShape
from core.formats.writing.export_messages import ExportInput, is_readable
from core.formats.writing.format_capabilities import CAPABILITIES
from core.formats.writing.plain_text import dump_json
from core.formats.writing.raw_json import parse_json_file, source_shape
from core.transcript.model import Conversation, SourceDocument
from core.transcript.scopes import ALL, history_of_scope


def damage_of(conversation: Conversation) -> tuple[int, int]:
    """Return how many records of a file are written as they were read, and how many of its lines
    are left out because they are no whole record, when a copy of it is written."""
    name, document = conversation.format, conversation.document
    if name not in CAPABILITIES or not is_readable(document):
        return 0, 0
    history = history_of_scope(conversation, ALL)
    shape = source_shape(ExportInput(conversation=conversation, history=history), name)
    data = read_document(document)
    if shape is OutputShape.LINES:
        _, mended, dropped = _strict_lines(data)
        return mended, dropped
    return int(not _is_utf8(data)), 0


def strict_output(output: ExporterOutput) -> ExporterOutput:
    """Return the output with every record as strict JSON in UTF-8; bytes that are that already
    stay. What had to be changed is said in its warnings."""
    if output.shape is OutputShape.LINES:
        data, mended, dropped = _strict_lines(output.data)
        return output if data is output.data else _mended(output, data, mended, dropped)
    if output.shape is OutputShape.JSON and not _is_utf8(output.data):
        try:
            value = parse_json_file(output.data)
        except InvalidJsonError:
            return output  # the check of what was written refuses it with its reason
        return _mended(output, dump_json(value, pretty=True) + b"\n", 1, 0)
    return output


def _strict_lines(data: bytes) -> tuple[bytes, int, int]:
    """Return the lines as strict JSON, how many were mended and how many dropped; the same bytes if
    there is nothing to change."""
    notes = ImportNotes()
    document = SourceDocument(name="the export", path=None, data=data, size=len(data))
    lines = document_lines(document, on_repair=notes.repair)
    records = list(line_records(document, lines, notes))
    report = notes.report()
    dropped = sum(number for _, number in report.skipped)
    if not report.repaired and not dropped and not report.warnings and _is_utf8(data):
        return data, 0, 0
    written = b"".join(line + b"\n" for line in _record_lines(records, data))
    has_mark = data.startswith(codecs.BOM_UTF8)
    written = codecs.BOM_UTF8 + written if has_mark else written
    return written, len(report.repaired), dropped


def _record_lines(records: list[JsonRecord], data: bytes) -> Iterator[bytes]:
    """Yield the records, those of strict bytes as they are."""
    for record in records:
        raw = data[record.start : record.end]
        is_strict = b"\n" not in raw and b"\0" not in raw and _is_utf8(raw)
        yield raw if is_strict and _is_record(raw) else dump_json(record.value)


def _is_record(raw: bytes) -> bool:
    """Return whether bytes are one object or list and nothing beside it."""
    notes = ImportNotes()
    document = SourceDocument(name="", path=None, data=raw, size=len(raw))
    found = list(line_records(document, document_lines(document), notes))
    return len(found) == 1 and not notes.report().repaired


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _mended(output: ExporterOutput, data: bytes, mended: int, dropped: int) -> ExporterOutput:
    warnings = output.warnings
    if mended:
        warnings += (f"Written as it was read, mended: damaged records ({mended:,}).",)
    if dropped:
        warnings += (f"Left out: lines that are no whole record ({dropped:,}).",)
    return replace(output, data=data, warnings=warnings)

"""Reads the raw bytes of a conversation again. Raises InputError if the file has changed."""

from __future__ import annotations

import os

from core.common.errors import InputError
from core.common.file_identity import ends_digest
from core.formats.common.compressed_files import MAX_JSON_SIZE
from core.formats.common.open_document import DocumentLine, document_lines, read_all, read_part
from core.transcript.model import Source, SourceDocument


def read_source(document: SourceDocument, source: Source) -> bytes:
    """Return the bytes of one record, without a line end. Raises InputError."""
    return read_range(document, source.start, source.end)


def read_range(document: SourceDocument, start: int, end: int) -> bytes:
    """Return bytes ``start`` to ``end`` of the document (UTF-8, unpacked). Raises InputError."""
    _check_unchanged(document)
    return read_part(document, start, end)


def read_line(document: SourceDocument, number: int) -> DocumentLine:
    """Return the line of that number (from 1), repaired as by ``document_lines``. Raises InputError."""
    _check_unchanged(document)
    line = next((line for line in document_lines(document) if line.number >= number), None)
    if line is None or line.number > number:
        raise _changed_error(document)
    return line


def read_document(document: SourceDocument) -> bytes:
    """Return all bytes (UTF-8, unpacked) of the document as it was opened. Raises InputError."""
    _check_unchanged(document)
    return read_all(document, MAX_JSON_SIZE)


def _check_unchanged(document: SourceDocument) -> None:
    if not is_same_or_grown(document):
        raise _changed_error(document)


def _changed_error(document: SourceDocument) -> InputError:
    return InputError(f"{document.name} has changed or was removed since it was read.", "Open it again.")


def is_same_or_grown(document: SourceDocument) -> bool:
    """Return whether the bytes that a document had when it was opened are still there."""
    if document.data is not None or document.path is None:
        return True
    try:
        with document.path.open("rb") as file:
            status = os.fstat(file.fileno())
            if (status.st_size, status.st_mtime_ns) == (document.size, document.mtime_ns):
                return True
            return status.st_size > document.size and ends_digest(file, document.size) == document.ends_digest
    except OSError:
        return False

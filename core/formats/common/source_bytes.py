"""Re-reading the raw bytes behind a conversation, as long as they are as they were."""

from __future__ import annotations

from core.common.errors import InputError
from core.formats.common.compressed_files import WHOLE
from core.formats.common.open_document import DocumentLine, document_lines, read_all, read_part
from core.formats.common.path_checks import is_same_or_grown
from core.transcript.model import Source, SourceDocument


def read_source(document: SourceDocument, source: Source) -> bytes:
    """The bytes of one record, without a line end. InputError where the file has changed since."""
    return read_range(document, source.start, source.end)


def read_range(document: SourceDocument, start: int, end: int) -> bytes:
    """The bytes from ``start`` to ``end`` of the document (UTF-8, unpacked)."""
    _check_unchanged(document)
    return read_part(document, start, end)


def read_line(document: SourceDocument, number: int) -> DocumentLine:
    """The line of that number, from 1, without what a crash left in front of it. InputError as above."""
    _check_unchanged(document)
    line = next((line for line in document_lines(document) if line.number >= number), None)
    if line is None or line.number > number:
        raise _changed(document)
    return line


def read_document(document: SourceDocument) -> bytes:
    """All bytes of the document (UTF-8, unpacked) as far as they were read: a file may have grown.

    InputError where the file has changed since.
    """
    _check_unchanged(document)
    return read_all(document, WHOLE)


def _check_unchanged(document: SourceDocument) -> None:
    if not is_same_or_grown(document):
        raise _changed(document)


def _changed(document: SourceDocument) -> InputError:
    return InputError(f"{document.name} has changed or gone since it was read.", "Open it again.")

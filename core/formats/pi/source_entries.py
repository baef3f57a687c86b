"""Reads the raw entries of a Pi session, and the path of the branch that was read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.json_ranges import JsonRecord, parse_json_document
from core.formats.common.open_document import document_lines
from core.formats.common.source_bytes import read_document
from core.formats.pi.branches import PiNode, branch_ends, build_tree, path_to
from core.transcript.model import Conversation

HEADER_TYPE = "session"
"""The type of the first line."""


def read_rows(conversation: Conversation) -> list[JsonRecord]:
    """Return all records that are objects, in file order; InputError if the file changed."""
    document = conversation.document
    if conversation.layout.get("container") == "array":
        records: Iterable[JsonRecord] = parse_json_document(read_document(document)).records or ()
    else:
        read_document(document)  # refuses a file that changed
        parsed = ((line, parse_bytes(line.data)) for line in document_lines(document))
        records = (JsonRecord(line.number, line.start, line.end, p.value) for line, p in parsed)
    return [record for record in records if isinstance(record.value, dict)]


def branch_path(conversation: Conversation, rows: Sequence[JsonRecord]) -> list[PiNode]:
    numbered = [(n, record) for n, record in enumerate(rows) if record.value.get("type") != HEADER_TYPE]
    leaves = branch_ends(build_tree(numbered, ImportNotes()))
    return path_to(leaves[conversation.branch - 1]) if leaves else []

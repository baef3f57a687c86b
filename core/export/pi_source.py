"""The entries of a Pi session as they are in its file, and the path of the branch that was read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.formats.documents import lines
from core.formats.notes import Notes
from core.formats.parse import parse_bytes
from core.formats.pi_tree import Node, grow, leaves, path_to
from core.formats.raw import read_document
from core.formats.whole import Record, read_whole
from core.transcript.model import Conversation

HEAD = "session"
"""The type of the first line."""


def read_rows(conversation: Conversation) -> list[Record]:
    """All records that are objects, in file order. Raises InputError where the file changed."""
    document = conversation.document
    if conversation.layout.get("container") == "array":
        found: Iterable[Record] = read_whole(read_document(document)).records or ()
    else:
        read_document(document)  # refuses a file that changed
        parsed = ((line, parse_bytes(line.data)) for line in lines(document))
        found = (Record(line.number, line.start, line.end, one.value) for line, one in parsed)
    return [record for record in found if isinstance(record.value, dict)]


def path_of(conversation: Conversation, rows: Sequence[Record]) -> list[Node]:
    """The entries of the branch that was read, from the first to its last."""
    numbered = [(n, record) for n, record in enumerate(rows) if record.value.get("type") != HEAD]
    ends = leaves(grow(numbered, Notes()))
    return path_to(ends[conversation.branch - 1]) if ends else []

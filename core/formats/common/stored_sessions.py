"""Reads one session of an agent's store, a database or a folder of parts, as one JSON object in
memory.

The object has the fields of the session and the list of its records, one a line, so that readers,
exports and the view of raw records treat it like a file. The other sessions of a database are
listed from their metadata.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields

import orjson

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common.compressed_files import check_file_size
from core.formats.common.databases import Database, open_database
from core.formats.common.document import DocumentContainer, OpenedDocument, open_text
from core.formats.common.format import FormatScore, ReadRequest
from core.formats.common.json_parsing import coerce_text
from core.formats.common.message_lists import check_number, first_words, numbered
from core.transcript.model import (
    Conversation,
    ImportReport,
    ListedConversation,
    SourceDocument,
)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """What a database tells about a session without reading it."""

    id: str
    title: str = ""
    parent: str = ""  # of a sub-agent
    call_id: str = ""  # the call of the parent that started it, if it is known


@dataclass(frozen=True, slots=True)
class SessionStore:
    """How sessions are kept in a database with these ``columns`` ("table.column", separated by
    blanks).

    ``sessions`` lists them, newest first; ``session`` returns the fields of one and its list named
    ``key``, with MISSING for rows that are not JSON. ``child_calls`` finds in the object of a
    session the calls that started sub-agents, by the session of the sub-agent. ``filled_table``:
    not used while it is empty."""

    columns: str
    key: str
    sessions: Callable[[Database], Iterable[StoredSession]]
    session: Callable[[Database, str], tuple[Mapping[str, Json], Iterable[Json]]]
    child_calls: Callable[[Json], Mapping[str, str]] = lambda session: {}
    filled_table: str = ""

    def matches(self, file: OpenedDocument) -> bool:
        return file.columns.issuperset(self.columns.split())


SessionReader = Callable[[OpenedDocument, ReadRequest], Conversation]


def store_score(file: OpenedDocument, *stores: SessionStore) -> FormatScore:
    """Judge a database by its tables."""
    store = next((store for store in stores if store.matches(file)), None)
    if store:
        return (1.0, f"tables of its database: {store.columns.replace(' ', ', ')}")
    return (0.0, "")


def read_stored(
    file: OpenedDocument,
    request: ReadRequest,
    stores: Sequence[SessionStore],
    read: SessionReader,
) -> Conversation:
    """Read one session of a database. Raises InputError if it holds none or not that one."""
    path, name = file.document.path, file.document.name
    matching = [store for store in stores if store.matches(file)]
    if not matching or path is None:
        raise InputError(
            f"{name} is not a database of this agent.", "Leave --format out."
        )
    with open_database(path) as database:
        # The newest store counts, unless it is still empty beside an older one.
        filled = (
            store
            for store in matching
            if not store.filled_table or database.has_rows(store.filled_table)
        )
        store = next(filled, matching[-1])
        rows = list(map(_plain_session, store.sessions(database)))
        sessions = sorted(
            # The sort is stable: sessions stay newest first, with those of sub-agents behind.
            (row for row in rows if row.id),
            key=lambda session: bool(session.parent),
        )
        nameless_count = len(rows) - len(sessions)
        if not sessions:
            if rows:
                problem = "only conversations without an id"
            else:
                problem = "no conversation yet"
            raise InputError(f"{name} holds {problem}.", "Choose another file.")
        check_number(name, request.conversation, len(sessions))
        chosen = sessions[request.conversation - 1]
        fields, records = store.session(database, chosen.id)
        inner, bad_count = stored_document(file.document, fields, store.key, records)
    conversation = read(inner, replace(request, conversation=1))
    calls = store.child_calls(inner.head[0])
    listed = tuple(
        _listed(number, session, chosen, calls)
        for number, session in enumerate(sessions, 1)
    )
    report = with_bad_rows(conversation.report, bad_count)
    if nameless_count:
        report = replace(
            report, skipped=(*report.skipped, ("session without an id", nameless_count))
        )
    session_id = conversation.session_id or chosen.id
    conversation = replace(conversation, report=report, session_id=session_id)
    return numbered(conversation, request.conversation, listed)


def _listed(
    number: int, session: StoredSession, chosen: StoredSession, calls: Mapping[str, str]
) -> ListedConversation:
    """Return a session of the list, with the call of the chosen one that started it."""
    call_id = calls.get(session.id, "")
    # The database names the call, which is surer than what the transcript tells.
    if session.call_id and session.parent == chosen.id:
        call_id = session.call_id
    title = first_words(session.title or session.id)
    return ListedConversation(
        number, title, None, "sub-agent" if session.parent else "", call_id
    )


def _plain_session(session: StoredSession) -> StoredSession:
    """Return the session with texts, whatever is in the columns: SQLite keeps any type in any of
    them."""
    texts = (
        coerce_text(getattr(session, field.name)) for field in dataclass_fields(session)
    )
    return StoredSession(*texts)


def stored_document(
    document: SourceDocument,
    fields: Mapping[str, Json],
    key: str,
    records: Iterable[Json],
) -> tuple[OpenedDocument, int]:
    """Return a session as an open document, and how many of its records are MISSING. Raises
    InputError for one that is too large for memory."""
    head = _json_bytes(
        {name: value for name, value in fields.items() if value is not None}
    )
    lines: list[bytes] = []
    bad_count = size = 0
    for record in records:
        if record is MISSING:
            bad_count += 1
        else:
            lines.append(_json_bytes(record))
            size += len(lines[-1])
            check_file_size(f"A session of {document.name}", size)
    start = head[:-1] + (b", " if len(head) > 2 else b"") + _json_bytes(key)
    data = start + b": [\n" + b",\n".join(lines) + b"\n]}\n"
    return open_object(replace(document, data=data, packing="", member="")), bad_count


def _json_bytes(value: Json) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # an integer of more than 64 bits, half a character
        return json.dumps(value, default=_blob_text).encode()


def _blob_text(value: object) -> str:
    """Return the words in a blob where a text was to be."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def open_object(document: SourceDocument) -> OpenedDocument:
    file = open_text(document)
    assert file.container is DocumentContainer.OBJECT, "it was written as one object"
    return file


def with_outer_notes(report: ImportReport, outer: ImportReport) -> ImportReport:
    """Return the report of a session that was written as one object, with what was noted of its
    file."""
    return replace(
        report,
        records=report.records + sum(count for _, count in outer.skipped),
        skipped=(*outer.skipped, *report.skipped),
        skipped_from={**report.skipped_from, **outer.skipped_from},
        warnings=(*outer.warnings, *report.warnings),
        repaired=(*outer.repaired, *report.repaired),
    )


def with_bad_rows(report: ImportReport, count: int) -> ImportReport:
    if count:
        skipped = (*report.skipped, ("record that is not JSON", count))
    else:
        skipped = report.skipped
    return replace(report, skipped=skipped)

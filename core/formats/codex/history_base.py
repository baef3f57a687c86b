"""Rollouts that go on with another one: ``session_meta.history_base`` names it and where it was left.

``{thread_id, end_ordinal_exclusive, end_byte_offset}`` (formats.md section 2): the file then holds
only what came after. Where the other file lies beside it, both are read as one document: this one's
``session_meta``, the other's lines up to there, this one's. Nothing outside the folder is looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.document import OpenedDocument
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, number_of, string_of
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.open_document import DocumentLine, document_lines, open_document
from core.transcript.model import SourceDocument

_BASE, _META = "history_base", "session_meta"
_ENDINGS = (".jsonl", ".jsonl.zst", ".jsonl.gz")
MOST = 512 << 20
"""Bytes that are joined at most: they are held in memory."""


class _NotJoined(Exception):
    """Why a rollout is read without the history that it goes on with."""


@dataclass(slots=True)
class _RolloutChain:
    """The files on the way back: ``told`` says of each how much of it was joined."""

    folder: Path
    names: list[str]
    told: list[str] = field(default_factory=list)


def goes_on(opened: OpenedDocument) -> bool:
    """True for a rollout that goes on with another one."""
    first = opened.objects[0] if opened.objects else {}
    return _is_meta(first) and bool(first["payload"].get(_BASE))


def with_base(opened: OpenedDocument, notes: ImportNotes) -> OpenedDocument:
    """The rollout with the history that it goes on with in front; as it is where that is not there.

    What was done is a repair or a warning of the import report.
    """
    try:
        document, told = _joined(opened.document)
    except (_NotJoined, InputError) as error:
        why = error.message.rstrip(".") if isinstance(error, InputError) else str(error)
        text = "this rollout goes on with another file's history (history_base), which is not in it"
        notes.warn(1, f"{text}: {why}")
        return opened
    for text in told:
        notes.repair(1, text)
    return replace(opened, document=document)


def _joined(document: SourceDocument) -> tuple[SourceDocument, list[str]]:
    if (
        document.path is None or document.data is not None or document.member
    ):  # standard input, a file of a zip
        raise _NotJoined("only what lies beside a file of its own is joined with it")
    way = _RolloutChain(document.path.resolve().parent, [document.path.resolve().name])
    own = document_lines(document)
    meta = parse_bytes(next(own).data).value
    if not _is_meta(meta):
        raise _NotJoined("its first line cannot be read")
    base = meta["payload"].pop(_BASE)
    data, size = [json.dumps(meta).encode()], 0
    for line in chain(_history(way, fields_of(base)), own):
        data.append(line.data)
        size += len(line.data)
        if size > MOST:
            raise _NotJoined(f"together they hold more than {MOST >> 20} MB")
    return replace(document, data=b"\n".join(data) + b"\n", packing=""), way.told


def _history(way: _RolloutChain, base: Mapping[str, Json]) -> Iterator[DocumentLine]:
    """The lines of the rollout that ``base`` names, up to where it was left, after those of its own base."""
    document = open_document(_beside(way, string_of(base.get("thread_id"))))
    end, ordinal = number_of(base.get("end_byte_offset")), number_of(base.get("end_ordinal_exclusive"))
    if end is None and ordinal is None:
        raise _NotJoined(f"it does not say where {document.name} was left")
    count = last = 0
    for line in document_lines(document):
        value = parse_bytes(line.data).value
        is_meta = count == 0 and _is_meta(value)
        if is_meta and value["payload"].get(_BASE):
            yield from _history(way, fields_of(value["payload"][_BASE]))
        own = number_of(value.get("ordinal")) if isinstance(value, dict) else None
        if line.end > end if end is not None else (count if own is None else own) >= (ordinal or 0):
            break
        count, last = count + 1, line.end
        if not is_meta:
            yield line
    else:
        if end is not None and last + 2 < end:  # the line end is not in it
            raise _NotJoined(f"{document.name} is shorter than it was when this one began")
    way.told.append(f"joined with {count:,} lines of {document.name}, the history that it goes on with")


def _beside(way: _RolloutChain, id_: str) -> Path:
    """The one file of the folder whose name ends with the id of a rollout."""
    if not id_ or not id_.replace("-", "").replace("_", "").isalnum():
        raise _NotJoined("it does not name the other one")
    try:
        found = [
            path for path in way.folder.iterdir() if path.name.endswith(tuple(id_ + one for one in _ENDINGS))
        ]
    except OSError as error:
        raise _NotJoined("the folder cannot be read") from error
    found = [path for path in found if path.is_file() and path.resolve().parent == way.folder]
    if len(found) != 1:
        what = "no file of it lies" if not found else f"{len(found)} files of it lie"
        raise _NotJoined(f"{what} beside this one (rollout-…-{id_}.jsonl)")
    if found[0].name in way.names:
        raise _NotJoined(f"{found[0].name} goes on with itself")
    way.names.append(found[0].name)
    return found[0]


def _is_meta(value: Json) -> bool:
    return isinstance(value, dict) and value.get("type") == _META and isinstance(value.get("payload"), dict)

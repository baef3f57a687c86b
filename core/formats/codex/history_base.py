"""Joins a rollout with the one that it continues, named by ``session_meta.history_base``.

``{thread_id, end_ordinal_exclusive, end_byte_offset}``: the file then holds
only later lines. If the other file is in the same folder, both are read as one document: this one's
``session_meta``, the other's lines up to that point, this one's lines.
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
from core.formats.common.json_access import fields_of, nested, number_of, string_of
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.messages import ImportNotes
from core.formats.common.open_document import DocumentLine, document_lines, open_document
from core.transcript.model import SourceDocument

_BASE_FIELD, _META_TYPE = "history_base", "session_meta"
_ENDINGS = (".jsonl", ".jsonl.zst", ".jsonl.gz")
MAX_JOINED_SIZE = 512 << 20
"""Largest size in bytes of a joined document, which is held in memory."""


class _NotJoined(Exception):
    """Says why a rollout is read without the history that it continues."""


@dataclass(slots=True)
class _RolloutChain:
    """The files joined so far; ``notes`` says of each how many lines were joined."""

    folder: Path
    names: list[str]
    notes: list[str] = field(default_factory=list)


def has_history_base(file: OpenedDocument) -> bool:
    """Return whether a rollout continues another one."""
    first = file.objects[0] if file.objects else {}
    return _is_meta(first) and bool(first["payload"].get(_BASE_FIELD))


def with_history_base(file: OpenedDocument, notes: ImportNotes) -> OpenedDocument:
    """Return the rollout with the history that it continues in front, or unchanged if that is
    missing; add a repair or warning to ``notes``."""
    try:
        document, repairs = _joined_document(file.document)
    except (_NotJoined, InputError) as error:
        reason = error.message.rstrip(".") if isinstance(error, InputError) else str(error)
        text = "this rollout continues another file's history (history_base), which is missing"
        notes.warn(1, f"{text}: {reason}")
        return file
    for text in repairs:
        notes.repair(1, text)
    return replace(file, document=document)


def _joined_document(document: SourceDocument) -> tuple[SourceDocument, list[str]]:
    if (
        document.path is None or document.data is not None or document.member
    ):  # standard input, a file of a zip
        raise _NotJoined("only a rollout in a file of its own can be joined")
    rollouts = _RolloutChain(document.path.resolve().parent, [document.path.resolve().name])
    own_lines = document_lines(document)
    meta = parse_bytes(next(own_lines).data).value
    if not _is_meta(meta):
        raise _NotJoined("its first line cannot be read")
    base = meta["payload"].pop(_BASE_FIELD)
    data, size = [json.dumps(meta).encode()], 0
    for line in chain(_base_lines(rollouts, fields_of(base)), own_lines):
        data.append(line.data)
        size += len(line.data)
        if size > MAX_JOINED_SIZE:
            raise _NotJoined(f"together they hold more than {MAX_JOINED_SIZE >> 20} MB")
    return replace(document, data=b"\n".join(data) + b"\n", packing=""), rollouts.notes


def _base_lines(rollouts: _RolloutChain, base: Mapping[str, Json]) -> Iterator[DocumentLine]:
    """Yield the lines of the rollout named by ``base``, up to the given point, after those of its
    own base."""
    document = open_document(_base_path(rollouts, string_of(base.get("thread_id"))))
    end, ordinal = (
        number_of(base.get("end_byte_offset")),
        number_of(base.get("end_ordinal_exclusive")),
    )
    if end is None and ordinal is None:
        raise _NotJoined(f"it does not say how much of {document.name} it continues")
    count = last_end = 0
    for line in document_lines(document):
        value = parse_bytes(line.data).value
        is_meta = count == 0 and _is_meta(value)
        if is_meta and value["payload"].get(_BASE_FIELD):
            yield from _base_lines(rollouts, fields_of(value["payload"][_BASE_FIELD]))
        number = number_of(nested(value, "ordinal"))
        if end is not None:
            is_after = line.end > end
        else:
            # Where lines have no number of their own, their place counts.
            is_after = (count if number is None else number) >= (ordinal or 0)
        if is_after:
            break
        count, last_end = count + 1, line.end
        if not is_meta:
            yield line
    else:
        if end is not None and last_end + 2 < end:  # the line end is not in it
            raise _NotJoined(f"{document.name} is shorter than it was when this one began")
    rollouts.notes.append(
        f"joined with {count:,} lines of {document.name}, the history that it continues"
    )


def _base_path(rollouts: _RolloutChain, id_: str) -> Path:
    if not id_.replace("-", "").replace("_", "").isalnum():
        raise _NotJoined("it does not name the other file")
    names = tuple(id_ + ending for ending in _ENDINGS)
    try:
        named = [path for path in rollouts.folder.iterdir() if path.name.endswith(names)]
    except OSError as error:
        raise _NotJoined("the folder cannot be read") from error
    found = [path for path in named if path.is_file() and path.resolve().parent == rollouts.folder]
    if len(found) != 1:
        raise _NotJoined(f"its folder has {len(found) or 'no'} files named rollout-…-{id_}.jsonl")
    if found[0].name in rollouts.names:
        raise _NotJoined(f"{found[0].name} continues itself")
    rollouts.names.append(found[0].name)
    return found[0]


def _is_meta(value: Json) -> bool:
    return nested(value, "type") == _META_TYPE and isinstance(value.get("payload"), dict)

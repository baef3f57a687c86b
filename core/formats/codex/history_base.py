"""Joins a rollout with the one that it continues, named by ``session_meta.history_base``.

``{thread_id, end_ordinal_exclusive, end_byte_offset}`` (formats.md section 2): the file then holds
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
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, number_of, string_of
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.open_document import DocumentLine, document_lines, open_document
from core.transcript.model import SourceDocument

_BASE, _META = "history_base", "session_meta"
_ENDINGS = (".jsonl", ".jsonl.zst", ".jsonl.gz")
MOST = 512 << 20
"""Largest size in bytes of a joined document, which is held in memory."""


class _NotJoined(Exception):
    """Says why a rollout is read without the history that it continues."""


@dataclass(slots=True)
class _RolloutChain:
    """The files joined so far; ``notes`` says of each how many lines were joined."""

    folder: Path
    names: list[str]
    notes: list[str] = field(default_factory=list)


def goes_on(opened: OpenedDocument) -> bool:
    """Return whether a rollout continues another one."""
    first = opened.objects[0] if opened.objects else {}
    return _is_meta(first) and bool(first["payload"].get(_BASE))


def with_base(opened: OpenedDocument, notes: ImportNotes) -> OpenedDocument:
    """Return the rollout with the history that it continues in front, or unchanged if that is missing; add a
    repair or warning to ``notes``."""
    try:
        document, repairs = _joined(opened.document)
    except (_NotJoined, InputError) as error:
        why = error.message.rstrip(".") if isinstance(error, InputError) else str(error)
        text = "this rollout continues another file's history (history_base), which is missing"
        notes.warn(1, f"{text}: {why}")
        return opened
    for text in repairs:
        notes.repair(1, text)
    return replace(opened, document=document)


def _joined(document: SourceDocument) -> tuple[SourceDocument, list[str]]:
    if (
        document.path is None or document.data is not None or document.member
    ):  # standard input, a file of a zip
        raise _NotJoined("only a rollout in a file of its own can be joined")
    rollouts = _RolloutChain(document.path.resolve().parent, [document.path.resolve().name])
    own = document_lines(document)
    meta = parse_bytes(next(own).data).value
    if not _is_meta(meta):
        raise _NotJoined("its first line cannot be read")
    base = meta["payload"].pop(_BASE)
    data, size = [json.dumps(meta).encode()], 0
    for line in chain(_history(rollouts, fields_of(base)), own):
        data.append(line.data)
        size += len(line.data)
        if size > MOST:
            raise _NotJoined(f"together they hold more than {MOST >> 20} MB")
    return replace(document, data=b"\n".join(data) + b"\n", packing=""), rollouts.notes


def _history(rollouts: _RolloutChain, base: Mapping[str, Json]) -> Iterator[DocumentLine]:
    """Yield the lines of the rollout named by ``base``, up to the given point, after those of its own
    base."""
    document = open_document(_beside(rollouts, string_of(base.get("thread_id"))))
    end, ordinal = number_of(base.get("end_byte_offset")), number_of(base.get("end_ordinal_exclusive"))
    if end is None and ordinal is None:
        raise _NotJoined(f"it does not say how much of {document.name} it continues")
    count = last = 0
    for line in document_lines(document):
        value = parse_bytes(line.data).value
        is_meta = count == 0 and _is_meta(value)
        if is_meta and value["payload"].get(_BASE):
            yield from _history(rollouts, fields_of(value["payload"][_BASE]))
        number = number_of(value.get("ordinal")) if isinstance(value, dict) else None
        if line.end > end if end is not None else (count if number is None else number) >= (ordinal or 0):
            break
        count, last = count + 1, line.end
        if not is_meta:
            yield line
    else:
        if end is not None and last + 2 < end:  # the line end is not in it
            raise _NotJoined(f"{document.name} is shorter than it was when this one began")
    rollouts.notes.append(f"joined with {count:,} lines of {document.name}, the history that it continues")


def _beside(rollouts: _RolloutChain, id_: str) -> Path:
    if not id_ or not id_.replace("-", "").replace("_", "").isalnum():
        raise _NotJoined("it does not name the other file")
    try:
        names = tuple(id_ + ending for ending in _ENDINGS)
        matches = [path for path in rollouts.folder.iterdir() if path.name.endswith(names)]
    except OSError as error:
        raise _NotJoined("the folder cannot be read") from error
    matches = [path for path in matches if path.is_file() and path.resolve().parent == rollouts.folder]
    if len(matches) != 1:
        raise _NotJoined(f"its folder has {len(matches) or 'no'} files named rollout-…-{id_}.jsonl")
    if matches[0].name in rollouts.names:
        raise _NotJoined(f"{matches[0].name} continues itself")
    rollouts.names.append(matches[0].name)
    return matches[0]


def _is_meta(value: Json) -> bool:
    return isinstance(value, dict) and value.get("type") == _META and isinstance(value.get("payload"), dict)

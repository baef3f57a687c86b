"""Evaluates a query over columns, byte by byte, without an object per row."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.presentation.filter.query import (
    ANY,
    ERROR,
    MARKED,
    NOTE,
    NUMBER,
    PIN,
    TOKENS,
    FilterQuery,
    FilterTerm,
)
from core.presentation.lists.model import UserMarks
from core.presentation.model import FATES, INSERTED, KINDS, SPEAKERS, MessageRows
from core.transcript.pins import PinKind

Mask: TypeAlias = bytes
"""One byte per message: 1 where it matches, 0 where it does not."""
_NO_MARKS = UserMarks()


@dataclass(frozen=True, slots=True)
class FilterTable:
    """One side of a preview in columns. ``origin[i]`` is the source message of row i, -1 for none; None for
    the source itself. ``evaluate`` evaluates terms beyond the
    columns: texts, tools, blocks, ids."""

    rows: MessageRows
    fates: bytes
    evaluate: Callable[[FilterTerm], Mask]
    origin: array[int] | None = None
    marks: UserMarks = _NO_MARKS


def matching_mask(query: FilterQuery, table: FilterTable) -> Mask:
    """Return a mask over the rows; all ones for an empty query."""
    size = len(table.rows)
    if not query:
        return b"\x01" * size
    return any_mask(
        (all_mask((_mask(term, table) for term in terms), size) for terms in query.alternatives), size
    )


def _mask(term: FilterTerm, table: FilterTable) -> Mask:
    test = _TESTS.get(term.key)
    mask = test(term, table) if test is not None else table.evaluate(term)
    return mask.translate(_FLIP) if term.negated else mask


_FLIP = bytes((1, 0)) + bytes(254)


def _speaker(term: FilterTerm, table: FilterTable) -> Mask:
    return _code_mask(table.rows.speakers, SPEAKERS.index(term.value))


def _kind(term: FilterTerm, table: FilterTable) -> Mask:
    return _code_mask(table.rows.kinds, KINDS.index(term.value))


def _fate(term: FilterTerm, table: FilterTable) -> Mask:
    return _code_mask(table.fates, (*FATES, INSERTED).index(term.value))


def _error(_: FilterTerm, table: FilterTable) -> Mask:
    return table.rows.errors.translate(bytes(1) + b"\x01" * 255)


def _tokens(term: FilterTerm, table: FilterTable) -> Mask:
    return bytes(map(range(term.low, term.high + 1).__contains__, table.rows.tokens))


def _number(term: FilterTerm, table: FilterTable) -> Mask:
    source_indices = range(len(table.rows)) if table.origin is None else table.origin
    return bytes(map(range(term.low, term.high + 1).__contains__, source_indices))


def _marked(_: FilterTerm, table: FilterTable) -> Mask:
    return _index_mask(frozenset(table.marks.marked), table)


def _pin(term: FilterTerm, table: FilterTable) -> Mask:
    keep = table.marks.keep if term.value in (PinKind.KEEP, ANY) else ()
    drop = table.marks.drop if term.value in (PinKind.DROP, ANY) else ()
    return _index_mask(frozenset((*keep, *drop)), table)


def _note(term: FilterTerm, table: FilterTable) -> Mask:
    notes = table.marks.notes
    return _index_mask(
        frozenset(index for index, words in notes if term.value == ANY or term.value in words.casefold()),
        table,
    )


def _index_mask(indices: frozenset[int], table: FilterTable) -> Mask:
    source_indices = range(len(table.rows)) if table.origin is None else table.origin
    return bytes(map(indices.__contains__, source_indices))


def _code_mask(column: bytes, code: int) -> Mask:
    return column.translate(bytes(code) + b"\x01" + bytes(255 - code))


_TESTS: Mapping[str, Callable[[FilterTerm, FilterTable], Mask]] = {
    "speaker": _speaker,
    "kind": _kind,
    "fate": _fate,
    ERROR: _error,
    MARKED: _marked,
    PIN: _pin,
    NOTE: _note,
    TOKENS: _tokens,
    NUMBER: _number,
}


def all_mask(masks: Iterable[Mask], size: int) -> Mask:
    """Return 1 where all masks have 1."""
    bits = _mask_bits(b"\x01" * size)
    for mask in masks:
        bits &= _mask_bits(mask)
    return bits.to_bytes(size, "little")


def any_mask(masks: Iterable[Mask], size: int) -> Mask:
    """Return 1 where any mask has 1."""
    bits = 0
    for mask in masks:
        bits |= _mask_bits(mask)
    return bits.to_bytes(size, "little")


def _mask_bits(mask: Mask) -> int:
    """Return a mask as one integer, to combine whole masks at once."""
    return int.from_bytes(mask, "little")


def carried_mask(mask: Mask, origin: Sequence[int]) -> Mask:
    """Map a source mask to the result's rows; rows without a source get 0."""
    padded = mask + b"\0"  # index -1, no source, reads this byte
    return bytes(map(padded.__getitem__, origin))


def tool_at(rows: MessageRows, partners: Mapping[int, tuple[int, ...]], index: int) -> str:
    """Return the tool that a row calls or responds to, of several calls the first, else ""."""
    for candidate in (index, *partners.get(index, ())):
        if rows.kinds[candidate] == _CALL:
            lead = rows.lead[candidate]
            return rows.text[candidate].partition(",")[0].partition(" ×")[0] if lead.endswith(":") else lead
    return ""


_CALL = KINDS.index("call")

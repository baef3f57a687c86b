"""The report's list of source messages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import TypeAlias

from core.common import number_format
from core.presentation.inspector_model import BodyBlock
from core.presentation.lists.row_wording import fold_text
from core.presentation.message_body import body_blocks
from core.reports.document import ReportDocument

MAX_ROWS = 4_000
"""Most messages listed; of more, the ends of each run of one fate."""
MAX_TEXT = 4_000_000
"""Approximate limit of characters of all texts."""

_MIN_MESSAGE_TEXT, _MAX_MESSAGE_TEXT = 600, 8_000  # characters of one message
_MAX_BLOCKS = 40  # of one message
_REDACTION_LOOKAHEAD = 5_000  # characters after a cut that redaction reads
_Dividers: TypeAlias = dict[int, list[tuple[str, object]]]
_RUN_ENDS = (500, 200, 100, 50, 20, 10, 5, 3, 1)


def choose_messages(fates: bytes, max_messages: int = MAX_ROWS) -> tuple[int, ...]:
    """Return the messages to list: all if few, else both ends of each run, else of the history."""
    if len(fates) <= max_messages:
        return tuple(range(len(fates)))
    runs = _runs(fates)
    for ends in _RUN_ENDS:
        if sum(min(end - start, 2 * ends) for start, end in runs) <= max_messages:
            return tuple(index for start, end in runs for index in _both_ends(start, end, ends))
    return tuple(_both_ends(0, len(fates), max_messages // 2))


def _runs(fates: bytes) -> list[tuple[int, int]]:
    runs, start = [], 0
    for _, group in groupby(fates):
        end = start + sum(1 for _ in group)
        runs.append((start, end))
        start = end
    return runs


def _both_ends(start: int, end: int, ends: int) -> Iterator[int]:
    if end - start <= 2 * ends:
        yield from range(start, end)
    else:
        yield from range(start, start + ends)
        yield from range(end - ends, end)


def list_note(page: ReportDocument) -> str:
    total, listed_count = len(page.preview.messages), len(page.listed)
    text_limit = _message_text_limit(page)
    parts = []
    if listed_count < total:
        parts.append(
            f"{number_format.count(listed_count)} of {number_format.count(total)} messages are listed."
        )
    parts.append(
        f"Each opens to its reason and at most {number_format.count(text_limit)} characters of its text."
    )
    return " ".join(parts)


def _message_text_limit(page: ReportDocument) -> int:
    return max(_MIN_MESSAGE_TEXT, min(_MAX_MESSAGE_TEXT, MAX_TEXT // max(1, len(page.listed))))


def list_entries(page: ReportDocument) -> Iterator[tuple[str, object]]:
    """Yield (kind, value) of each row: "recorded", "cut", "compacted", "gap" with its text, or "message" with
    its index."""
    dividers, expected = _dividers(page), 0
    for index in (*page.listed, len(page.preview.messages)):
        yield from _gap(page, dividers, expected, index)
        yield from dividers.get(index, ())
        if index < len(page.preview.messages):
            yield "message", index
        expected = index + 1


def _gap(page: ReportDocument, dividers: _Dividers, start: int, end: int) -> Iterator[tuple[str, object]]:
    """Yield an entry per unlisted run between two messages; dividers stay."""
    edges = sorted({start, end, *(place for place in dividers if start < place < end)})
    for low, high in pairwise(edges):
        yield from dividers.get(low, ())
        fates, tokens = page.screen.fates[low:high], page.preview.counts[low:high]
        yield "gap", fold_text(low, high, fates, tokens, has_more=True)


def _dividers(page: ReportDocument) -> _Dividers:
    """Return cuts and compactions by the source message that follows."""
    dividers: _Dividers = {}
    for row in page.screen.recorded:
        dividers.setdefault(row.position, []).append(("recorded", row))
    for cut in page.screen.before_cuts:
        dividers.setdefault(cut.position, []).append(("cut", cut))
    for cut in page.screen.after_cuts:
        if cut.is_compaction:
            later_sources = (index for index in page.screen.origin[cut.position :] if index >= 0)
            position = next(later_sources, len(page.preview.messages))
            dividers.setdefault(position, []).append(("compacted", cut))
    return dividers


def shown_blocks(page: ReportDocument, index: int) -> Iterator[tuple[BodyBlock, str, int]]:
    """Yield the blocks of a message with their redacted text and the number of characters of it; of more than
    _MAX_BLOCKS the first."""
    text_limit = _message_text_limit(page)
    for block in body_blocks(page.preview.messages[index], text_limit + _REDACTION_LOOKAHEAD)[:_MAX_BLOCKS]:
        block_limit = max(_MIN_MESSAGE_TEXT // 4, text_limit)
        yield block, page.redactor.text(block.text, block_limit), min(block_limit, block.shown_length)
        text_limit -= min(block_limit, block.total)


def unlisted_blocks(page: ReportDocument, index: int) -> int:
    return max(0, len(page.preview.messages[index].blocks) - _MAX_BLOCKS)

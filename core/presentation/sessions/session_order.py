"""Filters and sorts the sessions of the browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.common import number_format
from core.presentation.sessions.model import SessionRow

COLUMNS = (
    "first prompt",
    "project",
    "agent",
    "changed",
    "size",
    "messages",
    "tokens",
    "recorded",
    "[ctx]",
)
"""Column titles, in the order of ``SessionRow.keys``."""

CHANGED = COLUMNS.index("changed")


@dataclass(frozen=True, slots=True)
class SortOrder:
    """Sessions of one agent ("": all) with all words of ``search`` in prompt, project, agent or path, sorted
    by a column."""

    agent: str = ""
    search: str = ""
    only_recorded: bool = False
    column: int = CHANGED
    descending: bool = True


def sorted_rows(rows: Sequence[SessionRow], order: SortOrder) -> list[int]:
    """Return the indices of the rows to show; ties keep newest first."""
    words = order.search.lower().split()
    indices = [index for index, row in enumerate(rows) if _is_wanted(row, order, words)]
    indices.sort(key=lambda index: rows[index].sort_keys[order.column], reverse=order.descending)
    return indices


def _is_wanted(row: SessionRow, order: SortOrder, words: Sequence[str]) -> bool:
    if order.agent and row.agent != order.agent:
        return False
    if order.only_recorded and not row.has_recorded:
        return False
    return not words or _has_all_words(f"{row.prompt} {row.project} {row.agent} {row.path}".lower(), words)


def _has_all_words(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words)


def agent_counts(rows: Sequence[SessionRow]) -> tuple[tuple[str, str], ...]:
    """Return agents with session counts, most first; "" for all."""
    counts = Counter(row.agent for row in rows if row.agent)
    sorted_counts = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return (
        ("", number_format.count(len(rows))),
        *((name, number_format.count(count)) for name, count in sorted_counts),
    )


def count_with_recorded(rows: Sequence[SessionRow]) -> int:
    """Count the sessions with a recorded compaction, as far as known."""
    return sum(row.has_recorded for row in rows)


def sessions_heading(shown: int, total: int, order: SortOrder, is_over: bool) -> tuple[str, str]:
    """Return "10 sessions", and their order or progress."""
    count_text = (
        number_format.plural(shown, "session") if shown == total else f"{shown:,} of {total:,} sessions"
    )
    order_text = (
        "newest first"
        if (order.column, order.descending) == (CHANGED, True)
        else f"by {COLUMNS[order.column]}"
    )
    return count_text, order_text if is_over else " · ".join(
        filter(None, (order_text, "heads read now, counts as they come"))
    )

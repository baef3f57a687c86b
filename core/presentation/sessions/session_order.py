"""Which sessions the browser shows, in which order."""

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
"""Titles of the columns; each stands for the same place in ``SessionRow.keys``."""

CHANGED = COLUMNS.index("changed")


@dataclass(frozen=True, slots=True)
class SortOrder:
    """What a person wants to see: sessions of one agent ("": all), with all words of ``search`` in
    prompt, project, agent or path, ordered by a column."""

    agent: str = ""
    search: str = ""
    only_recorded: bool = False
    column: int = CHANGED
    descending: bool = True


def sorted_rows(rows: Sequence[SessionRow], wish: SortOrder) -> list[int]:
    """Indices of the rows to show; equal ones stay newest first."""
    words = wish.search.lower().split()
    shown = [index for index, row in enumerate(rows) if _is_wanted(row, wish, words)]
    shown.sort(key=lambda index: rows[index].keys[wish.column], reverse=wish.descending)
    return shown


def _is_wanted(row: SessionRow, wish: SortOrder, words: Sequence[str]) -> bool:
    if wish.agent and row.agent != wish.agent:
        return False
    if wish.only_recorded and not row.has_recorded:
        return False
    return not words or _has_all(f"{row.prompt} {row.project} {row.agent} {row.path}".lower(), words)


def _has_all(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words)


def agent_counts(rows: Sequence[SessionRow]) -> tuple[tuple[str, str], ...]:
    """The agents with how many sessions they have, the busiest first; all of them as ""."""
    found = Counter(row.agent for row in rows if row.agent)
    counted = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return (
        ("", number_format.count(len(rows))),
        *((name, number_format.count(count)) for name, count in counted),
    )


def with_recorded(rows: Sequence[SessionRow]) -> int:
    """How many sessions have a recorded compaction, as far as they are counted."""
    return sum(row.has_recorded for row in rows)


def sessions_heading(shown: int, total: int, wish: SortOrder, is_over: bool) -> tuple[str, str]:
    """ "10 sessions", their order, and what is going on."""
    what = number_format.plural(shown, "session") if shown == total else f"{shown:,} of {total:,} sessions"
    order = (
        "newest first" if (wish.column, wish.descending) == (CHANGED, True) else f"by {COLUMNS[wish.column]}"
    )
    return what, order if is_over else " · ".join(
        filter(None, (order, "heads read now, counts as they come"))
    )

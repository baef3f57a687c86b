"""Exports a replay as CSV, a row per turn and strategy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from core.analysis.csv_text import Cell, csv_bytes
from core.analysis.replay.model import ReplayCompaction, ReplayResult, ReplayTrack

COLUMNS = (
    "strategy",
    "turn",
    "message",
    "tokens",
    "over_limit",
    "compacted_from",
    "compacted_to",
    "calls",
    "cost",
)


def replay_csv(result: ReplayResult) -> bytes:
    """Return the CSV. ``message`` is the number, from 1, of the turn's last message. The last four columns
    are empty without a compaction; of several in a turn, first size before and last size after."""
    return csv_bytes(COLUMNS, (row for track in result.tracks for row in _rows(result, track)))


def _rows(result: ReplayResult, track: ReplayTrack) -> Iterator[tuple[Cell, ...]]:
    runs: defaultdict[int, list[ReplayCompaction]] = defaultdict(list)
    for run in track.compactions:
        if not run.error:
            runs[run.turn].append(run)
    for turn, (size, index) in enumerate(zip(track.sizes, result.turns, strict=False), 1):
        is_over = None if result.limit is None else int(size > result.limit)
        yield (track.name, turn, index + 1, size, is_over, *_compaction_cells(runs[turn]))


def _compaction_cells(runs: list[ReplayCompaction]) -> tuple[Cell, ...]:
    if not runs:
        return (None,) * 4
    costs = [run.cost for run in runs]
    cost = None if None in costs else sum(cost_of_run for cost_of_run in costs if cost_of_run is not None)
    return runs[0].before, runs[-1].after, sum(run.calls for run in runs), cost

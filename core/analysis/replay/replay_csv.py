"""A replay as CSV: a row for every turn of every strategy."""

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


def replay_csv(found: ReplayResult) -> bytes:
    """``message`` is the number, from 1, of the message that a turn ends with. The last four are empty where
    nothing was compacted before the request; of several in one turn from the first's size to the last's."""
    return csv_bytes(COLUMNS, (row for track in found.tracks for row in _rows(found, track)))


def _rows(found: ReplayResult, track: ReplayTrack) -> Iterator[tuple[Cell, ...]]:
    runs: defaultdict[int, list[ReplayCompaction]] = defaultdict(list)
    for run in track.compactions:
        if not run.error:
            runs[run.turn].append(run)
    for turn, (size, place) in enumerate(zip(track.sizes, found.turns, strict=False), 1):
        over = None if found.limit is None else int(size > found.limit)
        yield (track.name, turn, place + 1, size, over, *_compacted(runs[turn]))


def _compacted(runs: list[ReplayCompaction]) -> tuple[Cell, ...]:
    if not runs:
        return (None,) * 4
    costs = [run.cost for run in runs]
    cost = None if None in costs else sum(one for one in costs if one is not None)
    return runs[0].before, runs[-1].after, sum(run.calls for run in runs), cost

"""The columns of Over time, One setting and Folder: their figures as columns of Compare write
them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from core.analysis.model import ReplayTrack
from core.common import number_format
from core.presentation.compare.columns import (
    COLUMNS,
    chosen,
    idle_of,
    make_column,
    unit_cell,
)
from core.presentation.compare.model import (
    Column,
    FolderMeans,
    ResultTable,
    TableCell,
    Unit,
)
from core.presentation.compare.results import size_at
from core.presentation.losses_words import LOSSES
from core.transcript.compaction import FateKind
from core.trials.trial import TrialResult

_R = TypeVar("_R")


def _optional(columns: Sequence[Column[_R]]) -> tuple[Column[_R], ...]:
    return tuple(replace(one, is_optional=True) for one in columns)


def _sent(track: ReplayTrack) -> TableCell:
    return TableCell(
        number_format.abbreviated(track.sent),
        track.sent,
        tip=number_format.count(track.sent),
    )


def compaction_count(track: ReplayTrack) -> int:
    return sum(not compaction.error for compaction in track.compactions)


def _last_size(track: ReplayTrack) -> int | None:
    if track.sizes:
        return track.sizes[-1]
    return None


def _last_size_cell(track: ReplayTrack) -> TableCell:
    return TableCell(
        size_at(track, len(track.sizes))
    )  # the window shows and sorts that of the playhead


REPLAY: ResultTable[ReplayTrack] = ResultTable(
    "strategy",
    (
        make_column(
            "size", _last_size, "{mark} tokens at request", cell=_last_size_cell
        ),
        make_column("compactions", compaction_count, "compactions"),
        make_column(
            "over",
            lambda track: track.over_limit_count,
            "requests over the limit",
            tone="error",
        ),
        make_column("cost", lambda track: track.cost, "total cost", Unit.DOLLARS),
        *_optional(
            (
                make_column("calls", lambda track: track.calls, "model calls"),
                make_column(
                    "sent", lambda track: track.sent, "tokens sent", cell=_sent
                ),
                make_column(
                    "rewritten",
                    lambda track: track.rewritten,
                    "written to the cache again",
                ),
            )
        ),
    ),
    lambda track: "",
    lambda track: track.error or track.note,
)


def _fates(*kinds: FateKind) -> Callable[[TrialResult], int]:
    return lambda result: result.fate_count(*kinds)


SWEEP: ResultTable[TrialResult] = ResultTable(
    "setting",
    (
        *chosen(COLUMNS, "tokens"),
        *chosen(COLUMNS, "saved", is_optional=True),
        *chosen(COLUMNS, "musts_word_for_word", "said_word_for_word"),
        *chosen(COLUMNS, "needed_share", "summary_cost"),
        *chosen(COLUMNS, "messages", is_optional=True),
        *_optional(
            (
                make_column("kept", _fates(FateKind.KEPT, FateKind.EDITED), "kept"),
                make_column("summarised", _fates(FateKind.SUMMARISED), "summarised"),
                make_column("excerpted", _fates(FateKind.EXCERPTED), "excerpted"),
                make_column(
                    "removed", _fates(FateKind.PRUNED, FateKind.DROPPED), "removed"
                ),
                make_column("gone", lambda result: result.kept.gone, LOSSES),
            )
        ),
    ),
    lambda result: result.error,
    lambda result: "nothing to do" if result.no_op else "",
    idle_of,
    hides_unknown=True,
)


def _figure(
    key: str, label: str, unit: Unit = Unit.COUNT, tone: str = ""
) -> Column[FolderMeans]:
    return make_column(key, lambda means: means.figures[key], label, unit, tone=tone)


def _mean(key: str) -> Column[FolderMeans]:
    """Return the column of a mean, as the column of the single results writes it."""
    of_rows = next(one for one in COLUMNS if one.key == key)
    return _figure(key, of_rows.label.format(mark="").strip(), of_rows.unit)


def _mean_tokens(means: FolderMeans) -> TableCell:
    tokens = means.figures["tokens"]
    return unit_cell(Unit.COUNT, None if tokens is None else round(tokens))


def _spread(key: str, of: str) -> Column[FolderMeans]:
    """Return the column of a standard deviation in percentage points, blank for fewer than two
    files."""

    def cell(means: FolderMeans) -> TableCell:
        spread = means.figures[key]
        if spread is None:
            return TableCell()
        return TableCell(f"{spread * 100:.1f}", spread)

    return make_column(
        key, lambda means: means.figures[key], f"± {of}", Unit.SHARE, cell
    )


FOLDER: ResultTable[FolderMeans] = ResultTable(
    "strategy",
    (
        _figure("files", "files"),
        _mean("saved"),
        _mean("needed_share"),
        _figure("said_share", "your messages", Unit.SHARE),
        _mean("nowhere"),
        _mean("said_by_nobody"),
        _mean("summary_cost"),
        _figure("lint_errors", "faults", tone="error"),
        *_optional(
            (
                replace(_mean("tokens"), cell=_mean_tokens),
                _spread("saved_spread", "saved"),
                _spread("needed_spread", "needed later"),
                _mean("break_even"),
                _figure("no_ops", "nothing to do"),
                _figure("errors", "failed", tone="error"),
                _figure("seconds", "time", Unit.SECONDS),
            )
        ),
    ),
    lambda means: "",
    lambda means: "",
    hides_unknown=True,
)

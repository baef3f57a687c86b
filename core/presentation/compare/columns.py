"""The columns of Compare: how each figure of a result is written, sorted and coloured."""

from __future__ import annotations

from collections.abc import Callable

from core.analysis.model import (
    BASELINE,
    RECORDED,
    CompareRow,
    FolderCompareRow,
    FolderMeans,
    ReplayTrack,
    SweepPoint,
)
from core.common import number_format
from core.common.number_format import UNKNOWN, dollar_text
from core.facts.model import FactKind
from core.presentation.compare.model import Column, ResultTable, TableCell
from core.presentation.losses_words import KIND_NAMES
from core.presentation.preview_wording import SizeStanding, size_standing
from core.transcript.compaction import FateKind

_MAX_NOTE = 24  # characters of a note beside a name
UNKNOWN_CELL = TableCell(UNKNOWN)


def _count(value: float | None, tone: str = "") -> TableCell:
    if value is None:
        return UNKNOWN_CELL
    return TableCell(number_format.count(round(value)), value, tone if value else "")


def share_cell(value: float | None, decimals: int = 0) -> TableCell:
    return UNKNOWN_CELL if value is None else TableCell(number_format.percent(value, decimals), value)


def _saved(value: float | None) -> TableCell:
    """Return a saved share as a change: −48 %."""
    return share_cell(None if value is None else -value if value else 0.0)


def dollar_cell(value: float | None) -> TableCell:
    if value is None:
        return UNKNOWN_CELL
    return TableCell(f"≈ {dollar_text(value)}" if value else dollar_text(value), value)


def _in_order(errors: int, warnings: int) -> TableCell:
    if errors:
        return TableCell(number_format.plural(errors, "fault"), errors * 1000 + warnings, "error")
    if warnings:
        return TableCell(number_format.plural(warnings, "warning"), warnings, "warn")
    return TableCell("yes", 0, "ok")


def _of(count: int | None, total: int | None, tip: str = "") -> TableCell:
    """Return "9 of 14", sorted by the share."""
    if count is None or not total:
        return UNKNOWN_CELL
    return TableCell(f"{number_format.count(count)} of {number_format.count(total)}", count / total, tip=tip)


def _said(row: CompareRow) -> TableCell:
    return _of(*row.said) if row.said is not None else UNKNOWN_CELL


def _made_up(row: CompareRow) -> TableCell:
    """Return the names of a summary that stand nowhere in the source; blank without a result to look at."""
    if row.kept.gone is None:
        return UNKNOWN_CELL
    return TableCell(
        number_format.count(row.kept.nowhere), row.kept.nowhere, "error" if row.kept.nowhere else ""
    )


def _word_for_word(kind: FactKind) -> Callable[[CompareRow], TableCell]:
    def cell(row: CompareRow) -> TableCell:
        count = next((one for one in row.kept.kinds if one.kind is kind), None)
        if count is None:
            return UNKNOWN_CELL
        noun = KIND_NAMES[kind][1]
        tip = f"{noun}: {count.reworded:,} not word for word, {count.gone:,} gone"
        return _of(count.word_for_word, count.total, tip)

    return cell


def _needed_later(row: CompareRow) -> TableCell:
    if (needed := row.kept.needed) is None or needed.share is None:
        return TableCell(UNKNOWN, tip="The transcript ends here: nobody knows what comes.")
    counts = f"{number_format.count(needed.kept)} of {number_format.count(needed.used)}"
    tip = f"{counts} names that were used again, with their surroundings; {needed.kept_bare:,} bare"
    return TableCell(number_format.percent(needed.share, 0), needed.share, tip=tip)


def _backtest(row: CompareRow) -> TableCell:
    if (found := row.kept.backtest) is None:
        return UNKNOWN_CELL
    if found.share is None:
        return TableCell(UNKNOWN, tip=found.reason)
    tip = f"{found.kept:,} of {found.needed:,} names at {number_format.plural(len(found.shares), 'point')}"
    if found.shares:
        ends = (number_format.percent(one, 0) for one in (found.shares[0], found.shares[-1]))
        tip += f" of its own past, {' to '.join(ends)}"
    return TableCell(number_format.percent(found.share, 0), found.share, tip=tip)


def _still_cached(row: CompareRow) -> TableCell:
    if row.cost is None:
        return UNKNOWN_CELL
    return TableCell("all", float("inf")) if row.cost.first_changed is None else _count(row.cost.prefix)


def _summary_cost(row: CompareRow) -> TableCell:
    return dollar_cell(None if row.cost is None or row.kind == RECORDED else row.cost.summary)


def _tokens_after(row: CompareRow) -> TableCell:
    """Return the size, in the tone of a request with it; beside one of the agent stands what the file says
    of it."""
    standing = row_standing(row)
    notes = (row.note.replace("; ", "\n") if row.kind == RECORDED else "", standing.text)
    tone = standing.tone if standing.excess else ""
    return TableCell(
        number_format.count(row.sizes.tokens), row.sizes.tokens, tone, "\n".join(filter(None, notes))
    )


def row_standing(row: CompareRow) -> SizeStanding:
    """Return how the next request stands with a result."""
    return size_standing(row.sizes.request, row.sizes.trigger, row.sizes.limit)


def _payback(row: CompareRow) -> TableCell:
    """Return the calls until break-even with a warm cache."""
    cost = row.cost
    if row.name == BASELINE or row.no_op:
        return TableCell()
    if cost is None or not cost.knows_break_even:
        return TableCell(UNKNOWN, tip="The model has no price in the table.")
    if cost.break_even is None:
        return TableCell(cost.break_even_text, float("inf"), "warn")
    tip = "The file has no price of the agent's own call: this counts the cache only."
    return TableCell(cost.break_even_text, cost.break_even, tip=tip if row.kind == RECORDED else "")


def _seconds(row: CompareRow) -> TableCell:
    is_run = row.name != BASELINE and row.kind != RECORDED
    return TableCell(number_format.seconds(row.seconds), row.seconds) if is_run else TableCell()


def saved_share(row: CompareRow) -> float | None:
    return 1 - row.sizes.tokens / row.sizes.before_tokens if row.sizes.before_tokens else None


def _compare_note(row: CompareRow) -> str:
    standing = row_standing(row)
    too_large = [standing.word] if standing.excess else []
    if row.name == BASELINE:
        return ", ".join(("unchanged", *too_large))
    parts = (
        [f"of {number_format.abbreviated(row.sizes.before_tokens)} before it"] if row.kind == RECORDED else []
    )
    notes = row.note.replace("reverse engineered", "inferred").split("; ")
    parts += [note for note in notes if note and len(note) <= _MAX_NOTE]
    parts += ["nothing to do"] if row.no_op else []
    parts += too_large
    return ", ".join(parts)


COMPARE: ResultTable[CompareRow] = ResultTable(
    "strategy",
    (
        Column("{mark} tokens after", _tokens_after),
        Column("saved", lambda row: _saved(saved_share(row))),
        Column("needed later", _needed_later),
        Column("backtest", _backtest),
        Column("your messages", _said),
        Column("made up", _made_up),
        Column("cost", _summary_cost),
        Column("in order", lambda row: _in_order(*row.lint)),
        Column("pays for itself after", _payback, True),
        Column("still cached", _still_cached, True),
        Column("instructions", _word_for_word(FactKind.INSTRUCTION), True),
        Column("files changed", _word_for_word(FactKind.FILE_CHANGED), True),
        Column("open errors", _word_for_word(FactKind.OPEN_ERROR), True),
        Column("messages", lambda row: _count(row.sizes.messages), True),
        Column("model calls", lambda row: _count(row.calls), True),
        Column("time", _seconds, True),
    ),
    lambda row: row.error,
    _compare_note,
)


def _sent(track: ReplayTrack) -> TableCell:
    return TableCell(number_format.abbreviated(track.sent), track.sent, tip=number_format.count(track.sent))


def compaction_count(track: ReplayTrack) -> int:
    return sum(not compaction.error for compaction in track.compactions)


REPLAY: ResultTable[ReplayTrack] = ResultTable(
    "strategy",
    (
        Column("{mark} tokens at request", lambda track: UNKNOWN_CELL),  # the window knows the request
        Column("compactions", lambda track: _count(compaction_count(track))),
        Column("requests over the limit", lambda track: _count(track.over_limit_count, "error")),
        Column("total cost", lambda track: dollar_cell(track.cost)),
        Column("model calls", lambda track: _count(track.calls), True),
        Column("tokens sent", _sent, True),
        Column("written to the cache again", lambda track: _count(track.rewritten), True),
    ),
    lambda track: "",
    lambda track: track.error or track.note,
)


def _fates(*kinds: FateKind) -> Callable[[SweepPoint], TableCell]:
    return lambda point: _count(sum((point.fates or {}).get(kind, 0) for kind in kinds))


SWEEP: ResultTable[SweepPoint] = ResultTable(
    "setting",
    (
        Column("{mark} tokens after", lambda point: _count(point.tokens)),
        Column("your messages", lambda point: _of(*point.said) if point.said else UNKNOWN_CELL),
        Column("needed later", lambda point: share_cell(point.needed_share)),
        Column("cost", lambda point: dollar_cell(point.cost)),
        Column("messages", lambda point: _count(point.messages), True),
        Column("kept", _fates(FateKind.KEPT, FateKind.EDITED), True),
        Column("summarised", _fates(FateKind.SUMMARISED), True),
        Column("removed", _fates(FateKind.PRUNED, FateKind.DROPPED), True),
    ),
    lambda point: point.error,
    lambda point: "nothing to do" if point.no_op else "",
)


def _spread(value: float | None, factor: int, decimals: int) -> TableCell:
    return TableCell("" if value is None else f"{value * factor:.{decimals}f}", value)


def _mean(value: float | None) -> TableCell:
    return UNKNOWN_CELL if value is None else TableCell(f"{value:,.1f}", value)


def _calls(value: float | None) -> TableCell:
    return UNKNOWN_CELL if value is None else TableCell(number_format.payback_text(value), value)


FOLDER: ResultTable[FolderMeans] = ResultTable(
    "strategy",
    (
        Column("files", lambda row: _count(row.files - row.errors)),
        Column("saved", lambda row: _saved(row.saved)),
        Column("needed later", lambda row: share_cell(row.needed_share)),
        Column("your messages", lambda row: share_cell(row.said_share)),
        Column("made up", lambda row: _mean(row.nowhere)),
        Column("cost", lambda row: dollar_cell(row.summary_cost)),
        Column("faults", lambda row: _count(row.lint_errors, "error")),
        Column("tokens after", lambda row: _count(row.tokens), True),
        Column("± saved", lambda row: _spread(row.saved_spread, 100, 1), True),
        Column("± needed later", lambda row: _spread(row.needed_spread, 100, 1), True),
        Column("pays for itself after", lambda row: _calls(row.break_even), True),
        Column("nothing to do", lambda row: _count(row.no_ops), True),
        Column("failed", lambda row: _count(row.errors, "error"), True),
    ),
    lambda row: "",
    lambda row: "",
)


def _file_tokens(row: FolderCompareRow) -> TableCell:
    text = number_format.at_least(number_format.tokens(row.method, row.tokens), row.hidden)
    return TableCell(text, row.tokens)


FILES: ResultTable[FolderCompareRow] = ResultTable(
    "file",
    (
        Column("tokens after", _file_tokens),
        Column("saved", lambda row: _saved(row.saved)),
        Column("needed later", lambda row: share_cell(row.needed_share)),
        Column("your messages", lambda row: _of(row.said_word_for_word, row.said)),
        Column("made up", lambda row: _count(row.nowhere, "error")),
        Column("in order", lambda row: _in_order(row.lint_errors, row.lint_warnings)),
        Column(
            "tokens before",
            lambda row: TableCell(number_format.tokens(row.method, row.before_tokens), row.before_tokens),
            True,
        ),
        Column("messages", lambda row: _count(row.messages), True),
        Column("cost", lambda row: dollar_cell(row.summary_cost), True),
    ),
    lambda row: row.error,
    lambda row: "nothing to do" if row.no_op else "",
)

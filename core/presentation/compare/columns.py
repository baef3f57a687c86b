"""The figures of Compare, each once: its key and value in CSV and JSON, its label and text in every
table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import stdev
from typing import TypeVar

from core.analysis.model import BASELINE, RECORDED, CompactionCost, ReplayTrack
from core.common import number_format
from core.common.csv_text import escape_formula
from core.common.json_value import Json
from core.common.number_format import UNKNOWN, dollar_text, payback_text, whole_calls
from core.facts.model import FactKind
from core.losses.evidence import KindCount, MustMark, MustStatus, counted_musts
from core.presentation.compare.model import (
    Column,
    FolderMeans,
    ResultTable,
    StatusMark,
    TableCell,
    Unit,
)
from core.presentation.compare.results import size_at
from core.presentation.losses_words import (
    ENTIRELY_GONE,
    KIND_NAMES,
    LOSSES_ABOUT,
    MUST_GLYPHS,
    MUST_KEEP,
    must_head,
)
from core.presentation.paid_words import UNPRICED_MODEL
from core.presentation.preview_wording import SizeStanding, size_standing
from core.settings.schema import setting_text
from core.settings_store.layers import find_setting
from core.transcript.compaction import FateKind
from core.trials.trial import INFERRED, Trial, TrialResult

_R = TypeVar("_R")
PAYS_AFTER = "pays for itself after"
_MAX_NOTE = 24  # characters of a note beside a name
UNKNOWN_CELL = TableCell(UNKNOWN)
_NONE_HERE = "There is none to keep."
_LATER_KNOWN = "Later turns are known: see needed later."
_NO_OWN_PRICE = "The file has no price of the agent's own call."


def _count_text(value: float) -> str:
    if isinstance(value, int):
        return number_format.count(value)
    return f"{value:,.1f}"


def _price_text(value: float) -> str:
    if value:
        return f"≈ {dollar_text(value)}"
    return dollar_text(value)


_UNIT_TEXTS: Mapping[Unit, Callable[[float], str]] = {
    Unit.COUNT: _count_text,
    Unit.SHARE: lambda value: number_format.percent(value, 0),
    Unit.CHANGE: number_format.reduction_percent,
    Unit.DOLLARS: _price_text,
    Unit.CALLS: payback_text,
    Unit.SECONDS: number_format.seconds,
}


def unit_cell(unit: Unit, value: Json, tone: str = "") -> TableCell:
    """Return the cell of a figure in its unit, a dash if it is unknown; ``tone`` unless it is 0."""
    if value is None:
        return UNKNOWN_CELL
    if unit is Unit.TEXT:
        return TableCell(str(value))
    return TableCell(
        _UNIT_TEXTS[unit](value),
        -value if unit is Unit.CHANGE else value,
        tone if value else "",
    )


BACKTEST_ABOUT = (
    "Of the names that the turns after earlier points of the session used, how many a compaction "
    "there would have kept. It does not count what is gone from the result of today."
)


def make_column(
    key: str,
    value: Callable[[_R], Json],
    label: str = "",
    unit: Unit = Unit.COUNT,
    cell: Callable[[_R], TableCell] | None = None,
    tone: str = "",
    about: str = "",
) -> Column[_R]:
    """Return a column; without a ``cell`` of its own its text is the value in its unit."""
    made = cell or (lambda row: unit_cell(unit, value(row), tone))
    return Column(key=key, label=label, unit=unit, value=value, cell=made, about=about)


def chosen(
    columns: Sequence[Column[_R]], *keys: str, is_optional: bool = False
) -> tuple[Column[_R], ...]:
    """Return the columns of these keys in their order."""
    by_key = {one.key: one for one in columns}
    return tuple(replace(by_key[key], is_optional=is_optional) for key in keys)


def count_of(count: int | None, total: int | None, tip: str = "") -> TableCell:
    """Return "9 of 14", sorted by the share."""
    if count is None or not total:
        return TableCell(UNKNOWN, tip=_NONE_HERE)
    return TableCell(
        f"{number_format.count(count)} of {number_format.count(total)}",
        count / total,
        tip=tip,
    )


def row_standing(row: TrialResult) -> SizeStanding:
    """Return how the next request stands with a result."""
    return size_standing(row.sizes.tokens, row.sizes.trigger, row.sizes.limit)


def _tokens_after(row: TrialResult) -> TableCell:
    """Return the size, in the tone of a request with it; beside one of the agent stands what the
    file says of it."""
    standing = row_standing(row)
    tokens = row.sizes.tokens
    notes = (
        row.note.replace("; ", "\n") if row.kind == RECORDED else "",
        standing.text,
    )
    tone = standing.tone if standing.excess else ""
    text = number_format.at_least(number_format.count(tokens), row.sizes.hidden)
    return TableCell(text, tokens, tone, "\n".join(filter(None, notes)))


def missed_aim(row: TrialResult) -> str:
    """Return that a strategy cannot reach the aim, and the least that it leaves, else ""."""
    if not row.misses_aim:
        return ""
    return out_of_reach(row.sizes.aim, row.sizes.tokens, row.sizes.overhead)


def out_of_reach(aim: int, least: int, overhead: int) -> str:
    """Return the least that can be reached; where the ``overhead`` of a request is above the aim by
    itself, that as well: no strategy changes it."""
    text = (
        f"cannot reach {number_format.count(aim)} · least {number_format.count(least)}"
    )
    if overhead < aim:
        return text
    return f"{text} ({number_format.count(overhead)} system prompt and tools)"


def aimed_settings(row: TrialResult) -> str:
    """Return the settings that bring a result to its aim: "Keep Top 6 %, Keep Bottom 14 %"."""
    kinds = [(find_setting(key), value) for key, value in row.trial.settings]
    return ", ".join(
        f"{one.label} {setting_text(one.kind, value)}" for one, value in kinds
    )


def set_options(trial: Trial) -> str:
    """Return the settings of a trial as a command takes them: "--set KEY=VALUE --set …"."""
    return " ".join(f"--set {key}={value:.12g}" for key, value in trial.settings)


def _needed_later(row: TrialResult) -> TableCell:
    if (needed := row.losses.needed) is None or needed.share is None:
        return TableCell(
            UNKNOWN, tip="The transcript ends here: nobody knows what comes."
        )
    counts = f"{number_format.count(needed.kept)} of {number_format.count(needed.used)}"
    tip = f"{counts} names that were used again, with their surroundings; {needed.kept_bare:,} bare"
    return TableCell(number_format.percent(needed.share, 0), needed.share, tip=tip)


def _backtest(row: TrialResult) -> TableCell:
    if (found := row.losses.past) is None:
        return TableCell(UNKNOWN, tip="" if row.kind == RECORDED else _LATER_KNOWN)
    if found.share is None:
        return TableCell(UNKNOWN, tip=found.obstacle)
    points = number_format.plural(len(found.judged), "point")
    tip = f"{found.kept:,} of {found.needed:,} names at {points} of its own past"
    if found.interval is not None:
        ends = number_format.percent_range(found.interval.low, found.interval.high)
        tip += f"; 95 % interval {ends}"
    text = f"{number_format.percent(found.share, 0)} of {found.needed:,}"
    return TableCell(text, found.share, tip=tip)


def must_cell(row: TrialResult) -> TableCell:
    """Return the glyphs of the musts, or of many their counts; sorted by most that stand, fewest
    that are gone, tokens."""
    counted = counted_musts(row.losses.musts)
    if not counted:
        return UNKNOWN_CELL
    standing, gone, tokens = row.must_order
    key = standing * _MUST_STEP + gone + tokens / _TOKEN_STEP
    marks = must_glyphs(counted)
    tip = "\n".join(f"{MUST_GLYPHS[one.status]} {one.text}" for one in counted)
    return TableCell(must_head(counted), key, tip=tip, marks=marks)


# Above all musts of a list, above all tokens of a session.
_MUST_STEP, _TOKEN_STEP = (
    1_000,
    1e10,
)
_MAX_GLYPHS = 8


def must_glyphs(musts: Sequence[MustMark]) -> tuple[StatusMark, ...]:
    """Return a glyph a must in their order; of many musts one a status, with its count."""
    if len(musts) <= _MAX_GLYPHS:
        return tuple(StatusMark(one.status) for one in musts)
    counts = Counter(one.status for one in musts)
    return tuple(
        StatusMark(status, number_format.count(counts[status]))
        for status in MustStatus
        if counts[status]
    )


def idle_of(rows: Sequence[TrialResult]) -> tuple[str, ...]:
    """Must keep stands in the place of the person's messages where there is such a list."""
    has_musts = any(row.losses.musts for row in rows)
    if has_musts:
        return ("said_word_for_word",)
    return ("musts_word_for_word",)


def _made_up(row: TrialResult) -> TableCell:
    """Return the names of a summary that stand nowhere in the source; a dash without a result to
    look at."""
    return unit_cell(
        Unit.COUNT, None if row.losses.gone is None else row.losses.nowhere, "error"
    )


def _said_by_nobody(row: TrialResult) -> TableCell:
    return unit_cell(
        Unit.COUNT, None if row.losses.gone is None else row.losses.unsaid, "error"
    )


def _still_cached(row: TrialResult) -> TableCell:
    if row.cost is not None and row.cost.first_changed is None:
        return TableCell("all", float("inf"))
    return unit_cell(Unit.COUNT, row.cost and row.cost.prefix)


def _payback(row: TrialResult) -> TableCell:
    """Return the calls until break-even with a warm cache."""
    cost = row.cost
    if row.name == BASELINE or row.no_op:
        return TableCell()
    if cost is None or not cost.knows_break_even:
        return TableCell(UNKNOWN, tip=UNPRICED_MODEL)
    if cost.break_even is None:
        return TableCell(cost.break_even_text, float("inf"), "warn")
    tip = f"{_NO_OWN_PRICE} This counts the cache only." if row.kind == RECORDED else ""
    return TableCell(cost.break_even_text, cost.break_even, tip=tip)


def _in_order(row: TrialResult) -> TableCell:
    errors, warnings = row.lint
    if errors:
        return TableCell(
            number_format.plural(errors, "fault"), errors * 1000 + warnings, "error"
        )
    if warnings:
        return TableCell(number_format.plural(warnings, "warning"), warnings, "warn")
    return TableCell("yes", 0, "ok")


def _calls(row: TrialResult) -> TableCell:
    """Return the calls of a run; nobody knows how often the agent called a model."""
    if row.kind == RECORDED:
        return TableCell(UNKNOWN, tip="The file does not say what the agent called.")
    return unit_cell(Unit.COUNT, row.calls)


def _summary_cost(row: TrialResult) -> TableCell:
    """Return what the summary costs; a dash says why nobody knows."""
    summary = row.cost and row.cost.summary
    if summary is not None:
        return unit_cell(Unit.DOLLARS, summary)
    if row.kind == RECORDED:
        return TableCell(UNKNOWN, tip=_NO_OWN_PRICE)
    return TableCell(UNKNOWN, tip=UNPRICED_MODEL)


def _seconds(row: TrialResult) -> TableCell:
    is_run = row.name != BASELINE and row.kind != RECORDED
    if is_run:
        return unit_cell(Unit.SECONDS, row.seconds)
    return TableCell()


def _of_cost(figure: Callable[[CompactionCost], Json]) -> Callable[[TrialResult], Json]:
    return lambda row: None if row.cost is None else figure(row.cost)


def _of_result(figure: Callable[[TrialResult], Json]) -> Callable[[TrialResult], Json]:
    return lambda row: None if row.error else figure(row)


def _of_musts(status: MustStatus) -> Callable[[TrialResult], Json]:
    return lambda row: row.losses.count_musts(status) if row.losses.musts else None


def _settings(row: TrialResult) -> str:
    return ", ".join(f"{key}={value}" for key, value in row.trial.settings)


COLUMNS: tuple[Column[TrialResult], ...] = (
    make_column("file", lambda row: row.file, unit=Unit.TEXT),
    make_column("name", lambda row: row.name, unit=Unit.TEXT),
    make_column("kind", lambda row: row.kind, unit=Unit.TEXT),
    make_column("scope", lambda row: row.scope, unit=Unit.TEXT),
    make_column("before_messages", lambda row: row.sizes.before_messages),
    make_column("before_tokens", lambda row: row.sizes.before_tokens, "tokens before"),
    make_column("messages", _of_result(lambda row: row.sizes.messages), "messages"),
    make_column(
        "tokens",
        _of_result(lambda row: row.sizes.tokens),
        "{mark} tokens after",
        cell=_tokens_after,
    ),
    make_column("saved", lambda row: row.reduction, "saved", Unit.CHANGE),
    make_column(
        "needed", lambda row: row.losses.needed.used if row.losses.needed else None
    ),
    make_column(
        "needed_share",
        lambda row: row.needed_share,
        "needed later",
        Unit.SHARE,
        _needed_later,
        about="Of the names that the turns after the compaction used, how many its result has.",
    ),
    make_column(
        "said",
        lambda row: (
            row.messages_word_for_word[1] if row.messages_word_for_word else None
        ),
    ),
    make_column(
        "said_word_for_word",
        lambda row: (
            row.messages_word_for_word[0] if row.messages_word_for_word else None
        ),
        "your messages",
        cell=lambda row: count_of(*(row.messages_word_for_word or (None, None))),
    ),
    make_column("nowhere", lambda row: row.losses.nowhere, "made up", cell=_made_up),
    make_column(
        "said_by_nobody",
        lambda row: row.losses.unsaid,
        "said by nobody",
        cell=_said_by_nobody,
    ),
    make_column("gone", lambda row: row.losses.gone),
    make_column(
        "prefix", _of_cost(lambda cost: cost.prefix), "still cached", cell=_still_cached
    ),
    make_column("rewritten", _of_cost(lambda cost: cost.rewritten)),
    make_column(
        "summary_cost",
        _of_cost(lambda cost: cost.summary),
        "cost",
        Unit.DOLLARS,
        _summary_cost,
    ),
    make_column(
        "first_before", _of_cost(lambda cost: cost.first_before), unit=Unit.DOLLARS
    ),
    make_column(
        "first_after", _of_cost(lambda cost: cost.first_after), unit=Unit.DOLLARS
    ),
    make_column(
        "later_before", _of_cost(lambda cost: cost.later_before), unit=Unit.DOLLARS
    ),
    make_column(
        "later_after", _of_cost(lambda cost: cost.later_after), unit=Unit.DOLLARS
    ),
    make_column(
        "break_even",
        _of_cost(lambda cost: whole_calls(cost.break_even)),
        PAYS_AFTER,
        Unit.CALLS,
        _payback,
    ),
    make_column("calls", lambda row: row.calls, "model calls", cell=_calls),
    make_column("lint_errors", lambda row: row.lint[0], "in order", cell=_in_order),
    make_column("lint_warnings", lambda row: row.lint[1]),
    make_column(
        "seconds", lambda row: round(row.seconds, 4), "time", Unit.SECONDS, _seconds
    ),
    make_column("on_front", lambda row: row.on_front, unit=Unit.TEXT),
    make_column("note", lambda row: row.note, unit=Unit.TEXT),
    make_column("no_op", lambda row: row.no_op, unit=Unit.TEXT),
    make_column("error", lambda row: row.error, unit=Unit.TEXT),
    make_column("hidden", lambda row: row.sizes.hidden, unit=Unit.TEXT),
    make_column("method", lambda row: row.sizes.mark, unit=Unit.TEXT),
    make_column(
        "backtest_share",
        lambda row: row.backtest_share,
        "backtest",
        Unit.SHARE,
        _backtest,
        about=BACKTEST_ABOUT,
    ),
    make_column(
        "musts_word_for_word",
        _of_musts(MustStatus.WORD_FOR_WORD),
        MUST_KEEP,
        cell=must_cell,
    ),
    make_column("musts_in_part", _of_musts(MustStatus.IN_PART)),
    make_column("musts_gone", _of_musts(MustStatus.GONE)),
    make_column("aim", lambda row: row.sizes.aim or None),
    make_column("settings", _settings, unit=Unit.TEXT),
    make_column("profile", lambda row: row.trial.profile or None, unit=Unit.TEXT),
)
"""All figures of a result in the order of a CSV, which is that of JSON."""


def _word_for_word(key: str, kind: FactKind) -> Column[TrialResult]:
    def count(row: TrialResult) -> KindCount | None:
        return next((one for one in row.losses.kinds if one.kind is kind), None)

    def cell(row: TrialResult) -> TableCell:
        if (found := count(row)) is None:
            return TableCell(UNKNOWN, tip=_NONE_HERE)
        noun = KIND_NAMES[kind][1]
        tip = f"{noun}: {found.reworded:,} not word for word, {found.gone:,} gone"
        return count_of(found.word_for_word, found.total, tip)

    def value(row: TrialResult) -> int | None:
        found = count(row)
        return None if found is None else found.word_for_word

    return make_column(key, value, key, cell=cell)


_KINDS = (
    _word_for_word("instructions", FactKind.INSTRUCTION),
    _word_for_word("files changed", FactKind.FILE_CHANGED),
    _word_for_word("open errors", FactKind.OPEN_ERROR),
)


def _compare_note(row: TrialResult) -> str:
    standing = row_standing(row)
    if standing.excess:
        too_large = [standing.word]
    else:
        too_large = []
    if row.name == BASELINE:
        return ", ".join(("unchanged", *too_large))
    if row.kind == RECORDED:
        parts = [f"of {number_format.abbreviated(row.sizes.before_tokens)} before it"]
    else:
        parts = []
    notes = row.note.replace(INFERRED, "inferred").split("; ")
    parts += [note for note in notes if note and len(note) <= _MAX_NOTE]
    parts += ["nothing to do"] if row.no_op else []
    parts += [aimed_settings(row)] if row.sizes.aim and row.trial.settings else []
    parts += too_large
    return ", ".join(parts)


COMPARE: ResultTable[TrialResult] = ResultTable(
    "strategy",
    (
        *chosen(COLUMNS, "tokens", "saved", "musts_word_for_word", "needed_share"),
        *chosen(COLUMNS, "backtest_share", "said_word_for_word"),
        *chosen(COLUMNS, "nowhere", "said_by_nobody", "summary_cost", "lint_errors"),
        *chosen(COLUMNS, "break_even", "prefix", is_optional=True),
        *(replace(one, is_optional=True) for one in _KINDS),
        *chosen(COLUMNS, "messages", "calls", "seconds", is_optional=True),
    ),
    lambda row: row.error,
    _compare_note,
    idle_of,
    hides_unknown=True,
    missed=missed_aim,
)


def _marked(made: Column[TrialResult]) -> Column[TrialResult]:
    """Return a column of tokens with the mark in its cells: each file of a folder has its own."""

    def cell(row: TrialResult) -> TableCell:
        plain = made.cell(row)
        return replace(plain, text=f"{row.sizes.mark}{plain.text}".strip())

    return replace(made, label=made.label.format(mark="").strip(), cell=cell)


_FILE_COLUMNS = tuple(
    _marked(one) if one.key in ("tokens", "before_tokens") else one for one in COLUMNS
)
FILES: ResultTable[TrialResult] = ResultTable(
    "file",
    (
        *chosen(
            _FILE_COLUMNS,
            "tokens",
            "saved",
            "needed_share",
            "said_word_for_word",
            "nowhere",
        ),
        *chosen(_FILE_COLUMNS, "said_by_nobody", "lint_errors"),
        *chosen(
            _FILE_COLUMNS, "before_tokens", "messages", "summary_cost", is_optional=True
        ),
        *chosen(_FILE_COLUMNS, "break_even", "calls", "seconds", is_optional=True),
    ),
    lambda row: row.error,
    lambda row: "nothing to do" if row.no_op else "",
    hides_unknown=True,
)


# The tables of Over time, One setting and Folder.


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
    # The window shows and sorts that of the playhead.
    return TableCell(size_at(track, len(track.sizes)))


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
                make_column(
                    "gone",
                    lambda result: result.losses.gone,
                    ENTIRELY_GONE,
                    about=f"{LOSSES_ABOUT[:1].upper()}{LOSSES_ABOUT[1:]}.",
                ),
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


# The figures as JSON and CSV, and their means over the files of a folder.


CSV_COLUMNS = tuple(figure.key for figure in COLUMNS)
_METHOD_WORDS = {"=": "exact", "≈": "estimate"}


def row_json(row: TrialResult) -> dict[str, Json]:
    return {one.key: one.value(row) for one in COLUMNS}


def csv_cells(row: TrialResult) -> list[Json]:
    """Return the cells of a line, empty where a value is unknown, and with a word where it never
    pays for itself."""
    cells = row_json(row) | {"method": _METHOD_WORDS.get(row.sizes.mark, "")}
    for one in COLUMNS:
        if one.unit is Unit.CALLS and cells[one.key] is None:
            text = one.cell(row).text
        else:
            text = UNKNOWN
        cells |= {one.key: text} if text != UNKNOWN else {}
    return list(map(_csv_cell, cells.values()))


def _csv_cell(cell: Json) -> Json:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return escape_formula(cell)
    return cell


def folder_name(row: TrialResult) -> str:
    """Return the name under which a row is counted: recorded rows of all files share one."""
    return RECORDED if row.kind == RECORDED else row.name


def means_by_name(rows: Iterable[TrialResult]) -> tuple[FolderMeans, ...]:
    """Return the means by name, in order of first occurrence."""
    by_name: dict[str, list[TrialResult]] = {}
    for row in rows:
        by_name.setdefault(folder_name(row), []).append(row)
    return tuple(FolderMeans(name, _figures(group)) for name, group in by_name.items())


def means_json(means: FolderMeans) -> dict[str, Json]:
    return {"name": means.name, **means.figures}


_BY_KEY = {figure.key: figure.value for figure in COLUMNS}


def _figures(rows: Sequence[TrialResult]) -> dict[str, float | None]:
    successful = [row for row in rows if not row.error]

    def known(value: Callable[[TrialResult], Json]) -> list[float]:
        return [found for row in successful if (found := value(row)) is not None]

    def mean(value: Callable[[TrialResult], Json]) -> float | None:
        if values := known(value):
            return sum(values) / len(values)
        return None

    def spread(key: str) -> float | None:
        if len(values := known(_BY_KEY[key])) > 1:
            return stdev(values)
        return None

    return {
        "files": len(rows),
        "no_ops": sum(bool(row.no_op) for row in successful),
        "errors": len(rows) - len(successful),
        "before_tokens": mean(_BY_KEY["before_tokens"]),
        "tokens": mean(lambda row: None if row.sizes.hidden else row.sizes.tokens),
        "saved": mean(_BY_KEY["saved"]),
        "needed_share": mean(_BY_KEY["needed_share"]),
        "said_share": mean(_said_share),
        "nowhere": mean(_BY_KEY["nowhere"]),
        "said_by_nobody": mean(_BY_KEY["said_by_nobody"]),
        "break_even": mean(_BY_KEY["break_even"]),
        "calls": sum(row.calls for row in successful),
        "lint_errors": sum(row.lint[0] for row in successful),
        "seconds": round(sum(row.seconds for row in rows), 4),
        "saved_spread": spread("saved"),
        "needed_spread": spread("needed_share"),
        "summary_cost": mean(_BY_KEY["summary_cost"]),
    }


def _said_share(row: TrialResult) -> float | None:
    if row.messages_word_for_word and row.messages_word_for_word[1]:
        return row.messages_word_for_word[0] / row.messages_word_for_word[1]
    return None

"""Compares strategies, presets and recorded compactions over one conversation, a row each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from statistics import stdev

from core.analysis.analysis_input import AnalysisInput, baseline_preview, escape_formula
from core.analysis.compare.rows import compare_row, recorded_number, scope_facts
from core.analysis.losses.model import EvidenceStatus
from core.analysis.model import (
    BASELINE,
    RECORDED,
    STATUSES,
    CompareRow,
    FolderCompareRow,
    FolderMeans,
    LostFact,
    PairwiseLosses,
    RecordedComparison,
    front_indices,
    kept_shares,
)
from core.common.errors import InputError
from core.common.json_value import Json
from core.common.number_format import UNKNOWN, plural, whole_calls
from core.facts.model import Fact
from core.strategies.registry import COMPRESSION_STRATEGIES, find_strategy
from core.transcript.model import Conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of ``names`` so far, which took ``seconds``: priced rows as ``ranked_rows`` sorts them.

    ``recorded`` are the known ones of ``recorded_count`` comparisons of recorded compactions with presets;
    ``profile`` writes the summaries of runs.
    """

    source: AnalysisInput
    names: tuple[str, ...]
    rows: tuple[CompareRow, ...]
    profile: str
    recorded: tuple[RecordedComparison, ...] = ()
    recorded_count: int = 0
    seconds: float = 0.0


def compare_strategies(source: AnalysisInput, names: Sequence[str]) -> Iterator[CompareRow]:
    """Yield a row per name as it is computed, in the order of ``row_names``; ``ranked_rows`` sorts them.

    A name is a strategy, a preset, "recorded N", or "recorded" for all recorded compactions; no names means
    all. A failed run yields a row with its error. Raises InputError for an unknown name or scope.
    """
    source = replace(source, values=source.run_values)
    order = row_names(source.conversation, names)
    _prepare_shared(source)
    for index, name in enumerate(order):
        yield compare_row(source.part(index, len(order), f"{name} ({index + 1} of {len(order)})"), name)
    source.options.progress(1.0, "Compared.")


def _prepare_shared(source: AnalysisInput) -> None:
    """Compute what all rows need first, so that the time of the first row is its own."""
    baseline = baseline_preview(source)
    source.counter(baseline.sizes.window.model).text("loaded")  # loads the tokenizer; cached counts do not

    def report(fraction: float, text: str) -> None:
        source.options.progress(0.0, "Looking for facts")

    report(0.0, "")
    scope_facts(source, baseline.source.history.scope, report)


def row_names(conversation: Conversation, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names in the order of computation: baseline, recorded compactions, then the others. Raises
    InputError for an unknown name."""
    recorded = tuple(f"{RECORDED} {number}" for number in range(1, len(conversation.recorded) + 1))
    if not names:
        return (BASELINE, *recorded, *(name for name in COMPRESSION_STRATEGIES if name != BASELINE))
    expanded = dict.fromkeys(
        expanded_name for name in names for expanded_name in (recorded if name == RECORDED else (name,))
    )
    for name in expanded:
        check_strategy_name(name)
        if recorded_number(name) is not None and name not in recorded:
            available = plural(len(recorded), "recorded compaction") if recorded else "no recorded compaction"
            raise InputError(f"There is no {name}: the file has {available}.", "See foldline inspect.")
    return tuple(sorted(expanded, key=row_group))


def check_strategy_name(name: str) -> None:
    """Raise UnknownStrategyError for a name that is neither a strategy nor a recorded compaction."""
    if name != RECORDED and recorded_number(name) is None:
        find_strategy(name)


def row_group(name: str) -> int:
    """Return 0 for the baseline, 1 for a recorded compaction, 2 for others."""
    return 0 if name == BASELINE else 1 if recorded_number(name) is not None else 2


def ranked_rows(rows: Sequence[CompareRow], scope: str) -> tuple[CompareRow, ...]:
    """Return the rows sorted: baseline, recorded, then by what they keep of what was needed, else by tokens,
    with the front marked. The front holds rows of ``scope`` that no other row beats in tokens and in
    what is kept; it is empty where nobody knows what was needed."""
    kept, _ = kept_shares(rows, scope)  # facts rank nothing
    ranked = [
        (row.sizes.tokens, share) if share is not None and _is_ranked(row, scope) else None
        for row, share in zip(rows, kept, strict=True)
    ]
    front = front_indices(ranked)
    keys = [_sort_key(row, share) for row, share in zip(rows, kept, strict=True)]
    order = sorted(range(len(rows)), key=keys.__getitem__)
    return tuple(replace(rows[index], on_front=index in front) for index in order)


def _is_ranked(row: CompareRow, scope: str) -> bool:
    return row.scope == scope and not row.error and (not row.no_op or row.name == BASELINE)


def _sort_key(row: CompareRow, kept: float | None) -> tuple[int, int, bool, bool, float, int]:
    group = 1 if row.kind == RECORDED else row_group(row.name)
    number = recorded_number(row.name) or 0
    loss = -(kept or 0.0) if group == 2 else 0.0
    return group, number, bool(row.error), kept is None, loss, row.sizes.tokens


def pairwise_losses(a: CompareRow, b: CompareRow, facts: Sequence[Fact]) -> PairwiseLosses:
    """Return the facts that are gone from one row only, and from both. ``facts`` are those
    of the scope of both rows (``scope_facts``). Raises InputError if a row has no facts or the rows have
    different scopes."""
    if a.scope != b.scope:
        raise InputError(
            f"{a.name} and {b.name} are results of different messages ({a.scope}, {b.scope}).",
            f"Compare in the scope {a.scope if a.kind == RECORDED else b.scope}.",
        )
    for row in (a, b):
        if len(row.kept.statuses) != len(facts) or (row.error and not row.kept.statuses):
            reason = row.error or row.note or "Its facts are not known."
            raise InputError(f"{row.name} cannot be compared by its facts.", reason)
    lost: dict[tuple[bool, bool], list[LostFact]] = {(True, False): [], (False, True): [], (True, True): []}
    for fact, *codes in zip(facts, a.kept.statuses, b.kept.statuses, strict=True):
        in_a, in_b = (STATUSES[code] for code in codes)
        is_lost = in_a is EvidenceStatus.GONE, in_b is EvidenceStatus.GONE
        if any(is_lost):
            lost[is_lost].append(LostFact(fact, in_b if is_lost[0] else in_a))
    only_a, only_b, both = (tuple(found) for found in lost.values())
    return PairwiseLosses(a.name, b.name, a.scope, only_a, only_b, both)


def flat_row(file: str, row: CompareRow, method: str = "") -> FolderCompareRow:
    """Flatten a row of ``file``; ``method`` is the mark of the counting method."""
    has_result, cost, needed = not row.error, row.cost, row.kept.needed
    is_comparable = has_result and not row.sizes.hidden and row.sizes.before_tokens > 0
    saved = 1 - row.sizes.tokens / row.sizes.before_tokens if is_comparable else None
    return FolderCompareRow(
        file=file,
        name=row.name,
        kind=row.kind,
        scope=row.scope,
        before_messages=row.sizes.before_messages,
        before_tokens=row.sizes.before_tokens,
        messages=row.sizes.messages if has_result else None,
        tokens=row.sizes.tokens if has_result else None,
        saved=saved,
        needed=needed.used if needed else None,
        needed_share=row.needed_share,
        said=row.said[1] if row.said else None,
        said_word_for_word=row.said[0] if row.said else None,
        nowhere=row.kept.nowhere,
        gone=row.kept.gone,
        prefix=cost.prefix if cost else None,
        rewritten=cost.rewritten if cost else None,
        summary_cost=cost.summary if cost else None,
        first_before=cost.first_before if cost else None,
        first_after=cost.first_after if cost else None,
        later_before=cost.later_before if cost else None,
        later_after=cost.later_after if cost else None,
        break_even=whole_calls(cost.break_even) if cost else None,
        calls=row.calls,
        lint_errors=row.lint[0],
        lint_warnings=row.lint[1],
        seconds=round(row.seconds, 4),
        on_front=row.on_front,
        note=row.note,
        no_op=row.no_op,
        error=row.error,
        hidden=row.sizes.hidden,
        method=method,
        backtest_share=row.backtest_share,
    )


def to_json(row: FolderCompareRow) -> dict[str, Json]:
    return asdict(row)


def from_json(value: Json) -> FolderCompareRow:
    """Parse a line as ``to_json`` wrote it; raise InputError for anything else."""
    try:
        return FolderCompareRow(**value)
    except TypeError:
        raise InputError("A line of the progress file is incomplete.", "Start again with --fresh.") from None


_METHOD_WORDS = {"=": "exact", "≈": "estimate"}

CSV_COLUMNS = tuple(one.name for one in fields(FolderCompareRow))
"""Columns of the CSV: the fields of a line."""


def csv_cells(row: FolderCompareRow) -> list[Json]:
    """Return the cells of a line, empty where a value is unknown."""
    values = {**asdict(row), "method": _METHOD_WORDS.get(row.method, "")}
    if row.break_even is None and row.break_even_text != UNKNOWN:
        values["break_even"] = row.break_even_text
    cells = [values[name] for name in CSV_COLUMNS]
    return ["" if cell is None else escape_formula(cell) if isinstance(cell, str) else cell for cell in cells]


def flat_name(row: FolderCompareRow) -> str:
    """Return the row's name; recorded rows of all files share one."""
    return RECORDED if row.kind == RECORDED else row.name


def means_by_name(rows: Iterable[FolderCompareRow]) -> tuple[FolderMeans, ...]:
    """Return the means by name, in order of first occurrence."""
    by_name: dict[str, list[FolderCompareRow]] = {}
    for row in rows:
        by_name.setdefault(flat_name(row), []).append(row)
    return tuple(_means(name, group) for name, group in by_name.items())


def _means(name: str, rows: Sequence[FolderCompareRow]) -> FolderMeans:
    successful = [row for row in rows if not row.error]

    def known(figure: str) -> list[float]:
        return [value for row in successful if (value := getattr(row, figure)) is not None]

    def mean(figure: str) -> float | None:
        return sum(values) / len(values) if (values := known(figure)) else None

    def spread(figure: str) -> float | None:
        return stdev(values) if len(values := known(figure)) > 1 else None

    shares = [(row.said_word_for_word or 0) / row.said for row in successful if row.said]
    readable_tokens = [row.tokens for row in successful if not row.hidden and row.tokens is not None]
    return FolderMeans(
        name=name,
        files=len(rows),
        no_ops=sum(bool(row.no_op) for row in successful),
        errors=len(rows) - len(successful),
        before_tokens=mean("before_tokens"),
        tokens=sum(readable_tokens) / len(readable_tokens) if readable_tokens else None,
        saved=mean("saved"),
        needed_share=mean("needed_share"),
        said_share=sum(shares) / len(shares) if shares else None,
        nowhere=mean("nowhere"),
        break_even=mean("break_even"),
        calls=sum(row.calls for row in successful),
        lint_errors=sum(row.lint_errors for row in successful),
        seconds=round(sum(row.seconds for row in rows), 4),
        saved_spread=spread("saved"),
        needed_spread=spread("needed_share"),
        summary_cost=mean("summary_cost"),
    )

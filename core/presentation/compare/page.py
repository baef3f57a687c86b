"""Formats a comparison for the Compare view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.analysis.compare.compare import ranked_rows, row_names
from core.analysis.compare.model import (
    BASELINE,
    BEST_CASE,
    CompareRow,
    LostFact,
    PairwiseLosses,
    RecordedComparison,
    is_best_case,
)
from core.analysis.compare.rows import recorded_number
from core.analysis.cost.summary_price import priced_row, pricing_model
from core.analysis.fidelity.model import FidelityCategory
from core.common import number_format
from core.common.excerpts import one_line_text
from core.presentation.compare.model import (
    BEATEN,
    COLUMNS,
    COST,
    FRONT,
    RECORDED,
    TOKENS,
    ComparePage,
    ComparePoint,
    PairPage,
    PairRow,
    RecordedComparisonText,
)
from core.presentation.compare.table_cells import MAX_TAG_LENGTH, compare_line
from core.presentation.fidelity.fact_wording import LABELS
from core.presentation.model import PickerChoice
from core.presentation.plots import PlotAxis, fidelity_axis, plot_axis, short_labels
from core.presentation.preview_wording import scope_label
from core.presentation.price_choices import price_choice, summary_price_text
from core.presentation.strategy_choices import strategy_choices
from core.strategies.registry import find_strategy
from core.transcript.model import Conversation

_MONOSPACE_CATEGORIES = (
    FidelityCategory.FILE,
    FidelityCategory.ERROR,
    FidelityCategory.PATH,
    FidelityCategory.IDENTIFIER,
    FidelityCategory.COMMAND,
    FidelityCategory.CODE,
)
_CACHE_ONLY_NOTE = "Recorded calls have no price in the file; their pay-back counts the cache only."
_OTHER_SCOPE_NOTE = "Recorded rows are of what was before them: choose that scope."


@dataclass(frozen=True, slots=True)
class CompareProgress:
    """A comparison so far; ``price`` is the model to price summaries with, "" for the session's ``model``.
    ``recorded_comparisons`` compares presets with recorded compactions, complete once
    ``has_recorded_comparisons``."""

    conversation: Conversation
    names: tuple[str, ...]
    rows: Mapping[str, CompareRow]
    scope: str
    mark: str
    model: str
    seconds: float = 0.0
    price: str = ""
    recorded_comparisons: tuple[RecordedComparison, ...] = ()
    has_recorded_comparisons: bool = True


def default_names(conversation: Conversation, agent: str = "") -> tuple[str, ...]:
    """Return the default selection: baseline, recorded, strategies, and presets of the ``agent``."""
    selected = []
    for name in row_names(conversation):
        if (
            name == BASELINE
            or recorded_number(name) is not None
            or (emulated := find_strategy(name).emulates) is None
            or (agent and emulated.program.startswith(agent))
        ):
            selected.append(name)
    return tuple(selected)


def compare_page(progress: CompareProgress) -> ComparePage:
    price = pricing_model(progress.price, progress.model)
    priced = [priced_row(row, price) for row in progress.rows.values()]
    rows = {row.name: row for row in ranked_rows(priced, progress.scope)}
    comparable = [row for row in rows.values() if row.scope == progress.scope]
    points = tuple(filter(None, map(_point, comparable)))
    front = sorted(
        (index for index, point in enumerate(points) if rows[point.name].on_front),
        key=lambda index: points[index].tokens,
    )
    done, total = len(rows), len(progress.names)
    return ComparePage(
        number_format.plural(done, "result"),
        _about(progress, comparable),
        tuple(compare_line(name, rows.get(name), progress.scope) for name in progress.names),
        tuple(_title(index, name, progress.mark) for index, name in enumerate(COLUMNS)),
        points,
        tuple(front),
        _token_axis(points, progress.mark),
        _fidelity_axis(points),
        progress.names,
        _choices(progress.conversation),
        _progress(done, total, progress.seconds),
        _footnote(progress),
        progress.scope,
        done == total and progress.has_recorded_comparisons,
        price_choice(progress.conversation, progress.price, progress.model),
        tuple(map(_recorded_text, progress.recorded_comparisons)),
    )


def _progress(done: int, total: int, took: float) -> str:
    if not done:
        return f"0 of {total} done"
    seconds = number_format.seconds(took)
    return f"{done} of {total} done in {seconds}"


def _recorded_text(comparison: RecordedComparison) -> RecordedComparisonText:
    title = f"recorded {comparison.number} and {comparison.preset}"
    return RecordedComparisonText(title, comparison.sentences)


def _title(column: int, name: str, mark: str) -> str:
    title = name
    return (
        " ".join(filter(None, (mark, title)))
        if column == TOKENS
        else " ".join(filter(None, ("≈", title)))
        if column == COST
        else title
    )


def _about(progress: CompareProgress, rows: Sequence[CompareRow]) -> str:
    scope_text = (
        "the whole session" if progress.scope == "all" else f"the messages {scope_label(progress.scope)}"
    )
    if "current" in progress.scope:
        scope_text = "the current context"
    price_note = summary_price_text(pricing_model(progress.price, progress.model))
    if not rows:
        return f"over {scope_text} · {price_note}; nothing is sent"
    size = number_format.tokens(progress.mark, rows[0].before_tokens)
    count = number_format.plural(rows[0].before_messages, "message")
    return f"over {scope_text} · {count} · {size} tokens · {price_note}; nothing was sent"


def _footnote(progress: CompareProgress) -> str:
    """Return the footnotes of the recorded rows."""
    recorded = [row for row in progress.rows.values() if row.kind == "recorded"]
    if not recorded:
        return ""
    parts = [_CACHE_ONLY_NOTE] if any(row.cost is not None for row in recorded) else []
    parts += [
        f"{row.name}: {note}."
        for row in recorded
        for note in row.note.split("; ")
        if len(note) > MAX_TAG_LENGTH
    ][:2]
    if any(row.scope != progress.scope for row in recorded):
        parts.append(_OTHER_SCOPE_NOTE)
    if is_best_case(progress.rows.values()):
        parts.append(BEST_CASE)
    return " ".join(filter(None, ("*", *parts))) if parts else ""


def _choices(conversation: Conversation) -> tuple[PickerChoice, ...]:
    """Return all choices by group: recorded, strategies, presets."""
    recorded = (f"recorded {number}" for number in range(1, len(conversation.recorded) + 1))
    about = "What the agent itself made of it."
    return (*(PickerChoice(name, name, about, "recorded") for name in recorded), *strategy_choices())


def _point(row: CompareRow) -> ComparePoint | None:
    if row.fidelity is None or row.error:
        return None
    shape = RECORDED if row.kind == "recorded" else FRONT if row.on_front else BEATEN
    return ComparePoint(row.name, row.tokens, row.fidelity, shape)


def _token_axis(points: Sequence[ComparePoint], mark: str) -> PlotAxis:
    max_tokens = max((point.tokens for point in points), default=1000)
    title = f"{mark} tokens after (fewer is better)"
    return plot_axis(0, max_tokens, short_labels, 9, title=title, integers_only=True)


def _fidelity_axis(points: Sequence[ComparePoint]) -> PlotAxis:
    min_fidelity = min((point.fidelity for point in points), default=0.0)
    return fidelity_axis(min_fidelity, 6, title="weighted fidelity (more is better)")


def pair_page(losses: PairwiseLosses, scope: str) -> PairPage:
    """Return the page of facts that one of two results lost."""
    rows = [_pair_row("a", lost) for lost in losses.lost_in_a]
    rows += [_pair_row("b", lost) for lost in losses.lost_in_b]
    counts: dict[FidelityCategory, int] = {}
    for lost in (*losses.lost_in_a, *losses.lost_in_b):
        counts[lost.fact.kind] = counts.get(lost.fact.kind, 0) + 1
    kinds = " · ".join(f"{LABELS[kind]} {count}" for kind, count in counts.items())
    return PairPage(
        losses.a, losses.b, len(losses.lost_in_a), len(losses.lost_in_b), kinds, tuple(rows), scope
    )


def _pair_row(side: str, lost: LostFact) -> PairRow:
    fact = lost.fact
    more_count = len(fact.messages) - 1
    more_text = f"{more_count} more" if more_count else ""
    is_unresolved = fact.kind is FidelityCategory.ERROR and not fact.is_resolved
    location = ", ".join(
        filter(
            None, (number_format.message_number(fact.messages[0]), more_text, "open" if is_unresolved else "")
        )
    )
    return PairRow(
        side,
        fact.kind.value,
        one_line_text(fact.text),
        location,
        fact.messages[0],
        fact.kind in _MONOSPACE_CATEGORIES,
    )

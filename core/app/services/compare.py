"""Compares strategies, presets and recorded compactions over the open conversation."""

from __future__ import annotations

import time
from collections.abc import Generator, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.analysis.compare.model import CompareRow, RecordedComparison
from core.app.rpc import remote
from core.common.errors import FoldlineError
from core.presentation.compare.model import ComparePage, PairPage

if TYPE_CHECKING:
    from core.app.events import FileExportedEvent
    from core.app.services.analysis_context import AnalysisContext
    from core.app.session import Session
    from core.strategies.base import Strategy


@dataclass(slots=True)
class _KnownRows:
    """The rows of a key by name, the seconds that they took, and presets compared with recorded
    compactions, by number and preset."""

    key: Hashable = None
    rows: dict[str, CompareRow] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    comparisons: dict[tuple[int, str], RecordedComparison] = field(default_factory=dict)


class CompareService:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._known = _KnownRows()

    @remote(latest=True, of_file=True)
    def compare(self, names: tuple[str, ...]) -> Generator[ComparePage, None, None]:
        """Yield the comparison so far: first with the known rows, then after each new one.

        ``names`` are strategies, presets and "recorded N"; without any the default selection.
        """
        from core.analysis.compare.compare import compare_strategies, row_names
        from core.analysis.compare.preset_check import compare_preset_with_recorded
        from core.app.services.analysis_context import analysis_context
        from core.formats.registry import FORMATS
        from core.presentation.compare.page import default_names

        context = analysis_context(self._session)
        conversation, known = context.conversation, self._known_rows(context)
        agent = next((one.label for one in FORMATS if one.name == conversation.format), "")
        names = row_names(conversation, names or default_names(conversation, agent))
        pairs = _recorded_pairs(context, names)
        yield _page(context, known, names, pairs)
        for name in names:
            if name not in known.rows:
                started = time.monotonic()
                (known.rows[name],) = compare_strategies(context.input, (name,))
                known.seconds[name] = time.monotonic() - started
                yield _page(context, known, names, pairs)
        for number, preset in pairs:
            if (number, preset.name) not in known.comparisons:
                comparison = compare_preset_with_recorded(context.input.offline, number, preset)
                known.comparisons[number, preset.name] = comparison
                yield _page(context, known, names, pairs)

    @remote(latest=True, of_file=True)
    def pair(self, a: str, b: str) -> PairPage | None:
        """Return what each of two rows lost and the other one kept; None if they are not compared yet."""
        from core.analysis.compare.compare import pairwise_losses
        from core.analysis.compare.rows import scope_facts
        from core.app.services.analysis_context import analysis_context
        from core.presentation.compare.page import pair_page

        context = analysis_context(self._session)
        rows = self._known_rows(context).rows
        if a not in rows or b not in rows:
            return None
        scope = rows[a].scope
        try:
            facts = scope_facts(context.input, scope)
            return pair_page(pairwise_losses(rows[a], rows[b], facts), scope)
        except FoldlineError as error:
            return PairPage(a, b, 0, 0, "", (), scope, str(error))

    @remote(of_file=True)
    def open_pair(self, a: str, b: str) -> None:
        """Show two results side by side, as before and after."""
        from core.analysis.compare.rows import row_preview
        from core.analysis.compare.side_by_side import ComparedSide
        from core.app.services.analysis_context import analysis_context
        from core.app.services.side_by_side import BACK_TO_COMPARE, show_sides

        context = analysis_context(self._session)
        source = context.input.offline
        first, second = row_preview(source, a), row_preview(source, b)
        before = ComparedSide(a, first.compaction.messages)
        after = ComparedSide(b, second.compaction.messages)
        base = context.file.last_full_preview or first
        title = f"Before is the result of {a}, after is that of {b}."
        show_sides(self._session, base, before, after, title, (BACK_TO_COMPARE,))

    @remote()
    def price_as(self, model: str) -> None:
        """Price summaries that no model wrote as if ``model`` had, in Compare, Replay and Sweep.

        "offline" prices them at nothing, "" as the session's model.
        """
        from core.analysis.cost.summary_price import pricing_model
        from core.app.services.analysis_context import analysis_context

        pricing_model(model, analysis_context(self._session).model)
        self._session.price_as = model

    @remote(of_file=True)
    def save_table(self, path: str) -> FileExportedEvent:
        """Write the known rows as CSV in the order of the table, as the command line does."""
        from core.analysis.compare.compare import ranked_rows
        from core.analysis.compare.flat_rows import CSV_COLUMNS, csv_cells, flat_row
        from core.analysis.cost.summary_price import priced_row
        from core.analysis.csv_text import csv_bytes
        from core.app.services.analysis_context import analysis_context

        context = analysis_context(self._session)
        priced = [priced_row(row, context.price_as) for row in self._known_rows(context).rows.values()]
        rows, name = ranked_rows(priced, context.scope), context.conversation.document.name
        lines = [csv_cells(flat_row(name, row, context.mark)) for row in rows]
        return context.save_table(path, csv_bytes(CSV_COLUMNS, lines))

    def _known_rows(self, context: AnalysisContext) -> _KnownRows:
        if self._known.key != context.key:
            self._known = _KnownRows(context.key)
        return self._known


def _recorded_pairs(context: AnalysisContext, names: Sequence[str]) -> list[tuple[int, Strategy]]:
    """Return the recorded compactions among the names, each with each preset of its agent."""
    from core.analysis.compare.preset_check import recorded_preset_pairs
    from core.analysis.compare.rows import recorded_number

    numbers = {recorded_number(name) for name in names}
    return [pair for pair in recorded_preset_pairs(context.conversation) if pair[0] in numbers]


def _page(
    context: AnalysisContext, known: _KnownRows, names: tuple[str, ...], pairs: list[tuple[int, Strategy]]
) -> ComparePage:
    from core.presentation.compare.page import CompareProgress, compare_page

    rows = {name: known.rows[name] for name in names if name in known.rows}
    wanted = [(number, preset.name) for number, preset in pairs]
    return compare_page(
        CompareProgress(
            context.conversation,
            names,
            rows,
            context.scope,
            context.mark,
            context.model,
            sum(known.seconds.get(name, 0.0) for name in rows),
            context.price,
            tuple(known.comparisons[pair] for pair in wanted if pair in known.comparisons),
            all(pair in known.comparisons for pair in wanted),
        )
    )

"""Commands of Compare, Replay and Sweep; one row of Compare per command, so that nothing waits longer."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace

from core.analysis.compare.compare import compare_strategies, ranked_rows, recorded_number, row_names
from core.analysis.compare.fact_differences import pairwise_losses
from core.analysis.compare.flat_rows import CSV_COLUMNS, csv_cells, flat_row
from core.analysis.compare.message_differences import ComparedSide, differences_preview
from core.analysis.compare.model import CompareRow, RecordedComparison
from core.analysis.compare.preset_check import compare_preset_with_recorded, recorded_preset_pairs
from core.analysis.compare.recorded_row import recorded_preview
from core.analysis.compare.row_computation import run_strategy, scope_facts
from core.analysis.cost.summary_price import priced_row, pricing_model
from core.analysis.csv_text import csv_bytes
from core.analysis.fidelity.fact_texts import ParsedTexts
from core.app.csv_files import save_csv
from core.app.messages import Event
from core.app.services.analysis_commands import (
    ComparePairCommand,
    InsightCommand,
    OpenPairCommand,
    OpenTurnCommand,
    PriceCallsCommand,
    SaveTableCommand,
    StartCompareCommand,
    StartReplayCommand,
)
from core.app.services.analysis_context import AnalysisContext, Show
from core.app.services.replay import ReplayCommandHandler
from core.app.services.side_by_side import pair_notice
from core.app.services.sweep import SweepCommandHandler
from core.common.errors import FoldlineError, InputError
from core.formats.registry import FORMATS
from core.presentation.compare.model import PairPage
from core.presentation.compare.page import CompareProgress, compare_page, default_names, pair_page
from core.preview.options import Preview
from core.strategies.base import Strategy
from core.strategies.registry import find_strategy
from core.transcript.model import Conversation


@dataclass(slots=True)
class _KnownRows:
    """The rows of a key by name, and the seconds that they took; what the presets of the agent would have
    done, by recorded compaction and preset; the parsed texts of those rows, which the next ones hold
    again, until the last row."""

    key: Hashable = None
    comparisons: dict[tuple[int, str], RecordedComparison] = field(default_factory=dict)
    rows: dict[str, CompareRow] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    read: ParsedTexts = field(default_factory=ParsedTexts)


class AnalysisCommandHandler:
    def __init__(self, emit: Callable[[Event], None], show: Show) -> None:
        self._emit, self._show = emit, show
        self._known = _KnownRows()
        self._price = ""
        self._replay = ReplayCommandHandler(emit, show)
        self._sweep = SweepCommandHandler(emit)

    def handle(self, command: InsightCommand, context: AnalysisContext) -> None:
        """Carry out one command; Cancelled passes through, and what was computed so far stays known."""
        context = replace(context, price=self._price)
        match command:
            case PriceCallsCommand():
                pricing_model(command.model, context.model)
                self._price = command.model
            case StartCompareCommand():
                self._compare(command, context)
            case ComparePairCommand():
                self._pair(command, context)
            case OpenPairCommand():
                self._open_pair(command, context)
            case SaveTableCommand():
                self._save(command, context)
            case StartReplayCommand() | OpenTurnCommand():
                self._replay.handle(command, context)
            case _:
                self._sweep.handle(command, context)

    def _compare(self, command: StartCompareCommand, context: AnalysisContext) -> None:
        conversation = context.file.conversation
        known = self._fresh(context)
        names = row_names(conversation, command.names or default_names(conversation, _agent(conversation)))
        waiting = [name for name in names if name not in known.rows]
        if waiting and command.names:  # the first answer lists the rows at once
            self._make(waiting[0], known, context)
        elif command.names:
            _compare_next(names, known, context)
        comparison = self._comparison(names, known, context)
        if len(comparison.rows) == len(names) and comparison.has_recorded_comparisons:
            known.read = ParsedTexts()
        self._emit(compare_page(comparison))

    def _fresh(self, context: AnalysisContext) -> _KnownRows:
        if self._known.key != context.key:
            self._known = _KnownRows(context.key)
        return self._known

    def _make(self, name: str, known: _KnownRows, context: AnalysisContext) -> None:
        started = time.monotonic()
        values, stages = context.values, context.file.stages
        for row in compare_strategies(
            context.file.conversation, (name,), values, context.options, stages, parsed=known.read
        ):
            known.rows[row.name] = row
        known.seconds[name] = time.monotonic() - started

    def _comparison(
        self, names: tuple[str, ...], known: _KnownRows, context: AnalysisContext
    ) -> CompareProgress:
        mark = context.file.mark(context.options.model)
        rows = {name: known.rows[name] for name in names if name in known.rows}
        seconds = sum(known.seconds.get(name, 0.0) for name in rows)
        pairs = [(number, one.name) for number, one in _recorded_pairs(names, context.file.conversation)]
        return CompareProgress(
            context.generation,
            context.file.conversation,
            names,
            rows,
            context.options.scope,
            mark,
            context.model,
            seconds,
            context.price,
            tuple(known.comparisons[pair] for pair in pairs if pair in known.comparisons),
            all(pair in known.comparisons for pair in pairs),
        )

    def _pair(self, command: ComparePairCommand, context: AnalysisContext) -> None:
        known = self._fresh(context)
        a, b = known.rows.get(command.a), known.rows.get(command.b)
        if a is None or b is None:
            return  # the rows are not there yet, or of other settings: the view sends this again
        try:
            facts = scope_facts(context.file.conversation, a.scope, context.file.stages)
            page = pair_page(pairwise_losses(a, b, facts), a.scope)
        except FoldlineError as error:
            page = PairPage(a.name, b.name, 0, 0, "", (), a.scope, str(error))
        self._emit(page)

    def _open_pair(self, command: OpenPairCommand, context: AnalysisContext) -> None:
        a, b = self._preview_of_row(command.a, context), self._preview_of_row(command.b, context)
        counter = context.file.counter_of(a)
        sides = ComparedSide(command.a, a.compaction.messages), ComparedSide(command.b, b.compaction.messages)
        preview = differences_preview(
            context.file.last_full_preview or a, *sides, counter, context.generation
        )
        self._show(context.file, preview, pair_notice(command.a, command.b, preview))

    def _save(self, command: SaveTableCommand, context: AnalysisContext) -> None:
        tables = {"compare": self._table, "replay": self._replay.table, "sweep": self._sweep.table}
        self._emit(
            save_csv(command.path, tables[command.view](context), context.file.conversation.document.path)
        )

    def _table(self, context: AnalysisContext) -> bytes:
        """Return the rows in the order of the table, as the command line writes them."""
        priced = [priced_row(row, context.price_as) for row in self._fresh(context).rows.values()]
        rows = ranked_rows(priced, context.options.scope)
        name, mark = context.file.conversation.document.name, context.file.mark(context.options.model)
        return csv_bytes(CSV_COLUMNS, [csv_cells(flat_row(name, row, mark)) for row in rows])

    def _preview_of_row(self, name: str, context: AnalysisContext) -> Preview:
        """Return the preview behind a row, from the cache where it was computed before."""
        compare_context = context.contest()
        number = recorded_number(name)
        if number is None:
            return run_strategy(compare_context, find_strategy(name))
        if not 1 <= number <= len(context.file.conversation.recorded):
            raise InputError(f"There is no {name}.", "Choose another row.")
        return recorded_preview(compare_context, number)


def _recorded_pairs(names: Sequence[str], conversation: Conversation) -> list[tuple[int, Strategy]]:
    """Return the recorded compactions among the names, each with each preset of its agent."""
    numbers = {recorded_number(name) for name in names}
    return [(number, preset) for number, preset in recorded_preset_pairs(conversation) if number in numbers]


def _compare_next(names: Sequence[str], known: _KnownRows, context: AnalysisContext) -> None:
    """Compute the next comparison of a preset with a recorded compaction."""
    for number, preset in _recorded_pairs(names, context.file.conversation):
        if (number, preset.name) not in known.comparisons:
            compare_context = replace(context.contest(), parsed=known.read)
            known.comparisons[number, preset.name] = compare_preset_with_recorded(
                compare_context, number, preset
            )
            return


def _agent(conversation: Conversation) -> str:
    """Return the label of the file's format; empty where it is unknown."""
    return next((one.label for one in FORMATS if one.name == conversation.format), "")

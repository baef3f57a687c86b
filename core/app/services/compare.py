"""The desk's part of Compare: one row per command, so that nothing waits longer than a row takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace

from core.analysis.compare.compare import compare_strategies, ranked_rows, recorded_number, row_names
from core.analysis.compare.fact_differences import a_against_b
from core.analysis.compare.flat_rows import CSV_HEAD, csv_cells, line_of
from core.analysis.compare.message_differences import ComparedSide, side_by_side
from core.analysis.compare.model import CompareRow, RecordedComparison
from core.analysis.compare.preset_check import against_one, agent_pairs
from core.analysis.compare.recorded_row import recorded_preview
from core.analysis.compare.row_computation import facts_in, run_strategy
from core.analysis.cost.summary_price import price_as, priced_row
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
from core.presentation.compare.page import CompareProgress, compare_page, first_names, pair_page
from core.preview.options import Preview
from core.strategies.base import Strategy
from core.strategies.registry import find_strategy
from core.transcript.model import Conversation


@dataclass(slots=True)
class _KnownRows:
    """The rows that were made for a key, by name, and the seconds that they took; what the presets of the
    agent would have done, by recorded compaction and preset; and the texts of those rows, which the next ones
    hold again, until none is to come."""

    key: Hashable = None
    told: dict[tuple[int, str], RecordedComparison] = field(default_factory=dict)
    rows: dict[str, CompareRow] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    read: ParsedTexts = field(default_factory=ParsedTexts)


class AnalysisCommandHandler:
    """Carries out the commands of Compare, Replay and Sweep."""

    def __init__(self, emit: Callable[[Event], None], show: Show) -> None:
        self._emit, self._show = emit, show
        self._known = _KnownRows()
        self._price = ""
        self._replay = ReplayCommandHandler(emit, show)
        self._sweep = SweepCommandHandler(emit)

    def handle(self, command: InsightCommand, asked: AnalysisContext) -> None:
        """Carry out one command; Cancelled comes through, and what was made so far stays known."""
        asked = replace(asked, price=self._price)
        match command:
            case PriceCallsCommand():
                price_as(command.model, asked.model)
                self._price = command.model
            case StartCompareCommand():
                self._compare(command, asked)
            case ComparePairCommand():
                self._pair(command, asked)
            case OpenPairCommand():
                self._open_pair(command, asked)
            case SaveTableCommand():
                self._save(command, asked)
            case StartReplayCommand() | OpenTurnCommand():
                self._replay.handle(command, asked)
            case _:
                self._sweep.handle(command, asked)

    def _compare(self, command: StartCompareCommand, asked: AnalysisContext) -> None:
        conversation = asked.file.conversation
        known = self._fresh(asked)
        names = row_names(conversation, command.names or first_names(conversation, _agent(conversation)))
        waiting = [name for name in names if name not in known.rows]
        if waiting and command.names:  # the first answer says at once what is to come
            self._make(waiting[0], known, asked)
        elif command.names:
            _tell_next(names, known, asked)
        comparison = self._comparison(names, known, asked)
        if len(comparison.rows) == len(names) and comparison.is_told:
            known.read = ParsedTexts()
        self._emit(compare_page(comparison))

    def _fresh(self, asked: AnalysisContext) -> _KnownRows:
        if self._known.key != asked.key:
            self._known = _KnownRows(asked.key)
        return self._known

    def _make(self, name: str, known: _KnownRows, asked: AnalysisContext) -> None:
        started = time.monotonic()
        values, stages = asked.values, asked.file.stages
        for row in compare_strategies(
            asked.file.conversation, (name,), values, asked.ask, stages, read=known.read
        ):
            known.rows[row.name] = row
        known.seconds[name] = time.monotonic() - started

    def _comparison(
        self, names: tuple[str, ...], known: _KnownRows, asked: AnalysisContext
    ) -> CompareProgress:
        mark = asked.file.mark(asked.ask.model)
        rows = {name: known.rows[name] for name in names if name in known.rows}
        seconds = sum(known.seconds.get(name, 0.0) for name in rows)
        pairs = [(number, one.name) for number, one in _told_of(names, asked.file.conversation)]
        return CompareProgress(
            asked.generation,
            asked.file.conversation,
            names,
            rows,
            asked.ask.scope,
            mark,
            asked.model,
            seconds,
            asked.price,
            tuple(known.told[pair] for pair in pairs if pair in known.told),
            all(pair in known.told for pair in pairs),
        )

    def _pair(self, command: ComparePairCommand, asked: AnalysisContext) -> None:
        known = self._fresh(asked)
        a, b = known.rows.get(command.a), known.rows.get(command.b)
        if a is None or b is None:
            return  # asked before the rows were there, or for other settings: it is asked again with them
        try:
            facts = facts_in(asked.file.conversation, a.scope, asked.file.stages)
            page = pair_page(a_against_b(a, b, facts), a.scope)
        except FoldlineError as error:
            page = PairPage(a.name, b.name, 0, 0, "", (), a.scope, str(error))
        self._emit(page)

    def _open_pair(self, command: OpenPairCommand, asked: AnalysisContext) -> None:
        a, b = self._made(command.a, asked), self._made(command.b, asked)
        counter = asked.file.counter_of(a)
        sides = ComparedSide(command.a, a.compaction.messages), ComparedSide(command.b, b.compaction.messages)
        seen = side_by_side(asked.file.settled or a, *sides, counter, asked.generation)
        self._show(asked.file, seen, pair_notice(command.a, command.b, seen))

    def _save(self, command: SaveTableCommand, asked: AnalysisContext) -> None:
        tables = {"compare": self._table, "replay": self._replay.table, "sweep": self._sweep.table}
        self._emit(save_csv(command.path, tables[command.view](asked), asked.file.conversation.document.path))

    def _table(self, asked: AnalysisContext) -> bytes:
        """The rows that were made, in the order of the table, as the command line writes them."""
        priced = [priced_row(row, asked.price_as) for row in self._fresh(asked).rows.values()]
        rows = ranked_rows(priced, asked.ask.scope)
        name, mark = asked.file.conversation.document.name, asked.file.mark(asked.ask.model)
        return csv_bytes(CSV_HEAD, [csv_cells(line_of(name, row, mark)) for row in rows])

    def _made(self, name: str, asked: AnalysisContext) -> Preview:
        """The preview behind a row; it is remembered where it was made before."""
        contest = asked.contest()
        number = recorded_number(name)
        if number is None:
            return run_strategy(contest, find_strategy(name))
        if not 1 <= number <= len(asked.file.conversation.recorded):
            raise InputError(f"There is no {name}.", "Choose another row.")
        return recorded_preview(contest, number)


def _told_of(names: Sequence[str], conversation: Conversation) -> list[tuple[int, Strategy]]:
    """The recorded compactions among the names, each with each preset of its agent."""
    own = {recorded_number(name) for name in names}
    return [(number, preset) for number, preset in agent_pairs(conversation) if number in own]


def _tell_next(names: Sequence[str], known: _KnownRows, asked: AnalysisContext) -> None:
    """What the next preset would have done in the agent's place."""
    for number, preset in _told_of(names, asked.file.conversation):
        if (number, preset.name) not in known.told:
            contest = replace(asked.contest(), read=known.read)
            known.told[number, preset.name] = against_one(contest, number, preset)
            return


def _agent(conversation: Conversation) -> str:
    """The program that wrote the file, as its format is labelled; empty where nobody knows."""
    return next((one.label for one in FORMATS if one.name == conversation.format), "")

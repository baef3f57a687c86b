"""Values of the Compare view: its columns, and one page for each tab."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum
from typing import Generic, TypeVar

from core.analysis.model import ReplayResult
from core.common.json_value import Json
from core.common.number_format import UNKNOWN
from core.losses.evidence import MustStatus
from core.presentation.dialog_model import CallQuestion
from core.presentation.losses_words import MUST_LOOKS
from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.preview_wording import NO_STANDING, SizeStanding
from core.settings.profile import OFFLINE
from core.settings.schema import SettingChanges, SettingValue
from core.trials.trial import WRITTEN_BY, RecordedComparison, TrialResult, trial_of

_R = TypeVar("_R")
NO_PRICE = PriceChoice()
RECORDED_GROUP = "Recorded"
"""Heading of recorded compactions."""
SUMMARIES_GROUP = "Summaries by"
"""Heading of profiles, whose values begin with ``WRITTEN_BY``."""
_MOST_REASONS = 2
"""Reasons of the dashes of one column that are said."""


@dataclass(frozen=True, slots=True)
class StatusMark:
    """The glyph of a must, or of the ``count`` musts that have a status."""

    status: MustStatus
    count: str = ""

    @property
    def glyph(self) -> str:
        return MUST_LOOKS[self.status][0]

    @property
    def tone(self) -> str:
        return MUST_LOOKS[self.status][1]


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell; ``key`` sorts its column, None last; ``tone`` as in ``StatusPart``. ``marks`` are
    painted in place of its text."""

    text: str = ""
    key: float | None = None
    tone: str = ""
    tip: str = ""
    marks: tuple[StatusMark, ...] = ()


class Unit(StrEnum):
    """What a figure counts; ``columns.unit_text`` writes it."""

    COUNT = "count"
    SHARE = "share"
    CHANGE = "change"
    DOLLARS = "dollars"
    CALLS = "calls"
    SECONDS = "seconds"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(Generic[_R]):
    """A figure of a result, once for the window, the command line, CSV and JSON: its ``value``
    under ``key``, and below its ``label`` the ``cell`` with its text. ``{mark}`` in a label is the
    mark of the counting method; without a label the figure is in data only. ``about`` says what it
    counts. The window shows an ``is_optional`` column if it is chosen."""

    key: str
    label: str
    unit: Unit
    value: Callable[[_R], Json]
    cell: Callable[[_R], TableCell]
    is_optional: bool = False
    about: str = ""


@dataclass(frozen=True, slots=True)
class ResultTable(Generic[_R]):
    """A table of results: title of the names, columns, why a row has no figures (``error``), a
    short note beside its name, and the keys of the columns that have nothing to say of some
    rows. ``hides_unknown``: a column in which all rows have a dash is optional. ``missed`` says that a
    row cannot be what was asked for."""

    title: str
    columns: tuple[Column[_R], ...]
    error: Callable[[_R], str]
    note: Callable[[_R], str]
    idle: Callable[[Sequence[_R]], Collection[str]] = lambda rows: ()
    _: KW_ONLY
    hides_unknown: bool = False
    missed: Callable[[_R], str] = lambda row: ""

    def of_rows(self, rows: Sequence[_R]) -> ResultTable[_R]:
        """Return the table with the columns that concern these rows; an idle one that has figures
        is optional."""
        idle = self.idle(rows)
        known = [row for row in rows if not self.error(row)]
        columns = list[Column[_R]]()
        for one in self.columns:
            has_figure = any(one.cell(row).text != UNKNOWN for row in known)
            is_idle = one.key in idle
            is_unknown = self.hides_unknown and bool(known) and not has_figure
            if is_idle and not has_figure:
                continue
            if is_idle or is_unknown:
                columns.append(replace(one, is_optional=True))
            else:
                columns.append(one)
        return replace(self, columns=tuple(columns))

    def unknown(self, rows: Sequence[_R]) -> Mapping[str, tuple[str, ...]]:
        """Return by the reason the labels of columns with dashes; rows that failed have others."""
        labels: dict[str, list[str]] = {}
        known = [row for row in rows if not self.error(row)]
        for one in self.columns:
            cells = [one.cell(row) for row in known]
            tips = [cell.tip for cell in cells if cell.text == UNKNOWN and cell.tip]
            reasons = list(dict.fromkeys(tips))
            if not reasons:
                continue
            if len(reasons) > _MOST_REASONS:
                reasons = [*reasons[:_MOST_REASONS], "…"]
            labels.setdefault(" ".join(reasons), []).append(one.label)
        return {reason: tuple(names) for reason, names in labels.items()}


@dataclass(frozen=True, slots=True)
class FolderMeans:
    """What the rows of a ``name`` give over the files of a folder, by key: numbers of files, sums,
    and means over the files where a figure is known. A spread is a standard deviation, None for
    fewer than two."""

    name: str
    figures: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisPage:
    """An analysis so far: ``done`` steps of ``total``. ``names`` are computed, ``choices`` can be;
    ``mark`` is that of token counts; ``footnote`` says what qualifies the table."""

    about: str
    status: str
    done: int
    total: int
    mark: str = "≈"
    names: tuple[str, ...] = ()
    choices: tuple[PickerChoice, ...] = ()
    price: PriceChoice = NO_PRICE
    footnote: str = ""

    @property
    def is_over(self) -> bool:
        return self.done >= self.total

    @property
    def chosen(self) -> tuple[str, ...]:
        """The values of the ``choices`` that are computed."""
        return self.names


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePage(AnalysisPage):
    """``comparisons`` set recorded compactions beside presets. ``aim`` in tokens is what the
    results should have at most, 0 for none; ``about_short`` says in a narrow window how many
    reach it. ``question`` is asked before the summaries of profiles are written."""

    rows: tuple[TrialResult, ...]
    scope: str
    comparisons: tuple[RecordedComparison, ...] = ()
    aim: int = 0
    about_short: str = ""
    question: CallQuestion | None = None

    @property
    def chosen(self) -> tuple[str, ...]:
        trials = [trial_of(name) for name in self.names]
        profiles = dict.fromkeys(one.profile for one in trials if one.profile)
        writers = tuple(f"{WRITTEN_BY}{name}" for name in profiles or (OFFLINE,))
        return (*writers, *dict.fromkeys(one.strategy for one in trials))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayPage(AnalysisPage):
    """``result`` holds the finished tracks; ``model_limit`` is the limit without the one of this
    replay. ``paid`` is what the file reports of the real requests, as labels and values."""

    result: ReplayResult
    model_limit: int | None = None
    paid: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepKey:
    """A setting that can be varied; ``first``, ``last``, ``step`` are a first range, empty for a
    setting whose ``values`` are few."""

    key: str
    label: str
    about: str
    first: str = ""
    last: str = ""
    step: str = ""
    values: str = ""

    @property
    def vary(self) -> str:
        """Return "KEY=FROM:TO:STEP" or "KEY=A,B"."""
        return f"{self.key}={self.values or f'{self.first}:{self.last}:{self.step}'}"


@dataclass(frozen=True, slots=True)
class SweepAxis:
    """A varied setting with its values as text; ``current_index`` is that of the current one, else
    -1."""

    key: str
    label: str
    values: tuple[str, ...]
    settings: tuple[SettingValue, ...]
    current_index: int = -1
    is_range: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPage(AnalysisPage):
    """``vary`` is the request, ``problem`` says what is wrong with it; ``before`` tokens of the
    source."""

    strategy: str
    keys: tuple[SweepKey, ...]
    vary: tuple[str, ...]
    axes: tuple[SweepAxis, ...]
    points: tuple[TrialResult, ...]
    before: int
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderWorkPage(AnalysisPage):
    """Work on the files of a folder so far. ``question`` is asked before it, empty while it runs.
    ``is_idle``: nothing runs."""

    path: str
    question: str
    is_idle: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderPage(FolderWorkPage):
    """A folder comparison so far; ``files`` are those of the strategy ``selected``."""

    means: tuple[FolderMeans, ...]
    selected: str
    files: tuple[TrialResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyCard:
    """A strategy, and its result once it is computed.

    ``program`` is the agent that a preset emulates, "" for a general strategy. ``tokens`` is the
    size after it, ``reduction`` the share of the tokens before that is gone (0 to 1), ``musts`` the
    cell of the texts that must survive, without such a list of the person's messages;
    ``needed_later`` what stands of what later turns needed, else the backtest. ``no_result`` says
    why there is none; where it ``misses_aim``, ``tokens`` is the smallest one. ``values`` are the
    settings of an aim that give the result, ``changes`` the same as words."""

    name: str
    about: str
    program: str
    calls: str  # "no model", "1 summary · free offline"
    is_recommended: bool = False
    tokens: int | None = None
    reduction: float = 0.0
    musts: TableCell = TableCell()
    needed_later: TableCell = TableCell()
    no_result: str = ""
    misses_aim: bool = False
    standing: SizeStanding = NO_STANDING  # of the next request with it
    values: SettingChanges = ()
    changes: str = ""  # "Keep Bottom 14 %"
    details: str = (
        ""  # "works when it compacts, ignores pins and the focus. Trigger: 85 %."
    )


@dataclass(frozen=True, slots=True)
class StrategyCards:
    """All cards in their order, about a history of ``messages`` and ``tokens``. ``mark`` is that of
    the counts; ``is_capped``: the history is too long to compute figures without being asked.
    ``must_label`` and ``needed_later_label`` title two columns, "" where all cards say the same;
    ``must_texts`` are what the glyphs of the first stand for, from left to right. ``aim`` in tokens
    is what the results should have at most, 0 for none; ``aim_text`` says it, and how many reach
    it."""

    cards: tuple[StrategyCard, ...]
    messages: int
    tokens: int
    mark: str
    as_of: str  # "2026-11-21": the newest preset
    _: KW_ONLY
    is_capped: bool = False
    must_label: str = ""
    needed_later_label: str = ""
    must_texts: tuple[str, ...] = ()
    aim: int = 0
    aim_text: str = ""

"""The preview as the window shows it: two sides, ruler, heading, request of a summary, history of
runs."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from core.presentation.lists.aligned_rows import AlignedColumns, AlignedPlan
from core.presentation.lists.row_plan import COUNTING, rows_so_far
from core.presentation.model import (
    NO_ROWS,
    CutRow,
    FateRun,
    MessageRows,
    PickerChoice,
    RecordedRow,
)
from core.presentation.ruler.geometry import CutHandle, RulerBand, RulerTotals
from core.presentation.verdict_model import NO_VERDICT, Verdict

REPAIRED_COPY = "repaired copy"
"""The name of a result that is the copy of a repair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenSource:
    """The rows of the history, with the fate of each, its cuts and the partners of its tool pairs.
    Before any preview there are no fates."""

    rows: MessageRows
    fates: bytes
    cuts: tuple[CutRow, ...]
    partners: Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenResult:
    """The rows of the result; those of kept messages repeat the source's texts. ``origin[i]`` is
    the first source index of message i, -1 for none; ``fates[i]`` a code in FATES, or len(FATES)
    for inserted."""

    rows: MessageRows
    fates: bytes
    origin: array[int]
    heading: str  # "169 messages · run 3, written by haiku"
    cuts: tuple[CutRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenRuler:
    """What the ruler paints."""

    runs: tuple[FateRun, ...]
    bands: tuple[RulerBand, ...]
    handles: tuple[CutHandle, ...]
    valid: bytes  # one per boundary 0..n: 1 valid
    totals: RulerTotals

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle runs as plain tuples: named ones, of which there are thousands, take four times as
        long."""
        values = {column.name: getattr(self, column.name) for column in fields(self)}
        return _unpickled_ruler, ({**values, "runs": tuple(map(tuple, self.runs))},)


def _unpickled_ruler(values: dict[str, Any]) -> ScreenRuler:
    return ScreenRuler(**{**values, "runs": tuple(map(FateRun._make, values["runs"]))})


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenHeading:
    """The part of the session and the model that are shown, with what may be chosen."""

    scope: str = "all"
    model: str = ""
    scopes: tuple[PickerChoice, ...] = ()  # with sizes, once all is counted
    # Of the scope and of the current context, where they differ.
    sizes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenRequest:
    """Who writes the summary, and for how much."""

    profile: str = "offline"  # who receives the requests of a summary
    price: str = ""  # of a compaction that is asked about, as on its button: "≈ $0.11"
    sends_to: str = (
        ""  # "to api.anthropic.com, by haiku, ≈ $0.11", "" where nothing is sent
    )
    stale: bool = False  # a model's summary was written for other settings
    calls_model: bool = True  # the strategy asks for a summary


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenHistory:
    """The runs so far, the shown one, and whether there is something to undo and redo."""

    run: str = ""  # value of the shown run's choice; "" for a preview
    choices: tuple[PickerChoice, ...] = ()
    can_undo: bool = False
    can_redo: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A preview, ready to show. ``provisional``: a handle is being dragged and the summary is not
    written."""

    strategy: str
    provisional: bool
    source: ScreenSource
    result: ScreenResult
    ruler: ScreenRuler
    recorded: tuple[RecordedRow, ...] = ()
    no_op: str = ""
    generation: int = 0  # counts what is shown; a screen of an older one is dropped
    result_name: str = (
        ""  # of a recorded compaction, another file or a run on the after side
    )
    heading: ScreenHeading = ScreenHeading()
    request: ScreenRequest = ScreenRequest()
    history: ScreenHistory = ScreenHistory()
    aligned: AlignedColumns = field(default_factory=AlignedColumns)
    plan: AlignedPlan | None = (
        None  # rows of the view Changes, where they are too many to plan in the window
    )
    verdict: Verdict = NO_VERDICT

    @property
    def is_repair(self) -> bool:
        """True where the after side is the copy that a repair would write."""
        return self.result_name == REPAIRED_COPY

    @property
    def is_beside(self) -> bool:
        """True where the after side is no result of the strategy."""
        return bool(self.result_name)


def partial_screen(rows: MessageRows) -> Screen:
    """Return a screen of rows only, without cuts and result."""
    count = len(rows)
    totals = RulerTotals(before_total=COUNTING, after_total=COUNTING)
    return Screen(
        strategy="",
        provisional=True,
        source=ScreenSource(rows=rows, fates=b"", partners={}, cuts=()),
        result=ScreenResult(
            rows=NO_ROWS,
            fates=b"",
            origin=array("q"),
            heading=rows_so_far(rows),
            cuts=(),
        ),
        ruler=ScreenRuler(
            runs=(), bands=(), handles=(), valid=bytes(count + 1), totals=totals
        ),
    )

"""One strategy with a setting or two at several values: the points, and which of them are worth having."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.analysis.cost.model import NONE_UNPAID, UnpaidRequests
from core.settings.schema import SettingValue
from core.transcript.compaction import FateKind


@dataclass(frozen=True, slots=True)
class SettingAxis:
    """A setting that is varied: its key and its values in the order in which they are tried."""

    key: str
    values: tuple[SettingValue, ...]


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One run. ``at`` holds a value per axis; tokens and messages are the result's. ``cost`` in US dollars
    is what models were paid, ``unpaid`` what none wrote.

    ``fates`` counts source messages, ``seconds`` are those of the run without judging it. ``no_op`` says why
    nothing changed, ``error`` why there is no result. ``on_front``: no other point has fewer tokens and as
    much fidelity, or more of it and as few; known once all points are there.
    """

    at: tuple[SettingValue, ...]
    tokens: int
    messages: int
    fidelity: float | None = None
    fates: Mapping[FateKind, int] | None = None
    calls: int = 0
    cost: float | None = None
    seconds: float = 0.0
    no_op: str = ""
    error: str = ""
    on_front: bool = False
    unpaid: UnpaidRequests = NONE_UNPAID


@dataclass(frozen=True, slots=True)
class SweepResult:
    """All points of a sweep, in the order of the axes, the last one changing fastest.

    ``before`` are the tokens and messages of the source, ``mark`` how tokens were counted.
    """

    strategy: str
    axes: tuple[SettingAxis, ...]
    points: tuple[SweepPoint, ...]
    before: tuple[int, int]
    scope: str = "all"
    mark: str = "≈"
    model: str = ""

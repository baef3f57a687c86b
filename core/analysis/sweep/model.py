"""Results of one strategy run at several values of one or two settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.analysis.cost.model import NO_UNPAID_REQUESTS, UnpaidRequests
from core.settings.schema import SettingValue
from core.transcript.compaction import FateKind


@dataclass(frozen=True, slots=True)
class SettingAxis:
    """A setting and the values to try, in order."""

    key: str
    values: tuple[SettingValue, ...]


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One run at the values ``axis_values``, one per axis.

    ``cost`` in US dollars was paid to models; ``unpaid`` are summaries that no model wrote. ``fates`` counts
    source messages, ``lost`` the known facts that are gone; ``seconds`` leaves out the evaluation. ``no_op``
    says why nothing changed, ``error`` why there is no result. ``on_front``: no other point is better in
    tokens or facts lost and as good in the other; set once all points are known.
    """

    axis_values: tuple[SettingValue, ...]
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
    unpaid: UnpaidRequests = NO_UNPAID_REQUESTS
    lost: int | None = None


@dataclass(frozen=True, slots=True)
class SweepResult:
    """All points, the last axis varying fastest; ``before``: tokens and messages of the source."""

    strategy: str
    axes: tuple[SettingAxis, ...]
    points: tuple[SweepPoint, ...]
    before: tuple[int, int]
    scope: str = "all"
    mark: str = "≈"
    model: str = ""

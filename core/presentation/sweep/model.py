"""Values of the Sweep view."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.compare.model import NO_PRICE
from core.presentation.model import PriceChoice
from core.presentation.plots import PlotAxis
from core.settings.schema import SettingValue


@dataclass(frozen=True, slots=True)
class SweepKey:
    """A setting that can be swept; ``values`` are its first values ("0.1:0.5:0.1", "a,b")."""

    key: str
    label: str
    about: str
    values: str


@dataclass(frozen=True, slots=True)
class SweepAxis:
    """A swept setting with its values as text; ``current_index`` is the index of the current one."""

    key: str
    label: str
    values: tuple[str, ...]
    current_index: int = -1


@dataclass(frozen=True, slots=True)
class SweepPointRow:
    """A run; ``axis_indices`` are indices into each axis, ``settings`` the values that "use this point" sets;
    ``trouble`` says why there is no result or change."""

    axis_indices: tuple[int, ...]
    settings: tuple[tuple[str, SettingValue], ...]
    tokens: int | None
    fidelity: float | None
    title: str
    text: str
    cells: tuple[str, ...]
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class SweepPage:
    """A sweep so far; ``vary`` is the request, ``tokens`` and ``fidelity`` are scales, ``problem`` says what
    is wrong with ``vary``."""

    strategy: str
    about: str
    keys: tuple[SweepKey, ...]
    vary: tuple[str, ...]
    axes: tuple[SweepAxis, ...]
    points: tuple[SweepPointRow, ...]
    tokens: PlotAxis
    fidelity: PlotAxis
    columns: tuple[str, ...]
    status: str
    is_over: bool
    problem: str = ""
    price: PriceChoice = NO_PRICE

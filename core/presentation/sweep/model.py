"""What the Sweep view shows, as values: runs of one strategy over values of one or two settings."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.compare.model import NO_PRICE
from core.presentation.model import PriceChoice
from core.presentation.plots import PlotAxis
from core.settings.schema import SettingValue


@dataclass(frozen=True, slots=True)
class SweepKey:
    """A setting that can be swept: its key and label, and values to begin with ("0.1:0.5:0.1", "a,b")."""

    key: str
    label: str
    about: str
    values: str


@dataclass(frozen=True, slots=True)
class SweepAxis:
    """A setting that is swept: how its values read, in order; ``now`` the place of the one that is set."""

    key: str
    label: str
    values: tuple[str, ...]
    now: int = -1


@dataclass(frozen=True, slots=True)
class SweepPointRow:
    """A run. ``at`` are places in the values of each axis, ``settings`` what "use this point" sets;
    ``title`` names the values, ``text`` says what came of them; ``trouble`` why nothing did."""

    at: tuple[int, ...]
    settings: tuple[tuple[str, SettingValue], ...]
    tokens: int | None
    fidelity: float | None
    title: str
    text: str
    cells: tuple[str, ...]
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class SweepPage:
    """A sweep as far as it got. ``vary`` is what was asked, ``points`` those that were run, in order.

    ``tokens`` and ``fidelity`` are scales of these figures; ``problem`` says what is wrong with ``vary``.
    """

    generation: int
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

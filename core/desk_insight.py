"""Commands of the views Compare, Replay and Sweep. Each brings its view one step further."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class StartCompare:
    """Make the next row of a comparison over the scope that is shown; the answer is a ComparePage.

    ``names`` are strategies, presets and "recorded N", none: those to begin with. Rows that are known for
    the settings of the session are not made again. Until the page is over, ask again: whatever else was
    asked meanwhile comes first.
    """

    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparePair:
    """Ask what each of two rows lost that the other one has; the answer is a PairPage."""

    a: str
    b: str


@dataclass(frozen=True, slots=True)
class OpenPair:
    """Show two results as before and after of each other."""

    a: str
    b: str


@dataclass(frozen=True, slots=True)
class StartReplay:
    """Replay the session under the next strategy; the answer is a ReplayPage. As StartCompare."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """Show what a strategy had made of the session by the request of a turn (from 1), beside its source."""

    name: str
    turn: int


@dataclass(frozen=True, slots=True)
class StartSweep:
    """Run the strategy for the next values of one or two settings ("KEY=FROM:TO:STEP", "KEY=A,B").

    Without any: the page to begin with. The answer is a SweepPage; until it is over, ask again.
    """

    vary: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SaveTable:
    """Write the table of a view ("compare", "replay" or "sweep") as CSV, as far as it got.

    What stands there is written over: whoever chose the name was asked.
    """

    view: str
    path: str


InsightCommand: TypeAlias = (
    StartCompare | ComparePair | OpenPair | StartReplay | OpenTurn | StartSweep | SaveTable
)
INSIGHT = (StartCompare, ComparePair, OpenPair, StartReplay, OpenTurn, StartSweep, SaveTable)
"""The same, for ``isinstance``."""

"""Commands of the views Compare, Replay and Sweep. Each brings its view one step further."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class StartCompareCommand:
    """Make the next row of a comparison over the scope that is shown; the answer is a ComparePage.

    ``names`` are strategies, presets and "recorded N", none: those to begin with. Rows that are known for
    the settings of the session are not made again. Until the page is over, ask again: whatever else was
    asked meanwhile comes first.
    """

    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparePairCommand:
    """Ask what each of two rows lost that the other one has; the answer is a PairPage."""

    a: str
    b: str


@dataclass(frozen=True, slots=True)
class OpenPairCommand:
    """Show two results as before and after of each other."""

    a: str
    b: str


@dataclass(frozen=True, slots=True)
class StartReplayCommand:
    """Replay the session under the next strategy; the answer is a ReplayPage. As StartCompareCommand."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenTurnCommand:
    """Show what a strategy had made of the session by the request of a turn (from 1), beside its source."""

    name: str
    turn: int


@dataclass(frozen=True, slots=True)
class StartSweepCommand:
    """Run the strategy for the next values of one or two settings ("KEY=FROM:TO:STEP", "KEY=A,B").

    Without any: the page to begin with. The answer is a SweepPage; until it is over, ask again.
    """

    vary: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PriceCallsCommand:
    """Price summaries that no model wrote as if this one had, in all three views: the name of a model,
    "offline" for nothing, "" for the session's model. Their next answers say it; nothing is made again."""

    model: str


@dataclass(frozen=True, slots=True)
class SaveTableCommand:
    """Write the table of a view ("compare", "replay" or "sweep") as CSV, as far as it got.

    What stands there is written over: whoever chose the name was asked.
    """

    view: str
    path: str


InsightCommand: TypeAlias = (
    StartCompareCommand
    | ComparePairCommand
    | OpenPairCommand
    | StartReplayCommand
    | OpenTurnCommand
    | StartSweepCommand
    | PriceCallsCommand
    | SaveTableCommand
)
INSIGHT = (
    StartCompareCommand,
    ComparePairCommand,
    OpenPairCommand,
    StartReplayCommand,
    OpenTurnCommand,
    StartSweepCommand,
    PriceCallsCommand,
    SaveTableCommand,
)
"""The same, for ``isinstance``."""


@dataclass(frozen=True, slots=True)
class ScanFolderCommand:
    """Look what a folder holds, and what of it was compared before under the settings of the session.

    ``names`` as in StartCompareCommand, none: those to begin with; ``price`` as in PriceCallsCommand. The
    answer to this and to each of the following is a FolderPage.
    """

    path: str
    names: tuple[str, ...] = ()
    price: str = ""


@dataclass(frozen=True, slots=True)
class StartFolderCommand:
    """Compare what is left of the folder, on all cores; until the page is over, ask again.

    ``fresh``: forget what was done before. A cancel ends the crew and keeps what is done.
    """

    fresh: bool = False


@dataclass(frozen=True, slots=True)
class StopFolderCommand:
    """End the crew; what is done stays known."""


@dataclass(frozen=True, slots=True)
class ShowFolderCommand:
    """Show the files of this strategy."""

    name: str


@dataclass(frozen=True, slots=True)
class SaveFolderCommand:
    """Write a line per file and name as CSV, as far as it got; what stands there is written over."""

    path: str


FolderCommand: TypeAlias = (
    ScanFolderCommand | StartFolderCommand | StopFolderCommand | ShowFolderCommand | SaveFolderCommand
)
FOLDER = (ScanFolderCommand, StartFolderCommand, StopFolderCommand, ShowFolderCommand, SaveFolderCommand)
"""The same, for ``isinstance``. They need no open transcript."""

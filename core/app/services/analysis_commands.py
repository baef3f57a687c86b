"""Commands of Compare, Replay, Sweep and of a compared folder; each does the next step of its view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class StartCompareCommand:
    """Make the next row of a comparison over the scope that is shown; the answer is a ComparePage.

    ``names`` are strategies, presets and "recorded N", none: the first ones. Rows that are known for the
    session's settings are not made again. Until the page is over, send this again, so that other commands can
    come between.
    """

    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparePairCommand:
    """Request what each of two rows lost that the other one has; the answer is a PairPage."""

    a: str
    b: str


@dataclass(frozen=True, slots=True)
class OpenPairCommand:
    """Show two results side by side, as before and after."""

    a: str
    b: str


@dataclass(frozen=True, slots=True)
class StartReplayCommand:
    """Replay the session under the next strategy; the answer is a ReplayPage. As StartCompareCommand."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenTurnCommand:
    """Show a strategy's state of the session at the request of a turn (from 1) beside its source."""

    name: str
    turn: int


@dataclass(frozen=True, slots=True)
class StartSweepCommand:
    """Run the strategy for the next values of one or two settings ("KEY=FROM:TO:STEP", "KEY=A,B").

    Without any: the first page. The answer is a SweepPage; until it is over, send this again.
    """

    vary: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PriceCallsCommand:
    """Price summaries that no model wrote as if this one had, in all three views: the name of a model,
    "offline" for nothing, "" for the session's model. Their next answers use it; nothing is computed
    again."""

    model: str


@dataclass(frozen=True, slots=True)
class SaveTableCommand:
    """Write the table of a view ("compare", "replay" or "sweep") as CSV, as far as it got.

    An existing file is replaced: the file dialog has asked.
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
    """List a folder's files and the results that are known for the session's settings.

    ``names`` as in StartCompareCommand, none: the first ones; ``price`` as in PriceCallsCommand. The answer
    to this and to each of the following is a FolderPage.
    """

    path: str
    names: tuple[str, ...] = ()
    price: str = ""


@dataclass(frozen=True, slots=True)
class StartFolderCommand:
    """Compare the remaining files of the folder on all cores; until the page is over, send this again.

    ``fresh``: forget earlier results. A cancel ends the process pool and keeps the results.
    """

    fresh: bool = False


@dataclass(frozen=True, slots=True)
class StopFolderCommand:
    """End the process pool; the results stay known."""


@dataclass(frozen=True, slots=True)
class ShowFolderCommand:
    name: str


@dataclass(frozen=True, slots=True)
class SaveFolderCommand:
    """Write a line per file and name as CSV, as far as it got; an existing file is replaced."""

    path: str


FolderCommand: TypeAlias = (
    ScanFolderCommand | StartFolderCommand | StopFolderCommand | ShowFolderCommand | SaveFolderCommand
)
FOLDER = (ScanFolderCommand, StartFolderCommand, StopFolderCommand, ShowFolderCommand, SaveFolderCommand)
"""The same, for ``isinstance``. They need no open transcript."""

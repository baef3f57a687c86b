"""What the worker tells the window besides the answers of its calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from core.app.start_error import StartError
from core.presentation.dialog_model import (
    CallQuestion,
    FileOpenedEvent,
    SummaryProgress,
    TrialPage,
)
from core.presentation.model import Notice, NoticeAction, RowsReadEvent
from core.presentation.screen_model import Screen

if TYPE_CHECKING:
    from core.app.view_state import ViewState
    from core.presentation.filter_query import UserMarks
    from core.presentation.inspector_model import (
        AskOffer,
        BacktestPage,
        LinesPage,
        LossesPage,
        MessageBody,
        MessageChanges,
        SummaryPage,
        WhyPage,
    )
    from core.presentation.model import ChecksPage, StatusPage, TuningPage

NO_FILE = "no-file"
"""Topic of the notice that a command needs an open transcript."""


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """Read a transcript. ``format`` forces a reader, empty: by content. ``conversation`` 0 is the
    first that has messages, ``branch`` a way through a session that forks; ``scope`` the part to
    show first, empty: that in which a file opens."""

    path: str
    format: str = ""
    conversation: int = 0
    branch: int = 1
    scope: str = ""
    view: ViewState | None = (
        None  # as it was shown before a worker was lost; stands above ``scope``
    )


@dataclass(frozen=True, slots=True)
class CompactionRequest:
    """Turn the preview into a run, which is added to the list of runs and which Export writes.

    ``agreed``: the user has agreed to the paid call; ``offline``: write it offline this time.
    """

    focus: str = ""
    agreed: bool = False
    offline: bool = False


@dataclass(frozen=True, slots=True)
class ReadingProgressEvent:
    """Progress of reading: fraction from 0 to 1 and a sentence."""

    fraction: float
    text: str


@dataclass(frozen=True, slots=True)
class WorkingEvent:
    """Progress of any longer work."""

    text: str
    fraction: float


@dataclass(frozen=True, slots=True)
class FileExportedEvent:
    """A file was written. ``actions`` are links to what can be done with it."""

    path: str
    text: str
    secrets: str = ""  # a sentence on those left in or replaced
    severity: str = "info"
    actions: tuple[NoticeAction, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportAnswer:
    """The notices of a written file; without any, the question before it is written.

    ``difference`` says how the file would open differently: confirm with ``force``. Without it a
    file exists already: confirm with ``overwrite``.
    """

    notices: tuple[Notice, ...] = ()
    difference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelsWanted:
    """What the panels show beside what they always show: a message ("before" or "after", from 0; -1
    for none), or in its place the page of a cut, of a recorded compaction (from 1) or of the run.
    ``summaries``: the findings on all of them; ``studies``: the lines that can be put back, what a
    model can be asked about the losses, and a backtest."""

    side: str = "before"
    index: int = -1
    cut: str = ""
    recorded: int = 0
    is_run: bool = False
    summaries: bool = False
    studies: bool = False


PanelPage: TypeAlias = (
    "StatusPage | TuningPage | ChecksPage | UserMarks | MessageBody | MessageChanges "
    "| SummaryPage | WhyPage | LossesPage | LinesPage | AskOffer | BacktestPage"
)
"""What the panels of the inspector show."""


@dataclass(frozen=True, slots=True)
class WorkerReadyEvent:
    """The worker has loaded what it needs and waits for calls."""


@dataclass(frozen=True, slots=True)
class ViewStateEvent:
    """What the shown preview is computed from. A window that loses its worker sends it to the next
    one."""

    view: ViewState


@dataclass(frozen=True, slots=True)
class IdleEvent:
    """All commands so far are answered."""


Event: TypeAlias = (
    FileOpenedEvent
    | RowsReadEvent
    | Screen
    | Notice
    | ReadingProgressEvent
    | WorkingEvent
    | FileExportedEvent
    | IdleEvent
    | WorkerReadyEvent
    | ViewStateEvent
    | StartError
    | TrialPage
    | CallQuestion
    | SummaryProgress
)

"""Commands to the worker and events from it: everything that window and core exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from core.app.services.list_commands import ListCommand
from core.presentation.checked_screen import ScreenChecks
from core.presentation.fidelity.model import FidelityPage
from core.presentation.lists.model import RowsEvent
from core.presentation.model import MessageBody, Notice, NoticeAction, RowsReadEvent, Screen, WhyPage
from core.presentation.opened_model import FileOpenedEvent
from core.presentation.prompts.model import TrialPage
from core.presentation.settings.model import CallQuestion, SummaryProgress
from core.presentation.summary_check.model import SummaryPage

NO_FILE = "no-file"
"""Topic of the notice that a command needs an open transcript."""


@dataclass(frozen=True, slots=True)
class OpenFileCommand:
    """Read a transcript. ``format`` forces a reader, empty: by content. ``branch`` is a way through a
    session that forks; ``scope`` the part to show first, empty: the whole session."""

    path: str
    format: str = ""
    conversation: int = 1
    branch: int = 1
    scope: str = ""


@dataclass(frozen=True, slots=True)
class RunCompactionCommand:
    """Turn the preview into a run, which is added to the list of runs and which Export writes.

    ``agreed``: the user has agreed to the paid call; ``offline``: write it offline this time.
    """

    focus: str = ""
    agreed: bool = False
    offline: bool = False


@dataclass(frozen=True, slots=True)
class LoadBodyCommand:
    """Request the body of a message ("before" or "after"); ``is_whole`` lifts the cap of 64 kB."""

    side: str
    index: int
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class ExplainCutCommand:
    """Request the reason for the place of a cut; the answer is a WhyPage."""

    name: str


@dataclass(frozen=True, slots=True)
class ExplainRunCommand:
    """Request the stages of the run that is shown; the answer is a WhyPage."""


@dataclass(frozen=True, slots=True)
class LoadFidelityCommand:
    """Request which facts of the source the shown result holds; the answer is a FidelityPage."""


@dataclass(frozen=True, slots=True)
class LoadSummaryCommand:
    """Request the findings on the result's summaries and, with ``place``, the sources of the sentences of
    the summary in that message of the result; the answer is a SummaryPage."""

    place: int = -1


@dataclass(frozen=True, slots=True)
class ExplainRecordedCommand:
    """Request the page of a recorded compaction (from 1); the answer is a WhyPage."""

    number: int


@dataclass(frozen=True, slots=True)
class ExportCommand:
    """Write the result ("after") or the source ("before") to ``path``.

    ``append``: the source, then the compaction as its agent records one. ``provenance``: each message with
    its source, so that it can be restored later. ``force``: even if the file would not open again as what was
    to be written.
    """

    path: str
    format: str
    side: str = "after"
    overwrite: bool = False
    redact: bool = False
    append: bool = False
    provenance: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class CountSecretsCommand:
    """Request how many secrets such a file would hold; the answer is a SecretsCountedEvent."""

    format: str
    side: str = "after"
    append: bool = False
    provenance: bool = False


InspectorCommand: TypeAlias = (
    LoadBodyCommand
    | ExplainCutCommand
    | ExplainRunCommand
    | LoadFidelityCommand
    | LoadSummaryCommand
    | ExplainRecordedCommand
)
LOOKS = (
    LoadBodyCommand,
    ExplainCutCommand,
    ExplainRunCommand,
    LoadFidelityCommand,
    LoadSummaryCommand,
    ExplainRecordedCommand,
)
"""The same for ``isinstance``: commands that only show something of the preview."""

Command: TypeAlias = InspectorCommand | ExportCommand | CountSecretsCommand | ListCommand


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
class SecretsCountedEvent:
    """How many secrets an export would hold, as sentences with redaction off and on.

    ``refused`` says why the file could not be written; ``finding_lines`` are lines on the secrets and their
    places.
    """

    command: CountSecretsCommand
    count: int
    unredacted_text: str
    redacted_text: str
    refused: str = ""
    finding_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileExistsEvent:
    """The export would overwrite a file: confirm, then send it again with ``overwrite``.

    With ``failure`` it would not open again as what was to be written: confirm, then send it with ``force``.
    """

    command: ExportCommand
    failure: str = ""


@dataclass(frozen=True, slots=True)
class IdleEvent:
    """All commands so far are answered."""


Event: TypeAlias = (
    FileOpenedEvent
    | RowsReadEvent
    | Screen
    | ScreenChecks
    | MessageBody
    | WhyPage
    | FidelityPage
    | SummaryPage
    | Notice
    | ReadingProgressEvent
    | WorkingEvent
    | FileExportedEvent
    | SecretsCountedEvent
    | FileExistsEvent
    | IdleEvent
    | TrialPage
    | CallQuestion
    | SummaryProgress
    | RowsEvent
)

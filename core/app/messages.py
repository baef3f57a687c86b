"""Commands to the worker and events from it: the whole conversation between window and core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from core.app.services.analysis_commands import FolderCommand, InsightCommand
from core.app.services.list_commands import ListCommand
from core.app.services.settings_commands import SettingsCommand, TryPromptCommand
from core.presentation.checked_screen import ScreenChecks
from core.presentation.compare.model import ComparePage, PairPage
from core.presentation.fidelity.decay_model import DecayPage
from core.presentation.fidelity.model import FidelityPage
from core.presentation.folder.model import FolderPage
from core.presentation.lists.model import RowsEvent
from core.presentation.model import MessageBody, Notice, NoticeAction, RowsReadEvent, Screen, WhyPage
from core.presentation.opened_model import FileOpenedEvent
from core.presentation.probes.model import ProbeOffer, ProbePage
from core.presentation.prompts.model import PromptPage
from core.presentation.prompts.trial_model import TrialPage
from core.presentation.replay.model import ReplayPage
from core.presentation.sessions.model import LastMessageEvent, SessionRowsEvent
from core.presentation.settings.model import (
    CallQuestion,
    CompletionList,
    ProfilesPage,
    SettingsPage,
    SummaryProgress,
)
from core.presentation.summary_check.model import SummaryPage
from core.presentation.sweep.model import SweepPage
from core.settings.schema import SettingValue

NO_FILE = "no-file"
"""Topic of the notice that a command is about a transcript and none is open."""


@dataclass(frozen=True, slots=True)
class OpenFileCommand:
    """Read a transcript. ``format`` forces a reader; empty: by content. ``branch`` is a way through
    a session that forks; ``scope`` the part to show first, empty: the whole session."""

    path: str
    format: str = ""
    conversation: int = 1
    branch: int = 1
    scope: str = ""


@dataclass(frozen=True, slots=True)
class ChangeSettingsCommand:
    """Change session settings (None clears a key), scope or model, then preview anew.

    ``draft`` answers at once with cuts, fates and sums, without writing the summary.
    """

    values: tuple[tuple[str, SettingValue | None], ...] = ()
    scope: str | None = None
    model: str | None = None
    draft: bool = False

    def upon(self, older: ChangeSettingsCommand | None) -> ChangeSettingsCommand:
        """What both said, as one command of this one's kind; this one wins."""
        if older is None:
            return self
        return ChangeSettingsCommand(
            tuple((dict(older.values) | dict(self.values)).items()),
            self.scope if self.scope is not None else older.scope,
            self.model if self.model is not None else older.model,
            self.draft,
        )


@dataclass(frozen=True, slots=True)
class UndoCommand:
    """Take back the last change of settings."""


@dataclass(frozen=True, slots=True)
class RestoreRunCommand:
    """Go back to a run: its settings, scope and summary; ``number`` is its Choice's value."""

    number: str


@dataclass(frozen=True, slots=True)
class RunCompactionCommand:
    """Turn the preview into a run: kept in the list of runs, what Export works on.

    ``agreed``: the person has said yes to the paid call; ``offline``: write it offline this time.
    """

    focus: str = ""
    agreed: bool = False
    offline: bool = False


@dataclass(frozen=True, slots=True)
class RestoreMessageCommand:
    """Put a message of the source (from 0) back into the result as it was, or let it go again."""

    index: int
    back: bool = True


@dataclass(frozen=True, slots=True)
class LoadBodyCommand:
    """Ask for the body of a message ("before" or "after"); ``whole`` lifts the 64 kB cap."""

    side: str
    index: int
    whole: bool = False


@dataclass(frozen=True, slots=True)
class ExplainCutCommand:
    """Ask why a cut lies where it lies."""

    name: str


@dataclass(frozen=True, slots=True)
class ExplainRunCommand:
    """Ask how the run that is shown went, stage by stage; the answer is a WhyPage."""


@dataclass(frozen=True, slots=True)
class LoadFidelityCommand:
    """Ask which facts of the source the result that is shown still holds; the answer is a FidelityPage."""


@dataclass(frozen=True, slots=True)
class LoadSummaryCommand:
    """Ask what the check of the result's summaries found, and with ``place`` where the sentences of the
    summary in that message of the result come from; the answer is a SummaryPage."""

    place: int = -1


@dataclass(frozen=True, slots=True)
class CompactAgainCommand:
    """Compact once more what the last compaction of a chain left; ``begins``: the source that is shown.

    The answer is a DecayPage; until it is over, ask again: whatever else was asked meanwhile comes first.
    """

    begins: bool = False


@dataclass(frozen=True, slots=True)
class LoadProbesCommand:
    """Ask for the questions about what the shown result lost; the answer is a ProbePage. Nothing is called.
    ``baseline``: they are asked over the uncompacted history, too."""

    baseline: bool = False


@dataclass(frozen=True, slots=True)
class RunProbesCommand:
    """Ask the active profile's model those questions; a ProbePage comes after each answer."""

    baseline: bool = False


@dataclass(frozen=True, slots=True)
class ExplainRecordedCommand:
    """Ask for the page of a recorded compaction, numbered from 1; the answer is a WhyPage."""

    number: int


@dataclass(frozen=True, slots=True)
class ShowRecordedCommand:
    """Show what a recorded compaction (from 1) had before it and what it left, side by side."""

    number: int


@dataclass(frozen=True, slots=True)
class CompareFileCommand:
    """Show another file of the same session beside the history, aligned by message identity."""

    path: str


@dataclass(frozen=True, slots=True)
class ReloadFileCommand:
    """Read the open file again where it has changed; settings, scope and view stay."""


@dataclass(frozen=True, slots=True)
class ExportCommand:
    """Write the result ("after") or the source ("before") to ``path``.

    ``append``: the source, and behind it the compaction as its agent records one. ``provenance``: with
    each message what it was, so that it can be put back later. ``force``: even if it would not open again
    as what was to be written.
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
    """Ask how many secrets a file of this format and side would hold; the answer is Secrets."""

    format: str
    side: str = "after"
    append: bool = False
    provenance: bool = False


@dataclass(frozen=True, slots=True)
class StopReadingCommand:
    """Stop where the reader is and show what was read."""


@dataclass(frozen=True, slots=True)
class LoadSessionsCommand:
    """Ask for the sessions on this machine: begin anew, or go on with what is not known yet.

    ``folders`` are looked at too. The answer is a SessionRowsEvent; until it is over, ask again. With
    ``end_of``, a path of a part that came, only that session's last message is asked for; the answer is a
    LastMessageEvent.
    """

    begins: bool = False
    folders: tuple[str, ...] = ()
    end_of: str = ""


InspectorCommand: TypeAlias = (
    LoadBodyCommand
    | ExplainCutCommand
    | ExplainRunCommand
    | LoadFidelityCommand
    | LoadSummaryCommand
    | CompactAgainCommand
    | LoadProbesCommand
    | RunProbesCommand
    | TryPromptCommand
    | ExplainRecordedCommand
)
LOOKS = (
    LoadBodyCommand,
    ExplainCutCommand,
    ExplainRunCommand,
    LoadFidelityCommand,
    LoadSummaryCommand,
    CompactAgainCommand,
    LoadProbesCommand,
    RunProbesCommand,
    TryPromptCommand,
    ExplainRecordedCommand,
)
"""What shows something of the preview and leaves it as it is; the same, for ``isinstance``."""

Command: TypeAlias = (
    OpenFileCommand
    | ChangeSettingsCommand
    | UndoCommand
    | RestoreRunCommand
    | RunCompactionCommand
    | RestoreMessageCommand
    | InspectorCommand
    | ShowRecordedCommand
    | CompareFileCommand
    | ReloadFileCommand
    | ExportCommand
    | CountSecretsCommand
    | StopReadingCommand
    | LoadSessionsCommand
    | SettingsCommand
    | InsightCommand
    | FolderCommand
    | ListCommand
)


@dataclass(frozen=True, slots=True)
class ReadingProgressEvent:
    """Progress of reading: fraction from 0 to 1 and a sentence."""

    fraction: float
    text: str


@dataclass(frozen=True, slots=True)
class WorkingEvent:
    """Some longer work began or goes on."""

    text: str
    fraction: float


@dataclass(frozen=True, slots=True)
class FileExportedEvent:
    """A file was written. ``actions`` are links to what can be done with it."""

    path: str
    text: str
    secrets: str = ""  # a sentence on those left in or written over
    severity: str = "info"
    actions: tuple[NoticeAction, ...] = ()


@dataclass(frozen=True, slots=True)
class SecretsCountedEvent:
    """How many secrets an export would hold, as sentences: with redaction off, and with it on.

    ``refused`` says why there would be no such file; ``found`` are lines on what was found and where.
    """

    command: CountSecretsCommand
    count: int
    kept: str
    replaced: str
    refused: str = ""
    found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileExistsEvent:
    """The export would overwrite a file; ask, then send it again with ``overwrite``.

    With ``why`` it would not open again as what was to be written: ask, then send it with ``force``.
    """

    command: ExportCommand
    why: str = ""


@dataclass(frozen=True, slots=True)
class IdleEvent:
    """Everything asked for so far is answered."""


Event: TypeAlias = (
    FileOpenedEvent
    | RowsReadEvent
    | Screen
    | ScreenChecks
    | MessageBody
    | WhyPage
    | FidelityPage
    | SummaryPage
    | DecayPage
    | ProbeOffer
    | ProbePage
    | Notice
    | ReadingProgressEvent
    | WorkingEvent
    | FileExportedEvent
    | SecretsCountedEvent
    | FileExistsEvent
    | IdleEvent
    | SettingsPage
    | ProfilesPage
    | PromptPage
    | TrialPage
    | CompletionList
    | CallQuestion
    | SummaryProgress
    | SessionRowsEvent
    | LastMessageEvent
    | ComparePage
    | PairPage
    | ReplayPage
    | SweepPage
    | FolderPage
    | RowsEvent
)

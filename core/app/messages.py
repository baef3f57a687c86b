"""Commands to the worker and events from it: the whole conversation between window and core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from core.app.services.analysis_commands import FolderCommand, InsightCommand
from core.app.services.list_commands import ListCommand
from core.app.services.settings_commands import OfficeCommand, TryPrompt
from core.presentation.checked_screen import Checked
from core.presentation.compare.model import ComparePage, PairPage
from core.presentation.fidelity.decay_model import DecayPage
from core.presentation.fidelity.model import FidelityPage
from core.presentation.folder.model import FolderPage
from core.presentation.lists.model import RowsEvent
from core.presentation.model import Body, Notice, NoticeAction, RowsPart, Screen, WhyPage
from core.presentation.opened_model import Opened
from core.presentation.probes.model import ProbeOffer, ProbePage
from core.presentation.prompts.model import PromptPage
from core.presentation.prompts.trial_model import TrialPage
from core.presentation.replay.model import ReplayPage
from core.presentation.sessions.model import SessionEnd, SessionsPart
from core.presentation.settings.model import Completions, ProfilesPage, Question, SettingsPage, Writing
from core.presentation.summary_check.model import SummaryPage
from core.presentation.sweep.model import SweepPage
from core.settings.schema import SettingValue

NO_FILE = "no-file"
"""Topic of the notice that a command is about a transcript and none is open."""


@dataclass(frozen=True, slots=True)
class Open:
    """Read a transcript. ``format`` forces a reader; empty: by content. ``branch`` is a way through
    a session that forks; ``scope`` the part to show first, empty: the whole session."""

    path: str
    format: str = ""
    conversation: int = 1
    branch: int = 1
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Set:
    """Change session settings (None clears a key), scope or model, then preview anew.

    ``draft`` answers at once with cuts, fates and sums, without writing the summary.
    """

    values: tuple[tuple[str, SettingValue | None], ...] = ()
    scope: str | None = None
    model: str | None = None
    draft: bool = False

    def upon(self, older: Set | None) -> Set:
        """What both said, as one command of this one's kind; this one wins."""
        if older is None:
            return self
        return Set(
            tuple((dict(older.values) | dict(self.values)).items()),
            self.scope if self.scope is not None else older.scope,
            self.model if self.model is not None else older.model,
            self.draft,
        )


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the last change of settings."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Go back to a run: its settings, scope and summary; ``number`` is its Choice's value."""

    number: str


@dataclass(frozen=True, slots=True)
class Compact:
    """Turn the preview into a run: kept in the list of runs, what Export works on.

    ``agreed``: the person has said yes to the paid call; ``offline``: write it offline this time.
    """

    focus: str = ""
    agreed: bool = False
    offline: bool = False


@dataclass(frozen=True, slots=True)
class PutBack:
    """Put a message of the source (from 0) back into the result as it was, or let it go again."""

    index: int
    back: bool = True


@dataclass(frozen=True, slots=True)
class Look:
    """Ask for the body of a message ("before" or "after"); ``whole`` lifts the 64 kB cap."""

    side: str
    index: int
    whole: bool = False


@dataclass(frozen=True, slots=True)
class LookCut:
    """Ask why a cut lies where it lies."""

    name: str


@dataclass(frozen=True, slots=True)
class LookRun:
    """Ask how the run that is shown went, stage by stage; the answer is a WhyPage."""


@dataclass(frozen=True, slots=True)
class LookFidelity:
    """Ask which facts of the source the result that is shown still holds; the answer is a FidelityPage."""


@dataclass(frozen=True, slots=True)
class LookSummary:
    """Ask what the check of the result's summaries found, and with ``place`` where the sentences of the
    summary in that message of the result come from; the answer is a SummaryPage."""

    place: int = -1


@dataclass(frozen=True, slots=True)
class FoldAgain:
    """Compact once more what the last compaction of a chain left; ``begins``: the source that is shown.

    The answer is a DecayPage; until it is over, ask again: whatever else was asked meanwhile comes first.
    """

    begins: bool = False


@dataclass(frozen=True, slots=True)
class AskProbes:
    """Ask for the questions about what the shown result lost; the answer is a ProbePage. Nothing is called.
    ``baseline``: they are asked over the uncompacted history, too."""

    baseline: bool = False


@dataclass(frozen=True, slots=True)
class RunProbes:
    """Ask the active profile's model those questions; a ProbePage comes after each answer."""

    baseline: bool = False


@dataclass(frozen=True, slots=True)
class LookRecorded:
    """Ask for the page of a recorded compaction, numbered from 1; the answer is a WhyPage."""

    number: int


@dataclass(frozen=True, slots=True)
class ShowRecorded:
    """Show what a recorded compaction (from 1) had before it and what it left, side by side."""

    number: int


@dataclass(frozen=True, slots=True)
class CompareFile:
    """Show another file of the same session beside the history, aligned by message identity."""

    path: str


@dataclass(frozen=True, slots=True)
class Reload:
    """Read the open file again where it has changed; settings, scope and view stay."""


@dataclass(frozen=True, slots=True)
class Export:
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
class CountSecrets:
    """Ask how many secrets a file of this format and side would hold; the answer is Secrets."""

    format: str
    side: str = "after"
    append: bool = False
    provenance: bool = False


@dataclass(frozen=True, slots=True)
class StopReading:
    """Stop where the reader is and show what was read."""


@dataclass(frozen=True, slots=True)
class AskSessions:
    """Ask for the sessions on this machine: begin anew, or go on with what is not known yet.

    ``folders`` are looked at too. The answer is a SessionsPart; until it is over, ask again. With ``end_of``,
    a path of a part that came, only that session's last message is asked for; the answer is a SessionEnd.
    """

    begins: bool = False
    folders: tuple[str, ...] = ()
    end_of: str = ""


LookCommand: TypeAlias = (
    Look
    | LookCut
    | LookRun
    | LookFidelity
    | LookSummary
    | FoldAgain
    | AskProbes
    | RunProbes
    | TryPrompt
    | LookRecorded
)
LOOKS = (
    Look,
    LookCut,
    LookRun,
    LookFidelity,
    LookSummary,
    FoldAgain,
    AskProbes,
    RunProbes,
    TryPrompt,
    LookRecorded,
)
"""What shows something of the preview and leaves it as it is; the same, for ``isinstance``."""

Command: TypeAlias = (
    Open
    | Set
    | Undo
    | Recall
    | Compact
    | PutBack
    | LookCommand
    | ShowRecorded
    | CompareFile
    | Reload
    | Export
    | CountSecrets
    | StopReading
    | AskSessions
    | OfficeCommand
    | InsightCommand
    | FolderCommand
    | ListCommand
)


@dataclass(frozen=True, slots=True)
class Reading:
    """Progress of reading: fraction from 0 to 1 and a sentence."""

    fraction: float
    text: str


@dataclass(frozen=True, slots=True)
class Working:
    """Some longer work began or goes on."""

    text: str
    fraction: float


@dataclass(frozen=True, slots=True)
class Exported:
    """A file was written. ``actions`` are links to what can be done with it."""

    path: str
    text: str
    secrets: str = ""  # a sentence on those left in or written over
    severity: str = "info"
    actions: tuple[NoticeAction, ...] = ()


@dataclass(frozen=True, slots=True)
class Secrets:
    """How many secrets an export would hold, as sentences: with redaction off, and with it on.

    ``refused`` says why there would be no such file; ``found`` are lines on what was found and where.
    """

    command: CountSecrets
    count: int
    kept: str
    replaced: str
    refused: str = ""
    found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exists:
    """The export would overwrite a file; ask, then send it again with ``overwrite``.

    With ``why`` it would not open again as what was to be written: ask, then send it with ``force``.
    """

    command: Export
    why: str = ""


@dataclass(frozen=True, slots=True)
class Idle:
    """Everything asked for so far is answered."""


Event: TypeAlias = (
    Opened
    | RowsPart
    | Screen
    | Checked
    | Body
    | WhyPage
    | FidelityPage
    | SummaryPage
    | DecayPage
    | ProbeOffer
    | ProbePage
    | Notice
    | Reading
    | Working
    | Exported
    | Secrets
    | Exists
    | Idle
    | SettingsPage
    | ProfilesPage
    | PromptPage
    | TrialPage
    | Completions
    | Question
    | Writing
    | SessionsPart
    | SessionEnd
    | ComparePage
    | PairPage
    | ReplayPage
    | SweepPage
    | FolderPage
    | RowsEvent
)

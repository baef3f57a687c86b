"""Commands to the worker and events from it: the whole conversation between window and core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from core.desk_insight import InsightCommand
from core.desk_rows import ListCommand
from core.prompts import Signature
from core.settings.schema import SettingValue
from core.view.compare_values import ComparePage, PairPage
from core.view.fidelity_values import FidelityPage
from core.view.list_values import RowsEvent
from core.view.prompt_values import PromptPage
from core.view.replay_values import ReplayPage
from core.view.session_values import SessionsPart
from core.view.settings_values import (
    Completions,
    ProfileRow,
    ProfilesPage,
    Question,
    SettingsPage,
    Writing,
)
from core.view.sweep_values import SweepPage
from core.view.values import Body, Notice, NoticeAction, Opened, RowsPart, Screen, WhyPage


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
    each message what it was, so that it can be put back later.
    """

    path: str
    format: str
    side: str = "after"
    overwrite: bool = False
    redact: bool = False
    append: bool = False
    provenance: bool = False


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
class Run:
    """A line of the command bar: ``/set``, ``/profile`` or ``/compact``."""

    text: str


@dataclass(frozen=True, slots=True)
class Complete:
    """Ask what may stand at the cursor of the command bar."""

    text: str
    cursor: int


@dataclass(frozen=True, slots=True)
class AskSettings:
    """Ask for the settings page."""


@dataclass(frozen=True, slots=True)
class SaveSettings:
    """Write values to the settings file (None takes one out); the session's values of them go."""

    values: tuple[tuple[str, SettingValue | None], ...]


@dataclass(frozen=True, slots=True)
class AskProfiles:
    """Ask for the profiles page."""


@dataclass(frozen=True, slots=True)
class UseProfile:
    """Make a profile the active one and load its settings into the session."""

    name: str


@dataclass(frozen=True, slots=True)
class SaveProfile:
    """Write a profile as edited; ``former`` is the name it has on disk, empty for a new one.

    ``from_session``: it takes the session's settings along.
    """

    row: ProfileRow
    former: str = ""
    from_session: bool = False


@dataclass(frozen=True, slots=True)
class DeleteProfile:
    """Delete a profile."""

    name: str


@dataclass(frozen=True, slots=True)
class TryProfile:
    """Call a profile's model with a few tokens; the answer is a notice of topic "test"."""

    row: ProfileRow


@dataclass(frozen=True, slots=True)
class AskPrompt:
    """Ask for the prompt page; ``text`` is the edited text, None as it is on disk."""

    name: str = ""
    provider: str = ""
    model: str = ""
    level: str = ""
    text: str | None = None
    seen: Signature | None = None


@dataclass(frozen=True, slots=True)
class SavePrompt:
    """Write a prompt override at a level."""

    name: str
    provider: str
    model: str
    level: str
    text: str
    seen: Signature | None = None


@dataclass(frozen=True, slots=True)
class RevertPrompt:
    """Delete the override at a level."""

    name: str
    provider: str
    model: str
    level: str


@dataclass(frozen=True, slots=True)
class AskSessions:
    """Ask for the sessions on this machine: begin anew, or go on with what is not known yet.

    ``folders`` are looked at too. The answer is a SessionsPart; until it is over, ask again.
    """

    begins: bool = False
    folders: tuple[str, ...] = ()


OfficeCommand: TypeAlias = (
    Run
    | Complete
    | AskSettings
    | SaveSettings
    | AskProfiles
    | UseProfile
    | SaveProfile
    | DeleteProfile
    | TryProfile
    | AskPrompt
    | SavePrompt
    | RevertPrompt
)
"""What has to do with settings, profiles, prompts and lines."""

Command: TypeAlias = (
    Open
    | Set
    | Undo
    | Recall
    | Compact
    | PutBack
    | Look
    | LookCut
    | LookRun
    | LookFidelity
    | LookRecorded
    | ShowRecorded
    | CompareFile
    | Reload
    | Export
    | CountSecrets
    | StopReading
    | AskSessions
    | OfficeCommand
    | InsightCommand
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

    ``refused`` says why there would be no such file.
    """

    command: CountSecrets
    count: int
    kept: str
    replaced: str
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Exists:
    """The export would overwrite a file; ask, then send it again with ``overwrite``."""

    command: Export


@dataclass(frozen=True, slots=True)
class Idle:
    """Everything asked for so far is answered."""


Event: TypeAlias = (
    Opened
    | RowsPart
    | Screen
    | Body
    | WhyPage
    | FidelityPage
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
    | Completions
    | Question
    | Writing
    | SessionsPart
    | ComparePage
    | PairPage
    | ReplayPage
    | SweepPage
    | RowsEvent
)

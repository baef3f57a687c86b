"""What the window asks of the worker about settings, profiles, prompts and lines, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal

from core.app.messages import (
    ChangeSettingsCommand,
    Command,
    CompactAgainCommand,
    CompareFileCommand,
    LoadProbesCommand,
    LoadSessionsCommand,
    LoadSummaryCommand,
    ReloadFileCommand,
    RestoreMessageCommand,
    RunProbesCommand,
    ShowRecordedCommand,
)
from core.app.services.analysis_commands import (
    ComparePairCommand,
    FolderCommand,
    OpenPairCommand,
    OpenTurnCommand,
    PriceCallsCommand,
    SaveTableCommand,
    StartCompareCommand,
    StartReplayCommand,
    StartSweepCommand,
)
from core.app.services.settings_commands import (
    CompleteLineCommand,
    DeleteProfileCommand,
    LoadProfilesCommand,
    LoadPromptCommand,
    LoadSettingsCommand,
    RevertPromptCommand,
    RunLineCommand,
    SaveProfileCommand,
    SavePromptCommand,
    SaveSettingsCommand,
    TryProfileCommand,
    TryPromptCommand,
    UseProfileCommand,
)
from core.presentation.compare.model import ComparePage, PairPage
from core.presentation.fidelity.decay_model import DecayPage
from core.presentation.folder.model import FolderPage
from core.presentation.probes.model import ProbeOffer, ProbePage
from core.presentation.prompts.model import PromptPage
from core.presentation.prompts.trial_model import TrialPage
from core.presentation.replay.model import ReplayPage
from core.presentation.sessions.model import LastMessageEvent, SessionRowsEvent
from core.presentation.settings.model import (
    CallQuestion,
    CompletionList,
    ProfileRow,
    ProfilesPage,
    SettingsPage,
    SummaryProgress,
)
from core.presentation.summary_check.model import SummaryPage
from core.presentation.sweep.model import SweepPage
from core.settings.schema import SettingValue
from gui.list_requests import LIST_SIGNALS, ListSessionCommands

SIGNALS: Mapping[type, str] = {
    SettingsPage: "settings_page",
    ProfilesPage: "profiles_page",
    PromptPage: "prompt_page",
    TrialPage: "trial_page",
    CompletionList: "completions",
    CallQuestion: "question",
    SummaryProgress: "writing",
    SessionRowsEvent: "sessions",
    LastMessageEvent: "session_end",
    **LIST_SIGNALS,
    SummaryPage: "summary",
    DecayPage: "decay",
    ProbeOffer: "probe_offer",
    ProbePage: "probe_page",
    ComparePage: "compare_page",
    PairPage: "pair_page",
    ReplayPage: "replay_page",
    SweepPage: "sweep_page",
    FolderPage: "folder_page",
}
"""The signal that carries an event, by the event's type."""

SettingChanges = tuple[tuple[str, SettingValue | None], ...]
"""(key, value) pairs; None takes a value away."""


class SessionCommands(ListSessionCommands):
    """Each method sends one command; the answers come as signals. Session knows how to send."""

    settings_page = Signal(object)  # SettingsPage
    profiles_page = Signal(object)  # ProfilesPage
    prompt_page = Signal(object)  # PromptPage
    trial_page = Signal(object)  # TrialPage
    completions = Signal(object)  # Completions
    question = Signal(object)  # Question
    writing = Signal(object)  # Writing
    sessions = Signal(object)  # SessionRowsEvent
    session_end = Signal(object)  # LastMessageEvent
    summary = Signal(object)  # SummaryPage
    decay = Signal(object)  # DecayPage
    probe_offer = Signal(object)  # ProbeOffer
    probe_page = Signal(object)  # ProbePage
    compare_page = Signal(object)  # ComparePage
    pair_page = Signal(object)  # PairPage
    replay_page = Signal(object)  # ReplayPage
    sweep_page = Signal(object)  # SweepPage
    folder_page = Signal(object)  # FolderPage

    def _send(self, command: Command) -> int:
        raise NotImplementedError

    def look_summary(self, place: int = -1) -> None:
        """Ask what the check of the summaries found, and where the sentences of one come from; the answer
        comes as ``summary``."""
        self._send(LoadSummaryCommand(place))

    def run_line(self, text: str) -> None:
        """Carry out a line of the command bar."""
        self._send(RunLineCommand(text))

    def complete(self, text: str, cursor: int) -> None:
        """Ask what may stand at the cursor; the answer comes as ``completions``."""
        self._send(CompleteLineCommand(text, cursor))

    def ask_settings(self) -> None:
        """Ask for all settings; the answer comes as ``settings_page``."""
        self._send(LoadSettingsCommand())

    def save_settings(self, values: SettingChanges) -> None:
        """Write values to the settings file."""
        self._send(SaveSettingsCommand(values))

    def set_values(self, values: SettingChanges) -> None:
        """Change several session settings in one step, so that Undo takes back all of them."""
        self._send(ChangeSettingsCommand(values))

    def ask_profiles(self) -> None:
        """Ask for all profiles; the answer comes as ``profiles_page``."""
        self._send(LoadProfilesCommand())

    def use_profile(self, name: str) -> None:
        """Make a profile the active one."""
        self._send(UseProfileCommand(name))

    def save_profile(self, row: ProfileRow, former: str = "", from_session: bool = False) -> None:
        """Write a profile; ``former`` is the name it has on disk, empty for a new one."""
        self._send(SaveProfileCommand(row, former, from_session))

    def delete_profile(self, name: str) -> None:
        """Delete a profile."""
        self._send(DeleteProfileCommand(name))

    def try_profile(self, row: ProfileRow) -> None:
        """Call a profile's model with a few tokens; the answer is a notice of topic "test"."""
        self._send(TryProfileCommand(row))

    def ask_sessions(self, command: LoadSessionsCommand) -> None:
        """Ask for the sessions on this machine; the answer comes as ``sessions`` or ``session_end``."""
        self._send(command)

    def show_recorded(self, number: int) -> None:
        """Show what a recorded compaction had before it and what it left."""
        self._send(ShowRecordedCommand(number))

    def put_back(self, index: int, back: bool) -> None:
        """Put a message of the source back into the result as it was, or let it go again."""
        self._send(RestoreMessageCommand(index, back))

    def ask_probes(self, baseline: bool = False) -> None:
        """Ask for the questions about what was compacted; the answer comes as ``probe_page``."""
        self._send(LoadProbesCommand(baseline))

    def run_probes(self, baseline: bool = False) -> None:
        """Ask a model those questions; ``probe_page`` comes after each answer."""
        self._send(RunProbesCommand(baseline))

    def fold_again(self, begins: bool = False) -> None:
        """Compact once more what the last compaction of a chain left; the answer comes as ``decay``."""
        self._send(CompactAgainCommand(begins))

    def compare_file(self, path: str) -> None:
        """Show another file of the same session on the after side."""
        self._send(CompareFileCommand(path))

    def reload(self) -> None:
        """Take in what was added to the open file."""
        self._send(ReloadFileCommand())

    def ask_prompt(self, command: LoadPromptCommand) -> None:
        """Ask for a prompt; the answer comes as ``prompt_page``."""
        self._send(command)

    def save_prompt(self, command: SavePromptCommand) -> None:
        """Write a prompt override."""
        self._send(command)

    def revert_prompt(self, command: RevertPromptCommand) -> None:
        """Delete a prompt override."""
        self._send(command)

    def try_prompt(self, command: TryPromptCommand) -> None:
        """Write a summary with a text that is being edited; ``trial_page`` comes after each step."""
        self._send(command)

    def start_compare(self, names: tuple[str, ...] = ()) -> None:
        """Make the next row of a comparison; the answer comes as ``compare_page``."""
        self._send(StartCompareCommand(names))

    def compare_pair(self, a: str, b: str) -> None:
        """Ask what each of two rows lost that the other has; the answer comes as ``pair_page``."""
        self._send(ComparePairCommand(a, b))

    def open_pair(self, a: str, b: str) -> None:
        """Show two results as before and after of each other."""
        self._send(OpenPairCommand(a, b))

    def start_replay(self, names: tuple[str, ...] = ()) -> None:
        """Play the next track; the answer comes as ``replay_page``."""
        self._send(StartReplayCommand(names))

    def open_turn(self, name: str, turn: int) -> None:
        """Show what a strategy had made of the session by a turn."""
        self._send(OpenTurnCommand(name, turn))

    def start_sweep(self, vary: tuple[str, ...] = ()) -> None:
        """Run the next points of a sweep; the answer comes as ``sweep_page``."""
        self._send(StartSweepCommand(vary))

    def price_calls(self, model: str) -> None:
        """Price summaries that no model wrote as if this one had; the next answers of views say it."""
        self._send(PriceCallsCommand(model))

    def save_table(self, view: str, path: str) -> None:
        """Write the table of a view as CSV; the answer comes as ``exported``."""
        self._send(SaveTableCommand(view, path))

    def ask_folder(self, command: FolderCommand) -> None:
        """Look into a folder, compare it, stop; the answer comes as ``folder_page``."""
        self._send(command)

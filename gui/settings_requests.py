"""What the window asks of the worker about settings, profiles, prompts and lines, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal

from core.app.messages import (
    AskProbes,
    AskSessions,
    Command,
    CompareFile,
    FoldAgain,
    LookSummary,
    PutBack,
    Reload,
    RunProbes,
    Set,
    ShowRecorded,
)
from core.app.services.analysis_commands import (
    ComparePair,
    FolderCommand,
    OpenPair,
    OpenTurn,
    PriceCalls,
    SaveTable,
    StartCompare,
    StartReplay,
    StartSweep,
)
from core.app.services.settings_commands import (
    AskProfiles,
    AskPrompt,
    AskSettings,
    Complete,
    DeleteProfile,
    RevertPrompt,
    Run,
    SaveProfile,
    SavePrompt,
    SaveSettings,
    TryProfile,
    TryPrompt,
    UseProfile,
)
from core.presentation.compare.model import ComparePage, PairPage
from core.presentation.fidelity.decay_model import DecayPage
from core.presentation.folder.model import FolderPage
from core.presentation.probes.model import ProbeOffer, ProbePage
from core.presentation.prompts.model import PromptPage
from core.presentation.prompts.trial_model import TrialPage
from core.presentation.replay.model import ReplayPage
from core.presentation.sessions.model import SessionEnd, SessionsPart
from core.presentation.settings.model import (
    Completions,
    ProfileRow,
    ProfilesPage,
    Question,
    SettingsPage,
    Writing,
)
from core.presentation.summary_check.model import SummaryPage
from core.presentation.sweep.model import SweepPage
from core.settings.schema import SettingValue
from gui.list_requests import LIST_SIGNALS, ListIntents

SIGNALS: Mapping[type, str] = {
    SettingsPage: "settings_page",
    ProfilesPage: "profiles_page",
    PromptPage: "prompt_page",
    TrialPage: "trial_page",
    Completions: "completions",
    Question: "question",
    Writing: "writing",
    SessionsPart: "sessions",
    SessionEnd: "session_end",
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

Changes = tuple[tuple[str, SettingValue | None], ...]
"""(key, value) pairs; None takes a value away."""


class Intents(ListIntents):
    """Each method sends one command; the answers come as signals. Session knows how to send."""

    settings_page = Signal(object)  # SettingsPage
    profiles_page = Signal(object)  # ProfilesPage
    prompt_page = Signal(object)  # PromptPage
    trial_page = Signal(object)  # TrialPage
    completions = Signal(object)  # Completions
    question = Signal(object)  # Question
    writing = Signal(object)  # Writing
    sessions = Signal(object)  # SessionsPart
    session_end = Signal(object)  # SessionEnd
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
        self._send(LookSummary(place))

    def run_line(self, text: str) -> None:
        """Carry out a line of the command bar."""
        self._send(Run(text))

    def complete(self, text: str, cursor: int) -> None:
        """Ask what may stand at the cursor; the answer comes as ``completions``."""
        self._send(Complete(text, cursor))

    def ask_settings(self) -> None:
        """Ask for all settings; the answer comes as ``settings_page``."""
        self._send(AskSettings())

    def save_settings(self, values: Changes) -> None:
        """Write values to the settings file."""
        self._send(SaveSettings(values))

    def set_values(self, values: Changes) -> None:
        """Change several session settings in one step, so that Undo takes back all of them."""
        self._send(Set(values))

    def ask_profiles(self) -> None:
        """Ask for all profiles; the answer comes as ``profiles_page``."""
        self._send(AskProfiles())

    def use_profile(self, name: str) -> None:
        """Make a profile the active one."""
        self._send(UseProfile(name))

    def save_profile(self, row: ProfileRow, former: str = "", from_session: bool = False) -> None:
        """Write a profile; ``former`` is the name it has on disk, empty for a new one."""
        self._send(SaveProfile(row, former, from_session))

    def delete_profile(self, name: str) -> None:
        """Delete a profile."""
        self._send(DeleteProfile(name))

    def try_profile(self, row: ProfileRow) -> None:
        """Call a profile's model with a few tokens; the answer is a notice of topic "test"."""
        self._send(TryProfile(row))

    def ask_sessions(self, command: AskSessions) -> None:
        """Ask for the sessions on this machine; the answer comes as ``sessions`` or ``session_end``."""
        self._send(command)

    def show_recorded(self, number: int) -> None:
        """Show what a recorded compaction had before it and what it left."""
        self._send(ShowRecorded(number))

    def put_back(self, index: int, back: bool) -> None:
        """Put a message of the source back into the result as it was, or let it go again."""
        self._send(PutBack(index, back))

    def ask_probes(self, baseline: bool = False) -> None:
        """Ask for the questions about what was compacted; the answer comes as ``probe_page``."""
        self._send(AskProbes(baseline))

    def run_probes(self, baseline: bool = False) -> None:
        """Ask a model those questions; ``probe_page`` comes after each answer."""
        self._send(RunProbes(baseline))

    def fold_again(self, begins: bool = False) -> None:
        """Compact once more what the last compaction of a chain left; the answer comes as ``decay``."""
        self._send(FoldAgain(begins))

    def compare_file(self, path: str) -> None:
        """Show another file of the same session on the after side."""
        self._send(CompareFile(path))

    def reload(self) -> None:
        """Take in what was added to the open file."""
        self._send(Reload())

    def ask_prompt(self, command: AskPrompt) -> None:
        """Ask for a prompt; the answer comes as ``prompt_page``."""
        self._send(command)

    def save_prompt(self, command: SavePrompt) -> None:
        """Write a prompt override."""
        self._send(command)

    def revert_prompt(self, command: RevertPrompt) -> None:
        """Delete a prompt override."""
        self._send(command)

    def try_prompt(self, command: TryPrompt) -> None:
        """Write a summary with a text that is being edited; ``trial_page`` comes after each step."""
        self._send(command)

    def start_compare(self, names: tuple[str, ...] = ()) -> None:
        """Make the next row of a comparison; the answer comes as ``compare_page``."""
        self._send(StartCompare(names))

    def compare_pair(self, a: str, b: str) -> None:
        """Ask what each of two rows lost that the other has; the answer comes as ``pair_page``."""
        self._send(ComparePair(a, b))

    def open_pair(self, a: str, b: str) -> None:
        """Show two results as before and after of each other."""
        self._send(OpenPair(a, b))

    def start_replay(self, names: tuple[str, ...] = ()) -> None:
        """Play the next track; the answer comes as ``replay_page``."""
        self._send(StartReplay(names))

    def open_turn(self, name: str, turn: int) -> None:
        """Show what a strategy had made of the session by a turn."""
        self._send(OpenTurn(name, turn))

    def start_sweep(self, vary: tuple[str, ...] = ()) -> None:
        """Run the next points of a sweep; the answer comes as ``sweep_page``."""
        self._send(StartSweep(vary))

    def price_calls(self, model: str) -> None:
        """Price summaries that no model wrote as if this one had; the next answers of views say it."""
        self._send(PriceCalls(model))

    def save_table(self, view: str, path: str) -> None:
        """Write the table of a view as CSV; the answer comes as ``exported``."""
        self._send(SaveTable(view, path))

    def ask_folder(self, command: FolderCommand) -> None:
        """Look into a folder, compare it, stop; the answer comes as ``folder_page``."""
        self._send(command)

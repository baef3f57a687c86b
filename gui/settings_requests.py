"""Commands about settings, profiles, prompts and views that the window sends to the worker."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal

from core.app.messages import (
    Command,
    CompactAgainCommand,
    LoadProbesCommand,
    LoadSummaryCommand,
    RunProbesCommand,
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
"""The signal for each type of event."""

SettingChanges = tuple[tuple[str, SettingValue | None], ...]
"""Pairs of key and value; None removes a value."""


class SessionCommands(ListSessionCommands):
    """Each method sends one command; the answers arrive as signals."""

    settings_page = Signal(object)  # SettingsPage
    profiles_page = Signal(object)  # ProfilesPage
    prompt_page = Signal(object)  # PromptPage
    trial_page = Signal(object)  # TrialPage
    completions = Signal(object)  # CompletionList
    question = Signal(object)  # CallQuestion
    writing = Signal(object)  # SummaryProgress
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

    def load_summary(self, index: int = -1) -> None:
        """Request the check of the summaries, and one summary's sources; answered by ``summary``."""
        self._send(LoadSummaryCommand(index))

    def run_line(self, text: str) -> None:
        self._send(RunLineCommand(text))

    def complete(self, text: str, cursor: int) -> None:
        """Request completions at the cursor; answered by ``completions``."""
        self._send(CompleteLineCommand(text, cursor))

    def load_settings(self) -> None:
        """Request all settings; answered by ``settings_page``."""
        self._send(LoadSettingsCommand())

    def save_settings(self, values: SettingChanges) -> None:
        self._send(SaveSettingsCommand(values))

    def load_profiles(self) -> None:
        """Request all profiles; answered by ``profiles_page``."""
        self._send(LoadProfilesCommand())

    def use_profile(self, name: str) -> None:
        self._send(UseProfileCommand(name))

    def save_profile(self, row: ProfileRow, old_name: str = "", from_session: bool = False) -> None:
        """Save a profile; ``old_name`` is its saved name, "" for a new one."""
        self._send(SaveProfileCommand(row, old_name, from_session))

    def delete_profile(self, name: str) -> None:
        self._send(DeleteProfileCommand(name))

    def try_profile(self, row: ProfileRow) -> None:
        """Call a profile's model with a few tokens; answered by a notice of topic "test"."""
        self._send(TryProfileCommand(row))

    def load_probes(self, baseline: bool = False) -> None:
        """Request the probe questions; answered by ``probe_page``."""
        self._send(LoadProbesCommand(baseline))

    def run_probes(self, baseline: bool = False) -> None:
        """Run the probes; ``probe_page`` is emitted after each answer."""
        self._send(RunProbesCommand(baseline))

    def compact_again(self, begins: bool = False) -> None:
        """Compact the result of the last repetition once more; answered by ``decay``."""
        self._send(CompactAgainCommand(begins))

    def load_prompt(self, command: LoadPromptCommand) -> None:
        """Request a prompt; answered by ``prompt_page``."""
        self._send(command)

    def save_prompt(self, command: SavePromptCommand) -> None:
        self._send(command)

    def revert_prompt(self, command: RevertPromptCommand) -> None:
        self._send(command)

    def try_prompt(self, command: TryPromptCommand) -> None:
        """Write a summary with an edited prompt; ``trial_page`` is emitted after each step."""
        self._send(command)

    def start_compare(self, names: tuple[str, ...] = ()) -> None:
        """Compute the next row of a comparison; answered by ``compare_page``."""
        self._send(StartCompareCommand(names))

    def compare_pair(self, a: str, b: str) -> None:
        """Request what each of two rows lost and the other kept; answered by ``pair_page``."""
        self._send(ComparePairCommand(a, b))

    def open_pair(self, a: str, b: str) -> None:
        self._send(OpenPairCommand(a, b))

    def start_replay(self, names: tuple[str, ...] = ()) -> None:
        """Replay the next strategy; answered by ``replay_page``."""
        self._send(StartReplayCommand(names))

    def open_turn(self, name: str, turn: int) -> None:
        """Show a strategy's result at a turn."""
        self._send(OpenTurnCommand(name, turn))

    def start_sweep(self, vary: tuple[str, ...] = ()) -> None:
        """Run the next points of a sweep; answered by ``sweep_page``."""
        self._send(StartSweepCommand(vary))

    def price_calls(self, model: str) -> None:
        """Price offline summaries as if this model had written them; the next answers of views use it."""
        self._send(PriceCallsCommand(model))

    def save_table(self, view: str, path: str) -> None:
        """Save the table of a view as CSV; answered by ``exported``."""
        self._send(SaveTableCommand(view, path))

    def send_folder_command(self, command: FolderCommand) -> None:
        """Scan a folder, compare it or stop; answered by ``folder_page``."""
        self._send(command)

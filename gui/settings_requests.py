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
from core.presentation.compare.model import ComparePage, PairPage
from core.presentation.fidelity.decay_model import DecayPage
from core.presentation.folder.model import FolderPage
from core.presentation.probes.model import ProbeOffer, ProbePage
from core.presentation.prompts.model import TrialPage
from core.presentation.replay.model import ReplayPage
from core.presentation.settings.model import CallQuestion, SummaryProgress
from core.presentation.summary_check.model import SummaryPage
from core.presentation.sweep.model import SweepPage
from core.settings.schema import SettingValue
from gui.list_requests import LIST_SIGNALS, ListSessionCommands

SIGNALS: Mapping[type, str] = {
    TrialPage: "trial_page",
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

    trial_page = Signal(object)  # TrialPage
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

    def load_probes(self, baseline: bool = False) -> None:
        """Request the probe questions; answered by ``probe_page``."""
        self._send(LoadProbesCommand(baseline))

    def run_probes(self, baseline: bool = False) -> None:
        """Run the probes; ``probe_page`` is emitted after each answer."""
        self._send(RunProbesCommand(baseline))

    def compact_again(self, begins: bool = False) -> None:
        """Compact the result of the last repetition once more; answered by ``decay``."""
        self._send(CompactAgainCommand(begins))

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

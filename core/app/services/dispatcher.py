"""Dispatches the commands of the window to their handlers; results are events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from core.app.document import OpenFile
from core.app.messages import (
    LOOKS,
    NO_FILE,
    Command,
    CountSecretsCommand,
    Event,
    ExportCommand,
    InspectorCommand,
)
from core.app.progress import ProgressReporter
from core.app.rpc import services_by_name
from core.app.services.compare import CompareService
from core.app.services.decay import DecayService
from core.app.services.export import run_export
from core.app.services.folder import FolderService
from core.app.services.inspection import inspector_page
from core.app.services.list_commands import (
    LISTS,
    CompareRunsCommand,
    ListCommand,
    NameRunCommand,
    PinCommand,
    PinConstraintsCommand,
    SetPinCommand,
)
from core.app.services.opening import OpenService
from core.app.services.pins import keep_pins
from core.app.services.preview import PreviewService
from core.app.services.probes import ProbeService
from core.app.services.profiles import ProfileService
from core.app.services.prompt_trials import PromptTrials
from core.app.services.prompts import PromptService
from core.app.services.replay import ReplayService
from core.app.services.run_pairs import label_of, runs_side_by_side
from core.app.services.sessions import SessionService
from core.app.services.settings import SettingsService
from core.app.services.sweep import SweepService
from core.app.session import Session
from core.common.errors import FoldlineError, NoFileError
from core.presentation.model import Notice


class CommandHandler(Session):
    """Carries out commands. ``interrupted`` returns why the current work should end (core.app.progress)."""

    def __init__(self, emit: Callable[[Event], None], interrupted: Callable[[], str]) -> None:
        super().__init__(emit, interrupted)
        reporter = ProgressReporter(emit, interrupted, stops_for_newer=True)
        profiles = ProfileService(self)
        self._previews = PreviewService(self)
        self.services: Mapping[str, object] = services_by_name(
            OpenService(self),
            self._previews,
            SessionService(reporter),
            SettingsService(self, self._previews, profiles),
            profiles,
            PromptService(self, PromptTrials(emit, self.model_runs)),
            CompareService(self),
            ReplayService(self),
            SweepService(self),
            FolderService(self),
            DecayService(self),
            ProbeService(self),
        )

    def handle(self, command: Command) -> None:
        """Carry out one command. FoldlineError becomes a notice; Cancelled passes through."""
        try:
            self.refresh()
            self._handle(command)
        except FoldlineError as error:
            topic = NO_FILE if isinstance(error, NoFileError) else ""
            self.emit(Notice("error", error.message, error.hint, topic=topic))

    def _handle(self, command: Command) -> None:
        match command:
            case _ if isinstance(command, LOOKS):
                self._inspect(command)
            case ExportCommand() | CountSecretsCommand():
                self._export(command)
            case _ if isinstance(command, LISTS):
                self._handle_lists(command)

    def _inspect(self, command: InspectorCommand) -> None:
        preview = self.shown_preview()
        reporter = ProgressReporter(self.emit, self.interrupted, stops_for_newer=True)
        self.emit(inspector_page(command, self.opened_file(), preview, reporter.working))

    def _handle_lists(self, command: ListCommand) -> None:
        file = self.opened_file()
        if isinstance(command, NameRunCommand):
            self.view = self.runs.named(command.number, command.name, self.view)
            self.undo_stack = [self.runs.named(command.number, command.name, one) for one in self.undo_stack]
            self.show(file, self.shown_preview())
        elif isinstance(command, CompareRunsCommand):
            self._show_pair(file, command)
        elif isinstance(command, (SetPinCommand, PinConstraintsCommand)):
            self._pin(file, command)
        else:
            reporter = ProgressReporter(self.emit, self.interrupted, stops_for_newer=True)
            self._lists.handle(command, file, self.shown_preview(), reporter)

    def _pin(self, file: OpenFile, command: PinCommand) -> None:
        reporter = ProgressReporter(self.emit, self.interrupted, stops_for_newer=True)
        update = self._lists.pinned(command, file, self.shown_preview(), self.view.pins, reporter)
        if update.pins != self.view.pins:
            self.undo_stack.append(former := self.view)
            self.view, file.change = replace(former, pins=update.pins), None
            self.view, self.undo_stack = keep_pins(file.conversation, self.view, former, self.undo_stack)
        self.show(file, self.preview(file, self.view), update.notice)

    def _show_pair(self, file: OpenFile, command: CompareRunsCommand) -> None:
        runs = (self.runs.recalled(one, self.view) for one in (command.a, command.b))
        a, b = (self.with_checks(file, self.preview(file, run)) for run in runs)
        names = label_of(self.view.runs, command.a), label_of(self.view.runs, command.b)
        counter = file.counter_of(a)
        preview, notice = runs_side_by_side(a, b, names, counter, self.generation + 1)
        if (settled := file.last_full_preview) is not None:  # pickers and panel keep showing the settings
            preview = replace(preview, strategy=settled.strategy, values=settled.values, mode=settled.mode)
        self.show(file, preview, notice)

    def _export(self, command: ExportCommand | CountSecretsCommand) -> None:
        file = self.opened_file()
        preview = self.with_checks(file, file.exported or self.preview(file, self.view))
        reporter = ProgressReporter(self.emit, self.interrupted)
        run_export(command, preview, file.format_reason, self.emit, reporter.working)

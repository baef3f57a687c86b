"""Dispatches the commands of the window to their handlers; results are events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from core.app.document import OpenFile
from core.app.messages import (
    LOOKS,
    NO_FILE,
    ChangeSettingsCommand,
    Command,
    CompactAgainCommand,
    CompareFileCommand,
    CountSecretsCommand,
    Event,
    ExportCommand,
    InspectorCommand,
    LoadFidelityCommand,
    LoadProbesCommand,
    OpenFileCommand,
    ReloadFileCommand,
    RestoreMessageCommand,
    RestoreRunCommand,
    RunCompactionCommand,
    RunProbesCommand,
    ShowRecordedCommand,
    StopReadingCommand,
    UndoCommand,
)
from core.app.progress import ProgressReporter
from core.app.rpc import services_by_name
from core.app.services.analysis_commands import FOLDER, INSIGHT, FolderCommand, InsightCommand
from core.app.services.analysis_context import AnalysisContext
from core.app.services.compare import AnalysisCommandHandler
from core.app.services.decay import DecayCommandHandler
from core.app.services.export import run_export
from core.app.services.folder import FolderCommandHandler
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
from core.app.services.opening import FileOpener
from core.app.services.pins import keep_pins
from core.app.services.probes import ProbeCommandHandler
from core.app.services.prompt_trials import PromptTrialHandler
from core.app.services.run_pairs import label_of, runs_side_by_side
from core.app.services.runs import ViewState
from core.app.services.sessions import SessionService
from core.app.services.settings import SettingsCommandHandler
from core.app.services.settings_commands import LoadSettingsCommand, TryPromptCommand
from core.app.services.side_by_side import notice_of, side_by_side_view
from core.common.errors import Cancelled, FoldlineError, NoFileError
from core.common.garbage_collection import paused_collection
from core.configuration.layers import SettingLayers
from core.presentation.model import Notice
from core.presentation.notices import LIMIT_TOPIC, run_notice
from core.presentation.tuning.change_effects import last_change
from core.preview.options import PreviewOptions
from core.preview.preview import with_restored
from core.settings.keys import PROFILE, STRATEGY
from core.settings.profile import OFFLINE
from core.tokens.counting_process import CountingProcess
from core.transcript.scopes import BEFORE


class CommandHandler(FileOpener):
    """Carries out commands. ``interrupted`` returns why the current work should end (core.app.progress);
    ``counting`` counts in a process of its own."""

    def __init__(
        self,
        emit: Callable[[Event], None],
        interrupted: Callable[[], str],
        counting: CountingProcess | None = None,
    ) -> None:
        super().__init__(emit, interrupted, counting)
        self.settings = SettingsCommandHandler(self, emit)
        reporter = ProgressReporter(emit, interrupted, stops_for_newer=True)
        self.services: Mapping[str, object] = services_by_name(SessionService(reporter))
        self._decay = DecayCommandHandler(emit)
        self._analysis = AnalysisCommandHandler(emit, self.show)
        self._folder = FolderCommandHandler(emit, interrupted)
        self._probes = ProbeCommandHandler(emit, self.is_cancelled)
        self._trials = PromptTrialHandler(emit, self._model)

    def handle(self, command: Command) -> None:
        """Carry out one command. FoldlineError becomes a notice; Cancelled passes through."""
        try:
            is_changed = self._refresh(tells=not isinstance(command, OpenFileCommand))
            self._handle(command)
            if is_changed and isinstance(command, LoadSettingsCommand):
                self.change(self.layers, self.profile, ())
        except FoldlineError as error:
            topic = NO_FILE if isinstance(error, NoFileError) else ""
            self.emit(Notice("error", error.message, error.hint, topic=topic))

    def _refresh(self, *, tells: bool) -> bool:
        """Take in a changed settings file and report its new problems; returns whether it changed."""
        configuration, former = self.settings.office, self.view
        known = configuration.problems
        self.view = replace(former, layers=configuration.refreshed(former.layers))
        if tells and configuration.problems != known:
            self._send_problems()
        return self.view != former

    def _handle(self, command: Command) -> None:
        match command:
            case OpenFileCommand():
                self._open(command)
            case ChangeSettingsCommand():
                with paused_collection():  # until the last value is sent
                    self._set(command)
            case RestoreRunCommand() | UndoCommand() | RunCompactionCommand() | RestoreMessageCommand():
                self._handle_run(command)
            case _ if isinstance(command, LOOKS):
                self._inspect(command)
            case ShowRecordedCommand() | CompareFileCommand():
                self._beside(command)
            case ReloadFileCommand():
                self._reload()
            case ExportCommand() | CountSecretsCommand():
                self._export(command)
            case _ if isinstance(command, (*INSIGHT, *FOLDER)):
                self._analyse(command)
            case _ if isinstance(command, LISTS):
                self._handle_lists(command)
            case _ if not isinstance(command, StopReadingCommand):  # nothing is being read
                self.settings.handle(command)

    def _inspect(self, command: InspectorCommand) -> None:
        preview = self.shown_preview()
        reporter = ProgressReporter(self.emit, self.interrupted, stops_for_newer=True)
        if isinstance(command, CompactAgainCommand):
            self._decay.handle(command, preview, reporter.working)
        elif isinstance(command, (LoadProbesCommand, RunProbesCommand)):
            self._probes.handle(command, self.opened_file(), preview, self.active_profile, reporter.working)
        elif isinstance(command, TryPromptCommand):
            self._trials.handle(command, self.opened_file(), preview, self.preview_options(self.view))
        else:
            if isinstance(command, LoadFidelityCommand):
                self._probes.offer(preview, self.active_profile)
            self.emit(inspector_page(command, self.opened_file(), preview, reporter.working))

    def _analyse(self, command: InsightCommand | FolderCommand) -> None:
        if isinstance(command, FOLDER):
            self._folder.handle(command, self.view.layers.resolve())
            return
        file, view = self.opened_file(), self.view
        reporter = ProgressReporter(self.emit, self.interrupted, stops_for_newer=True)
        self._generation += 1
        options = PreviewOptions(view.scope, view.model, progress=reporter.working)
        self._analysis.handle(
            command, AnalysisContext(file, view.layers.resolve(), options, self._generation)
        )

    def _handle_run(
        self, command: RestoreRunCommand | UndoCommand | RunCompactionCommand | RestoreMessageCommand
    ) -> None:
        match command:
            case RestoreRunCommand():
                self._restore_run(command)
            case UndoCommand():
                self._undo_last()
            case RestoreMessageCommand():
                self._restore_message(command)
            case RunCompactionCommand():
                self.compact(command)

    def _beside(self, command: ShowRecordedCommand | CompareFileCommand) -> None:
        """Show a recorded compaction or another file instead of the preview, until the next change."""
        file, reporter = self.opened_file(), ProgressReporter(self.emit, self.interrupted)
        scope = f"{BEFORE}{command.number}" if isinstance(command, ShowRecordedCommand) else self.view.scope
        preview = self.preview(file, replace(self.view, scope=scope), draft=True)
        comparison, preview = side_by_side_view(file, preview, command, reporter)
        self.show(file, preview, notice_of(comparison, preview))

    def _set(self, command: ChangeSettingsCommand) -> None:
        command = command.upon(self._interrupted_change)
        self._interrupted_change = self._interrupted_change if command.draft else None
        view = self._changed(command)
        file = self.file
        if file is None:
            self.view = view
            return
        before, previous = self.view, file.last_full_preview
        try:
            preview = self.preview(file, view, draft=command.draft, yields=True)
        except Cancelled:
            if not command.draft and not self.is_cancelled():
                self._interrupted_change = command
            raise
        except FoldlineError as error:
            self._refuse(file, command, error)
            return
        keys = tuple(key for key, _ in command.values)
        change = last_change(previous, preview, keys) or file.change
        if command.draft:
            self.show(file, preview, change=change, layers=view.layers)
            return
        self._pending = ()
        if view != before:
            self.undo_stack.append(before)
            file.change = change
        self.view = view
        self.show(file, preview)

    def _refuse(self, file: OpenFile, command: ChangeSettingsCommand, error: FoldlineError) -> None:
        """Keep the former state; show it again with the reason, so that every control has its value."""
        notice = self._reason(file, command, error)
        if notice.topic == LIMIT_TOPIC:
            self._pending = command.values
        if file.last_full_preview is None:
            self.emit(notice)
        else:
            self.show(file, file.last_full_preview, notice)

    def _reason(self, file: OpenFile, command: ChangeSettingsCommand, error: FoldlineError) -> Notice:
        return self._refusal(file, error, str(dict(command.values).get(STRATEGY) or ""))

    def _restore_message(self, command: RestoreMessageCommand) -> None:
        """Restore a message in the result, or undo that; Undo reverses it."""
        file, change = self.opened_file(), {command.index}
        put_back = self.view.put_back | change if command.back else self.view.put_back - change
        view = replace(self.view, put_back=put_back)
        if view == self.view:
            what = f"#{command.index + 1} is unchanged in the result."
            self.emit(Notice("info", what, "Nothing to put back.", topic="result"))
            return
        preview = self.preview(file, view)
        self.undo_stack.append(self.view)
        self.view, file.change = view, None
        self.show(file, preview)

    def _undo_last(self) -> None:
        if self.file is None or not self.undo_stack:
            return
        former = self.undo_stack.pop()
        # later changes of the settings file stay
        view = replace(former, layers=former.layers.with_saved(self.view.layers.saved))
        preview = self.preview(self.file, view)
        if view.pins != self.view.pins:
            view, self.undo_stack = keep_pins(self.file.conversation, view, self.view, self.undo_stack)
            preview = self.preview(self.file, view)  # with pins of another window
        self.view = view
        self.file.change = None
        self.show(self.file, preview)

    def change(self, layers: SettingLayers, profile: str, keys: tuple[str, ...]) -> None:
        """Take over settings and active profile, and preview again; ``keys`` changed."""
        view = self._moved(replace(self.view, layers=layers, profile=profile))
        file = self.file
        if file is None:
            self.view = view
            return
        # the saved layer is that of the file, even if no preview is possible with it
        self.view = replace(self.view, layers=self.view.layers.with_saved(layers.saved))
        try:
            preview = self.preview(file, view)
        except FoldlineError as error:
            command = ChangeSettingsCommand(tuple((key, layers.session.get(key)) for key in keys))
            if self._reason(file, command, error).topic != LIMIT_TOPIC:
                raise
            self._refuse(file, command, error)
            return
        if view != self.view:
            self.undo_stack.append(self.view)
            file.change = last_change(file.last_full_preview, preview, keys) or file.change
        self.view = view
        self.show(file, preview)

    def compact(self, command: RunCompactionCommand) -> None:
        """Run the strategy; with a real profile its model writes, once the user has agreed to pay.

        With ``offline`` the offline profile becomes the active one, so that the next run is free as well.
        """
        file = self.opened_file()
        view = replace(self.view, focus=command.focus)
        view = _offline(view) if command.offline else view
        preview = self._model.compacted(
            file, self.preview(file, view), command, self.preview_options(view), view.key
        )
        if preview is None:
            return
        preview = with_restored(preview, view.put_back, file.counter_of(preview))
        self.undo_stack.append(self.view)
        number, self.view = self.runs.add(view, preview)
        self.show(file, preview, run_notice(number, preview))

    def _restore_run(self, command: RestoreRunCommand) -> None:
        """Show a run again; its settings become those of the session."""
        file, view = self.opened_file(), self.runs.recalled(command.number, self.view)
        preview = self.preview(file, view)
        self.undo_stack.append(self.view)
        self.view, file.change = view, None
        self.show(file, preview)

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
        preview, notice = runs_side_by_side(a, b, names, counter, self._generation + 1)
        if (settled := file.last_full_preview) is not None:  # pickers and panel keep showing the settings
            preview = replace(preview, strategy=settled.strategy, values=settled.values, mode=settled.mode)
        self.show(file, preview, notice)

    def _export(self, command: ExportCommand | CountSecretsCommand) -> None:
        file = self.opened_file()
        preview = self.with_checks(file, file.exported or self.preview(file, self.view))
        reporter = ProgressReporter(self.emit, self.interrupted)
        run_export(command, preview, file.format_reason, self.emit, reporter.working)


def _offline(view: ViewState) -> ViewState:
    """Return the state with the offline profile in use; values from another profile stay."""
    named = view.layers.resolve().get(PROFILE)
    layers = view.layers if named in (None, OFFLINE) else view.layers.with_session(PROFILE, OFFLINE)
    return replace(view, profile=OFFLINE, layers=layers)

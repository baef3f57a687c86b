"""The desk in the worker: carries out commands one by one and answers with values for the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.app.document import OpenFile
from core.app.loading import ProgressReporter
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
    LoadSessionsCommand,
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
from core.app.services.sessions import SessionsCommandHandler
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
from core.preview.preview import with_put_back
from core.settings.keys import PROFILE, STRATEGY
from core.settings.profile import OFFLINE
from core.tokens.counting_process import CountingProcess
from core.transcript.scopes import BEFORE


class CommandHandler(FileOpener):
    """Carries out commands. ``interrupted`` tells why work in hand should end (core.app.loading); ``tally``
    counts in a process of its own; ``generation`` is the last that rows had before."""

    def __init__(
        self,
        emit: Callable[[Event], None],
        interrupted: Callable[[], str],
        tally: CountingProcess | None = None,
        generation: int = 0,
    ) -> None:
        super().__init__(emit, interrupted, tally, generation)
        self._office = SettingsCommandHandler(self, emit)
        self._sessions = SessionsCommandHandler(emit, interrupted)
        self._folds = DecayCommandHandler(emit)
        self._analysis = AnalysisCommandHandler(emit, self._show)
        self._folder = FolderCommandHandler(emit, interrupted)
        self._probes = ProbeCommandHandler(emit, self.is_cancelled)
        self._trials = PromptTrialHandler(emit, self._model)

    def handle(self, command: Command) -> None:
        """Carry out one command. What a person can mend becomes a notice; Cancelled passes through."""
        try:
            is_moved = self._refresh(tells=not isinstance(command, OpenFileCommand))
            self._handle(command)
            if is_moved and isinstance(command, LoadSettingsCommand):
                self.change(self.layers, self.profile, ())
        except FoldlineError as error:
            topic = NO_FILE if isinstance(error, NoFileError) else ""
            self._emit(Notice("error", error.message, error.hint, topic=topic))

    def _refresh(self, *, tells: bool) -> bool:
        """Take in a settings file that changed, True where it did; what is newly wrong with it is told."""
        office, former = self._office.office, self._wish
        known = office.problems
        self._wish = replace(former, layers=office.refreshed(former.layers))
        if tells and office.problems != known:
            self._tell_problems()
        return self._wish != former

    def _handle(self, command: Command) -> None:
        match command:
            case OpenFileCommand():
                self._open(command)
            case ChangeSettingsCommand():
                with paused_collection():  # from the first value that is made to the last that is sent
                    self._set(command)
            case RestoreRunCommand() | UndoCommand() | RunCompactionCommand() | RestoreMessageCommand():
                self._handle_run(command)
            case _ if isinstance(command, LOOKS):
                self._look(command)
            case ShowRecordedCommand() | CompareFileCommand():
                self._beside(command)
            case ReloadFileCommand():
                self._reload()
            case ExportCommand() | CountSecretsCommand():
                self._export(command)
            case LoadSessionsCommand():
                self._sessions.handle(command)
            case _ if isinstance(command, (*INSIGHT, *FOLDER)):
                self._analyse(command)
            case _ if isinstance(command, LISTS):
                self._handle_lists(command)
            case _ if not isinstance(command, StopReadingCommand):  # for which nothing is being read
                self._office.handle(command)

    def _look(self, command: InspectorCommand) -> None:
        """Show something of the preview, which stays as it is."""
        made, watch = self._seen(), ProgressReporter(self._emit, self._interrupted, stops_for_newer=True)
        if isinstance(command, CompactAgainCommand):
            self._folds.handle(command, made, watch.working)
        elif isinstance(command, (LoadProbesCommand, RunProbesCommand)):
            self._probes.handle(command, self._opened(), made, self._active, watch.working)
        elif isinstance(command, TryPromptCommand):
            self._trials.handle(command, self._opened(), made, self._ask(self._wish))
        else:
            if isinstance(command, LoadFidelityCommand):
                self._probes.offer(made, self._active)
            self._emit(inspector_page(command, self._opened(), made, watch.working))

    def _analyse(self, command: InsightCommand | FolderCommand) -> None:
        """Compare, Replay, Sweep, a folder: all summaries offline, under the settings of the session."""
        if isinstance(command, FOLDER):
            self._folder.handle(command, self._wish.layers.resolve())
            return
        file, wish = self._opened(), self._wish
        watch = ProgressReporter(self._emit, self._interrupted, stops_for_newer=True)
        self._generation += 1
        ask = PreviewOptions(wish.scope, wish.model, progress=watch.working)
        self._analysis.handle(command, AnalysisContext(file, wish.layers.resolve(), ask, self._generation))

    def _handle_run(
        self, command: RestoreRunCommand | UndoCommand | RunCompactionCommand | RestoreMessageCommand
    ) -> None:
        match command:
            case RestoreRunCommand():
                self._recall(command)
            case UndoCommand():
                self._take_back()
            case RestoreMessageCommand():
                self._put_back(command)
            case RunCompactionCommand():
                self.compact(command)

    def _beside(self, command: ShowRecordedCommand | CompareFileCommand) -> None:
        """Show what really happened in the place of the preview, until anything else is asked."""
        file, watch = self._opened(), ProgressReporter(self._emit, self._interrupted)
        scope = f"{BEFORE}{command.number}" if isinstance(command, ShowRecordedCommand) else self._wish.scope
        made = self._preview(file, replace(self._wish, scope=scope), draft=True)
        found, seen = side_by_side_view(file, made, command, watch)
        self._show(file, seen, notice_of(found, seen))

    def _set(self, command: ChangeSettingsCommand) -> None:
        command = command.upon(self._late)
        self._late = self._late if command.draft else None
        wish = self._changed(command)
        file = self._file
        if file is None:
            self._wish = wish
            return
        before, previous = self._wish, file.settled
        try:
            made = self._preview(file, wish, draft=command.draft, yields=True)
        except Cancelled:
            if not command.draft and not self.is_cancelled():
                self._late = command
            raise
        except FoldlineError as error:
            self._refuse(file, command, error)
            return
        keys = tuple(key for key, _ in command.values)
        change = last_change(previous, made, keys) or file.change
        if command.draft:
            self._show(file, made, change=change, layers=wish.layers)
            return
        self._pending = ()
        if wish != before:
            self._undo.append(before)
            file.change = change
        self._wish = wish
        self._show(file, made)

    def _refuse(self, file: OpenFile, command: ChangeSettingsCommand, error: FoldlineError) -> None:
        """Keep what was; show it again with the reason, so that every control reads as it is."""
        notice = self._reason(file, command, error)
        if notice.topic == LIMIT_TOPIC:
            self._pending = command.values
        if file.settled is None:
            self._emit(notice)
        else:
            self._show(file, file.settled, notice)

    def _reason(self, file: OpenFile, command: ChangeSettingsCommand, error: FoldlineError) -> Notice:
        return self._refusal(file, error, str(dict(command.values).get(STRATEGY) or ""))

    def _put_back(self, command: RestoreMessageCommand) -> None:
        """Show the result with a message as it was, or without; Undo takes it back."""
        file, change = self._opened(), {command.index}
        put_back = self._wish.put_back | change if command.back else self._wish.put_back - change
        wish = replace(self._wish, put_back=put_back)
        if wish == self._wish:
            what = f"#{command.index + 1} stands in the result as it is."
            self._emit(Notice("info", what, "Nothing to put back.", topic="result"))
            return
        made = self._preview(file, wish)
        self._undo.append(self._wish)
        self._wish, file.change = wish, None
        self._show(file, made)

    def _take_back(self) -> None:
        if self._file is None or not self._undo:
            return
        former = self._undo.pop()
        # what was saved since stays saved
        wish = replace(former, layers=former.layers.with_saved(self._wish.layers.saved))
        made = self._preview(self._file, wish)
        if wish.pins != self._wish.pins:
            wish, self._undo = keep_pins(self._file.conversation, wish, self._wish, self._undo)
            made = self._preview(self._file, wish)  # another window may have pinned, too
        self._wish = wish
        self._file.change = None
        self._show(self._file, made)

    def change(self, layers: SettingLayers, profile: str, keys: tuple[str, ...]) -> None:
        """Take over settings and active profile, and preview anew; ``keys`` changed."""
        wish = self._moved(replace(self._wish, layers=layers, profile=profile))
        file = self._file
        if file is None:
            self._wish = wish
            return
        # the saved layer is that of the file, whether or not a preview can be made with it
        self._wish = replace(self._wish, layers=self._wish.layers.with_saved(layers.saved))
        try:
            made = self._preview(file, wish)
        except FoldlineError as error:
            command = ChangeSettingsCommand(tuple((key, layers.session.get(key)) for key in keys))
            if self._reason(file, command, error).topic != LIMIT_TOPIC:
                raise
            self._refuse(file, command, error)
            return
        if wish != self._wish:
            self._undo.append(self._wish)
            file.change = last_change(file.settled, made, keys) or file.change
        self._wish = wish
        self._show(file, made)

    def compact(self, command: RunCompactionCommand) -> None:
        """Run the strategy; with a real profile its model writes, once the person agreed to pay.

        Who wants it ``offline`` has the offline profile from now on, so that the next one is free as well.
        """
        file = self._opened()
        wish = replace(self._wish, focus=command.focus)
        wish = _offline(wish) if command.offline else wish
        made = self._model.compacted(file, self._preview(file, wish), command, self._ask(wish), wish.key)
        if made is None:
            return
        made = with_put_back(made, wish.put_back, file.counter_of(made))
        self._undo.append(self._wish)
        number, self._wish = self._runs.keep(wish, made)
        self._show(file, made, run_notice(number, made))

    def _recall(self, command: RestoreRunCommand) -> None:
        """Show a run again; its settings are those of the session from now on."""
        file, wish = self._opened(), self._runs.recalled(command.number, self._wish)
        made = self._preview(file, wish)
        self._undo.append(self._wish)
        self._wish, file.change = wish, None
        self._show(file, made)

    def _handle_lists(self, command: ListCommand) -> None:
        """Filter, marks, copies; name a run, or show two of them until anything else is asked."""
        file = self._opened()
        if isinstance(command, NameRunCommand):
            self._wish = self._runs.named(command.number, command.name, self._wish)
            self._undo = [self._runs.named(command.number, command.name, one) for one in self._undo]
            self._show(file, self._seen())
        elif isinstance(command, CompareRunsCommand):
            self._show_pair(file, command)
        elif isinstance(command, (SetPinCommand, PinConstraintsCommand)):
            self._pin(file, command)
        else:
            watch = ProgressReporter(self._emit, self._interrupted, stops_for_newer=True)
            self._lists.handle(command, file, self._seen(), watch)

    def _pin(self, file: OpenFile, command: PinCommand) -> None:
        """Pin messages, keep that in the state folder, and preview anew; Undo takes it back."""
        watch = ProgressReporter(self._emit, self._interrupted, stops_for_newer=True)
        found = self._lists.pinned(command, file, self._seen(), self._wish.pins, watch)
        if found.pins != self._wish.pins:
            self._undo.append(former := self._wish)
            self._wish, file.change = replace(former, pins=found.pins), None
            self._wish, self._undo = keep_pins(file.conversation, self._wish, former, self._undo)
        self._show(file, self._preview(file, self._wish), found.notice)

    def _show_pair(self, file: OpenFile, command: CompareRunsCommand) -> None:
        runs = (self._runs.recalled(one, self._wish) for one in (command.a, command.b))
        a, b = (self._whole(file, self._preview(file, run)) for run in runs)
        names = label_of(self._wish.runs, command.a), label_of(self._wish.runs, command.b)
        counter = file.counter_of(a)
        seen, notice = runs_side_by_side(a, b, names, counter, self._generation + 1)
        if (now := file.settled) is not None:  # pickers and panel go on saying what is set
            seen = replace(seen, strategy=now.strategy, values=now.values, mode=now.mode)
        self._show(file, seen, notice)

    def _export(self, command: ExportCommand | CountSecretsCommand) -> None:
        file = self._opened()
        made = self._whole(file, file.exported or self._preview(file, self._wish))
        watch = ProgressReporter(self._emit, self._interrupted)
        run_export(command, made, file.why, self._emit, watch.working)


def _offline(wish: ViewState) -> ViewState:
    """The wish with the offline profile in use; the values that another one brought stay."""
    named = wish.layers.resolve().get(PROFILE)
    layers = wish.layers if named in (None, OFFLINE) else wish.layers.with_session(PROFILE, OFFLINE)
    return replace(wish, profile=OFFLINE, layers=layers)

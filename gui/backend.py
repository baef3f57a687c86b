"""The only bridge between core and Qt: sends commands to the worker, reads its replies in the only
Qt thread, and emits its events as signals."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

from PySide6.QtCore import QObject, QThread, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from core.app.events import (
    NO_FILE,
    CompactionRequest,
    Event,
    FileExportedEvent,
    IdleEvent,
    OpenRequest,
    ReadingProgressEvent,
    ViewStateEvent,
    WorkerReadyEvent,
    WorkingEvent,
)
from core.app.processes import UNRESPONSIVE_SECONDS, WorkerProcess, next_reply
from core.app.remote_methods import OpenService, PreviewService, SideBySideService
from core.app.rpc import Answer, Call, Failed, Returned, Stop, Update, call_of
from core.app.start_error import StartError
from core.app.worker import (
    HostFactory,
    WorkerSignal,
    cancelled_notice,
    cannot_start_notice,
    ended_notice,
    reopened_notice,
    reopening_notice,
    stopped_twice_notice,
)
from core.common.errors import InputError
from core.presentation.dialog_model import (
    CallQuestion,
    FileOpenedEvent,
    SummaryProgress,
    TrialPage,
)
from core.presentation.model import Notice, RowsReadEvent
from core.presentation.screen_model import Screen
from core.settings.schema import STRATEGY, SettingChanges, SettingValue
from gui.remote_call import PendingCall, PendingCalls

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from core.app.view_state import ViewState
    from core.presentation.compare.model import StrategyCard


def collect_due() -> None:
    """Collect garbage if due, while automatic collection is off."""
    counted = zip(gc.get_count(), gc.get_threshold(), strict=True)
    due = [
        generation
        for generation, (count, limit) in enumerate(counted)
        if count > limit > 0
    ]
    if due:
        gc.collect(due[-1])


class PipeReader(QThread):
    """Emits ``arrived(serial, event)`` per reply, and ``ended(reader)`` once when the worker ends.

    Until ``finish``, Python's garbage collector runs only where the UI thread calls it: otherwise
    it would run in this thread too, where PySide destroys the widgets it finds while Qt walks its
    list of widgets.
    """

    arrived = Signal(int, object)
    ended = Signal(object)

    def __init__(self, connection: Connection, parent: QObject) -> None:
        super().__init__(parent)
        self._connection = connection
        gc.disable()

    def finish(self) -> None:
        self.wait()
        gc.enable()
        self.deleteLater()

    def run(self) -> None:
        """Wait for replies until the pipe ends or a reply cannot be read."""
        try:
            while (reply := next_reply(self._connection)) is not None:
                self.arrived.emit(*reply)
        finally:
            self.ended.emit(self)


_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
PROVISIONAL_PAUSE_MS = 150
"""Pause after the last provisional preview, with no mouse button down, before the whole preview is
requested."""
START_PAUSES_MS = (0, 500, 2_000)
"""Pauses before a worker is started again that ended before it was ready; then it is given up."""
REOPEN_PAUSE_SECONDS = 60.0
"""A file whose worker ended is opened again by itself once in this time: what ended the worker,
such as a lack of memory, is likely to end the next one."""
_SIGNALS: Mapping[type, str] = {
    FileOpenedEvent: "opened",
    RowsReadEvent: "rows",
    Screen: "screen",
    Notice: "notice",
    ReadingProgressEvent: "reading",
    WorkingEvent: "working",
    FileExportedEvent: "exported",
    TrialPage: "trial_page",
    CallQuestion: "question",
    SummaryProgress: "writing",
}


class BackendClient(QObject):
    """Client of the worker process: one open transcript and its settings."""

    opened = Signal(object)  # FileOpenedEvent
    rows = Signal(object)  # RowsReadEvent
    screen = Signal(object)  # Screen
    notice = Signal(object)  # Notice
    reading = Signal(object)  # Reading
    working = Signal(object)  # Working
    exported = Signal(object)  # Exported
    idle = Signal()
    trial_page = Signal(object)  # TrialPage
    question = Signal(object)  # CallQuestion
    writing = Signal(object)  # SummaryProgress
    started = Signal(object)  # a command that may take a while was sent
    lost = Signal(bool)  # whether what is shown is no longer open in a worker
    aimed = Signal(object)  # StrategyCard: a chosen strategy with what reaches the aim

    def __init__(
        self,
        parent: QObject | None = None,
        host_factory: HostFactory | None = None,
        worker: WorkerProcess | None = None,
    ) -> None:
        """``host_factory`` makes the services of a worker, by default those of the program.
        ``worker`` may have been started ahead."""
        super().__init__(parent)
        self._worker = worker or WorkerProcess(host_factory)
        self._reader: PipeReader | None = None
        self._opening = (
            0  # serial of the last Open: answers to anything older are dropped
        )
        self._cancelling = 0
        self._last_open: OpenRequest | None = None
        self._view: ViewState | None = None  # of what is shown, for the next worker
        self._loss: Notice | None = None  # shown while the restarted worker has no file
        self._is_ready = False  # the worker has told that it takes calls
        self._failed_starts = 0
        self._start_error = ""
        self._reopened_at = -REOPEN_PAUSE_SECONDS
        self._is_reopening = False
        self._generation = 0
        self._is_busy = False
        self._calls = PendingCalls(self.notice.emit)
        self._unconfirmed: dict[
            str, SettingValue | None
        ] = {}  # changes that the worker has not taken over
        self._settle = QTimer(self, singleShot=True, interval=PROVISIONAL_PAUSE_MS)
        self._settle.timeout.connect(self._on_settled)
        self._kill_timer = QTimer(
            self, singleShot=True, interval=round(UNRESPONSIVE_SECONDS * 1000)
        )
        self._kill_timer.timeout.connect(self._on_unresponsive)
        self._start_timer = QTimer(self, singleShot=True)
        self._start_timer.timeout.connect(self._start_again)

    @property
    def is_busy(self) -> bool:
        """True while a command is not yet answered."""
        return self._is_busy

    @property
    def is_up_to_date(self) -> bool:
        """True if nothing is running and no provisional preview waits to be settled."""
        return not self._is_busy and not self._settle.isActive()

    def start(self) -> None:
        """Start the worker, so that the first file does not wait for it."""
        if self._reader is None:
            self._reader = PipeReader(self._worker.start(), self)
            self._reader.arrived.connect(self._on_arrived)
            self._reader.ended.connect(self._on_ended)
            self._reader.start()

    @overload
    def call(
        self,
        caller: object,
        method: Callable[Concatenate[Any, _Arguments], Generator[Any, None, _Result]],
        *arguments: _Arguments.args,
        **keywords: _Arguments.kwargs,
    ) -> PendingCall[_Result]: ...

    @overload
    def call(
        self,
        caller: object,
        method: Callable[Concatenate[Any, _Arguments], _Result],
        *arguments: _Arguments.args,
        **keywords: _Arguments.kwargs,
    ) -> PendingCall[_Result]: ...

    def call(
        self,
        caller: object,
        method: Callable[..., Any],
        *arguments: Any,
        **keywords: Any,
    ) -> PendingCall[Any]:
        """Call a method of a service in the worker: ``call(self, SessionService.sessions,
        folders)``. Of a method of which the latest call counts, one replaces those of the same
        ``caller`` only."""
        call = replace(call_of(method, *arguments, **keywords), caller=id(caller))
        serial = self._send(call)
        stop = partial(self._worker.send, Stop(serial))
        pending = PendingCall[Any](call.method, self.notice.emit, stop)
        self._calls.add(serial, call, pending)
        return pending

    @property
    def last_open(self) -> OpenRequest | None:
        return self._last_open

    def open(self, request: OpenRequest) -> None:
        self._last_open, self._view = request, None
        self._is_reopening = False
        self._open(request)

    def _open(self, request: OpenRequest) -> None:
        self._forget_changes()
        self._generation = 0
        self._loss = None
        self.call(self, OpenService.open, request)
        self._opening = self._worker.serial

    def _open_again(self) -> None:
        """Open the file that a worker lost, with the settings under which it was shown."""
        if self._last_open is not None:
            self._is_reopening = self._view is not None
            self._open(replace(self._last_open, view=self._view))

    def set_value(
        self, key: str, value: SettingValue | None, provisional: bool = False
    ) -> None:
        """Change a session setting; None removes it, so that the layer below applies. A provisional
        change updates cuts and sums at once; the rest follows after a pause."""
        self.set_values(((key, value),), provisional=provisional)

    def set_values(self, values: SettingChanges, *, provisional: bool = False) -> None:
        """Change session settings, together with those that are not confirmed yet."""
        self._unconfirmed |= dict(values)
        self._settle.stop()
        if provisional:
            self._settle.start()
        call = self.call(
            self, PreviewService.change, tuple(self._unconfirmed.items()), provisional
        )
        if not provisional:
            call.done(self._on_changed).cancelled(self._unconfirmed.clear)
            self._tell_loss()

    def _on_changed(self, card: StrategyCard | None) -> None:
        self._unconfirmed.clear()
        self.tell_aimed(card)

    def tell_aimed(self, card: StrategyCard | None) -> None:
        """Tell what a change chose to reach the aim, if it did."""
        if card is not None:
            self.aimed.emit(card)

    def set_strategy(self, name: str) -> None:
        """Change the strategy; with an aim, together with the settings that reach it."""
        self.set_value(STRATEGY, name)

    def set_sized_strategy(self, target: str) -> None:
        """Change the strategy together with the settings that reach a size: "20000:excerpt"."""
        size, _, name = target.partition(":")
        self.call(self, PreviewService.use_strategy, name, float(size))

    def use_program(self, command: str) -> None:
        """Let a program that the user named be the strategy of the open file."""
        self.call(self, PreviewService.use_program, command)

    def set_text(self, assignment: str) -> None:
        """Change a session setting given as "key=value"; a bad one becomes a notice."""
        from core.settings_store.layers import (
            parse_assignment,
        )  # late: the first paint does not need it

        try:
            self.set_value(*parse_assignment(assignment))
        except InputError as error:
            self.notice.emit(Notice("error", error.message, error.hint))

    def set_scope(self, scope: str) -> None:
        """Set the part of the transcript that is compacted: "all", "current" or "before:N"."""
        self.call(self, PreviewService.set_scope, scope)

    def set_model(self, model: str) -> None:
        """Set the model whose limit and prices apply."""
        self.call(self, PreviewService.set_model, model)

    def undo(self) -> None:
        self.call(self, PreviewService.undo)
        self._tell_loss()

    def redo(self) -> None:
        self.call(self, PreviewService.redo)
        self._tell_loss()

    def restore_run(self, number: str) -> None:
        self.call(self, PreviewService.restore_run, number)

    def compact(
        self, focus: str = "", *, agreed: bool = False, offline: bool = False
    ) -> None:
        """Turn the preview into a run; ``agreed`` to the paid call, or ``offline`` this time."""
        self.call(
            self, PreviewService.compact, CompactionRequest(focus, agreed, offline)
        )

    def restore_message(self, index: int, back: bool) -> None:
        """Restore a source message in the result, or remove it again."""
        self.call(self, PreviewService.restore_message, index, back)

    def show_recorded(self, number: int) -> None:
        """Show a recorded compaction as before and after."""
        self.call(self, SideBySideService.recorded, number)

    def show_repaired(self, provider: str) -> None:
        """Show the copy that a repair for an API would write, on the after side."""
        self.call(self, SideBySideService.repaired, provider)

    def compare_file(self, path: str) -> None:
        """Show another file of the same session on the after side."""
        self.call(self, SideBySideService.file, path)

    def reload(self) -> None:
        """Read what was added to the open file; open it again if the worker has lost it."""
        self._failed_starts = 0
        if self._loss is not None and self._last_open is not None:
            self._open_again()
        else:
            self.call(self, OpenService.reload)

    def cancel(self) -> None:
        """Cancel the running work. A worker that does not answer soon is ended and restarted."""
        if self._is_busy and self._reader is not None:
            self._forget_changes()
            self._cancelling = self._worker.send(WorkerSignal.CANCEL)
            self._kill_timer.start()

    def stop_reading(self) -> None:
        """Show what was read so far."""
        self._worker.send(WorkerSignal.STOP_READING)

    def _forget_changes(self) -> None:
        self._settle.stop()
        self._unconfirmed.clear()

    def _tell_loss(self) -> None:
        """Say why nothing changes: without a file the worker does not answer a change."""
        if self._loss is not None:
            self.notice.emit(self._loss)

    def close(self) -> None:
        self._settle.stop()
        self._kill_timer.stop()
        self._start_timer.stop()
        if (reader := self._reader) is not None:
            self._reader = None
            self._worker.send(WorkerSignal.CLOSE)
            self._worker.wait_for_end()
            reader.finish()
            self._worker.release()

    def _send(self, command: Call) -> int:
        self.start()
        self._is_busy = True
        serial = self._worker.send(command)
        self.started.emit(command)
        return serial

    def _on_settled(self) -> None:
        if (
            QGuiApplication.mouseButtons()
        ):  # a drag pauses, but the button is still down
            self._settle.start()
            return
        self.set_values(())

    def _on_arrived(self, serial: int, event: Event | Answer) -> None:
        if self._reader is None or self.sender() is not self._reader:
            return
        if isinstance(event, StartError):
            self._start_error = event.details
        elif isinstance(event, WorkerReadyEvent):
            self._is_ready, self._failed_starts = True, 0
        elif isinstance(event, Failed) and event.notice is not None:
            self._calls.answer(serial, Failed(self._explained(event.notice)))
        elif isinstance(event, (Update, Returned, Failed)):
            self._calls.answer(serial, event)
        elif serial >= self._opening:  # older ones are of a file that is no longer open
            self._on_event(serial, event)

    def _on_event(self, serial: int, event: Event) -> None:
        if isinstance(event, IdleEvent):
            self._on_idle(serial)
        elif isinstance(event, ViewStateEvent):
            self._view = event.view
        elif self._is_fresh(event):
            getattr(self, _SIGNALS[type(event)]).emit(event)
            if isinstance(event, FileOpenedEvent):
                self._on_file_opened()

    def _on_file_opened(self) -> None:
        self.lost.emit(False)
        if self._is_reopening:
            self._is_reopening = False
            if self._view is None:
                lost_runs = 0
            else:
                lost_runs = len(self._view.runs)
            self.notice.emit(reopened_notice(lost_runs))

    def _explained(self, notice: Notice) -> Notice:
        """Return a notice; if it says that a file is needed, one that says why there is none."""
        return (
            self._loss if self._loss is not None and notice.topic == NO_FILE else notice
        )

    def _on_idle(self, serial: int) -> None:
        collect_due()
        self._calls.cancel(serial)
        if serial >= self._cancelling:
            self._kill_timer.stop()
        if serial >= self._worker.serial:
            self._is_busy = False
            self.idle.emit()

    def _is_fresh(self, event: Event) -> bool:
        """False for a screen or rows of an older generation than the latest."""
        if not isinstance(event, (Screen, RowsReadEvent)):
            return True
        if event.generation < self._generation:
            return False
        self._generation = event.generation
        return True

    def _on_unresponsive(self) -> None:
        """End a cancelled worker that does not answer; its state is lost."""
        self._end_worker()
        self.start()
        if self._last_open is None:
            path = ""
        else:
            path = self._last_open.path
        self._tell_lost(cancelled_notice(path))

    def _on_ended(self, reader: PipeReader) -> None:
        if reader is not self._reader:
            return
        ending = self._worker.ending()
        was_ready = self._is_ready
        self._end_worker()
        if was_ready:
            self._start_after_end(ending)
        else:
            self._start_after_failure(ending)

    def _end_worker(self) -> None:
        """End the worker; what it was asked is not answered any more."""
        self._worker.kill()
        self.close()
        self._is_busy = self._is_ready = False
        self._opening = self._worker.serial + 1
        self._calls.cancel(self._worker.serial)

    def _start_after_failure(self, ending: str) -> None:
        """Start a worker that ended before it was ready again, after a pause; tell why if it still
        ends."""
        if self._failed_starts < len(START_PAUSES_MS):
            self._start_timer.start(START_PAUSES_MS[self._failed_starts])
            self._failed_starts += 1
            return
        self._tell_lost(cannot_start_notice(ending, self._start_error))

    def _start_again(self) -> None:
        self.start()
        if self._last_open is not None and self._loss is None:
            self._open_again()

    def _start_after_end(self, ending: str) -> None:
        """Start a new worker after one that ended by itself, and open the file again, once."""
        self.start()
        if self._last_open is None:
            self._tell_lost(ended_notice(ending))
            return
        now = monotonic()
        if now - self._reopened_at < REOPEN_PAUSE_SECONDS:
            self._tell_lost(stopped_twice_notice(ending, self._last_open.path))
            return
        self._reopened_at = now
        self.lost.emit(True)
        self.notice.emit(reopening_notice())
        self._open_again()

    def _tell_lost(self, loss: Notice) -> None:
        """Say that no worker has what is shown, and what the person can do."""
        self._loss = loss
        self.lost.emit(self._last_open is not None)
        self.notice.emit(loss)
        self.idle.emit()

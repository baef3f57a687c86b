"""The only bridge between core and Qt: intents go to the worker, its events come back as signals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from core.app.messages import (
    NO_FILE,
    ChangeSettingsCommand,
    Command,
    CountSecretsCommand,
    Event,
    ExplainCutCommand,
    ExplainRecordedCommand,
    ExplainRunCommand,
    ExportCommand,
    FileExistsEvent,
    FileExportedEvent,
    IdleEvent,
    LoadBodyCommand,
    LoadFidelityCommand,
    OpenFileCommand,
    ReadingProgressEvent,
    RestoreRunCommand,
    RunCompactionCommand,
    SecretsCountedEvent,
    StopReadingCommand,
    UndoCommand,
    WorkingEvent,
)
from core.app.processes import DEAF_SECONDS, WorkerProcess
from core.app.worker import HandlerFactory, make_handler, restart_notice
from core.common.errors import InputError
from core.presentation.checked_screen import ScreenChecks
from core.presentation.fidelity.model import FidelityPage
from core.presentation.model import MessageBody, Notice, RowsReadEvent, Screen, WhyPage
from core.presentation.opened_model import FileOpenedEvent
from core.settings.schema import SettingValue
from gui.screen_updates import ScreenTracker
from gui.settings_requests import SIGNALS, SessionCommands
from gui.worker_thread import PipeReader, collect_due

STRATEGY_KEY = "compression.strategy"
"""The setting behind the strategy picker; a test compares it with the declaration."""
SETTLE_MS = 150
"""After the last draft this long passes before the whole preview is asked for; the mouse is let go then."""
_SIGNALS: Mapping[type, str] = {
    FileOpenedEvent: "opened",
    RowsReadEvent: "rows",
    Screen: "screen",
    MessageBody: "body",
    WhyPage: "why",
    FidelityPage: "fidelity",
    Notice: "notice",
    ReadingProgressEvent: "reading",
    WorkingEvent: "working",
    FileExportedEvent: "exported",
    SecretsCountedEvent: "secrets",
    FileExistsEvent: "exists",
    **SIGNALS,
}
_SILENT = (ChangeSettingsCommand, UndoCommand)
"""What a worker without a file says nothing to."""


class BackendClient(SessionCommands):
    """One open transcript and its settings, seen from the window. Nothing here computes."""

    opened = Signal(object)  # Opened
    rows = Signal(object)  # RowsReadEvent
    screen = Signal(object)  # Screen
    recalled = Signal(object)  # Screen for lists and ruler; to all as ``screen`` in the next turn
    checked = Signal(object)  # Screen that was told as ``screen`` before it was checked
    body = Signal(object)  # Body
    why = Signal(object)  # WhyPage
    fidelity = Signal(object)  # FidelityPage
    notice = Signal(object)  # Notice
    reading = Signal(object)  # Reading
    working = Signal(object)  # Working
    exported = Signal(object)  # Exported
    secrets = Signal(object)  # Secrets
    exists = Signal(object)  # Exists
    idle = Signal()
    started = Signal(object)  # a command that may take a while was sent

    def __init__(
        self,
        parent: QObject | None = None,
        make_desk: HandlerFactory = make_handler,
        worker: WorkerProcess | None = None,
    ) -> None:
        """``worker`` may have been started ahead; it makes its desk itself."""
        super().__init__(parent)
        self._worker = worker or WorkerProcess(make_desk)
        self._reader: PipeReader | None = None
        self._opening = 0  # serial of the last Open: answers to anything older are late
        self._cancelling = 0
        self._last_open: OpenFileCommand | None = None
        self._loss: Notice | None = None  # told while the worker, started anew, has no file
        self._generation = 0
        self._is_busy = False
        self._screens = ScreenTracker(self)
        self._screens.first.connect(self.recalled)
        self._screens.screen.connect(self.screen)
        self._screens.checked.connect(self.checked)
        self._draft: dict[str, SettingValue | None] = {}
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self._on_settled)
        self._patience = QTimer(self, singleShot=True, interval=round(DEAF_SECONDS * 1000))
        self._patience.timeout.connect(self._on_deaf)

    @property
    def is_busy(self) -> bool:
        """True while something that was asked for is not yet answered."""
        return self._is_busy

    @property
    def is_settled(self) -> bool:
        """True where nothing is going on and nothing is about to be asked."""
        return not self._is_busy and not self._settle.isActive()

    @property
    def is_ahead(self) -> bool:
        """True where what is shown is known to be the answer, which has not come yet."""
        return self._screens.is_ahead

    def start(self) -> None:
        """Start the worker, so that the first file need not wait for it."""
        if self._reader is None:
            self._reader = PipeReader(self._worker.start(), self)
            self._reader.arrived.connect(self._on_arrived)
            self._reader.ended.connect(self._on_ended)
            self._reader.start()

    @property
    def last_open(self) -> OpenFileCommand | None:
        """What was asked to be opened last."""
        return self._last_open

    def open(self, command: OpenFileCommand) -> None:
        """Read a transcript."""
        self._settle.stop()
        self._draft.clear()
        self._generation = 0
        self._screens.forget()
        self._last_open, self._loss = command, None
        self._opening = self._send(command)

    def set_value(self, key: str, value: SettingValue | None, draft: bool = False) -> None:
        """Change a session setting. A draft shows cuts and sums at once; the rest follows by itself."""
        if draft:
            self._draft[key] = value
            self._settle.start()
            self._send(ChangeSettingsCommand(((key, value),), draft=True))
            return
        self._settle.stop()
        values = {**self._draft, key: value}
        self._draft.clear()
        self._send(ChangeSettingsCommand(tuple(values.items())))

    def set_strategy(self, name: str) -> None:
        """Choose the strategy for this session."""
        self.set_value(STRATEGY_KEY, name)

    def set_text(self, assignment: str) -> None:
        """Change a session setting by a text "key=value"; a bad one becomes a notice."""
        from core.configuration.layers import parse_assignment  # late: the first paint does not need it

        try:
            self.set_value(*parse_assignment(assignment))
        except InputError as error:
            self.notice.emit(Notice("error", error.message, error.hint))

    def reset(self, key: str) -> None:
        """Take a session setting away, so that the layer below shows."""
        self.set_value(key, None)

    def set_scope(self, scope: str) -> None:
        """Choose the part of the transcript that is the history: "all", "current" or "before:N"."""
        self._send(ChangeSettingsCommand(scope=scope))

    def set_model(self, model: str) -> None:
        """Choose the model whose limit and prices count."""
        self._send(ChangeSettingsCommand(model=model))

    def undo(self) -> None:
        """Take back the last change of settings."""
        self._send(UndoCommand())

    def recall(self, number: str) -> None:
        """Go back to a run."""
        self._send(RestoreRunCommand(number))

    def compact(self, focus: str = "", *, agreed: bool = False, offline: bool = False) -> None:
        """Turn the preview into a run; ``agreed`` to the paid call, or ``offline`` this time."""
        self._send(RunCompactionCommand(focus, agreed, offline))

    def look(self, side: str, index: int, whole: bool = False) -> None:
        """Ask for a message's body; the answer comes as ``body``."""
        self._send(LoadBodyCommand(side, index, whole))

    def look_cut(self, name: str) -> None:
        """Ask why a cut lies where it lies; the answer comes as ``why``."""
        self._send(ExplainCutCommand(name))

    def look_run(self) -> None:
        """Ask how the run that is shown went; the answer comes as ``why``."""
        self._send(ExplainRunCommand())

    def look_fidelity(self) -> None:
        """Ask which facts the result still holds; the answer comes as ``fidelity``."""
        self._send(LoadFidelityCommand())

    def look_recorded(self, number: int) -> None:
        """Ask for the page of a recorded compaction; the answer comes as ``why``."""
        self._send(ExplainRecordedCommand(number))

    def export(self, command: ExportCommand) -> None:
        """Write a file; ``exists`` answers where it would overwrite one."""
        self._send(command)

    def count_secrets(self, command: CountSecretsCommand) -> None:
        """Ask how many secrets an export would hold; the answer comes as ``secrets``."""
        self._send(command)

    def reload(self) -> None:
        """Take in what was added to the open file; open it again where the worker has lost it."""
        if self._loss is not None and self._last_open is not None:
            self.open(self._last_open)
        else:
            super().reload()

    def cancel(self) -> None:
        """Stop what goes on. A worker that does not answer soon is ended and started anew."""
        if self._is_busy and self._reader is not None:
            self._settle.stop()
            self._draft.clear()
            self._cancelling = self._worker.cancel()
            self._patience.start()

    def stop_reading(self) -> None:
        """Stop where the reader is and show what was read."""
        self._send(StopReadingCommand())

    def close(self) -> None:
        """End the worker and the thread that reads from it."""
        self._settle.stop()
        self._patience.stop()
        if (reader := self._reader) is not None:
            self._reader = None
            self._worker.ask_to_end()
            reader.finish()
            self._worker.release()

    def _send(self, command: Command) -> int:
        self.start()
        self._is_busy = True
        serial = self._worker.send(command)
        self.started.emit(command)
        self._screens.sent(serial, command)
        if self._loss is not None and isinstance(command, _SILENT) and not getattr(command, "draft", False):
            self.notice.emit(self._loss)
        return serial

    def _on_settled(self) -> None:
        if QGuiApplication.mouseButtons():  # what is dragged rests, but it was not let go
            self._settle.start()
            return
        values = tuple(self._draft.items())
        self._draft.clear()
        self._send(ChangeSettingsCommand(values))

    def _on_arrived(self, serial: int, event: Event) -> None:
        if serial < self._opening or self._reader is None or self.sender() is not self._reader:
            return
        if isinstance(event, IdleEvent):
            self._on_idle(serial)
        elif self._is_fresh(event):
            self._tell(serial, event)

    def _tell(self, serial: int, event: Any) -> None:
        """Emit an event; ``ScreenTracker`` tells of screens."""
        if isinstance(event, Screen):
            self._screens.came(serial, event)
        elif isinstance(event, ScreenChecks):
            self._screens.found(event)
        else:
            if isinstance(event, Notice) and event.topic == NO_FILE:
                event = self._loss or event  # it says why there is none, and has the way back
            self._screens.tell()  # what came before this
            getattr(self, _SIGNALS[type(event)]).emit(event)

    def _on_idle(self, serial: int) -> None:
        collect_due()
        if serial >= self._cancelling:
            self._patience.stop()
        if serial >= self._worker.serial:
            self._is_busy = False
            self._screens.ended()
            if not self._is_busy:  # a view may have asked for more as it saw the last screen
                self.idle.emit()

    def _is_fresh(self, event: Event) -> bool:
        """False for a screen or rows of an older generation than one that was shown."""
        if not isinstance(event, (Screen, RowsReadEvent)):
            return True
        if event.generation < self._generation:
            return False
        self._generation = event.generation
        return True

    def _on_deaf(self) -> None:
        """A cancelled worker that gives no answer is ended; what it held is gone."""
        self._restart("")

    def _on_ended(self, reader: PipeReader) -> None:
        if reader is self._reader:
            self._restart(self._worker.ending())

    def _restart(self, ending: str) -> None:
        """A new worker without a transcript and with default settings; says so, with the way back."""
        self._patience.stop()
        self._worker.kill()
        self.close()
        self._is_busy = False
        self._screens.forget()
        self._opening = self._worker.serial + 1
        self.start()
        path = self._last_open.path if self._last_open is not None else ""
        self._loss = restart_notice(ending, path)
        self.notice.emit(self._loss)
        self.idle.emit()

"""A worker's handler that answers with made-up screens, so that the window runs on a real worker without
core."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from core.app.messages import (
    ChangeSettingsCommand,
    Command,
    CountSecretsCommand,
    ExplainCutCommand,
    ExportCommand,
    FileExistsEvent,
    FileExportedEvent,
    LoadBodyCommand,
    LoadSummaryCommand,
    OpenFileCommand,
    ReadingProgressEvent,
    SecretsCountedEvent,
    UndoCommand,
)
from core.app.services.settings_commands import CompleteLineCommand, LoadProfilesCommand, LoadSettingsCommand
from core.app.worker import EventEmitter, InterruptReason
from core.common.errors import Cancelled, InputError
from core.presentation.model import Notice, NoticeAction, PickerChoice, RowsReadEvent
from core.presentation.summary_check.model import SummaryPage
from core.settings.schema import SettingValue
from tests.gui.fake_pages import completions, profiles_page, settings_page
from tests.gui.fakes import fake_body, fake_opened, fake_screen, fake_why


class FakeHandler:
    """Opens any path without "bad" in it; knows two strategies."""

    services: Mapping[str, object] = {}

    def __init__(self, emit: EventEmitter, interrupted: InterruptReason) -> None:
        self._emit = emit
        self._interrupted = interrupted
        self._values: dict[str, SettingValue | None] = {}
        self._generation = 0

    def handle(self, command: Command) -> None:
        match command:
            case OpenFileCommand():
                self._open(command)
            case ChangeSettingsCommand():
                self._values |= dict(command.values)
                self._show(draft=command.draft)
            case UndoCommand():
                self._values.clear()
                self._show()
            case LoadBodyCommand(side, index):
                self._emit(replace(fake_body(), side=side, index=index, title=f"#{index + 1} tool"))
            case LoadSummaryCommand(place):
                self._emit(SummaryPage(place, "", "", ()))
            case ExplainCutCommand():
                self._emit(fake_why())
            case LoadSettingsCommand():
                self._emit(settings_page())
            case LoadProfilesCommand():
                self._emit(profiles_page())
            case CompleteLineCommand(text):
                self._emit(completions(text))
            case ExportCommand():
                self._export(command)
            case CountSecretsCommand():
                self._emit(SecretsCountedEvent(command, 3, "3 secrets stay.", "3 secrets go."))
            case _:
                self._emit(Notice("info", type(command).__name__, "done"))

    def _open(self, command: OpenFileCommand) -> None:
        if "bad" in command.path:
            raise InputError("bad.jsonl is not a transcript.", "Try another file.")
        self._emit(ReadingProgressEvent(0.5, "206 of ≈412 lines"))
        name = Path(command.path).name
        strategies = (PickerChoice("middle-out", "middle-out"), PickerChoice("high-density", "high-density"))
        self._emit(replace(fake_opened(), path=command.path, name=name, strategies=strategies))
        if "half" in command.path:
            self._wait()
        self._show()

    def _wait(self) -> None:
        """Send the rows of a file, then wait until the reading is cancelled."""
        self._generation += 1
        self._emit(RowsReadEvent(self._generation, 0, fake_screen().before))
        while self._interrupted() != "cancel":
            time.sleep(0.005)
        raise Cancelled

    def _show(self, *, draft: bool = False) -> None:
        strategy = str(self._values.get("compression.strategy") or "middle-out")
        self._generation += 1
        link = NoticeAction("Other strategies", "strategy", "high-density")
        notices = (Notice("info", "Nothing to compact.", "Under the target.", (link,)),)
        self._emit(
            replace(
                fake_screen(strategy),
                generation=self._generation,
                draft=draft,
                notices=notices if self._values.get("compression.mode") else (),
                can_undo=bool(self._values),
            )
        )

    def _export(self, command: ExportCommand) -> None:
        path = Path(command.path)
        if path.exists() and not command.overwrite:
            self._emit(FileExistsEvent(command))
            return
        path.write_text(command.format)
        link = NoticeAction("Open it", "open", command.path)
        self._emit(FileExportedEvent(command.path, f"Wrote {path.name}.", "2 secrets.", "warning", (link,)))

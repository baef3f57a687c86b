"""Opens transcripts, and reads one again when it has grown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.app.document import OpenFile
from core.app.loading import CountedConversation, count_conversation, read, read_again
from core.app.messages import Event, OpenFileCommand
from core.app.progress import ProgressReporter
from core.app.services.pins import load_pins
from core.app.session import Session
from core.common.errors import Cancelled
from core.export.registry import EXPORTERS
from core.presentation import opened_file
from core.tokens.counting_process import CountingProcess
from core.transcript.scopes import ALL


class FileOpener(Session):
    """Opens files; the former one stays until the next was read and counted.

    ``counting`` counts in a process of its own.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        interrupted: Callable[[], str],
        counting: CountingProcess | None,
    ) -> None:
        super().__init__(emit, interrupted)
        self._counting = counting
        self._command: OpenFileCommand | None = None

    def _open(self, command: OpenFileCommand) -> None:
        self._generation += 1
        reporter = ProgressReporter(self.emit, self.interrupted)
        counting = self._counting, self.view.model
        loaded = read(command, reporter, self._generation, *counting)
        self._take(command, count_conversation(loaded, reporter, self._generation, *counting), reporter)

    def _take(
        self, command: OpenFileCommand, counted: CountedConversation, reporter: ProgressReporter
    ) -> None:
        conversation, path = counted.conversation, command.path
        self.undo_stack.clear()
        self.runs.clear()
        pins, scope = load_pins(conversation), command.scope or ALL
        self.view = replace(self.view, scope=scope, focus="", runs=(), put_back=frozenset(), pins=pins)
        self._command = command
        self._send_problems()
        names = self.settings.office.profiles.names()
        opened = opened_file.file_opened_event(
            conversation, counted.format, counted.format_reason, path, EXPORTERS, names
        )
        file = self.file = OpenFile.of(counted, opened.title, self._counting)
        self.emit(opened)
        notice = opened_file.import_notice(conversation)
        if notice is not None:
            self.emit(notice)
        try:
            self._first_preview(file)
        except Cancelled:
            self.file = None
            raise
        if counted.reopening is not None:
            counted.reopening.keep(conversation, counted.rows, reporter.check)

    def _reload(self) -> None:
        """Take in what was added to the file; nothing happens where it is unchanged."""
        former, command = self.opened_file(), self._command
        if command is None or not former.has_changed():
            return
        conversation, reader, why = read_again(command, ProgressReporter(self.emit, self.interrupted))
        names = self.settings.office.profiles.names()
        opened = opened_file.file_opened_event(conversation, reader, why, command.path, EXPORTERS, names)
        self.file = file = former.grown(conversation, opened.title, why)
        self.emit(replace(opened, has_grown=True))
        pins = load_pins(conversation)
        if pins != self.view.pins:  # messages moved: earlier pins would be on others
            self.view = replace(self.view, pins=pins)
            self.undo_stack = [replace(one, pins=pins) for one in self.undo_stack]
        self.show(file, self.preview(file, self.view))

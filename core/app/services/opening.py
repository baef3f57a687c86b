"""The part of the desk that opens a transcript, and reads it again when it has grown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.app.document import OpenFile
from core.app.loading import CountedConversation, ProgressReporter, count_conversation, read, read_again
from core.app.messages import Event, OpenFileCommand
from core.app.services.pins import load_pins
from core.app.services.preview import PreviewPublisher
from core.common.errors import Cancelled
from core.export.registry import EXPORTERS
from core.presentation import opened_file
from core.tokens.counting_process import CountingProcess
from core.transcript.scopes import ALL


class FileOpener(PreviewPublisher):
    """Opens files, one in the place of the other; the former stays until the next was read and counted.

    ``tally`` counts in a process of its own; ``generation`` is the last that rows had before.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        interrupted: Callable[[], str],
        tally: CountingProcess | None,
        generation: int,
    ) -> None:
        super().__init__(emit, interrupted)
        self._tally = tally
        self._generation = generation
        self._asked: OpenFileCommand | None = None

    def _open(self, command: OpenFileCommand) -> None:
        self._generation += 1
        watch = ProgressReporter(self._emit, self._interrupted)
        given = self._tally, self._wish.model
        loaded = read(command, watch, self._generation, *given)
        self._take(command, count_conversation(loaded, watch, self._generation, *given), watch)

    def take(self, command: OpenFileCommand, made: CountedConversation) -> None:
        """Go on with a file that was read and counted already."""
        self._take(command, made, ProgressReporter(self._emit, self._interrupted))

    def _take(self, command: OpenFileCommand, made: CountedConversation, watch: ProgressReporter) -> None:
        conversation, path = made.conversation, command.path
        self._undo.clear()
        self._runs.clear()
        pins, scope = load_pins(conversation), command.scope or ALL
        self._wish = replace(self._wish, scope=scope, focus="", runs=(), put_back=frozenset(), pins=pins)
        self._asked = command
        self._tell_problems()
        names = self._office.office.profiles.names()
        opened = opened_file.file_opened(conversation, made.format, made.why, path, EXPORTERS, names)
        file = self._file = OpenFile.of(made, opened.title, self._tally)
        self._emit(opened)
        notice = opened_file.import_notice(conversation)
        if notice is not None:
            self._emit(notice)
        try:
            self._first_preview(file)
        except Cancelled:
            self._file = None
            raise
        if made.reopening is not None:
            made.reopening.keep(conversation, made.rows, watch.check)

    def _reload(self) -> None:
        """Take in what was added to the file; nothing happens where it is as it was."""
        former, asked = self._opened(), self._asked
        if asked is None or not former.has_changed():
            return
        conversation, reader, why = read_again(asked, ProgressReporter(self._emit, self._interrupted))
        names = self._office.office.profiles.names()
        opened = opened_file.file_opened(conversation, reader, why, asked.path, EXPORTERS, names)
        self._file = file = former.grown(conversation, opened.title, why)
        self._emit(replace(opened, has_grown=True))
        pins = load_pins(conversation)
        if pins != self._wish.pins:  # messages moved: earlier pins would lie elsewhere
            self._wish = replace(self._wish, pins=pins)
            self._undo = [replace(one, pins=pins) for one in self._undo]
        self._show(file, self._preview(file, self._wish))

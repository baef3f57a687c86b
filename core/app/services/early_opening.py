"""Reads and counts a large first file before the modules of other commands are loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from core.app.loading import ProgressReporter, count_conversation, read
from core.app.messages import Command, Event, OpenFileCommand
from core.llm.model_table import table_rows
from core.tokens.counter import method_for
from core.tokens.counting_process import CountingProcess

if TYPE_CHECKING:
    from core.app.services.dispatcher import CommandHandler


class EarlyCommandHandler:
    """Carries out the first OpenFileCommand and hands everything else to CommandHandler."""

    def __init__(
        self, emit: Callable[[Event], None], interrupted: Callable[[], str], counting: CountingProcess | None
    ) -> None:
        """Load the modules that will be needed, unless a file waits to be read."""
        self._emit, self._interrupted, self._counting = emit, interrupted, counting
        self._handler: CommandHandler | None = None
        self._generation = 0
        for _ in _loading():
            if interrupted():
                return
        table_rows()
        method_for("any model")  # loads its table, which takes as long as reading ten megabytes
        self._loaded()

    def handle(self, command: Command) -> None:
        """Carry out one command. Raises FoldlineError where the first file cannot be read, and Cancelled."""
        if self._handler is not None or not isinstance(command, OpenFileCommand):
            self._loaded().handle(command)
            return
        self._generation += 1
        reporter = ProgressReporter(self._emit, self._interrupted)
        loaded = read(command, reporter, self._generation, self._counting)
        if loaded.reopening is None:  # a small file: the counting process is not ready earlier
            self._loaded()
        counted = count_conversation(loaded, reporter, self._generation, self._counting)
        del loaded  # frees the streamed rows
        self._loaded().take(command, counted)

    def _loaded(self) -> CommandHandler:
        if self._handler is None:
            from core.app.services.dispatcher import CommandHandler

            self._handler = CommandHandler(self._emit, self._interrupted, self._counting, self._generation)
        return self._handler


def _loading() -> Iterator[object]:
    """Import the slowest modules in parts, so that a waiting file waits for one of them only."""
    yield None
    from core.strategies import registry

    yield registry
    from core.preview import preview

    yield preview
    from core.presentation import opened_file

    yield opened_file
    from core.app.services import compare

    yield compare

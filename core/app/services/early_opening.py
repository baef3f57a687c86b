"""A desk for the beginning: a large file is read and counted before all is loaded that others need."""

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
    """Carries out commands as core.app.services.dispatcher.CommandHandler does, to which it hands all of them
    on."""

    def __init__(
        self, emit: Callable[[Event], None], interrupted: Callable[[], str], tally: CountingProcess | None
    ) -> None:
        """Load what will be needed, unless a file waits to be read."""
        self._emit, self._interrupted, self._tally = emit, interrupted, tally
        self._desk: CommandHandler | None = None
        self._generation = 0
        for _ in _loading():
            if interrupted():
                return
        table_rows()
        method_for("any model")  # looks for its table, which takes as long as reading ten megabytes
        self._loaded()

    def handle(self, command: Command) -> None:
        """Carry out one command. Raises FoldlineError where the first file cannot be read, and Cancelled."""
        if self._desk is not None or not isinstance(command, OpenFileCommand):
            self._loaded().handle(command)
            return
        self._generation += 1
        watch = ProgressReporter(self._emit, self._interrupted)
        loaded = read(command, watch, self._generation, self._tally)
        if loaded.reopening is None:  # a small file: what counts it is not ready before all is loaded
            self._loaded()
        made = count_conversation(loaded, watch, self._generation, self._tally)
        del loaded  # what was shown and counted on the way is not needed any more
        self._loaded().take(command, made)

    def _loaded(self) -> CommandHandler:
        if self._desk is None:
            from core.app.services.dispatcher import CommandHandler

            self._desk = CommandHandler(self._emit, self._interrupted, self._tally, self._generation)
        return self._desk


def _loading() -> Iterator[object]:
    """Load most of what takes long, in parts: a file that is asked for meanwhile waits for one of them."""
    yield None
    from core.strategies import registry

    yield registry
    from core.preview import preview

    yield preview
    from core.presentation import opened_file

    yield opened_file
    from core.app.services import compare

    yield compare

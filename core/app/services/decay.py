"""The desk's part of folding again and again: one compaction per command, so that others come between."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.analysis.fidelity.decay import iterate_rounds
from core.app.messages import CompactAgainCommand
from core.presentation.fidelity.decay_model import DecayPage
from core.presentation.fidelity.decay_page import decay_pages
from core.preview.options import Preview, PreviewOptions
from core.transcript.model import Progress


class DecayCommandHandler:
    """Holds the chain that was begun; another one takes its place."""

    def __init__(self, emit: Callable[[DecayPage], None]) -> None:
        self._emit = emit
        self._pages: Iterator[DecayPage] = iter(())

    def handle(self, command: CompactAgainCommand, made: Preview, progress: Progress) -> None:
        """Make the next compaction of a chain; with ``begins`` the first one of what a preview shows.

        Raises as ``preview`` does; after that, as after Cancelled, the chain is at its end.
        """
        if command.begins:
            scope, model = made.history.scope, made.window.model
            ask = PreviewOptions(scope, model, focus=made.focus, progress=progress, pins=made.pins)
            found = iterate_rounds(made.conversation, made.values, ask)
            self._pages = decay_pages(found, made.method.mark)
        page = next(self._pages, None)
        if page is not None:
            self._emit(page)

"""Repeated compaction: one compaction per command, so that other commands come between."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.analysis.fidelity.decay import iterate_rounds
from core.app.messages import CompactAgainCommand
from core.presentation.fidelity.decay_model import DecayPage
from core.presentation.fidelity.decay_page import decay_pages
from core.preview.options import Preview, PreviewOptions
from core.transcript.model import Progress


class DecayCommandHandler:
    """Holds the current chain of compactions; a new one replaces it."""

    def __init__(self, emit: Callable[[DecayPage], None]) -> None:
        self._emit = emit
        self._pages: Iterator[DecayPage] = iter(())

    def handle(self, command: CompactAgainCommand, preview: Preview, progress: Progress) -> None:
        """Make the next compaction of a chain; with ``begins`` the first one of what a preview shows.

        Raises as ``compute_preview`` does; after that, as after Cancelled, the chain is at its end.
        """
        if command.is_first:
            scope, model = preview.history.scope, preview.window.model
            options = PreviewOptions(scope, model, focus=preview.focus, progress=progress, pins=preview.pins)
            rounds = iterate_rounds(preview.conversation, preview.values, options)
            self._pages = decay_pages(rounds, preview.count_method.mark)
        page = next(self._pages, None)
        if page is not None:
            self._emit(page)

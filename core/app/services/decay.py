"""Repeated compaction of what is shown."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from core.app.rpc import remote
from core.presentation.fidelity.decay_model import DecayPage

if TYPE_CHECKING:
    from core.app.session import Session


class DecayService:
    def __init__(self, session: Session) -> None:
        self._session = session

    @remote(latest=True, of_file=True)
    def rounds(self) -> Generator[DecayPage, None, None]:
        """Compact the shown source, then each result once more; yield a page after each compaction."""
        from core.analysis.context import AnalysisInput
        from core.analysis.fidelity.decay import iterate_rounds
        from core.presentation.fidelity.decay_page import decay_pages
        from core.preview.options import PreviewOptions

        preview, reporter = self._session.shown_preview(), self._session.reporter(stops_for_newer=True)
        options = PreviewOptions(
            preview.history.scope,
            preview.window.model,
            focus=preview.focus,
            progress=reporter.working,
            pins=preview.pins,
        )
        rounds = iterate_rounds(AnalysisInput(preview.conversation, preview.values, options))
        yield from decay_pages(rounds, preview.count_method.mark)

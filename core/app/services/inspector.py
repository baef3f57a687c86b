"""Pages of the inspector: messages, reasons of cuts and runs, fidelity, summaries, recorded compactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.app.rpc import remote
from core.presentation.fidelity.model import FidelityPage
from core.presentation.message_model import (
    MessageBody,
    WhyPage,
)
from core.presentation.summary_check.model import SummaryPage

if TYPE_CHECKING:
    from core.app.session import Session
    from core.preview.options import Preview
    from core.transcript.model import Progress


class InspectorService:
    """Answers about the shown preview; InputError where there is no such message, cut or compaction."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @remote(latest=True, of_file=True)
    def body(self, side: str, index: int, is_whole: bool = False) -> MessageBody:
        """Return a message ("before" or "after"); ``is_whole`` lifts the cap of 64 kB."""
        from core.presentation.message_body import message_body

        return message_body(self._session.shown_preview(), side, index, is_complete=is_whole)

    @remote(latest=True, of_file=True)
    def explain_cut(self, name: str) -> WhyPage:
        from core.presentation.why_cut import why_cut

        return why_cut(self._session.shown_preview(), name)

    @remote(latest=True, of_file=True)
    def explain_run(self) -> WhyPage:
        """Return the stages of the run that is shown."""
        from core.analysis.summary_check.preview_summaries import summary_findings
        from core.presentation.run_page import run_page

        file, shown, progress = self._session.opened_file(), self._session.shown_preview(), self._progress()
        findings = summary_findings(shown, file.stages, progress)
        return run_page(shown, findings, None if findings is None else self._lost_count(shown, progress))

    @remote(latest=True, of_file=True)
    def explain_recorded(self, number: int) -> WhyPage:
        """Return the page of a recorded compaction, counted from 1."""
        from core.presentation.recorded_page import recorded_page

        shown = self._session.shown_preview()
        return recorded_page(shown, self._session.opened_file().recorded(shown), number)

    @remote(latest=True, of_file=True)
    def fidelity(self) -> FidelityPage:
        """Return which facts of the source the result holds."""
        from core.presentation.fidelity.page import fidelity_page

        shown = self._session.shown_preview()
        return fidelity_page(shown, self._session.opened_file().fidelity(shown, self._progress()))

    @remote(latest=True, of_file=True)
    def summary(self, place: int) -> SummaryPage:
        """Return the findings on the summary in a message of the result, and its sentences' sources."""
        from core.analysis.summary_check.preview_summaries import summary_parts

        shown = self._session.shown_preview()
        if all(part.place != place for part in summary_parts(shown)):
            return SummaryPage(place, "", "", ())
        return self._summary_page(shown, place, self._progress())

    @remote(latest=True, of_file=True)
    def check_summaries(self) -> SummaryPage:
        """Return the findings on all summaries that an export would write."""
        file = self._session.opened_file()
        preview = file.exported or self._session.shown_preview()
        return self._summary_page(preview, -1, self._session.reporter().working)

    def _summary_page(self, preview: Preview, place: int, progress: Progress) -> SummaryPage:
        from core.analysis.summary_check.preview_summaries import linked_summary, summary_findings
        from core.presentation.summary_check.page import summary_page

        stages = self._session.opened_file().stages
        findings = summary_findings(preview, stages, progress)
        sentences = linked_summary(preview, place, stages, progress)
        lost = None if findings is None else self._lost_count(preview, progress)
        return summary_page(place, findings, sentences, preview.conversation.cwd, lost)

    def _lost_count(self, preview: Preview, progress: Progress) -> int:
        from core.presentation.fidelity.page import lost_facts

        return len(lost_facts(self._session.opened_file().fidelity(preview, progress)))

    def _progress(self) -> Progress:
        """Stop for a change of settings, after which the window asks again."""
        return self._session.reporter(stops_for_newer=True).working

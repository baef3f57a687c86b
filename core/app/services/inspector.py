"""What the inspector shows of a preview: messages, reasons, losses, summaries, and the texts that
must survive."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from core.app.services.service import Service
from core.common.errors import InputError
from core.facts.sentences import plain_text
from core.losses.losses_of import preview_rounds
from core.losses.must_keep import must_evidence, save_typed_musts
from core.losses.summary_check import (
    linked_summary,
    prompt_sections,
    summary_findings,
    summary_parts,
)
from core.presentation.changes_page import message_changes
from core.presentation.inspector_model import BacktestPage, MessageChanges, SummaryPage
from core.presentation.losses_page import decay_pages, lines_page, losses_page
from core.presentation.losses_words import backtest_sentence
from core.presentation.message_body import message_body
from core.presentation.model import Notice
from core.presentation.preview_status import recommendation_notice
from core.presentation.recorded_page import explained_notice, recorded_page
from core.presentation.summary_page import run_page, summary_page
from core.presentation.verdict import losses_cell, must_page, suggested_musts
from core.presentation.why import why_cut
from core.strategies.names import EXCERPT
from core.transcript.compaction import FateKind
from core.transcript.model import Speaker
from core.trials.past import backtest, equal_size, is_far_ahead
from core.trials.requested_analyses import remember_backtest, requested_analyses
from core.trials.side_by_side import explain_compaction

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.app.services.compare import CompareService
    from core.app.workspace import Workspace
    from core.losses.evidence import Losses
    from core.losses.must_keep import MustEvidence, MustFile, TypedMusts
    from core.presentation.inspector_model import (
        DecayPage,
        LinesPage,
        LossesPage,
        MessageBody,
        WhyPage,
    )
    from core.preview.options import Preview
    from core.transcript.model import Progress


_NO_TEXT = (
    "There is nothing to keep.",
    "Type a sentence, a name or a number, or select some text.",
)
_NO_SENTENCE = (
    "holds no sentence of its own.",
    "Select some text in it, then press K.",
)


class MustService(Service):
    """Adds and removes texts; none of them changes a result."""

    def add(self, text: str) -> None:
        """Judge every result by a text from now on; Undo takes it back. InputError for none."""
        if not text.strip():
            raise InputError(*_NO_TEXT)
        self._change(self._workspace.view.musts.with_text(text))

    def add_message(self, index: int) -> None:
        """Judge by all sentences of a source message, counted from 0. InputError where it has no
        text."""
        messages = self._workspace.displayed_preview().messages
        text = plain_text(messages[index]) if 0 <= index < len(messages) else ""
        if not text.strip():
            about, way_out = _NO_SENTENCE
            raise InputError(f"#{index + 1} {about}", way_out)
        self.add(text)

    def remove(self, text: str) -> None:
        """Remove a typed text, or ignore one of a file in this session."""
        self._change(self._workspace.view.musts.without(text))

    def _change(self, musts: TypedMusts) -> None:

        workspace = self._workspace
        file = workspace.opened_file()
        view = workspace.view
        if musts == view.musts:
            return
        save_typed_musts(file.conversation, musts)
        workspace.change(replace(view, musts=musts))

    def evidence(
        self, preview: Preview, files: list[MustFile]
    ) -> tuple[MustEvidence, ...]:
        """Return what a preview holds of the texts, worst first."""
        workspace = self._workspace
        texts = workspace.view.musts.joined(files)
        return must_evidence(preview, texts, workspace.opened_file().stages)


class InspectorService(Service):
    """Answers about the shown preview; InputError where there is no such message, cut or
    compaction."""

    def __init__(
        self,
        workspace: Workspace,
        musts: MustService,
        compare: Callable[[], CompareService],
    ) -> None:
        super().__init__(workspace)
        self._musts, self._compare = musts, compare

    def compacted(self) -> Generator[Notice, None, bool]:
        """Yield what the newest recorded compaction left, first that it is counted; True at the
        end."""
        source = self._workspace.analysis_input()
        conversation = source.conversation
        if conversation.recorded:
            yield explained_notice(conversation, source.options.scope)
            explained = explain_compaction(source, len(conversation.recorded))
            yield explained_notice(conversation, source.options.scope, explained)
        return True

    def body(self, side: str, index: int, is_whole: bool = False) -> MessageBody:
        """Return a message ("before" or "after"); ``is_whole`` lifts the cap of 64 kB."""
        return message_body(
            self._workspace.displayed_preview(), side, index, is_complete=is_whole
        )

    def changes(self, index: int) -> MessageChanges:
        """Return what became of a source message; what a summary holds of it as the losses say."""
        preview = self._workspace.displayed_preview()
        if not 0 <= index < len(preview.messages):
            return MessageChanges(index, ())
        is_kept = preview.result.compaction.fates[index].kind is FateKind.KEPT
        # Only what people write is told by sentences; of a tool result the lines say more.
        is_summarised = (
            preview.result.compaction.fates[index].kind is FateKind.SUMMARISED
        )
        is_told = is_summarised or preview.messages[index].speaker is Speaker.HUMAN
        asks = is_told and not is_kept and not preview.summary.provisional
        if asks:
            losses = self._losses(preview, self._workspace.yielding_progress())
        else:
            losses = None
        return message_changes(preview, index, losses)

    def explain_cut(self, name: str) -> WhyPage:

        return why_cut(self._workspace.displayed_preview(), name)

    def explain_run(self) -> WhyPage:

        workspace = self._workspace
        preview = self._workspace.displayed_preview()
        progress = workspace.yielding_progress()
        findings = summary_findings(preview, workspace.opened_file().stages, progress)
        return run_page(
            preview,
            findings,
            None if findings is None else self._losses(preview, progress),
        )

    def explain_recorded(self, number: int) -> WhyPage:
        """Return the page of a recorded compaction, counted from 1."""
        preview = self._workspace.displayed_preview()
        return recorded_page(
            preview, self._workspace.opened_file().recorded(preview), number
        )

    def losses(self) -> LossesPage:
        """Return what the result holds of the facts of the source, and what was asked about it."""
        preview = self._workspace.displayed_preview()
        stages = self._workspace.opened_file().stages
        losses = self._losses(preview, self._workspace.yielding_progress())
        analyses = requested_analyses(preview, stages)
        page = losses_page(preview, losses, analyses)
        files = self._workspace.must_files()
        musts = self._musts.evidence(preview, files)
        from_files = {text for file in files for text in file.musts}
        suggestions = (
            () if musts else suggested_musts([one.fact for one in losses.items])
        )
        must = must_page(
            musts, from_files - set(self._workspace.view.musts.texts), suggestions
        )
        return replace(
            page, must=must, cell=losses_cell(losses, analyses.backtest, musts)
        )

    def lines(self) -> LinesPage:
        """Return the removed lines that can be put back."""
        workspace, view = self._workspace, self._workspace.view
        if view.adds_excerpts:
            offered = None
        else:
            offered = workspace.offered_lines()
        return lines_page(offered, len(view.lines))

    def backtest(self) -> Iterator[BacktestPage]:
        """Run the shown strategy at earlier points of the session; yield what is said of it after
        each."""
        workspace = self._workspace
        preview = self._workspace.displayed_preview()
        source = workspace.analysis_input()
        losses = self._losses(preview, workspace.yielding_progress())
        musts = self._musts.evidence(preview, workspace.must_files())
        if (known := requested_analyses(preview, source.stages).backtest) is not None:
            yield BacktestPage(
                backtest_sentence(known), losses_cell(losses, known, musts)
            )
            return
        source = replace(
            source, options=replace(source.options, pins=preview.source.pins)
        )
        for found in workspace.while_displayed(
            workspace.display, backtest(source, preview.strategy.name)
        ):
            yield BacktestPage(backtest_sentence(found))
        remember_backtest(preview, found, source.stages)
        yield BacktestPage(backtest_sentence(found), losses_cell(losses, found, musts))
        size = equal_size(source, found, preview.sizes.after_tokens)
        if size is None:
            return
        # What Use sets: so the result that it shows has the share that is promised.
        settings = self._compare().aimed_trial(size, EXCERPT).settings
        *_, better = workspace.while_displayed(
            workspace.display, backtest(source, EXCERPT, settings=settings)
        )
        if is_far_ahead(better, found):
            offer = recommendation_notice(better, found, size)
            yield BacktestPage(
                backtest_sentence(found), losses_cell(losses, found, musts), offer
            )

    def rounds(self) -> Generator[DecayPage, None, None]:
        """Compact the shown source, then each result once more; yield a page after each
        compaction."""
        workspace = self._workspace
        preview = self._workspace.displayed_preview()
        rounds = preview_rounds(preview, workspace.yielding_progress())
        pages = decay_pages(rounds, preview.sizes.count_method.mark)
        yield from workspace.while_displayed(workspace.display, pages)

    def summary(self, result_index: int) -> SummaryPage:
        """Return the findings on the summary in a message of the result, and its sentences'
        sources."""
        preview = self._workspace.displayed_preview()
        if all(part.index != result_index for part in summary_parts(preview)):
            return SummaryPage(
                result_index=result_index, verdict="", tone="", findings=()
            )
        return self._summary_page(
            preview, result_index, self._workspace.yielding_progress()
        )

    def check_summaries(self) -> SummaryPage:
        """Return the findings on all summaries that an export would write."""
        preview = (
            self._workspace.display.exported or self._workspace.displayed_preview()
        )
        return self._summary_page(preview, -1, self._workspace.reporter().working)

    def _summary_page(
        self, preview: Preview, result_index: int, progress: Progress
    ) -> SummaryPage:

        stages = self._workspace.opened_file().stages
        findings = summary_findings(preview, stages, progress)
        sentences = linked_summary(preview, result_index, stages, progress)
        if findings is None and result_index >= 0:
            losses = None
        else:
            losses = self._losses(preview, progress)
        sections = prompt_sections(preview)
        page = summary_page(
            result_index,
            findings,
            sentences,
            preview.source.conversation.cwd,
            losses,
            sections,
        )
        first = next((part.index for part in summary_parts(preview)), -1)
        return replace(page, summary_index=first)

    def _losses(self, preview: Preview, progress: Progress) -> Losses:
        return self._workspace.opened_file().losses(preview, progress)

"""The pages of the panels around the lists, all of one preview."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from core.app.rpc import Service, remote
from core.presentation.filter_query import UserMarks
from core.presentation.inspector_model import (
    AskOffer,
    BacktestPage,
    LossesPage,
    MessageBody,
    MessageChanges,
    SummaryPage,
    WhyPage,
)
from core.presentation.model import ChecksPage, StatusPage, TuningPage

if TYPE_CHECKING:
    from core.app.services.ask import AskService
    from core.app.services.inspector import InspectorService
    from core.app.services.lists import MessageListService
    from core.app.shown import Shown
    from core.app.workspace import Workspace
    from core.presentation.checks_page import RepairOutlook
    from core.preview.options import Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelsWanted:
    """What the panels show beside what they always show: a message ("before" or "after", from 0; -1
    for none), or in its place the page of a cut, of a recorded compaction (from 1) or of the run.
    ``summaries``: the findings on all of them; ``studies``: what a model can be asked about the
    losses, and a backtest."""

    side: str = "before"
    index: int = -1
    cut: str = ""
    recorded: int = 0
    is_run: bool = False
    summaries: bool = False
    studies: bool = False


PanelPage: TypeAlias = (
    StatusPage
    | TuningPage
    | ChecksPage
    | UserMarks
    | MessageBody
    | MessageChanges
    | SummaryPage
    | WhyPage
    | LossesPage
    | AskOffer
    | BacktestPage
)

_FEW = 500
"""Fewer messages are checked before anything is said of them, which takes half a frame."""


class PanelService(Service):
    def __init__(
        self,
        workspace: Workspace,
        inspector: InspectorService,
        lists: MessageListService,
        ask: AskService,
    ) -> None:
        super().__init__(workspace)
        self._inspector, self._lists, self._ask = inspector, lists, ask

    @remote(latest=True, of_file=True, reads=True)
    def pages(self, wanted: PanelsWanted = PanelsWanted()) -> Iterator[PanelPage]:
        """Yield the pages of what is shown: what is known at once, the same with the checks, then
        the losses and what they change. A provisional preview has status and controls only. A newer
        setting ends it."""
        self._workspace.shown_preview()
        shown = self._workspace.shown
        yield from self._workspace.while_shown(shown, self._pages(shown, wanted))

    def _pages(self, shown: Shown, wanted: PanelsWanted) -> Iterator[PanelPage]:
        previews = self._previews(shown)
        first = next(previews)
        yield self._status(shown, first)
        yield (tuning := self._tuning(shown, first))
        if first.summary.provisional:
            return
        yield self._checks(first)
        yield self._lists.marks()
        yield from self._selection(wanted)
        for checked in previews:
            yield self._status(shown, checked)
            yield self._checks(checked)
            yield (tuning := self._tuning(shown, checked))
        if wanted.summaries:
            yield self._inspector.check_summaries()
        yield (losses := self._inspector.losses())
        evaluated = self._tuning(shown, self._workspace.shown_preview())
        if evaluated != tuning:
            yield evaluated
        if wanted.studies:
            yield AskOffer(self._ask.offer())
            if losses.asks_backtest:
                yield from self._inspector.backtest()

    def _previews(self, shown: Shown) -> Iterator[Preview]:
        """Yield the preview, and again with its checks; a provisional one has those of what it is
        shown over."""
        workspace, file, preview = self._workspace, self._workspace.opened_file(), shown.preview
        assert preview is not None
        if preview.summary.provisional:
            last = shown.settled.preview
            yield preview if last is None else _with_checks_of(last, preview)
            return
        is_quick = file.checks_are_known(preview) or len(preview.messages) < _FEW
        if preview.checks.lint or not is_quick:
            yield preview
        if not preview.checks.lint:
            checked = file.checked(preview, workspace.yielding_progress())
            workspace.keep_checks(shown, checked)
            yield checked

    def _status(self, shown: Shown, preview: Preview) -> StatusPage:
        """Return the parts of the status bar, the price, and the notices on the preview."""
        from core.presentation import preview_status
        from core.presentation.preview_columns import preview_columns
        from core.presentation.verdict import (
            price_cell,
            price_page,
            shown_cost,
            size_cell,
            size_parts,
        )

        workspace, file = self._workspace, self._workspace.opened_file()
        provider = workspace.provider
        tokens, cost = file.context_tokens(preview), shown_cost(preview)
        stale = preview_status.stale_notices() if shown.has_stale_summary else ()
        refused_by = preview_status.refusing_api(preview, provider)
        return StatusPage(
            parts=preview_status.status_parts(preview, tokens, provider),
            notices=(*shown.notices, *stale, *preview_status.preview_notices(preview, provider)),
            step_notices=len(shown.notices),
            price=price_cell(preview, workspace.price(preview), cost),
            sizes=size_parts(preview, tokens, file.images(provider)),
            prices=price_page(preview, cost),
            size=size_cell(preview_columns(preview), refused_by) if refused_by else None,
        )

    def _tuning(self, shown: Shown, preview: Preview) -> TuningPage:
        """Return the controls, and the effect of the last change, on the losses too where they are
        known."""
        from core.presentation.preview_columns import preview_columns
        from core.presentation.preview_status import change_notice
        from core.presentation.tuning_panel import change_effect, control_groups

        file, columns, change = (
            self._workspace.opened_file(),
            preview_columns(preview),
            shown.change,
        )
        losses = [file.known_losses(one) for one in (change.previous if change else None, preview)]
        effect = change_effect(columns, change, losses)
        is_beside = bool(preview.result.result_source)  # not what the last change led to
        notice = None if is_beside else change_notice(effect)
        return TuningPage(control_groups(columns, shown.view.layers), notice)

    def _checks(self, preview: Preview) -> ChecksPage:
        """Return what each API would refuse; nothing while it is not known."""
        from core.presentation.checks_page import lint_reports, with_limits

        reports = lint_reports(preview, self._outlooks(preview))
        return ChecksPage(self._workspace.provider, with_limits(preview, reports))

    def _outlooks(self, preview: Preview) -> dict[str, RepairOutlook]:
        """Return what a repair would do for each API that refuses the source."""
        from core.app.services.repair import repair_outlook
        from core.lint.common_rules import ERROR

        stages, history = self._workspace.opened_file().stages, preview.source.history
        outlooks = {}
        for lint in preview.checks.lint:
            if any(one.severity == ERROR for one in lint.before):
                outlooks[lint.provider] = stages.get_or_compute(
                    "repair",
                    (history.scope, lint.provider),
                    partial(repair_outlook, preview.source.conversation, history, lint.provider),
                )
        return outlooks

    def _selection(self, wanted: PanelsWanted) -> Iterator[PanelPage]:
        """Yield the page in the place of a message; else the message, with what became of it."""
        inspector = self._inspector
        if wanted.cut:
            yield inspector.explain_cut(wanted.cut)
        elif wanted.recorded:
            yield inspector.explain_recorded(wanted.recorded)
        elif wanted.is_run:
            yield inspector.explain_run()
        elif wanted.index >= 0:
            body = inspector.body(wanted.side, wanted.index)
            yield body
            if body.is_changed:
                yield inspector.changes(wanted.index)
            if wanted.side == "after":
                yield inspector.summary(wanted.index)


def _with_checks_of(last: Preview, preview: Preview) -> Preview:
    return replace(preview, checks=replace(last.checks, warnings=preview.checks.warnings))

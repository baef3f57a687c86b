"""The message lists: filter, marks, pins and notes, copied messages, names and comparisons of
runs."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from core.app.events import PanelPage, PanelsWanted
from core.app.pins import (
    MARKS,
    load_section,
    pinned_messages,
    pinned_once,
    save_section,
)
from core.app.services.repair import repair_outlook
from core.app.services.service import Service
from core.common import number_format
from core.common.errors import InputError
from core.lint.common_rules import ERROR
from core.losses.losses_of import messages_and_instructions
from core.presentation import preview_status
from core.presentation.checks_page import lint_reports, with_limits
from core.presentation.filter_query import (
    FilterEvaluator,
    FilterMatches,
    FilterTable,
    UserMarks,
    all_mask,
    any_mask,
    carried_mask,
    matching_mask,
    needle_of,
    parse_filter,
    texts_from_match,
)
from core.presentation.inspector_model import AskOffer
from core.presentation.lists.row_plan import MessageCopy
from core.presentation.losses_page import UNREQUESTED_LINES
from core.presentation.message_body import message_body
from core.presentation.model import FATES, ChecksPage, StatusPage, TuningPage
from core.presentation.preview_columns import preview_columns
from core.presentation.preview_status import change_notice
from core.presentation.screen_model import Screen
from core.presentation.tuning_panel import change_effect, control_groups
from core.presentation.verdict import (
    checked_cost,
    price_cell,
    price_page,
    size_cell,
    size_parts,
)
from core.reports.text_writers import message_text
from core.transcript.pins import PinKind
from core.transcript.provenance import message_entry

if TYPE_CHECKING:
    from core.app.display_state import DisplayState
    from core.app.open_file import OpenFile
    from core.app.pins import PinUpdate
    from core.app.services.ask import AskService
    from core.app.services.inspector import InspectorService
    from core.app.workspace import Workspace
    from core.presentation.checks_page import RepairOutlook
    from core.preview.options import Preview

JSON, MARKDOWN = "json", "markdown"
"""The forms of a copied message."""


class MessageListService(Service):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._evaluator: FilterEvaluator | None = None
        self._file: OpenFile | None = None
        self._marked: dict[int, str] = {}  # by index in the conversation of ``_file``

    def marks(self) -> UserMarks:
        """Return the marks, pins and notes of the shown source messages."""
        source_indices = self._workspace.displayed_preview().source.history.indices
        marked = self._marked_of(self._workspace.opened_file())
        pins = self._workspace.view.pins
        if pins:
            pinned = [
                (index, pins[at])
                for index, at in enumerate(source_indices)
                if at in pins
            ]
        else:
            pinned = []
        return UserMarks(
            tuple(index for index, at in enumerate(source_indices) if at in marked)
            if marked
            else (),
            tuple(index for index, pin in pinned if pin.kind is PinKind.KEEP),
            tuple(index for index, pin in pinned if pin.kind is PinKind.DROP),
            tuple((index, pin.note) for index, pin in pinned if pin.note),
        )

    def toggle_mark(self, side: str, index: int) -> UserMarks:
        """Mark a message ("before" or "after", from 0), or remove its mark; it is saved."""
        file = self._workspace.opened_file()
        source_index = self._source_index(side, index)
        former = self._marked_of(file)
        marked = {at: text for at, text in former.items() if at != source_index}
        if source_index not in former:
            marked[source_index] = ""
        self._marked = save_section(
            MARKS, file.conversation.messages, marked, former=former
        )
        return self.marks()

    def _marked_of(self, file: OpenFile) -> dict[int, str]:

        if self._file is not file:
            self._file = file
            self._marked = load_section(MARKS, file.conversation.messages)
        return self._marked

    def _source_index(self, side: str, index: int) -> int:
        """Return the index in the conversation of a message on the screen; InputError for a new
        one."""
        preview = self._workspace.displayed_preview()
        origin = self._screen.result.origin
        source = index if side == "before" else -1
        if (
            side == "after"
            and 0 <= index < len(origin)
            and index not in preview.result.compaction.inserted
        ):
            source = origin[index]
        indices = preview.source.history.indices
        if not 0 <= source < len(indices) or indices[source] < 0:
            raise InputError(
                "Only messages of the transcript can be marked.",
                "Mark one that it holds.",
            )
        return indices[source]

    def set_pin(
        self, side: str, index: int, kind: str, note: str = ""
    ) -> Generator[UserMarks, None, None]:
        """Pin a message ("keep" or "drop"; again: unpin), or give it a "note"; then show the
        preview."""
        source_index = self._source_index(side, index)
        shown_index = self._workspace.displayed_preview().source.history.indices.index(
            source_index
        )
        name = number_format.message_number(shown_index)
        yield from self._apply(
            pinned_once(self._workspace.view.pins, source_index, kind, note, name)
        )

    def pin_messages(self) -> Generator[UserMarks, None, None]:
        """Pin every message of the person and every instruction; then show the preview."""
        workspace = self._workspace
        preview = self._workspace.displayed_preview()
        said = messages_and_instructions(
            preview, workspace.opened_file().stages, workspace.yielding_progress()
        )
        yield from self._apply(pinned_messages(workspace.view.pins, said, preview))

    def _apply(self, update: PinUpdate) -> Generator[UserMarks, None, None]:
        """Save the pins and yield them; then show their preview, unless one that has them was shown
        since."""
        workspace = self._workspace
        file = self._workspace.opened_file()
        former = self._workspace.view
        display = workspace.display
        if update.pins != former.pins:
            workspace.remember(former)
            display = workspace.replace_view(
                workspace.keep_pins(file, replace(former, pins=update.pins))
            )
        yield self.marks()
        workspace.check_current(display)
        display = display.settled
        preview = workspace.preview(file, display.view)
        workspace.show(
            replace(display, preview=preview, change=None, notices=(update.notice,))
        )

    @property
    def _screen(self) -> Screen:
        screen = self._workspace.display.screen
        assert screen is not None  # a preview is shown, so its screen is
        return screen

    def filter(self, text: str) -> FilterMatches:
        """Return the messages of both sides that match a query; InputError where it is invalid."""
        query = parse_filter(text)
        preview = self._workspace.displayed_preview()
        screen = self._screen
        if self._evaluator is None or self._evaluator.messages is not preview.messages:
            self._evaluator = FilterEvaluator(preview.messages)
        evaluator = self._evaluator
        marks = self.marks()
        evaluator.progress = self._workspace.yielding_progress()
        source = FilterTable(
            screen.source.rows, screen.source.fates, evaluator.source_mask, marks=marks
        )
        messages, origin = preview.result.compaction.messages, screen.result.origin
        result = FilterTable(
            screen.result.rows,
            screen.result.fates,
            lambda term: evaluator.result_mask(term, messages, origin),
            origin,
            marks,
        )
        before = matching_mask(query, source)
        after = matching_mask(query, result)
        size = len(screen.result.rows)
        # those made from a matching source message match, too
        stays = screen.result.fates.translate(
            bytes([1] * len(FATES) + [0] * (256 - len(FATES)))
        )
        linked = any_mask(
            (after, all_mask((carried_mask(before, origin), stays), size)), size
        )
        needle = needle_of(query)
        begins = {}
        if needle:
            rows = screen.source.rows.text, screen.result.rows.text
            begins = {
                "before": texts_from_match(needle, preview.messages, before, rows[0]),
                "after": texts_from_match(needle, messages, linked, rows[1]),
            }
        return FilterMatches(before, linked, evaluator.called_tools(), needle, begins)

    def copy(self, side: str, index: int, form: str) -> MessageCopy:
        """Return a message as the file has it, or as Markdown; an inserted one as an llxprt
        entry."""
        preview = self._workspace.displayed_preview()
        raw = message_body(preview, side, index, is_complete=True).raw
        if side == "before":
            messages = preview.messages
        else:
            messages = preview.result.compaction.messages
        message = messages[index]
        name = number_format.message_number(index)
        if form == MARKDOWN:
            return MessageCopy(
                message_text(message), f"{name} is in the clipboard as Markdown."
            )
        if side == "after":
            origins = preview.result.compaction.origins[index]
        else:
            origins = (index,)
        if not raw or len(origins) != 1 or preview.messages[origins[0]] is not message:
            raw = (
                json.dumps(message_entry(message), ensure_ascii=False, indent=2) or raw
            )
        return MessageCopy(raw, f"{name} is in the clipboard as JSON.")

    def name_run(self, number: str, name: str) -> None:
        workspace = self._workspace
        workspace.displayed_preview()
        runs = workspace.runs
        display = workspace.replace_view(
            runs.with_run_named(number, name, workspace.view)
        )
        for stack in (workspace.undo_stack, workspace.redo_stack):
            stack[:] = [runs.with_run_named(number, name, view) for view in stack]
        workspace.show(display)


NOTHING_CHOSEN = PanelsWanted()
_FEW = 500
"""Fewer messages are checked before anything is said of them, which takes half a frame."""
_LARGE = 4_000_000
"""Tokens of a history above which lines and backtest, minutes of work that takes several times the
memory of the session, wait until the person asks for them."""


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

    def pages(self, wanted: PanelsWanted = NOTHING_CHOSEN) -> Iterator[PanelPage]:
        """Yield the pages of what is shown: what is known at once, the same with the checks, then
        the losses and what they change. A provisional preview has status and controls only. A newer
        setting ends it."""
        self._workspace.displayed_preview()
        display = self._workspace.display
        yield from self._workspace.while_displayed(
            display, self._pages(display, wanted)
        )

    def _pages(
        self, display: DisplayState, wanted: PanelsWanted
    ) -> Iterator[PanelPage]:
        previews = self._previews(display)
        first = next(previews)
        yield self._status(display, first)
        yield (tuning := self._tuning(display, first))
        if first.summary.provisional:
            return
        yield self._checks(first)
        yield self._lists.marks()
        yield from self._selection(wanted)
        for checked in previews:
            yield self._status(display, checked)
            yield self._checks(checked)
            yield (tuning := self._tuning(display, checked))
        if wanted.summaries:
            yield self._inspector.check_summaries()
        yield (losses := self._inspector.losses())
        evaluated = self._tuning(display, self._workspace.displayed_preview())
        if evaluated != tuning:
            yield evaluated
        if wanted.studies:
            yield from self._studies(display, losses.asks_backtest)

    def studies(
        self, asks_backtest: bool, is_requested: bool = False
    ) -> Iterator[PanelPage]:
        """Yield the lines that can be put back, the offer to ask a model and the backtest; of a
        large session only a link to them, until they are requested. A newer setting ends it."""
        display = self._workspace.display
        yield from self._workspace.while_displayed(
            display, self._studies(display, asks_backtest, is_requested)
        )

    def _studies(
        self, display: DisplayState, asks_backtest: bool, is_requested: bool = False
    ) -> Iterator[PanelPage]:
        preview = display.preview
        assert preview is not None
        is_large = preview.sizes.message_tokens_before > _LARGE
        if is_large and not is_requested:
            yield UNREQUESTED_LINES
            return
        yield self._inspector.lines()
        yield AskOffer(self._ask.offer())
        if asks_backtest:
            yield from self._inspector.backtest()

    def _previews(self, display: DisplayState) -> Iterator[Preview]:
        """Yield the preview, and again with its checks; a provisional one has those of what it is
        shown over."""
        workspace = self._workspace
        file = self._workspace.opened_file()
        preview = display.preview
        assert preview is not None
        if preview.summary.provisional:
            last = display.settled.preview
            yield preview if last is None else _with_checks_of(last, preview)
            return
        is_quick = file.has_cached_checks(preview) or len(preview.messages) < _FEW
        if preview.checks.lint or not is_quick:
            yield preview
        if not preview.checks.lint:
            checked = file.checked(preview, workspace.yielding_progress())
            workspace.keep_checks(display, checked)
            yield checked

    def _status(self, display: DisplayState, preview: Preview) -> StatusPage:
        """Return the parts of the status bar, the price, and the notices on the preview."""
        workspace = self._workspace
        file = self._workspace.opened_file()
        provider = workspace.provider
        tokens = file.context_tokens(preview)
        cost = checked_cost(preview)
        if display.has_stale_summary:
            stale = preview_status.stale_notices()
        else:
            stale = ()
        refused_by = preview_status.refusing_api(preview, provider)
        return StatusPage(
            parts=preview_status.status_parts(preview, tokens, provider),
            notices=(
                *display.notices,
                *stale,
                *preview_status.preview_notices(preview, provider),
            ),
            step_notices=len(display.notices),
            price=price_cell(preview, workspace.price(preview), cost),
            sizes=size_parts(preview, tokens, file.images(provider)),
            prices=price_page(preview, cost),
            size=size_cell(preview_columns(preview), refused_by)
            if refused_by
            else None,
        )

    def _tuning(self, display: DisplayState, preview: Preview) -> TuningPage:
        """Return the controls, and the effect of the last change, on the losses too where they are
        known."""
        file = self._workspace.opened_file()
        columns = preview_columns(preview)
        change = display.change
        losses = [
            file.cached_losses(one)
            for one in (change.previous if change else None, preview)
        ]
        effect = change_effect(columns, change, losses)
        is_beside = bool(
            preview.result.result_source
        )  # not what the last change led to
        if is_beside:
            notice = None
        else:
            notice = change_notice(effect)
        return TuningPage(control_groups(columns, display.view.layers), notice)

    def _checks(self, preview: Preview) -> ChecksPage:
        """Return what each API would refuse; nothing while it is not known."""
        reports = lint_reports(preview, self._outlooks(preview))
        return ChecksPage(self._workspace.provider, with_limits(preview, reports))

    def _outlooks(self, preview: Preview) -> dict[str, RepairOutlook]:
        """Return what a repair would do for each API that refuses the source."""
        stages = self._workspace.opened_file().stages
        history = preview.source.history
        outlooks = {}
        for lint in preview.checks.lint:
            if any(one.severity == ERROR for one in lint.before):
                outlooks[lint.provider] = stages.get_or_compute(
                    "repair",
                    (history.scope, lint.provider),
                    partial(
                        repair_outlook,
                        preview.source.conversation,
                        history,
                        lint.provider,
                    ),
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
    return replace(
        preview, checks=replace(last.checks, warnings=preview.checks.warnings)
    )

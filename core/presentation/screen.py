"""Builds the screen of a preview: every text and number, ready to paint."""

from __future__ import annotations

from dataclasses import replace

from core.common import number_format
from core.common.number_format import abbreviated, context_compacted
from core.presentation.lists.aligned_columns import aligned_columns, edited_lines
from core.presentation.lists.row_texts import after_rows
from core.presentation.model import DROPPED, INSERTED_CODE, CutRow, MessageRows
from core.presentation.opened_file import scope_choices
from core.presentation.preview_columns import (
    PreviewColumns,
    fate_runs,
    kept_pair_text,
    preview_columns,
)
from core.presentation.preview_wording import cut_text, scope_label
from core.presentation.recorded_page import recorded_rows
from core.presentation.ruler.bands import cut_handles, ruler_bands, ruler_totals
from core.presentation.screen_model import (
    Screen,
    ScreenHeading,
    ScreenHistory,
    ScreenRequest,
    ScreenResult,
    ScreenRuler,
    ScreenSource,
)
from core.presentation.verdict import preview_verdict
from core.preview.options import Preview
from core.strategies.base import calls_model
from core.strategies.helpers import OLDEST_FIRST
from core.tokens.recorded_compactions import MeasuredCompaction
from core.transcript.compaction import Cut
from core.transcript.scopes import CURRENT

_UNWRITTEN = (
    "The summary is written when the handle is let go; until then its budget counts."
)
_BY_MODEL = (
    "{name} writes the summary when you press Compact; until then its budget counts."
)


def preview_screen(
    preview: Preview,
    before: MessageRows,
    recorded: tuple[MeasuredCompaction, ...] = (),
    run: str = "",
    current_tokens: int | None = None,
    price: str = "",
) -> Screen:
    """Return the screen of a preview over the rows of its history; ``run`` is the shown run, if
    any, ``current_tokens`` the size of the next request in the current context, and ``price`` that
    of a compaction by a model."""
    columns = preview_columns(preview)
    no_op = preview.result.compaction.no_op
    after = after_rows(
        preview.result.compaction,
        preview.messages,
        before,
        counts=preview.result.after_counts,
        cwd=preview.source.conversation.cwd,
        unwritten=_unwritten(preview),
        speakers=preview.after_speakers,
    )
    aligned = aligned_columns(columns, _unwritten(preview))
    messages = preview.messages, columns.compaction.messages
    edits = edited_lines(columns.fates, columns.result_index, messages, (before, after))
    return Screen(
        strategy=preview.strategy.name,
        provisional=preview.summary.provisional,
        recorded=recorded_rows(
            preview.source.conversation, preview.source.history, recorded
        ),
        no_op=no_op.reason if no_op else "",
        result_name=preview.result.result_source,
        aligned=replace(aligned, edits=edits),
        verdict=preview_verdict(columns, price),
        source=_source(columns, before),
        result=ScreenResult(
            rows=after,
            fates=columns.after_fates,
            origin=columns.origin,
            heading=_after_heading(columns, run),
            cuts=_after_cuts(columns),
        ),
        ruler=_ruler(columns),
        heading=ScreenHeading(
            scope=preview.source.history.scope,
            model=preview.sizes.model_limit.model,
            scopes=scope_choices(preview.source.conversation, recorded),
            sizes=_context_sizes(preview, current_tokens),
        ),
        history=ScreenHistory(run=run),
        request=ScreenRequest(
            calls_model=calls_model(preview.strategy, preview.source.values),
            price=price,
        ),
    )


def _source(columns: PreviewColumns, rows: MessageRows) -> ScreenSource:
    cuts = tuple(
        CutRow(
            cut.index,
            cut_text(cut.name, cut.index, columns.length),
            cut.name,
            detail=_moved_text(columns, cut),
        )
        for cut in columns.cuts
    )
    partners = columns.preview.source.pairs.partners
    return ScreenSource(rows=rows, fates=columns.fates, partners=partners, cuts=cuts)


def _ruler(columns: PreviewColumns) -> ScreenRuler:
    return ScreenRuler(
        runs=fate_runs(columns),
        bands=ruler_bands(columns),
        handles=cut_handles(columns),
        valid=columns.preview.source.pairs.valid,
        totals=ruler_totals(columns),
    )


def _moved_text(columns: PreviewColumns, cut: Cut) -> str:
    """Return "not #30: Edit keeps its result" of a cut that is not where it was asked for."""
    why = kept_pair_text(columns, cut)
    if cut.requested == cut.index or not why:
        return ""
    if cut.name == "top":
        index = cut.requested - 1
    else:
        index = cut.requested
    return f"not {number_format.message_number(index)}: {why}"


def _context_sizes(preview: Preview, current_tokens: int | None) -> tuple[str, ...]:
    if current_tokens is None or current_tokens == preview.sizes.before_tokens:
        return ()
    return (
        f"{scope_label(preview.source.history.scope)} {abbreviated(preview.sizes.before_tokens)}",
        f"{scope_label(CURRENT)} {abbreviated(current_tokens)}",
    )


def _after_heading(columns: PreviewColumns, run: str) -> str:
    preview, calls = columns.preview, columns.compaction.calls
    parts = [number_format.plural(len(preview.result.compaction.messages), "message")]
    if calls:
        writer_text = f"written by {calls[0].profile}"
    else:
        writer_text = "no model needed"
    if preview.result.compaction.no_op is not None:
        parts.append("unchanged")
    elif preview.summary.unwritten and preview.result.compaction.budgets:
        count = len(preview.result.compaction.budgets)
        if count == 1:
            summaries = "summary"
        else:
            summaries = number_format.plural(count, "summary", "summaries")
        parts.append(f"{summaries} not yet written")
    elif preview.result.result_source:
        parts.append(preview.result.result_source)
    elif run:
        parts.append(f"run {run}, {writer_text}")
    elif calls and not preview.summary.profile.is_offline:
        parts.append(writer_text)
    return " · ".join(parts)


def _unwritten(preview: Preview) -> str:
    if not preview.summary.unwritten:
        return ""
    is_dragged = preview.summary.provisional and preview.summary.profile.is_offline
    if is_dragged:
        return _UNWRITTEN
    return _BY_MODEL.format(name=preview.summary.profile.name)


def _after_cuts(columns: PreviewColumns) -> tuple[CutRow, ...]:
    """Return the rows of the compaction and of a protected tail in the result."""
    preview, rows = columns.preview, list[CutRow]()
    if preview.result.compaction.no_op is not None:
        return ()
    boundary = columns.after_fates.find(INSERTED_CODE)
    if boundary < 0:
        boundary = _index_after_truncation(columns)
    if boundary >= 0:
        sizes = map(
            abbreviated, (preview.sizes.before_tokens, preview.sizes.after_tokens)
        )
        text = " → ".join(map(number_format.at_least, sizes, columns.unknown_counts))
        rows.append(CutRow(boundary, context_compacted(text), "", is_compaction=True))
    for cut in columns.cuts:
        if cut.name == "tail" and cut.index < columns.length:
            start = columns.result_index[cut.index]
            rows.append(
                CutRow(start, cut_text(cut.name, start, len(columns.origin)), cut.name)
            )
    return tuple(rows)


def _index_after_truncation(columns: PreviewColumns) -> int:
    """Return the result index after the last message dropped to reach the target, -1 for none."""
    last = len(columns.fates)
    while (last := columns.fates.rfind(DROPPED, 0, last)) >= 0:
        if columns.compaction.fates[last].last.rule == OLDEST_FIRST:
            return sum(
                result_index >= 0 for result_index in columns.result_index[:last]
            )
    return -1

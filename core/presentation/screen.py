"""Builds the screen of a preview: every text and number, ready to paint, and the texts of the
aligned list that only the result knows."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.common import excerpts, number_format
from core.common.number_format import abbreviated, context_compacted
from core.presentation.lists.aligned_rows import (
    AlignedColumns,
    CellSizes,
    CellText,
    EditedLines,
)
from core.presentation.lists.row_texts import LEAD, after_rows
from core.presentation.message_body import MAX_BLOCK_LENGTH, body_blocks
from core.presentation.model import (
    DROPPED,
    EDITED,
    INSERTED_CODE,
    PRUNED,
    CutRow,
    MessageRows,
)
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
from core.transcript.compaction import Compaction, Cut, Fate
from core.transcript.model import Message, Text
from core.transcript.pins import RULE
from core.transcript.scopes import CURRENT

MAX_CELL_CHARS = 64_000
"""The most characters of a summary that is shown in the list; all of it is in the inspector."""
MAX_CELLS = 200
"""The most summaries with a text in the list; the others have their first line."""
_MAX_REASON_WORDS = 6
_CLAUSE_END = re.compile(r"[:;,(]\s|\.(\s|$)")


def aligned_columns(columns: PreviewColumns, unwritten: str = "") -> AlignedColumns:
    """Return the columns of a preview; ``unwritten`` says who writes its summary, and when."""
    removed = (PRUNED, DROPPED)
    codes: dict[tuple[str, int], int] = {}
    by_fate: dict[int, int] = {}
    reason_codes = array("i")
    if any(code in columns.fates for code in removed):
        for fate in columns.compaction.fates:  # many messages share one
            code = by_fate.get(id(fate))
            if code is None:
                code = -1
                if fate.kind.value in ("pruned", "dropped"):
                    named = next(iter(fate.last.links), -1)
                    code = codes.setdefault((short_reason(fate), named), len(codes))
                by_fate[id(fate)] = code
            reason_codes.append(code)
    return AlignedColumns(
        columns.result_index,
        tuple(text for text, _ in codes),
        reason_codes,
        cells=dict(_cells(columns, unwritten)),
        reason_links=tuple(named for _, named in codes),
    )


def with_outdated_summary(aligned: AlignedColumns, text: str) -> AlignedColumns:
    """Return the columns with a summary that was written for other settings in the place of the one
    that is not written yet, where there is one."""
    unwritten = [index for index, cell in aligned.cells.items() if cell.state]
    if not text or len(unwritten) != 1:
        return aligned
    cell = replace(aligned.cells[unwritten[0]], text=text[:MAX_CELL_CHARS])
    return replace(aligned, cells={**aligned.cells, unwritten[0]: cell})


def put_back(compaction: Compaction) -> frozenset[int]:
    """Return the source messages that the user put back."""
    return frozenset(
        index for index, fate in enumerate(compaction.fates) if fate.last.rule == RULE
    )


def summary_text(compaction: Compaction) -> str:
    """Return the text of the summary of a compaction; "" where it has none, or several."""
    texts = [
        _message_text(compaction.messages[index])
        for index in sorted(compaction.inserted)
        if len(compaction.origins[index]) > 1
    ]
    if len(texts) == 1:
        return texts[0]
    return ""


def short_reason(fate: Fate) -> str:
    """Return the reason of a fate in at most six words, else its rule; with the message that it
    names."""
    reason = fate.last.reason
    end = _CLAUSE_END.search(reason)
    if end:
        clause = reason[: end.start()]
    else:
        clause = reason
    if len(clause.split()) <= _MAX_REASON_WORDS:
        text = clause
    else:
        text = fate.last.rule
    numbers = [number_format.message_number(link) for link in fate.last.links[:1]]
    if numbers and numbers[0] not in text:
        text = f"{fate.last.rule}, {numbers[0]}"
    is_word = text[:1].isupper() and text[1:2].islower()
    if is_word:
        return text[:1].lower() + text[1:]
    return text


def _cells(columns: PreviewColumns, unwritten: str) -> Iterator[tuple[int, CellText]]:
    compaction, found = columns.compaction, 0
    for index, sources in enumerate(compaction.origins):
        if len(sources) < 2 or index not in compaction.inserted:
            continue
        found += 1
        if found > MAX_CELLS:
            return
        budget = compaction.budgets.get(index)
        is_unwritten = bool(unwritten) and (
            budget is not None or not compaction.budgets
        )
        yield index, _cell(columns, index, unwritten if is_unwritten else "")


def _cell(columns: PreviewColumns, index: int, unwritten: str) -> CellText:
    compaction, preview = columns.compaction, columns.preview
    sources = compaction.origins[index]
    subject = number_format.plural(len(sources), "message")
    before = number_format.count(
        sum(preview.source.counts[source] for source in sources)
    )
    after = number_format.count(preview.result.after_counts[index])
    title = f"{subject} → 1"
    if unwritten:
        # Its size is the budget: what is written may be smaller.
        sizes = CellSizes(before, f"≤{after}")
        return CellText(
            title, sizes, text="", note="", state=unwritten, subject=subject
        )
    return CellText(
        title,
        CellSizes(before, after),
        text=_message_text(compaction.messages[index]),
        note=_writer_note(columns, index),
        subject=subject,
    )


def _message_text(message: Message) -> str:
    texts = (block.text for block in message.blocks if type(block) is Text)
    return "\n".join(texts)[:MAX_CELL_CHARS]


def _writer_note(columns: PreviewColumns, index: int) -> str:
    """Return who wrote the summary, and what it cost."""
    calls = columns.compaction.calls
    if columns.preview.result.result_source:
        return columns.preview.result.result_source
    if not calls:
        return "no model"
    call = calls[0]
    if call.cost is None and not call.seconds:
        return (
            "offline, no model"
            if columns.preview.summary.profile.is_offline
            else call.profile
        )
    parts = [call.profile]
    cost = sum(one.cost or 0.0 for one in calls)
    if cost:
        parts.append(number_format.dollar_text(cost))
    if seconds := sum(one.seconds for one in calls):
        parts.append(number_format.seconds(seconds))
    return ", ".join(parts)


MAX_EDITS = 2_000
"""The most messages whose difference is looked for."""


def edited_lines(
    fates: bytes,
    results: Sequence[int],
    messages: tuple[Sequence[Message], Sequence[Message]],
    rows: tuple[MessageRows, MessageRows],
) -> dict[int, EditedLines]:
    """Return, by message of the result, both lines of edited messages that have the same row on
    both sides; nothing of those that differ in no text of the first MAX_BLOCK_LENGTH characters.
    ``results`` says where each source message is in the result, -1 for nowhere; ``messages`` and
    ``rows`` are of both sides."""
    found: dict[int, EditedLines] = {}
    before, after = rows
    source = fates.find(EDITED)
    looked_at = 0
    while source >= 0 and looked_at < MAX_EDITS:
        result = results[source]
        row = before.lead[source], before.text[source]
        if result >= 0 and row == (after.lead[result], after.text[result]):
            looked_at += 1
            lines = _from_difference(
                _text(messages[0][source]), _text(messages[1][result])
            )
            if lines is not None:
                found[result] = lines
        source = fates.find(EDITED, source + 1)
    return found


def _text(message: Message) -> str:
    return "\n".join(block.text for block in body_blocks(message, MAX_BLOCK_LENGTH))


def _from_difference(old: str, new: str) -> EditedLines | None:
    first = first_difference(old, new)
    if first == max(len(old), len(new)):
        return None
    start = max(0, first - LEAD)
    head = "… " if start else ""
    return EditedLines(
        *(head + excerpts.one_line_text(text[start:]) for text in (old, new))
    )


def first_difference(old: str, new: str) -> int:
    """Return the first character at which two texts differ, the length of the shorter one if it is
    the start of the other."""
    same = 0
    end = min(len(old), len(new))
    # Halves by slices: a loop over characters takes a hundred times as long.
    while same < end:
        middle = (same + end + 1) // 2
        if old[same:middle] == new[same:middle]:
            same = middle
        else:
            end = middle - 1
    return same


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
    preview = columns.preview
    rows = list[CutRow]()
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

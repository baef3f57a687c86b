"""The report's list of source messages: fate, reason and text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise

from core.common import number_format
from core.presentation.lists.row_wording import LARGE_MESSAGE_TOKENS, chip_words, fate_word, fold_text
from core.presentation.message_body import body_blocks
from core.presentation.message_model import (
    BodyBlock,
)
from core.presentation.model import (
    SPEAKERS,
    fate_counts,
)
from core.reports.document import ReportDocument
from core.reports.html_text import escaped_text
from core.reports.ruler_svg import glyph_use

MAX_ROWS = 4_000
"""Most messages listed; of more, the ends of each run of one fate."""
MAX_TEXT = 4_000_000
"""Approximate limit of characters of all texts."""

_MIN_MESSAGE_TEXT, _MAX_MESSAGE_TEXT = 600, 8_000  # characters of one message
_MAX_BLOCKS = 40  # of one message
_REDACTION_LOOKAHEAD = 5_000  # characters after a cut that redaction reads
_RUN_ENDS = (500, 200, 100, 50, 20, 10, 5, 3, 1)


def choose_messages(fates: bytes, max_messages: int = MAX_ROWS) -> tuple[int, ...]:
    """Return the messages to list: all if few, else both ends of each run, else of the history."""
    if len(fates) <= max_messages:
        return tuple(range(len(fates)))
    runs = _runs(fates)
    for ends in _RUN_ENDS:
        if sum(min(end - start, 2 * ends) for start, end in runs) <= max_messages:
            return tuple(index for start, end in runs for index in _both_ends(start, end, ends))
    return tuple(_both_ends(0, len(fates), max_messages // 2))


def _runs(fates: bytes) -> list[tuple[int, int]]:
    runs, start = [], 0
    for _, group in groupby(fates):
        end = start + sum(1 for _ in group)
        runs.append((start, end))
        start = end
    return runs


def _both_ends(start: int, end: int, ends: int) -> Iterator[int]:
    if end - start <= 2 * ends:
        yield from range(start, end)
    else:
        yield from range(start, start + ends)
        yield from range(end - ends, end)


def messages_section(page: ReportDocument) -> str:
    return f'{_fate_filters(page)}<div class="list">{"".join(_list_lines(page))}</div>'


def list_note(page: ReportDocument) -> str:
    """Return a sentence about what the list leaves out."""
    total, listed_count = len(page.preview.messages), len(page.listed)
    text_limit = _message_text_limit(page)
    parts = []
    if listed_count < total:
        parts.append(
            f"{number_format.count(listed_count)} of {number_format.count(total)} messages are listed."
        )
    parts.append(
        f"Each opens to its reason and at most {number_format.count(text_limit)} characters of its text."
    )
    return " ".join(parts)


def _message_text_limit(page: ReportDocument) -> int:
    return max(_MIN_MESSAGE_TEXT, min(_MAX_MESSAGE_TEXT, MAX_TEXT // max(1, len(page.listed))))


def _fate_filters(page: ReportDocument) -> str:
    """Return a checkbox per fate; the style sheet hides messages of unchecked fates."""
    boxes = []
    for fate, count in fate_counts(page.screen.fates):
        figure, word = chip_words(fate, count)
        boxes.append(
            f'<label class="chip f{fate}"><input type="checkbox" checked id="show-{fate}">'
            f"{glyph_use(fate)}<b>{figure}</b> {word}</label>"
        )
    return f'<fieldset class="chips"><legend>Show</legend>{"".join(boxes)}</fieldset>'


def _list_lines(page: ReportDocument) -> Iterator[str]:
    dividers = _divider_lines(page)
    text_limit, expected = _message_text_limit(page), 0
    for index in page.listed:
        yield from _gap_lines(page, dividers, expected, index)
        yield from dividers.get(index, ())
        yield _message_html(page, index, text_limit)
        expected = index + 1
    yield from _gap_lines(page, dividers, expected, len(page.preview.messages))
    yield from dividers.get(len(page.preview.messages), ())


def _gap_lines(page: ReportDocument, dividers: dict[int, list[str]], start: int, end: int) -> Iterator[str]:
    """Yield one line per unlisted run between two messages; dividers stay."""
    edges = sorted({start, end, *(place for place in dividers if start < place < end)})
    for low, high in pairwise(edges):
        yield from dividers.get(low, ())
        fates, tokens = page.screen.fates[low:high], page.preview.counts[low:high]
        gap_text = fold_text(low, high, fates, tokens, has_more=True)
        yield f'<p class="gap">{gap_text}</p>'


def _divider_lines(page: ReportDocument) -> dict[int, list[str]]:
    """Return cuts and compactions as HTML by the source message that follows."""
    dividers: dict[int, list[str]] = {}
    for row in page.screen.recorded:
        line = f'<p class="folded {row.tone}"><b>{row.text}</b> {page.transcript_html(row.detail)}</p>'
        dividers.setdefault(row.position, []).append(line)
    for cut in page.screen.before_cuts:
        dividers.setdefault(cut.position, []).append(
            f'<p class="cutline"><span>{escaped_text(cut.text)}</span></p>'
        )
    for cut in page.screen.after_cuts:
        if cut.is_compaction:
            line = f'<p class="folded now"><b>{cut.text}</b></p>'
            dividers.setdefault(_source_message_index(page, cut.position), []).append(line)
    return dividers


def _source_message_index(page: ReportDocument, place: int) -> int:
    """Return the source message of a position in the result."""
    after = page.screen.origin[place:]
    return next((index for index in after if index >= 0), len(page.preview.messages))


def _message_html(page: ReportDocument, index: int, text_limit: int) -> str:
    rows, fate = page.screen.before, page.screen.fates[index]
    excerpt = escaped_text(page.redactor.excerpt(rows.text[index]))
    lead = f"<b>{page.redacted_html(rows.lead[index])}</b> " if rows.lead[index] else ""
    css = " ".join(
        css_class
        for css_class, is_set in (("mono", rows.mono[index]), ("failed", rows.errors[index]))
        if is_set
    )
    tokens = rows.tokens[index]
    hot = " hot" if tokens >= LARGE_MESSAGE_TOKENS else ""
    return (
        f'<details class="m f{fate}" id="m{index + 1}"><summary>{glyph_use(fate)}'
        f'<span class="no">{index + 1}</span><span class="fate">{fate_word(fate)}</span>'
        f'<i class="bar k{rows.kinds[index]}"></i><span class="who">{SPEAKERS[rows.speakers[index]]}</span>'
        f'<span class="said {css}"><bdi>{lead}{excerpt}</bdi></span>'
        f'<span class="n{hot}">{number_format.count(tokens)}</span></summary>'
        f'<div class="open">{_fate_steps(page, index)}{_blocks_html(page, index, text_limit)}</div></details>'
    )


def _fate_steps(page: ReportDocument, index: int) -> str:
    """Return the steps that touched the message, and its place in the result."""
    steps = "".join(
        f"<li><b>{page.redacted_html(step.rule)}</b>: {step.kind.value}. "
        f"{page.transcript_html(step.reason)}</li>"
        for step in page.preview.compaction.fates[index].steps
    )
    place = page.columns.result_index[index]
    result_note = f"In the result it is in #{place + 1}." if place >= 0 else "It is not in the result."
    return f'<ol class="why">{steps}<li class="quiet">{result_note}</li></ol>'


def _blocks_html(page: ReportDocument, index: int, text_limit: int) -> str:
    blocks = body_blocks(page.preview.messages[index], text_limit + _REDACTION_LOOKAHEAD)
    parts = []
    for block in blocks[:_MAX_BLOCKS]:
        block_limit = max(_MIN_MESSAGE_TEXT // 4, text_limit)
        parts.append(block_html(page, block, block_limit))
        text_limit -= min(block_limit, block.total)
    if len(blocks) > _MAX_BLOCKS:
        parts.append(f'<p class="more">{number_format.plural(len(blocks) - _MAX_BLOCKS, "more block")}.</p>')
    return "".join(parts)


def block_html(page: ReportDocument, block: BodyBlock, max_length: int) -> str:
    """Return a block's title and text, and the number of characters shown."""
    title = (
        f"<h4>{page.redacted_html(block.title or block.kind)}</h4>"
        if block.title or block.kind != "text"
        else ""
    )
    body = page.redacted_html(block.text, max_length)
    missing_count = block.total - min(max_length, block.shown_length)
    css = " ".join(
        css_class for css_class, is_set in (("mono", block.mono), ("failed", block.error)) if is_set
    )
    cut_text = ""
    if missing_count > 0:
        shown = number_format.count(block.total - missing_count)
        cut_text = f'<p class="more">{shown} of {number_format.count(block.total)} characters.</p>'
    return f'{title}<pre class="{css}" dir="auto">{body}</pre>{cut_text}' if body else title

"""The report's list of source messages: fate, reason and text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from core.common import number_format
from core.presentation.lists.row_wording import HOT, chip_words, fate_word, fold_text
from core.presentation.message_body import laid_out
from core.presentation.model import SPEAKERS, BodyBlock
from core.presentation.preview_columns import INSERTED_CODE
from core.reports.document import ReportDocument
from core.reports.html_text import escaped_text
from core.reports.svg_glyphs import glyph_use

MOST_ROWS = 4_000
"""Most messages listed; of more, the ends of each run of one fate."""
MOST_TEXT = 4_000_000
"""Approximate limit of characters of all texts."""

_LEAST, _MOST = 600, 8_000  # characters of one message
_BLOCKS = 40  # of one message
_LOOK = 5_000  # characters after a cut that redaction reads
_ENDS = (500, 200, 100, 50, 20, 10, 5, 3, 1)


def choose_messages(fates: bytes, most: int = MOST_ROWS) -> tuple[int, ...]:
    """Return the messages to list: all if few, else both ends of each run, else of the history."""
    if len(fates) <= most:
        return tuple(range(len(fates)))
    runs = _runs(fates)
    for ends in _ENDS:
        if sum(min(end - start, 2 * ends) for start, end in runs) <= most:
            return tuple(index for start, end in runs for index in _both_ends(start, end, ends))
    return tuple(_both_ends(0, len(fates), most // 2))


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
    return f'{_switches(page)}<div class="list">{"".join(_lines(page))}</div>'


def cut_note(page: ReportDocument) -> str:
    """Return a sentence about what the list leaves out."""
    total, listed = len(page.preview.messages), len(page.listed)
    cap = _room(page)
    parts = []
    if listed < total:
        parts.append(f"{number_format.count(listed)} of {number_format.count(total)} messages are listed.")
    parts.append(f"Each opens to its reason and at most {number_format.count(cap)} characters of its text.")
    return " ".join(parts)


def _room(page: ReportDocument) -> int:
    return max(_LEAST, min(_MOST, MOST_TEXT // max(1, len(page.listed))))


def _switches(page: ReportDocument) -> str:
    """Return a checkbox per fate; the style sheet hides messages of unchecked fates."""
    boxes = []
    for fate, count in page.screen.before_chips:
        figure, word = chip_words(fate, count)
        boxes.append(
            f'<label class="chip f{fate}"><input type="checkbox" checked id="show-{fate}">'
            f"{glyph_use(fate)}<b>{figure}</b> {word}</label>"
        )
    return f'<fieldset class="chips"><legend>Show</legend>{"".join(boxes)}</fieldset>'


def _lines(page: ReportDocument) -> Iterator[str]:
    dividers = _dividers(page)
    room, expected = _room(page), 0
    for index in page.listed:
        yield from _gap(page, dividers, expected, index)
        yield from dividers.get(index, ())
        yield _message(page, index, room)
        expected = index + 1
    yield from _gap(page, dividers, expected, len(page.preview.messages))
    yield from dividers.get(len(page.preview.messages), ())


def _gap(page: ReportDocument, dividers: dict[int, list[str]], start: int, end: int) -> Iterator[str]:
    """Yield one line per unlisted run between two messages; dividers stay."""
    edges = sorted({start, end, *(place for place in dividers if start < place < end)})
    for low, high in pairwise(edges):
        yield from dividers.get(low, ())
        fates = page.screen.fates[low:high]
        fate = min(fates) if min(fates) == max(fates) else -1
        tokens = page.preview.counts[low:high]
        mark = page.preview.method.mark
        if fate >= 0:
            words = fold_text(low, high, fate, tokens, mark, more=True)
        else:
            count, span = number_format.count(high - low), number_format.span(low, high)
            words = f"{count} more · {span} · {number_format.tokens(mark, sum(tokens))}"
        yield f'<p class="gap">{words}</p>'


def _dividers(page: ReportDocument) -> dict[int, list[str]]:
    """Return cuts and compactions as HTML by the source message that follows."""
    dividers: dict[int, list[str]] = {}
    for row in page.screen.recorded:
        line = f'<p class="folded {row.tone}"><b>{row.text}</b> {page.foreign(row.detail)}</p>'
        dividers.setdefault(row.position, []).append(line)
    for cut in page.screen.before_cuts:
        dividers.setdefault(cut.position, []).append(
            f'<p class="cutline"><span>{escaped_text(cut.text)}</span></p>'
        )
    for cut in page.screen.after_cuts:
        if cut.wide:
            line = f'<p class="folded now"><b>{cut.text}</b></p>'
            dividers.setdefault(_source_of(page, cut.position), []).append(line)
    return dividers


def _source_of(page: ReportDocument, place: int) -> int:
    """Return the source message of a position in the result."""
    after = page.screen.origin[place:]
    return next((index for index in after if index >= 0), len(page.preview.messages))


def _message(page: ReportDocument, index: int, room: int) -> str:
    rows, fate = page.screen.before, page.screen.fates[index]
    excerpt = escaped_text(page.redactor.excerpt(rows.text[index]))
    lead = f"<b>{page.escape(rows.lead[index])}</b> " if rows.lead[index] else ""
    css = " ".join(word for word, on in (("mono", rows.mono[index]), ("failed", rows.errors[index])) if on)
    tokens = rows.tokens[index]
    hot = " hot" if tokens >= HOT else ""
    return (
        f'<details class="m f{fate}" id="m{index + 1}"><summary>{glyph_use(fate)}'
        f'<span class="no">{index + 1}</span><span class="fate">{fate_word(fate)}</span>'
        f'<i class="bar k{rows.kinds[index]}"></i><span class="who">{SPEAKERS[rows.speakers[index]]}</span>'
        f'<span class="said {css}"><bdi>{lead}{excerpt}</bdi></span>'
        f'<span class="n{hot}">{number_format.count(tokens)}</span></summary>'
        f'<div class="open">{_why(page, index)}{_blocks(page, index, room)}</div></details>'
    )


def _why(page: ReportDocument, index: int) -> str:
    """Return the steps that touched the message, and its place in the result."""
    steps = "".join(
        f"<li><b>{page.escape(step.rule)}</b>: {step.kind.value}. {page.foreign(step.reason)}</li>"
        for step in page.preview.compaction.fates[index].steps
    )
    place = page.columns.result_index[index]
    went = f"In the result it is in #{place + 1}." if place >= 0 else "It is not in the result."
    return f'<ol class="why">{steps}<li class="quiet">{went}</li></ol>'


def _blocks(page: ReportDocument, index: int, room: int) -> str:
    blocks = laid_out(page.preview.messages[index], room + _LOOK)
    parts = []
    for block in blocks[:_BLOCKS]:
        most = max(_LEAST // 4, room)
        parts.append(block_html(page, block, most))
        room -= min(most, block.total)
    if len(blocks) > _BLOCKS:
        parts.append(f'<p class="more">{number_format.plural(len(blocks) - _BLOCKS, "more block")}.</p>')
    return "".join(parts)


def block_html(page: ReportDocument, block: BodyBlock, most: int) -> str:
    """Return a block's title and text, and the number of characters shown."""
    title = (
        f"<h4>{page.escape(block.title or block.kind)}</h4>" if block.title or block.kind != "text" else ""
    )
    body = page.escape(block.text, most)
    missing = block.total - min(most, block.shown)
    css = " ".join(word for word, on in (("mono", block.mono), ("failed", block.error)) if on)
    more = ""
    if missing > 0:
        shown = number_format.count(block.total - missing)
        more = f'<p class="more">{shown} of {number_format.count(block.total)} characters.</p>'
    return f'{title}<pre class="{css}" dir="auto">{body}</pre>{more}' if body else title


def inserted_messages(page: ReportDocument) -> Sequence[int]:
    """Return the indices of inserted result messages."""
    return [place for place, fate in enumerate(page.screen.after_fates) if fate == INSERTED_CODE]

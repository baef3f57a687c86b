"""Every message of the source with its fate: a line that opens to its reason and its text."""

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
"""Messages that are listed one by one; of more, the ends of each run of one fate."""
MOST_TEXT = 4_000_000
"""Characters of the texts of all messages together, more or less."""

_LEAST, _MOST = 600, 8_000  # characters of one message
_BLOCKS = 40  # of one message
_LOOK = 5_000  # characters behind a cut that redaction looks at
_ENDS = (500, 200, 100, 50, 20, 10, 5, 3, 1)


def choose_messages(fates: bytes, most: int = MOST_ROWS) -> tuple[int, ...]:
    """The messages to list: all where they are few enough, else both ends of each run, else both
    ends of the history."""
    if len(fates) <= most:
        return tuple(range(len(fates)))
    runs = _runs(fates)
    for ends in _ENDS:
        if sum(min(end - start, 2 * ends) for start, end in runs) <= most:
            return tuple(index for start, end in runs for index in _both_ends(start, end, ends))
    return tuple(_both_ends(0, len(fates), most // 2))


def _runs(fates: bytes) -> list[tuple[int, int]]:
    found, start = [], 0
    for _, group in groupby(fates):
        end = start + sum(1 for _ in group)
        found.append((start, end))
        start = end
    return found


def _both_ends(start: int, end: int, ends: int) -> Iterator[int]:
    if end - start <= 2 * ends:
        yield from range(start, end)
    else:
        yield from range(start, start + ends)
        yield from range(end - ends, end)


def messages_section(paper: ReportDocument) -> str:
    """The list with its switches."""
    return f'{_switches(paper)}<div class="list">{"".join(_lines(paper))}</div>'


def cut_note(paper: ReportDocument) -> str:
    """What was cut from the list, in a sentence; empty where nothing was."""
    every, listed = len(paper.made.messages), len(paper.listed)
    cap = _room(paper)
    parts = []
    if listed < every:
        parts.append(f"{number_format.count(listed)} of {number_format.count(every)} messages are listed.")
    parts.append(f"Each opens to its reason and at most {number_format.count(cap)} characters of its text.")
    return " ".join(parts)


def _room(paper: ReportDocument) -> int:
    return max(_LEAST, min(_MOST, MOST_TEXT // max(1, len(paper.listed))))


def _switches(paper: ReportDocument) -> str:
    """A box per fate; the style sheet hides the messages of those that are not checked."""
    boxes = []
    for fate, count in paper.screen.before_chips:
        figure, word = chip_words(fate, count)
        boxes.append(
            f'<label class="chip f{fate}"><input type="checkbox" checked id="show-{fate}">'
            f"{glyph_use(fate)}<b>{figure}</b> {word}</label>"
        )
    return f'<fieldset class="chips"><legend>Show</legend>{"".join(boxes)}</fieldset>'


def _lines(paper: ReportDocument) -> Iterator[str]:
    dividers = _dividers(paper)
    room, expected = _room(paper), 0
    for index in paper.listed:
        yield from _gap(paper, dividers, expected, index)
        yield from dividers.get(index, ())
        yield _message(paper, index, room)
        expected = index + 1
    yield from _gap(paper, dividers, expected, len(paper.made.messages))
    yield from dividers.get(len(paper.made.messages), ())


def _gap(paper: ReportDocument, dividers: dict[int, list[str]], start: int, end: int) -> Iterator[str]:
    """What is not listed between two messages, one line per run; dividers stay."""
    edges = sorted({start, end, *(place for place in dividers if start < place < end)})
    for low, high in pairwise(edges):
        yield from dividers.get(low, ())
        fates = paper.screen.fates[low:high]
        one = min(fates) if min(fates) == max(fates) else -1
        tokens = paper.made.counts[low:high]
        mark = paper.made.method.mark
        if one >= 0:
            words = fold_text(low, high, one, tokens, mark, more=True)
        else:
            count, span = number_format.count(high - low), number_format.span(low, high)
            words = f"{count} more · {span} · {number_format.tokens(mark, sum(tokens))}"
        yield f'<p class="gap">{words}</p>'


def _dividers(paper: ReportDocument) -> dict[int, list[str]]:
    """Cuts, recorded compactions and this one, by the source message that they stand before."""
    found: dict[int, list[str]] = {}
    for row in paper.screen.recorded:
        line = f'<p class="folded {row.tone}"><b>{row.text}</b> {paper.foreign(row.detail)}</p>'
        found.setdefault(row.position, []).append(line)
    for cut in paper.screen.before_cuts:
        found.setdefault(cut.position, []).append(
            f'<p class="cutline"><span>{escaped_text(cut.text)}</span></p>'
        )
    for cut in paper.screen.after_cuts:
        if cut.wide:
            line = f'<p class="folded now"><b>{cut.text}</b></p>'
            found.setdefault(_source_of(paper, cut.position), []).append(line)
    return found


def _source_of(paper: ReportDocument, place: int) -> int:
    """The source message at which something in the result stands."""
    after = paper.screen.origin[place:]
    return next((index for index in after if index >= 0), len(paper.made.messages))


def _message(paper: ReportDocument, index: int, room: int) -> str:
    rows, fate = paper.screen.before, paper.screen.fates[index]
    said = escaped_text(paper.cover.excerpt(rows.text[index]))
    lead = f"<b>{paper.say(rows.lead[index])}</b> " if rows.lead[index] else ""
    css = " ".join(word for word, on in (("mono", rows.mono[index]), ("failed", rows.errors[index])) if on)
    tokens = rows.tokens[index]
    hot = " hot" if tokens >= HOT else ""
    return (
        f'<details class="m f{fate}" id="m{index + 1}"><summary>{glyph_use(fate)}'
        f'<span class="no">{index + 1}</span><span class="fate">{fate_word(fate)}</span>'
        f'<i class="bar k{rows.kinds[index]}"></i><span class="who">{SPEAKERS[rows.speakers[index]]}</span>'
        f'<span class="said {css}"><bdi>{lead}{said}</bdi></span>'
        f'<span class="n{hot}">{number_format.count(tokens)}</span></summary>'
        f'<div class="open">{_why(paper, index)}{_blocks(paper, index, room)}</div></details>'
    )


def _why(paper: ReportDocument, index: int) -> str:
    """Each step that touched the message, and where it went."""
    steps = "".join(
        f"<li><b>{paper.say(step.rule)}</b>: {step.kind.value}. {paper.foreign(step.reason)}</li>"
        for step in paper.made.compaction.fates[index].steps
    )
    place = paper.shown.went[index]
    went = f"In the result it is in #{place + 1}." if place >= 0 else "It is not in the result."
    return f'<ol class="why">{steps}<li class="quiet">{went}</li></ol>'


def _blocks(paper: ReportDocument, index: int, room: int) -> str:
    blocks = laid_out(paper.made.messages[index], room + _LOOK)
    parts = []
    for block in blocks[:_BLOCKS]:
        most = max(_LEAST // 4, room)
        parts.append(block_html(paper, block, most))
        room -= min(most, block.total)
    if len(blocks) > _BLOCKS:
        parts.append(f'<p class="more">{number_format.plural(len(blocks) - _BLOCKS, "more block")}.</p>')
    return "".join(parts)


def block_html(paper: ReportDocument, block: BodyBlock, most: int) -> str:
    """One block: its title, its text, and how much of it is missing."""
    title = f"<h4>{paper.say(block.title or block.kind)}</h4>" if block.title or block.kind != "text" else ""
    body = paper.say(block.text, most)
    missing = block.total - min(most, block.shown)
    css = " ".join(word for word, on in (("mono", block.mono), ("failed", block.error)) if on)
    more = ""
    if missing > 0:
        shown = number_format.count(block.total - missing)
        more = f'<p class="more">{shown} of {number_format.count(block.total)} characters.</p>'
    return f'{title}<pre class="{css}" dir="auto">{body}</pre>{more}' if body else title


def inserted_messages(paper: ReportDocument) -> Sequence[int]:
    """The result messages that no source message is."""
    return [place for place, fate in enumerate(paper.screen.after_fates) if fate == INSERTED_CODE]

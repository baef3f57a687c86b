"""The report as one HTML page: no script, nothing loaded, every text escaped
(resources/report.html)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, TypeAlias

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from core.common import number_format
from core.common.paths import RESOURCES, installed_version
from core.facts.model import FactKind
from core.formats.registry import FORMATS
from core.formats.writing.exporter import (
    Exporter,
    ExporterOutput,
    ExportGroup,
    ExportInput,
    ExportOptions,
    OutputShape,
)
from core.losses.evidence import EvidenceStatus
from core.losses.losses_of import losses_of
from core.losses.summary_check import (
    LinkedSentence,
    summary_findings,
    summary_links,
    summary_parts,
)
from core.losses.summary_evidence import SummaryPart
from core.losses.texts import source_index
from core.presentation.checks_page import lint_reports
from core.presentation.inspector_model import NEEDED, NOWHERE, UNSAID, BodyBlock
from core.presentation.lists.row_plan import (
    LARGE_MESSAGE_TOKENS,
    chip_words,
    collapsed_text,
    fate_word,
    merged_runs,
)
from core.presentation.losses_words import KIND_NAMES, STATUS_WORDS, losses_head
from core.presentation.message_body import body_blocks
from core.presentation.model import (
    DROPPED,
    EDITED,
    FATES,
    INSERTED_CODE,
    KEPT,
    KINDS,
    SPEAKERS,
    SYSTEM,
    fate_counts,
)
from core.presentation.palette import COLOURS, FATE_SHAPES, GROUPS
from core.presentation.preview_columns import preview_columns
from core.presentation.preview_wording import (
    limit_text,
    preview_warnings,
    result_standing,
    scope_label,
)
from core.presentation.ruler import wording as ruler_text
from core.presentation.ruler.geometry import (
    FATE_WEIGHTS,
    GAP,
    KIND_WEIGHTS,
    NO_MESSAGE,
    RulerBand,
    RulerRange,
    RunLane,
    TokenBar,
    axis_ticks,
    error_marks,
    pixel_columns,
    prefix_sums,
    run_shapes,
    whole_range,
)
from core.presentation.screen_model import Screen
from core.presentation.summary_page import NO_SOURCE, shared_words, summary_verdict
from core.presentation.why import why_cut
from core.preview.options import Preview
from core.reports.report_data import (
    ReportData,
    ReportInput,
    attribute_text,
    escaped_text,
    isolated_text,
    report_data,
    report_input,
    report_losses,
    savings_figures,
)
from core.settings.schema import setting_text
from core.settings_store.layers import SETTINGS
from core.transcript.model import Speaker

if TYPE_CHECKING:
    from jinja2 import Template

_CIRCLE = re.compile(r"O ([\d.]+) ([\d.]+) ([\d.]+) ?")


def glyph_symbols() -> str:
    """Return the definitions of the fates' glyphs, which the template refers to."""
    symbols = "".join(
        (
            f'<symbol id="g-{name}" viewBox="0 0 12 '
            f'12">{"".join(_shape(*shape) for shape in shapes)}</symbol>'
        )
        for name, shapes in FATE_SHAPES.items()
    )
    return f'<svg class="defs" aria-hidden="true">{symbols}</svg>'


def _shape(path: str, width: float) -> str:
    if width:
        attributes = f'stroke-width="{width:g}"'
    else:
        attributes = 'fill="currentColor" stroke="none"'
    circles = (
        f'<circle cx="{x}" cy="{y}" r="{r}" {attributes}/>'
        for x, y, r in _CIRCLE.findall(path)
    )
    lines = _CIRCLE.sub("", path)
    return "".join(circles) + (f'<path d="{lines}" {attributes}/>' if lines else "")


WIDTH = 1_200
"""Columns of the figure, scaled by the page."""

_BEFORE, _STRIP, _LANE, _AFTER, _HEIGHT = (0, 36), (38, 45), (46, 82), (82, 118), 118
_LETTER_WIDTH = 7.2  # columns per letter of a band label
_FAINT_WIDTH = 8.0  # columns below which the edges of a shape are faint
_TICK_DISTANCES = (("wide-only", 60.0), ("narrow-only", 260.0))
"""Columns between two labels of the axis, on a wide and a narrow page."""


def ruler_values(screen: Screen) -> dict[str, object]:
    """Return what the template writes of the ruler, with the window's wording."""
    totals, hidden = screen.ruler.totals, screen.ruler.totals.hidden
    before = TokenBar(prefix_sums(screen.source.rows.tokens), screen.source.rows.kinds)
    strip = TokenBar(before.sums, screen.source.fates)
    after = TokenBar(prefix_sums(screen.result.rows.tokens), screen.result.rows.kinds)
    view = whole_range(
        max(max(before.sums[-1], after.sums[-1]) + hidden, totals.limit or 0), WIDTH
    )
    shapes = (
        *_token_bar(before, screen.source.rows.errors, view, _BEFORE, hidden),
        *_fate_strip(strip, view),
        *_run_shapes(screen, strip, after, view),
        *_token_bar(after, screen.result.rows.errors, view, _AFTER, hidden),
        *_ruler_lines(screen, before, view),
    )
    return {
        "box": f"0 0 {WIDTH} {_HEIGHT}",
        "spoken": ruler_text.spoken_ruler(screen),
        "shapes": Markup("".join(shapes)),
        "axis": [
            (css, _axis_labels(view, distance)) for css, distance in _TICK_DISTANCES
        ],
        "bands": list(_bands(screen, before, view)),
        "totals": (
            (ruler_text.BEFORE, totals.before_total),
            (ruler_text.AFTER, totals.after_total),
        ),
        "saved_left": _percent(view, after.sums[-1] + hidden),
        "room_right": _room_right(screen, before.sums[-1] + hidden, view),
        "legend": list(_legend(screen)),
    }


def _percent(view: RulerRange, tokens: float) -> str:
    return f"{100 * view.x(tokens) / view.width:.2f}%"


def _path(css: str, boxes: Iterable[tuple[float, float, float, float]]) -> str:
    drawn = "".join(
        f"M{x:g} {y:g}h{width:g}v{height:g}h-{width:g}z"
        for x, y, width, height in boxes
    )
    if drawn:
        return f'<path class="{css}" d="{drawn}"/>'
    return ""


def _column_runs(codes: bytes) -> dict[int, list[tuple[int, int]]]:
    """Return runs [x, end) of equal columns by code, without gaps and empty columns."""
    runs: dict[int, list[tuple[int, int]]] = {}
    x = 0
    for code, group in groupby(codes):
        end = x + sum(1 for _ in group)
        if code not in (GAP, NO_MESSAGE):
            runs.setdefault(code, []).append((x, end))
        x = end
    return runs


def _token_bar(
    sums: TokenBar, errors: bytes, view: RulerRange, lane: tuple[int, int], hidden: int
) -> Iterator[str]:
    top = lane[0]
    height = lane[1] - lane[0]
    yield f'<rect class="free" y="{top}" width="{WIDTH}" height="{height}"/>'
    end = view.x(sums.sums[-1])
    yield f'<rect class="ground" y="{top}" width="{end:g}" height="{height}"/>'
    for code, column_runs in sorted(
        _column_runs(pixel_columns(sums, view, KIND_WEIGHTS)).items()
    ):
        boxes = [(x, top, end_x - x, height) for x, end_x in column_runs]
        yield _path(f"p k{code}", boxes)
        if code == SYSTEM:
            yield _path("hatched", boxes)
    errors_at = [
        (left, top, right - left, 5)
        for left, right in error_marks(sums.sums, errors, view)
    ]
    yield _path("cap", errors_at)
    yield f'<rect class="frame" y="{top}" width="{end:g}" height="{height}"/>'
    if hidden:
        width = view.x(sums.sums[-1] + hidden) - end
        yield _path("hatched", [(end, top, width, height)])
        yield f'<rect class="frame" x="{end:g}" y="{top}" width="{width:g}" height="{height}"/>'


def _fate_strip(sums: TokenBar, view: RulerRange) -> Iterator[str]:
    top, bottom = _STRIP
    for code, column_runs in sorted(
        _column_runs(pixel_columns(sums, view, FATE_WEIGHTS, gaps=False)).items()
    ):
        if code == KEPT:
            continue
        if code == EDITED:
            height = (bottom - top) / 2
        else:
            height = bottom - top
        boxes = [(x, top, end_x - x, height) for x, end_x in column_runs]
        yield _path(f"p f{code}", boxes)
        if code == DROPPED:
            yield _path("hatched", boxes)


def _run_shapes(
    screen: Screen, strip: TokenBar, after: TokenBar, view: RulerRange
) -> Iterator[str]:
    top, bottom = _LANE
    for shape in run_shapes(
        RunLane(merged_runs(screen.ruler.runs), strip, after.sums), view
    ):
        (a, b), (c, d) = shape.upper, shape.lower
        quiet_class = " quiet" if shape.fate == KEPT else ""
        css = f"fold f{shape.fate}{quiet_class}{' thin' if min(b - a, d - c) < _FAINT_WIDTH else ''}"
        yield (
            f'<path class="{css}" d="M{a:.1f} {top}L{b:.1f} {top}L{d:.1f} {bottom}L{c:.1f} '
            f'{bottom}z"/>'
        )


def _ruler_lines(screen: Screen, before: TokenBar, view: RulerRange) -> Iterator[str]:
    totals = screen.ruler.totals
    for css, tokens, top in (
        ("trigger", totals.trigger, 0),
        ("limit", totals.limit, 0),
        ("target", totals.target, _LANE[0]),
    ):
        if tokens is not None:
            yield _ruler_line(css, view.x(tokens), top, _HEIGHT)
    for handle in screen.ruler.handles:
        if 0 <= handle.index < len(before.sums):
            yield _ruler_line("cut", view.x(before.sums[handle.index]), 0, _STRIP[1])
        if handle.requested != handle.index and 0 <= handle.requested < len(
            before.sums
        ):
            yield _ruler_line(
                "asked", view.x(before.sums[handle.requested]), 0, _STRIP[1]
            )


def _ruler_line(css: str, x: float, top: float, bottom: float) -> str:
    x = min(max(x, 0.75), WIDTH - 0.75)
    return f'<path class="line {css}" d="M{x:g} {top:g}V{bottom:g}"/>'


def _axis_labels(view: RulerRange, min_distance: float) -> list[tuple[str, str]]:
    ticks = axis_ticks(view, min_distance)
    shown = [
        (x, tokens)
        for x, tokens, is_labelled in ticks
        if is_labelled and x < view.width * 0.97
    ]
    return [
        (f"{100 * x / view.width:.2f}%", ruler_text.axis_label(tokens))
        for x, tokens in shown
    ]


def _bands(
    screen: Screen, before: TokenBar, view: RulerRange
) -> Iterator[tuple[RulerBand, str, str, str]]:
    """Yield each band with left edge, width and the longest label that fits a wide page; a narrower
    one clips it."""
    for band in screen.ruler.bands:
        left, right = before.sums[band.start], before.sums[band.end]
        letters = view.x(right - left) / _LETTER_WIDTH - 2
        label = next(
            (label for label in band.labels if len(label) <= letters), band.labels[-1]
        )
        yield band, _percent(view, left), _percent(view, right - left), label


def _room_right(screen: Screen, used_tokens: int, view: RulerRange) -> str:
    """Return the right edge of the free space after the upper bar, "" without room for its
    label."""
    totals = screen.ruler.totals
    end = (
        totals.trigger
        if totals.trigger and totals.trigger > used_tokens
        else totals.limit
    )
    if end is None or end <= used_tokens or view.x(end - used_tokens) < WIDTH / 6:
        return ""
    return f"{100 - 100 * view.x(end) / view.width:.2f}%"


def _legend(screen: Screen) -> Iterator[tuple[str, str]]:
    totals = screen.ruler.totals
    yield from ((f"sw k{code}", name) for code, name in ruler_text.legend_kinds(screen))
    yield "sw cap", ruler_text.ERROR
    for css, labels in (
        ("mark trigger", totals.trigger_labels),
        ("mark limit", totals.limit_labels),
        ("mark target", (totals.target_label,)),
    ):
        yield from (
            (css, label)
            for label in labels[:1]
            if label and number_format.UNKNOWN not in label
        )
    if totals.hidden_labels:
        yield "sw hatched", totals.hidden_labels[0]
    if ruler_text.has_moved_cut(screen):
        yield "mark asked", ruler_text.REQUESTED_CUT


MAX_ROWS = 4_000
"""Most messages listed; of more, the ends of each run of one fate."""
MAX_TEXT = 4_000_000
"""Approximate limit of characters of all texts."""

_MIN_MESSAGE_TEXT, _MAX_MESSAGE_TEXT = 600, 8_000  # characters of one message
_MAX_BLOCKS = 40  # of one message
_REDACTION_LOOKAHEAD = 5_000  # characters after a cut that redaction reads
_Dividers: TypeAlias = dict[int, list[tuple[str, object]]]
_RUN_ENDS = (500, 200, 100, 50, 20, 10, 5, 3, 1)


def choose_messages(fates: bytes) -> tuple[int, ...]:
    """Return the messages to list: all if few, else both ends of each run, else of the history."""
    if len(fates) <= MAX_ROWS:
        return tuple(range(len(fates)))
    runs = _runs(fates)
    for ends in _RUN_ENDS:
        if sum(min(end - start, 2 * ends) for start, end in runs) <= MAX_ROWS:
            return tuple(
                index for start, end in runs for index in _both_ends(start, end, ends)
            )
    return tuple(_both_ends(0, len(fates), MAX_ROWS // 2))


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


def list_note(page: ReportData) -> str:
    total = len(page.preview.messages)
    listed_count = len(page.listed)
    text_limit = _message_text_limit(page)
    parts = []
    if listed_count < total:
        parts.append(
            f"{number_format.count(listed_count)} of {number_format.count(total)} messages "
            f"are listed."
        )
    parts.append(
        f"Each opens to its reason and at most {number_format.count(text_limit)} characters "
        f"of its text."
    )
    return " ".join(parts)


def _message_text_limit(page: ReportData) -> int:
    return max(
        _MIN_MESSAGE_TEXT, min(_MAX_MESSAGE_TEXT, MAX_TEXT // max(1, len(page.listed)))
    )


def list_entries(page: ReportData) -> Iterator[tuple[str, object]]:
    """Yield (kind, value) of each row: "recorded", "cut", "compacted", "gap" with its text, or
    "message" with its index."""
    dividers = _dividers(page)
    expected = 0
    for index in (*page.listed, len(page.preview.messages)):
        yield from _gap(page, dividers, expected, index)
        yield from dividers.get(index, ())
        if index < len(page.preview.messages):
            yield "message", index
        expected = index + 1


def _gap(
    page: ReportData, dividers: _Dividers, start: int, end: int
) -> Iterator[tuple[str, object]]:
    """Yield an entry per unlisted run between two messages; dividers stay."""
    edges = sorted(
        {start, end, *(boundary for boundary in dividers if start < boundary < end)}
    )
    for low, high in pairwise(edges):
        yield from dividers.get(low, ())
        fates = page.screen.source.fates[low:high]
        tokens = page.preview.source.counts[low:high]
        yield "gap", collapsed_text(low, high, fates, tokens, has_more=True)


def _dividers(page: ReportData) -> _Dividers:
    """Return cuts and compactions by the source message that follows."""
    dividers: _Dividers = {}
    for row in page.screen.recorded:
        dividers.setdefault(row.boundary, []).append(("recorded", row))
    for cut in page.screen.source.cuts:
        dividers.setdefault(cut.boundary, []).append(("cut", cut))
    for cut in page.screen.result.cuts:
        if cut.is_compaction:
            later_sources = (
                index
                for index in page.screen.result.origin[cut.boundary :]
                if index >= 0
            )
            boundary = next(later_sources, len(page.preview.messages))
            dividers.setdefault(boundary, []).append(("compacted", cut))
    return dividers


def displayed_blocks(
    page: ReportData, index: int
) -> Iterator[tuple[BodyBlock, str, int]]:
    """Yield the blocks of a message with their redacted text and the number of characters of it; of
    more than _MAX_BLOCKS the first."""
    text_limit = _message_text_limit(page)
    for block in body_blocks(
        page.preview.messages[index], text_limit + _REDACTION_LOOKAHEAD
    )[:_MAX_BLOCKS]:
        block_limit = max(_MIN_MESSAGE_TEXT // 4, text_limit)
        yield (
            block,
            page.redactor.text(block.text, block_limit),
            min(block_limit, block.displayed_length),
        )
        text_limit -= min(block_limit, block.total)


def unlisted_blocks(page: ReportData, index: int) -> int:
    return max(0, len(page.preview.messages[index].blocks) - _MAX_BLOCKS)


_LIGHT, _DARK, _CONTRAST = 0, 1, 2
_SHEET = RESOURCES / "report.css"


def report_style() -> str:
    """Return the style sheet: light, dark or high contrast by the reader's choice, light in
    print."""
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{_colour_variables(_DARK)}}}}}"
    contrast = (
        f"@media "
        f"(prefers-contrast:more){{:root{{{_colour_variables(_CONTRAST)};color-scheme:light}}}}"
    )
    sheet = _SHEET.read_text(encoding="utf-8")
    return f":root{{{_colour_variables(_LIGHT)}}}\n{dark}\n{contrast}\n{_code_classes()}\n{sheet}"


def _colour_variables(column: int) -> str:
    single = [
        f"--{name.replace('_', '-')}:#{row[column]}" for name, row in COLOURS.items()
    ]
    groups = [
        f"--{name.replace('_', '-')}-{code}:#{colour}"
        for name, row in GROUPS.items()
        for code, colour in enumerate(row[column].split())
    ]
    return ";".join([*single, *groups])


def _code_classes() -> str:
    """Return a class per kind (k0, …) and per fate (f0, …, the last is inserted)."""
    kinds = [f".k{code}{{--fill:var(--kind-{code})}}" for code in range(len(KINDS))]
    fates = [
        f".f{code}{{--fill:var(--fate-fill-{code});--ink:var(--fate-text-{code});--tint:var(--fate-tint-{code})}}"
        for code in range(len(FATES) + 1)
    ]
    return "\n".join([*kinds, *fates])


_MAX_ROWS = 200
"""Most findings, facts and warnings listed; the rest is counted."""
_MAX_SUMMARY = 200_000
_LOST_WORDS = {
    NEEDED: "gone, used later",
    EvidenceStatus.GONE.value: "gone",
    EvidenceStatus.REWORDED.value: "not word for word",
    NOWHERE: "nowhere in the session",
    UNSAID: "in none of the person’s messages",
}


def html_report(content: ReportInput, *, redact: bool) -> tuple[str, int]:
    """Return the page and the number of secrets in it; ``redact`` replaces them."""
    preview = content.preview
    page = report_data(
        content, choose_messages(preview_columns(preview).fates), redact=redact
    )
    text = _template().render(
        page=page,
        preview=preview,
        conversation=preview.source.conversation,
        compaction=preview.result.compaction,
        totals=page.screen.ruler.totals,
        mark_=preview.sizes.count_method.mark,
        listed=page.listed_indices,
        quoted=page.transcript_html,
        linked=page.linked_html,
        ruler=ruler_values(page.screen),
        entries=list_entries(page),
        blocks=partial(displayed_blocks, page),
        unlisted_blocks=partial(unlisted_blocks, page),
        list_note=list_note(page),
        warnings=[
            *_reader_warnings(page),
            *preview_warnings(preview),
        ],
        **_file_values(preview),
        **_losses_values(page),
        **_summary_values(page),
        reports=lint_reports(preview),
        savings=savings_figures(page.columns),
        cuts=[why_cut(preview, cut.name) for cut in page.columns.cuts],
        settings=[_setting(preview, setting.key) for setting in SETTINGS],
    )
    return f"{text}\n", page.redactor.count


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, finalize=_html, undefined=StrictUndefined, optimized=False
    )
    environment.globals |= {
        "version": installed_version(),
        "style": Markup(report_style()),
        "glyphs": Markup(glyph_symbols()),
        "attribute": attribute_text,
        "isolated": isolated_text,
        "number": number_format.count,
        "plural": number_format.plural,
        "tokens": number_format.tokens,
        "unknown": number_format.UNKNOWN,
        "no_source": NO_SOURCE,
        "lost_words": _LOST_WORDS,
        "statuses": list(STATUS_WORDS),
        "most": _MAX_ROWS,
        "fate_word": fate_word,
        "fate_counts": fate_counts,
        "chip_words": chip_words,
        "speakers_": SPEAKERS,
        "large": LARGE_MESSAGE_TOKENS,
    }
    return environment.from_string((RESOURCES / "report.html").read_text("utf-8"))


def _html(value: object) -> Markup:
    """Return a value of the template as HTML; invisible characters become readable marks."""
    if isinstance(value, Markup):
        return value
    return escaped_text(str(value))


def _file_values(preview: Preview) -> dict[str, object]:
    name, messages = preview.source.conversation.format, preview.messages
    counts = {
        speaker: sum(message.speaker is speaker for message in messages)
        for speaker in Speaker
    }
    return {
        "format_label": next((one.label for one in FORMATS if one.name == name), name),
        "speakers": ", ".join(
            f"{number_format.count(count)} {speaker.value}"
            for speaker, count in counts.items()
            if count
        ),
        "scope": scope_label(preview.source.history.scope),
        "limit": limit_text(preview.sizes.model_limit),
        "standing": result_standing(preview),
    }


def _losses_values(page: ReportData) -> dict[str, object]:
    losses = report_losses(page.preview, page.stages)
    name = KIND_NAMES[FactKind.NAME][1]
    lost = [row for row in losses.rows if row.status in _LOST_WORDS]
    lost = [
        row
        for row in lost
        if row.label != name or row.status in (NEEDED, NOWHERE, UNSAID)
    ]
    found = page.screen.verdict
    verdict = [one for one in (found.size, found.messages, losses.cell) if one.phrases]
    return {"losses": losses, "lost": lost, "verdict": verdict}


def _summary_values(page: ReportData) -> dict[str, object]:
    preview, summary = page.preview, page.preview.result.compaction.summary
    if summary is None or preview.summary.unwritten:
        return {"summary_pieces": None}
    findings = summary_findings(preview, page.stages)
    losses = losses_of(preview, page.stages)
    inserted = [
        index
        for index, fate in enumerate(page.screen.result.fates)
        if fate == INSERTED_CODE
    ]
    cwd = preview.source.conversation.cwd
    return {
        "summary_pieces": list(_summary_pieces(page, summary.text)),
        "summary_tokens": sum(preview.result.after_counts[index] for index in inserted),
        "compacted_line": next(
            (cut.text for cut in page.screen.result.cuts if cut.is_compaction), ""
        ),
        "findings": findings,
        "gone_count": losses.gone_count,
        "summary_verdict": summary_verdict(findings, losses_head(losses)[0])
        if findings == ()
        else "",
        "shared": lambda sentence: ", ".join(shared_words(sentence.links, cwd)),
    }


def _summary_pieces(
    page: ReportData, text: str
) -> Iterator[tuple[str, LinkedSentence | None]]:
    """Yield the summary in pieces, each with the sentence that ends it. Sentences are cut out of
    the redacted text, so that no secret is split."""
    redacted_text = page.redactor.text(text, _MAX_SUMMARY)
    preview = page.preview
    sentences: Sequence[LinkedSentence] = ()
    for part in [part for part in summary_parts(preview) if part.text == text][:1]:
        redacted_part = SummaryPart(part.index, redacted_text, part.origins)
        source = source_index(
            preview.messages, (redacted_text,), preview.source.conversation.names
        )
        sentences = summary_links(redacted_part, preview.messages, source)
    position = 0
    for sentence in sentences:
        end = sentence.start + len(sentence.text)
        yield redacted_text[position:end], sentence
        position = end
    yield redacted_text[position:], None


def _setting(preview: Preview, key: str) -> tuple[object, str, object]:
    effective = preview.source.values.by_key[key]
    setting = next(setting for setting in SETTINGS if setting.key == key)
    return setting, setting_text(setting.kind, effective.value), effective


def _reader_warnings(page: ReportData) -> Iterator[str]:
    report = page.preview.source.conversation.report
    for note in (*report.warnings, *report.repaired):
        yield (
            f"Line {note.line:,}: {note.text}."
            if note.line
            else f"{note.text[:1].upper()}{note.text[1:]}."
        )
    for kind, count in report.skipped:
        records = number_format.plural(count, "record")
        yield f"Skipped: {records} of kind {kind}{report.first_line_note(kind, ', ')}."


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return the page. Long conversations are listed in part, with a note."""
    page, secrets = html_report(report_input(export_input), redact=options.redact)
    return ExporterOutput(
        page.encode("utf-8", "replace"), OutputShape.TEXT, secrets=secrets
    )


EXPORTER = Exporter(
    name="html",
    short_names=(),
    label="HTML report",
    suffix=".html",
    about="A page for the browser: ruler, fates with reasons, settings, lint and every message.",
    write=write,
    group=ExportGroup.REPORT,
    file_label="report",
    redacts_by_default=True,
)

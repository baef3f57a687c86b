"""The report as one HTML page: no script, nothing loaded, every text escaped
(resources/report.html)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from markupsafe import Markup

from core.analysis.losses.losses_of import losses_of
from core.analysis.losses.model import EvidenceStatus
from core.analysis.losses.source_texts import source_index
from core.analysis.summary_check.preview_summaries import summary_findings, summary_parts
from core.analysis.summary_check.sentence_sources import LinkedSentence, summary_links
from core.analysis.summary_check.summary_sentences import SummaryPart
from core.common import number_format
from core.common.paths import RESOURCES, installed_version
from core.facts.model import FactKind
from core.formats.registry import FORMATS
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportGroup,
    ExportOptions,
    OutputShape,
)
from core.formats.writing.export_messages import ExportInput
from core.presentation.checks_page import lint_reports
from core.presentation.inspector_model import NEEDED, NOWHERE, UNSAID
from core.presentation.lists.row_plan import LARGE_MESSAGE_TOKENS, chip_words, fate_word
from core.presentation.losses_words import KIND_NAMES, STATUS_WORDS, losses_head
from core.presentation.model import FATES, KINDS, SPEAKERS, fate_counts
from core.presentation.palette import COLOURS, GROUPS
from core.presentation.preview_columns import INSERTED_CODE, preview_columns
from core.presentation.preview_wording import (
    limit_text,
    preview_warnings,
    result_standing,
    scope_label,
)
from core.presentation.summary_page import NO_SOURCE, shared_words, summary_verdict
from core.presentation.why_cut import why_cut
from core.preview.options import Preview
from core.reports.page_parts import (
    choose_messages,
    glyph_symbols,
    list_entries,
    list_note,
    ruler_values,
    shown_blocks,
    unlisted_blocks,
)
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
    single = [f"--{name.replace('_', '-')}:#{row[column]}" for name, row in COLOURS.items()]
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
    page = report_data(content, choose_messages(preview_columns(preview).fates), redact=redact)
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
        blocks=partial(shown_blocks, page),
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
    from jinja2 import Environment, StrictUndefined

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
    return value if isinstance(value, Markup) else escaped_text(str(value))


def _file_values(preview: Preview) -> dict[str, object]:
    name, messages = preview.source.conversation.format, preview.messages
    counts = {
        speaker: sum(message.speaker is speaker for message in messages) for speaker in Speaker
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
    lost = [row for row in lost if row.label != name or row.status in (NEEDED, NOWHERE, UNSAID)]
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
        index for index, fate in enumerate(page.screen.result.fates) if fate == INSERTED_CODE
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


def _summary_pieces(page: ReportData, text: str) -> Iterator[tuple[str, LinkedSentence | None]]:
    """Yield the summary in pieces, each with the sentence that ends it. Sentences are cut out of
    the redacted text, so that no secret is split."""
    redacted_text, preview = page.redactor.text(text, _MAX_SUMMARY), page.preview
    sentences: Sequence[LinkedSentence] = ()
    for part in [part for part in summary_parts(preview) if part.text == text][:1]:
        redacted_part = SummaryPart(part.index, redacted_text, part.origins)
        source = source_index(preview.messages, (redacted_text,), preview.source.conversation.names)
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
    return ExporterOutput(page.encode("utf-8", "replace"), OutputShape.TEXT, secrets=secrets)


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

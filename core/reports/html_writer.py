"""Writes a report as one HTML file that loads nothing."""

from __future__ import annotations

from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportGroup,
    ExportInput,
    ExportOptions,
    OutputShape,
)
from core.reports.document import preview_of_report
from core.reports.html_page import html_report


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return the page. Long conversations are listed in part, with a note."""
    page, secrets = html_report(
        preview_of_report(export_input), export_input.format_reason, redact=options.redact
    )
    return ExporterOutput(page.encode("utf-8", "replace"), OutputShape.TEXT, secrets=secrets)


EXPORTER = Exporter(
    "html",
    (),
    "HTML report",
    ".html",
    "A page for the browser: ruler, fates with reasons, settings, lint and every message.",
    write,
    group=ExportGroup.REPORT,
    file_label="report",
    redacts_by_default=True,
)

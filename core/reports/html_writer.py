"""Writes a report as one HTML file: settings, ruler, fates with reasons, lint; nothing is loaded."""

from __future__ import annotations

from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportGroup,
    ExportInput,
    ExportOptions,
    OutputShape,
)
from core.reports.html_page import html_report
from core.reports.report_input import preview_of


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """The page. Long conversations are listed in part, and the page says so."""
    page, secrets = html_report(preview_of(given), given.why, redact=options.redact)
    return ExporterOutput(page.encode("utf-8", "replace"), OutputShape.TEXT, secrets=secrets)


EXPORTER = Exporter(
    "html",
    (),
    "HTML report",
    ".html",
    "A page for the browser: ruler, fates with reasons, settings, lint and every message.",
    write,
    group=ExportGroup.REPORT,
    word="report",
    redacts=True,
)

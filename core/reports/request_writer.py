"""Writes the exact summary request as JSON: the chat messages, and what the profile sends with them."""

from __future__ import annotations

from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportGroup,
    ExportInput,
    ExportOptions,
    OutputShape,
)
from core.formats.writing.raw_json import dump_json
from core.reports.report_input import preview_of
from core.reports.request import request_body


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """The body of the request. InputError where the strategy asks no model."""
    return ExporterOutput(dump_json(request_body(preview_of(given)), pretty=True) + b"\n", OutputShape.JSON)


EXPORTER = Exporter(
    "request",
    (),
    "Summary request, JSON",
    ".json",
    "The exact request for the summary, in the form of the chat API.",
    write,
    group=ExportGroup.REPORT,
    word="request",
    asks_no_model=True,
)

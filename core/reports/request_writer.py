"""Writes the exact summary request: as JSON with the profile's parameters, or as text for people."""

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
from core.reports.report_input import preview_of_report
from core.reports.request import request_body


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return the request body. Raises InputError if the strategy calls no model."""
    body = request_body(preview_of_report(export_input))
    return ExporterOutput(dump_json(body, pretty=True) + b"\n", OutputShape.JSON)


def write_text(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return role and content of each message. Raises InputError if the strategy calls no model."""
    messages = request_body(preview_of_report(export_input))["messages"]
    count = len(messages)
    parts = [
        f"[{number} of {count}] {message['role']}\n\n{message['content']}"
        for number, message in enumerate(messages, 1)
    ]
    text = "\n\n".join(parts) + "\n"
    return ExporterOutput(text.encode("utf-8", "replace"), OutputShape.TEXT)


EXPORTER = Exporter(
    "request",
    (),
    "Summary request, JSON",
    ".json",
    "The exact request for the summary, in the form of the chat API.",
    write,
    group=ExportGroup.REPORT,
    file_label="request",
    needs_no_model=True,
)
TEXT_EXPORTER = Exporter(
    "request_text",
    (),
    "Summary request, text",
    ".txt",
    "The exact request for the summary, for people to read.",
    write_text,
    group=ExportGroup.REPORT,
    file_label="request",
    needs_no_model=True,
)

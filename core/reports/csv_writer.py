"""Writes one row of CSV per source message: content, fate, reason."""

from __future__ import annotations

from collections.abc import Iterator

from core.analysis.context import csv_bytes, escape_formula
from core.common.excerpts import one_line_text
from core.formats.writing.base import Exporter, ExporterOutput, ExportGroup, ExportOptions, OutputShape
from core.formats.writing.export_messages import ExportInput
from core.presentation.lists.row_texts import message_kind
from core.presentation.message_body import body_blocks
from core.presentation.model import KINDS
from core.presentation.preview_columns import PreviewColumns, preview_columns
from core.reports.document import ReportRedactor, redactor_for, report_input
from core.transcript.compaction import FateStep

NAME = "csv"
COLUMNS = (
    "index",
    "number",
    "speaker",
    "kind",
    "fate",
    "rule",
    "reason",
    "tokens",
    "tokens_after",
    "went_to",
    "text",
)
TEXT_LENGTH = 200
"""Characters written per message."""

_MAX_READ = 5_000  # characters of a message


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return the table; ``tokens_after`` and ``went_to`` are empty for messages not in the result."""
    preview = report_input(export_input).preview
    columns, redactor = preview_columns(preview), redactor_for(preview.messages, redact=options.redact)
    data = csv_bytes(COLUMNS, _rows(columns, redactor))
    return ExporterOutput(data, OutputShape.TEXT, secrets=redactor.count)


def _rows(columns: PreviewColumns, redactor: ReportRedactor) -> Iterator[tuple[str | int, ...]]:
    preview = columns.preview
    for index, message in enumerate(preview.messages):
        step: FateStep = preview.compaction.fates[index].last
        yield (
            index,
            index + 1,
            message.speaker.value,
            KINDS[message_kind(message)],
            step.kind.value,
            escape_formula(step.rule),
            escape_formula(redactor.text(step.reason)),
            preview.counts[index],
            *_result_cells(columns, index),
            escape_formula(_message_excerpt(columns, index, redactor)),
        )


def _result_cells(columns: PreviewColumns, index: int) -> tuple[str | int, str | int]:
    """Return tokens and number of the result message; its tokens count once, with its first source."""
    result_index = columns.result_index[index]
    if result_index < 0:
        return "", ""
    return (
        columns.preview.after_counts[result_index] if columns.origin[result_index] == index else 0
    ), result_index + 1


def _message_excerpt(columns: PreviewColumns, index: int, redactor: ReportRedactor) -> str:
    blocks = body_blocks(columns.preview.messages[index], _MAX_READ)
    words = " ".join(" ".join(f"{block.title} {block.text}".split()) for block in blocks)
    return one_line_text(redactor.text(words, TEXT_LENGTH), TEXT_LENGTH)


EXPORTER = Exporter(
    NAME,
    (),
    "CSV",
    ".csv",
    "A table with a row per source message: fate, rule, reason, tokens and its first words.",
    write,
    group=ExportGroup.REPORT,
    file_label="messages",
    redacts_by_default=True,
)

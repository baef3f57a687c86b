"""Writes one row of CSV per source message: what it is, what became of it, and why.

RFC 4180 (commas, CRLF, quotes doubled) in UTF-8 with a byte order mark, without which Excel takes
the text for another encoding. A text that a spreadsheet would run as a formula gets an apostrophe.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from core.common.excerpts import one_line_text
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportGroup,
    ExportInput,
    ExportOptions,
    OutputShape,
)
from core.presentation.lists.row_texts import kind_of
from core.presentation.message_body import laid_out
from core.presentation.model import KINDS
from core.presentation.preview_columns import PreviewColumns, preview_columns
from core.reports.redacted import ReportRedactor, redactor_for
from core.reports.report_input import preview_of
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
TEXT = 200
"""Characters of a message that are written."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LOOK = 5_000  # characters of a message from which its text is made


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """The table. ``tokens_after`` and ``went_to`` are empty where a message is not in the result."""
    made = preview_of(given)
    shown, cover = preview_columns(made), redactor_for(made.messages, redact=options.redact)
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(COLUMNS)
    table.writerows(_rows(shown, cover))
    data = text.getvalue().encode("utf-8-sig", "replace")
    return ExporterOutput(data, OutputShape.TEXT, secrets=cover.count)


def _rows(shown: PreviewColumns, cover: ReportRedactor) -> Iterator[tuple[str | int, ...]]:
    preview = shown.preview
    for index, message in enumerate(preview.messages):
        step: FateStep = preview.compaction.fates[index].last
        yield (
            index,
            index + 1,
            message.speaker.value,
            KINDS[kind_of(message)],
            step.kind.value,
            _safe(step.rule),
            _safe(cover.text(step.reason)),
            preview.counts[index],
            *_after(shown, index),
            _safe(_text(shown, index, cover)),
        )


def _after(shown: PreviewColumns, index: int) -> tuple[str | int, str | int]:
    """Tokens and number of the result message; what stands for several counts with the first of them."""
    place = shown.went[index]
    if place < 0:
        return "", ""
    return (shown.preview.after_counts[place] if shown.origin[place] == index else 0), place + 1


def _text(shown: PreviewColumns, index: int, cover: ReportRedactor) -> str:
    blocks = laid_out(shown.preview.messages[index], _LOOK)
    words = " ".join(" ".join(f"{block.title} {block.text}".split()) for block in blocks)
    return one_line_text(cover.text(words, TEXT), TEXT)


def _safe(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


EXPORTER = Exporter(
    NAME,
    (),
    "CSV",
    ".csv",
    "A table with a row per source message: fate, rule, reason, tokens and its first words.",
    write,
    group=ExportGroup.REPORT,
    word="messages",
    redacts=True,
)

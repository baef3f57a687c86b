"""The input of a report: an export with its preview."""

from __future__ import annotations

from dataclasses import dataclass

from core.common.errors import InputError
from core.formats.writing.base import ExportInput
from core.preview.options import Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportInput(ExportInput):
    preview: Preview


def export_input(preview: Preview, *, result: bool, format_reason: str = "") -> ReportInput:
    """Return a preview's result, else its source, for export."""
    return ReportInput(
        preview.conversation,
        preview.history,
        preview.compaction if result else None,
        preview.before_tokens,
        preview.after_tokens if result else preview.before_tokens,
        format_reason,
        preview=preview,
    )


def preview_of_report(export_data: ExportInput) -> Preview:
    """Return the preview of a report; raise InputError without one."""
    if not isinstance(export_data, ReportInput):
        raise InputError("A report needs a preview.", "Pass one, or export a transcript.")
    return export_data.preview

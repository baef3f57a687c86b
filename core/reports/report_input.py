"""What a report is made of: an export with its preview."""

from __future__ import annotations

from dataclasses import dataclass

from core.common.errors import InputError
from core.formats.writing.base import ExportInput
from core.preview.options import Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportInput(ExportInput):
    """A history or its compaction, and the preview that made it."""

    preview: Preview


def export_input(made: Preview, *, result: bool, why: str = "") -> ReportInput:
    """What is written of a preview: its result, else its source."""
    return ReportInput(
        made.conversation,
        made.history,
        made.compaction if result else None,
        made.before_tokens,
        made.after_tokens if result else made.before_tokens,
        why,
        preview=made,
    )


def preview_of(given: ExportInput) -> Preview:
    """The preview that a report is made of; InputError where none was given."""
    if not isinstance(given, ReportInput):
        raise InputError("A report is made of a preview.", "Give it one, or export a transcript.")
    return given.preview

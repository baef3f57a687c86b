"""Writes a preview's result, its source or a report on it to a file."""

from __future__ import annotations

from pathlib import Path

from core.common import number_format
from core.common.errors import InputError
from core.export.checked_saving import write_export
from core.export.export import export_history, find_exporter
from core.formats.registry import FORMATS
from core.formats.writing.base import Exporter
from core.formats.writing.redacted_output import secret_lines
from core.presentation.export_model import ExportRequest, SecretsCount
from core.presentation.model import Notice, NoticeAction
from core.preview.options import Preview
from core.reports.document import ReportInput, export_input
from core.transcript.model import Progress, no_progress

_KINDS = "(keys, tokens, mail addresses)"


def save_export(
    preview: Preview, request: ExportRequest, why: str = "", progress: Progress = no_progress
) -> tuple[Notice, ...]:
    """Write a file; return the notice that says so, and a warning for each thing left out.

    ``why`` says why the source was read as its format. Raises TargetExistsError where the file exists and may
    not be replaced, RoundTripError where it would not open again as what was to be written, InputError where
    it is the source itself or cannot be written.
    """
    exporter = find_exporter(request.format)
    given = export_input(preview, result=request.side == "after", format_reason=why)
    written = export_history(
        given,
        request.format,
        append_boundary=request.append,
        provenance=request.provenance,
        redact=request.redact,
    )
    path = Path(request.path)
    source = preview.conversation.document.path
    write_export(
        written, path, overwrite=request.overwrite, source=source, force=request.force, progress=progress
    )
    # the last warning is about secrets
    warnings, secrets = (
        (written.warnings[:-1], written.warnings[-1]) if written.secrets else (written.warnings, "")
    )
    saved = Notice(
        "warning" if secrets and not request.redact else "info",
        f"Wrote {path.name}: {_content_words(exporter, given, append=request.append)}, "
        f"{number_format.size(len(written.data))}.",
        secrets,
        _actions(exporter, request.path),
        topic="export",
    )
    return (saved, *(Notice("warning", warning, "") for warning in warnings))


def count_secrets(preview: Preview, request: ExportRequest) -> SecretsCount:
    """Return how many secrets a file would hold; the reason where it cannot be written."""
    try:
        given = export_input(preview, result=request.side == "after")
        written = export_history(
            given, request.format, append_boundary=request.append, provenance=request.provenance
        )
    except InputError as error:
        refused = f"{error.message} {error.hint}"
        return SecretsCount(0, refused, refused, refused)
    found = written.secrets
    what = f"{number_format.plural(found, 'secret')} {_KINDS}"
    if not found:
        none_found = f"No secrets found {_KINDS}."
        return SecretsCount(0, none_found, none_found)
    return SecretsCount(
        found,
        f"The file will hold {what}: redaction is off.",
        f"{what} will be replaced.",
        finding_lines=secret_lines(written.secret_locations),
    )


def _content_words(exporter: Exporter, given: ReportInput, *, append: bool) -> str:
    if exporter.is_report:
        return exporter.label
    if append:
        return "the source with the compaction behind it"
    size = given.tokens_after if given.compaction is not None else given.tokens_before
    tokens = number_format.tokens(given.preview.count_method.mark, size)
    return f"{number_format.plural(len(given.messages), 'message')}, {tokens} tokens"


def _actions(exporter: Exporter, path: str) -> tuple[NoticeAction, ...]:
    """Return the links of a written file: reports open on the desktop, readable formats open here."""
    if exporter.is_report:
        return (NoticeAction("Open", "show", path),)
    if any(reader.name == exporter.name for reader in FORMATS):
        return (NoticeAction("Open it", "open", path),)
    return ()

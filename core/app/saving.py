"""Writes a preview's result, its source or a report on it to a file."""

from __future__ import annotations

from pathlib import Path

from core.app.messages import CountSecretsCommand, ExportCommand, FileExportedEvent, SecretsCountedEvent
from core.common import number_format
from core.common.errors import InputError
from core.export.checked_saving import write_export
from core.export.export import export_history, find_exporter
from core.formats.registry import FORMATS
from core.formats.writing.base import Exporter
from core.formats.writing.secret_list import secret_lines
from core.presentation.model import NoticeAction
from core.preview.options import Preview
from core.reports.report_input import ReportInput, export_input
from core.transcript.model import Progress, no_progress

_KINDS = "(keys, tokens, mail addresses)"


def save_export(
    preview: Preview, command: ExportCommand, why: str = "", progress: Progress = no_progress
) -> tuple[FileExportedEvent, tuple[str, ...]]:
    """Write what a command names; returns the event, and one warning for each thing left out.

    ``why`` says why the file was read as its format. Raises TargetExistsError where the file exists and may
    not be replaced, RoundTripError where it would not open again as what was to be written, InputError where
    it is the source itself or cannot be written.
    """
    exporter = find_exporter(command.format)
    given = export_input(preview, result=command.side == "after", format_reason=why)
    written = export_history(
        given,
        command.format,
        append_boundary=command.append,
        provenance=command.provenance,
        redact=command.redact,
    )
    path = Path(command.path)
    source = preview.conversation.document.path
    write_export(
        written, path, overwrite=command.overwrite, source=source, force=command.force, progress=progress
    )
    what = _content_words(exporter, given, append=command.append)
    exported = FileExportedEvent(
        command.path,
        f"Wrote {path.name}: {what}, {number_format.size(len(written.data))}.",
        written.warnings[-1] if written.secrets else "",  # the last warning is about secrets
        "warning" if written.secrets and not command.redact else "info",
        _actions(exporter, command.path),
    )
    return exported, written.warnings[:-1] if written.secrets else written.warnings


def count_secrets(preview: Preview, command: CountSecretsCommand) -> SecretsCountedEvent:
    """Return how many secrets a file would hold; the reason where it cannot be written."""
    try:
        given = export_input(preview, result=command.side == "after")
        written = export_history(
            given, command.format, append_boundary=command.append, provenance=command.provenance
        )
    except InputError as error:
        refused = f"{error.message} {error.hint}"
        return SecretsCountedEvent(command, 0, refused, refused, refused)
    found = written.secrets
    what = f"{number_format.plural(found, 'secret')} {_KINDS}"
    if not found:
        none_found = f"No secrets found {_KINDS}."
        return SecretsCountedEvent(command, 0, none_found, none_found)
    return SecretsCountedEvent(
        command,
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

"""Exports: writes the result, the source or a report to a file, and counts the secrets in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.app.rpc import Service, remote
from core.common import number_format
from core.common.errors import InputError
from core.presentation.dialog_model import ExportRequest, SecretsCount
from core.presentation.model import Notice, NoticeAction
from core.transcript.model import Progress, no_progress

if TYPE_CHECKING:
    from core.export.export import ExportedFile
    from core.preview.options import Preview
    from core.reports.document import ReportInput

_KINDS = "(keys, tokens, mail addresses)"


@dataclass(frozen=True, slots=True)
class ExportAnswer:
    """The notices of a written file; without any, the question before it is written.

    ``difference`` says how the file would open differently: confirm with ``force``. Without it a file exists
    already: confirm with ``overwrite``.
    """

    notices: tuple[Notice, ...] = ()
    difference: str = ""


class ExportService(Service):
    @remote(of_file=True)
    def export(self, request: ExportRequest) -> ExportAnswer:
        """Write a file. InputError where it is the source itself or cannot be written."""
        from core.common.atomic_file import TargetExistsError
        from core.export.checked_saving import RoundTripError

        session = self._session
        preview, why = self._preview(), session.opened_file().format_reason
        try:
            return ExportAnswer(save_export(preview, request, why, session.reporter().working))
        except TargetExistsError:
            return ExportAnswer()
        except RoundTripError as error:
            return ExportAnswer(difference=error.message)

    @remote(latest=True, of_file=True)
    def count_secrets(self, request: ExportRequest) -> SecretsCount:
        return count_secrets(self._preview(), request)

    def _preview(self) -> Preview:
        session, file = self._session, self._session.opened_file()
        return session.with_checks(file, file.exported or session.preview(file, session.view))


def _exported(
    preview: Preview, request: ExportRequest, why: str = "", redact: bool | None = None
) -> tuple[ReportInput, ExportedFile]:
    from core.export.export import export_history
    from core.reports.document import export_input

    given = export_input(preview, result=request.side == "after", format_reason=why)
    kind = {"append_boundary": request.append, "provenance": request.provenance}
    return given, export_history(given, request.format, **kind, redact=redact)


def save_export(
    preview: Preview, request: ExportRequest, why: str = "", progress: Progress = no_progress
) -> tuple[Notice, ...]:
    """Write a file; return the notice that says so, and a warning for each thing left out.

    ``why`` says why the source was read as its format. Raises TargetExistsError where the file exists and may
    not be replaced, RoundTripError where it would not open again as what was to be written, InputError where
    it is the source itself or cannot be written.
    """
    from core.export.checked_saving import write_export
    from core.export.export import find_exporter
    from core.formats.registry import FORMATS

    exporter, path = find_exporter(request.format), Path(request.path)
    given, written = _exported(preview, request, why, request.redact)
    target = {"overwrite": request.overwrite, "force": request.force}
    write_export(written, path, **target, source=preview.conversation.document.path, progress=progress)
    size = given.tokens_after if given.compaction is not None else given.tokens_before
    tokens = number_format.tokens(preview.count_method.mark, size)
    content = f"{number_format.plural(len(given.messages), 'message')}, {tokens} tokens"
    actions: tuple[NoticeAction, ...] = ()  # reports open on the desktop, readable formats here
    if exporter.is_report:
        content, actions = exporter.label, (NoticeAction("Open", "show", request.path),)
    elif any(reader.name == exporter.name for reader in FORMATS):
        actions = (NoticeAction("Open it", "open", request.path),)
    if request.append and not exporter.is_report:
        content = "the source with the compaction behind it"
    secrets = written.warnings[-1] if written.secrets else ""  # the last warning is about them
    warnings = written.warnings[:-1] if written.secrets else written.warnings
    severity = "warning" if secrets and not request.redact else "info"
    title = f"Wrote {path.name}: {content}, {number_format.size(len(written.data))}."
    saved = Notice(severity, title, secrets, actions, topic="export")
    return (saved, *(Notice("warning", warning, "") for warning in warnings))


def count_secrets(preview: Preview, request: ExportRequest) -> SecretsCount:
    """Return how many secrets a file would hold; the reason where it cannot be written."""
    from core.formats.writing.redacted_output import secret_lines

    try:
        _, written = _exported(preview, request)
    except InputError as error:
        refused = f"{error.message} {error.hint}"
        return SecretsCount(0, refused, refused, refused)
    if not written.secrets:
        none_found = f"No secrets found {_KINDS}."
        return SecretsCount(0, none_found, none_found)
    what = f"{number_format.plural(written.secrets, 'secret')} {_KINDS}"
    texts = f"The file will hold {what}: redaction is off.", f"{what} will be replaced."
    return SecretsCount(written.secrets, *texts, finding_lines=secret_lines(written.secret_locations))

"""Exports: writes the result, the source or a report to a file, and counts the secrets in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.app.events import ExportAnswer
from core.app.services.service import Service
from core.common import number_format
from core.common.atomic_file import TargetExistsError, check_target
from core.common.errors import InputError
from core.export.checked_saving import (
    RoundTripError,
    check_unsaved,
    size_difference,
    write_export,
)
from core.export.export import check_options, export_history, find_exporter
from core.formats.registry import FORMATS, load_conversation
from core.formats.writing.format_capabilities import CAPABILITIES
from core.formats.writing.redacted_output import secret_lines
from core.lint.lint import file_verdict
from core.presentation.dialog_model import ExportRequest, SecretsCount
from core.presentation.model import Notice, NoticeAction
from core.presentation.preview_wording import marked_tokens
from core.preview.preview import with_excerpts
from core.reports.report_data import export_input
from core.transcript.model import Progress, no_progress

if TYPE_CHECKING:
    from core.export.export import ExportedFile
    from core.formats.writing.exporter import ExportInput
    from core.preview.options import Preview, StageCache
    from core.reports.report_data import ReportInput
    from core.transcript.model import Conversation

_KINDS = "(keys, tokens, mail addresses)"


class ExportService(Service):
    def export(self, request: ExportRequest) -> ExportAnswer:
        """Write a file. InputError where it is the source itself or cannot be written."""
        workspace = self._workspace
        file = workspace.opened_file()
        content = _content(
            self._preview(request), request, file.format_reason, file.stages
        )
        try:
            written = save_export(content, request, workspace.reporter().working)
        except TargetExistsError:
            return ExportAnswer()
        except RoundTripError as error:
            return ExportAnswer(difference=error.message)
        return ExportAnswer(saved_notices(content, request, written))

    def count_secrets(self, request: ExportRequest) -> SecretsCount:
        return count_secrets(
            self._preview(request), request, self._workspace.opened_file().stages
        )

    def _preview(self, request: ExportRequest) -> Preview:

        workspace = self._workspace
        file = self._workspace.opened_file()
        if find_exporter(request.format).is_of_run:
            preview = None
        else:
            preview = workspace.display.exported
        preview = workspace.with_checks(
            file, preview or workspace.preview(file, workspace.view)
        )
        is_wanted = request.add_excerpts and not workspace.view.adds_excerpts
        if is_wanted:
            return with_excerpts(preview)
        return preview


def _content(
    preview: Preview,
    request: ExportRequest,
    why: str = "",
    stages: StageCache | None = None,
) -> ReportInput:

    return export_input(
        preview, result=request.side == "after", format_reason=why, stages=stages
    )


def check_export(request: ExportRequest, source: Path | None) -> None:
    """Raise what ``save_export`` would raise for these options, before anything is counted or paid
    for."""
    check_options(
        find_exporter(request.format),
        append_boundary=request.append,
        provenance=request.provenance,
    )
    if request.path:
        check_target(Path(request.path), overwrite=request.overwrite, source=source)


def save_export(
    content: ExportInput, request: ExportRequest, progress: Progress = no_progress
) -> ExportedFile:
    """Export, for window, command line and MCP; without a path nothing is written, only checked.

    Raises TargetExistsError where the file exists and may not be replaced, RoundTripError where it
    would not open again as what was to be written, InputError where it is the source itself or
    cannot be written.
    """
    reopened = None
    exported = _exported(content, request)
    source = content.conversation.document.path
    if request.path:
        target = {"overwrite": request.overwrite, "force": request.force}
        reopened = write_export(
            exported, Path(request.path), **target, source=source, progress=progress
        )
    elif not request.force:
        reopened = check_unsaved(exported, progress)
    if reopened is None and request.path:  # not checked, or without a message
        reopened = _reopened(exported, Path(request.path))
    exported = replace(exported, reopened=reopened)
    if reopened is None or request.append or request.force:
        return exported
    difference = size_difference(content, exported.exporter, reopened)
    if difference:
        return replace(exported, warnings=(difference, *exported.warnings))
    return exported


def _reopened(exported: ExportedFile, path: Path) -> Conversation | None:
    """Open what was saved without a check; None for what cannot be read."""
    if exported.exporter.name not in CAPABILITIES:
        return None
    try:
        return load_conversation(path)
    except InputError:
        return None


def written_words(written: ExportedFile) -> tuple[str, str]:
    """Return how many messages a saved transcript has, and what its API would say of it; from the
    file as it opens again, so that ``foldline lint`` says the same. "" where nothing reads it."""
    if written.exporter.name not in CAPABILITIES:
        return number_format.plural(len(written.source.messages), "message"), ""
    if written.reopened is None:
        count = number_format.plural(len(written.source.messages), "message")
        return count, "it cannot be opened again"
    held = len(written.reopened.messages)
    made = len(written.source.messages)
    count = number_format.plural(held, "message")
    if held != made:  # an answer and its calls may be one message there
        count = f"{count} (shown here as {made:,})"
    return count, file_verdict(written.reopened)


def wrote_text(name: str, what: str, size: int, verdict: str) -> str:
    """Return "Wrote out.json: 22 messages, 15 kB. No errors for OpenAI."; ``size`` in bytes."""
    text = f"Wrote {name}: {what}, {number_format.size(size)}."
    if verdict:
        return f"{text} {verdict[:1].upper()}{verdict[1:]}."
    return text


def _exported(content: ExportInput, request: ExportRequest) -> ExportedFile:

    kind = {"append_boundary": request.append, "provenance": request.provenance}
    return export_history(content, request.format, **kind, redact=request.redact)


def saved_notices(
    content: ReportInput, request: ExportRequest, written: ExportedFile
) -> tuple[Notice, ...]:
    """Return the notice that says what was saved, and a warning for each thing left out."""
    exporter = written.exporter
    path = Path(request.path)
    size = (
        content.tokens_after
        if content.compaction is not None
        else content.tokens_before
    )
    tokens = marked_tokens(content.preview, size)
    messages, verdict = written_words(written)
    what = f"{messages}, {tokens} tokens"
    actions: tuple[
        NoticeAction, ...
    ] = ()  # reports open on the desktop, readable formats here
    if exporter.is_report:
        what = exporter.label
        actions = (NoticeAction("Open", "show", request.path),)
    elif any(reader.name == exporter.name for reader in FORMATS):
        actions = (NoticeAction("Open it", "open", request.path),)
    if request.append and not exporter.is_report:
        what = "the source with the compaction after it"
    if written.secrets:
        secrets = written.warnings[-1]
        warnings = written.warnings[:-1]
    else:
        secrets = ""
        warnings = written.warnings
    severity = "warning" if secrets and not written.redacted else "info"
    title = wrote_text(path.name, what, len(written.data), verdict)
    saved = Notice(severity, title, secrets, actions, topic="export")
    return (saved, *(Notice("warning", warning, "") for warning in warnings))


def count_secrets(
    preview: Preview, request: ExportRequest, stages: StageCache | None = None
) -> SecretsCount:
    """Return how many secrets a file would hold; the reason where it cannot be written. ``stages``
    holds what was computed about the preview."""
    try:
        written = _exported(
            _content(preview, request, stages=stages), replace(request, redact=None)
        )
    except InputError as error:
        refused = f"{error.message} {error.hint}"
        return SecretsCount(0, refused, refused, refused)
    if not written.secrets:
        none_found = f"No secrets found {_KINDS}."
        return SecretsCount(0, none_found, none_found)
    what = f"{number_format.plural(written.secrets, 'secret')} {_KINDS}"
    texts = f"The file will hold {what}: redaction is off.", f"{what} will be replaced."
    return SecretsCount(
        written.secrets, *texts, finding_lines=secret_lines(written.secret_locations)
    )

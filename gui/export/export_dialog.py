"""The export dialog: a form, the check of the summary, a button. Questions and errors are shown
inside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import (
    QDialog,
    QLayout,
    QWidget,
)

from core.app.events import WorkingEvent
from core.app.services.export import ExportAnswer, ExportService
from core.app.services.inspector import InspectorService
from core.common import number_format
from core.common.paths import shown_name
from core.presentation.dialog_model import (
    ExportChoice,
    ExportRequest,
    FileOpenedEvent,
    SecretsCount,
)
from core.presentation.inspector_model import SummaryFindingRow, SummaryPage, TextSpan
from core.presentation.model import Notice
from gui.backend import BackendClient
from gui.export.export_form import ExportForm
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.icons import ToneLabel
from gui.widgets.scrolled_area import FoundSecretsList
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY
from gui.widgets.view_layout import column_of, row_of

_MAX_FINDINGS = 8


class ExportDialog(QDialog):
    """Exports, and closes when the file is written."""

    link_activated = Signal(str)  # "before:84", "after:12"

    def __init__(
        self,
        parent: QWidget,
        backend: BackendClient,
        file: FileOpenedEvent,
        exports: Sequence[ExportChoice],
        folder: str,
    ) -> None:
        super().__init__(parent)
        self._backend = backend
        self.setWindowTitle(tr("Export"))
        self.setModal(True)
        self.confirmed: ExportRequest | None = None
        self._secrets: SecretsCount | None = None
        self._check: SummaryPage | None = None
        self.form = ExportForm(file, exports, folder)
        self.found_secrets, self._message = FoundSecretsList(), ToneLabel(wraps=True)
        self.lost, self.verdict, self.findings = (
            ToneLabel(),
            ToneLabel(),
            SpanText(SECONDARY, "text2"),
        )
        self.export_button, cancel = push_button(tr("Export"), "primary"), push_button(tr("Cancel"))
        self._lay_out(cancel)
        self.form.changed.connect(self._on_changed)
        self.form.content_changed.connect(self._on_content)
        self.export_button.clicked.connect(self._on_export)
        cancel.clicked.connect(self.reject)
        self.findings.link_activated.connect(self._on_link)
        self._on_content()
        backend.working.connect(self._on_working)
        backend.call(self, InspectorService.check_summaries).done(self._on_checked)

    def _lay_out(self, cancel: QWidget) -> None:
        self.export_button.setDefault(True)
        buttons = row_of(self._message, cancel, self.export_button, stretched=self._message)
        parts = (self.form, self.found_secrets, self.lost, self.verdict, self.findings, buttons)
        column = column_of(*parts, margins=(16, 16, 16, 12), gap=16)
        # the formats' descriptions differ in length
        column.setSizeConstraint(QLayout.SizeConstraint.SetMinimumSize)
        self.setLayout(column)

    def _on_export(self) -> None:
        self.export_button.setEnabled(False)
        request = self.confirmed or self.form.request  # any other choice ends an agreement
        call = self._backend.call(self, ExportService.export, request)
        call.done(partial(self._on_answer, request)).failed(self._on_failed)

    def _on_working(self, working: WorkingEvent) -> None:
        """Say how far a long export is."""
        if not self.export_button.isEnabled() and not (self._secrets and self._secrets.refused):
            share = number_format.percent(working.fraction, 0)
            self._message.show_text(
                f"{working.text} {share}" if working.fraction else working.text, ""
            )

    def _on_answer(self, request: ExportRequest, answer: ExportAnswer) -> None:
        """Close, or ask here whether to replace the file or to save although it would differ."""
        if answer.notices:
            for notice in answer.notices:
                self._backend.notice.emit(notice)
            self.accept()
            return
        if answer.difference:
            self.confirmed = replace(request, force=True)
            self._message.show_text(answer.difference, "error")
            self.export_button.setText(tr("Save anyway"))
        else:
            self.confirmed = replace(request, overwrite=True)
            exists = tr("{path} exists already.").format(path=shown_name(request.path))
            self._message.show_text(exists, "warn")
            self.export_button.setText(tr("Replace it"))
        self.export_button.setEnabled(True)

    def _on_failed(self, notice: Notice) -> None:
        self._backend.notice.emit(notice)
        self._message.show_text(f"{notice.title} {notice.text}".strip(), "error")
        self.export_button.setEnabled(True)

    def _on_checked(self, page: SummaryPage) -> None:
        """Show the result of the check; it never prevents the export."""
        self._check = page
        self._show_check()

    def _show_check(self) -> None:
        """Show the check of a result; a source has no summary of ours."""
        page, is_wanted = self._check, self.form.is_result
        verdict = tr("Checking the summary…") if page is None else page.verdict
        lost = page.losses_text if page is not None else ""
        self.lost.show_text(lost, page.losses_tone if page is not None else "")
        self.lost.setVisible(is_wanted and bool(lost))
        self.verdict.show_text(verdict, page.tone if page is not None else "")
        self.verdict.setVisible(is_wanted and bool(verdict))
        rows = page.findings if page is not None else ()
        self.findings.set_spans(_finding_lines(rows))
        self.findings.setVisible(is_wanted and bool(rows))
        if self.confirmed is None:
            self.export_button.setText(self._button_text)

    @property
    def _button_text(self) -> str:
        has_findings = (
            self.form.is_result and self._check is not None and bool(self._check.findings)
        )
        return tr("Export anyway") if has_findings else tr("Export")

    def event(self, event: QEvent) -> bool:
        """Grow for messages that wrap; Qt assumes one line each."""
        is_handled = super().event(event)  # handling the event may close the dialog
        if event.type() == QEvent.Type.LayoutRequest and (layout := self.layout()) is not None:
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))
        return is_handled

    def _on_link(self, link: str) -> None:
        """Close the dialog, so that the message can be seen."""
        self.reject()
        self.link_activated.emit(link)

    def _count_secrets(self) -> None:
        """Count the secrets that the current choice would write."""
        self._secrets = None
        self.form.about.show_text(tr("Counting secrets…"), "")
        self.found_secrets.show_lines(())
        self._backend.call(self, ExportService.count_secrets, self.form.request).done(
            self._on_counted
        )

    def _on_counted(self, secrets: SecretsCount) -> None:
        """Show the number of secrets; a warning if they would be written as they are."""
        self._secrets = secrets
        self._show_about()
        if secrets.refused:
            self.export_button.setEnabled(False)

    def _show_about(self) -> None:
        secrets = self._secrets
        if secrets is None:
            return
        self.found_secrets.show_lines(secrets.finding_lines)
        if secrets.refused:
            self.form.about.show_text(secrets.refused, "error")
            return
        is_safe = self.form.redact.isChecked() or not secrets.count
        text = secrets.redacted_text if is_safe else secrets.unredacted_text
        self.form.about.show_text(text, "ok" if is_safe else "warn")

    def _on_changed(self) -> None:
        self._show_about()
        self._drop_question()

    def _on_content(self) -> None:
        self._secrets = None
        self._drop_question()
        self._show_check()
        self._count_secrets()

    def _drop_question(self) -> None:
        self.confirmed = None
        self._message.show_text("", "")
        self.export_button.setText(self._button_text)
        is_refused = self._secrets is not None and bool(self._secrets.refused)
        self.export_button.setEnabled(
            bool(self.form.request.path and self.form.choice) and not is_refused
        )


def _finding_lines(rows: Sequence[SummaryFindingRow]) -> tuple[TextSpan, ...]:
    """Return a line for each finding, with a link to its message."""
    spans: list[TextSpan] = []
    for row in rows[:_MAX_FINDINGS]:
        spans += [TextSpan("\n")] if spans else []
        spans += [
            TextSpan(f"{row.severity}, "),
            TextSpan(row.location, row.link),
            TextSpan(f": {row.text}"),
        ]
    if (rest := len(rows) - _MAX_FINDINGS) > 0:
        spans.append(
            TextSpan(tr("\nand {rest:,} more; Why of the summary lists them").format(rest=rest))
        )
    return tuple(spans)

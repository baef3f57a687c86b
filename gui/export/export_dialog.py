"""The export dialog: a form, the check of the summary, a button. Questions and errors are shown inside it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from core.app.services.export import ExportAnswer, ExportService
from core.app.services.inspector import InspectorService
from core.common.paths import shown_name
from core.presentation.export.model import ExportRequest, SecretsCount
from core.presentation.model import Notice
from core.presentation.opened_model import FileOpenedEvent
from core.presentation.summary_check.model import SummaryPage
from gui.backend import BackendClient
from gui.export.check_summary import FindingsBox
from gui.export.export_form import ExportForm
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.secret_list import FoundSecretsList
from gui.widgets.theme import Theme
from gui.widgets.toned_label import ToneLabel


class ExportDialog(QDialog):
    """Exports, and closes when the file is written."""

    link_activated = Signal(str)  # "before:84", "after:12"

    def __init__(
        self, parent: QWidget, session: BackendClient, theme: Theme, opened: FileOpenedEvent, folder: str
    ) -> None:
        super().__init__(parent)
        self._session = session
        self.setWindowTitle(tr("Export"))
        self.setModal(True)
        self._theme = theme
        self._confirmed: ExportRequest | None = None
        self._secrets: SecretsCount | None = None
        self._check: SummaryPage | None = None
        self.form = ExportForm(opened, folder)
        self.found_secrets, self.check_findings, self._message = (
            FoundSecretsList(),
            FindingsBox(theme),
            ToneLabel(wraps=True),
        )
        self.export_button, cancel = push_button(tr("Export"), "primary"), push_button(tr("Cancel"))
        self._lay_out(cancel)
        self.form.changed.connect(self._on_changed)
        self.form.content_changed.connect(self._on_content)
        self.export_button.clicked.connect(self._on_export)
        cancel.clicked.connect(self.reject)
        self.check_findings.link_activated.connect(self._on_link)
        self._drop_question()
        self._count_secrets()
        session.call(InspectorService.check_summaries).done(self._on_checked)
        self._show_check()

    def _lay_out(self, cancel: QWidget) -> None:
        self.export_button.setDefault(True)
        button_row = QHBoxLayout()
        button_row.addWidget(self._message, 1)
        button_row.addWidget(cancel)
        button_row.addWidget(self.export_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(16)
        # the formats' descriptions differ in length
        column.setSizeConstraint(QLayout.SizeConstraint.SetMinimumSize)
        for part in (self.form, self.found_secrets, self.check_findings):
            column.addWidget(part)
        column.addLayout(button_row)

    def set_path(self, path: str) -> None:
        self.form.set_path(path)

    def _on_export(self) -> None:
        self.export_button.setEnabled(False)
        request = self.request
        call = self._session.call(ExportService.export, request)
        call.done(partial(self._on_answer, request)).failed(self._on_failed)

    @property
    def request(self) -> ExportRequest:
        """The export as chosen; an agreement to overwrite holds only for the same file and choices."""
        request, confirmed = self.form.request, self._confirmed
        if confirmed is not None and replace(confirmed, overwrite=False, force=False) == request:
            return confirmed
        return request

    def _on_answer(self, request: ExportRequest, answer: ExportAnswer) -> None:
        """Close, or ask here whether to replace the file or to save although it would differ."""
        if answer.notices:
            for notice in answer.notices:
                self._session.notice.emit(notice)
            self.accept()
            return
        if answer.difference:
            self._confirmed = replace(request, force=True)
            self._show_message(answer.difference, "error")
            self.export_button.setText(tr("Save anyway"))
        else:
            self._confirmed = replace(request, overwrite=True)
            exists = tr("{path} exists already.").format(path=shown_name(request.path))
            self._show_message(exists, "warn")
            self.export_button.setText(tr("Replace it"))
        self.export_button.setEnabled(True)

    def _on_failed(self, notice: Notice) -> None:
        self._session.notice.emit(notice)
        self._show_message(f"{notice.title} {notice.text}".strip(), "error")
        self.export_button.setEnabled(True)

    def _on_checked(self, page: SummaryPage) -> None:
        """Show the result of the check; it never prevents the export."""
        self._check = page
        self._show_check()

    def _show_check(self) -> None:
        """Show the check of a result; a source has no summary of ours."""
        self.check_findings.show_page(self._check, is_wanted=self.form.is_result)
        if self._confirmed is None:
            self.export_button.setText(self._button_text)

    @property
    def _button_text(self) -> str:
        has_findings = self.form.is_result and self._check is not None and bool(self._check.findings)
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
        self.form.about.show_text(tr("Counting secrets…"), "", self._theme)
        self.found_secrets.show_lines((), self._theme)
        self._session.call(ExportService.count_secrets, self.form.request).done(self._on_counted)

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
        self.found_secrets.show_lines(secrets.finding_lines, self._theme)
        if secrets.refused:
            self.form.about.show_text(secrets.refused, "error", self._theme)
            return
        is_safe = self.form.redact.isChecked() or not secrets.count
        text = secrets.redacted_text if is_safe else secrets.unredacted_text
        self.form.about.show_text(text, "ok" if is_safe else "warn", self._theme)

    def _on_changed(self) -> None:
        self._show_about()
        self._drop_question()

    def _on_content(self) -> None:
        self._secrets = None
        self._drop_question()
        self._show_check()
        self._count_secrets()

    def _drop_question(self) -> None:
        self._confirmed = None
        self._show_message("", "")
        self.export_button.setText(self._button_text)
        is_refused = self._secrets is not None and bool(self._secrets.refused)
        self.export_button.setEnabled(self.form.is_complete and not is_refused)

    def _show_message(self, text: str, tone: str) -> None:
        self._message.show_text(text, tone, self._theme)

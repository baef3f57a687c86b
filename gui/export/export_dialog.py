"""The export dialog: a form, the check of the summary, a button. Questions and errors are shown inside it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from core.app.messages import ExportCommand, FileExistsEvent, FileExportedEvent, SecretsCountedEvent
from core.common.file_names import shown_name
from core.presentation.model import Notice
from core.presentation.opened_model import FileOpenedEvent
from core.presentation.summary_check.model import SummaryPage
from gui.export.check_summary import FindingsBox
from gui.export.export_form import ExportForm
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.secret_list import FoundSecretsList
from gui.widgets.theme import Theme
from gui.widgets.toned_label import ToneLabel

_CHECK_TRIES = 3  # how often the check is requested


class ExportDialog(QDialog):
    """Emits ``export_requested(ExportCommand)``; closes when the file is written."""

    export_requested = Signal(object)
    secrets_requested = Signal(object)  # CountSecretsCommand
    check_requested = Signal()
    link_activated = Signal(str)  # "before:84", "after:12"

    def __init__(self, parent: QWidget, theme: Theme, opened: FileOpenedEvent, folder: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Export"))
        self.setModal(True)
        self._theme = theme
        self._confirmed_command: ExportCommand | None = None
        self._secrets: SecretsCountedEvent | None = None
        self._check: SummaryPage | None = None
        self._tries_left = _CHECK_TRIES
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

    @property
    def command(self) -> ExportCommand:
        """The export as chosen; an agreement to overwrite holds only for the same file and choices."""
        command, confirmed = self.form.command, self._confirmed_command
        if confirmed is not None and replace(confirmed, overwrite=False, force=False) == command:
            return confirmed
        return command

    def set_path(self, path: str) -> None:
        self.form.set_path(path)

    def show_exists(self, exists: FileExistsEvent) -> None:
        """Ask inside the dialog whether to replace the file, or to save although it would differ."""
        if exists.failure:
            self._confirmed_command = replace(exists.command, force=True)
            self._show_message(exists.failure, "error")
            self.export_button.setText(tr("Save anyway"))
        else:
            self._confirmed_command = replace(exists.command, overwrite=True)
            self._show_message(
                tr("{path} exists already.").format(path=shown_name(exists.command.path)), "warn"
            )
            self.export_button.setText(tr("Replace it"))
        self.export_button.setEnabled(True)

    def show_notice(self, notice: Notice) -> None:
        if notice.severity == "error":
            self._show_message(f"{notice.title} {notice.text}".strip(), "error")
            self.export_button.setEnabled(True)

    def on_exported(self, exported: FileExportedEvent) -> None:
        self.accept()

    def ask_check(self) -> None:
        """Request the check unless it is known; a newer command may drop the request."""
        if self._check is None and self._tries_left:
            self._tries_left -= 1
            self.check_requested.emit()
        self._show_check()

    def show_check(self, page: SummaryPage) -> None:
        """Show the result of the check; it never prevents the export."""
        if page.result_index < 0:
            self._check = page
            self._show_check()

    def _show_check(self) -> None:
        """Show the check of a result; a source has no summary of ours."""
        self.check_findings.show_page(self._check, is_wanted=self.form.is_result)
        if self._confirmed_command is None:
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

    def ask_secrets(self) -> None:
        """Count the secrets that the current choice would write."""
        self._secrets = None
        self.form.about.show_text(tr("Counting secrets…"), "", self._theme)
        self.found_secrets.show_lines((), self._theme)
        self.secrets_requested.emit(self.form.secrets_command)

    def show_secrets(self, secrets: SecretsCountedEvent) -> None:
        """Show the number of secrets; a warning if they would be written as they are."""
        if secrets.command == self.form.secrets_command:
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
        self.ask_secrets()

    def _drop_question(self) -> None:
        self._confirmed_command = None
        self._show_message("", "")
        self.export_button.setText(self._button_text)
        is_refused = self._secrets is not None and bool(self._secrets.refused)
        self.export_button.setEnabled(self.form.is_complete and not is_refused)

    def _show_message(self, text: str, tone: str) -> None:
        self._message.show_text(text, tone, self._theme)

    def _on_export(self) -> None:
        self.export_button.setEnabled(False)
        self.export_requested.emit(self.command)

"""The export dialog: a form, the check of the summary, a button. Questions and errors are shown
inside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QLayout,
    QLineEdit,
    QWidget,
)

from core.app.events import ExportAnswer, WorkingEvent
from core.app.remote_methods import ExportService, InspectorService
from core.common import number_format
from core.common.paths import display_name
from core.presentation.dialog_model import (
    ExportChoice,
    ExportRequest,
    FileOpenedEvent,
    SecretsCount,
)
from core.presentation.inspector_model import SummaryFindingRow, SummaryPage, TextSpan
from core.presentation.model import Notice
from gui.backend import BackendClient
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import ToneLabel
from gui.widgets.message_row import notice_text
from gui.widgets.pickers import SegmentedControl
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY, scaled_pixels
from gui.widgets.view_layout import FoundSecretsList, column_of, row_of

CONTINUE, REPORT, CONVERT = range(3)
WAYS = (
    ("Continue in the agent", "Write the result in the format of its source."),
    ("Share a report", "Write what was kept and lost, for people or for a test."),
    ("Convert…", "Write the result or the source in another format."),
)
SIDES = (("after", "Result of the compaction"), ("before", "Source as it was read"))
_FIELD = 400


class ExportForm(QWidget):
    """Emits ``content_changed`` if other text would be written, ``changed`` for any other change.

    ``about`` shows what the dialog knows about secrets in it.
    """

    changed = Signal()
    content_changed = Signal()

    def __init__(
        self, file: FileOpenedEvent, exports: Sequence[ExportChoice], folder: str
    ) -> None:
        super().__init__()
        self._stem = Path(file.name).stem
        self._folder = Path(folder)
        reports = [choice for choice in exports if choice.word]
        transcripts = [choice for choice in exports if not choice.word]
        own = [choice for choice in transcripts if choice.value == file.reader.format]
        self._choices = (
            own,
            reports,
            [choice for choice in transcripts if choice not in own],
        )
        self.ways = SegmentedControl(
            [tr(name) for name, _ in WAYS], [tr(tip) for _, tip in WAYS]
        )
        self.format = QComboBox()
        self.side = QComboBox()
        self.path = QLineEdit()
        for value, text in SIDES:
            self.side.addItem(tr(text), value)
        self.redact = QCheckBox(tr("Hide keys, access tokens, e-mail addresses"))
        append = tr("Append to the original, as {agent} does").format(
            agent=file.reader.label
        )
        self.append = QCheckBox(append)
        self.provenance = QCheckBox(
            tr(
                "With provenance: each message carries what it was, to be put back later"
            )
        )
        self.excerpts = QCheckBox(
            tr("Add excerpts: up to 40 useful lines that the result lacks")
        )
        self._description = text_label("", "secondary", wraps=True)
        self.about = ToneLabel(wraps=True)
        self._lay_out()
        if not own:
            self.ways.buttons[CONTINUE].setEnabled(False)
            self.ways.buttons[CONTINUE].setToolTip(
                tr("Foldline reads this format and does not write it.")
            )
        self.ways.chosen.connect(self.choose_way)
        self.side.currentIndexChanged.connect(self._on_content)
        self.format.currentIndexChanged.connect(self._on_format)
        self.path.textEdited.connect(self.changed)
        self.redact.toggled.connect(self.changed)
        for box in (self.append, self.provenance, self.excerpts):
            box.toggled.connect(self.content_changed)
        self.choose_way(CONTINUE if own else CONVERT)

    def _lay_out(self) -> None:
        browse = push_button(tr("Choose…"))
        browse.clicked.connect(self._browse)
        self._form = QFormLayout(self)
        self.path.setMinimumWidth(scaled_pixels(_FIELD, self.font()))
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setVerticalSpacing(8)
        self._form.addRow(self.ways)
        self._form.addRow(tr("Format"), self.format)
        self._form.addRow(tr("What"), self.side)
        self._form.addRow("", self._description)
        self._form.addRow(tr("File"), row_of(self.path, browse, stretched=self.path))
        for row in (
            self.append,
            self.provenance,
            self.excerpts,
            self.redact,
            self.about,
        ):
            self._form.addRow("", row)
        for field, name in (
            (self.format, tr("Format")),
            (self.side, tr("What")),
            (self.path, tr("File")),
        ):
            field.setAccessibleName(name)
            field.setProperty("role", "field")

    @property
    def choice(self) -> ExportChoice | None:
        choices = self._choices[self.ways.choice]
        index = self.format.currentIndex()
        if 0 <= index < len(choices):
            return choices[index]
        return None

    @property
    def is_result(self) -> bool:
        """False if the source is written."""
        return bool(self.side.currentData() == SIDES[0][0])

    @property
    def request(self) -> ExportRequest:
        """The export as chosen."""
        append, provenance = (
            box.isEnabled() and box.isChecked()
            for box in (self.append, self.provenance)
        )
        return ExportRequest(
            path=self.path.text().strip(),
            format=self.choice.value if self.choice is not None else "",
            side=self.side.currentData(),
            redact=self.redact.isChecked(),
            append=append,
            provenance=provenance,
            add_excerpts=self.excerpts.isEnabled() and self.excerpts.isChecked(),
        )

    def choose_way(self, way: int) -> None:
        """Offer the formats of a way."""
        self.ways.show_choice(way)
        with QSignalBlocker(self.format), QSignalBlocker(self.side):
            self.format.clear()
            for choice in self._choices[way]:
                self.format.addItem(choice.label, choice.value)
                self.format.setItemData(
                    self.format.count() - 1, choice.about, Qt.ItemDataRole.ToolTipRole
                )
            if way != CONVERT:
                self.side.setCurrentIndex(0)
        self._form.setRowVisible(self.format, way != CONTINUE)
        self._form.setRowVisible(self.side, way == CONVERT)
        self._on_format()

    def set_path(self, path: str) -> None:
        self.path.setText(path)
        self.changed.emit()

    def _on_format(self) -> None:
        choice = self.choice
        self._description.setText(choice.about if choice is not None else "")
        with QSignalBlocker(self.redact):
            self.redact.setChecked(choice is not None and choice.redacts)
        self._on_content()

    def _on_content(self) -> None:
        """Suggest a path and offer what can be chosen: only a result is appended or has
        provenance."""
        if (choice := self.choice) is not None:
            word = choice.word or ("compacted" if self.is_result else "")
            name = "-".join(filter(None, (self._stem, word)))
            self.path.setText(str(self._folder / f"{name}{choice.suffix}"))
            for box, is_possible in (
                (self.append, choice.appends),
                (self.provenance, choice.provenance),
            ):
                self._form.setRowVisible(box, is_possible)
                box.setEnabled(is_possible and self.is_result)
            self.excerpts.setEnabled(self.is_result)
        self.content_changed.emit()

    def _browse(self) -> None:
        options = QFileDialog.Option.DontConfirmOverwrite
        path, _ = QFileDialog.getSaveFileName(
            self, tr("Export to"), self.path.text(), options=options
        )
        if path:
            self.set_path(path)


"""The most findings listed; the rest is counted."""


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
        self.found_secrets = FoundSecretsList()
        self._message = ToneLabel(wraps=True)
        self.lost = ToneLabel()
        self.verdict = ToneLabel()
        self.findings = SpanText(SECONDARY, "text2")
        self.export_button = push_button(tr("Export"), "primary")
        cancel = push_button(tr("Cancel"))
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
        buttons = row_of(
            self._message, cancel, self.export_button, stretched=self._message
        )
        parts = (
            self.form,
            self.found_secrets,
            self.lost,
            self.verdict,
            self.findings,
            buttons,
        )
        column = column_of(*parts, margins=(16, 16, 16, 12), gap=16)
        # the formats' descriptions differ in length
        column.setSizeConstraint(QLayout.SizeConstraint.SetMinimumSize)
        self.setLayout(column)

    def _on_export(self) -> None:
        self.export_button.setEnabled(False)
        request = (
            self.confirmed or self.form.request
        )  # any other choice ends an agreement
        call = self._backend.call(self, ExportService.export, request)
        call.done(partial(self._on_answer, request)).failed(self._on_failed)

    def _on_working(self, working: WorkingEvent) -> None:
        """Say how far a long export is."""
        if not self.export_button.isEnabled() and not (
            self._secrets and self._secrets.refused
        ):
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
            exists = tr("{path} exists already.").format(
                path=display_name(request.path)
            )
            self._message.show_text(exists, "warn")
            self.export_button.setText(tr("Replace it"))
        self.export_button.setEnabled(True)

    def _on_failed(self, notice: Notice) -> None:
        self._backend.notice.emit(notice)
        self._message.show_text(notice_text(notice), "error")
        self.export_button.setEnabled(True)

    def _on_checked(self, page: SummaryPage) -> None:
        """Show the result of the check; it never prevents the export."""
        self._check = page
        self._show_check()

    def _show_check(self) -> None:
        """Show the check of a result; a source has no summary of ours."""
        page, is_wanted = self._check, self.form.is_result
        if page is None:
            verdict = tr("Checking the summary…")
        else:
            verdict = page.verdict
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
            self.form.is_result
            and self._check is not None
            and bool(self._check.findings)
        )
        if has_findings:
            return tr("Export anyway")
        return tr("Export")

    def event(self, event: QEvent) -> bool:
        """Grow for messages that wrap; Qt assumes one line each."""
        is_handled = super().event(event)  # handling the event may close the dialog
        if (
            event.type() == QEvent.Type.LayoutRequest
            and (layout := self.layout()) is not None
        ):
            self.resize(
                self.width(),
                max(self.height(), layout.totalHeightForWidth(self.width())),
            )
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
            TextSpan(
                tr("\nand {rest:,} more; Why of the summary lists them").format(
                    rest=rest
                )
            )
        )
    return tuple(spans)

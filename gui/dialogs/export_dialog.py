"""The export dialog: which format, what of it, where to. Questions and errors are shown inside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from core.desk import CountSecrets, Exists, Export, Exported, Secrets
from core.view.names import shown_name
from core.view.opened_values import ExportChoice, Opened
from core.view.phrases import phrase
from core.view.summary_values import SummaryPage
from core.view.values import Notice
from gui.dialogs.checked import Checked
from gui.dialogs.grouped import fill_grouped
from gui.language import tr
from gui.parts import button, label
from gui.theme import Theme, scaled
from gui.toned import TonedLabel

SIDES = (("after", phrase("Result of the compaction")), ("before", phrase("Source as it was read")))
BOTH = phrase("Source and result")
_COLUMN = 1
_TRIES = 3  # times the check is asked for


class ExportDialog(QDialog):
    """Emits ``export_requested(Export)``; closes when the file is written."""

    export_requested = Signal(object)
    secrets_asked = Signal(object)  # CountSecrets
    check_asked = Signal()
    link_activated = Signal(str)  # "before:84", "after:12"

    def __init__(self, parent: QWidget, theme: Theme, opened: Opened, folder: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Export"))
        self.setModal(True)
        self._theme = theme
        self._stem = Path(opened.name).stem
        self._folder = Path(folder)
        self._exists: Export | None = None
        self._choices = {choice.value: choice for choice in opened.exports}
        self._format, self._side, self._path = QComboBox(), QComboBox(), QLineEdit()
        fill_grouped(self._format, opened.exports)
        for value, text in SIDES:
            self._side.addItem(tr(text), value)
        self._redact = QCheckBox(tr("Replace keys, tokens and mail addresses with placeholders"))
        self._append = QCheckBox(
            tr("Keep the source whole and append the compaction, as its agent records one")
        )
        self._keep = QCheckBox(tr("With provenance: each message carries what it was, to be put back later"))
        self._what, self._says, self._about = label("", "secondary"), TonedLabel(), TonedLabel()
        self._secrets: Secrets | None = None
        self._check: SummaryPage | None = None
        self._tries = _TRIES
        self._checked = Checked(theme)
        self._go, self._cancel = button(tr("Export"), "primary"), button(tr("Cancel"))
        self._lay_out()
        self._connect()
        self._offer()

    def _lay_out(self) -> None:
        self._go.setDefault(True)
        last = QHBoxLayout()
        last.addWidget(self._says, 1)
        last.addWidget(self._cancel)
        last.addWidget(self._go)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(16)
        column.addLayout(self._grid())
        column.addWidget(self._checked)
        column.addLayout(last)
        self.setMinimumWidth(scaled(600, self.font()))

    def _grid(self) -> QGridLayout:
        """Format, what of it, file, and the boxes below."""
        browse = button(tr("Choose…"))
        browse.clicked.connect(self._browse)
        grid = QGridLayout()
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(_COLUMN, 1)
        for row, (text, widget) in {
            0: (tr("Format"), self._format),
            2: (tr("What"), self._side),
            3: (tr("File"), self._path),
        }.items():
            name = label(text)
            name.setBuddy(widget)
            widget.setAccessibleName(text)
            grid.addWidget(name, row, 0)
            grid.addWidget(widget, row, _COLUMN)
        grid.addWidget(self._what, 1, _COLUMN, 1, 2)
        grid.addWidget(browse, 3, 2)
        for row, box in enumerate((self._append, self._keep, self._redact, self._about), 4):
            grid.addWidget(box, row, _COLUMN, 1, 2)
        self._what.setWordWrap(True)
        return grid

    def _connect(self) -> None:
        self._side.currentIndexChanged.connect(self._on_side)
        self._format.currentIndexChanged.connect(self._on_format)
        self._path.textEdited.connect(self._forget)
        self._append.toggled.connect(self._on_content)
        self._keep.toggled.connect(self._on_content)
        self._redact.toggled.connect(self._on_redact)
        self._go.clicked.connect(self._on_go)
        self._cancel.clicked.connect(self.reject)
        self._checked.link_activated.connect(self._on_link)

    @property
    def choice(self) -> ExportChoice | None:
        """The format that is chosen."""
        return self._choices.get(self._format.currentData() or "")

    @property
    def command(self) -> Export:
        """What would be exported now; replaces a file only if the question was about this very one."""
        side, format = self._side.currentData(), self._format.currentData()
        path, redact = self._path.text().strip(), self._redact.isChecked()
        asked = Export(path, format, side, redact=redact, append=self._appends, provenance=self._keeps)
        return replace(asked, overwrite=True) if self._exists == asked else asked

    @property
    def _appends(self) -> bool:
        return self._append.isEnabled() and self._append.isChecked()

    @property
    def _keeps(self) -> bool:
        return self._keep.isEnabled() and self._keep.isChecked()

    @property
    def _counted(self) -> CountSecrets:
        """What secrets are counted for."""
        format, side = self._format.currentData() or "", self._side.currentData()
        return CountSecrets(format, side, self._appends, self._keeps)

    def set_path(self, path: str) -> None:
        """Write to this file."""
        self._path.setText(path)
        self._forget()

    def show_exists(self, exists: Exists) -> None:
        """Ask, inside the dialog, whether the file may be replaced."""
        self._exists = exists.command
        self._say(tr("{path} exists already.").format(path=shown_name(exists.command.path)), "warn")
        self._go.setText(tr("Replace it"))
        self._go.setEnabled(True)

    def show_notice(self, notice: Notice) -> None:
        """Show why nothing was written."""
        if notice.severity == "error":
            self._say(f"{notice.what} {notice.text}".strip(), "error")
            self._go.setEnabled(True)

    def on_exported(self, exported: Exported) -> None:
        """The file is written."""
        self.accept()

    def ask_check(self) -> None:
        """Ask what the check finds, unless that is known; something newer may have come before an answer."""
        if self._check is None and self._tries:
            self._tries -= 1
            self.check_asked.emit()
        self._show_check()

    def show_check(self, page: SummaryPage) -> None:
        """Say what the check found; nobody is kept from exporting."""
        if page.place < 0:
            self._check = page
            self._show_check()

    def _show_check(self) -> None:
        """Above the button, for a result; a source has no summary of ours."""
        self._checked.show_page(self._check, is_wanted=self._is_result)
        if self._exists is None:
            self._go.setText(self._word)

    @property
    def _is_result(self) -> bool:
        return bool(self._side.currentData() == SIDES[0][0])

    @property
    def _word(self) -> str:
        """What the button says."""
        has_findings = self._is_result and self._check is not None and bool(self._check.findings)
        return tr("Export anyway") if has_findings else tr("Export")

    def _on_link(self, link: str) -> None:
        """To look at a message, the window has to be free."""
        self.reject()
        self.link_activated.emit(link)

    def ask_secrets(self) -> None:
        """Ask how many secrets the present choice would write."""
        self._secrets = None
        self._about.show_text(tr("Counting secrets…"), "", self._theme)
        self.secrets_asked.emit(self._counted)

    def show_secrets(self, secrets: Secrets) -> None:
        """Say how many there are; a warning where they would be written as they are."""
        if secrets.command == self._counted:
            self._secrets = secrets
            self._show_about()
            if secrets.refused:
                self._go.setEnabled(False)

    def _show_about(self) -> None:
        secrets = self._secrets
        if secrets is None:
            return
        if secrets.refused:
            self._about.show_text(secrets.refused, "error", self._theme)
            return
        is_safe = self._redact.isChecked() or not secrets.count
        text = secrets.replaced if is_safe else secrets.kept
        self._about.show_text(text, "ok" if is_safe else "warn", self._theme)

    def _on_content(self) -> None:
        self._secrets = None
        self._forget()
        self.ask_secrets()

    def _on_redact(self) -> None:
        self._show_about()
        self._forget()

    def _on_side(self) -> None:
        self._secrets = None
        self._offer_boxes()
        self._suggest()
        self._show_check()
        self.ask_secrets()

    def _on_format(self) -> None:
        self._secrets = None
        self._offer()
        self.ask_secrets()

    def _offer(self) -> None:
        """What goes with the format: its sentence, whether there are sides, its habit of redaction."""
        choice = self.choice
        is_report = choice is not None and bool(choice.word)
        self._what.setText(choice.about if choice is not None else "")
        self._side.setEnabled(not is_report)
        self._side.setItemText(0, tr(BOTH if is_report else SIDES[0][1]))
        if is_report:
            with QSignalBlocker(self._side):
                self._side.setCurrentIndex(0)
        self._redact.setChecked(choice is not None and choice.redacts)
        self._offer_boxes()
        self._suggest()

    def _offer_boxes(self) -> None:
        """A compaction can stand behind the source of its own format only; a source has no provenance."""
        choice = self.choice
        for box, is_able in (
            (self._append, choice is not None and choice.appends),
            (self._keep, choice is not None and choice.provenance),
        ):
            box.setVisible(is_able)
            box.setEnabled(is_able and self._is_result)

    def _suggest(self) -> None:
        """Suggest a file name that says what is in the file."""
        choice = self.choice
        if choice is not None:
            side = "compacted" if self._is_result else ""
            word = choice.word or side
            name = f"{self._stem}-{word}" if word else self._stem
            self._path.setText(str(self._folder / f"{name}{choice.suffix}"))
        self._forget()

    def _forget(self) -> None:
        """Something changed: the former question no longer holds."""
        self._exists = None
        self._say("", "")
        self._go.setText(self._word)
        is_refused = self._secrets is not None and bool(self._secrets.refused)
        self._go.setEnabled(bool(self._path.text().strip()) and self.choice is not None and not is_refused)

    def _say(self, text: str, tone: str) -> None:
        self._says.show_text(text, tone, self._theme)

    def _browse(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self,
            tr("Export to"),
            self._path.text(),
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if path:
            self.set_path(path)

    def _on_go(self) -> None:
        self._go.setEnabled(False)
        self.export_requested.emit(self.command)

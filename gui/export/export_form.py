"""The form of an export: format, side, file and options."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QGridLayout, QLineEdit, QWidget

from core.presentation.export.model import ExportRequest
from core.presentation.opened_model import ExportChoice, FileOpenedEvent
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.theme import scaled_pixels
from gui.widgets.toned_label import ToneLabel

SIDES = (("after", "Result of the compaction"), ("before", "Source as it was read"))
REPORT_SIDE = "Source and result"
_COLUMN, _FIELD = 1, 400


class ExportForm(QWidget):
    """Emits ``content_changed`` if other text would be written, ``changed`` for any other change.

    ``about`` shows what the dialog knows about secrets in it.
    """

    changed = Signal()
    content_changed = Signal()

    def __init__(self, opened: FileOpenedEvent, folder: str) -> None:
        super().__init__()
        self._stem, self._folder = Path(opened.name).stem, Path(folder)
        self._choices = {choice.value: choice for choice in opened.exports}
        self.format, self.side, self.path = QComboBox(), QComboBox(), QLineEdit()
        self._fill_formats(opened.exports)
        for value, text in SIDES:
            self.side.addItem(tr(text), value)
        self.redact = QCheckBox(tr("Hide keys, tokens, e-mail addresses"))
        self.append = QCheckBox(tr("Append to the original, as its agent does"))
        self.provenance = QCheckBox(
            tr("With provenance: each message carries what it was, to be put back later")
        )
        self._description, self.about = text_label("", "secondary"), ToneLabel(wraps=True)
        self._lay_out()
        self._show_choice()
        self.side.currentIndexChanged.connect(self._on_side)
        self.format.currentIndexChanged.connect(self._on_format)
        self.path.textEdited.connect(self.changed)
        self.redact.toggled.connect(self.changed)
        for box in (self.append, self.provenance):
            box.toggled.connect(self.content_changed)

    def _fill_formats(self, choices: Sequence[ExportChoice]) -> None:
        """Offer the formats, each group under a heading that cannot be chosen."""
        model = QStandardItemModel(self.format)
        for group, members in groupby(choices, key=lambda choice: choice.group):
            heading = QStandardItem(group)
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            font = heading.font()
            font.setBold(True)
            heading.setFont(font)
            model.appendRow(heading)
            for choice in members:
                item = QStandardItem(choice.label)
                item.setData(choice.value, Qt.ItemDataRole.UserRole)
                item.setToolTip(choice.about)
                model.appendRow(item)
        self.format.setModel(model)
        self.format.setMaxVisibleItems(24)
        self.format.setCurrentIndex(1 if choices else -1)

    def _lay_out(self) -> None:
        browse = push_button(tr("Choose…"))
        browse.clicked.connect(self._browse)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(_COLUMN, 1)
        fields: tuple[tuple[int, str, QWidget], ...] = (
            (0, tr("Format"), self.format),
            (2, tr("What"), self.side),
            (3, tr("File"), self.path),
        )
        for row, text, widget in fields:
            name = text_label(text)
            name.setBuddy(widget)
            widget.setAccessibleName(text)
            widget.setProperty("role", "field")
            grid.addWidget(name, row, 0)
            grid.addWidget(widget, row, _COLUMN)
        grid.addWidget(self._description, 1, _COLUMN, 1, 2)
        grid.addWidget(browse, 3, 2)
        for row, box in enumerate((self.append, self.provenance, self.redact, self.about), 4):
            grid.addWidget(box, row, _COLUMN, 1, 2)
        self._description.setWordWrap(True)
        self.path.setMinimumWidth(scaled_pixels(_FIELD, self.font()))

    @property
    def choice(self) -> ExportChoice | None:
        return self._choices.get(self.format.currentData() or "")

    @property
    def is_result(self) -> bool:
        """False if the source is written."""
        return bool(self.side.currentData() == SIDES[0][0])

    @property
    def is_complete(self) -> bool:
        """True if a format and a file are given."""
        return bool(self.path.text().strip()) and self.choice is not None

    @property
    def request(self) -> ExportRequest:
        """The export as chosen."""
        append, provenance = (box.isEnabled() and box.isChecked() for box in (self.append, self.provenance))
        return ExportRequest(
            self.path.text().strip(),
            self.format.currentData() or "",
            self.side.currentData(),
            redact=self.redact.isChecked(),
            append=append,
            provenance=provenance,
        )

    def set_path(self, path: str) -> None:
        self.path.setText(path)
        self.changed.emit()

    def _on_side(self) -> None:
        self._enable_boxes()
        self._suggest_path()
        self.content_changed.emit()

    def _on_format(self) -> None:
        self._show_choice()
        self.content_changed.emit()

    def _show_choice(self) -> None:
        """Show the format's description, sides and default of redaction."""
        choice = self.choice
        is_report = choice is not None and bool(choice.word)
        self._description.setText(choice.about if choice is not None else "")
        self.side.setEnabled(not is_report)
        self.side.setItemText(0, tr(REPORT_SIDE if is_report else SIDES[0][1]))
        if is_report:
            with QSignalBlocker(self.side):
                self.side.setCurrentIndex(0)
        with QSignalBlocker(self.redact):
            self.redact.setChecked(choice is not None and choice.redacts)
        self._enable_boxes()
        self._suggest_path()

    def _enable_boxes(self) -> None:
        """A compaction can only be appended to a source of the same format; a source has no provenance."""
        choice = self.choice
        for box, is_possible in (
            (self.append, choice is not None and choice.appends),
            (self.provenance, choice is not None and choice.provenance),
        ):
            box.setVisible(is_possible)
            box.setEnabled(is_possible and self.is_result)

    def _suggest_path(self) -> None:
        choice = self.choice
        if choice is not None:
            word = choice.word or ("compacted" if self.is_result else "")
            name = f"{self._stem}-{word}" if word else self._stem
            self.path.setText(str(self._folder / f"{name}{choice.suffix}"))

    def _browse(self) -> None:
        options = QFileDialog.Option.DontConfirmOverwrite
        path, _ = QFileDialog.getSaveFileName(self, tr("Export to"), self.path.text(), options=options)
        if path:
            self.set_path(path)

"""The form of an export: one of three ways, then format, side, file and options that the way
needs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QLineEdit,
    QWidget,
)

from core.presentation.dialog_model import ExportChoice, ExportRequest, FileOpenedEvent
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import ToneLabel
from gui.widgets.segmented_switch import SegmentedControl
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import row_of

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

    def __init__(self, file: FileOpenedEvent, exports: Sequence[ExportChoice], folder: str) -> None:
        super().__init__()
        self._stem, self._folder = Path(file.name).stem, Path(folder)
        reports = [choice for choice in exports if choice.word]
        transcripts = [choice for choice in exports if not choice.word]
        own = [choice for choice in transcripts if choice.value == file.reader.format]
        self._choices = (own, reports, [choice for choice in transcripts if choice not in own])
        self.ways = SegmentedControl([tr(name) for name, _ in WAYS], [tr(tip) for _, tip in WAYS])
        self.format, self.side, self.path = QComboBox(), QComboBox(), QLineEdit()
        for value, text in SIDES:
            self.side.addItem(tr(text), value)
        self.redact = QCheckBox(tr("Hide keys, tokens, e-mail addresses"))
        append = tr("Append to the original, as {agent} does").format(agent=file.reader.label)
        self.append = QCheckBox(append)
        self.provenance = QCheckBox(
            tr("With provenance: each message carries what it was, to be put back later")
        )
        self.excerpts = QCheckBox(
            tr("Add excerpts: the 40 most useful lines that the result lacks")
        )
        self._description, self.about = (
            text_label("", "secondary", wraps=True),
            ToneLabel(wraps=True),
        )
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
        for row in (self.append, self.provenance, self.excerpts, self.redact, self.about):
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
        choices, index = self._choices[self.ways.choice], self.format.currentIndex()
        return choices[index] if 0 <= index < len(choices) else None

    @property
    def is_result(self) -> bool:
        """False if the source is written."""
        return bool(self.side.currentData() == SIDES[0][0])

    @property
    def request(self) -> ExportRequest:
        """The export as chosen."""
        append, provenance = (
            box.isEnabled() and box.isChecked() for box in (self.append, self.provenance)
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

    def choose_format(self, name: str) -> None:
        """Choose a format by its name, in the way that has it."""
        names = [[choice.value for choice in choices] for choices in self._choices]
        self.choose_way(next(way for way, offered in enumerate(names) if name in offered))
        self.format.setCurrentIndex(self.format.findData(name))

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

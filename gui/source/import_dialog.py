"""The import report: the reader's notes by kind, each with its place; Copy takes all of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.presentation.dialog_model import NOTHING_REPORTED, ImportPage
from gui.language import tr
from gui.probes.wrapped_tree import WrappedCells
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import current_theme, mono_font_for
from gui.widgets.view_layout import column_of, row_of

_TIMES_SIGN = "×"
"""Ends a count, in the column where other lines have their place."""
_MARGIN = 16


class ImportDialog(QDialog):
    def __init__(self, parent: QWidget | None, page: ImportPage) -> None:
        super().__init__(parent)
        self.setWindowTitle(page.title)
        self._page = page
        self._message = text_label("", "secondary")
        self._tree = QTreeWidget()
        self._set_up()
        self._fill()
        nothing = text_label(tr(NOTHING_REPORTED), "secondary")
        main = self._tree if page.sections else nothing
        parts = (self._facts(), main, self._buttons())
        self.setLayout(column_of(*parts, margins=(16, 16, 16, 12), gap=12, stretched=main))
        self.resize(680, 520 if page.sections else 240)

    @property
    def lines(self) -> tuple[str, ...]:
        """Every line of the report as shown."""
        lines = [line for top in _children(self._tree.invisibleRootItem()) for line in _children(top)]
        return tuple(f"{line.text(0).strip()} {line.text(1)}" for line in lines)

    @property
    def message_text(self) -> str:
        return self._message.text()

    def copy(self) -> None:
        """Copy the report to the clipboard, with secrets redacted."""
        QApplication.clipboard().setText(self._page.copy_text)
        self._message.setText(self._page.copied_message)

    def _facts(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate(self._page.facts):
            grid.addWidget(text_label(name, "secondary"), row, 0)
            grid.addWidget(ElidedLabel(value), row, 1)
        return grid

    def _buttons(self) -> QHBoxLayout:
        copy, close = push_button(tr("Copy")), push_button(tr("Close"), "primary")
        copy.setToolTip(tr("Copy the whole report; keys, tokens and mail addresses are written over"))
        copy.clicked.connect(self.copy)
        close.clicked.connect(self.accept)
        close.setDefault(True)
        return row_of(self._message, copy, close, stretched=self._message)

    def _set_up(self) -> None:
        tree = self._tree
        tree.setAccessibleName(self._page.title)
        tree.setColumnCount(2)
        tree.setHeaderHidden(True)
        tree.setFrameShape(QFrame.Shape.NoFrame)
        tree.setWordWrap(True)
        tree.setProperty("role", "reader")
        tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        tree.setItemDelegate(WrappedCells(tree))
        header, metrics = tree.header(), QFontMetrics(mono_font_for(self.font()))
        paths = (path for section in self._page.sections for path, _ in section.rows)
        widest = max(map(metrics.horizontalAdvance, paths), default=0)  # titles span both columns
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(0, widest + 2 * tree.indentation() + _MARGIN)
        header.setStretchLastSection(True)
        header.sectionResized.connect(tree.scheduleDelayedItemsLayout)

    def _fill(self) -> None:
        theme, tree, mono = current_theme(), self._tree, mono_font_for(self.font())
        for section in self._page.sections:
            top = QTreeWidgetItem([section.title])
            face = tree.font()
            face.setBold(True)
            top.setFont(0, face)
            tree.addTopLevelItem(top)
            top.setFirstColumnSpanned(True)
            top.setExpanded(True)
            path_width = max((len(path) for path, _ in section.rows if path.endswith(_TIMES_SIGN)), default=0)
            for path, text in section.rows:
                line = QTreeWidgetItem(
                    top, [path.rjust(path_width) if path.endswith(_TIMES_SIGN) else path, text]
                )
                line.setFont(0, mono)
                line.setForeground(0, theme.text2)
                line.setToolTip(1, text)
        if (first := tree.topLevelItem(0)) is not None:
            tree.setCurrentItem(first)


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    children = (item.child(row) for row in range(item.childCount()))
    return [child for child in children if child is not None]

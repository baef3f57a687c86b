"""Saves a view's table as CSV, which the worker writes, and its plot as a picture."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from core.common.atomic_file import write_same_type
from core.common.errors import InputError
from core.common.paths import shown_name
from core.presentation.model import Notice
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.widget_picture import widget_png


class SaveButtons:
    """Buttons that save the table and the plot; shortened to their formats if space is short."""

    def __init__(self) -> None:
        self.csv_button, self.png_button = push_button("", "small"), push_button("", "small")
        self._button_texts = {self.csv_button: tr("Save as CSV…"), self.png_button: tr("Save plot as PNG…")}
        for button, text in self._button_texts.items():
            button.setToolTip(text)
            button.setAccessibleName(text)
        self.set_short(False)

    def set_short(self, is_short: bool) -> None:
        """Show only the formats, or the full words; the tooltips are always full."""
        formats: dict[QPushButton, str] = {self.csv_button: "CSV…", self.png_button: "PNG…"}
        for button, text in (formats if is_short else self._button_texts).items():
            button.setText(text)


def ask_table(parent: QWidget, name: Path) -> str:
    """Ask for the table's file, "" if cancelled; ``name`` is suggested."""
    return _ask_path(parent, tr("Save the table"), name.with_name(f"{name.name}.csv"))


def ask_plot(parent: QWidget, name: Path) -> str:
    """Ask for the plot's file, "" if cancelled; ``name`` is suggested."""
    return _ask_path(parent, tr("Save the plot"), name.with_name(f"{name.name}.png"))


def _ask_path(parent: QWidget, title: str, name: Path) -> str:
    path, _ = QFileDialog.getSaveFileName(parent, title, str(name))
    return path


def save_plot(path: str, plot: QWidget, source: str) -> Notice:
    """Save the plot, never over the transcript ``source``; return a notice of success or failure."""
    try:
        write_same_type(Path(path), widget_png(plot), "PNG", Path(source) if source else None)
    except InputError as error:
        return Notice("error", error.message, error.hint, topic="export")
    return Notice("info", tr("Wrote {path}.").format(path=shown_name(path)), "", topic="export")

"""Saving what a view shows: its table as CSV, which the worker writes, and its plot as a picture."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from core.view.names import shown_name
from core.view.values import Notice
from gui.insight.view import InsightView
from gui.language import tr


def ask_table(view: InsightView, source: str) -> None:
    """Ask where the table goes, beside the transcript ``source`` unless the person says otherwise."""
    path = _asked(view, source, tr("Save the table"), "csv")
    if path:
        view.session.save_table(view.name.lower(), path)


def ask_plot(view: InsightView, source: str, plot: QWidget) -> None:
    """Ask where the picture of the plot goes."""
    path = _asked(view, source, tr("Save the plot"), "png")
    if path:
        save_plot(view, path, plot)


def save_plot(view: InsightView, path: str, plot: QWidget) -> None:
    """Write the plot as a picture; the view says so, or why not."""
    if plot.grab().save(path, "PNG"):
        view.notice.emit(
            Notice("info", tr("Wrote {path}.").format(path=shown_name(path)), "", topic="export")
        )
    else:
        text = tr("Choose another name or folder.")
        view.notice.emit(
            Notice("error", tr("{path} could not be written.").format(path=path), text, topic="export")
        )


def _asked(view: InsightView, source: str, title: str, suffix: str) -> str:
    name = f"{Path(source).stem}-{view.name.lower()}.{suffix}"
    path, _ = QFileDialog.getSaveFileName(view, title, str(Path(source).with_name(name)))
    return path

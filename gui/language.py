"""Marks the window's labels for Qt's translator; the window is in English only."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

_CONTEXT = "foldline"


def tr(text: str) -> str:
    """Return Qt's translation of ``text``, or ``text`` itself without one."""
    if text:
        return QCoreApplication.translate(_CONTEXT, text)
    return text

"""Marks the labels of the window as texts that Qt can translate. The window is in English only."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

_CONTEXT = "foldline"


def tr(text: str) -> str:
    """``text`` as a translator of Qt has it; without one as it is."""
    return QCoreApplication.translate(_CONTEXT, text) if text else text

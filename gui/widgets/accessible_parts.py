"""Painted parts of a widget as objects of their own, for screen readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QWidget


class _Part(QWidget):
    """Lies over or under what is painted; paints nothing and takes nothing."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


class CutPart(_Part):
    """A cut: a handle of the ruler, a row of the list."""


class SummaryCellPart(_Part):
    """The cell of a summary."""


@dataclass(frozen=True, slots=True)
class PartText:
    """Where a part is in its widget, and what a screen reader says of it."""

    kind: type[CutPart | SummaryCellPart]
    box: QRect
    name: str
    description: str = ""


class AccessibleParts:
    """The parts of one widget; ``is_behind`` puts them behind its other children."""

    def __init__(self, parent: QWidget, *, is_behind: bool = False) -> None:
        self._parent, self._is_behind = parent, is_behind
        self._shown: tuple[PartText, ...] = ()
        self.widgets: list[QWidget] = []

    def show(self, parts: Sequence[PartText]) -> None:
        """Show these parts and no others."""
        if (shown := tuple(parts)) == self._shown:
            return
        if [part.kind for part in shown] != [type(widget) for widget in self.widgets]:
            for widget in self.widgets:
                widget.hide()
                widget.deleteLater()
            self.widgets = [self._new_widget(part) for part in shown]
        self._shown = shown
        for widget, part in zip(self.widgets, shown, strict=True):
            widget.setGeometry(part.box)
            widget.setAccessibleName(part.name)
            widget.setAccessibleDescription(part.description)

    def _new_widget(self, part: PartText) -> QWidget:
        widget = part.kind(self._parent)
        if self._is_behind:
            widget.lower()
        widget.show()
        return widget

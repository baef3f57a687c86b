"""Labelled figures, one below the other, with bars for shares of a total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QWidget

from core.presentation.model import LabelledFigure
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import current_theme
from gui.widgets.view_layout import remove_widget

_BAR_HEIGHT = 10


class FractionBar(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._fraction, self._fate = 0.0, -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_fraction(self, fraction: float, fate: int) -> None:
        """Show ``fraction`` (0 to 1) in the colour of a fate, grey for -1."""
        self._fraction = min(1.0, max(0.0, fraction))
        self._fate = fate
        self.update()

    def sizeHint(self) -> QSize:
        """Small, so that the words beside the bar stay whole."""
        return QSize(_BAR_HEIGHT, _BAR_HEIGHT)

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints at least 2 pixels, so that a small fraction stays visible."""
        if self._fraction > 0:
            painter = QPainter(self)
            theme = current_theme()
            if self._fate >= 0:
                colour = theme.fate_fill[self._fate]
            else:
                colour = theme.text3
            width = max(2.0, self._fraction * self.width())
            painter.fillRect(
                QRectF(0, (self.height() - _BAR_HEIGHT) / 2, width, _BAR_HEIGHT), colour
            )
            painter.end()


@dataclass(frozen=True, slots=True)
class _FigureLine:
    label: ElidedLabel
    bar: FractionBar
    value: ElidedLabel


class FigureList(QWidget):
    """Facts as rows, which are updated in place."""

    def __init__(self, *, indent: int = 0, row_height: int = 26) -> None:
        super().__init__()
        self._facts: tuple[LabelledFigure, ...] = ()
        self._lines: list[_FigureLine] = []
        self._row_height = row_height
        self._rule = QFrame(self)
        self._rule.setProperty("role", "rule")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(indent, 0, indent, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(2, 1)

    def show_facts(self, facts: Sequence[LabelledFigure]) -> None:
        if tuple(facts) != self._facts:
            self._facts = tuple(facts)
            self._refresh()

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (line.label.full_text, line.value.full_text) for line in self._lines
        )

    def _refresh(self) -> None:
        while len(self._lines) > len(self._facts):
            line = self._lines.pop()
            self._grid.setRowMinimumHeight(2 * len(self._lines) + 1, 0)
            for widget in (line.label, line.bar, line.value):
                remove_widget(self._grid, widget)
        while len(self._lines) < len(self._facts):
            self._lines.append(self._new_line(len(self._lines)))
        has_bars = any(fact.fraction is not None for fact in self._facts)
        for line, fact in zip(self._lines, self._facts, strict=True):
            self._show(
                line,
                fact,
                is_sum=has_bars and fact is self._facts[-1] and fact.fraction is None,
            )
        self._grid.setColumnStretch(1, 8 if has_bars else 0)
        self._place_rule(has_bars)

    def _new_line(self, number: int) -> _FigureLine:
        line = _FigureLine(
            ElidedLabel("", "muted", self),
            FractionBar(self),
            ElidedLabel("", "", self, min_chars=18),
        )
        line.value.setAlignment(
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        )
        row = 2 * number + 1
        for column, widget in enumerate((line.label, line.bar, line.value)):
            self._grid.addWidget(widget, row, column)
        self._grid.setRowMinimumHeight(row, self._row_height)
        return line

    def _show(self, line: _FigureLine, fact: LabelledFigure, *, is_sum: bool) -> None:
        line.label.show_text(fact.label)
        set_style_property(
            line.value, "tone", fact.tone or ("strong" if is_sum else "")
        )
        line.value.show_text(fact.value)
        line.bar.show_fraction(fact.fraction or 0.0, fact.fate)
        line.bar.setVisible(fact.fraction is not None)
        line.label.show()
        line.value.show()

    def _place_rule(self, has_bars: bool) -> None:
        self._grid.removeWidget(self._rule)
        is_summed = has_bars and self._facts[-1].fraction is None
        self._rule.setVisible(is_summed)
        if is_summed:
            self._grid.addWidget(self._rule, 2 * len(self._facts) - 2, 0, 1, 3)

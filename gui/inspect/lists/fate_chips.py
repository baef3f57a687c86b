"""Chips over a list: legend, count and filter of its fates (ui.md section 5)."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from core.presentation.lists.row_wording import chip_words
from gui.inspect.lists.column_layout import ListFonts, list_fonts
from gui.language import tr
from gui.widgets.icons import FATE_GLYPHS, paint_glyph
from gui.widgets.theme import Theme, theme

HEIGHT, CHIP, GAP, PAD = 28, 20, 4, 10
GLYPH, LOOSE, TIGHT = 12, 8, 4
"""Width of the glyph; space left of, between and right of glyph and text, with words and without."""


class FateChip(QAbstractButton):
    """Glyph, count and word of one fate; checked while its messages are in the list."""

    solo = Signal(int)
    switched = Signal(int)

    def __init__(self, fate: int, count: int, faces: ListFonts, colours: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.fate = fate
        self._figure, word = chip_words(fate, count)
        self._word = tr(word)
        self._fonts, self._theme = faces, colours
        self.short = False
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(f"{self._figure} {self._word}")
        self.setToolTip(
            tr("{figure} {word}. Click to hide or show them, Alt-click for only them.").format(
                figure=self._figure, word=self._word
            )
        )
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self.switched.emit(self.fate)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Alt-click: only this fate."""
        inside = self.rect().contains(event.position().toPoint())
        if event.modifiers() & Qt.KeyboardModifier.AltModifier and inside:
            self.setDown(False)
            self.solo.emit(self.fate)
            return
        super().mouseReleaseEvent(event)

    def label(self, *, short: bool) -> str:
        return self._figure if short else f"{self._figure} {self._word}"

    def width_for(self, *, short: bool) -> int:
        """Return the chip's width in pixels."""
        room = TIGHT if short else LOOSE
        text = self._fonts.small.metrics.horizontalAdvance(self.label(short=short))
        return round(text) + self._fonts.px(3 * room + GLYPH)

    def sizeHint(self) -> QSize:
        return QSize(self.width_for(short=self.short), self._fonts.px(CHIP))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints a frame with glyph and text; switched off: dashed, quiet and struck through."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, px, on = self._theme, self._fonts.px, self.isChecked()
        width = 2 if self.hasFocus() else 1
        hot = self.hasFocus() or self.underMouse()
        pen = QPen(
            colours.accent_text if hot else colours.control_border if not on else colours.hairline, width
        )
        pen.setStyle(Qt.PenStyle.SolidLine if on else Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(colours.surface if on else colours.surface2)
        inset = width / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 4, 4)
        size, height, room = px(GLYPH), self.height(), px(TIGHT if self.short else LOOSE)
        spot = QRectF(room, (height - size) / 2, size, size)
        paint_glyph(
            painter, FATE_GLYPHS[self.fate], spot, colours.fate_text[self.fate] if on else colours.text3
        )
        font = QFont(self._fonts.small.font)
        font.setStrikeOut(not on)
        painter.setFont(font)
        painter.setPen(colours.text if on else colours.text3)
        base = self._fonts.small.baseline(0, height)
        painter.drawText(QPointF(2 * room + size, base), self.label(short=self.short))
        painter.end()


class FateChipRow(QWidget):
    """The chips of a list. ``changed`` carries the hidden fates."""

    changed = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme: Theme = theme("light")
        self._fonts: ListFonts = list_fonts(self.font())
        self._counts: tuple[tuple[int, int], ...] = ()
        self._hidden: frozenset[int] = frozenset()
        self.chips: list[FateChip] = []
        self._tail: QWidget | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._rebuild()

    def set_tail(self, tail: QWidget) -> None:
        """Put a widget at the right end; it is hidden if the chips need the space."""
        tail.setParent(self)
        self._tail = tail
        self._place()

    def show_counts(self, counts: tuple[tuple[int, int], ...], hidden: frozenset[int]) -> None:
        """Show (fate code, count) chips, those of ``hidden`` switched off."""
        if counts != self._counts:
            self._counts = counts
            self._hidden = hidden
            self._rebuild()
        self._set_hidden(hidden)

    def switch(self, fate: int) -> None:
        """Hide or show the messages of a fate; hiding the last one shows all again."""
        self._choose(self._hidden ^ {fate})

    def solo(self, fate: int) -> None:
        """Show only the messages of a fate; if only they are shown already, show all."""
        others = frozenset(code for code, _ in self._counts) - {fate}
        self._choose(frozenset() if self._hidden == others else others)

    def _choose(self, hidden: frozenset[int]) -> None:
        if all(code in hidden for code, _ in self._counts):
            hidden = frozenset()
        self._set_hidden(hidden)
        self.changed.emit(hidden)

    def _set_hidden(self, hidden: frozenset[int]) -> None:
        self._hidden = hidden
        for chip in self.chips:
            chip.setChecked(chip.fate not in hidden)

    def _rebuild(self) -> None:
        focused = next((chip.fate for chip in self.chips if chip.hasFocus()), None)
        for chip in self.chips:
            chip.hide()
            chip.deleteLater()
        self.chips = [FateChip(fate, count, self._fonts, self._theme, self) for fate, count in self._counts]
        for chip in self.chips:
            chip.switched.connect(self.switch)
            chip.solo.connect(self.solo)
            chip.setChecked(chip.fate not in self._hidden)
            chip.show()
            if chip.fate == focused:
                chip.setFocus()
        self._place()
        self.update()

    def _place(self) -> None:
        """Place the chips side by side, without words if they do not fit beside the tail."""
        px, left = self._fonts.px, self._fonts.px(PAD)
        tail = self._tail.sizeHint().width() if self._tail is not None else 0
        if self._wide(short=True) + tail > self.width():
            tail = 0  # the tail is hidden either way
        short = self._wide(short=False) + tail > self.width()
        for chip in self.chips:
            chip.short = short
            size = chip.sizeHint()
            chip.setGeometry(left, self._top(size), size.width(), size.height())
            left += size.width() + px(GAP)
        if self._tail is not None:
            size, right = self._tail.sizeHint(), self.width() - px(PAD)
            self._tail.setVisible(left + size.width() <= right)
            self._tail.setGeometry(right - size.width(), self._top(size), size.width(), size.height())

    def _wide(self, *, short: bool) -> int:
        """Return the width of all chips, with the space at both ends."""
        px = self._fonts.px
        return sum(chip.width_for(short=short) + px(GAP) for chip in self.chips) + 2 * px(PAD)

    def _top(self, size: QSize) -> int:
        """Return the top that centres a widget of this size vertically."""
        return (self.height() - 1 - size.height()) // 2

    def sizeHint(self) -> QSize:
        """One line; the height follows the font."""
        return QSize(300, self._fonts.px(HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fonts = list_fonts(self.font())
            self._rebuild()
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.surface)
        thick = 2 if self._theme.high_contrast else 1
        painter.fillRect(0, self.height() - thick, self.width(), thick, self._theme.hairline)
        painter.end()

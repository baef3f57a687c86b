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

ROW_HEIGHT, CHIP_HEIGHT, GAP, PAD = 28, 20, 4, 10
GLYPH_SIZE, WORD_PADDING, SHORT_PADDING = 12, 8, 4
"""Width of the glyph; space left of, between and right of glyph and text, with words and without."""


class FateChip(QAbstractButton):
    """Glyph, count and word of one fate; checked while its messages are in the list."""

    solo_requested = Signal(int)
    switch_requested = Signal(int)

    def __init__(
        self, fate: int, count: int, fonts: ListFonts, theme_colours: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.fate = fate
        self._count_text, word = chip_words(fate, count)
        self._word = tr(word)
        self._fonts, self._theme = fonts, theme_colours
        self.is_short = False
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(f"{self._count_text} {self._word}")
        self.setToolTip(
            tr("{figure} {word}. Click to hide or show them, Alt-click for only them.").format(
                figure=self._count_text, word=self._word
            )
        )
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self.switch_requested.emit(self.fate)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Alt-click: only this fate."""
        inside = self.rect().contains(event.position().toPoint())
        if event.modifiers() & Qt.KeyboardModifier.AltModifier and inside:
            self.setDown(False)
            self.solo_requested.emit(self.fate)
            return
        super().mouseReleaseEvent(event)

    def label(self, *, is_short: bool) -> str:
        return self._count_text if is_short else f"{self._count_text} {self._word}"

    def width_for(self, *, is_short: bool) -> int:
        """Return the chip's width in pixels."""
        padding = SHORT_PADDING if is_short else WORD_PADDING
        text_width = self._fonts.small.metrics.horizontalAdvance(self.label(is_short=is_short))
        return round(text_width) + self._fonts.px(3 * padding + GLYPH_SIZE)

    def sizeHint(self) -> QSize:
        return QSize(self.width_for(is_short=self.is_short), self._fonts.px(CHIP_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints a frame with glyph and text; switched off: dashed, quiet and struck through."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, px, is_on = self._theme, self._fonts.px, self.isChecked()
        width = 2 if self.hasFocus() else 1
        is_active = self.hasFocus() or self.underMouse()
        pen = QPen(
            colours.accent_text if is_active else colours.control_border if not is_on else colours.hairline,
            width,
        )
        pen.setStyle(Qt.PenStyle.SolidLine if is_on else Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(colours.surface if is_on else colours.surface2)
        inset = width / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 4, 4)
        size, height, padding = (
            px(GLYPH_SIZE),
            self.height(),
            px(SHORT_PADDING if self.is_short else WORD_PADDING),
        )
        glyph_rect = QRectF(padding, (height - size) / 2, size, size)
        paint_glyph(
            painter,
            FATE_GLYPHS[self.fate],
            glyph_rect,
            colours.fate_text[self.fate] if is_on else colours.text3,
        )
        font = QFont(self._fonts.small.font)
        font.setStrikeOut(not is_on)
        painter.setFont(font)
        painter.setPen(colours.text if is_on else colours.text3)
        baseline = self._fonts.small.baseline(0, height)
        painter.drawText(QPointF(2 * padding + size, baseline), self.label(is_short=self.is_short))
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
        self._end_widget: QWidget | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._rebuild()

    def set_end_widget(self, widget: QWidget) -> None:
        """Put a widget at the right end; it is hidden if the chips need the space."""
        widget.setParent(self)
        self._end_widget = widget
        self._place_chips()

    def show_counts(self, counts: tuple[tuple[int, int], ...], hidden: frozenset[int]) -> None:
        """Show (fate code, count) chips, those of ``hidden`` switched off."""
        if counts != self._counts:
            self._counts = counts
            self._hidden = hidden
            self._rebuild()
        self._set_hidden(hidden)

    def toggle_fate(self, fate: int) -> None:
        """Hide or show the messages of a fate; hiding the last one shows all again."""
        self._apply_hidden(self._hidden ^ {fate})

    def show_only(self, fate: int) -> None:
        """Show only the messages of a fate; if only they are shown already, show all."""
        others = frozenset(code for code, _ in self._counts) - {fate}
        self._apply_hidden(frozenset() if self._hidden == others else others)

    def _apply_hidden(self, hidden: frozenset[int]) -> None:
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
            chip.switch_requested.connect(self.toggle_fate)
            chip.solo_requested.connect(self.show_only)
            chip.setChecked(chip.fate not in self._hidden)
            chip.show()
            if chip.fate == focused:
                chip.setFocus()
        self._place_chips()
        self.update()

    def _place_chips(self) -> None:
        """Place the chips side by side, without words if they do not fit beside the tail."""
        px, left = self._fonts.px, self._fonts.px(PAD)
        end_width = self._end_widget.sizeHint().width() if self._end_widget is not None else 0
        if self._chips_width(is_short=True) + end_width > self.width():
            end_width = 0  # the tail is hidden either way
        is_short = self._chips_width(is_short=False) + end_width > self.width()
        for chip in self.chips:
            chip.is_short = is_short
            size = chip.sizeHint()
            chip.setGeometry(left, self._top(size), size.width(), size.height())
            left += size.width() + px(GAP)
        if self._end_widget is not None:
            size, right = self._end_widget.sizeHint(), self.width() - px(PAD)
            self._end_widget.setVisible(left + size.width() <= right)
            self._end_widget.setGeometry(right - size.width(), self._top(size), size.width(), size.height())

    def _chips_width(self, *, is_short: bool) -> int:
        """Return the width of all chips, with the space at both ends."""
        px = self._fonts.px
        return sum(chip.width_for(is_short=is_short) + px(GAP) for chip in self.chips) + 2 * px(PAD)

    def _top(self, size: QSize) -> int:
        """Return the top that centres a widget of this size vertically."""
        return (self.height() - 1 - size.height()) // 2

    def sizeHint(self) -> QSize:
        """One line; the height follows the font."""
        return QSize(300, self._fonts.px(ROW_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_chips()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._place_chips()
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
        line_height = 2 if self._theme.high_contrast else 1
        painter.fillRect(0, self.height() - line_height, self.width(), line_height, self._theme.hairline)
        painter.end()

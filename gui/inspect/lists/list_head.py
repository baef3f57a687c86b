"""What is above the rows of a list: its name and totals, chips of its fates, column heads."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from core.common.number_format import count, plural
from core.presentation.lists.row_wording import chip_words
from gui.actions import ACTIONS
from gui.inspect.lists.painting import ColumnLayout, list_fonts, paint_right_text, paint_text
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.icons import FATE_GLYPHS, GlyphButton, glyph_icon
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import current_theme, scaled_pixels
from gui.widgets.view_layout import fill_panel, remove_widget, row_of

_HEADER_HEIGHT, _COLUMN_HEADER_HEIGHT, _GAP = 28, 20, 4
_STEPS = {"previous-change": (-1, "chevron-up"), "next-change": (1, "chevron-down")}
"""Step and glyph of each button, by the action that does the same."""


class HeadRow(QWidget):
    """A row of widgets with a line below; its height follows the font."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.row = row_of(margins=(10, 0, 10, 1))
        fill_panel(self, "head", self.row)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(scaled_pixels(_HEADER_HEIGHT, self.font()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()


class PaneHeader(HeadRow):
    """Name of the list, its content, and its total at the right."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._title = title
        self._warning, self._note = text_label(""), ElidedLabel("", "muted")
        self._warning.setProperty("tone", "warn")
        self._total = text_label("", "strong")
        for label in (text_label(title, "strong"), self._warning, self._note):
            self.row.addWidget(label)
        self.row.addStretch(1)
        self.row.addWidget(self._total)

    def show_texts(self, note: str, total: str, warning: str = "") -> None:
        """Set the texts: ``note`` beside the title, ``warning`` in front of it in the warning tone."""
        self._note.show_text(note)
        self._total.setText(total)
        self._warning.setText(warning)
        self._warning.setVisible(bool(warning))
        self.setAccessibleName(", ".join(part for part in (self._title, warning, note, total) if part))


class FateChip(QPushButton):
    """Glyph, count and word of one fate; checked while its messages are in the list."""

    switched = Signal(int, bool)  # fate; whether only it is wanted

    def __init__(self, fate: int) -> None:
        super().__init__()
        self.fate, self.texts = fate, ("", "")
        self.look: tuple[QColor, bool] | None = None  # as painted
        self.setCheckable(True)
        self.setProperty("role", "chip")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(self._on_clicked)

    def show_number(self, number: int) -> None:
        figure, word = chip_words(self.fate, number)
        self.texts = f"{figure} {tr(word)}", figure
        self.setAccessibleName(self.texts[0])
        self.setToolTip(
            tr("{figure} {word}. Click to hide or show them, Alt-click for only them.").format(
                figure=figure, word=tr(word)
            )
        )

    def width_of(self, text: str) -> int:
        """Return the width that the chip wants with another text."""
        advance = self.fontMetrics().horizontalAdvance
        return self.sizeHint().width() + advance(text) - advance(self.text())

    def _on_clicked(self) -> None:
        self.switched.emit(self.fate, False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Alt-click: only this fate."""
        inside = self.rect().contains(event.position().toPoint())
        if event.modifiers() & Qt.KeyboardModifier.AltModifier and inside:
            self.setDown(False)
            self.switched.emit(self.fate, True)
        else:
            super().mouseReleaseEvent(event)


class FateChipRow(HeadRow):
    """Chips over a list: legend, count and filter of its fates. ``changed`` carries the hidden fates.

    At the right end is another widget; it is hidden if the chips without words need the space.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._counts: tuple[tuple[int, int], ...] = ()
        self._hidden: frozenset[int] = frozenset()
        self.chips: list[FateChip] = []
        self._end_widget: QWidget | None = None
        self._end_width = 0
        self.setProperty("role", "chips")
        self.row.setSpacing(_GAP)
        self.row.addStretch(1)

    def set_end_widget(self, widget: QWidget, min_width: int = 0) -> None:
        """Set the widget at the end; one with a least width is elastic, and never hidden."""
        self._end_widget, self._end_width = widget, min_width
        self.row.addWidget(widget, min_width)

    def show_counts(self, counts: tuple[tuple[int, int], ...], hidden: frozenset[int]) -> None:
        """Show (fate code, count) chips, those of ``hidden`` switched off."""
        if counts != self._counts:
            self._counts = counts
            if [chip.fate for chip in self.chips] != [fate for fate, _ in counts]:
                self._rebuild(counts)
            for chip, (_, number) in zip(self.chips, counts, strict=True):
                chip.show_number(number)
            self._fit_chips()
        self._show_hidden(hidden)

    def _rebuild(self, counts: tuple[tuple[int, int], ...]) -> None:
        focused = next((chip.fate for chip in self.chips if chip.hasFocus()), None)
        for chip in self.chips:
            remove_widget(self.row, chip)
        self.chips = [FateChip(fate) for fate, _ in counts]
        for place, chip in enumerate(self.chips):
            chip.switched.connect(self._on_switched)
            self.row.insertWidget(place, chip)
            if chip.fate == focused:
                chip.setFocus()

    def _on_switched(self, fate: int, is_only: bool) -> None:
        """Hide or show a fate, or hide all others; where nothing would be left or changed, show all."""
        every = {code for code, _ in self._counts}
        hidden = frozenset(every - {fate} if is_only else self._hidden ^ {fate})
        if every <= hidden or (is_only and hidden == self._hidden):
            hidden = frozenset()
        self._show_hidden(hidden)
        self.changed.emit(hidden)

    def _show_hidden(self, hidden: frozenset[int]) -> None:
        self._hidden = hidden
        for chip in self.chips:
            is_on = chip.fate not in hidden
            colour = current_theme().fate_text[chip.fate] if is_on else current_theme().text3
            chip.setChecked(is_on)
            if chip.look == (colour, is_on):
                continue
            chip.look = colour, is_on
            font = chip.font()
            font.setStrikeOut(not is_on)
            chip.setFont(font)
            chip.setIcon(glyph_icon(FATE_GLYPHS[chip.fate], colour))

    def _fit_chips(self) -> None:
        """Leave out the words, then the widget at the end, where the row is too narrow."""
        end_width = self._end_widget.sizeHint().width() if self._end_widget is not None else 0
        end = (self._end_width or end_width) + _GAP
        margins = self.row.contentsMargins()
        available = self.width() - margins.left() - margins.right()
        for form, has_end in ((0, True), (1, True), (0, False), (1, False)):
            chips_width = sum(chip.width_of(chip.texts[form]) + _GAP for chip in self.chips)
            if chips_width + has_end * end <= available:
                break
        for chip in self.chips:  # only once: another text makes this row ask again
            chip.setText(chip.texts[form])
        if self._end_widget is not None:
            self._end_widget.setVisible(has_end or self._end_width > 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_chips()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # the widget at the end has another width
            self._fit_chips()
        return super().event(event)


class ColumnHeader(QWidget):
    """The column heads, painted above the columns that the delegate laid out."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._columns: ColumnLayout | None = None
        self._tokens = tr("tokens")
        self.setAccessibleName(tr("Columns: number, speaker, message, tokens"))

    def show_columns(self, columns: ColumnLayout, mark: str) -> None:
        """Follow the columns; ``mark`` says how the tokens were counted."""
        self._columns = columns
        self._tokens = tr("{tokens} tokens").format(tokens=mark).strip()
        self.setFixedHeight(scaled_pixels(_COLUMN_HEADER_HEIGHT, self.font()))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, fonts, theme = QPainter(self), list_fonts(self.font()), current_theme()
        painter.fillRect(self.rect(), theme.surface2)
        line = 2 if theme.high_contrast else 1
        painter.fillRect(0, self.height() - line, self.width(), line, theme.hairline)
        edges, face, colour = self._columns, fonts.legend, theme.text2
        rect = self.rect().adjusted(0, 0, 0, -1)
        if edges is not None:
            paint_right_text(painter, rect, face, "#", colour, edges.number)
            if not edges.compact:
                paint_text(painter, rect, face, tr("from"), colour, edges.speaker, edges.message)
            paint_text(painter, rect, face, tr("message"), colour, edges.message, edges.message_end)
            left = paint_right_text(painter, rect, face, self._tokens, colour, edges.tokens)
            if edges.origin:
                right = min(edges.origin, left - fonts.px(8))
                paint_right_text(painter, rect, face, tr("was"), colour, right)
        painter.end()


class ChangeSteps(QWidget):
    """The number of the current change. Emits ``stepped`` with 1 for the next change, -1 for the previous."""

    stepped = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._label = text_label("", "secondary")
        actions, self._buttons = {action.id: action for action in ACTIONS}, list[QPushButton]()
        for name, (step, glyph) in _STEPS.items():
            action = actions[name]
            button = GlyphButton(
                glyph, tr(action.text), tip=f"{tr(action.tip)} ({action.keys[0]})", ink="text"
            )
            button.setProperty("step", step)
            button.clicked.connect(self._on_clicked)
            self._buttons.append(button)
        self.setLayout(row_of(self._label, *self._buttons, gap=2))

    @property
    def text(self) -> str:
        return self._label.text()

    def show_position(self, number: int, total: int) -> None:
        """Show the ``number``-th change of ``total``, 0 before the first; nothing if there are none."""
        position = tr("change {number} of {total}").format(number=count(number), total=count(total))
        self._label.setText(position if number else tr(plural(total, "change")))
        for button in self._buttons:
            button.setEnabled(total > 0)

    def _on_clicked(self) -> None:
        self.stepped.emit(self.sender().property("step"))

"""What is above the rows of the list: switch of its views, chips of fates, filter, changes, column
heads."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from core.common.number_format import count, plural
from core.presentation.lists.row_wording import chip_words
from gui.actions import ACTIONS
from gui.inspect.lists.filter_bar import MIN_FIELD_WIDTH
from gui.inspect.lists.painting import (
    ColumnLayout,
    ListFonts,
    list_fonts,
    paint_right_text,
    paint_text,
)
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.icons import FATE_GLYPHS, GlyphButton, glyph_icon
from gui.widgets.segmented_switch import SegmentedControl
from gui.widgets.text_labels import whole_parts
from gui.widgets.theme import current_theme, scaled_pixels
from gui.widgets.view_layout import fill_panel, remove_widget, row_of

_HEADER_HEIGHT, _COLUMN_HEADER_HEIGHT, _GAP = 32, 20, 4
_FORMS = ((0, True, False), (1, True, False), (1, False, False), (1, False, True))
"""Of the head, from wide to narrow: form of the chips, whether the steps have words, a dense
switch."""
_LEAST_FIELD_WIDTH = 60
_BEFORE_CHIPS = 2  # the switch of the views, and a space
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


class ChangeSteps(QWidget):
    """The number of the current change. Emits ``stepped`` with 1 for the next change, -1 for the
    previous."""

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
        """Show the ``number``-th change of ``total``, 0 before the first; nothing if there are
        none."""
        position = tr("change {number} of {total}").format(number=count(number), total=count(total))
        self._label.setText(position if number else tr(plural(total, "change")))
        for button in self._buttons:
            button.setEnabled(total > 0)

    def width_of(self, *, has_words: bool) -> int:
        """Return the width with or without its words."""
        words = self._label.sizeHint().width() + 2 if has_words and self._label.text() else 0
        return words + sum(button.sizeHint().width() + 2 for button in self._buttons)

    def show_words(self, has_words: bool) -> None:
        self._label.setVisible(has_words)

    def _on_clicked(self) -> None:
        self.stepped.emit(self.sender().property("step"))


class FateChipRow(HeadRow):
    """The head of the list: views, chips, filter and steps.

    Chips are legend, count and filter of the fates; ``changed`` carries the hidden ones. Where they
    need the space they lose their words, then the steps lose theirs.
    """

    changed = Signal(object)

    def __init__(
        self, parent: QWidget, views: SegmentedControl, field: QWidget, steps: ChangeSteps
    ) -> None:
        super().__init__(parent)
        self._counts: tuple[tuple[int, int], ...] = ()
        self._hidden: frozenset[int] = frozenset()
        self.chips: list[FateChip] = []
        self._views, self._field, self._steps = views, field, steps
        self._is_dense, self._views_width = False, 0  # of the switch, without that
        self.setProperty("role", "chips")
        self.row.setSpacing(_GAP)
        self.row.addWidget(views)
        self.row.addSpacing(_GAP)
        self.row.addStretch(1)
        self.row.addWidget(field, 1)
        self.row.addSpacing(_GAP)
        self.row.addWidget(steps)

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
        for index, chip in enumerate(self.chips):
            chip.switched.connect(self._on_switched)
            self.row.insertWidget(index + _BEFORE_CHIPS, chip)
            if chip.fate == focused:
                chip.setFocus()

    def _on_switched(self, fate: int, is_only: bool) -> None:
        """Hide or show a fate, or hide all others; where nothing would be left or changed, show
        all."""
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
        """Leave out the words of the chips, then those of the steps, where the row is too
        narrow."""
        margins = self.row.contentsMargins()
        row = self.width() - margins.left() - margins.right() - 6 * _GAP
        if not self._is_dense:
            self._views_width = self._views.sizeHint().width()
        for form, has_words, is_dense in _FORMS:
            fixed = 0 if is_dense else self._views_width + MIN_FIELD_WIDTH
            chips_width = sum(chip.width_of(chip.texts[form]) + _GAP for chip in self.chips)
            if fixed + chips_width + self._steps.width_of(has_words=has_words) <= row:
                break
        for chip in self.chips:  # only once: another text makes this row ask again
            chip.setText(chip.texts[form])
        self._steps.show_words(has_words)
        if is_dense != self._is_dense:
            self._is_dense = is_dense
            self._views.set_dense(is_dense)
            self._field.setMinimumWidth(_LEAST_FIELD_WIDTH if is_dense else MIN_FIELD_WIDTH)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_chips()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # the widget at the end has another width
            self._fit_chips()
        return super().event(event)


class ColumnHeader(QWidget):
    """The column heads, painted above the columns that the rows have."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._columns: ColumnLayout | None = None
        self._tokens = tr("tokens")
        self.names: tuple[str, ...] = ()
        self.setAccessibleName(
            tr("Columns: number, tokens, speaker, message before, message after, tokens")
        )

    def show_columns(self, columns: ColumnLayout, mark: str, names: tuple[str, ...]) -> None:
        """Follow the columns; ``mark`` says how the tokens were counted, ``names`` are those of the
        text, and of the second one where there is one: "Before · 150 messages"."""
        self._columns, self.names = columns, names
        self._tokens = tr("{tokens} tokens").format(tokens=mark).strip()
        self.setFixedHeight(scaled_pixels(_COLUMN_HEADER_HEIGHT, self.font()))
        self.update()

    def _shown_names(
        self, edges: ColumnLayout, fonts: ListFonts
    ) -> Iterator[tuple[str, str, float, float]]:
        """Yield each name as its bold word and the parts behind it that fit, between its edges."""
        ends = edges.split if len(self.names) > 1 else edges.message_end, edges.after_end
        for name, left, end in zip(self.names, (edges.message, edges.after), ends, strict=False):
            head, space, note = name.partition(" ")
            room = end - left - fonts.legend_bold.metrics.horizontalAdvance(head)
            yield head, whole_parts(f"{space}{note}", fonts.legend.metrics, room), left, end

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, fonts, theme = QPainter(self), list_fonts(self.font()), current_theme()
        painter.fillRect(self.rect(), theme.surface2)
        line = 2 if theme.high_contrast else 1
        painter.fillRect(0, self.height() - line, self.width(), line, theme.hairline)
        edges, face, colour = self._columns, fonts.legend, theme.text2
        rect = self.rect().adjusted(0, 0, 0, -1)
        if edges is not None:
            paint_right_text(painter, rect, face, self._tokens, colour, edges.tokens)
            if not edges.compact:
                paint_text(painter, rect, face, tr("from"), colour, (edges.speaker, edges.message))
            for head, note, left, end in self._shown_names(edges, fonts):
                start = paint_text(painter, rect, fonts.legend_bold, head, theme.text, (left, end))
                paint_text(painter, rect, face, note, colour, (start, end))
            room = edges.tokens - face.metrics.horizontalAdvance(self._tokens) - fonts.px(8)
            if room > fonts.px(8):
                paint_right_text(painter, rect, face, "#", colour, min(edges.number, round(room)))
            if len(self.names) > 1:
                paint_right_text(painter, rect, face, tr("tokens"), colour, edges.after_tokens)
        painter.end()

"""The list of the Inspect view: messages beside what became of them, or one side alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from PySide6.QtCore import (
    QEvent,
    QObject,
    QRect,
    QStringListModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QCompleter, QLineEdit, QPushButton, QSizePolicy, QWidget

from core.common.errors import InputError
from core.common.number_format import count, plural
from core.presentation.filter_query import (
    FilterCompletions,
    complete_filter,
    parse_filter,
)
from core.presentation.lists.aligned_rows import Block
from core.presentation.lists.row_plan import RowFlag, chip_words, rows_so_far
from core.presentation.model import KEPT, FateRun, MessageRows
from core.presentation.screen_model import Screen
from gui.actions import ACTIONS
from gui.inspect.lists.message_list import MessageList
from gui.inspect.lists.row_parts import (
    ColumnLayout,
    ListFonts,
    MatchedText,
    list_fonts,
    paint_right_text,
    paint_text,
)
from gui.inspect.lists.table_model import AFTER, BEFORE, CHANGES, VIEWS
from gui.inspect.run_pane import RunPane
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.events import is_enter
from gui.widgets.icons import FATE_GLYPHS, GlyphButton, glyph_icon
from gui.widgets.pickers import SegmentedControl
from gui.widgets.text_labels import ElidedLabel, set_style_property, whole_parts
from gui.widgets.theme import current_theme, scaled_pixels
from gui.widgets.view_layout import column_of, fill_panel, remove_widget, row_of

TYPING_MS = 250
"""Pause after the last key before the lists are filtered."""
EXAMPLE = "Find, e.g. retry, tool:Bash   /"
MIN_FIELD_WIDTH = 96
HELP = """<p><b>Conditions, all of which have to hold</b></p>
<p>tool:bash · tool:read* · speaker:ai · fate:dropped · kind:call · block:thinking · id:toolu_01</p>
<p>error · marked · tokens&gt;2000 · tokens&lt;=2k · #12-40</p>
<p>word, or "some words": anywhere in the whole message, whatever the case</p>
<p>-error: not · OR between alternatives</p>
<p>Enter goes to the list, Esc closes and shows all.</p>"""


class FilterBar(QWidget):
    """The result of the query in ``field``, which is elsewhere. ``filter_requested`` carries a
    valid query, or an empty one; ``closed`` follows an empty one."""

    filter_requested = Signal(str)
    closed = Signal()
    entered = Signal()  # Enter: focus the rows
    stretch_closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._tools: tuple[str, ...] = ()
        self._completions = FilterCompletions(0, 0, ())
        self._submitted_text = ""
        self._submit_timer = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._submit_timer.timeout.connect(self.submit)
        self.field = QLineEdit(parent, placeholderText=EXAMPLE)
        self.field.setProperty("role", "small")
        self.field.setMinimumWidth(MIN_FIELD_WIDTH)
        self.field.setAccessibleName(tr("Filter messages"))
        self.field.setToolTip(tr(HELP))
        self.field.textEdited.connect(self._on_edited)
        self.field.textChanged.connect(self._submit_timer.start)
        self.field.installEventFilter(self)
        glyph = GlyphButton("search", tr("What can be asked for"), tip=tr(HELP))
        glyph.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        close = GlyphButton(
            "close", tr("Close the filter"), tip=tr("Close and show all messages (Esc)")
        )
        close.clicked.connect(self.close_bar)
        self.count = ElidedLabel("", "secondary")
        self.reason = ElidedLabel("", "secondary")
        self.reason.setProperty("tone", "error")
        self._popup = QCompleter(QStringListModel(self), self)
        self._popup.setCompletionMode(
            QCompleter.CompletionMode.UnfilteredPopupCompletion
        )
        self._popup.setWidget(self.field)
        self._popup.activated.connect(self._on_chosen)
        self.stretch = push_button("", "small", tip=tr("Show all messages again (Esc)"))
        self.stretch.clicked.connect(self.stretch_closed)
        self.stretch.hide()
        self.stretch_words = ElidedLabel("", "secondary")
        self.stretch_words.hide()
        parts = (glyph, self.stretch, self.stretch_words, self.count, close)
        row = row_of(*parts, gap=4, stretched=self.count)
        self.setLayout(column_of(row, self.reason, margins=(8, 4, 8, 4), gap=2))
        self.reason.hide()
        self.hide()

    @property
    def text(self) -> str:
        return self.field.text().strip()

    def open_bar(self, text: str | None = None) -> None:
        """Focus the field; ``text`` is searched at once."""
        if text is not None:
            self.field.setText(text)
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.submit()

    def show_stretch(self, name: str, words: str) -> None:
        """Show the selected stretch, "#36–#71", and what it holds; "" for none."""
        self.stretch.setText(f"{name} ✕" if name else "")
        self.stretch_words.show_text(words)
        for part in (self.stretch, self.stretch_words):
            part.setVisible(bool(name))
        self.setVisible(bool(name or self.text))

    def close_bar(self) -> None:
        """Show all messages again and close."""
        self.stretch_closed.emit()
        self.clear()
        self.closed.emit()

    def clear(self) -> None:
        self.hide()
        self.field.clear()
        self._tools = ()
        self.submit()

    def submit(self) -> None:
        """Check the query, and emit it if it is valid."""
        self._submit_timer.stop()
        text = self.text
        self.setVisible(bool(text or self.stretch.text()))
        try:
            parse_filter(text)
        except InputError as error:
            self.show_reason(error.message, error.hint)
            return
        self.show_reason("", "")
        set_style_property(self.field, "state", "ok" if text else "")
        if not text:
            self.count.show_text("")
        if text != self._submitted_text:
            self._submitted_text = text
            self.filter_requested.emit(text)

    def show_reason(self, reason: str, hint: str) -> None:
        """Show under the field what is wrong with the query; "" for nothing."""
        self.reason.show_text(f"{reason} {hint}".strip())
        self.reason.setVisible(bool(reason))
        if reason:
            set_style_property(self.field, "state", "error")
            self.count.show_text("")

    def show_matches(self, count_text: str, tools: tuple[str, ...]) -> None:
        """Show the number of matches; ``tools`` are names for completion."""
        self._tools = tools
        if self.text:
            self.count.show_text(count_text)

    def _on_edited(self) -> None:
        """Offer keys and values for the typed text."""
        self._completions = complete_filter(
            self.field.text(), self.field.cursorPosition(), self._tools
        )
        model = self._popup.model()
        assert isinstance(model, QStringListModel)
        model.setStringList([text.strip() for text in self._completions.texts])
        popup = self._popup.popup()
        if self._completions.texts:
            self._popup.complete()
        elif popup is not None:
            popup.hide()

    def _on_chosen(self, label: str) -> None:
        completions = self._completions
        text = self.field.text()
        completion = next(
            (
                candidate
                for candidate in completions.texts
                if candidate.strip() == label
            ),
            label,
        )
        self.field.setText(
            text[: completions.start] + completion + text[completions.end :]
        )
        self.field.setCursorPosition(completions.start + len(completion))
        self._on_edited()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if is_enter(event):
                self.submit()
                if not self.reason.full_text:
                    self.entered.emit()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
        elif isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()  # as ShortcutOverride: Esc closes this bar first
        return super().eventFilter(watched, event)


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
            tr(
                "{figure} {word}. Click to hide or show them, Alt-click for only them."
            ).format(figure=figure, word=tr(word))
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
        self.label = text_label("", "secondary")
        actions = {action.id: action for action in ACTIONS}
        self._buttons = list[QPushButton]()
        for name, (step, glyph) in _STEPS.items():
            action = actions[name]
            button = GlyphButton(
                glyph,
                tr(action.text),
                tip=f"{tr(action.tip)} ({action.keys[0]})",
                ink="text",
            )
            button.setProperty("step", step)
            button.clicked.connect(self._on_clicked)
            self._buttons.append(button)
        self.setLayout(row_of(self.label, *self._buttons, gap=2))

    def show_position(self, number: int, total: int) -> None:
        """Show the ``number``-th change of ``total``, 0 before the first; nothing if there are
        none."""
        position = tr("change {number} of {total}").format(
            number=count(number), total=count(total)
        )
        self.label.setText(position if number else tr(plural(total, "change")))
        for button in self._buttons:
            button.setEnabled(total > 0)

    def width_of(self, *, has_words: bool) -> int:
        """Return the width with or without its words."""
        if has_words and self.label.text():
            words = self.label.sizeHint().width() + 2
        else:
            words = 0
        return words + sum(button.sizeHint().width() + 2 for button in self._buttons)

    def show_words(self, has_words: bool) -> None:
        self.label.setVisible(has_words)

    def _on_clicked(self) -> None:
        self.stepped.emit(self.sender().property("step"))


class FateChipRow(HeadRow):
    """The head of the list: views, chips, filter and steps.

    Chips are legend, count and filter of the fates; ``changed`` carries the hidden ones. Where they
    need the space they lose their words, then the steps lose theirs.
    """

    changed = Signal(object)

    def __init__(
        self,
        parent: QWidget,
        views: SegmentedControl,
        field: QWidget,
        steps: ChangeSteps,
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

    def show_counts(
        self, counts: tuple[tuple[int, int], ...], hidden: frozenset[int]
    ) -> None:
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
            if is_on:
                colour = current_theme().fate_text[chip.fate]
            else:
                colour = current_theme().text3
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
            if is_dense:
                fixed = 0
            else:
                fixed = self._views_width + MIN_FIELD_WIDTH
            chips_width = sum(
                chip.width_of(chip.texts[form]) + _GAP for chip in self.chips
            )
            if fixed + chips_width + self._steps.width_of(has_words=has_words) <= row:
                break
        for chip in self.chips:  # only once: another text makes this row ask again
            chip.setText(chip.texts[form])
        self._steps.show_words(has_words)
        if is_dense != self._is_dense:
            self._is_dense = is_dense
            self._views.set_dense(is_dense)
            self._field.setMinimumWidth(
                _LEAST_FIELD_WIDTH if is_dense else MIN_FIELD_WIDTH
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_chips()

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.LayoutRequest
        ):  # the widget at the end has another width
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
            tr(
                "Columns: number, tokens, speaker, message before, message after, tokens"
            )
        )

    def show_columns(
        self, columns: ColumnLayout, mark: str, names: tuple[str, ...]
    ) -> None:
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
        ends = (
            edges.split if len(self.names) > 1 else edges.message_end,
            edges.after_end,
        )
        for name, left, end in zip(
            self.names, (edges.message, edges.after), ends, strict=False
        ):
            head, space, note = name.partition(" ")
            room = end - left - fonts.legend_bold.metrics.horizontalAdvance(head)
            yield (
                head,
                whole_parts(f"{space}{note}", fonts.legend.metrics, room),
                left,
                end,
            )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fonts = list_fonts(self.font())
        theme = current_theme()
        painter.fillRect(self.rect(), theme.surface2)
        line = 2 if theme.high_contrast else 1
        painter.fillRect(0, self.height() - line, self.width(), line, theme.hairline)
        edges, face, colour = self._columns, fonts.legend, theme.text2
        rect = self.rect().adjusted(0, 0, 0, -1)
        if edges is not None:
            paint_right_text(painter, rect, face, self._tokens, colour, edges.tokens)
            if not edges.compact:
                paint_text(
                    painter,
                    rect,
                    face,
                    tr("from"),
                    colour,
                    (edges.speaker, edges.message),
                )
            for head, note, left, end in self._shown_names(edges, fonts):
                start = paint_text(
                    painter, rect, fonts.legend_bold, head, theme.text, (left, end)
                )
                paint_text(painter, rect, face, note, colour, (start, end))
            room = (
                edges.tokens
                - face.metrics.horizontalAdvance(self._tokens)
                - fonts.px(8)
            )
            if room > fonts.px(8):
                paint_right_text(
                    painter, rect, face, "#", colour, min(edges.number, round(room))
                )
            if len(self.names) > 1:
                paint_right_text(
                    painter, rect, face, tr("tokens"), colour, edges.after_tokens
                )
        painter.end()


MIN_LIST_WIDTH = 400
"""Pixels at body size 13: the least width of the list. 420 would be better to read, but whole tabs
of the inspector leave less in a window of 1024 with text at 150 %, and tabs are never elided."""
STACKED_BELOW = 620
"""Pixels at body size 13: in a narrower list, what became of a row stands below it."""
TITLES = {CHANGES: "Changes", BEFORE: "Before", AFTER: "After"}
REPAIR_TITLES = {CHANGES: "Repair", BEFORE: "Session", AFTER: "Copy"}
"""The views while the copy of a repair is shown."""
_TIPS = {
    CHANGES: "Every message beside what became of it (V for the next view)",
    BEFORE: "The source alone, with the fate of every message (V for the next view)",
    AFTER: "The result alone (V for the next view)",
}
_ROWS_ABOVE = 6  # rows above the first change when a transcript opens


class AlignedList(QWidget):
    """The list with its head: views, chips, filter and changes. One selection for source and
    result."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = MessageList(self)
        self.filter_bar = FilterBar(self)
        self.change_steps = ChangeSteps()
        self.views = SegmentedControl(
            [tr(TITLES[view]) for view in VIEWS], [tr(_TIPS[view]) for view in VIEWS]
        )
        self.head = FateChipRow(
            self, self.views, self.filter_bar.field, self.change_steps
        )
        self.column_header = ColumnHeader(self)
        self.run_pane = RunPane(self.list.view.viewport(), self._run_area)
        self._flags: dict[RowFlag, frozenset[int]] = {}
        self._is_first_screen = True
        self._titles = TITLES
        self._fit()
        self.setFocusProxy(self.list.view)
        parts = (self.head, self.filter_bar, self.column_header, self.list)
        self.setLayout(column_of(*parts, stretched=self.list))
        self._connect()

    def _connect(self) -> None:
        self.list.frame_changed.connect(self._show_frame)
        self.list.view_changed.connect(self.run_pane.fit)
        self.head.changed.connect(self._on_hidden)
        self.views.chosen.connect(self._on_view)
        self.run_pane.appeared.connect(self._make_room)
        self.run_pane.ended.connect(self._end_room)

    # Content

    @property
    def rows(self) -> MessageRows:
        """The rows of the source."""
        return self.list.rows

    def set_rows(self, rows: MessageRows) -> None:
        """Show another transcript before any preview."""
        self._is_first_screen = True
        self.list.set_rows(rows)

    def set_screen(self, screen: Screen) -> None:
        """Show a preview. On the first one of a transcript the list scrolls to the first change."""
        for _ in self.show_in_steps(screen):
            pass

    def show_in_steps(self, screen: Screen) -> Iterator[None]:
        self._titles = REPAIR_TITLES if screen.is_repair else TITLES
        for view, button in zip(VIEWS, self.views.buttons, strict=True):
            button.setText(tr(self._titles[view]))
        self.list.set_screen(screen)
        changes = (run for run in screen.ruler.runs if run.fate != KEPT)
        if self._is_first_screen and (change := next(changes, None)) is not None:
            self.align_run(change, _ROWS_ABOVE)
        self._is_first_screen = False
        yield

    def set_masks(self, before: bytes, after: bytes) -> None:
        """Show only the messages of each side whose mask is 1; an empty mask shows all."""
        self.list.set_state(replace(self.list.model.state, masks=(before, after)))

    def set_match(self, match: MatchedText) -> None:
        """Show what is looked for in the rows."""
        self.list.view.rows.match = match
        self.list.view.viewport().update()

    def set_flag(self, flag: RowFlag, messages: Iterable[int]) -> None:
        """Show a flag in the gutters of exactly these source messages."""
        flagged = frozenset(messages)
        if flagged == self._flags.get(flag, frozenset()):
            return
        self._flags[flag] = flagged
        by_message: dict[int, RowFlag] = {}
        for known_flag, known_messages in self._flags.items():
            for message in known_messages:
                by_message[message] = by_message.get(message, RowFlag.NONE) | known_flag
        self.list.set_flags(by_message)

    def flagged_messages(self, flag: RowFlag) -> frozenset[int]:
        """Return the source messages that show a flag."""
        return self._flags.get(flag, frozenset())

    # Positions

    def select(self, side: str, index: int) -> None:
        """Select a message and scroll to it; nothing is emitted."""
        self.list.select(side, index)

    def source_of(self, side: str, index: int) -> int:
        """Return the source message of a message of either side, -1 for none."""
        return self.list.model.side(side).source(index)

    def show_boundary(self, message: int) -> None:
        """Scroll the rows around the boundary before a message into sight; -1 for none."""
        row = self.list.model.plan.row_of(BEFORE, message)
        if row >= 0:
            self.list.view.scroll_into_view(row)

    def align_run(self, run: FateRun, rows_above: int = 2) -> None:
        """Scroll so that a run starts some rows below the top."""
        side, index = (
            (BEFORE, run.before[0])
            if run.before[1] > run.before[0]
            else (AFTER, run.after[0])
        )
        view = self.list.view
        view.scroll_to_message(side, index, rows_above * view.row_pixels)

    # Views

    @property
    def current_view(self) -> str:
        return self.list.model.state.view

    def show_view(self, view: str) -> None:
        """Show Changes, Before or After; the selected message keeps its height."""
        self.list.set_state(replace(self.list.model.state, view=view))

    def collapse_kept(self, is_on: bool) -> None:
        """Collapse runs of kept messages, so that the changes stand close together."""
        self.list.set_state(replace(self.list.model.state, kept_collapsed=is_on))

    def next_view(self) -> None:
        self.show_view(VIEWS[(VIEWS.index(self.current_view) + 1) % len(VIEWS)])

    def _on_view(self, index: int) -> None:
        self.show_view(VIEWS[index])

    def _on_hidden(self, hidden: frozenset[int]) -> None:
        self.list.set_state(replace(self.list.model.state, hidden=hidden))

    def _show_frame(self) -> None:
        """Show the view, chips and column heads of what is in the list now."""
        model = self.list.model
        state, before, after = model.state, model.before, model.after
        self.views.show_choice(VIEWS.index(state.view))
        self.head.show_counts(model.fate_counts(), state.hidden)
        source = tr(self._titles[BEFORE])
        made = tr(self._titles[AFTER])
        names: tuple[str, ...] = (f"{source} · {before.heading}",)
        result = f"{made} · {after.heading}"
        if not before.fates:
            names = (f"{source} · {rows_so_far(before.rows)}",)
        elif state.view == AFTER:
            names = (result,)
        elif model.is_split:
            names = (*names, result)
        self.column_header.show_columns(
            self.list.view.rows.columns, before.token_mark, names
        )

    # The question before a paid call, in the place of the summary

    def _summary_block(self) -> Block | None:
        blocks = [block for block in self.list.model.plan.blocks if block.result >= 0]
        cells = self.list.model.aligned.cells
        unwritten = (
            block
            for block in blocks
            if block.result in cells and cells[block.result].state
        )
        return next(unwritten, blocks[0] if blocks else None)

    def _run_area(self) -> QRect:
        """Return where the summary stands, below its title; without one the right half of the
        list."""
        view = self.list.view
        block = self._summary_block()
        split = view.rows.columns.split
        size = view.viewport().size()
        if block is None:
            return QRect(
                size.width() // 2, 0, size.width() - size.width() // 2, size.height()
            )
        left = split + view.rows.fonts.px(3)
        title = view.row_pixels
        top = view.row_top(block.first)
        bottom = view.row_top(block.first + block.rows)
        first, last = (
            max(top, 0) + title,
            min(bottom, size.height()),
        )  # what is visible of it
        height = max(last - first, min(self._needed_height(), bottom - top - title))
        return QRect(left, min(first, bottom - height), size.width() - left, height)

    def _needed_height(self) -> int:
        pane = self.run_pane
        return max(pane.sizeHint().height(), pane.heightForWidth(pane.width()))

    def _make_room(self) -> None:
        """Show the cell of the summary, with as many rows as the question needs."""
        self.show_view(CHANGES)
        block = self._summary_block()
        view = self.list.view
        if block is None:
            return
        needed = -(-self._needed_height() // view.row_pixels) + 1
        state = self.list.model.state
        if block.rows < needed:
            self.list.set_state(
                replace(state, least_rows={**state.least_rows, block.result: needed})
            )
        block = self._summary_block() or block
        view.scroll_into_view(
            block.first + min(needed, view.viewport().height() // view.row_pixels) - 1
        )
        view.scroll_into_view(block.first)

    def _end_room(self) -> None:
        self.list.set_state(replace(self.list.model.state, least_rows={}))

    # Keys and size

    def event(self, event: QEvent) -> bool:
        """Esc closes the filter first."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
        ):
            is_handled = (
                event.key() == Qt.Key.Key_Escape and self.filter_bar.isVisible()
            )
            event.setAccepted(is_handled)
            return is_handled
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc in the list closes the filter."""
        if event.key() == Qt.Key.Key_Escape and self.filter_bar.isVisible():
            self.filter_bar.close_bar()
            return
        super().keyPressEvent(event)

    def _fit(self) -> None:
        self.setMinimumWidth(scaled_pixels(MIN_LIST_WIDTH, self.font()))
        is_stacked = self.width() < scaled_pixels(STACKED_BELOW, self.font())
        self.list.set_state(replace(self.list.model.state, is_stacked=is_stacked))
        self.column_header.setVisible(not is_stacked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stacks the halves in a narrow list."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

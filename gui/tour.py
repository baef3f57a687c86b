"""The tour: four coach marks over the window, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QWidget

from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import column_of, row_of

MARKS = (
    (
        "ruler",
        "The ruler is the whole conversation.",
        "On top what the agent has, below what would stay.",
    ),
    (
        "handle",
        "Drag here",
        "to keep more or less of the Top. It stops only where no call loses its result.",
    ),
    (
        "lists",
        "Every message",
        "beside what becomes of it, and the summary to read. A click says why.",
    ),
    (
        "losses",
        "What is lost",
        "stands here, worst first. Go to the message, or pin it so that it stays.",
    ),
)
"""Anchor, words in bold and the rest of each mark."""
_WIDTH, _GAP = 300, 10


class Tour(QFrame):
    """Shows a mark beside its anchor. Enter goes on, Esc ends."""

    def __init__(self, window: QWidget, anchors: Sequence[Callable[[], QRect]]) -> None:
        """``anchors`` return the places of the marks in the window, in their order."""
        super().__init__(window)
        self.setProperty("role", "coach")
        self.setAccessibleName(tr("Tour"))
        self._window = window
        self._anchors = tuple(anchors)
        self.number = 0
        self._former_focus: QWidget | None = None
        self._ring = QFrame(window)
        self._ring.setProperty("role", "coach-ring")
        self._ring.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.title = text_label("", "coach-title")
        self.text = text_label("")
        self._count = text_label("")
        self.skip = push_button(tr("Skip"), "coach-link")
        self.next = push_button("", "coach")
        self.text.setWordWrap(True)
        row = row_of(self._count, self.skip, self.next, gap=4, stretched=self._count)
        self.setLayout(
            column_of(self.title, self.text, row, margins=(12, 10, 12, 10), gap=4)
        )
        self.skip.clicked.connect(self.end)
        self.next.clicked.connect(self._on_next)
        self._ring.hide()
        self.hide()

    def begin(self) -> None:
        if self.isHidden():
            self._former_focus = QApplication.focusWidget()
            self._window.installEventFilter(self)
        self._show(0)

    def end(self) -> None:
        self._window.removeEventFilter(self)
        self._ring.hide()
        self.hide()
        if self._former_focus is not None:
            self._former_focus.setFocus()
        self._former_focus = None

    def _on_next(self) -> None:
        self._show(self.number + 1) if self.number + 1 < len(MARKS) else self.end()

    def _show(self, number: int) -> None:
        self.number = number
        _, title, text = MARKS[number]
        self.title.setText(tr(title))
        self.text.setText(tr(text))
        self._count.setText(
            tr("{number} of {count}").format(number=number + 1, count=len(MARKS))
        )
        self.next.setText(tr("Done") if number + 1 == len(MARKS) else tr("Next"))
        self.setAccessibleDescription(
            f"{self._count.text()}: {self.title.text()} {self.text.text()}"
        )
        self._place()
        for widget in (self._ring, self):
            widget.show()
            widget.raise_()
        self.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place(self) -> None:
        """Put the mark below its anchor, where there is no room beside or inside it."""
        anchor = self._anchors[self.number]()
        area = self._window.rect().adjusted(_GAP, _GAP, -_GAP, -_GAP)
        self._ring.setGeometry(anchor.adjusted(-2, -2, 2, 2))
        width = min(scaled_pixels(_WIDTH, self.font()), area.width())
        self.setFixedWidth(width)
        layout = self.layout()
        if layout is not None:
            height = layout.totalHeightForWidth(width)
        else:
            height = self.sizeHint().height()
        x = min(
            max(anchor.center().x() - width // 2, area.left()), area.right() - width
        )
        y = anchor.bottom() + _GAP
        if y + height > area.bottom():
            y = anchor.top() + 3 * _GAP
            if anchor.left() - width > area.left() + _GAP:
                x = anchor.left() - width - _GAP
        self.setGeometry(x, y, width, height)

    def event(self, event: QEvent) -> bool:
        """Esc ends the tour before the window's own shortcut sees it."""
        is_key = event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if is_key and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self.end()
            return True
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

"""The start page: open, recent files and samples at the left; at the right the sessions on this
machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.common.paths import BundledSample, display_name
from gui.language import tr
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.theme import current_theme, resized_font, scaled_pixels

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

_SIDE_WIDTH, _TEXT_WIDTH, _PICTURE_WIDTH = 268, 330, 540
"""Widths in pixels at body size 13: column of files, introduction, picture."""
_RING = 2
"""Space in pixels at the sides of a link for the focus ring."""
_STRIPES = (
    *(
        (0, 0.008, 0),
        (0.03, 0.006, 1),
        (0.09, 0.004, 2),
        (0.14, 0.006, 2),
        (0.27, 0.01, 2),
        (0.33, 0.008, 1),
    ),
    *(
        (0.395, 0.02, 0),
        (0.45, 0.006, 2),
        (0.5, 0.008, 2),
        (0.61, 0.016, 0),
        (0.655, 0.006, 1),
    ),
    *(
        (0.7, 0.006, 2),
        (0.76, 0.01, 1),
        (0.84, 0.006, 2),
        (0.92, 0.008, 1),
        (0.98, 0.006, 2),
    ),
)
"""Messages that are no tool results: where each begins and how wide it is, as shares of the bar;
its kind."""
_TOP_END, _BOTTOM_START, _SUMMARY = 0.36, 0.86, 0.016


class CompactionPicture(QWidget):
    """A conversation as a bar with its Middle replaced by one summary below; it shows no real
    file."""

    def paintEvent(self, event: QPaintEvent) -> None:
        from PySide6.QtCore import QPointF, QRectF, Qt
        from PySide6.QtGui import QPainter, QPolygonF

        theme = current_theme()
        painter = QPainter(self)
        unit = scaled_pixels(100, self.font()) / 100
        width = float(self.width())
        height = 26 * unit
        top = 20 * unit
        lower = 68 * unit
        end = _TOP_END + _SUMMARY + 1 - _BOTTOM_START
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for y, length in ((top, 1.0), (lower, end)):
            painter.fillRect(QRectF(0, y, length * width, height), theme.kind[3])
        for start, share, kind in _STRIPES:
            painter.fillRect(
                QRectF(start * width, top, share * width, height), theme.kind[kind]
            )
            if start < _TOP_END:
                after = start
            else:
                after = start - _BOTTOM_START + _TOP_END + _SUMMARY
            if start < _TOP_END or start >= _BOTTOM_START:
                painter.fillRect(
                    QRectF(after * width, lower, share * width, height),
                    theme.kind[kind],
                )
        shares = (_TOP_END, _BOTTOM_START, _TOP_END + _SUMMARY, _TOP_END)
        ys = (top + height, top + height, lower, lower)
        shape = QPolygonF(
            [QPointF(share * width, y) for share, y in zip(shares, ys, strict=True)]
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.fate_tint[3])
        painter.drawPolygon(shape)
        painter.fillRect(
            QRectF(_TOP_END * width, lower, _SUMMARY * width, height),
            theme.fate_fill[3],
        )
        for share in (_TOP_END, _BOTTOM_START):
            painter.fillRect(
                QRectF(share * width - 1, top - 2, 2, height + 4), theme.text
            )
        painter.setFont(resized_font(self.font(), 11, bold=True))
        labels = (
            (0.0, _TOP_END, tr("Top"), theme.text2),
            (_TOP_END, _BOTTOM_START, tr("Middle"), theme.fate_text[3]),
            (_BOTTOM_START, 1.0, tr("Bottom"), theme.text2),
        )
        for begin, until, text, colour in labels:
            painter.setPen(colour)
            box = QRectF(begin * width, 0, (until - begin) * width, top - 4)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
        painter.setPen(theme.ok)
        box = QRectF(end * width + 8, lower, (1 - end) * width - 8, height)
        side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        words = tr("80k → 41k tokens, and you see what is lost")
        painter.drawText(box, int(side | Qt.TextFlag.TextWordWrap), words)
        painter.end()


class StartPage(QFrame):
    """The same layout from the first frame on; ``show_sessions`` puts the sessions into their
    place."""

    path_chosen = Signal(str)
    painted = Signal()  # once, after the first paint

    def __init__(self, samples: Sequence[BundledSample]) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self._was_painted = False
        self._search: QWidget | None = None
        self._samples = samples
        self._recent = QVBoxLayout()
        self._right = QVBoxLayout()
        self._recent.setSpacing(2)
        self._side_pane = self._side()
        upright = QFrame()
        upright.setProperty("role", "upright")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._side_pane)
        row.addWidget(upright)
        row.addLayout(self._right, 1)
        self._fill_right()
        self.fit()
        self.show_recent(())

    def fit(self) -> None:
        self._side_pane.setFixedWidth(scaled_pixels(_SIDE_WIDTH, self.font()))
        self._introduction.setFixedWidth(scaled_pixels(_TEXT_WIDTH, self.font()))
        self._picture.setMaximumWidth(scaled_pixels(_PICTURE_WIDTH, self.font()))
        self._picture.setFixedHeight(scaled_pixels(96, self.font()))

    def _side(self) -> QWidget:
        side = QFrame()
        side.setProperty("role", "side")
        self.open_button = push_button(tr("Open transcript…  Ctrl O"), "primary")
        self.first_focus: QWidget = (
            self.open_button
        )  # no focus proxy: with one, Tab would skip the rest
        drop = QFrame()
        drop.setProperty("role", "drop")
        drop_text = _text(
            tr("or drop a file or folder anywhere here. Its format is recognised."),
            "secondary",
        )
        drop_text.setProperty("alignment", "AlignCenter")
        QVBoxLayout(drop).addWidget(drop_text)
        column = QVBoxLayout(side)
        column.setContentsMargins(12 - _RING, 12, 12, 12)
        column.setSpacing(4)
        for widget in (self.open_button, drop):
            column.addWidget(widget)
        _add_rule(column)
        column.addWidget(_text(tr("Recent"), "strong"))
        column.addLayout(self._recent)
        for number, sample in enumerate(self._samples):
            _add_rule(column)
            if not number:
                column.addWidget(_text(tr("Samples"), "strong"))
            column.addWidget(
                self._link(tr(sample.title) or sample.path.stem, str(sample.path))
            )
            column.addWidget(_text(tr(sample.about), "secondary"))
        column.addStretch(1)
        column.addWidget(
            _text(
                tr("✓ Nothing leaves this machine unless you choose a paid model."),
                "quiet",
            )
        )
        return side

    def _fill_right(self) -> None:
        head = QFrame()
        texts = QVBoxLayout()
        head.setProperty("role", "pane")
        self._introduction = text_label(
            tr(
                "Open an agent's transcript. Foldline shows what a compaction keeps, what it loses, and why "
                "– before your agent does it."
            ),
            "secondary",
        )
        self._introduction.setWordWrap(True)
        self._picture = CompactionPicture()
        texts.setSpacing(6)
        texts.addWidget(text_label(tr("See where a conversation folds"), "figure"))
        texts.addWidget(self._introduction)
        texts.addStretch(1)
        row = QHBoxLayout(head)
        row.setContentsMargins(24, 20, 24, 8)
        row.setSpacing(32)
        row.addLayout(texts)
        row.addWidget(self._picture, 1)
        row.addStretch()
        self._placeholder = QWidget()
        sessions = QHBoxLayout(self._placeholder)
        sessions.setContentsMargins(12, 10, 12, 10)
        sessions.setSpacing(8)
        sessions.addWidget(text_label(tr("Sessions on this machine"), "strong"))
        sessions.addWidget(text_label(tr("Looking…"), "secondary"), 1)
        self._right.setContentsMargins(0, 0, 0, 0)
        self._right.setSpacing(0)
        self._right.addWidget(head)
        self._right.addWidget(self._placeholder)
        self._right.addStretch(1)

    def show_sessions(self, pane: QWidget, table: QWidget, search: QWidget) -> None:
        """Put the sessions below the introduction; ``table`` gets the focus when the page is shown
        again."""
        self.first_focus, self._search = table, search
        self._placeholder.hide()
        self._right.takeAt(self._right.count() - 1)  # the stretch
        self._right.addWidget(pane, 1)

    def open_sample(self) -> None:
        """Open the first sample."""
        if self._samples:
            self.path_chosen.emit(str(self._samples[0].path))

    def is_first_sample(self, path: str) -> bool:
        return bool(self._samples) and path == str(self._samples[0].path)

    def _link(self, text: str, path: str) -> QWidget:
        link = push_button(text, "link", tip=path)
        link.setProperty("path", path)
        link.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        link.clicked.connect(self._on_link)
        return link

    def show_recent(self, files: Sequence[tuple[str, str]]) -> None:
        """Show the paths of recent files, each with the day on which it was open."""
        while (item := self._recent.takeAt(0)) is not None:
            if (old_widget := item.widget()) is not None:
                old_widget.hide()
                old_widget.deleteLater()
        for path, day in files:
            line = QWidget()
            name = display_name(path)
            row = QHBoxLayout(line)
            row.setContentsMargins(0, 0, 0, 0)
            link = self._link(
                name if len(name) <= 30 else f"{name[:14]}…{name[-15:]}", path
            )
            row.addWidget(link)
            row.addStretch(1)
            row.addWidget(text_label(day, "secondary"))
            self._recent.addWidget(line)
        if not files:
            self._recent.addWidget(
                _text(tr("Files that you open are listed here."), "quiet")
            )

    def event(self, event: QEvent) -> bool:
        """Ctrl F goes to the search from everywhere on the page, before the same key of the
        window."""
        if (
            isinstance(event, QKeyEvent)
            and self._search
            and event.matches(QKeySequence.StandardKey.Find)
        ):
            event.accept()
            self._search.setFocus()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            self.painted.emit()

    def _on_link(self) -> None:
        self.path_chosen.emit(self.sender().property("path"))


def _add_rule(column: QVBoxLayout) -> None:
    column.addSpacing(4)
    column.addWidget(rule())
    column.addSpacing(4)


def _text(text: str, role: str) -> QLabel:
    result = text_label(text, role, wraps=True)
    result.setContentsMargins(_RING, 0, 0, 0)
    return result

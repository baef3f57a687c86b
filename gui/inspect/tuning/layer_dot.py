"""The dot that shows which layer a value comes from, and its popup with all three values."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from core.presentation.model import SettingControl
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import LAYER_GLYPHS, glyph_pixmap, paint_glyph
from gui.widgets.text_labels import set_style_property
from gui.widgets.theme import Theme, theme

SESSION_LAYER = next(iter(LAYER_GLYPHS))
"""The layer whose values Reset removes."""
_SIZE, _GLYPH = 12, 16


def layer_colour(layer: str, theme: Theme) -> QColor:
    """Return accent for the session's layer, else a quiet colour."""
    return theme.accent_text if layer == SESSION_LAYER else theme.text2 if layer == "saved" else theme.text3


def layer_text(control: SettingControl, layer: str) -> str:
    """Return the layer's name; for the session's with the loaded profile that set the value."""
    is_from_profile = control.profile and layer == control.layer
    return (
        tr("{layer}, profile {profile}").format(layer=tr(layer), profile=control.profile)
        if is_from_profile
        else tr(layer)
    )


class LayerDot(QAbstractButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme("light")
        self._layer = ""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_control(self, control: SettingControl) -> None:
        self._layer = control.layer
        self.setVisible(bool(control.layers))
        self.setAccessibleName(f"{control.label}: {tr(control.layer)}")
        self.setToolTip(
            tr("{layer}: click for all three values and Reset").format(
                layer=layer_text(control, control.layer)
            )
        )
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_SIZE, _SIZE + 6)

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._layer in LAYER_GLYPHS:
            glyph_rect = QRectF((self.width() - _GLYPH) / 2, (self.height() - _GLYPH) / 2, _GLYPH, _GLYPH)
            paint_glyph(
                painter, LAYER_GLYPHS[self._layer], glyph_rect, layer_colour(self._layer, self._theme)
            )
        if self.hasFocus():
            painter.setPen(QPen(self._theme.accent_text, 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        painter.end()


class LayerPopup(QFrame):
    """Three values, the effective one in bold, and Reset. Closes on a click elsewhere and on Esc."""

    reset_requested = Signal(str)

    def __init__(self, control: SettingControl, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "popup")
        self.setAccessibleName(tr("{label}: values by layer").format(label=control.label))
        self._control = control
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(6)
        column.addWidget(text_label(control.label, "strong"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (layer, text) in enumerate(control.layers):
            self._add(grid, row, layer, text, theme, is_effective=layer == control.layer)
        column.addLayout(grid)
        self.reset_button = push_button(tr("Reset"), "small")
        self.reset_button.setEnabled(control.layer == SESSION_LAYER)
        self.reset_button.setToolTip(tr("Take the session's value away, so that the layer below shows"))
        self.reset_button.clicked.connect(self._on_reset)
        column.addWidget(self.reset_button)

    def _add(
        self, grid: QGridLayout, row: int, layer: str, text: str, theme: Theme, *, is_effective: bool
    ) -> None:
        picture = QLabel()
        ratio = self.devicePixelRatioF()
        picture.setPixmap(glyph_pixmap(LAYER_GLYPHS[layer], layer_colour(layer, theme), 14, ratio))
        value = text_label(text)
        value.setAlignment(Qt.AlignmentFlag.AlignRight)
        set_style_property(value, "tone", "strong" if is_effective else "")
        for column, widget in enumerate(
            (picture, text_label(layer_text(self._control, layer), "muted"), value)
        ):
            grid.addWidget(widget, row, column)

    def open_at(self, dot: QWidget) -> None:
        """Show below a dot, right edges aligned, inside the screen."""
        self.ensurePolished()
        self.setMinimumWidth(180)
        self.adjustSize()
        corner = dot.mapToGlobal(QPoint(dot.width(), dot.height() + 2))
        room = dot.screen().availableGeometry()
        left = max(room.left(), min(corner.x() - self.width(), room.right() - self.width()))
        top = corner.y() if corner.y() + self.height() <= room.bottom() else corner.y() - self.height() - 28
        self.move(left, max(room.top(), top))
        self.show()
        self.reset_button.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _on_reset(self) -> None:
        self.reset_requested.emit(self._control.key)
        self.close()

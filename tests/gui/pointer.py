"""The pointer with a held button, which QTest does not have."""

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

_LEFT, _NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def drag(
    widget: QWidget, path: list[QPoint], keys: Qt.KeyboardModifier = _NO_KEYS
) -> None:
    """Press at the first point and move along; the button stays down."""
    QTest.mousePress(widget, _LEFT, keys, path[0])
    for place in path[1:]:
        point = QPointF(place)
        event = QMouseEvent(
            QEvent.Type.MouseMove,
            point,
            widget.mapToGlobal(point),
            _LEFT,
            _LEFT,
            _NO_KEYS,
        )
        QApplication.sendEvent(widget, event)

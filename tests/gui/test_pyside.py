"""PySide itself: a fault that would abort the process after a few thousand calls."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot


def test_calls_that_return_nothing_keep_none_alive(qtbot: QtBot) -> None:
    """Releases of PySide6 from 6.12 lose one reference of None per such call on Python 3.11."""
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(20_000):
        thing.setObjectName("name")
    assert abs(sys.getrefcount(None) - before) < 1_000

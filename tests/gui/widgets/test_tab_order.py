"""Tab goes through a window in the order in which it is read."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QGridLayout, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gui.view_switching import INSPECT
from gui.widgets.accessibility import reading_order
from gui.window_content import WindowContent
from tests.gui.window_space import settle

AREAS = (
    "bar chip",
    "toolbar",
    "verdict",
    "ruler",
    "tuning",
    "lists",
    "inspector",
    "message",
)


def test_a_panel_is_left_before_what_stands_beside_it(qtbot: QtBot) -> None:
    top, left, right = QWidget(), QWidget(), QWidget()
    qtbot.addWidget(top)
    outer = QGridLayout(top)
    outer.addWidget(right, 0, 1)
    outer.addWidget(left, 0, 0)
    names = ("right 1", right, 0), ("left 2", left, 1), ("left 1", left, 0)
    columns = {left: QGridLayout(left), right: QGridLayout(right)}
    for name, panel, row in names:
        field = QLineEdit(name)
        columns[panel].addWidget(field, row, 0)
    with qtbot.waitExposed(top):
        top.show()
    fields = [one for one in reading_order(top) if isinstance(one, QLineEdit)]
    assert [one.text() for one in fields] == ["left 1", "left 2", "right 1"]


def test_tab_visits_the_window_in_the_order_of_reading(
    qtbot: QtBot, opened: WindowContent
) -> None:
    page, window = opened.page, opened.window
    window.activateWindow()
    QTest.qWaitForWindowActive(window, 3000)
    areas = {
        "bar chip": opened.toolbar.chip,
        "toolbar": opened.toolbar,
        "verdict": page.verdict,
        "ruler": page.ruler,
        "tuning": page.tuning,
        "lists": page.lists,
        "inspector": page.inspector,
        "message": opened.bar,
    }
    opened.toolbar.strategy.setFocus(Qt.FocusReason.TabFocusReason)
    visited: list[str] = []
    for _ in range(120):
        focused = QApplication.focusWidget()
        assert focused is not None
        found = (name for name, area in areas.items() if _holds(area, focused))
        if (name := next(found, "")) and name not in visited[-1:]:
            visited.append(name)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
        if opened.toolbar.strategy.hasFocus():
            break
    start = visited.index("bar chip") if "bar chip" in visited else 0
    turned = [*visited[start:], *visited[:start]]
    assert [one for one in AREAS if one in turned] == list(dict.fromkeys(turned))
    assert {"toolbar", "verdict", "ruler", "tuning", "lists", "inspector"} <= set(
        turned
    )


def _holds(area: QWidget, widget: QWidget) -> bool:
    return area is widget or area.isAncestorOf(widget)


def test_a_choice_is_named_by_its_label_and_not_by_its_value(
    qtbot: QtBot, opened: WindowContent
) -> None:
    for view in (INSPECT, "sweep"):
        opened.page_controller.show_view(view)
        settle(qtbot, opened)
        shown = [
            one for one in opened.window.findChildren(QComboBox) if one.isVisible()
        ]
        names = [one.accessibleName() for one in shown]
        assert [
            name for name in names if not name or name in ("and", "nothing else")
        ] == []
        assert [
            one.currentText()
            for one in shown
            if one.accessibleName() in one.currentText()
        ] == []

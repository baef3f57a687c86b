"""How many actions the jobs of the window take: a click, a key, and a text that is typed are one
each."""

from pathlib import Path
from shutil import copy

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QDrag
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from core.common.paths import SAMPLES
from core.settings.schema import PRESERVE
from gui.compare.strategies_tab import StrategiesTab
from gui.view_switching import COMPARE
from gui.widgets.events import MESSAGE_DRAG
from gui.window_content import WindowContent
from tests.journeys.walks import LEFT, control, open_transcript, settle
from tests.support.narrowing import known


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return Path(copy(SAMPLES / "fix-flaky-upload.jsonl", tmp_path))


def enter(field: QLineEdit, text: str) -> int:
    """Click a field, type, press Enter; return the actions."""
    QTest.mouseClick(field, LEFT)
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    return 3


def test_whether_a_rule_survives_takes_three_actions(
    qtbot: QtBot, space: WindowContent, session: Path
) -> None:
    open_transcript(qtbot, space, session)
    must = space.page.inspector.losses.must
    assert must.field.isVisible()
    actions = enter(must.field, "src/acme_uploader/retry.py")
    settle(qtbot, space)
    qtbot.waitUntil(lambda: any("1" in one.text() for one in must.counts))
    assert actions == 3


def test_reaching_a_size_takes_three_actions(
    qtbot: QtBot, space: WindowContent, session: Path
) -> None:
    open_transcript(qtbot, space, session)
    field, before = space.page.tuning.aim.field, control(space, PRESERVE).value
    assert field.isVisible()
    actions = enter(field, "30k")
    after = settle(qtbot, space)
    assert control(space, PRESERVE).value != before
    assert "above your aim" not in after.verdict.size.text
    assert actions == 3


def test_a_row_dragged_onto_must_keep_is_kept(
    qtbot: QtBot,
    space: WindowContent,
    session: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_transcript(qtbot, space, session)
    must, view = space.page.inspector.losses.must, space.page.lists.list.view
    carried: list[QMimeData] = []
    monkeypatch.setattr(QDrag, "exec", lambda drag, _: carried.append(drag.mimeData()))
    row = view.message_model.plan.row_of("before", 2)
    place = QPoint(view.rows.columns.message + 5, view.row_top(row) + 8)
    QTest.mousePress(view.viewport(), LEFT, pos=place)
    QTest.mouseMove(view.viewport(), place + QPoint(40, 0))
    assert [data.hasFormat(MESSAGE_DRAG) for data in carried] == [True]
    must.message_dropped.emit()
    settle(qtbot, space)
    qtbot.waitUntil(lambda: must.head.text().startswith("Must keep"))


def test_mending_a_broken_file_takes_three_actions(
    qtbot: QtBot, space: WindowContent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, copied = tmp_path / "broken.json", tmp_path / "whole.json"
    session.write_text(_BROKEN, encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(copied), ""))
    open_transcript(qtbot, space, session)
    tabs, checks = space.page.inspector.tabs, space.page.inspector.checks
    place = tabs.indexOf(checks)
    QTest.mouseClick(tabs.tabBar(), LEFT, pos=tabs.tabBar().tabRect(place).center())
    qtbot.waitUntil(checks.repair.isVisible)
    actions = 1 + click(checks.repair)
    actions += 1  # the name in the system's dialog
    settle(qtbot, space)
    qtbot.waitUntil(copied.exists)
    assert session.read_text(encoding="utf-8") == _BROKEN
    assert actions == 3
    open_transcript(qtbot, space, copied)
    qtbot.waitUntil(lambda: checks.report is not None)
    assert known(checks.report).faults.count == 0


_BROKEN = """{"model": "gpt-4o", "messages": [
  {"role": "user", "content": "Read a.py."},
  {"role": "assistant", "content": "", "tool_calls": [
    {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
  {"role": "user", "content": "Go on."}]}
"""


def click(button: QPushButton) -> int:
    QTest.mouseClick(button, LEFT)
    return 1


def test_choosing_of_four_strategies_takes_eleven_actions(
    qtbot: QtBot, space: WindowContent, tmp_path: Path
) -> None:
    desk = Path(copy(SAMPLES / "support-desk.json", tmp_path))
    open_transcript(qtbot, space, desk)
    popup, bar = space.strategy_popup, space.toolbar
    QTest.mouseClick(bar.strategy, LEFT)
    actions = 1
    qtbot.waitUntil(popup.isVisible)
    settle(qtbot, space)
    for key in (*(Qt.Key.Key_Space, Qt.Key.Key_Down) * 3, Qt.Key.Key_Space):
        QTest.keyClick(popup.filter, key)
        actions += 1
    marked = popup.marked()
    assert len(marked) == 4
    actions += click(popup.compare)
    settle(qtbot, space)
    view = space.views.view(COMPARE)
    assert isinstance(view, StrategiesTab)
    qtbot.waitUntil(lambda: view.page is not None)
    assert {row.name for row in known(view.page).rows} >= set(marked)
    row = view.table.results.row_of(marked[-1])
    place = view.table.visualRect(view.table.results.index(row, 0)).center()
    QTest.mouseClick(view.table.viewport(), LEFT, pos=place)
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    actions += 2
    settle(qtbot, space)
    qtbot.waitUntil(lambda: known(space.page.preview).strategy == marked[-1])
    assert actions == 11

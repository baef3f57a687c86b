"""The session browser: search, sort, choose an agent, open a session, return."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.common.paths import SAMPLES
from core.presentation.sessions.model import SessionRow, SessionRows
from core.presentation.sessions.session_order import COLUMNS
from gui.sessions.session_pane import SessionsPane
from gui.widgets.theme import SMALL, apply_theme, resized_font, theme
from gui.workspace import Workspace
from tests.journeys.walks import settle, space

__all__ = ["space"]

CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def _row(number: int, agent: str = "Codex", recorded: int = 0) -> SessionRow:
    prompt = f"task {number}"
    keys = (prompt, "acme", agent.lower(), float(number), number, number, 1000 - number, recorded, -1.0)
    return SessionRow(
        f"/s/{number}.jsonl", prompt, "acme", agent, "today", f"{number} B", str(number),
        f"≈{1000 - number}", str(recorded), -1.0, "[ctx: –]", "", "~/s", "", keys,
    )  # fmt: skip


@pytest.fixture
def pane(qtbot: QtBot) -> SessionsPane:
    """A browser with five sessions of two agents."""
    pane = SessionsPane()
    qtbot.addWidget(pane)
    pane.resize(1000, 600)
    pane.show()
    rows = tuple(_row(n, "Codex" if n % 2 else "Pi", recorded=n == 3) for n in range(5, 0, -1))
    pane.show_part(SessionRows(0, 5, rows, "2 folders looked at", (), True, True))
    return pane


def _shown(pane: SessionsPane) -> list[str]:
    model = pane.table.sessions
    return [row.prompt for at in range(model.rowCount()) if (row := model.session_at(at)) is not None]


def test_newest_first_until_a_column_is_clicked(qtbot: QtBot, pane: SessionsPane) -> None:
    assert _shown(pane) == ["task 5", "task 4", "task 3", "task 2", "task 1"]
    header = pane.table.horizontalHeader()
    x = header.sectionViewportPosition(6) + 10
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=header.rect().topLeft() + _at(x))
    first = _shown(pane)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=header.rect().topLeft() + _at(x))
    assert {first[0], _shown(pane)[0]} == {"task 1", "task 5"}


def _at(x: int) -> QPoint:
    return QPoint(x, 8)


def test_all_words_of_the_search_must_be_there(pane: SessionsPane) -> None:
    QTest.keyClick(pane.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(pane.search, "codex task 3")
    assert _shown(pane) == ["task 3"]
    QTest.keyClicks(pane.search, " nothing")
    assert _shown(pane) == []
    assert not pane.footer._open.isEnabled()


def test_one_agent_and_only_recorded(pane: SessionsPane) -> None:
    pane.agents.setCurrentRow(2)
    assert _shown(pane) == ["task 4", "task 2"]
    pane.agents.setCurrentRow(0)
    pane.recorded.click()
    assert _shown(pane) == ["task 3"]


def test_enter_opens_the_marked_one(qtbot: QtBot, pane: SessionsPane) -> None:
    QTest.keyClick(pane.table, Qt.Key.Key_Down)
    with qtbot.waitSignal(pane.path_chosen) as chosen:
        QTest.keyClick(pane.table, Qt.Key.Key_Return)
    assert chosen.args == ["/s/4.jsonl"]


def test_counts_that_come_later_leave_the_mark_where_it_is(pane: SessionsPane) -> None:
    QTest.keyClick(pane.table, Qt.Key.Key_Down)
    pane.show_part(SessionRows(0, 5, (_row(5, recorded=2),), "", (), True))
    current = pane.table.current()
    assert current is not None
    assert current.prompt == "task 4"
    assert len(_shown(pane)) == 5


def test_keys_reach_every_part_and_arrows_move_from_the_search(qtbot: QtBot, pane: SessionsPane) -> None:
    QTest.keyClicks(pane.search, "task")
    QTest.keyClick(pane.search, Qt.Key.Key_Down)
    row = pane.table.current()
    assert row is not None
    assert row.prompt == "task 4"
    QTest.keyClick(pane.search, Qt.Key.Key_Escape)
    assert pane.search.text() == ""
    seen = []
    pane.table.setFocus()
    for _ in range(12):
        pane.focusNextChild()
        seen.append(pane.focusWidget())
    assert {pane.table, pane.search, pane.recorded} <= set(seen)


def _hidden(pane: SessionsPane) -> set[str]:
    return {name for at, name in enumerate(COLUMNS) if pane.table.isColumnHidden(at)}


def test_columns_give_way_to_the_first_prompt(pane: SessionsPane) -> None:
    assert _hidden(pane) == set()
    pane.resize(680, 600)
    assert _hidden(pane) == {"size", "messages", "project"}
    assert pane.table.columnWidth(0) >= 200


def test_the_last_message_is_loaded_once_for_the_current_session(qtbot: QtBot, pane: SessionsPane) -> None:
    paths: list[str] = []
    pane.last_message_requested.connect(paths.append)
    for _ in range(2):
        QTest.keyClick(pane.table, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: bool(paths))
    assert paths == ["/s/3.jsonl"]
    pane.show_last_message("/s/4.jsonl", "last message: “no”")
    assert pane.footer._about.full_text == "~/s"
    pane.show_last_message("/s/3.jsonl", "last message: “bye”")
    assert pane.footer._about.full_text == "~/s · last message: “bye”"
    QTest.keyClick(pane.table, Qt.Key.Key_Up)
    assert pane.footer._about.full_text == "~/s · last message: “no”"


def test_once_all_is_read_the_last_message_is_loaded_at_once(pane: SessionsPane) -> None:
    paths: list[str] = []
    pane.last_message_requested.connect(paths.append)
    pane.show_part(SessionRows(0, 2, (_row(2),), is_new=True))
    pane.show_part(SessionRows(1, 2, (_row(1),), is_over=True))
    assert paths == ["/s/2.jsonl"]


@pytest.mark.parametrize("name", ["changed", "tokens"])
def test_the_arrow_stands_beside_the_word_of_its_column(
    qapp: QApplication, pane: SessionsPane, name: str
) -> None:
    apply_theme(qapp, theme("light"))
    head, column = pane.table.sort_header, COLUMNS.index(name)
    head.setSortIndicator(column, Qt.SortOrder.DescendingOrder)
    place = QRect(head.sectionViewportPosition(column), 0, head.sectionSize(column), head.height())
    word = QFontMetrics(resized_font(head.font(), SMALL)).horizontalAdvance(name)
    picture, height = head.grab().toImage(), range(2, head.height() - 2)
    ground = picture.pixel(place.right() - 1, 2)
    inked = [
        x for x in range(place.left(), place.right()) if any(picture.pixel(x, y) != ground for y in height)
    ]
    assert word + 8 < inked[-1] - inked[0] < word + 18
    edge = inked[0] - place.left() if name == "changed" else place.right() - inked[-1]
    assert 6 <= edge <= 10


def test_the_foot_says_how_far_the_trigger_is(pane: SessionsPane) -> None:
    near = replace(_row(5), trigger_distance="At 74 % of 200,000.", tone="warn")
    pane.show_part(SessionRows(0, 5, (near,), "", (), True))
    assert pane.footer._trigger_distance.accessibleName() == "At 74 % of 200,000."
    pane.show_part(SessionRows(0, 5, (replace(near, problem="It is torn."),), "", (), True))
    assert pane.footer._trigger_distance.accessibleName() == "It is torn."


def test_the_head_says_another_order(pane: SessionsPane) -> None:
    assert pane._state.text() == "newest first"
    pane.table.horizontalHeader().setSortIndicator(6, Qt.SortOrder.DescendingOrder)
    assert pane._state.text() == "by tokens"


def test_compare_opens_the_session_and_shows_what_each_strategy_makes_of_it(
    qtbot: QtBot, space: Workspace, home: Path
) -> None:
    folder = home / ".claude/projects/-acme"
    folder.mkdir(parents=True)
    (folder / "one.jsonl").write_bytes((SAMPLES / "fix-flaky-upload.jsonl").read_bytes())
    space.browser.list_sessions()
    qtbot.waitUntil(lambda: bool(_shown(space.browser.pane)), timeout=20_000)
    QTest.mouseClick(space.browser.pane.footer._compare, Qt.MouseButton.LeftButton)
    settle(qtbot, space)
    assert space.window.pages.currentWidget() is space.views.view("compare")


def test_start_screen_becomes_the_browser_and_comes_back(qtbot: QtBot, space: Workspace, home: Path) -> None:
    folder = home / ".claude/projects/-acme"
    folder.mkdir(parents=True)
    path = folder / "one.jsonl"
    path.write_bytes((SAMPLES / "fix-flaky-upload.jsonl").read_bytes())
    os.utime(path, (1_000, 1_000))
    space.browser.list_sessions()
    qtbot.waitUntil(lambda: bool(_shown(space.browser.pane)), timeout=20_000)
    qtbot.waitUntil(lambda: space.session.is_up_to_date, timeout=60_000)
    pane = space.browser.pane
    assert pane.isVisible()
    row = pane.table.current()
    assert row is not None
    assert row.messages == "150"
    QTest.keyClick(pane.table, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert space.window.pages.currentWidget() is space.page
    QTest.keyClick(space.window, Qt.Key.Key_O, CONTROL_SHIFT)
    qtbot.waitUntil(lambda: space.window.pages.currentWidget() is space.window.start)
    qtbot.waitUntil(lambda: space.session.is_up_to_date, timeout=60_000)
    QTest.keyClick(pane.table, Qt.Key.Key_Escape)
    assert space.window.pages.currentWidget() is space.page

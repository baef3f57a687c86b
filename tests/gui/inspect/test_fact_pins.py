"""Pins in the list of facts, and the row of repeated compactions: their signals and states."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.fidelity.decay_model import DecayBar, DecayPage
from core.presentation.fidelity.model import FidelityFactRow
from gui.inspect.inspector.decay_row import DecayRow
from gui.inspect.inspector.fact_list import FactListView
from gui.widgets.theme import THEME_NAMES, theme

ROWS = (
    FidelityFactRow("lost", "error", "errors", "ConnectionResetError", "#89", 88),
    FidelityFactRow("partial", "path", "paths", "lib/a.py", "#90 · its name alone", 89, 4),
    FidelityFactRow("invented", "path", "paths", "lib/made/up.py", "result #1", result_index=0),
)
BARS = (DecayBar(0.9, "0.90", "After 1 compaction: 0.90."), DecayBar(None, "–", "After 2 compactions: –."))


@pytest.fixture
def facts(qtbot: QtBot) -> FactListView:
    view = FactListView()
    qtbot.addWidget(view)
    view.resize(340, 300)
    view.fact_model.show_rows(ROWS)
    with qtbot.waitExposed(view):
        view.show()
    QApplication.processEvents()
    return view


@pytest.fixture
def folds(qtbot: QtBot) -> DecayRow:
    row = DecayRow()
    qtbot.addWidget(row)
    row.resize(340, 60)
    return row


def test_p_and_the_pin_ask_for_the_message_of_a_fact(facts: FactListView, qtbot: QtBot) -> None:
    facts.setCurrentIndex(facts.fact_model.index(1))
    with qtbot.waitSignal(facts.pin_requested) as signal:
        QTest.keyClick(facts, Qt.Key.Key_P)
    assert signal.args == [89]
    box = facts.visualRect(facts.fact_model.index(0))
    with qtbot.waitSignal(facts.pin_requested) as signal:
        QTest.mouseClick(
            facts.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(box.right() - 17, box.top() + 12)
        )
    assert signal.args == [88]


def test_what_has_no_message_has_no_pin(facts: FactListView, qtbot: QtBot) -> None:
    made_up = facts.fact_model.index(facts.fact_model.rowCount() - 1)
    facts.setCurrentIndex(made_up)
    with qtbot.assertNotEmitted(facts.pin_requested):
        QTest.keyClick(facts, Qt.Key.Key_P)


def test_a_pinned_fact_says_so(facts: FactListView) -> None:
    first = facts.fact_model.index(0)
    role = Qt.ItemDataRole.AccessibleTextRole
    assert "pinned" not in (facts.fact_model.data(first, role) or "")
    facts.fact_model.set_pinned((88,))
    assert (facts.fact_model.data(first, role) or "").endswith(", pinned")
    assert not facts.grab().isNull()


def test_the_menu_has_the_links_and_the_pin(facts: FactListView, qtbot: QtBot) -> None:
    facts.fill_menu(facts.fact_model.index(1))
    assert [action.text() for action in facts.menu.actions()] == ["Go to #90", "Result #5", "Pin #90: keep"]
    with qtbot.waitSignal(facts.pin_requested) as signal:
        facts.menu.actions()[-1].trigger()
    assert signal.args == [89]
    with qtbot.waitSignal(facts.link_activated) as went:
        facts.menu.actions()[0].trigger()
    assert went.args == ["before:89"]
    facts.fact_model.set_pinned((89,))
    facts.fill_menu(facts.fact_model.index(1))
    assert facts.menu.actions()[-1].text() == "Unpin #90"


def seen(row: DecayRow) -> tuple[bool, bool, bool]:
    return row.start_button.isVisibleTo(row), row.cancel_button.isVisibleTo(row), row.bars.isVisibleTo(row)


def test_folds_are_offered_made_cancelled_and_done(folds: DecayRow, qtbot: QtBot) -> None:
    folds.set_available(True)
    assert seen(folds) == (True, False, False)
    with qtbot.waitSignal(folds.requested):
        folds.start_button.click()
    folds.show_page(DecayPage(BARS[:1]), is_running=True)
    assert seen(folds) == (False, True, True)
    with qtbot.waitSignal(folds.cancelled):
        folds.cancel_button.click()
    folds.show_page(DecayPage(BARS), is_running=False)
    assert seen(folds) == (True, False, True)
    folds.show_page(DecayPage(BARS, total=2), is_running=False)
    assert seen(folds) == (False, False, True)
    assert folds.bars.accessibleDescription() == "After 1 compaction: 0.90. After 2 compactions: –."


@pytest.mark.parametrize("name", THEME_NAMES)
def test_bars_paint_in_every_theme_however_narrow(folds: DecayRow, name: str) -> None:
    folds.set_theme(theme(name))
    folds.show_page(DecayPage(BARS), is_running=True)
    for width in (600, 120):
        folds.resize(width, 60)
        assert not folds.grab().isNull()

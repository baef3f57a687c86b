"""The Fidelity tab: figure, bars, facts with their links, and when it is requested."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.rpc import Call, call_of, is_call_of
from core.app.services.decay import DecayService
from core.app.services.inspector import InspectorService
from core.app.services.probes import ProbeService
from core.presentation.fidelity.model import STATUSES, FidelityBar, FidelityFactRow, FidelityPage
from core.presentation.model import TextSpan
from gui import arguments
from gui.inspect.inspector import inspector
from gui.inspect.inspector.fidelity_bars import _STATUS_WORDS
from gui.inspect.inspector.fidelity_tab import FidelityTab
from gui.widgets.theme import THEME_NAMES, theme
from gui.workspace import Workspace
from tests.gui.window_space import open_file, settle, space

__all__ = ["space"]

BARS = (
    FidelityBar("error", "errors", (2, 1, 1, 0, 1), "4 of 5", "−1"),
    FidelityBar("number", "numbers", (1, 0, 0, 1, 0), "2 of 2", ""),
)
ROWS = (
    FidelityFactRow("lost", "error", "errors", "ConnectionResetError", "#89, #301 · never resolved", 88),
    FidelityFactRow("partial", "error", "errors", "TS2305", "#90 · its type alone", 89, 4),
    FidelityFactRow("verbatim", "number", "numbers", "max_retries = 5", "#93 · verbatim", 92, 3),
    FidelityFactRow(
        "invented", "path", "paths", "lib/made/up.py", "result #1 · nowhere in the source", result_index=0
    ),
)
NEEDED = (
    TextSpan("Needed by later turns: – (the transcript ends here)."),
    TextSpan("Look", "scope:before:1"),
)
CURVE = (1.0, 0.9, None, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
PAGE = FidelityPage("0.71", "6 of 7 facts", "tip", "", NEEDED, BARS, ROWS, 1, CURVE, array("l", [88]))


@pytest.fixture
def tab(qtbot: QtBot) -> FidelityTab:
    result = FidelityTab()
    qtbot.addWidget(result)
    result.resize(356, 600)
    result.set_theme(theme("light"))
    with qtbot.waitExposed(result):
        result.show()
    result.show_page(PAGE)
    QApplication.processEvents()
    return result


def listed(tab: FidelityTab) -> list[str]:
    items = (
        tab.fact_list.fact_model.item(tab.fact_list.fact_model.index(row))
        for row in range(tab.fact_list.fact_model.rowCount())
    )
    return [item if isinstance(item, str) else item.text for item in items]


def click(tab: FidelityTab, row: int, *, x: int = 40) -> None:
    box = tab.fact_list.visualRect(tab.fact_list.fact_model.index(row))
    spot = QPoint(box.right() - x if x < 0 else box.left() + x, box.bottom() - 8)
    QTest.mouseClick(tab.fact_list.viewport(), Qt.MouseButton.LeftButton, pos=spot)


def test_it_shows_the_figure_and_what_is_lost(tab: FidelityTab) -> None:
    assert tab.texts[:2] == ("0.71", "6 of 7 facts")
    assert listed(tab) == [
        "ConnectionResetError",
        "In the summary, but nowhere in the source · 1",
        "lib/made/up.py",
    ]


def test_in_a_low_window_four_facts_stay_in_sight_and_the_caption_is_whole(tab: FidelityTab) -> None:
    tab.show_page(replace(PAGE, rows=(ROWS[0],) * 9))
    tab.resize(300, 1200)
    QApplication.processEvents()
    high = tab.bars.height()
    tab.resize(300, 420)
    QApplication.processEvents()
    second = tab.fact_list.visualRect(tab.fact_list.fact_model.index(1))
    assert tab.fact_list.viewport().rect().contains(second)
    assert tab.bars.height() < high
    assert not tab._caption.is_elided


def test_in_a_window_of_800_lines_the_whole_histogram_is_in_sight(tab: FidelityTab) -> None:
    tab.show_page(replace(PAGE, rows=(ROWS[0],) * 9))
    tab.resize(300, 552)
    QApplication.processEvents()
    bottom = tab._recall_bars.mapTo(tab._upper.viewport(), tab._recall_bars.rect().bottomLeft())
    assert tab._upper.viewport().rect().contains(bottom)
    assert tab._upper.verticalScrollBar().maximum() == 0


def test_the_words_of_the_legend_are_those_of_the_statuses() -> None:
    assert tuple(one.value for one in STATUSES) == _STATUS_WORDS


def test_the_legend_explains_the_colours_that_are_there(tab: FidelityTab) -> None:
    assert tab._legend.words == ("verbatim", "summarised", "partial", "recoverable", "lost")
    tab.show_page(replace(PAGE, bars=(replace(BARS[0], counts=(4, 0, 0, 0, 1)),)))
    assert list(tab._legend.words) == ["verbatim", "lost"]


def test_a_category_lists_all_its_facts_and_a_second_click_the_lost_ones(tab: FidelityTab) -> None:
    spot = QPoint(60, 8)
    QTest.mouseClick(tab.bars, Qt.MouseButton.LeftButton, pos=spot)
    assert listed(tab) == ["ConnectionResetError", "TS2305"]
    QTest.mouseClick(tab.bars, Qt.MouseButton.LeftButton, pos=spot)
    assert "lib/made/up.py" in listed(tab)


def test_the_link_shows_all_facts(tab: FidelityTab) -> None:
    tab._toggle.click()
    assert "max_retries = 5" in listed(tab)
    tab._toggle.click()
    assert "max_retries = 5" not in listed(tab)


def test_a_fact_leads_to_its_source_and_to_the_result(tab: FidelityTab, qtbot: QtBot) -> None:
    with qtbot.waitSignal(tab.link_activated) as went:
        click(tab, 0)
    assert went.args == ["before:88"]
    QTest.mouseClick(tab.bars, Qt.MouseButton.LeftButton, pos=QPoint(60, 8))
    QApplication.processEvents()
    box = tab.fact_list.visualRect(tab.fact_list.fact_model.index(1))
    with qtbot.waitSignal(tab.link_activated) as went:
        QTest.mouseClick(
            tab.fact_list.viewport(),
            Qt.MouseButton.LeftButton,
            pos=QPoint(box.right() - 30, box.center().y() + 8),
        )
    assert went.args == ["after:4"]


def test_keys_follow_the_links(tab: FidelityTab, qtbot: QtBot) -> None:
    tab._toggle.click()
    tab.fact_list.setCurrentIndex(tab.fact_list.fact_model.index(1))
    for key, target in ((Qt.Key.Key_Return, "before:89"), (Qt.Key.Key_O, "after:4")):
        with qtbot.waitSignal(tab.link_activated) as went:
            QTest.keyClick(tab.fact_list, key)
        assert went.args == [target]


def test_keys_choose_a_category(tab: FidelityTab) -> None:
    QTest.keyClick(tab.bars, Qt.Key.Key_Down)
    QTest.keyClick(tab.bars, Qt.Key.Key_Down)
    assert listed(tab) == ["max_retries = 5"]
    assert tab.bars.tip(0) == "errors: 2 verbatim, 1 summarised, 1 partial, 1 lost. A click lists them."


def test_an_invented_fact_leads_to_the_summary(tab: FidelityTab, qtbot: QtBot) -> None:
    with qtbot.waitSignal(tab.link_activated) as went:
        click(tab, 2)
    assert went.args == ["after:0"]


def test_without_a_page_it_says_what_to_do(tab: FidelityTab) -> None:
    tab.show_page(None)
    assert tab.texts[2] == "Nothing has been judged yet: open a transcript."
    assert listed(tab) == []


@pytest.mark.parametrize("name", THEME_NAMES)
def test_it_paints_in_every_theme_and_while_out_of_date(tab: FidelityTab, name: str) -> None:
    tab.set_theme(theme(name))
    tab._toggle.click()
    tab.set_stale(True)
    assert not tab.grab().isNull()


def asked(space: Workspace) -> list[Call]:
    found: list[Call] = []
    space.session.started.connect(found.append)
    return found


def looks(commands: list[Call]) -> int:
    return sum(is_call_of(one, InspectorService.fidelity) for one in commands)


def test_the_command_line_knows_the_tabs() -> None:
    assert arguments.TABS == inspector.TABS


def test_it_is_judged_only_while_in_front(qtbot: QtBot, space: Workspace) -> None:
    commands = asked(space)
    open_file(qtbot, space)
    assert looks(commands) == 0
    space.window.actions_by_id["fidelity"].trigger()
    settle(qtbot, space)
    assert looks(commands) == 1
    space.session.set_value("compression-preserve-threshold", 0.3)
    settle(qtbot, space)
    assert looks(commands) == 2
    space.page.show_tab("lint")
    space.session.set_value("compression-preserve-threshold", 0.4)
    settle(qtbot, space)
    assert looks(commands) == 2


def test_a_draft_makes_it_pale_and_asks_nothing(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.page.show_tab("fidelity")
    settle(qtbot, space)
    space.page._fidelity.show_page(PAGE)
    commands = asked(space)
    screen = space.page.preview
    assert screen is not None
    space.page.show_screen(replace(screen, draft=True))
    assert not space.page.inspector.fidelity.bars.isEnabled()
    assert [one.method for one in commands] == ["PanelService.tuning"]


def test_the_ruler_shows_where_lost_facts_sat_while_the_tab_is_in_front(
    qtbot: QtBot, space: Workspace
) -> None:
    open_file(qtbot, space)
    space.page.show_tab("fidelity")
    space.page._fidelity.show_page(PAGE)
    assert list(space.page.ruler._lost_messages) == [88]
    assert not space.page.ruler.grab().isNull()
    space.page.show_tab("why")
    assert list(space.page.ruler._lost_messages) == []


def test_a_click_on_a_fact_shows_its_message_and_keeps_the_tab(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.page.show_tab("fidelity")
    space.page._fidelity.show_page(PAGE)
    space.page.inspector.fidelity.fact_list.link_activated.emit("before:12")
    assert space.page.selected == ("before", 12)
    assert space.page.inspector.current_tab == "fidelity"


@pytest.mark.parametrize("can_fold", [True, False])
def test_folding_again_waits_for_the_judgement(qtbot: QtBot, space: Workspace, can_fold: bool) -> None:
    open_file(qtbot, space)
    commands = asked(space)
    space.window.actions_by_id["fold-again"].trigger()
    assert commands == [call_of(InspectorService.fidelity), call_of(ProbeService.offer)]
    space.page._fidelity.show_page(replace(PAGE, can_fold=can_fold))
    assert (call_of(DecayService.rounds) in commands) is can_fold
    settle(qtbot, space)


def test_what_was_not_compacted_cannot_be_folded_again(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    screen, action = space.page.preview, space.window.actions_by_id["fold-again"]
    assert screen is not None
    for other, why in (
        (replace(screen, no_op="Nothing to prune."), "Nothing to prune."),
        (replace(screen, is_beside=True), "Two results stand beside each other"),
    ):
        assert action.isEnabled()
        space.session.screen.emit(other)
        assert not action.isEnabled()
        assert why in action.toolTip()
        space.session.screen.emit(screen)

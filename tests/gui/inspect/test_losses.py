"""The Losses tab: what is gone, facts with their links and pins, kinds, repeated compaction."""

import json
import re
from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)
from pytestqt.qtbot import QtBot

from core.app.rpc import Call, call_of, is_call_of
from core.app.services.inspector import InspectorService
from core.app.services.lists import PanelService
from core.common.paths import SAMPLES
from core.presentation.inspector_model import (
    DecayBar,
    DecayPage,
    KindBar,
    LinesPage,
    LossesPage,
    LossRow,
    LostPlaces,
    MustPage,
    TextSpan,
)
from core.presentation.losses_page import UNREQUESTED_LINES
from gui.inspect.inspector.fact_list import FactListView
from gui.inspect.inspector.losses_tab import LossesTab
from gui.window_content import WindowContent
from tests.core.trials.test_tune_command import chat
from tests.gui.window_space import calls_from_now, expose, open_file, settle
from tests.support.narrowing import known

KINDS = (
    KindBar("open error", "open errors", (2, 1, 1), "2 of 4", "−1"),
    KindBar("to-do", "to-dos", (2, 0, 0), "2 of 2", ""),
)
ROWS = (
    LossRow(
        status="gone",
        kind="open error",
        label="open errors",
        text="ConnectionResetError",
        note="#89, #301",
        source_index=88,
    ),
    LossRow(
        status="not word for word",
        kind="open error",
        label="open errors",
        text="TS2305",
        note="#90",
        source_index=89,
        result_index=4,
        nearest="It fails with TS.",
    ),
    LossRow(
        status="word for word",
        kind="to-do",
        label="to-dos",
        text="Ship it",
        note="#93",
        source_index=92,
        result_index=3,
    ),
    LossRow(
        status="nowhere",
        kind="path",
        label="path",
        text="lib/made/up.py",
        note="result #1",
        result_index=0,
    ),
)
SENTENCES = ("9 tokens in 1 message are removed.", "Gone: 1 open error.")
TOLD = ("Later turns used 9 names: all are here.",)
LINK = (TextSpan("See it as of #9", "scope:before:1"),)
PAGE = LossesPage(
    heading="1 open error gone",
    sentences=SENTENCES,
    told=TOLD,
    bars=KINDS,
    rows=ROWS,
    gone=1,
    places=LostPlaces(array("l", [88])),
    link=LINK,
    can_repeat=True,
)
ROUNDS = (
    DecayBar(0.9, "9 of 10", "After 1 compaction: 9 of 10."),
    DecayBar(None, "–", "After 2 compactions: –."),
)


@pytest.fixture
def tab(qtbot: QtBot) -> LossesTab:
    result = expose(qtbot, LossesTab(), 356, 800)
    result.show_page(PAGE)
    QApplication.processEvents()
    return result


def test_of_a_long_name_the_middle_is_left_out(tab: LossesTab) -> None:
    facts = tab.fact_list
    facts.show_rows((*ROWS, replace(ROWS[-1], text="Keep 5 retries.")))
    delegate, modes = facts.itemDelegate(), {}
    assert isinstance(delegate, QStyledItemDelegate)
    for row, fact in enumerate(facts.fact_model.rows):
        option, index = QStyleOptionViewItem(), facts.fact_model.index(row)
        delegate.initStyleOption(option, index)
        modes[fact.text] = option.textElideMode
    assert modes["lib/made/up.py"] is Qt.TextElideMode.ElideMiddle
    assert modes["Keep 5 retries."] is Qt.TextElideMode.ElideRight


def second_line(facts: FactListView, row: int) -> str:
    delegate, index = facts.itemDelegate(), facts.fact_model.index(row)
    assert isinstance(delegate, QStyledItemDelegate)
    option = QStyleOptionViewItem()
    option.initFrom(facts)
    option.rect = facts.visualRect(index)
    delegate.initStyleOption(option, index)
    return option.text.partition("\u2028")[2]


def test_the_second_line_of_a_fact_ends_before_its_links(tab: LossesTab) -> None:
    facts = tab.fact_list
    note = "in words that would go on below the links"
    facts.show_rows([replace(row, note=note) for row in ROWS])
    whole = second_line(facts, 0)
    choose(facts, 0)
    QApplication.processEvents()
    shown = second_line(facts, 0)
    assert len(shown) < len(whole)
    links = known(facts.indexWidget(facts.fact_model.index(0)))
    first = min(
        button.mapTo(facts.viewport(), QPoint()).x()
        for button in links.findChildren(QPushButton)
    )
    left = facts.visualRect(facts.fact_model.index(0)).left()
    assert left + facts.fontMetrics().horizontalAdvance(shown) < max(first, 1)
    choose(facts, 1)
    assert second_line(facts, 0) == whole


def test_the_second_line_of_a_name_leaves_out_its_end(tab: LossesTab) -> None:
    note = "in words that would go on behind the edge of any list of the inspector"
    tab.made_up_list.show_rows([replace(ROWS[-1], note=note)])
    assert second_line(tab.made_up_list, 0).startswith("path · in words that")
    assert second_line(tab.made_up_list, 0).endswith("…")


def listed(tab: LossesTab) -> list[str]:
    return [row.text for row in tab.fact_list.fact_model.rows]


def choose(facts: FactListView, row: int) -> None:
    facts.setCurrentIndex(facts.fact_model.index(row))


def click_kind(tab: LossesTab, row: int) -> None:
    box = tab.kinds.visualItemRect(tab.kinds.topLevelItem(row))  # type: ignore[arg-type]
    QTest.mouseClick(tab.kinds.viewport(), Qt.MouseButton.LeftButton, pos=box.center())


@pytest.mark.req("LOSS-2.5.5")
def test_before_the_summary_is_written_nothing_is_said_to_be_here(
    tab: LossesTab,
) -> None:
    tab.show_page(replace(PAGE, rows=(), gone=None))
    assert tab.title.full_text == "Gone or reworded, not known yet"
    tab.show_page(replace(PAGE, rows=(), gone=0))
    assert tab.title.full_text == "Gone or reworded, none"


def test_facts_beyond_the_end_of_the_list_are_counted(tab: LossesTab) -> None:
    bars = (KindBar("name", "names", (900, 40, 2_060), "900", "−2,060"),)
    rows = tuple(replace(PAGE.rows[0], kind="name", status="gone") for _ in range(3))
    tab.show_page(replace(PAGE, bars=bars, rows=rows, unlisted=2_997))
    assert tab.title.full_text == "Gone or reworded 2,100, the worst 3"
    tab.toggle.click()
    assert tab.title.full_text == "All facts 3,000, the worst 3"


@pytest.mark.req("LOSS-2.5.1")
def test_it_says_what_is_gone_or_reworded_and_lists_it(tab: LossesTab) -> None:
    assert tab.heading.text() == "1 open error gone"
    assert tab.words.text == "\n".join(TOLD)  # the list tells what the others count
    assert listed(tab) == ["ConnectionResetError", "TS2305"]
    assert tab.link.text == "See it as of #9", "what later turns needed is not known"
    reworded = tab.fact_list.fact_model.index(1)
    assert "nearest: It fails with TS." in reworded.data(Qt.ItemDataRole.ToolTipRole)


@pytest.mark.req("LOSS-2.5.1")
def test_what_is_of_the_previous_preview_is_faded_as_a_whole(tab: LossesTab) -> None:
    tab.set_stale(True)
    parts = (tab.heading, tab.words, tab.link, tab.excerpts, tab.fact_list, tab.kinds)
    assert not any(part.isEnabled() for part in parts)
    tab.show_page(PAGE)
    assert all(part.isEnabled() for part in parts)


def test_what_must_keep_tells_is_not_listed_again(tab: LossesTab) -> None:
    must = replace(ROWS[0], must=ROWS[0].text, label="must")
    tab.show_page(replace(PAGE, must=MustPage((("✕ 1", "error"),), (must,))))
    assert listed(tab) == ["TS2305"]
    assert tab.title.full_text == "Also gone 1, worst first"


@pytest.mark.req("LOSS-2.5.1")
def test_what_is_made_up_has_a_list_of_its_own(tab: LossesTab) -> None:
    unsaid = replace(ROWS[3], status="said by nobody", text="Push it.")
    tab.show_page(replace(PAGE, rows=(unsaid, *ROWS)))
    rows = tab.made_up_list.fact_model.rows
    assert [row.text for row in rows] == ["Push it.", "lib/made/up.py"]
    assert tab.made_up.text() == "Made up 2"
    tab.toggle.click()
    assert listed(tab) == ["ConnectionResetError", "TS2305", "Ship it"]
    tab.show_page(replace(PAGE, rows=ROWS[:3]))
    assert not tab.made_up_list.isVisible()
    assert not tab.made_up.isVisible()


def test_kinds_are_closed_until_they_are_asked_for(tab: LossesTab) -> None:
    assert not tab.kinds.isVisible()
    tab.by_kind.click()
    assert tab.kinds.isVisible()
    click_kind(tab, 1)
    tab.by_kind.click()
    assert "ConnectionResetError" in listed(tab)


def test_a_kind_lists_all_its_facts_and_a_second_click_what_is_gone(
    tab: LossesTab,
) -> None:
    tab.by_kind.click()
    QApplication.processEvents()
    item = known(tab.kinds.topLevelItem(0))
    assert (
        item.toolTip(0) == "open errors: 2 word for word, 1 not word for word, 1 gone"
    )
    click_kind(tab, 0)
    assert listed(tab) == ["ConnectionResetError", "TS2305"]
    click_kind(tab, 0)
    assert listed(tab) == ["ConnectionResetError", "TS2305"]
    assert tab.made_up_list.isVisible()
    tab.kinds.setFocus()
    QTest.keyClick(tab.kinds, Qt.Key.Key_Down)
    assert listed(tab) == ["Ship it"]


def test_a_fact_leads_to_its_source_and_to_the_result(
    tab: LossesTab, qtbot: QtBot
) -> None:
    box = tab.fact_list.visualRect(tab.fact_list.fact_model.index(0))
    with qtbot.waitSignal(tab.link_activated) as went:
        QTest.mouseClick(
            tab.fact_list.viewport(), Qt.MouseButton.LeftButton, pos=box.center()
        )
    assert went.args == ["before:88"]
    tab.toggle.click()
    choose(tab.fact_list, 1)
    for key, target in ((Qt.Key.Key_Return, "before:89"), (Qt.Key.Key_O, "after:4")):
        with qtbot.waitSignal(tab.link_activated) as went:
            QTest.keyClick(tab.fact_list, key)
        assert went.args == [target]


def test_p_pins_the_message_of_a_fact_that_has_one(
    tab: LossesTab, qtbot: QtBot
) -> None:
    facts = tab.fact_list
    choose(facts, 0)
    with qtbot.waitSignal(facts.pin_requested) as signal:
        QTest.keyClick(facts, Qt.Key.Key_P)
    assert signal.args == [88]
    made_up = tab.made_up_list  # in no message
    choose(made_up, 0)
    with qtbot.assertNotEmitted(made_up.pin_requested):
        QTest.keyClick(made_up, Qt.Key.Key_P)


def last_link(view: FactListView) -> str:
    links = known(view.indexWidget(view.currentIndex())).findChildren(QPushButton)
    return links[-1].text()


def test_the_message_of_a_line_is_pinned_and_unpinned(
    tab: LossesTab, qtbot: QtBot
) -> None:
    tab.show_lines(LinesPage((line(4),)))
    choose(tab.line_list, 0)
    assert last_link(tab.line_list) == "Pin"
    with qtbot.waitSignal(tab.pin_requested) as signal:
        QTest.keyClick(tab.line_list, Qt.Key.Key_P)
    assert signal.args == [4]
    tab.show_pinned({4})
    assert last_link(tab.line_list) == "Unpin"


def test_a_must_says_that_its_message_is_pinned(tab: LossesTab) -> None:
    row = replace(ROWS[0], must=ROWS[0].text)
    tab.show_page(replace(PAGE, must=MustPage(rows=(row,))))
    view = tab.must.list
    tab.show_pinned({row.source_index})
    assert view.fact_model.is_pinned(row)


def test_compactions_are_repeated_cancelled_and_done(
    tab: LossesTab, qtbot: QtBot
) -> None:
    tab.show_decay(DecayPage(ROUNDS[:1]), is_running=True)
    assert tab.again_progress.text() == "Compaction 2 of 5…"
    assert tab.cancel_button.isVisible()
    tab.show_decay(DecayPage(ROUNDS), is_running=False)
    assert not tab.cancel_button.isVisible()
    assert tab.again_list.texts == (("after 1", "9 of 10"), ("after 2", "–"))


def test_without_a_page_losses_are_being_counted(tab: LossesTab) -> None:
    tab.show_page(None)
    assert tab.words.text == "counting…"
    assert not tab.fact_list.isVisible()


def looks(commands: list[Call]) -> int:
    return sum(is_call_of(one, PanelService.pages) for one in commands)


def test_it_is_computed_after_every_change_for_the_sentence_of_the_ruler(
    qtbot: QtBot, opened: WindowContent
) -> None:
    commands = calls_from_now(opened)
    open_file(qtbot, opened)
    assert looks(commands) == 1
    opened.backend.set_value("compression.preserve-threshold", 0.3)
    settle(qtbot, opened)
    assert looks(commands) == 2
    opened.window.actions_by_id["lint"].trigger()
    assert looks(commands) == 2


@pytest.mark.req("BACK-5")
def test_the_backtest_is_run_once_for_a_result_while_the_tab_is_open(
    qtbot: QtBot, opened: WindowContent, tmp_path: Path
) -> None:
    path = tmp_path / "long.json"
    path.write_text(json.dumps(chat(40)))
    open_file(qtbot, opened, path)
    opened.page.show_tab("message")
    opened.backend.set_value("compression.context-limit", 1000)
    opened.backend.set_value("compression.preserve-threshold", 0.25)
    settle(qtbot, opened)
    commands, tab = calls_from_now(opened), opened.page.inspector.losses

    def studies() -> int:
        return sum(is_call_of(one, PanelService.studies) for one in commands)

    assert tab.backtest.text == ""
    opened.page.show_tab("losses")
    settle(qtbot, opened)
    assert tab.backtest.text.startswith("Backtest: at ")
    assert "points of its own past it would have kept " in tab.backtest.text
    assert opened.page.verdict.losses_cell.cell.text.startswith("keeps ")
    opened.page.show_tab("message")
    opened.page.show_tab("losses")
    settle(qtbot, opened)
    assert studies() == 1
    opened.page.request_panels()
    settle(qtbot, opened)
    assert studies() == 1
    assert "Backtest: at " in tab.words.text
    assert tab.backtest.text == ""
    opened.backend.set_value("compression.preserve-threshold", 0.3)
    settle(qtbot, opened)
    assert tab.backtest.text.startswith(
        "Backtest: at "
    )  # it comes with the pages while the tab is in front
    assert studies() == 1


def test_the_link_of_a_large_session_asks_for_its_lines(
    qtbot: QtBot, opened: WindowContent
) -> None:
    commands, tab = calls_from_now(opened), opened.page.inspector.losses
    tab.show_lines(UNREQUESTED_LINES)
    tab.excerpts.link_activated.emit("studies:")
    assert tab.lines is UNREQUESTED_LINES  # a cancelled search can be asked again
    (call,) = commands
    assert is_call_of(call, PanelService.studies)
    assert call.arguments[-1] is True
    settle(qtbot, opened)


def test_what_a_model_would_cost_stands_below_the_backtest(qtbot: QtBot) -> None:
    tab = LossesTab()
    tab.show_ask("Ask a model")
    tab.show_backtest("Backtest: –")
    expose(qtbot, tab)
    assert tab.backtest.y() < tab.ask.y()


@pytest.mark.req("EXC-4")
def test_useful_lines_are_put_back_and_taken_out_again(
    qtbot: QtBot, opened: WindowContent
) -> None:
    open_file(qtbot, opened, SAMPLES / "fix-flaky-upload.jsonl")
    opened.backend.set_values(
        (
            ("compression.strategy", "top-down-truncation"),
            ("compression.context-limit", 9_000),
        )
    )
    settle(qtbot, opened)
    link = opened.page.inspector.losses.excerpts
    offered, count = link.text, result_length(opened)
    assert re.fullmatch(r"Put the 40 most useful lines back · \+[\d,]+ tokens", offered)
    link.link_activated.emit(link.links[0])
    settle(qtbot, opened)
    assert link.text == "Take the lines out again"
    assert result_length(opened) == count + 1
    link.link_activated.emit(link.links[0])
    settle(qtbot, opened)
    assert (link.text, result_length(opened)) == (offered, count)


@pytest.mark.req("EXC-4")
def test_lines_are_offered_where_only_names_are_gone(
    qtbot: QtBot, opened: WindowContent
) -> None:
    open_file(qtbot, opened, SAMPLES / "fix-flaky-upload.jsonl")
    opened.backend.set_values(
        (
            ("compression.strategy", "mask-observations"),
            ("compression.context-limit", 60_000),
        )
    )
    settle(qtbot, opened)
    losses = opened.page.inspector.losses
    page = known(losses.page)
    assert page.gone == 0
    assert {row.kind for row in page.rows if row.status == "gone"} == {"name"}
    assert losses.excerpts.isVisibleTo(losses)
    assert losses.excerpts.text.startswith("Put the 40 most useful lines back")


def result_length(opened: WindowContent) -> int:
    return len(known(opened.page.preview).result.rows)


def test_a_draft_makes_it_pale_and_asks_nothing(
    qtbot: QtBot, opened: WindowContent
) -> None:
    opened.page.losses.show_page(PAGE)
    settle(qtbot, opened)
    commands = calls_from_now(opened)
    screen = known(opened.page.preview)
    opened.page.show_screen(replace(screen, provisional=True))
    assert not opened.page.inspector.losses.fact_list.isEnabled()
    assert [one.method for one in commands] == ["PanelService.pages"]


def test_the_ruler_shows_where_lost_facts_were_and_a_fact_keeps_the_tab(
    opened: WindowContent,
) -> None:
    opened.page.show_tab("losses")
    opened.page.losses.show_page(PAGE)
    assert opened.page.inspector.tabs.tabBar().accessibleTabName(1) == "Losses 1"
    opened.page.inspector.show_losses(replace(PAGE, gone=None))
    assert opened.page.inspector.tabs.tabBar().accessibleTabName(1) == "Losses ?"
    assert list(opened.page.ruler.lost_messages) == [88]
    opened.page.inspector.losses.fact_list.link_activated.emit("before:12")
    assert opened.page.selected == ("before", 12)
    assert opened.page.inspector.current_tab == "losses"
    view = opened.page.lists.list.view
    opened.page.lists.select("before", 2)
    place = QPoint(200, view.row_top(2) + view.row_pixels // 2)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (opened.page.selected[0], opened.page.inspector.current_tab) == (
        "before",
        "message",
    )
    opened.page.show_tab("losses")
    opened.page.show_tab("message")
    assert list(opened.page.ruler.lost_messages) == []


@pytest.mark.parametrize("can_repeat", [True, False])
def test_compacting_again_waits_for_the_page(
    qtbot: QtBot, opened: WindowContent, can_repeat: bool
) -> None:
    opened.page.show_tab("message")
    commands = calls_from_now(opened)
    opened.page.losses.show_screen(provisional=False)
    opened.window.actions_by_id["compact-again"].trigger()
    assert commands == []
    opened.page.losses.show_page(replace(PAGE, can_repeat=can_repeat))
    assert (call_of(InspectorService.rounds) in commands) is can_repeat
    settle(qtbot, opened)


def test_a_count_that_was_cancelled_can_be_asked_for_again(tab: LossesTab) -> None:
    tab.show_page(None)
    tab.show_not_counted()
    assert tab.words.text == "not counted · Count now"


def line(number: int) -> LossRow:
    return LossRow(
        status="line",
        kind="the model",
        label="line",
        text=f"line {number}",
        note=f"#{number + 1}",
        source_index=number,
        line=f"line {number}: the whole of it",
    )


def test_every_line_that_is_gone_has_a_button_that_puts_it_back(
    tab: LossesTab, qtbot: QtBot
) -> None:
    tab.show_lines(LinesPage(tuple(map(line, range(9)))))
    QApplication.processEvents()
    assert len(tab.line_list.fact_model.rows) == 3
    tab.more_lines.click()
    assert len(tab.line_list.fact_model.rows) == 9
    rows = [tab.line_list.fact_model.index(number) for number in range(9)]
    buttons = [
        known(tab.line_list.indexWidget(row)).findChildren(QPushButton)[-1]
        for row in rows
    ]
    assert {button.text() for button in buttons} == {"Put back"}
    assert all(
        tab.line_list.viewport()
        .rect()
        .contains(button.mapTo(tab.line_list.viewport(), QPoint()))
        for button in buttons[:3]
    )
    with qtbot.waitSignal(tab.link_activated) as went:
        buttons[4].click()
    assert went.args == ["line:4:line 4: the whole of it"]


def test_without_lines_nothing_is_said_of_them(tab: LossesTab) -> None:
    assert not tab.line_list.isVisible()
    assert not tab.more_lines.isVisible()


def test_a_line_is_put_back_into_the_result(
    qtbot: QtBot, opened: WindowContent
) -> None:
    space = opened
    space.page.show_tab("losses")
    settle(qtbot, space)
    before = space.page.inspector.losses.lines
    first = before.lines[0]
    space.page.follow_link(f"line:{first.source_index}:{first.line}")
    settle(qtbot, space)
    after = space.page.inspector.losses.lines
    assert first.line not in [row.line for row in after.lines]
    assert [span.text for span in after.link][-1] == "Take the 1 line out again"
    space.page.follow_link("excerpts:out")
    settle(qtbot, space)
    assert space.page.inspector.losses.lines == before

"""The two lists: rows, keys, folds, filter, selection, linked scrolling, ribbons; while a file is read."""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.app.events import ReadingProgressEvent, WorkingEvent
from core.presentation.lists.row_plan import RowKind
from core.presentation.lists.row_wording import counterpart_message
from core.presentation.model import FateRun, RowsReadEvent, Screen
from gui.backend import BackendClient
from gui.file_opening import ReadingStrip
from gui.inspect.inspect_page import InspectPage
from gui.inspect.lists.list_pair import LinkedLists
from gui.inspect.lists.table_model import MessageListModel, side_content
from gui.widgets.theme import body_font
from tests.gui.session_screen import INSERTED, KEPT, SUMMARISED, session_screen

Show = Callable[..., LinkedLists]


def test_a_list_of_a_new_transcript_is_painted_where_it_stays(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen, height=300)
    lists.set_rows(screen.before)  # as while a file is read
    places = []
    for _ in lists.show_in_steps(screen):
        places.append([side.view.verticalScrollBar().value() for side in (lists.before, lists.after)])
    before, after = (side.view.verticalScrollBar().value() for side in (lists.before, lists.after))
    assert before > 0
    assert after > 0
    assert [places[0][0], places[1]] == [before, [before, after]]


def model_of(screen: Screen, side: str) -> MessageListModel:
    model = MessageListModel(side)
    model.show_content(side_content(screen, side))
    return model


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("strategy", ["middle-out", "high-density"])
def test_the_model_keeps_qt_rules(qtmodeltester: ModelTester, side: str, strategy: str) -> None:
    qtmodeltester.check(model_of(session_screen(strategy, messages=120), side), force_py=True)  # type: ignore[no-untyped-call]


def test_rows_speak_for_themselves() -> None:
    screen = session_screen(messages=120)
    model = model_of(screen, "after")
    row = model.plan.rows[len(screen.after) - 1]
    assert model.accessible_text(row).startswith(f"#{len(screen.after)} ")
    assert "was #120" in model.accessible_text(row)
    assert model.accessible_text(model.plan.kinds.index(RowKind.COMPACTED)).startswith("— context compacted")


def test_the_model_grows_with_what_is_read() -> None:
    rows = session_screen(messages=60).before
    model = MessageListModel("before")
    for start, part in ((0, rows), (60, rows), (120, rows)):
        model.append(RowsReadEvent(1, start, part))
    assert model.rowCount() == 180
    counted = replace(rows, tokens=array("q", range(60)))
    model.append(RowsReadEvent(1, 60, counted))  # replaces the rows that were not counted yet
    assert model.rowCount() == 180
    assert model.content.rows.tokens[60:120] == counted.tokens
    assert model.content.rows.tokens[:60] == model.content.rows.tokens[120:] == rows.tokens


def test_arrow_keys_fold_and_unfold(show_lists: Show) -> None:
    before = show_lists(session_screen()).before
    fold = list(before.model.plan.kinds).index(RowKind.FOLD)
    before.view.setCurrentIndex(before.model.index(fold, 0))
    QTest.keyClick(before.view, Qt.Key.Key_Right)
    assert before.model.plan.kinds[fold] == RowKind.OPEN_FOLD
    QTest.keyClick(before.view, Qt.Key.Key_Down)
    QTest.keyClick(before.view, Qt.Key.Key_Left)  # from inside
    assert before.model.plan.kinds[fold] == RowKind.FOLD
    assert before.view.currentIndex().row() == fold


def test_moving_selects_and_says_so(show_lists: Show, qtbot: QtBot) -> None:
    lists = show_lists(session_screen())
    lists.select("before", 4)
    with qtbot.waitSignal(lists.selected) as caught:
        QTest.keyClick(lists.before.view, Qt.Key.Key_Down)
    assert caught.args == ["before", 5]
    assert lists.current_message() == ("before", 5)


def test_selecting_by_program_is_silent_and_opens_the_fold(show_lists: Show, qtbot: QtBot) -> None:
    lists = show_lists(session_screen())
    with qtbot.assertNotEmitted(lists.selected):
        lists.select("before", 200)
    assert lists.before.model.plan.kind_and_index(lists.before.view.currentIndex().row()) == (
        RowKind.MESSAGE,
        200,
    )
    start, end = lists.before.visible_range()
    assert start <= 200 < end


def test_the_pair_partner_is_bracketed_and_reached_by_key(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    call = next(index for index in range(10) if index in screen.partners)
    partner = screen.partners[call][0]
    lists.select("before", call)
    assert lists.before.view.delegate.selected == {call, partner}
    QTest.keyClick(lists.before.view, Qt.Key.Key_BracketRight)
    assert lists.current_message() == ("before", partner)


def test_o_goes_to_the_other_end(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    lists.select("before", 200)
    QTest.keyClick(lists.before.view, Qt.Key.Key_O)
    assert lists.current_message() == ("after", counterpart_message(screen.runs, "before", 200))


def test_the_selection_follows_its_message_into_the_next_preview(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    last = len(screen.after) - 1
    lists.select("after", last)
    next_screen = session_screen("high-density")
    lists.set_screen(next_screen)
    assert next_screen.origin[lists.after.current_message()] == screen.origin[last]


def test_chips_count_filter_and_solo(show_lists: Show) -> None:
    before = show_lists(session_screen()).before
    kept, summarised = before.chips.chips
    QTest.mouseClick(kept, Qt.MouseButton.LeftButton)
    assert before.model.hidden == {KEPT}
    assert before.model.rowCount() == before.model.content.fates.count(SUMMARISED) + 2
    QTest.mouseClick(summarised, Qt.MouseButton.LeftButton)  # hiding the last one shows all again
    assert before.model.hidden == frozenset()
    QTest.mouseClick(kept, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier)
    assert before.model.hidden == {SUMMARISED}


class LayoutCounter(QObject):
    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def test_chips_that_left_out_their_words_ask_for_no_more_layouts(show_lists: Show, qtbot: QtBot) -> None:
    lists = show_lists(session_screen())
    chips = lists.before.chips
    chips.setMaximumWidth(sum(chip.sizeHint().width() for chip in chips.chips))
    qtbot.waitUntil(lambda: chips.chips[0].text() == chips.chips[0].texts[1])
    layouts = LayoutCounter(chips)
    for _ in range(20):
        QCoreApplication.sendPostedEvents()
    assert layouts.count <= 2


def test_scrolling_keeps_a_kept_row_at_the_height_of_its_source(show_lists: Show) -> None:
    screen = session_screen("high-density")
    lists = show_lists(screen)
    bar = lists.before.view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    near = lists.before.visible_range()[0] + lists.before.view.anchor_height() // 24
    index = next(i for i in range(near, len(screen.before)) if screen.fates[i] == KEPT)
    after = counterpart_message(screen.runs, "before", index)
    assert abs(lists.before.row_rect(index).top() - lists.after.row_rect(after).top()) <= 24


def test_both_lists_follow_a_boundary(show_lists: Show) -> None:
    lists = show_lists(session_screen())
    lists.show_boundary(380)
    assert lists.before.visible_range()[0] < 380 < lists.before.visible_range()[1]
    start, end = lists.after.visible_range()
    assert any(lists.after.model.content.source(index) in range(370, 390) for index in range(start, end))
    lists.show_boundary(-1)


def test_a_ribbon_click_aligns_both_lists(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen, height=300)
    lists.align_run(screen.runs[1])
    tops = {one.row_rect(span[0]).top() for one, span in
            ((lists.before, screen.runs[1].before), (lists.after, screen.runs[1].after))}  # fmt: skip
    assert len(tops) == 1


def test_runs_behind_a_closed_fold_share_a_ribbon(show_lists: Show) -> None:
    screen = session_screen()
    top, middle, bottom = screen.runs
    (start, end), gone = middle.before, (middle.after[1], middle.after[1])
    dropped = [FateRun(3 + place % 2, (place, place + 1), gone) for place in range(start + 1, end)]
    first = middle._replace(before=(start, start + 1))
    lists = show_lists(replace(screen, runs=(top, first, *dropped, bottom)), height=600)
    edges = [(ribbon.left, ribbon.right) for ribbon in lists.ribbons.ribbons]
    assert len(set(edges)) == len(edges)
    shared = [ribbon.run for ribbon in lists.ribbons.ribbons if ribbon.includes(dropped[len(dropped) // 2])]
    assert [run.before[1] for run in shared] == [lists.before.model.plan.folded_runs[0].end]


@pytest.mark.parametrize(("width", "compact", "ribbons"), [(978, False, 48), (748, True, 32)])
def test_narrow_lists_are_compact(show_lists: Show, width: int, compact: bool, ribbons: int) -> None:
    lists = show_lists(session_screen(), width)
    assert lists.before.view.delegate.columns.compact is compact
    assert bool(lists.after.view.delegate.columns.origin) is not compact
    assert lists.ribbons.width() == ribbons
    assert abs(lists.before.width() - lists.after.width()) <= 1


def test_below_632_there_is_one_list_with_a_switch(show_lists: Show) -> None:
    lists = show_lists(session_screen(), 631)
    assert lists.before.isVisible()
    assert not lists.after.isVisible()
    lists.select("after", 3)
    assert lists.after.isVisible()
    assert not lists.before.isVisible()


def test_a_summary_of_other_settings_is_called_out_of_date_and_hatched(show_lists: Show) -> None:
    lists = show_lists(session_screen())
    lists.after.scroll_to(lists.after.model.content.fates.index(INSERTED))
    fresh = lists.after.grab().toImage()
    lists.set_screen(replace(session_screen(), stale=True))
    assert lists.after.header.accessibleName().startswith("After, out of date")
    assert not lists.before.header.accessibleName().startswith("Before, out of date")
    row = lists.after.row_rect(lists.after.model.content.fates.index(INSERTED))
    assert lists.after.grab().toImage().copy(row) != fresh.copy(row)


def test_a_filter_that_leaves_nothing_says_so(show_lists: Show) -> None:
    lists = show_lists(session_screen())
    said = lists.before.empty_text
    assert said.isHidden()
    lists.set_masks(bytes(len(lists.before.rows)), b"")
    assert said.isVisible()
    lists.set_masks(b"", b"")
    assert said.isHidden()


def test_a_tooltip_shows_markup_as_it_is() -> None:
    screen = session_screen(messages=120)
    model = model_of(screen, "after")
    row = model.plan.rows[screen.after_fates.index(INSERTED)]
    assert "&lt;state_snapshot&gt;" in model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole)


SCREEN = session_screen(messages=60)
ROWS = SCREEN.before
UNCOUNTED = replace(ROWS, tokens=array("q", [-1]) * len(ROWS))


@pytest.fixture
def page(qtbot: QtBot, qapp: QApplication) -> Iterator[InspectPage]:
    qapp.setFont(body_font())
    session = BackendClient()
    inspect_page = InspectPage(session)
    qtbot.addWidget(inspect_page)
    inspect_page.resize(1400, 800)
    inspect_page.show()
    yield inspect_page
    session.close()


def test_rows_are_shown_before_they_are_counted(page: InspectPage) -> None:
    page._loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page._loading.show_rows(RowsReadEvent(1, 60, UNCOUNTED))
    assert list(page.lists.before.rows.tokens) == [-1] * 120
    assert page.lists.before.model.content.header_text == "120 messages so far"
    page._loading.show_rows(RowsReadEvent(1, 0, ROWS))
    assert list(page.lists.before.rows.tokens) == [*ROWS.tokens, *[-1] * 60]


def test_the_ruler_grows_to_the_right(qtbot: QtBot, page: InspectPage) -> None:
    page._loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page._loading.show_rows(RowsReadEvent(1, 60, UNCOUNTED))
    page._loading.show_rows(RowsReadEvent(1, 0, ROWS))
    total = sum(ROWS.tokens)
    qtbot.waitUntil(lambda: page.ruler._view.total == 2 * total, timeout=20_000)


def test_a_preview_takes_the_place_of_what_was_filling(page: InspectPage) -> None:
    page._loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page.begin()  # its title is known
    assert len(page.lists.before.rows) == 60
    page.show_screen(SCREEN)
    page.finish()
    assert page.lists.before.rows == ROWS
    assert len(page.lists.after.rows) == len(SCREEN.after)


def test_a_cancelled_reading_leaves_the_open_transcript(page: InspectPage) -> None:
    page.show_screen(SCREEN)
    page.finish()
    page._loading.show_rows(RowsReadEvent(9, 0, replace(UNCOUNTED)))
    assert page.lists.before.rows.tokens[0] == -1
    page._session.idle.emit()
    page.finish()
    assert page.lists.before.rows == ROWS
    assert page.preview is SCREEN


def test_once_all_is_read_there_is_nothing_to_stop(qtbot: QtBot) -> None:
    strip = ReadingStrip()
    qtbot.addWidget(strip)
    stop = next(one for one in strip.findChildren(QPushButton) if one.text().startswith("Stop here"))
    strip.begin("session.jsonl")
    strip.show_reading(ReadingProgressEvent(0.5, "reading line 20"))
    assert not stop.isHidden()
    strip.show_working(WorkingEvent("Counting tokens: message 3 of 40", 0.1))
    assert stop.isHidden()
    assert "Counting tokens: message 3 of 40" in [one.text() for one in strip.findChildren(QLabel)]

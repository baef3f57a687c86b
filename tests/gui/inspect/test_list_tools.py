"""Finding and marking in the lists: filter bar, masks, flags in the gutter, overview strip,
menu."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.presentation.lists.row_plan import RowFlag
from core.presentation.model import PickerChoice
from gui.inspect.lists.aligned_list import AlignedList, FilterBar
from gui.inspect.lists.table_view import flag_per_pixel, message_at
from gui.inspect.run_dialogs import CompareRunsDialog, NameRunDialog
from tests.gui.session_screen import INSERTED, session_screen

Show = Callable[..., AlignedList]
RUNS = tuple(
    PickerChoice(str(number), f"run {number} · middle-out") for number in (1, 2, 3)
)


@pytest.fixture
def bar(qtbot: QtBot) -> Iterator[FilterBar]:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(600, 80)
    filter_bar = FilterBar(parent)
    filter_bar.setGeometry(QRect(0, 0, 600, 60))
    parent.show()
    filter_bar.open_bar()
    yield filter_bar
    del parent


def test_filtered_rows_go_from_both_sides_and_come_back(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    model = lists.list.model
    rows = model.rowCount()
    before, after = (
        bytearray(len(screen.source.rows)),
        bytearray(len(screen.result.rows)),
    )
    before[3] = before[200] = after[3] = 1
    lists.set_masks(bytes(before), bytes(after))
    shown = [model.plan.message_at(row) for row in range(model.rowCount())]
    assert [message for message in shown if message[1] >= 0] == [
        ("before", 3),
        ("before", 200),
    ]
    assert model.plan.row_of("after", 4) == -1
    assert "in the summary, #" in model.accessible_text(
        model.plan.row_of("before", 200)
    )
    lists.set_masks(b"", b"")
    assert model.rowCount() == rows


def test_a_message_that_is_gone_to_shows_through_the_filter(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    lists.set_masks(bytes(len(screen.source.rows)), bytes(len(screen.result.rows)))
    lists.select("before", 40)
    assert lists.list.model.plan.row_of("before", 40) >= 0
    assert lists.list.model.plan.row_of("before", 41) == -1


# Filter bar


def test_it_is_green_red_and_silent_while_nothing_changes(
    bar: FilterBar, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(bar.filter_requested) as signal:
        QTest.keyClicks(bar.field, "error")
    assert signal.args == ["error"]
    assert bar.field.property("state") == "ok"
    QTest.keyClicks(bar.field, " fate:x")
    qtbot.waitUntil(
        lambda: bar.reason.full_text.startswith("Character 12: there is no fate x.")
    )
    assert bar.field.property("state") == "error"
    with qtbot.assertNotEmitted(bar.filter_requested):
        bar.submit()


def test_enter_goes_on_to_the_rows_unless_it_is_wrong(
    bar: FilterBar, qtbot: QtBot
) -> None:
    QTest.keyClicks(bar.field, "tokens>")
    with qtbot.assertNotEmitted(bar.entered):
        QTest.keyClick(bar.field, Qt.Key.Key_Return)
    QTest.keyClicks(bar.field, "9")
    with qtbot.waitSignals([bar.filter_requested, bar.entered]):
        QTest.keyClick(bar.field, Qt.Key.Key_Return)


# Flags


def test_flags_stand_in_the_gutters_of_both_sides(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    gutter = lists.list.view.rows.columns.gutter
    lists.set_flag(RowFlag.MARK, {3, 200})
    lists.set_flag(RowFlag.KEEP, {3})
    assert lists.flagged_messages(RowFlag.MARK) == {3, 200}
    assert lists.list.view.rows.columns.gutter > gutter
    content, flags = lists.list.model.after, lists.list.view.rows.flags
    assert content.row_flags(3, flags) == RowFlag.MARK | RowFlag.KEEP
    new = screen.result.fates.index(INSERTED)
    assert content.row_flags(new, flags) == RowFlag.NONE
    lists.set_flag(RowFlag.MARK, ())
    lists.set_flag(RowFlag.KEEP, ())
    assert lists.list.view.rows.columns.gutter == gutter


# Overview strip


def test_a_hundred_thousand_messages_are_each_looked_at_once() -> None:
    """Each message belongs to exactly one pixel."""
    size, height = 100_000, 713
    starts = [message_at(y, size, height) for y in range(height)]
    assert starts == sorted(set(starts))
    marked = bytearray(size)
    marked[54_321] = 1
    assert flag_per_pixel(bytes(marked), size, height).count(1) == 1


def test_a_click_on_the_strip_jumps(show_lists: Show) -> None:
    screen = session_screen("high-density", messages=2000)
    lists = show_lists(screen)
    strip_of = lists.list.overview
    assert lists.list.view.verticalScrollBar() is strip_of
    QTest.mouseClick(
        strip_of, Qt.MouseButton.LeftButton, pos=QPoint(5, strip_of.height() // 2)
    )
    start, end = lists.list.view.visible_range()
    assert start <= 1000 <= end


# The menu of a row


def test_the_menu_is_asked_for_the_row_under_the_pointer(
    show_lists: Show, qtbot: QtBot
) -> None:
    lists = show_lists(session_screen())
    view = lists.list.view
    row = view.visible_rows()[3]
    place = QPoint(60, view.row_top(row) + 5)
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, place, view.viewport().mapToGlobal(place)
    )
    chosen: list[tuple[object, ...]] = []
    lists.list.selected.connect(lambda *place: chosen.append(place))
    with qtbot.waitSignals([lists.list.selected, lists.list.view.menu_requested]):
        QApplication.sendEvent(view.viewport(), event)
    assert chosen[-1] == view.message_model.plan.message_at(row)


# Named runs


def test_a_run_is_kept_under_the_name_that_was_written(qtbot: QtBot) -> None:
    dialog = NameRunDialog(None, RUNS, "2")  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.show()
    QTest.keyClicks(dialog.name_field, "before the tests")
    with qtbot.waitSignal(dialog.run_named) as named:
        QTest.keyClick(dialog.name_field, Qt.Key.Key_Return)
    assert named.args == ["2", "before the tests"]


def test_two_different_runs_are_chosen(qtbot: QtBot) -> None:
    dialog = CompareRunsDialog(None, RUNS)  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.focusWidget() is dialog.before_picker
    assert (dialog.before_picker.currentData(), dialog.after_picker.currentData()) == (
        "2",
        "3",
    )
    dialog.after_picker.setCurrentIndex(1)
    assert not dialog.accept_button.isEnabled()
    dialog.before_picker.setCurrentIndex(0)
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.accept_button.click()
    assert chosen.args == ["1", "2"]

"""The message row: the shown notice, topics, links, the field, which notices go and which stay."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.presentation.model import Notice, NoticeAction
from gui.widgets.message_row import MessageRow, NoticeWords
from gui.widgets.text_labels import whole_parts

INFO = Notice("info", "Nothing to compact.", "Between top and bottom lie 3 messages.")
WARNING = Notice("warning", "3 lines could not be read", "and were left out.")
LIMIT = Notice(
    "warning",
    "high-density needs a context limit",
    "and none is known.",
    (NoticeAction("Set for this session", "set", "compression.context-limit="),),
)


@pytest.fixture
def bar(qtbot: QtBot) -> MessageRow:
    bar = MessageRow()
    qtbot.addWidget(bar)
    bar.show()
    return bar


def _link(bar: MessageRow, text: str) -> QPushButton:
    return next(one for one in bar.findChildren(QPushButton) if one.text() == text)


def test_the_newest_is_in_sight_and_the_others_are_counted(bar: MessageRow) -> None:
    bar.add(INFO)
    bar.add(WARNING)
    assert bar.notice == WARNING
    assert WARNING.title in bar.words.accessibleName()
    _link(bar, "1 of 2 ›").click()
    assert bar.notice == INFO


def test_an_error_comes_first_and_the_last_change_last(bar: MessageRow) -> None:
    change = Notice(
        "info",
        "Last change",
        "Keep Bottom 25 % → 20 %",
        (NoticeAction("Undo", "undo"),),
    )
    error = Notice("error", "haiku did not answer:", "no API key is set.")
    bar.set_change(change)
    assert bar.notice == change
    bar.add(error)
    bar.add(INFO)
    assert bar.notice == error
    bar.dismiss()
    bar.dismiss()
    assert bar.notice == change
    bar.clear()
    assert bar.notice is None


def test_the_last_change_is_said_before_what_was_said_earlier_and_one_click_behind_a_warning(
    bar: MessageRow,
) -> None:
    change = Notice(
        "info",
        "Last change:",
        "Keep Bottom 25 % → 20 %",
        (NoticeAction("Undo", "undo"),),
    )
    hint = Notice(
        "info",
        "Compacted before #71",
        "by Claude Code",
        (NoticeAction("See it", "see"),),
    )
    hint = replace(hint, topic="compacted")
    bar.add(hint)
    bar.set_screen((INFO,))
    bar.set_change(change)
    assert bar.notices == (change, INFO, hint)
    assert not bar.close_button.isVisibleTo(bar)  # the change is undone, not closed
    newer = replace(change, text="Keep Bottom 20 % → 15 %")
    bar.set_change(newer)
    bar.set_screen((INFO, WARNING))
    assert list(bar.notices) == [WARNING, newer, INFO, hint]
    _link(bar, "1 of 4 ›").click()
    assert bar.notice == newer
    _link(bar, "2 of 4 ›").click()
    assert bar.notice == INFO
    bar.set_change(None)
    assert WARNING in bar.notices
    assert newer not in bar.notices


def test_what_a_step_said_comes_before_a_warning_that_stands(bar: MessageRow) -> None:
    pinned = Notice(
        "info", "Pinned #7.", "", (NoticeAction("Undo", "undo"),), topic="pin"
    )
    bar.set_screen((pinned, WARNING), step_notices=1)
    assert list(bar.notices) == [pinned, WARNING]
    bar.set_screen((WARNING,))
    assert list(bar.notices) == [WARNING]


def test_an_error_gives_way_to_the_next_message(bar: MessageRow) -> None:
    bar.add(Notice("error", "haiku did not answer:", "no API key is set."))
    bar.add(WARNING)
    _link(bar, "1 of 2 ›").click()
    assert bar.notice == WARNING
    bar.dismiss()
    assert [notice.severity for notice in bar.notices] == ["error"]


def test_it_is_as_high_as_before_whatever_it_says(bar: MessageRow) -> None:
    bar.resize(1024, bar.height())
    height = bar.height()
    links = (NoticeAction("Try it", "strategy"),)
    details = Notice("error", "word " * 90, "more " * 90, links, "lines\n" * 40)
    for notice in (INFO, WARNING, LIMIT, details):
        bar.add(notice)
        QApplication.processEvents()
        assert (bar.width(), bar.height()) == (1024, height)
        assert all(link.width() >= link.sizeHint().width() for link in bar.links)
        assert bar.close_button.geometry().right() <= bar.width()
    assert "more more" in bar.words.toolTip()


@pytest.mark.parametrize("width", [720, 1024, 1440])
def test_a_long_notice_gives_way_to_its_links_and_to_work(
    qtbot: QtBot, width: int
) -> None:
    work = QWidget()
    bar = MessageRow(work=work)
    qtbot.addWidget(bar)
    bar.resize(width, bar.height())
    bar.show()
    long = "0 of your 6 messages left word for word, later turns missed 16 names; " * 3
    bar.add(
        Notice(
            "info",
            "Compacted before #71:",
            long.strip(),
            (NoticeAction("See it", "see"),),
        )
    )
    bar.add(WARNING)
    _link(bar, "1 of 2 ›").click()
    QApplication.processEvents()
    links = (*bar.links, _link(bar, "2 of 2 ›"))
    assert [one.text() for one in links if one.width() < one.sizeHint().width()] == []
    assert all(one.geometry().right() < work.x() for one in links)
    assert work.geometry().right() <= bar.width()
    assert long.strip() in bar.words.toolTip()
    assert long.strip() in bar.words.accessibleName()


def test_words_that_do_not_fit_are_said_in_short_and_whole_in_the_tooltip(
    qtbot: QtBot,
) -> None:
    bar = MessageRow(work=QWidget())
    qtbot.addWidget(bar)
    bar.show()
    whole, short = (
        ("Current context: 80 of 150 messages.", "word " * 30),
        ("Current context.", "16 missed"),
    )
    bar.add(Notice("info", *whole, short=short))
    shown = []
    for width in (4_000, 700):
        bar.resize(width, bar.height())
        QApplication.processEvents()
        shown.append(bar.words.displayed_words())
        assert whole[1].strip() in bar.words.toolTip()
    assert shown == [whole, short]


def test_a_text_of_which_a_word_would_fit_is_left_to_the_tooltip(qtbot: QtBot) -> None:
    words = NoticeWords()
    qtbot.addWidget(words)

    def picture(text: str) -> QImage:
        words.show_words("Current context.", text)
        return words.grab().toImage()

    title = words.fontMetrics().averageCharWidth()
    words.show_words("Current context.", "")
    words.resize(words.sizeHint().width() + 6 * title, 20)
    assert picture("0 of your 6 messages") == picture("")
    words.resize(words.width() + 60 * title, 20)
    assert picture("0 of your 6 messages") != picture("")


@pytest.mark.parametrize(
    ("rest", "end"), [(", 5 names missed", "…"), (" (of 27 names, 5 points)", "")]
)
def test_a_text_that_does_not_fit_ends_with_a_clause(
    qtbot: QtBot, rest: str, end: str
) -> None:
    words = NoticeWords()
    qtbot.addWidget(words)

    def picture(text: str) -> QImage:
        words.show_words("", text)
        return words.grab().toImage()

    clause = "0 of your 6 messages word for word"
    words.show_words("", f"{clause}{rest[:6]}")
    words.resize(words.sizeHint().width(), 20)
    assert picture(f"{clause}{rest}") == picture(f"{clause}{end}")


def test_the_last_parts_of_a_text_go_whole() -> None:
    metrics, text = (
        QFontMetrics(QApplication.font()),
        "After · 40 messages · summary not yet written",
    )
    room = metrics.horizontalAdvance(text)
    assert whole_parts(text, metrics, room) == text
    assert whole_parts(text, metrics, room - 1) == "After · 40 messages"
    assert whole_parts(text, metrics, 0) == "After"


def test_a_file_that_was_not_opened_after_all_leaves_errors_only(
    bar: MessageRow,
) -> None:
    error = Notice("error", "chat.json cannot be read", "line 3 is cut off.")
    for one in (error, WARNING, INFO):
        bar.add(one)
    bar.keep_errors()
    assert bar.notices == (error,)


def test_an_info_leaves_and_a_warning_stays(bar: MessageRow, qtbot: QtBot) -> None:
    bar.timer.setInterval(20)
    bar.add(WARNING)
    bar.add(INFO)
    qtbot.waitUntil(lambda: bar.notices == (WARNING,), timeout=2_000)
    qtbot.wait(60)
    assert bar.notices == (WARNING,)


def test_a_link_names_its_action(bar: MessageRow, qtbot: QtBot) -> None:
    bar.add(
        Notice("info", "a", "b", (NoticeAction("Try it", "strategy", "high-density"),))
    )
    with qtbot.waitSignal(bar.action_requested) as signal:
        _link(bar, "Try it").click()
    assert signal.args == ["strategy", "high-density"]


def test_a_missing_value_is_asked_in_a_field(bar: MessageRow, qtbot: QtBot) -> None:
    bar.add(LIMIT)
    assert bar.value_field.isVisible()
    bar.value_field.setText("200000")
    with qtbot.waitSignal(bar.action_requested) as signal:
        _link(bar, "Set for this session").click()
    assert signal.args == ["set", "compression.context-limit=200000"]


def test_the_keyboard_stays_where_it_was_when_a_notice_is_closed(qtbot: QtBot) -> None:
    window, bar = QWidget(), MessageRow()
    field, following = QLineEdit(), QLineEdit()
    column = QVBoxLayout(window)
    for part in (field, bar, following):
        column.addWidget(part)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    close = next(
        one
        for one in bar.findChildren(QPushButton)
        if one.accessibleName() == "Close this message"
    )
    field.setFocus()
    bar.add(WARNING)
    QTest.mouseClick(close, Qt.MouseButton.LeftButton)
    assert not bar.notices
    assert field.hasFocus()
    bar.add(WARNING)
    close.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(close, Qt.Key.Key_Space)
    assert not bar.notices
    assert field.hasFocus()


def test_the_keyboard_goes_back_when_its_notice_gives_way(qtbot: QtBot) -> None:
    window, bar = QWidget(), MessageRow()
    first, field = QLineEdit(), QLineEdit()
    column = QVBoxLayout(window)
    for part in (first, field, bar):
        column.addWidget(part)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    field.setFocus()
    bar.add(LIMIT)
    bar.value_field.setFocus()
    bar.add(WARNING)
    assert field.hasFocus()

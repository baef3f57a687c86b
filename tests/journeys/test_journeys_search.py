"""One search: the field, the rows from their match on, the marks in a message, and the keys."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.window_content import WindowContent
from tests.journeys.walks import open_transcript, settle

LONG = "We look at the pool first, then at the timeouts. " * 3


@pytest.fixture
def opened(qtbot: QtBot, space: WindowContent, tmp_path: Path) -> WindowContent:
    said = [
        "Mend the upload.",
        f"{LONG}Then retry three times.",
        "Retry less.",
        "Done.",
        "Go on.",
    ]
    path = tmp_path / "session.json"
    messages = [
        {"role": ("user", "assistant")[at % 2], "content": text}
        for at, text in enumerate(said)
    ]
    path.write_text(json.dumps(messages))
    open_transcript(qtbot, space, path)
    return space


def _find(qtbot: QtBot, space: WindowContent, text: str) -> None:
    bar = space.page.lists.filter_bar
    bar.open_bar(text)
    settle(qtbot, space)


@pytest.mark.parametrize(
    "keys",
    [
        (Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier),
        (Qt.Key.Key_Slash, Qt.KeyboardModifier.NoModifier),
    ],
)
def test_the_field_is_reached_from_every_panel(
    qtbot: QtBot, opened: WindowContent, keys: tuple[Qt.Key, Qt.KeyboardModifier]
) -> None:
    opened.page.go_to("before", 1)
    settle(qtbot, opened)
    opened.page.show_tab("message")
    reader = opened.page.inspector.message.reader
    opened.window.activateWindow()
    reader.setFocus()
    QTest.keyClick(reader, *keys)
    assert opened.page.lists.filter_bar.field.hasFocus()


def test_rows_begin_at_the_match_and_are_counted(
    qtbot: QtBot, opened: WindowContent
) -> None:
    _find(qtbot, opened, "RETRY")
    rows = opened.page.lists.list.view.rows
    before = opened.page.lists.list.model.before
    assert rows.match.needle == "retry"
    assert rows.match.text(before, 1).startswith("… ")
    assert rows.match.text(before, 1).endswith("Then retry three times.")
    assert rows.match.text(before, 2) == "Retry less."
    count = opened.page.lists.filter_bar.count
    assert count.full_text == "2 hold “retry”"
    _find(qtbot, opened, "unheard")
    assert count.full_text == "no message holds “unheard”"


def test_f3_goes_from_match_to_match_and_the_message_marks_it(
    qtbot: QtBot, opened: WindowContent
) -> None:
    _find(qtbot, opened, "retry")
    places = []
    for step in (1, 1, 1, -1):
        opened.page.tools.step_match(step)
        settle(qtbot, opened)
        places.append(opened.page.selected)
    assert places == [("before", 1), ("before", 2), ("before", 1), ("before", 2)]
    message = opened.page.inspector.message
    assert len(message.matches.positions) == 1
    assert len(message.reader.extraSelections()) == 1
    opened.page.lists.filter_bar.close_bar()
    assert len(opened.page.inspector.message.matches.positions) == 0


def test_a_stretch_of_the_ruler_is_shown_alone_and_told(
    qtbot: QtBot, opened: WindowContent
) -> None:
    page, lists = opened.page, opened.page.lists
    page.ruler.select_stretch(1, 3)
    settle(qtbot, opened)
    shown = [
        index
        for index in range(5)
        if lists.list.model.plan.row_of("before", index) >= 0
    ]
    assert shown == [1, 2]
    assert lists.filter_bar.stretch.text() == "#2–#3 ✕"
    assert "tokens · 1 of yours" in lists.filter_bar.stretch_words.full_text
    assert sum(count for _, count in lists.list.model.fate_counts()) == 2
    _find(qtbot, opened, "less")
    assert lists.filter_bar.count.full_text == "1 holds “less”"
    lists.filter_bar.close_bar()
    settle(qtbot, opened)
    assert not lists.filter_bar.isVisible()
    assert lists.list.model.plan.row_of("before", 0) >= 0


def test_esc_in_the_ruler_clears_the_stretch_and_shift_moves_its_end(
    qtbot: QtBot, opened: WindowContent
) -> None:
    ruler = opened.page.ruler
    ruler.select_stretch(1, 3)
    ruler.setFocus()
    QTest.keyClick(ruler, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert (ruler.stretch.first, ruler.stretch.end) == (1, 4)
    QTest.keyClick(ruler, Qt.Key.Key_Escape)
    assert ruler.stretch.first == -1
    settle(qtbot, opened)

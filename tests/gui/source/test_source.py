"""The opened file: chip, conversations, branches, reader, import report, recorded compactions."""

import json
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton
from pytestqt.qtbot import QtBot

from core.app.events import OpenRequest
from core.presentation.dialog_model import FORMAT
from core.presentation.model import PickerChoice
from core.settings.schema import LIMIT
from gui.file_opening import ImportDialog
from gui.widgets.row_tree import WrappedTree
from gui.widgets.side_dialog import PickDialog, SideList
from gui.window_content import WindowContent
from tests.gui.window_space import open_file, settle
from tests.support.forked_session import (
    SIDE,
    Line,
    ai,
    boundary,
    result,
    summary,
    task,
    text,
    user,
)
from tests.support.narrowing import known

Kind = TypeVar("Kind", bound=QDialog)
SECRET = "sk-ant-" + "a1" * 20


def _session() -> list[Line]:
    """A session that started a sub-agent, forked once and was compacted once; its last line is cut
    off."""
    lines = [user("u", None, "the main task"), ai("c", "u", task("t", "count"))]
    lines += [
        user("r", "c", [result("t")]),
        user("old", "r", "take this back"),
        ai("o", "old", text("Hm.")),
    ]
    lines += [user("new", "r", "go this way"), ai("n", "new", text("Well."))]
    lines += [
        boundary("b", preTokens=50, postTokens=90),
        summary("s", "b"),
        user("v", "s", "and on"),
    ]
    return [
        *lines,
        user("s1", None, "count", **SIDE),
        ai("s2", "s1", text("Seven."), **SIDE),
    ]


@pytest.fixture
def space(qtbot: QtBot, shared_window: WindowContent, tmp_path: Path) -> WindowContent:
    path = tmp_path / "session.jsonl"
    lines = [json.dumps(line) for line in _session()]
    path.write_text("\n".join([*lines, f'{{"type": "broken {SECRET}']), "utf-8")
    open_file(qtbot, shared_window, path)
    return shared_window


def _messages(space: WindowContent) -> int:
    return len(known(space.page.preview).source.rows)


def _dialog(space: WindowContent, kind: type[Kind]) -> Kind:
    return next(one for one in space.window.findChildren(kind) if one.isVisible())


def _rows(dialog: PickDialog) -> list[str]:
    """The offered rows, each with its number."""
    shown = known(dialog.findChild(SideList))
    items = map(shown.item, range(shown.count()))
    number = Qt.ItemDataRole.UserRole + 1
    return [f"{item.data(number)} {item.toolTip()}" for item in items]


def _lines(dialog: ImportDialog) -> list[str]:
    tree = known(dialog.findChild(WrappedTree))
    found = []
    for number in range(tree.topLevelItemCount()):
        section = known(tree.topLevelItem(number))
        for row in range(section.childCount()):
            line = known(section.child(row))
            found.append(f"{line.text(0).strip()} {line.text(1)}")
    return found


def _links(space: WindowContent) -> dict[str, QPushButton]:
    return {
        one.objectName(): one
        for one in space.toolbar.popup.findChildren(QPushButton)
        if one.objectName()
    }


def test_the_context_says_what_is_open_and_where_else_to_go(
    space: WindowContent,
) -> None:
    assert "conversation 1 of 2 · branch 1 of 2" in space.toolbar.chip.text()
    texts = [link.text() for link in _links(space).values()]
    assert texts == [
        "conversation 1 of 2",
        "branch 1 of 2",
        "Claude Code",
        "1 import warning",
    ]
    assert "uuid and parentUuid" in _links(space)["format"].toolTip()


def test_at_every_width_it_is_said_which_of_several_conversations_is_open(
    qtbot: QtBot, space: WindowContent
) -> None:
    size = space.window.size()
    try:
        for width in range(1440, 1000, -40):
            space.window.resize(width, size.height())
            settle(qtbot, space)
            assert "1 of 2" in space.toolbar.chip.text(), width
    finally:
        space.window.resize(size)


def test_the_first_conversation_with_messages_is_opened(
    qtbot: QtBot, shared_window: WindowContent, tmp_path: Path
) -> None:
    path = tmp_path / "several.json"
    asked = [
        {"role": "user", "content": "which tides?"},
        {"role": "assistant", "content": "42"},
    ]
    path.write_text(
        json.dumps([{"id": "a", "messages": []}, {"id": "b", "messages": asked}]),
        "utf-8",
    )
    open_file(qtbot, shared_window, path)
    assert "conversation 2 of 2" in shared_window.toolbar.chip.text()
    shared_window.source.open_conversation(1)
    settle(qtbot, shared_window)
    assert "conversation 1 of 2" in shared_window.toolbar.chip.text()


def test_another_conversation_is_chosen_by_keys(
    qtbot: QtBot, space: WindowContent
) -> None:
    space.window.actions_by_id["conversations"].trigger()
    dialog = _dialog(space, PickDialog)
    assert _rows(dialog) == [
        "1 the main task: open · 6 messages",
        "2 count: sub-agent · 2 messages",
    ]
    QTest.keyClicks(dialog.field, "sub")
    assert _rows(dialog) == ["2 count: sub-agent · 2 messages"]
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert _messages(space) == 2
    assert "conversation 2 of 2" in space.toolbar.chip.text()


def test_another_branch_is_chosen_with_the_mouse_and_the_arrows(
    qtbot: QtBot, space: WindowContent
) -> None:
    parts = {one.text(): one for one in space.toolbar.chip.findChildren(QPushButton)}
    QTest.mouseClick(parts["branch 1 of 2 ▾"], Qt.MouseButton.LeftButton)
    dialog = _dialog(space, PickDialog)
    assert _rows(dialog)[1] == "2 take this back: 5 messages · leaves at line 4"
    QTest.keyClick(dialog.field, Qt.Key.Key_Down)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert _messages(space) == 5
    assert "branch 2 of 2" in space.toolbar.chip.text()


def test_a_call_leads_to_the_conversation_of_its_sub_agent(
    qtbot: QtBot, space: WindowContent
) -> None:
    space.backend.set_scope("all")
    settle(qtbot, space)
    space.page.go_to("before", 1)
    space.page.show_tab("why")
    settle(qtbot, space)
    page = known(space.page.inspector.page)
    links = [
        span.link for section in page.sections for span in section.text if span.link
    ]
    assert "conversation:2" in links
    space.page.follow_link("conversation:2")
    settle(qtbot, space)
    assert _messages(space) == 2


def _formats(space: WindowContent) -> list[QAction]:
    """Open the menu of readers, and close it again."""
    space.source.follow_link(FORMAT, QPoint())
    space.source.formats.close()
    return space.source.formats.actions()


def _choose_format(space: WindowContent, name: str) -> None:
    next(one for one in _formats(space) if one.data() == name).trigger()


def test_a_reader_that_cannot_read_it_says_so_and_leaves_what_was_open(
    qtbot: QtBot, space: WindowContent
) -> None:
    shown = _messages(space)
    _choose_format(space, "atif")
    settle(qtbot, space)
    assert "no trajectory" in space.bar.notices[0].title
    assert _messages(space) == shown
    assert space.file is not None
    assert (space.file.reader.format, space.file.reader.forced) == ("claude_code", "")
    space.source.open_conversation(2)
    settle(qtbot, space)
    assert space.file.reader.format == "claude_code"


def test_a_forced_reader_is_marked_and_kept_for_the_other_conversations(
    qtbot: QtBot, space: WindowContent
) -> None:
    _choose_format(space, "claude_code")
    settle(qtbot, space)
    checked = [one.data() for one in _formats(space) if one.isChecked()]
    assert checked == ["claude_code"]
    sent: list[object] = []
    space.source.open_requested.connect(sent.append)
    space.source.open_conversation(2)
    assert isinstance(sent[0], OpenRequest)
    assert (sent[0].format, sent[0].conversation) == ("claude_code", 2)
    settle(qtbot, space)


def test_the_import_report_lists_each_line_and_copies_without_secrets(
    qtbot: QtBot, space: WindowContent
) -> None:
    notice = next(one for one in space.bar.notices if one.topic == "import")
    assert notice.actions[0].label == "Reading report"
    space.commands.follow("import-report", "")
    dialog = _dialog(space, ImportDialog)
    assert "session.jsonl:13 incomplete JSON (file still being written?)" in _lines(
        dialog
    )
    assert "2 × side chain, first in session.jsonl:11" in _lines(dialog)
    next(
        one for one in dialog.findChildren(QPushButton) if one.text() == "Copy"
    ).click()
    assert "session.jsonl:13" in QApplication.clipboard().text()
    assert dialog.message.text() == "Copied."


def test_a_recorded_row_shows_its_page_and_leads_to_the_scopes(
    qtbot: QtBot, space: WindowContent
) -> None:
    lists = space.page.lists.list
    row = next(
        row
        for row in range(len(lists.model.plan))
        if "recorded 1" in lists.model.accessible_text(row)
    )
    rect = lists.view.visualRect(lists.model.index(row, 0))
    QTest.mouseClick(
        lists.view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center()
    )
    settle(qtbot, space)
    page = known(space.page.inspector.page)
    assert page.title == "Recorded 1 of 1"
    assert "grew by 40 tokens" in page.sentence[0].text
    space.page.follow_link("scope:before:1")
    settle(qtbot, space)
    assert _messages(space) == 5
    assert space.toolbar.scope.currentText().startswith("before compaction 1 · ")
    assert known(space.page.inspector.page).title == "Recorded 1 of 1"
    space.page.follow_link("scope:current")
    settle(qtbot, space)
    assert _messages(space) == 2
    space.page.follow_link("beside:1")
    settle(qtbot, space)
    assert "beside" in [notice.topic for notice in space.bar.notices]


def test_thousands_of_conversations_are_searched_by_all_words(qtbot: QtBot) -> None:
    many = tuple(
        PickerChoice(str(number), f"task {number % 7}", "sample")
        for number in range(1, 5001)
    )
    dialog = PickDialog(None, "Conversations", many, "3", "")
    qtbot.addWidget(dialog)
    chosen: list[str] = []
    dialog.chosen.connect(chosen.append)
    assert len(_rows(dialog)) == 5000
    dialog.field.setText("4999 sample")
    assert len(_rows(dialog)) == 1
    dialog.field.setText("nothing like it")
    assert not dialog.open_button.isEnabled()
    dialog.field.setText("4999")
    dialog.show()
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert chosen == ["4999"]


def test_a_compacted_file_opens_in_its_current_context_and_a_link_shows_the_whole(
    qtbot: QtBot, space: WindowContent
) -> None:
    chip, row = space.toolbar.chip, space.bar
    assert ("current context" in chip.text(), _messages(space)) == (True, 2)
    line = next(one for one in row.notices if one.topic == "recorded")
    assert line.title == "Current context: 1 of 6 messages + its summary."
    row.request(
        next(action for action in line.actions if action.label == "Whole session")
    )
    settle(qtbot, space)
    assert ("whole session" in chip.text(), _messages(space)) == (True, 6)
    (line,) = (one for one in row.notices if one.topic == "recorded")
    assert "Current context" not in line.title
    space.backend.undo()
    settle(qtbot, space)
    assert ("current context" in chip.text(), _messages(space)) == (True, 2)


def test_the_chip_names_the_limit_that_counts(
    qtbot: QtBot, space: WindowContent
) -> None:
    model = space.toolbar.chip.model
    of_the_model = model.button_text
    space.backend.set_value(LIMIT, 60_000)
    settle(qtbot, space)
    assert model.button_text == f"{of_the_model.partition(' · ')[0]} · 60k"
    space.backend.undo()
    settle(qtbot, space)
    assert model.button_text == of_the_model

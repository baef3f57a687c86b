"""Tasks with the lists on the real worker: filter, changes, marks, copies, runs side by side."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.presentation.lists.row_plan import RowFlag, RowKind
from core.presentation.model import FATES
from core.settings.schema import PRESERVE
from gui.window_content import WindowContent
from tests.gui.pointer import drag
from tests.journeys.test_journeys import DENSE
from tests.journeys.walks import LEFT, open_transcript, pick_strategy, settle

KEPT = FATES.index("kept")


def messages_shown(space: WindowContent, side: str) -> list[int]:
    space.page.lists.show_view(side)
    plan = space.page.lists.list.model.plan
    column = plan.left if side == "before" else plan.right
    return [
        column[row] for row in range(len(plan)) if plan.kinds[row] == RowKind.MESSAGE
    ]


def type_filter(qtbot: QtBot, space: WindowContent, text: str) -> None:
    lists = space.page.lists
    lists.list.view.setFocus()
    QTest.keyClick(lists.list.view, Qt.Key.Key_Slash)
    field = lists.filter_bar.field
    qtbot.waitUntil(field.isVisible)
    field.clear()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, space)


def test_a_filter_holds_through_another_strategy_until_escape(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    first = open_transcript(qtbot, space, transcript)
    bar = space.page.lists.filter_bar
    type_filter(qtbot, space, "kind:call tokens>20")
    wanted = [
        at
        for at, kind in enumerate(first.source.rows.kinds)
        if kind == 2 and first.source.rows.tokens[at] > 20
    ]
    assert messages_shown(space, "before") == wanted
    assert bar.count.full_text.startswith(f"{len(wanted)} of 90 before, ")
    second = pick_strategy(qtbot, space, DENSE)
    assert messages_shown(space, "before") == wanted
    assert {second.result.origin[at] for at in messages_shown(space, "after")} <= set(
        wanted
    )
    bar.open_bar()
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert len(messages_shown(space, "before")) > len(wanted)


def test_another_transcript_begins_without_a_filter(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    type_filter(qtbot, space, "fate:dropped")
    open_transcript(qtbot, space, transcript)
    assert not space.page.lists.filter_bar.isVisible()
    assert messages_shown(space, "before")


def test_f8_goes_from_change_to_change(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    screen = pick_strategy(qtbot, space, DENSE)
    changes = [run for run in screen.ruler.runs if run.fate != KEPT]
    space.page.go_to("before", 0)
    window = space.window
    start = 1 if changes[0].before[0] == 0 else 0
    for number, run in enumerate(changes[start : start + 3], start + 1):
        QTest.keyClick(window, Qt.Key.Key_F8)
        assert space.page.selected == ("before", run.before[0])
        assert space.status.announcement.full_text.endswith(
            f"change {number} of {len(changes)}"
        )
    QTest.keyClick(window, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert space.page.selected == ("before", changes[start + 1].before[0])
    space.page.go_to("before", len(screen.source.rows) - 1)
    QTest.keyClick(window, Qt.Key.Key_F8)
    assert space.status.announcement.full_text == "No change after this one."
    settle(qtbot, space)


def test_the_buttons_beside_the_chips_filter_and_go_from_change_to_change(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    screen = open_transcript(qtbot, space, transcript)
    lists, total = space.page.lists, sum(run.fate != KEPT for run in screen.ruler.runs)
    assert lists.change_steps.label.text() == (
        f"{total} changes" if total > 1 else "1 change"
    )
    following = lists.change_steps.findChildren(QPushButton)[1]
    space.page.go_to("before", 0)
    QTest.mouseClick(following, LEFT)
    first = next(
        run for run in screen.ruler.runs if run.fate != KEPT and run.before[0] > 0
    )
    assert space.page.selected == ("before", first.before[0])
    assert lists.change_steps.label.text().startswith("change ")
    assert lists.filter_bar.field.isVisible()
    settle(qtbot, space)


def test_m_marks_and_the_mark_is_there_the_next_time(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    lists = space.page.lists
    space.page.go_to("before", 4)
    QTest.keyClick(lists.list.view, Qt.Key.Key_M)
    settle(qtbot, space)
    assert lists.flagged_messages(RowFlag.MARK) == {4}
    open_transcript(qtbot, space, transcript)
    assert lists.flagged_messages(RowFlag.MARK) == {4}
    type_filter(qtbot, space, "marked")
    assert messages_shown(space, "before") == [4]
    lists.filter_bar.close_bar()
    space.page.go_to("before", 20)
    space.window.actions_by_id["previous-mark"].trigger()
    settle(qtbot, space)
    assert space.page.selected == ("before", 4)
    assert space.status.announcement.full_text == "Mark 1 of 1"


def test_a_message_goes_to_the_clipboard(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    space.page.go_to("before", 0)
    QTest.keyClick(
        space.page.lists.list.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier
    )
    settle(qtbot, space)
    markdown = QGuiApplication.clipboard().text()
    space.window.actions_by_id["copy-json"].trigger()
    settle(qtbot, space)
    assert '"role": "user"' in QGuiApplication.clipboard().text()
    assert markdown.strip() in QGuiApplication.clipboard().text().replace("\\n", "\n")
    assert space.status.announcement.full_text == "#1 is in the clipboard as JSON."


def test_the_rows_menu_filters_by_the_tool_of_the_row(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    screen = open_transcript(qtbot, space, transcript)
    call = screen.source.rows.kinds.index(2)
    space.page.go_to("before", call)
    tools = space.page.tools
    lists = space.page.lists
    lists.list.view.menu_requested.emit(lists.mapToGlobal(lists.rect().center()))
    names = [
        action.objectName() for action in tools.menu.actions() if action.objectName()
    ]
    assert {
        "copy-json",
        "copy-markdown",
        "mark",
        "put-back",
        "other-end",
        "filter-tool",
    } <= set(names)
    tools.menu.hide()
    next(
        action
        for action in tools.menu.actions()
        if action.objectName() == "filter-tool"
    ).trigger()
    settle(qtbot, space)
    assert lists.filter_bar.text == f"tool:{screen.source.rows.lead[call]}"
    assert call in messages_shown(space, "before")


def test_two_runs_side_by_side_and_back(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    space.backend.compact()
    settle(qtbot, space)
    space.backend.set_value(PRESERVE, 0.1)
    space.backend.compact()
    made = settle(qtbot, space)
    dialog = space.commands.compare_runs()
    assert dialog is not None
    dialog.accept()
    settle(qtbot, space)
    assert (
        space.bar.notices[0].title
        == f"Before is {made.history.choices[0].label}, after is {made.history.choices[1].label}."
    )
    space.commands.follow("preview", "")
    assert len(settle(qtbot, space).source.rows) == 90


def test_a_cut_is_dragged_in_the_list_and_the_summary_follows(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    before = open_transcript(qtbot, space, transcript)
    view = space.page.lists.list.view
    view.scroll_into_view(view.cut_row("top"))
    height = view.row_top(view.cut_row("top"))
    summary = dict(space.page.lists.list.model.aligned.cells)
    ways = (0, 4 * view.row_pixels, 8 * view.row_pixels)
    drag(view.viewport(), [QPoint(150, height + 5 + way) for way in ways])
    assert space.page.lists.list.model.move is not None
    QTest.mouseRelease(view.viewport(), LEFT, pos=QPoint(150, height + 5))
    after = settle(qtbot, space)
    assert after.ruler.handles[0].index > before.ruler.handles[0].index
    assert view.row_top(view.cut_row("top")) == height
    assert dict(space.page.lists.list.model.aligned.cells) != summary
    space.backend.undo()
    assert settle(qtbot, space).ruler.handles[0].index == before.ruler.handles[0].index

"""The window on a real worker with a fake handler: open, tune, inspect, export, cancel, remember."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMargins, QMimeData, QPoint, QPointF, QRect, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDropEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from core.app.events import OpenRequest
from core.app.rpc import call_of, is_call_of
from core.app.services.opening import OpenService
from core.app.services.preview import PreviewService
from gui.inspect.docks import DockArea
from gui.main_window import MainWindow, default_size
from gui.saved_state import WindowState, load_state
from gui.widgets.appearance import AppearanceController
from gui.widgets.theme import body_font
from gui.workspace import Workspace
from tests.gui.window_space import click, open_file, settle, space

__all__ = ["space"]


def test_it_starts_empty_with_only_what_works(space: Workspace) -> None:
    assert space.window.pages.currentWidget() is space.window.start
    assert not space.window.actions_by_id["compact"].isEnabled()
    assert not space.toolbar.isVisible()


def test_a_bad_file_leaves_what_was_shown_and_says_why(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space, "/tmp/bad.jsonl")
    assert space.window.pages.currentWidget() is space.window.start
    assert space.bar.notices[0].title == "bad.jsonl is not a transcript."
    open_file(qtbot, space)
    open_file(qtbot, space, "/tmp/bad.jsonl")
    assert space.window.pages.currentWidget() is space.page
    assert space.window.windowTitle().startswith("retry-queue.jsonl")


def test_the_strategy_picker_changes_the_preview(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.toolbar.strategy.activated.emit(1)
    settle(qtbot, space)
    assert space.page.preview is not None
    assert space.page.preview.strategy == "high-density"
    assert space.toolbar.strategy.currentData() == "high-density"


def test_a_dragged_handle_asks_drafts_then_the_whole(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    sent: list[object] = []
    space.session.started.connect(sent.append)
    space.page.ruler.handle_moved.emit("compression-preserve-threshold", 0.3, False)
    space.page.ruler.handle_moved.emit("compression-preserve-threshold", 0.25, True)
    settle(qtbot, space)
    assert [one for one in sent if is_call_of(one, PreviewService.change)] == [
        call_of(PreviewService.change, (("compression-preserve-threshold", value),), draft)
        for value, draft in ((0.3, True), (0.25, False))
    ]


def test_undo_is_enabled_by_a_change(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    assert not space.window.actions_by_id["undo"].isEnabled()
    space.session.set_value("compression.mode", "safe")
    settle(qtbot, space)
    space.window.actions_by_id["undo"].trigger()
    settle(qtbot, space)
    assert not space.window.actions_by_id["undo"].isEnabled()


def test_what_is_seen_on_the_page_alone_leaves_other_views(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    for action in ("fidelity", "next-change"):
        space.show_view("compare")
        assert space.window.pages.currentWidget() is not space.page
        space.window.actions_by_id[action].trigger()
        assert space.window.pages.currentWidget() is space.page
    space.show_view("compare")
    space.commands.follow("lint", "")
    assert space.window.pages.currentWidget() is space.page
    assert space.page.inspector.current_tab == "checks"


def test_selecting_a_message_shows_its_body(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    with qtbot.waitSignal(space.page._selection.body_loaded, timeout=10_000) as signal:
        space.page.follow_link("before:84")
    assert signal.args[0].index == 84
    assert space.page.selected == ("before", 84)
    assert space.window.actions_by_id["other-end"].isEnabled()


def test_a_link_of_a_notice_is_followed(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.session.set_value("compression.mode", "safe")
    settle(qtbot, space)
    click(space, "Other strategies")
    settle(qtbot, space)
    assert space.toolbar.strategy.currentData() == "high-density"


def test_a_report_opens_in_the_program_of_the_desktop(
    space: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", shown.append)
    path = tmp_path / "a report #1.html"
    space.commands.follow("show", str(path))
    assert [url.toLocalFile() for url in shown] == [str(path)]


def test_a_file_cancelled_before_its_first_preview_is_closed(qtbot: QtBot, space: Workspace) -> None:
    with qtbot.waitSignal(space.session.rows, timeout=10_000):
        space.open_path("/tmp/half.jsonl")
    assert len(space.page.lists.before.model.content.rows) == 412
    space.session.cancel()
    settle(qtbot, space)
    assert space.window.pages.currentWidget() is space.window.start
    assert space.opened is None
    open_file(qtbot, space)
    assert space.page.preview is not None


def test_escape_puts_a_moved_handle_back_and_cancels_nothing(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.window.activateWindow()
    ruler, cancelled = space.page.ruler, QSignalSpy(space.window.actions_by_id["cancel"].triggered)
    moved = QSignalSpy(ruler.handle_moved)
    ruler.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyPress(ruler, Qt.Key.Key_Right)
    assert space.session.is_busy
    QTest.keyClick(ruler, Qt.Key.Key_Escape)
    assert moved.at(moved.count() - 1)[2] is True
    assert cancelled.count() == 0
    settle(qtbot, space)


def test_go_to_counts_from_one(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    dialog = space.commands.go_to_dialog()
    assert dialog is not None
    dialog._number.setValue(10)
    dialog.accept()
    assert space.page.selected == ("before", 9)
    assert space.window.focusWidget() is space.page.lists.before.view


def test_another_file_brings_the_keyboard_to_its_messages(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.toolbar.strategy.setFocus()
    open_file(qtbot, space, "/tmp/dropped.jsonl")
    assert space.window.focusWidget() is space.page.lists.before.view


def test_the_next_area_is_reached_by_key(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    visited = set()
    for _ in space.page.areas():
        space.commands.next_area()
        focus = QApplication.focusWidget()
        assert focus is not None
        has_focus = [one is focus or one.isAncestorOf(focus) for one in space.page.areas()]
        visited.add(has_focus.index(True))
    assert visited == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("width", [900, 1280, 1600])
def test_it_fits_its_width(qtbot: QtBot, space: Workspace, width: int) -> None:
    open_file(qtbot, space)
    space.window.resize(width, 800)
    QApplication.processEvents()
    assert space.window.width() == width
    tabs, tuning = space.page.inspector.tabs, space.page.dock_area.tuning
    titles = [tabs.tabText(at).split()[0] for at in range(tabs.count())]
    assert titles == ["Tuning"] * (width < 1180) + ["Message", "Losses", "Checks"]
    assert tuning.isVisible() is (width >= 1180)
    space.window.resize(1280, 800)
    QApplication.processEvents()
    assert (tabs.count(), tuning.isVisible(), space.page.tuning.isVisible()) == (3, True, True)
    assert space.page.inspector.current_tab == "losses"


def test_larger_text_and_back_leaves_the_panels_as_wide_as_they_were(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    handler = space.page.dock_area

    def widths() -> tuple[int, int]:
        return handler.tuning.width(), handler.inspector.width()

    QApplication.processEvents()
    natural = widths()
    space.window.appearance.zoom_by(1)
    qtbot.waitUntil(lambda: all(new > old for new, old in zip(widths(), natural, strict=True)))
    space.window.appearance.zoom_by(0)
    qtbot.waitUntil(lambda: widths() == natural)


def test_docks_get_their_width_once_there_is_room(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    page.setFont(body_font())
    handler = DockArea(page)
    tabs = QTabWidget()
    handler.set_widgets(QWidget(), QWidget(), tabs, tabs)
    page.show()
    for width in (640, 1100):  # a page is 640 wide before its window is laid out
        handler.resize(width, 700)
        QApplication.processEvents()
    assert handler.inspector.width() == 320


def test_a_narrow_window_has_one_list(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.window.resize(900, 600)
    QApplication.processEvents()
    assert space.page.lists.before.isVisible()
    assert not space.page.lists.after.isVisible()
    space.window.resize(1180, 800)
    QApplication.processEvents()
    assert space.page.lists.after.isVisible()


def test_a_key_finds_in_the_message(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.page.go_to("before", 3)
    settle(qtbot, space)
    space.page.show_tab("why")
    space.window.actions_by_id["find"].trigger()
    assert space.page.inspector.message.find_bar.isVisible()


def test_the_reasons_of_a_cut_stay_in_sight_while_it_moves(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.page.go_to("before", 3)
    space.page.show_cut_reason("bottom")
    settle(qtbot, space)
    with qtbot.waitCallback() as called:
        space.page._current_item._show_why = called
        space.session.set_value("compression-preserve-threshold", 0.3)
    space.page.go_to("before", 3)
    assert not space.page._current_item.request_again(())


def test_themes_and_zoom_reach_the_whole_window(space: Workspace) -> None:
    space.window.actions_by_id["theme-dark"].trigger()
    space.window.actions_by_id["larger"].trigger()
    QApplication.processEvents()
    assert space.window.appearance.theme.dark
    assert space.window.font().pixelSize() == 14
    space.window.actions_by_id["natural"].trigger()
    assert space.window.appearance.zoom == 1.0


def test_what_is_remembered_comes_back(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.window.close()
    state = load_state()
    assert state.recent == ["/tmp/retry-queue.jsonl"]
    assert state.geometry


def test_closing_the_file_goes_back_to_the_start(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.window.actions_by_id["close"].trigger()
    assert space.window.pages.currentWidget() is space.window.start
    assert space.window.windowTitle() == "Foldline"


def _drop(space: Workspace, *paths: str) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    buttons, modifiers = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    space.window.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, modifiers))


def test_of_several_dropped_files_the_first_opens_and_the_others_are_offered(
    qtbot: QtBot, space: Workspace
) -> None:
    _drop(space, *(f"/tmp/{name}.jsonl" for name in "abcde"))
    settle(qtbot, space)
    assert space.opened is not None
    assert space.opened.name == "a.jsonl"
    assert space.window.state.recent == ["/tmp/a.jsonl"]
    notice = space.bar.notices[0]
    assert (notice.title, notice.topic) == ("4 more files were dropped.", "dropped")
    assert [link.label for link in notice.actions] == [f"Open {name}.jsonl" for name in "bcd"]
    click(space, "Open c.jsonl")
    settle(qtbot, space)
    assert space.opened.name == "c.jsonl"
    assert space.bar.notices == ()


def test_two_dropped_files_can_be_compared(qtbot: QtBot, space: Workspace) -> None:
    _drop(space, "/tmp/a.jsonl", "/tmp/b.jsonl")
    settle(qtbot, space)
    sent: list[object] = []
    space.session.started.connect(sent.append)
    click(space, "Compare the two")
    assert sent == [call_of(PreviewService.compare_file, "/tmp/b.jsonl")]
    settle(qtbot, space)


def test_a_notice_can_open_a_file(qtbot: QtBot, space: Workspace) -> None:
    sent: list[object] = []
    space.session.started.connect(sent.append)
    space.commands.follow("open", "/tmp/again.jsonl")
    assert sent == [call_of(OpenService.open, OpenRequest("/tmp/again.jsonl"))]
    settle(qtbot, space)


def test_a_link_to_an_unknown_place_changes_nothing(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    space.page.follow_link("before:99999999")
    settle(qtbot, space)
    assert space.page.selected == ("before", -1)


@pytest.mark.parametrize(
    ("screen", "size"), [((2560, 1440), (1600, 1000)), ((1280, 760), (1280, 760)), ((800, 800), (1600, 1000))]
)
def test_the_first_window_fits_on_the_screen(screen: tuple[int, int], size: tuple[int, int]) -> None:
    assert default_size(QSize(*screen)) == QSize(*size)


@pytest.mark.parametrize("screen", [(0, 0, 1600, 1000), (0, 0, 1024, 700), (1600, 24, 1280, 776)])
@pytest.mark.parametrize("saved", [(0, 0, 1600, 1000), (-500, 5000, 950, 650), (1590, 0, 1200, 900)])
def test_a_window_is_inside_the_screen_with_its_frame(
    qtbot: QtBot,
    qapp: QApplication,
    monkeypatch: pytest.MonkeyPatch,
    screen: tuple[int, int, int, int],
    saved: tuple[int, int, int, int],
) -> None:
    room = QRect(*screen)
    inside = room.adjusted(2, 30, -2, -2)
    monkeypatch.setattr(MainWindow, "_available_area", lambda self: room)
    monkeypatch.setattr("PySide6.QtGui.QWindow.frameMargins", lambda self: QMargins(2, 30, 2, 2))
    appearance = AppearanceController(qapp, "light")
    window = MainWindow(appearance, WindowState(), (), saves_state=False)
    qtbot.addWidget(window)
    assert inside.size().expandedTo(window.size()) == inside.size()
    window.setGeometry(QRect(*saved))
    window.show()
    window.fit_to_screen()
    assert inside.contains(window.geometry())
    appearance.deleteLater()


def test_links_of_the_start_screen_begin_where_its_texts_do(qtbot: QtBot, space: Workspace) -> None:
    start = space.window.start._side_pane
    links = [one for one in start.findChildren(QPushButton) if one.property("role") == "link"]
    heads = [one for one in start.findChildren(QLabel) if one.property("role") == "strong"]
    inside = {one.mapTo(start, one.contentsRect().topLeft()).x() for one in heads if one.isVisible()}
    assert links
    assert {one.mapTo(start, QPoint(2, 0)).x() for one in links} == inside

"""The window: open, tune, inspect, cancel, drop, remember. Windows of a test come first: themes
style all."""

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMargins, QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDropEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.events import ReadingProgressEvent, WorkingEvent
from core.app.open_file import OpenFile
from core.app.rpc import call_of
from core.app.services.service_host import ServiceHost
from core.app.services.side_by_side import SideBySideService
from core.app.view_state import ViewState
from core.common.errors import Cancelled
from core.common.paths import SAMPLES
from core.presentation.dialog_model import SummaryProgress
from core.presentation.model import Notice, NoticeAction
from core.preview.options import Preview
from gui.inspect.lists.aligned_list import STACKED_BELOW
from gui.inspect.selected_message import NOTHING_WANTED
from gui.main_window import MainWindow
from gui.saved_state import WindowState, load_state
from gui.view_switching import COMPARE, INSPECT
from gui.widgets.theme import AppearanceController
from gui.window_content import RunningWork, WindowContent
from tests.gui.window_space import (
    SMALL,
    calls_from_now,
    click,
    open_file,
    settle,
    shown_window,
)
from tests.support.narrowing import known


class WaitingHost(ServiceHost):
    has_waited = False

    def preview(self, file: OpenFile, view: ViewState, **options: Any) -> Preview:
        if not self.has_waited:
            self.has_waited = True
            while not self.is_cancelled():
                time.sleep(0.005)
            raise Cancelled
        return super().preview(file, view, **options)


def test_a_file_cancelled_before_its_first_preview_is_closed(qtbot: QtBot) -> None:
    with shown_window(WaitingHost) as space:
        with qtbot.waitSignal(space.backend.rows):
            space.open_path(str(SMALL))
        assert len(space.page.lists.list.model.before.rows) == 46
        space.backend.cancel()
        settle(qtbot, space)
        assert space.window.pages.currentWidget() is space.window.start
        assert space.file is None
        open_file(qtbot, space)
        assert space.page.preview is not None


def test_escape_puts_a_moved_handle_back_and_cancels_nothing(
    qtbot: QtBot, space: WindowContent
) -> None:
    open_file(qtbot, space)
    space.window.activateWindow()
    ruler, cancelled = (
        space.page.ruler,
        QSignalSpy(space.window.actions_by_id["cancel"].triggered),
    )
    moved = QSignalSpy(ruler.handle_moved)
    ruler.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyPress(ruler, Qt.Key.Key_Right)
    assert space.backend.is_busy
    QTest.keyClick(ruler, Qt.Key.Key_Escape)
    assert moved.at(moved.count() - 1)[2] is True
    assert cancelled.count() == 0
    settle(qtbot, space)


def test_the_next_area_is_reached_by_key(qtbot: QtBot, space: WindowContent) -> None:
    open_file(qtbot, space)
    visited = set()
    for _ in space.page.areas():
        space.commands.next_area()
        focus = known(QApplication.focusWidget())
        has_focus = [
            one is focus or one.isAncestorOf(focus) for one in space.page.areas()
        ]
        visited.add(has_focus.index(True))
    assert visited == {0, 1, 2, 3}


def test_themes_and_zoom_reach_the_whole_window(space: WindowContent) -> None:
    space.window.actions_by_id["theme-dark"].trigger()
    space.window.actions_by_id["larger"].trigger()
    QApplication.processEvents()
    assert space.window.appearance.theme.dark
    assert space.window.font().pixelSize() == 14
    space.window.actions_by_id["natural"].trigger()
    assert space.window.appearance.zoom == 1.0


def test_what_is_remembered_comes_back(qtbot: QtBot, space: WindowContent) -> None:
    open_file(qtbot, space)
    space.window.close()
    state = load_state()
    assert state.recent == [str(SMALL)]
    assert state.geometry


def _drop(space: WindowContent, folder: Path, names: str) -> None:
    paths = [shutil.copy(SMALL, folder / f"{name}.json") for name in names]
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    buttons, modifiers = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    space.window.dropEvent(
        QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, modifiers)
    )


def test_of_several_dropped_files_the_first_opens_and_the_others_are_offered(
    qtbot: QtBot, space: WindowContent, tmp_path: Path
) -> None:
    _drop(space, tmp_path, "abcde")
    settle(qtbot, space)
    assert space.file is not None
    assert space.file.name == "a.json"
    assert space.window.state.recent == [str(tmp_path / "a.json")]
    notice = space.bar.notices[0]
    assert (notice.title, notice.topic) == ("4 more files were dropped.", "dropped")
    assert [link.label for link in notice.actions] == [
        f"Open {name}.json" for name in "bcd"
    ]
    click(space, "Open c.json")
    settle(qtbot, space)
    assert space.file.name == "c.json"
    assert space.bar.notices == ()


def test_two_dropped_files_can_be_compared(
    qtbot: QtBot, space: WindowContent, tmp_path: Path
) -> None:
    _drop(space, tmp_path, "ab")
    settle(qtbot, space)
    sent = calls_from_now(space)
    click(space, "Compare the two")
    assert sent == [call_of(SideBySideService.file, str(tmp_path / "b.json"))]
    settle(qtbot, space)


@pytest.mark.parametrize(
    "screen", [(0, 0, 1600, 1000), (0, 0, 1024, 700), (1600, 24, 1280, 776)]
)
@pytest.mark.parametrize(
    "saved", [(0, 0, 1600, 1000), (-500, 5000, 950, 650), (1590, 0, 1200, 900)]
)
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
    monkeypatch.setattr(
        "PySide6.QtGui.QWindow.frameMargins", lambda self: QMargins(2, 30, 2, 2)
    )
    appearance = AppearanceController(qapp, "light")
    window = MainWindow(appearance, WindowState(), (), saves_state=False)
    qtbot.addWidget(window)
    assert inside.size().expandedTo(window.size()) == inside.size()
    window.setGeometry(QRect(*saved))
    window.show()
    window.fit_to_screen()
    assert inside.contains(window.geometry())
    appearance.deleteLater()


def test_a_closed_file_leaves_the_start_with_only_what_works(
    opened: WindowContent,
) -> None:
    opened.window.actions_by_id["close"].trigger()
    assert opened.window.pages.currentWidget() is opened.window.start
    assert not opened.window.actions_by_id["compact"].isEnabled()
    assert not opened.toolbar.isVisible()
    assert opened.window.windowTitle() == "Foldline"


def _places(space: WindowContent) -> list[tuple[str, QRect]]:
    """Return where all that stands still is, in the window."""
    page, window = space.page, space.window
    widgets = (
        space.toolbar, *page.verdict.cells, page.ruler, page.tuning, page.lists, page.inspector,
        space.bar, space.status, space.toolbar.strategy, space.toolbar.compact_button,
    )  # fmt: skip
    return [
        (type(one).__name__, QRect(one.mapTo(window, QPoint()), one.size()))
        for one in widgets
    ]


def test_nothing_moves_on_preview_notice_run_and_view(
    qtbot: QtBot, opened: WindowContent
) -> None:
    settle(qtbot, opened)
    before = _places(opened)
    links = (
        NoticeAction("Try it", "strategy"),
        NoticeAction("Other strategies", "strategy"),
    )
    writing = SummaryProgress("haiku is writing", "18 s", (), "", 0.5)

    def shown(step: Callable[[], object]) -> list[tuple[str, QRect]]:
        step()
        settle(qtbot, opened)
        QApplication.processEvents()
        return _places(opened)

    for step in (
        lambda: opened.backend.notice.emit(
            Notice("error", "It failed. " * 40, "why " * 40, links, "lines")
        ),
        lambda: opened.backend.set_value("compression.preserve-threshold", 0.4, False),
        lambda: opened.backend.set_strategy("high-density"),
        lambda: opened.backend.writing.emit(writing),
        lambda: opened.backend.compact(),
        opened.backend.undo,
    ):
        assert shown(step) == before
    opened.page_controller.show_view(COMPARE)
    assert shown(lambda: opened.page_controller.show_view(INSPECT)) == before


def test_work_is_said_at_the_right_and_can_be_cancelled(
    qtbot: QtBot, opened: WindowContent
) -> None:
    work = opened.bar.findChildren(RunningWork)[0]
    place = work.geometry()
    work.show_reading(ReadingProgressEvent(0.5, "reading line 20"))
    assert not work.stop.isHidden()
    work.show_working(WorkingEvent("Counting tokens: message 3 of 40", 0.1))
    assert work.stop.isHidden()
    assert work.words.full_text == "Counting tokens: message 3 of 40"
    work.box.show()
    QApplication.processEvents()
    assert work.geometry() == place
    with qtbot.waitSignal(work.cancel.clicked):
        work.cancel.click()
    opened.backend.idle.emit()
    assert work.box.isHidden()


def test_another_file_shows_no_figure_of_the_former(
    qtbot: QtBot, opened: WindowContent
) -> None:
    opened.toolbar.strategy.showPopup()
    settle(qtbot, opened)
    popup = opened.strategy_popup
    assert popup.about.text()
    popup.hide()
    opened.page.begin()
    opened._on_opened(known(opened.file))
    assert (popup.page, popup.about.text(), opened.page.tuning.groups) == (None, "", ())


def test_a_link_of_a_notice_is_followed(qtbot: QtBot, opened: WindowContent) -> None:
    link = NoticeAction("Other strategies", "strategy", "high-density")
    opened.backend.notice.emit(
        Notice("info", "Nothing to compact.", "Under the target.", (link,))
    )
    click(opened, "Other strategies")
    settle(qtbot, opened)
    assert opened.toolbar.strategy.currentData() == "high-density"


def test_a_report_opens_in_the_program_of_the_desktop(
    opened: WindowContent, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", shown.append)
    path = tmp_path / "a report #1.html"
    opened.commands.follow("show", str(path))
    assert [url.toLocalFile() for url in shown] == [str(path)]


def test_go_to_and_another_file_bring_the_keyboard_to_the_messages(
    qtbot: QtBot, opened: WindowContent
) -> None:
    dialog = known(opened.commands.go_to_dialog())
    dialog.number.setValue(10)
    dialog.accept()
    assert opened.page.selected == ("before", 9)
    assert opened.window.focusWidget() is opened.page.lists.list.view
    opened.toolbar.strategy.setFocus()
    open_file(qtbot, opened, SAMPLES / "tide-tables.jsonl")
    assert opened.window.focusWidget() is opened.page.lists.list.view


def test_it_fits_its_width(opened: WindowContent) -> None:
    tabs, tuning = opened.page.inspector.tabs, opened.page.dock_area.tuning
    for width in (900, 1280, 1600):
        opened.window.resize(width, 800)
        QApplication.processEvents()
        assert opened.window.width() == width
        titles = [tabs.tabText(at).split()[0] for at in range(tabs.count())]
        assert titles == ["Tuning"] * (width < 1180) + ["Message", "Losses", "Checks"]
        assert tuning.isVisible() is (width >= 1180)
        assert opened.page.lists.list.model.state.is_stacked is (
            opened.page.lists.width() < STACKED_BELOW
        )
        opened.window.resize(1280, 800)
        QApplication.processEvents()
        assert (tabs.count(), tuning.isVisible(), opened.page.tuning.isVisible()) == (
            3,
            True,
            True,
        )
        assert opened.page.inspector.current_tab == "losses"


@pytest.mark.parametrize("width", [1024, 1190, 1280, 1440])
def test_a_choice_and_its_price_move_nothing_in_the_toolbar(
    opened: WindowContent, width: int
) -> None:
    screen, bar = known(opened.page.preview), opened.toolbar
    opened.window.resize(width, 800)
    places = []
    for price, strategy in (
        ("", "middle-out"),
        ("≈ $12.34", "pi"),
        ("price –", "anthropic-compaction"),
    ):
        bar.show_screen(
            replace(
                screen, strategy=strategy, request=replace(screen.request, price=price)
            )
        )
        QApplication.processEvents()
        parts = (
            bar.strategy,
            bar.profile,
            bar.compact_button,
            bar.view_switch,
            bar.export_button,
        )
        places.append([part.geometry() for part in parts])
    assert places[0] == places[1] == places[2]


def test_the_docks_have_their_widths_and_no_tab_is_cut(opened: WindowContent) -> None:
    docks, bar = opened.page.dock_area, opened.page.inspector.tabs.tabBar()
    for width, expected in ((1500, (244, 340)), (1280, (244, 300))):
        opened.window.resize(width, 800)
        for _ in range(3):  # docks are laid out a turn later
            QApplication.processEvents()
        assert (docks.tuning.width(), docks.inspector.width()) == expected
    opened.window.resize(1024, 700)
    for _ in range(3):
        QApplication.processEvents()
    assert docks.inspector.width() in range(
        264, 321
    )  # more only where the font needs it for four tabs
    assert bar.width() >= bar.sizeHint().width()
    assert opened.page.lists.width() >= 420


def test_the_reasons_of_a_cut_stay_in_sight_while_it_moves(
    qtbot: QtBot, opened: WindowContent, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.page.go_to("before", 3)
    opened.page.current_item.show_cut("bottom")
    settle(qtbot, opened)
    assert opened.page.current_item.wanted(()) == NOTHING_WANTED  # the cut is gone
    with qtbot.waitCallback() as called:
        monkeypatch.setattr(opened.page.inspector, "show_why", called)
        opened.backend.set_value("compression.preserve-threshold", 0.3)
    opened.page.go_to("before", 3)
    assert (
        opened.page.current_item.wanted(known(opened.page.preview).ruler.handles)
        == NOTHING_WANTED
    )

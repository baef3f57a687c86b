"""The pickers of the toolbar: their full text if there is space, else an ellipsis."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.model import PickerChoice
from gui.widgets.pickers import Picker, shrink_pickers
from gui.workspace import Workspace
from tests.gui.window_space import open_file, space

__all__ = ["space"]


@pytest.fixture
def picker(qtbot: QtBot) -> Picker:
    result = Picker("Strategy", "Strategy: how")
    qtbot.addWidget(result)
    result.set_choices([PickerChoice("a", "a-strategy-of-a-long-name", "")])
    result.set_value("a")
    result.resize(result.sizeHint())
    result.show()
    return result


def test_a_picker_without_room_ends_in_an_ellipsis_and_tells_in_its_tip(picker: Picker) -> None:
    picker.resize(110, picker.height())
    assert picker.elided_text().endswith("…")
    assert picker.toolTip() == "a-strategy-of-a-long-name\nStrategy: how"


def test_the_widest_picker_gives_up_first_so_that_each_says_something(qtbot: QtBot) -> None:
    pickers = []
    for text in ("middle-out", "a-model-with-a-long-name-and-a-date", "whole session"):
        one = Picker("Name", "Tip")
        qtbot.addWidget(one)
        one.set_choices([PickerChoice("a", text, "")])
        one.set_value("a")
        pickers.append(one)
    small, wide, middle = (one.sizeHint().width() for one in pickers)
    shrink_pickers(wide - middle, pickers)
    assert [one.sizeHint().width() for one in pickers] == [small, middle, middle]
    shrink_pickers(wide - middle + 20, pickers)
    assert [one.sizeHint().width() for one in pickers] == [small, middle - 10, middle - 10]


def test_the_chip_says_and_changes_scope_and_model(qtbot: QtBot, space: Workspace) -> None:
    bar = space.toolbar
    open_file(qtbot, space)
    assert bar.chip.text() == "whole session · sonnet-4-5 · 200k ▾"
    assert bar.compact_button.text() == "Compact · free"
    assert bar.profile.currentText() == "offline · free"
    bar.chip.click()
    assert bar.scope.isVisible()
    with qtbot.waitSignal(bar.scope.picked):
        bar.scope.activated.emit(0)
    assert not bar.scope.isVisible()
    names = [action.text() for action in bar.open_button.menu().actions()]
    assert names == ["Open…", "Sessions…", "Open recent"]


@pytest.mark.parametrize("width", [1024, 1180, 1400])
def test_larger_text_cuts_no_button(qtbot: QtBot, space: Workspace, width: int) -> None:
    bar = space.toolbar
    space.window.resize(width, 800)
    open_file(qtbot, space)
    for _ in range(3):
        space.window.appearance.zoom_by(1)
    QApplication.processEvents()
    bar._fit()
    QApplication.processEvents()
    button = bar.compact_button
    assert button.width() >= button.sizeHint().width()


@pytest.mark.parametrize("width", [1180, 1280])
def test_a_long_file_name_gives_way_before_the_pickers(qtbot: QtBot, space: Workspace, width: int) -> None:
    bar = space.toolbar
    space.window.resize(width, 800)
    open_file(qtbot, space)
    bar._name.show_text("a-session-with-a-very-long-name-" * 4)
    bar._fit()
    QApplication.processEvents()
    assert bar._name.is_elided
    for picker in (bar.strategy, bar.profile):
        assert picker.shows_name
        assert picker.elided_text() == picker.shown_text

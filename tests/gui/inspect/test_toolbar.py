"""The pickers of the toolbar: their full text if there is space, else an ellipsis."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.presentation.model import PickerChoice
from gui.actions import ActionSet
from gui.inspect.toolbar import ViewSwitch
from gui.widgets.appearance import AppearanceController
from gui.widgets.pickers import ModelPicker, Picker, shrink_pickers
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


def test_a_picker_as_wide_as_it_asks_shows_its_text(picker: Picker) -> None:
    assert (picker.elided_text(), picker.toolTip()) == ("a-strategy-of-a-long-name", "Strategy: how")


def test_a_picker_without_room_ends_in_an_ellipsis_and_tells_in_its_tip(picker: Picker) -> None:
    picker.resize(110, picker.height())
    assert picker.elided_text().endswith("…")
    assert picker.toolTip() == "a-strategy-of-a-long-name\nStrategy: how"


def test_a_model_without_room_loses_its_vendor_first(qtbot: QtBot) -> None:
    picker = ModelPicker("Model", "Model: whose limit")
    qtbot.addWidget(picker)
    picker.set_choices([PickerChoice("a", "claude-sonnet-4-5 · 200k", "")])
    picker.set_value("a")
    picker.resize(picker.sizeHint())
    picker.show()
    assert picker.elided_text() == "claude-sonnet-4-5 · 200k"
    picker.resize(picker.width() - 50, picker.height())
    assert picker.elided_text() == "sonnet-4-5 · 200k"
    assert picker.toolTip().startswith("claude-sonnet-4-5")


def test_a_picker_gives_up_what_it_can_and_says_what_is_missing(picker: Picker) -> None:
    full_width = picker.sizeHint().width()
    assert (picker.give_up_width(10), picker.sizeHint().width()) == (0, full_width - 10)
    assert picker.give_up_width(5_000) == 5_000 - (full_width - picker.sizeHint().width())
    assert (picker.give_up_width(0), picker.sizeHint().width()) == (0, full_width)


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


def test_a_switch_that_got_narrow_tells_its_row_at_once(qtbot: QtBot, qapp: QApplication) -> None:
    AppearanceController(qapp, "light").style_all_widgets()
    bar = QWidget()
    qtbot.addWidget(bar)
    row, switch = QHBoxLayout(bar), ViewSwitch(ActionSet(bar))
    row.addWidget(switch)
    bar.show()
    wide = row.sizeHint().width()
    switch.set_narrow(True)
    row.invalidate()
    assert row.sizeHint().width() < wide


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

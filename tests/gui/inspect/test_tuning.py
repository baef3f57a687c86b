"""The tuning panel: what its editors emit, and that it is updated in place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.presentation.model import ChangeEffect, ControlGroup, LabelledFigure, SettingControl
from gui.inspect.tuning.editors import (
    ChoiceComboBox,
    FlagCheckBox,
    FractionSlider,
    FractionSpinBox,
    IntegerSpinBox,
    TextField,
)
from gui.inspect.tuning.layer_dot import LayerDot, LayerPopup
from gui.inspect.tuning.panel import TuningPanel
from gui.widgets.figure_list import FigureList
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import THEME_NAMES, theme
from tests.gui.fake_panel import effect, groups, show_all

SPLIT = groups("middle-out")
BOTTOM = "compression-preserve-threshold"


@pytest.fixture
def panel(qtbot: QtBot) -> TuningPanel:
    result = TuningPanel()
    qtbot.addWidget(result)
    result.resize(268, 840)
    result.set_theme(theme("light"))
    show_all(result, SPLIT, effect(), True)
    with qtbot.waitExposed(result):
        result.show()
    return result


def value_changes(panel: TuningPanel) -> list[tuple[Any, ...]]:
    calls: list[tuple[Any, ...]] = []
    panel.value_changed.connect(lambda *args: calls.append(args))
    return calls


def find_widget(panel: TuningPanel, kind: type[Any], name: str) -> Any:
    # without widgets that are being deleted
    found = [one for one in panel.findChildren(kind) if one.isVisible()]
    return next(one for one in found if one.accessibleName().startswith(name))


def with_value(key: str, value: object) -> tuple[ControlGroup, ...]:
    def changed(control: SettingControl) -> SettingControl:
        return replace(control, value=value) if control.key == key else control  # type: ignore[arg-type]

    return tuple(replace(group, controls=tuple(map(changed, group.controls))) for group in SPLIT)


def only(panel: TuningPanel, control: SettingControl) -> None:
    show_all(panel, (ControlGroup("One", (control,)),), None, False)


def made(kind: str, value: Any, **more: Any) -> SettingControl:
    return SettingControl(
        "k", "Name", kind, value, str(value), "default", (("session", "–"),), "Help.", **more
    )


def test_a_dragged_slider_tells_drafts_and_then_the_value(panel: TuningPanel, qtbot: QtBot) -> None:
    slider, calls = find_widget(panel, FractionSlider, "Keep bottom"), value_changes(panel)
    slider.setSliderDown(True)
    slider.setSliderPosition(30)
    slider.setSliderPosition(31)
    slider.setSliderDown(False)
    assert calls == [(BOTTOM, 0.3, True), (BOTTOM, 0.31, True), (BOTTOM, 0.31, False)]
    assert find_widget(panel, FractionSpinBox, "Keep bottom").value() == 31


def test_a_slider_moved_by_key_tells_no_draft(panel: TuningPanel, qtbot: QtBot) -> None:
    calls = value_changes(panel)
    QTest.keyClick(find_widget(panel, FractionSlider, "Keep bottom"), Qt.Key.Key_Right)
    assert calls == [(BOTTOM, 0.21, False)]


def test_a_field_tells_when_the_number_is_entered(panel: TuningPanel, qtbot: QtBot) -> None:
    spin, calls = find_widget(panel, FractionSpinBox, "Keep bottom"), value_changes(panel)
    spin.setFocus()
    spin.selectAll()
    QTest.keyClicks(spin, "35")
    assert calls == []
    QTest.keyClick(spin, Qt.Key.Key_Return)
    assert calls == [(BOTTOM, 0.35, False)]
    assert spin.text() == "35 %"


def test_a_number_left_as_it_was_tells_nothing(panel: TuningPanel, qtbot: QtBot) -> None:
    show_all(panel, with_value(BOTTOM, 0.20388), None, False)
    spin, calls = find_widget(panel, FractionSpinBox, "Keep bottom"), value_changes(panel)
    spin.setFocus()
    QTest.keyClick(spin, Qt.Key.Key_Return)
    assert (calls, spin.text()) == ([], "20.4 %")


def test_whole_numbers_have_commas(panel: TuningPanel) -> None:
    only(panel, made("whole", 64000, high=200000, step=1000))
    calls = value_changes(panel)
    spin = find_widget(panel, IntegerSpinBox, "Name")
    spin.stepUp()
    assert (spin.text(), calls) == ("65,000", [("k", 65000, False)])


def test_a_whole_number_without_a_value_is_a_dash(panel: TuningPanel) -> None:
    only(panel, made("whole", None, low=1, high=1000))
    calls = value_changes(panel)
    spin = find_widget(panel, IntegerSpinBox, "Name")
    assert spin.text() == "–"
    spin.setValue(7)
    assert calls == [("k", 7, False)]


def test_a_switch_tells_and_shows_what_it_saves(panel: TuningPanel) -> None:
    show_all(panel, groups("high-density"), None, False)
    calls = value_changes(panel)
    find_widget(panel, FlagCheckBox, "Recency").click()
    assert calls == [("compression.density.recencyPruning", True, False)]
    assert "(−32,999)" in {label.full_text for label in panel.findChildren(ElidedLabel)}


def test_choices_and_texts_tell_what_was_chosen(panel: TuningPanel, qtbot: QtBot) -> None:
    only(panel, made("choice", "safe", choices=("safe", "reference")))
    calls = value_changes(panel)
    box = find_widget(panel, ChoiceComboBox, "Name")
    QTest.keyClick(box, Qt.Key.Key_Down)
    only(panel, made("text", ""))
    field = find_widget(panel, TextField, "Name")
    field.setFocus()
    QTest.keyClicks(field, "haiku\r")
    assert calls == [("k", "reference", False), ("k", "haiku", False)]


def test_an_emptied_text_asks_for_the_layer_below(panel: TuningPanel, qtbot: QtBot) -> None:
    only(panel, made("text", "haiku"))
    field = find_widget(panel, TextField, "Name")
    field.selectAll()
    with qtbot.waitSignal(panel.reset_requested) as signal:
        QTest.keyClick(field, Qt.Key.Key_Delete)
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert signal.args == ["k"]


def test_the_layer_dot_shows_three_values_and_resets(panel: TuningPanel, qtbot: QtBot) -> None:
    find_widget(panel, LayerDot, "Keep bottom").click()
    popup = panel.findChildren(LayerPopup)[0]
    assert popup.reset_button.isEnabled()
    with qtbot.waitSignal(panel.reset_requested) as signal:
        popup.reset_button.click()
    assert signal.args == [BOTTOM]


def test_tab_goes_through_a_row_from_left_to_right(panel: TuningPanel) -> None:
    slider = find_widget(panel, FractionSlider, "Keep top")
    passed: list[type[QWidget]] = [FractionSlider]
    following: Any = slider.nextInFocusChain()
    while following is not slider and type(following) is not FractionSlider:
        passed += [type(following)] if isinstance(following, FractionSpinBox | LayerDot) else []
        following = following.nextInFocusChain()
    assert passed[:3] == [FractionSlider, FractionSpinBox, LayerDot]


def test_there_is_nothing_to_reset_in_a_default(panel: TuningPanel) -> None:
    find_widget(panel, LayerDot, "Keep top").click()
    popup = panel.findChildren(LayerPopup)[0]
    assert not popup.reset_button.isEnabled()
    popup.close()


def test_other_values_come_in_place(panel: TuningPanel, qtbot: QtBot) -> None:
    spin = find_widget(panel, FractionSpinBox, "Keep bottom")
    spin.setFocus()
    widgets = panel.findChildren(QWidget)
    show_all(panel, with_value(BOTTOM, 0.25), None, True)
    assert spin.hasFocus()
    assert spin.value() == 25
    assert panel.findChildren(QWidget) == widgets


def test_a_drag_goes_on_through_other_values(panel: TuningPanel) -> None:
    slider = find_widget(panel, FractionSlider, "Keep bottom")
    slider.setSliderDown(True)
    slider.setSliderPosition(40)
    show_all(
        panel,
        (*with_value(BOTTOM, 0.3), ControlGroup("New", (), facts=(LabelledFigure("a", "1"),))),
        None,
        True,
    )
    assert slider.isSliderDown()
    assert slider.value() == 40
    slider.setSliderDown(False)


def test_a_late_answer_does_not_move_an_editor_back(panel: TuningPanel, qtbot: QtBot) -> None:
    spin = find_widget(panel, FractionSpinBox, "Keep bottom")
    spin.setValue(22)
    show_all(panel, with_value(BOTTOM, 0.21), None, True)
    assert spin.value() == 22
    qtbot.waitUntil(lambda: spin.value() == 21, timeout=2000)


def test_another_strategy_shows_other_groups(panel: TuningPanel, qtbot: QtBot) -> None:
    show_all(panel, groups("high-density"), None, False)
    titles = [box._title.full_text for _, box in panel._boxes]
    assert titles == ["Density, every turn", "Compact", "Trigger"]


def test_a_closed_group_opens_stays_open_and_offers_a_way(panel: TuningPanel, qtbot: QtBot) -> None:
    box = panel._boxes[-1][1]
    assert not box._content.isVisible()
    box._chevron.click()
    show_all(panel, groups("high-density"), None, False)
    show_all(panel, SPLIT, None, False)
    box, calls = panel._boxes[-1][1], value_changes(panel)
    assert box._content.isVisible()
    box._footer.setFocus()
    QTest.keyClick(box._footer, Qt.Key.Key_Return)
    assert calls == [("compression.strategy", "high-density", False)]


def test_undo_is_there_where_there_is_something_to_undo(panel: TuningPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignals([panel.undo_requested] * 2, timeout=120_000):
        panel._undo_button.click()
        panel._effect_box._undo.click()
    show_all(panel, SPLIT, None, False)
    assert not panel._undo_button.isEnabled()
    assert not panel._effect_box.isVisible()


def test_facts_change_in_place_and_in_number(qtbot: QtBot) -> None:
    facts = FigureList()
    qtbot.addWidget(facts)
    facts.show_facts((LabelledFigure("a", "−1", fraction=1.0), LabelledFigure("together", "−1")))
    facts.show_facts((LabelledFigure("b", "−2", "ok"),))
    assert facts.texts == (("b", "−2"),)


@pytest.mark.parametrize("width", [220, 268])
@pytest.mark.parametrize("strategy", ["middle-out", "high-density"])
def test_nothing_scrolls_sideways(panel: TuningPanel, qtbot: QtBot, width: int, strategy: str) -> None:
    show_all(panel, groups(strategy), effect(), True)
    panel.resize(width, 500)
    QApplication.processEvents()
    inside: Any = panel._scroll.widget()
    assert inside.width() <= panel._scroll.viewport().width()
    assert inside.minimumSizeHint().width() <= 220


def test_a_note_that_does_not_fit_gives_way_to_a_short_one(panel: TuningPanel) -> None:
    group = ControlGroup("Density", (), "no effect with middle-out", True, short_note="no effect here")
    shown = []
    for width in (268, 220):
        panel.resize(width, 500)
        show_all(panel, (group,), None, False)
        QApplication.processEvents()
        shown.append(panel._boxes[0][1]._note.text())
    assert shown == ["no effect with middle-out", "no effect here"]


def test_what_changed_stands_below_its_setting_where_there_is_no_room(panel: TuningPanel) -> None:
    facts = (LabelledFigure("summarised → kept", "81 messages"),)
    panel.resize(220, 600)
    show_all(panel, SPLIT, ChangeEffect("Unten behalten", "20 % → 31,9 %", facts), True)
    QApplication.processEvents()
    labels = [label for label in panel._effect_box.findChildren(ElidedLabel) if label.isVisible()]
    assert [label.full_text for label in labels if label.is_elided] == []
    title, change = (one for one in labels if one.full_text in ("Unten behalten", "20 % → 31,9 %"))
    assert change.y() > title.y()
    assert "81" in [label.text() for label in labels]
    panel.resize(420, 600)
    QApplication.processEvents()
    assert change.y() < title.y() + title.height()
    assert "81 messages" in [label.text() for label in labels]


def test_figures_with_another_sum_change_in_place(panel: TuningPanel) -> None:
    boxes = []
    for title, parts in (("Where the 3 come from", ("1", "2")), ("Where the 7 come from", ("7",))):
        facts = tuple(LabelledFigure(part, part) for part in parts)
        show_all(panel, (ControlGroup(title, (), facts=facts),), None, True)
        boxes.append(panel._boxes[0][1])
        assert boxes[-1]._title.full_text == title
        assert boxes[-1]._facts.texts == tuple((part, part) for part in parts)
    assert boxes[0] is boxes[1]


def test_the_wheel_scrolls_the_panel_not_the_values(panel: TuningPanel, qtbot: QtBot) -> None:
    calls, spin = value_changes(panel), find_widget(panel, FractionSpinBox, "Keep top")
    _wheel(spin)
    assert calls == []


def _wheel(widget: QWidget) -> None:
    middle = QPointF(widget.rect().center())
    place = QPointF(widget.mapToGlobal(QPoint(4, 4)))
    none, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(middle, place, QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton, none, phase, False)
    QApplication.sendEvent(widget, event)


@pytest.mark.parametrize("name", THEME_NAMES)
def test_every_control_has_a_name_in_every_theme(panel: TuningPanel, name: str) -> None:
    panel.set_theme(theme(name))
    assert not panel.grab().isNull()
    takes = (FractionSlider, FractionSpinBox, IntegerSpinBox, FlagCheckBox, LayerDot)
    assert all(one.accessibleName() for kind in takes for one in panel.findChildren(kind))

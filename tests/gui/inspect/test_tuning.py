"""The tuning panel: what its editors emit, and that it is updated in place."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.model import (
    ControlBounds,
    ControlGroup,
    ControlNote,
    SettingControl,
)
from gui.aim_field import Aim
from gui.inspect.tuning_panel import ControlRow, TuningPanel, layer_text
from gui.widgets.setting_editors import (
    ChoiceComboBox,
    FlagCheckBox,
    FractionSlider,
    NumberField,
    TextField,
)
from tests.gui.session_screen import session_groups
from tests.gui.window_space import expose

MIDDLE_OUT = session_groups()
BOTTOM = "compression.preserve-threshold"


def show_all(
    panel: TuningPanel, groups: Sequence[ControlGroup], can_undo: bool = False
) -> None:
    panel.show_history(can_undo=can_undo)
    for _ in panel.show_groups(groups):
        pass


@pytest.fixture
def panel(qtbot: QtBot) -> TuningPanel:
    result = TuningPanel(Aim())
    show_all(result, MIDDLE_OUT, can_undo=True)
    return expose(qtbot, result, 268, 840)


def value_changes(panel: TuningPanel) -> list[tuple[Any, ...]]:
    calls: list[tuple[Any, ...]] = []
    panel.value_changed.connect(lambda *args: calls.append(args))
    return calls


def find_widget(panel: TuningPanel, kind: type[Any], name: str) -> Any:
    found = [one for one in panel.findChildren(kind) if one.isVisible()]
    return next(one for one in found if one.accessibleName().startswith(name))


def only(panel: TuningPanel, control: SettingControl) -> None:
    show_all(panel, (ControlGroup("", (control,)),))
    QApplication.processEvents()


def made(kind: str, value: Any, **more: Any) -> SettingControl:
    return SettingControl(
        key="k",
        label="Name",
        kind=kind,
        value=value,
        value_text=str(value),
        layer="default",
        layers=(("session", "–"),),
        help="Help.",
        **more,
    )


def test_a_dragged_slider_tells_drafts_and_then_the_value(panel: TuningPanel) -> None:
    slider, calls = (
        find_widget(panel, FractionSlider, "Keep Bottom"),
        value_changes(panel),
    )
    slider.setSliderDown(True)
    slider.setSliderPosition(30)
    slider.setSliderPosition(31)
    slider.setSliderDown(False)
    assert calls == [(BOTTOM, 0.3, True), (BOTTOM, 0.31, True), (BOTTOM, 0.31, False)]
    assert find_widget(panel, NumberField, "Keep Bottom").value() == 31
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert calls[-1] == (BOTTOM, 0.32, False)


def test_ctrl_z_in_a_number_that_was_taken_over_is_the_window_s(
    panel: TuningPanel,
) -> None:
    spin = find_widget(panel, NumberField, "Keep Bottom")

    def takes_undo() -> bool:
        key = QKeyEvent(
            QEvent.Type.ShortcutOverride,
            Qt.Key.Key_Z,
            Qt.KeyboardModifier.ControlModifier,
        )
        key.ignore()
        QApplication.sendEvent(spin, key)
        return key.isAccepted()

    spin.selectAll()
    QTest.keyClicks(spin, "30")
    assert takes_undo()
    QTest.keyClick(spin, Qt.Key.Key_Return)
    assert not takes_undo()


@pytest.mark.parametrize(
    ("control", "kind", "act", "value"),
    [
        (
            made("whole", 4_000, bounds=ControlBounds(high=9_000.0)),
            NumberField,
            lambda one: one.setValue(4_100),
            4_100,
        ),
        (made("flag", False), FlagCheckBox, lambda one: one.click(), True),
        (
            made("choice", "safe", choices=("safe", "reference")),
            ChoiceComboBox,
            lambda one: (one.setCurrentIndex(1), one.activated.emit(1)),
            "reference",
        ),
        (
            made("text", "old"),
            TextField,
            lambda one: (one.setText("new"), one.editingFinished.emit()),
            "new",
        ),
    ],
    ids=["whole", "flag", "choice", "text"],
)
def test_each_kind_of_value_is_told(
    panel: TuningPanel,
    control: SettingControl,
    kind: type[Any],
    act: Any,
    value: object,
) -> None:
    only(panel, control)
    calls = value_changes(panel)
    act(find_widget(panel, kind, "Name"))
    assert calls == [("k", value, False)]


def test_a_number_without_a_value_is_a_dash_and_can_become_one_again(
    panel: TuningPanel, qtbot: QtBot
) -> None:
    only(panel, made("whole", None, bounds=ControlBounds(high=9_000.0)))
    spin = find_widget(panel, NumberField, "Name")
    assert spin.text() == "–"
    only(panel, made("whole", 4_000, bounds=ControlBounds(high=9_000.0)))
    assert spin.text() == "4,000"
    only(panel, made("whole", None, bounds=ControlBounds(high=9_000.0)))
    spin.setValue(5)
    with qtbot.waitSignal(panel.value_changed) as signal:
        spin.setValue(spin.minimum())
    assert signal.args[1] is None


def test_a_dot_is_only_where_a_value_differs_and_resets_it(
    panel: TuningPanel, qtbot: QtBot
) -> None:
    rows = {row.control.label: row for row in panel.findChildren(ControlRow)}
    assert not rows["Keep Top"].dot.isVisible()
    dot = rows["Keep Bottom"].dot
    assert dot.isVisible()
    actions = dot.menu().actions()
    assert actions[0].text() == "changed here: 20 %"
    with qtbot.waitSignal(panel.value_changed) as signal:
        actions[-1].trigger()
    assert signal.args == [BOTTOM, None, False]
    shown = {}
    for layer in ("session", "project", "saved", "default", ""):
        only(panel, replace(made("whole", 4_000), layer=layer, label="Name"))
        shown[layer] = next(
            row for row in panel.findChildren(ControlRow) if row.isVisible()
        ).dot.isVisible()
    assert shown == {
        "session": True,
        "project": True,
        "saved": True,
        "default": False,
        "": False,
    }
    by_profile = replace(made("whole", 1), profile="tuned", layer="session")
    assert layer_text(by_profile, "session") == "changed here, profile tuned"


def test_undo_is_there_where_there_is_something_to_undo(
    panel: TuningPanel, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(panel.undo_requested):
        panel.undo_button.click()
    show_all(panel, MIDDLE_OUT)
    assert not panel.undo_button.isEnabled()


def test_the_name_of_a_switch_has_the_whole_row(panel: TuningPanel) -> None:
    name = "Keep only the newest results"
    only(
        panel,
        replace(
            made("flag", True),
            label=name,
            layer="session",
            note=ControlNote(effect="−54,830", text="per tool"),
        ),
    )
    box = find_widget(panel, FlagCheckBox, name)
    row = box.parentWidget()
    assert isinstance(row, ControlRow)
    assert (box.x(), box.geometry().right()) == (row.dot.width(), row.rect().right())


def test_the_focus_stays_on_a_switch_that_adds_a_row(panel: TuningPanel) -> None:
    flag, value = made("flag", False), made("whole", 3, bounds=ControlBounds(high=9.0))
    show_all(panel, (ControlGroup("Every turn", (flag,)),))
    find_widget(panel, FlagCheckBox, flag.label).setFocus()
    more = replace(value, key="another")
    show_all(panel, (ControlGroup("Every turn", (replace(flag, value=True), more)),))
    assert QApplication.focusWidget() is find_widget(panel, FlagCheckBox, flag.label)


@pytest.mark.parametrize("kind", ["fraction", "flag", "whole"])
def test_what_a_value_means_comes_later_and_moves_nothing(
    panel: TuningPanel, kind: str
) -> None:
    """A preview says it: one line, elided, with the whole text in the tooltip; a link is never
    cut."""
    control = made(kind, 1 if kind == "whole" else 0.5 if kind == "fraction" else True)
    long, link = (
        "of what was there before, in tokens, and more of it " * 2,
        ("moved by 2", "cut:top"),
    )
    heights = []
    for shown in (
        control,
        replace(control, note=ControlNote(text=long, link=link, effect="−54,830")),
    ):
        only(panel, shown)
        row = next(one for one in panel.findChildren(ControlRow) if one.isVisible())
        heights.append(row.height())
    assert heights[0] == heights[1]
    assert row.hint.toolTip().startswith(long.strip())
    assert row.hint_link.width() >= row.hint_link.sizeHint().width()
    assert (
        abs(row.hint_link.geometry().center().y() - row.hint.geometry().center().y())
        <= 1
    )


@pytest.mark.parametrize("kind", ["fraction", "flag", "whole"])
def test_a_row_stays_as_it_is_when_its_value_is_changed(
    panel: TuningPanel, kind: str
) -> None:
    control = made(kind, 1 if kind == "whole" else 0.5 if kind == "fraction" else True)
    places = []
    for layer in (
        "default",
        "default",
        "session",
    ):  # the first time it takes the place of others
        only(panel, replace(control, layer=layer))
        editors = panel.findChildren(FlagCheckBox) + panel.findChildren(NumberField)
        places.append([one.geometry() for one in editors if one.isVisible()])
    assert places[1] == places[2] != []


@pytest.mark.parametrize("width", [220, 268])
@pytest.mark.parametrize("strategy", ["middle-out", "high-density"])
def test_nothing_scrolls_sideways(
    panel: TuningPanel, width: int, strategy: str
) -> None:
    show_all(panel, session_groups(strategy), can_undo=True)
    panel.resize(width, 400)
    QApplication.processEvents()
    inside: Any = panel.scroll_area.widget()
    assert inside.width() <= panel.scroll_area.viewport().width()
    assert inside.minimumSizeHint().width() <= 220


def test_the_wheel_scrolls_the_panel_not_the_values(panel: TuningPanel) -> None:
    calls, spin = value_changes(panel), find_widget(panel, NumberField, "Keep Top")
    middle, place = (
        QPointF(spin.rect().center()),
        QPointF(spin.mapToGlobal(QPoint(4, 4))),
    )
    none, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    turn = (QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton, none, phase, False)
    QApplication.sendEvent(spin, QWheelEvent(middle, place, *turn))
    assert calls == []


def test_of_a_fact_words_give_way_to_its_label_and_its_label_to_a_figure(
    panel: TuningPanel,
) -> None:
    panel.resize(200, 840)
    fact = made("fact", None)
    only(panel, replace(fact, label="Summary by", value_text="haiku · " * 30))
    label = next(one.label for one in panel.findChildren(ControlRow) if one.isVisible())
    assert label.width() >= label.fontMetrics().horizontalAdvance(label.text())
    only(
        panel, replace(fact, label="Shorten old tool results", value_text="−1,262,051")
    )
    row = next(one for one in panel.findChildren(ControlRow) if one.isVisible())
    assert not row.value.is_elided


@pytest.mark.parametrize(
    ("typed", "value", "shown"),
    [
        ("20k", 20_000.0, "20,000"),
        ("21,334", 21_334.0, "21,334"),
        ("30 %", 0.3, "30 %"),
        ("12", 0.12, "12 %"),
    ],
)
def test_an_aim_is_typed_in_tokens_or_in_percent(
    panel: TuningPanel, typed: str, value: float, shown: str
) -> None:
    aim = SettingControl(
        key="compression.tiered.target",
        label="Target",
        kind="fraction",
        value=0.5,
        value_text="50 %",
        layer="default",
        layers=(),
        help="",
        bounds=ControlBounds(takes_tokens=True, whole=200_000),
    )
    only(panel, aim)
    changes = value_changes(panel)
    field = find_widget(panel, NumberField, "Target")
    field.setFocus()
    field.lineEdit().selectAll()
    QTest.keyClicks(field.lineEdit(), typed)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert changes[-1][:2] == ("compression.tiered.target", value)
    assert field.text() == shown
    share = value if value <= 1 else value / 200_000
    assert find_widget(panel, FractionSlider, "Target").value() == round(100 * share)


def test_a_step_never_leads_from_a_share_to_tokens(panel: TuningPanel) -> None:
    aim = replace(
        made("fraction", 1.0), bounds=ControlBounds(takes_tokens=True, whole=200_000)
    )
    only(panel, aim)
    field = next(one for one in panel.findChildren(NumberField) if one.isVisible())
    field.stepBy(1)
    assert field.text() == "100 %"
    field.show_number(20_000.0)
    field.stepBy(-1)
    assert field.text() == "19,000"


def test_a_number_of_tokens_is_typed_with_a_k(panel: TuningPanel) -> None:
    only(panel, replace(made("whole", 2_000), bounds=ControlBounds(high=64_000)))
    field, changes = (
        next(one for one in panel.findChildren(NumberField) if one.isVisible()),
        value_changes(panel),
    )
    field.setFocus()
    field.lineEdit().selectAll()
    QTest.keyClicks(field.lineEdit(), "4k")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert changes[-1][1] == 4_000

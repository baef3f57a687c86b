"""No text of any strategy is cut in the panel of a window 1280 pixels wide."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from core.configuration.layers import SettingLayers
from core.formats.registry import load_conversation
from core.presentation.model import ControlGroup
from core.presentation.preview_columns import preview_columns
from core.presentation.tuning.panel import control_groups
from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview
from core.settings.keys import LIMIT, STRATEGY, TARGET
from core.strategies.registry import COMPRESSION_STRATEGIES
from core.transcript.model import Conversation
from gui.inspect.tuning.editors import FlagCheckBox
from gui.inspect.tuning.group_box import GroupBox
from gui.inspect.tuning.hint import HintLabel
from gui.inspect.tuning.panel import TuningPanel
from gui.widgets.appearance import AppearanceController
from gui.widgets.scrolled_area import ScrollContainer
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import body_font
from tests.gui.fake_panel import effect, show_all

SAMPLE = Path(__file__).parents[3] / "resources" / "samples" / "fix-flaky-upload.jsonl"
WIDTH = 232  # the width from gui.inspect.docks at 1280
HEIGHT = 400  # so low that the scroll bar takes its share


@pytest.fixture(scope="module")
def long_session() -> Conversation:
    return load_conversation(SAMPLE)


@pytest.fixture
def panel(qapp: QApplication, qtbot: QtBot) -> TuningPanel:
    if QFontInfo(body_font()).family() not in ("Inter", "Noto Sans"):
        pytest.skip("in wider fonts texts may be cut")
    appearance = AppearanceController(qapp, "light")
    appearance.style_all_widgets()
    result = TuningPanel()
    qtbot.addWidget(result)
    result.resize(WIDTH, HEIGHT)
    result.set_theme(appearance.theme)
    appearance.setParent(result)
    result.show()
    return result


def panel_groups(source: Conversation, strategy: str, target: float) -> tuple[ControlGroup, ...]:
    layers = SettingLayers().with_session(STRATEGY, strategy).with_session(LIMIT, 60_000)
    layers = layers.with_session(TARGET, target)
    return control_groups(
        preview_columns(compute_preview(source, layers.resolve(), PreviewOptions())), layers
    )


def cut_texts(panel: TuningPanel) -> list[str]:
    for box in panel.findChildren(GroupBox):
        if box._group.collapsed and not box._is_open:
            box._toggle()
    QApplication.processEvents()
    labels = [one for one in panel.findChildren(ElidedLabel) if one.isVisible() and one.is_elided]
    flags = [one for one in panel.findChildren(FlagCheckBox) if one.isVisible() and one.is_elided]
    return [f"{one.full_text} -> {one.text()}" for one in labels] + [one.text() for one in flags]


@pytest.mark.parametrize("target", [0.1, 0.6])
@pytest.mark.parametrize("strategy", COMPRESSION_STRATEGIES)
def test_no_text_is_cut(panel: TuningPanel, long_session: Conversation, strategy: str, target: float) -> None:
    show_all(panel, panel_groups(long_session, strategy, target), None, False)
    found = "; ".join(cut_texts(panel))
    assert not found, found
    area = panel.findChild(QScrollArea)
    assert area is not None
    inside, view = area.widget(), area.viewport()
    assert inside is not None
    assert inside.width() <= view.width()


def test_hints_take_one_line_and_say_the_rest_in_a_tooltip(
    panel: TuningPanel, long_session: Conversation
) -> None:
    show_all(panel, panel_groups(long_session, "middle-out", 0.6), None, False)
    hint = next(one for one in panel.findChildren(HintLabel) if "to keep a pair" in one.toolTip())
    assert hint.text.endswith("…")
    assert hint.accessibleName() == hint.toolTip()
    assert hint.height() < 2 * hint.fontMetrics().height()
    panel.resize(2 * WIDTH, HEIGHT)
    QApplication.processEvents()
    assert (hint.text, hint.toolTip()) == (hint.accessibleName(), "")


@pytest.mark.parametrize("height", [300, 400, 900])
def test_the_last_effect_stays_in_sight(panel: TuningPanel, long_session: Conversation, height: int) -> None:
    panel.resize(WIDTH, height)
    show_all(panel, panel_groups(long_session, "pinned-hybrid", 0.6), effect(), True)
    QApplication.processEvents()
    box = panel._effect_box
    assert not box.visibleRegion().isEmpty()
    assert box.visibleRegion().boundingRect() == box.rect()
    groups_end = panel.findChildren(ScrollContainer)[0].geometry().bottom()
    assert box.y() == groups_end + 1

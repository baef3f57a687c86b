"""In the panel that a window of 1280 pixels gives, no text of any strategy is cut."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from core.conversation import Conversation
from core.formats import load
from core.preview import preview
from core.preview_values import Ask
from core.settings.layers import Layers
from core.strategies.keys import LIMIT, STRATEGY, TARGET
from core.strategies.registry import COMPRESSION_STRATEGIES
from core.view.panel import groups
from core.view.scene import scene
from core.view.values import Group
from gui.appearance import Appearance
from gui.texts import ElidedLabel
from gui.tuning.editors import FlagBox
from gui.tuning.group_box import GroupBox
from gui.tuning.panel import TuningPanel

SAMPLE = Path(__file__).parents[2] / "resources" / "samples" / "fix-flaky-upload.jsonl"
WIDTH = 232  # what gui.workbench gives at 1280
HEIGHT = 400  # so little that the scroll bar takes its share


@pytest.fixture(scope="module")
def long_session() -> Conversation:
    return load(SAMPLE)


@pytest.fixture
def panel(qapp: QApplication, qtbot: QtBot) -> TuningPanel:
    if not QFontDatabase.hasFamily("Inter"):
        pytest.skip("measured in Inter, which is not installed here")
    appearance = Appearance(qapp, "light")
    appearance.complete()
    result = TuningPanel()
    qtbot.addWidget(result)
    result.resize(WIDTH, HEIGHT)
    result.set_theme(appearance.theme)
    appearance.setParent(result)
    result.show()
    return result


def told(source: Conversation, strategy: str, target: float) -> tuple[Group, ...]:
    layers = Layers().with_session(STRATEGY, strategy).with_session(LIMIT, 60_000)
    layers = layers.with_session(TARGET, target)
    return groups(scene(preview(source, layers.resolve(), Ask())), layers)


def cut_texts(panel: TuningPanel) -> list[str]:
    for box in panel.findChildren(GroupBox):
        if box._group.collapsed and not box._is_open:
            box._toggle()
    QApplication.processEvents()
    labels = [one for one in panel.findChildren(ElidedLabel) if one.isVisible() and one.is_cut]
    flags = [one for one in panel.findChildren(FlagBox) if one.isVisible() and one.is_cut]
    return [f"{one.full_text} -> {one.text()}" for one in labels] + [one.text() for one in flags]


@pytest.mark.parametrize("target", [0.1, 0.6])
@pytest.mark.parametrize("strategy", COMPRESSION_STRATEGIES)
def test_no_text_is_cut(panel: TuningPanel, long_session: Conversation, strategy: str, target: float) -> None:
    panel.set_groups(told(long_session, strategy, target), None, False)
    found = "; ".join(cut_texts(panel))
    assert not found, found
    area = panel.findChild(QScrollArea)
    assert area is not None
    inside, view = area.widget(), area.viewport()
    assert inside is not None
    assert inside.width() <= view.width()

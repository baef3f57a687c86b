"""Tasks with strategies in stages: the pages of a run, restored messages."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.presentation.model import FATES
from core.presentation.screen_model import Screen
from core.settings.schema import LIMIT, PROTECTED, TARGET
from core.strategies.registry import STRATEGIES
from gui.window_content import WindowContent
from tests.gui.inspect.test_ruler import at
from tests.gui.pointer import drag
from tests.journeys.walks import LEFT, control, open_transcript, pick_strategy, settle
from tests.support.narrowing import known

KEPT, EDITED = FATES.index("kept"), FATES.index("edited")
TIERED = next(one.name for one in STRATEGIES if TARGET in one.options)
PRESET = next(
    one for one in STRATEGIES if one.emulates is not None and one.trigger.tokens
)


def tiered(qtbot: QtBot, space: WindowContent, transcript: Path) -> Screen:
    open_transcript(qtbot, space, transcript)
    space.backend.set_value(LIMIT, 7_500)
    return pick_strategy(qtbot, space, TIERED)


def go_to_edited(qtbot: QtBot, space: WindowContent, transcript: Path) -> int:
    """Select the first message that a tier has edited; return its index."""
    index = tiered(qtbot, space, transcript).source.fates.index(EDITED)
    space.page.go_to("before", index)
    settle(qtbot, space)
    return index


@pytest.mark.req("LH-71")
def test_a_key_puts_a_message_back_and_undo_takes_it_away(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    index = go_to_edited(qtbot, space, transcript)
    view = space.page.lists.list.view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_B)
    assert settle(qtbot, space).source.fates[index] == KEPT
    QTest.keyClick(view, Qt.Key.Key_B)
    assert settle(qtbot, space).source.fates[index] == EDITED
    QTest.keyClick(space.window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert settle(qtbot, space).source.fates[index] == KEPT


@pytest.mark.req("LH-71")
def test_the_why_tab_offers_to_put_a_message_back(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    index = go_to_edited(qtbot, space, transcript)
    space.page.show_tab("why")
    page = known(space.page.inspector.page)
    links = [span.link for section in page.sections for span in section.text]
    assert f"put-back:{index}" in links
    space.page.follow_link(f"put-back:{index}")
    screen = settle(qtbot, space)
    assert screen.source.fates[index] == KEPT
    assert index in screen.aligned.put_back  # its row says so
    settle(qtbot, space)
    page = known(space.page.inspector.page)
    assert f"let-go:{index}" in [
        span.link for section in page.sections for span in section.text
    ]


def test_the_foot_of_a_group_leads_to_how_it_went(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    tiered(qtbot, space, transcript)
    group = next(one for one in space.page.tuning.groups if one.action is not None)
    assert [fact.label.split()[0] for fact in group.facts][:2] == ["source", "1"]
    assert group.action is not None
    space.page.tuning.value_changed.emit(group.action[1], group.action[2], False)
    settle(qtbot, space)
    page = known(space.page.inspector.page)
    assert page.title == "Compaction log"
    assert any(section.title.startswith("Tier 1") for section in page.sections)
    space.backend.set_value(TARGET, 0.3)
    settle(qtbot, space)
    assert space.page.inspector.page not in (
        None,
        page,
    )  # it stays in sight and follows


def test_the_cut_of_the_protected_tail_is_a_handle(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    screen = tiered(qtbot, space, transcript)
    (handle,) = screen.ruler.handles
    assert handle.key == PROTECTED
    goal = int(handle.stops[len(handle.stops) // 2])
    ruler = space.page.ruler
    drag(ruler, [at(ruler, handle.index, 12), at(ruler, goal, 12)])
    QTest.mouseRelease(ruler, LEFT, pos=at(ruler, goal, 12))
    moved = settle(qtbot, space)
    assert moved.ruler.handles[0].index == goal
    assert isinstance(control(space, PROTECTED).value, int)


def test_a_preset_says_whom_it_emulates_and_its_own_trigger(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    pick_strategy(qtbot, space, PRESET.name)
    assert PRESET.emulates is not None
    controls = [one for group in space.page.tuning.groups for one in group.controls]
    facts = {
        one.label: one.value_text or one.value for one in controls if one.kind == "fact"
    }
    assert facts["Behaves like"] == PRESET.emulates.program
    assert facts["Compacts at"] == f"{PRESET.trigger.tokens:,} tokens"

"""The pages of all panels are asked for once for each preview that is shown."""

import pytest
from pytestqt.qtbot import QtBot

from core.app.events import PanelsWanted
from core.app.rpc import Call
from core.app.services.lists import PanelService
from core.app.services.preview import PreviewService
from core.presentation.screen_model import Screen
from gui.window_content import WindowContent
from tests.gui.window_space import calls_from_now, settle

BOTTOM = "compression.preserve-threshold"
CHANGE, PAGES = (
    method.__qualname__ for method in (PreviewService.change, PanelService.pages)
)


def switch(
    qtbot: QtBot, content: WindowContent, value: float, *, provisional: bool = False
) -> list[Call]:
    """Change a setting; return the calls until everything is answered."""
    sent = calls_from_now(content)
    content.backend.set_value(BOTTOM, value, provisional)
    settle(qtbot, content)
    return sent


def test_a_switch_makes_two_calls_whatever_is_selected(
    qtbot: QtBot, opened: WindowContent
) -> None:
    change, pages = switch(qtbot, opened, 0.3)  # Losses is in front
    assert [change.method, pages.method] == [CHANGE, PAGES]
    assert pages.arguments == (PanelsWanted(studies=True),)
    opened.page.go_to("before", 3)
    opened.page.show_tab("checks")
    settle(qtbot, opened)
    change, pages = switch(qtbot, opened, 0.35)
    assert [change.method, pages.method] == [CHANGE, PAGES]
    assert pages.arguments == (PanelsWanted(side="before", index=3, summaries=True),)


def test_a_draft_asks_once_and_the_whole_preview_once_more(
    qtbot: QtBot, opened: WindowContent
) -> None:
    screens: list[Screen] = []
    opened.backend.screen.connect(screens.append)
    sent = [call.method for call in switch(qtbot, opened, 0.3, provisional=True)]
    assert (sent.count(CHANGE), sent.count(PAGES)) == (2, len(screens))
    assert set(sent) == {CHANGE, PAGES}


@pytest.mark.parametrize("name", ["top", "bottom"])
def test_the_page_of_a_cut_is_asked_for_with_the_others(
    qtbot: QtBot, opened: WindowContent, name: str
) -> None:
    opened.page.current_item.show_cut(name)
    settle(qtbot, opened)
    assert opened.page.inspector.current_tab == "message"
    shown = opened.page.inspector.message.page
    _, pages = switch(qtbot, opened, 0.4)
    assert pages.arguments == (PanelsWanted(cut=name),)
    again = opened.page.inspector.message.page
    assert again is not shown
    assert again is not None

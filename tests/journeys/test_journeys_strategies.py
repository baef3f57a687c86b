"""A person chooses a strategy by what it would do to the open conversation."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.app.events import OpenRequest
from core.app.services.compare import CompareService
from core.app.services.preview import OpenService
from core.presentation.model import DOES_COMPACTING, DOES_EVERY_TURN, EVERY_TURN_KEY
from core.strategies.names import EXCERPT
from core.strategies.registry import COMPACTION_STRATEGIES
from gui.compare.strategies_tab import StrategiesTab
from gui.inspect.strategy_popup import StrategyPopup
from gui.view_switching import COMPARE
from gui.widgets.setting_editors import ChoiceComboBox
from gui.window_content import WindowContent
from tests.core.app.recording_workspace import RecordingHandler
from tests.gui.window_space import open_tab
from tests.journeys.walks import control, open_transcript, pick_strategy, settle
from tests.support.narrowing import known


def open_cards(qtbot: QtBot, space: WindowContent) -> StrategyPopup:
    """Open the cards, and wait for their figures."""
    space.toolbar.strategy.showPopup()
    settle(qtbot, space)
    return space.strategy_popup


def test_every_strategy_has_a_card_whose_figures_stream_in(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    screen = open_transcript(qtbot, space, transcript)
    popup = space.strategy_popup
    space.toolbar.strategy.showPopup()
    assert popup.isVisible()
    assert popup.filter.hasFocus()
    settle(qtbot, space)
    cards = {card.name: card for card in known(popup.page).cards}
    assert set(cards) == set(COMPACTION_STRATEGIES)
    assert all(card.no_result or card.tokens is not None for card in cards.values())
    assert cards[screen.strategy].tokens == sum(screen.result.rows.tokens)
    assert cards["none"].no_result == "nothing to do here"
    assert {card.program for card in cards.values()} >= {"", "Claude Code"}
    words = (
        "works when it compacts, obeys pins and the focus. Trigger: 80 % of the limit."
    )
    assert popup.details.text() == f"{EXCERPT} {words}"
    popup.more.click()
    assert space.dialogs.open_help().page == f"strategies/{EXCERPT}.md"


def test_what_high_density_does_every_turn_is_chosen_in_the_panel_and_undone(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    compacted = pick_strategy(qtbot, space, "high-density")
    field = next(
        one
        for one in space.page.tuning.findChildren(ChoiceComboBox)
        if one.accessibleName() == "What it does"
    )
    field.setCurrentIndex(field.findText(DOES_EVERY_TURN))
    field.activated.emit(field.currentIndex())
    each_turn = settle(qtbot, space)
    assert compacted.source.fates != each_turn.source.fates
    assert "When it compacts" not in {group.title for group in space.page.tuning.groups}
    space.page.tuning.undo_requested.emit()
    assert settle(qtbot, space).source.fates == compacted.source.fates
    assert control(space, EVERY_TURN_KEY).value == DOES_COMPACTING


def test_keys_filter_choose_and_mark(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    popup = open_cards(qtbot, space)
    QTest.keyClick(popup.filter, Qt.Key.Key_Space)
    QTest.keyClick(popup.filter, Qt.Key.Key_Down)
    QTest.keyClick(popup.filter, Qt.Key.Key_Space)
    first_cards = (EXCERPT, COMPACTION_STRATEGIES[0])
    assert popup.marked() == first_cards
    popup.compare.click()
    view = open_tab(qtbot, space, COMPARE, StrategiesTab)
    assert {*first_cards} <= {row.name for row in known(view.page).rows}

    open_cards(qtbot, space)
    QTest.keyClicks(popup.filter, "high-d")
    QTest.keyClick(popup.filter, Qt.Key.Key_Return)
    assert not popup.isVisible()
    assert settle(qtbot, space).strategy == "high-density"


def test_cards_sort_by_tokens_and_what_is_gone(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    popup = open_cards(qtbot, space)
    popup.sorts["tokens"].click()
    model = popup.lists[0].model
    cards = [
        model.item(row).data(Qt.ItemDataRole.UserRole + 1)
        for row in range(model.rowCount())
    ]
    tokens = [card.tokens for card in cards if card.tokens is not None]
    assert tokens == sorted(tokens)
    assert [card for card in cards if card.tokens is None] == cards[len(tokens) :]


def test_a_very_long_history_is_computed_only_when_asked(
    transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.app.services.compare.MAX_MESSAGES", 10)
    handler = RecordingHandler()
    handler(OpenService.open, OpenRequest(str(transcript)))
    capped = handler(CompareService.cards)
    assert capped.is_capped
    assert not [card for card in capped.cards if card.tokens]
    page = handler(CompareService.cards, True)
    assert [card for card in page.cards if card.tokens]
    assert len(handler.call(CompareService.cards, True)) == 1  # all are known

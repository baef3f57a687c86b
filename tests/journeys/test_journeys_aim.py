"""A person aims for a size, and chooses a strategy with the settings that reach it."""

from collections.abc import Callable
from pathlib import Path
from shutil import copy

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.app.services.compare import CompareService
from core.app.services.preview import PreviewService
from core.common.paths import SAMPLES
from core.presentation.compare.columns import missed_aim
from core.presentation.compare.model import StrategyCard, StrategyCards
from core.presentation.model import RECOMMENDED_TOPIC, Notice
from core.settings.schema import PRESERVE, STRATEGY
from gui.compare.strategies_tab import StrategiesTab
from gui.inspect.strategy_popup import CARD_ROLE, StrategyPopup
from gui.view_switching import COMPARE
from gui.widgets.setting_editors import ChoiceComboBox
from gui.window_content import WindowContent
from tests.core.app.recording_workspace import RecordingHandler
from tests.journeys.walks import control, open_transcript, settle
from tests.support.narrowing import known


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return Path(copy(SAMPLES / "fix-flaky-upload.jsonl", tmp_path))


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A short session, for which all strategies are soon tried."""
    return Path(copy(SAMPLES / "support-desk.json", tmp_path))


def aim_for(qtbot: QtBot, space: WindowContent, text: str) -> StrategyPopup:
    space.toolbar.strategy.showPopup()
    popup = space.strategy_popup
    popup.aim.setFocus()
    popup.aim.clear()
    QTest.keyClicks(popup.aim, text)
    QTest.keyClick(popup.aim, Qt.Key.Key_Return)  # begins at once, without the pause
    assert popup.isVisible()
    settle(qtbot, space)
    return popup


def card_of(page: StrategyCards, name: str) -> StrategyCard:
    return next(card for card in page.cards if card.name == name)


def names(popup: StrategyPopup) -> set[str]:
    rows = [
        (one.model, row) for one in popup.lists for row in range(one.model.rowCount())
    ]
    return {model.item(row).data(CARD_ROLE).name for model, row in rows}


def test_strategy_and_settings_of_an_aim_are_one_change(
    qtbot: QtBot, space: WindowContent, desk: Path
) -> None:
    before = open_transcript(qtbot, space, desk)
    bottom = control(space, PRESERVE).value
    popup = aim_for(qtbot, space, "1.5k")
    card = card_of(known(popup.page), "middle-out")
    assert popup.about.full_text.startswith("= 1,500 tokens, 1 % of 128,000 · ")
    QTest.keyClicks(popup.filter, "middle-o")
    QTest.keyClick(popup.filter, Qt.Key.Key_Return)
    after = settle(qtbot, space)
    assert after.strategy == "middle-out"
    assert control(space, PRESERVE).value == dict(card.values)[PRESERVE] != bottom
    space.page.tuning.undo_requested.emit()
    undone = settle(qtbot, space)
    assert (undone.strategy, control(space, PRESERVE).value) == (
        before.strategy,
        bottom,
    )


def test_who_cannot_reach_the_aim_can_be_hidden(
    qtbot: QtBot, space: WindowContent, desk: Path
) -> None:
    open_transcript(qtbot, space, desk)
    popup = aim_for(qtbot, space, "1,000")
    page = known(popup.page)
    missed = {card.name for card in page.cards if card.misses_aim}
    total = len(page.cards)
    assert page.aim_text.endswith(f"{total - len(missed)} of {total} reach it")
    assert popup.hides_others.text() == f"Hide the {len(missed)} others"
    popup.hides_others.click()
    assert names(popup) == {card.name for card in page.cards} - missed
    middle_out = card_of(page, "middle-out")
    assert (
        middle_out.no_result
        == f"cannot reach 1,000 · least {known(middle_out.tokens):,}"
    )
    assert card_of(page, "none").no_result.startswith("cannot reach 1,000 · least ")


def test_what_is_no_size_is_said_and_picks_nothing(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    popup = aim_for(qtbot, space, "small")
    assert popup.about.full_text == "Write a size: 20k or 35 %."
    QTest.keyClick(popup.aim, Qt.Key.Key_Return)
    assert popup.isVisible()
    popup.aim.clear()
    QTest.keyClick(popup.aim, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert not any(card.values or card.misses_aim for card in known(popup.page).cards)
    assert popup.about.full_text.startswith("For this conversation: ")


def test_a_chosen_card_gives_the_tokens_that_it_shows(session: Path) -> None:
    handler = RecordingHandler(session)
    page: StrategyCards = handler(CompareService.cards, False, 0.15)
    for name in ("excerpt", "middle-out", "high-density", "hybrid"):
        card = card_of(page, name)
        handler.call(
            PreviewService.change, (("compression.strategy", name), *card.values)
        )
        assert handler.preview.sizes.after_tokens == card.tokens, name
        handler.call(PreviewService.undo)


def use_aimed(handler: RecordingHandler, aim: float) -> StrategyCard:
    """Set the controls to what reaches the aim, as Enter in Tuning does."""
    card: StrategyCard = handler(CompareService.aimed, aim)
    handler.call(PreviewService.change, card.values)
    return card


def test_what_an_aim_finds_does_not_depend_on_a_former_aim(session: Path) -> None:
    fresh, aimed_before = RecordingHandler(session), RecordingHandler(session)
    for one in (fresh, aimed_before):
        one.call(PreviewService.change, ((STRATEGY, "middle-out"),))
    for aim in (20_000, 28_000):
        use_aimed(aimed_before, aim)
    for aim in (30_000, 50_000):
        wanted = use_aimed(fresh, aim).tokens
        assert use_aimed(aimed_before, aim).tokens == wanted
        assert fresh.preview.sizes.after_tokens == wanted
        assert aimed_before.preview.sizes.after_tokens == wanted


def test_an_aim_begins_at_what_the_person_set_since(session: Path) -> None:
    handler = RecordingHandler(session)
    handler.call(PreviewService.change, ((STRATEGY, "middle-out"),))
    use_aimed(handler, 20_000)
    handler.call(PreviewService.change, ((PRESERVE, 0.03),))
    wished = handler.setting(PRESERVE)
    use_aimed(handler, 50_000)
    assert handler.setting(PRESERVE) == wished


def compared(qtbot: QtBot, space: WindowContent, aim: str) -> StrategiesTab:
    space.page_controller.show_view(COMPARE)
    tab = space.views.view(COMPARE)
    assert isinstance(tab, StrategiesTab)
    QTest.keyClicks(tab.aim, aim)
    QTest.keyClick(tab.aim, Qt.Key.Key_Return)
    settle(qtbot, space)
    return tab


def test_compare_says_who_cannot_reach_the_aim(
    qtbot: QtBot, space: WindowContent, desk: Path
) -> None:
    open_transcript(qtbot, space, desk)
    tab = compared(qtbot, space, "1k")
    assert space.strategy_popup.aim.text() == space.page.tuning.aim.field.text() == "1k"
    rows = {row.name: row for row in known(tab.page).rows}
    entries = {entry.name: entry for entry in tab.table.results.entries}
    assert tab.table.results.error(entries["middle-out"]) == missed_aim(
        rows["middle-out"]
    )
    assert not tab.table.results.is_failed(entries["middle-out"])
    assert rows["excerpt"].sizes.tokens <= 1_000
    assert not any(rows[name].misses_aim for name in tab.plots.front)
    tab.no_aim.click()
    settle(qtbot, space)
    assert not any(row.sizes.aim for row in known(tab.page).rows)


def test_a_row_of_an_aim_is_opened_with_its_settings(
    qtbot: QtBot, space: WindowContent, desk: Path
) -> None:
    open_transcript(qtbot, space, desk)
    tab = compared(qtbot, space, "1.5k")
    row = next(row for row in known(tab.page).rows if row.name == "middle-out")
    tab.table.opened.emit("middle-out")
    after = settle(qtbot, space)
    assert after.strategy == "middle-out"
    assert control(space, PRESERVE).value == dict(row.trial.settings)[PRESERVE]


def test_enter_in_tuning_sets_the_controls_and_the_verdict_judges(
    qtbot: QtBot, space: WindowContent, session: Path
) -> None:
    open_transcript(qtbot, space, session)
    aim, bottom = space.page.tuning.aim, control(space, PRESERVE).value
    QTest.keyClicks(aim.field, "30k")
    space.aim.settle()
    screen = settle(qtbot, space)
    assert "above your aim of 30,000" in screen.verdict.size.text
    QTest.keyClick(aim.field, Qt.Key.Key_Return)
    screen = settle(qtbot, space)
    assert control(space, PRESERVE).value != bottom
    assert aim.note.full_text.startswith("reached: 29,")
    assert "above your aim" not in screen.verdict.size.text


def test_a_strategy_that_is_suggested_keeps_the_aim(
    qtbot: QtBot, space: WindowContent, session: Path
) -> None:
    open_transcript(qtbot, space, session)
    aim = space.page.tuning.aim
    QTest.keyClicks(aim.field, "30k")
    QTest.keyClick(aim.field, Qt.Key.Key_Return)
    settle(qtbot, space)
    space.commands.follow("strategy", "excerpt")
    after = settle(qtbot, space)
    assert after.strategy == "excerpt"
    assert after.verdict.gauge.after <= 30_000
    assert aim.note.full_text.startswith("reached: 29,")
    space.backend.undo()
    assert settle(qtbot, space).strategy == "middle-out"


def use_in_settings(qtbot: QtBot, space: WindowContent, name: str) -> None:
    dialog = space.dialogs.open_settings(STRATEGY)
    settle(qtbot, space)
    editor = dialog.settings.row(STRATEGY).editor
    assert isinstance(editor, ChoiceComboBox)
    editor.setCurrentIndex(editor.findText(name))
    editor.activated.emit(editor.currentIndex())
    dialog.close()


def use_in_line(qtbot: QtBot, space: WindowContent, name: str) -> None:
    bar = space.dialogs.open_bar(f"/set {STRATEGY} {name}")
    QTest.keyClick(bar.field, Qt.Key.Key_Return)


def use_in_palette(qtbot: QtBot, space: WindowContent, name: str) -> None:
    bar = space.dialogs.open_bar(f"Strategy: {name}")
    QTest.keyClick(bar.field, Qt.Key.Key_Return)


@pytest.mark.parametrize("use", [use_in_settings, use_in_line, use_in_palette])
def test_every_way_to_a_strategy_keeps_the_aim(
    qtbot: QtBot,
    space: WindowContent,
    session: Path,
    use: Callable[[QtBot, WindowContent, str], None],
) -> None:
    open_transcript(qtbot, space, session)
    aim = space.page.tuning.aim
    QTest.keyClicks(aim.field, "30k")
    space.aim.settle()
    settle(qtbot, space)
    use(qtbot, space, "one-shot")
    after = settle(qtbot, space)
    assert after.strategy == "one-shot"
    assert after.verdict.gauge.after <= 30_000
    assert aim.note.full_text.startswith("reached: ")


def test_another_result_takes_back_what_was_reached(
    qtbot: QtBot, space: WindowContent, session: Path
) -> None:
    open_transcript(qtbot, space, session)
    aim = space.page.tuning.aim
    QTest.keyClicks(aim.field, "30k")
    space.aim.settle()
    QTest.keyClick(aim.field, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert aim.note.full_text.startswith("reached: ")
    space.backend.set_value(PRESERVE, 0.5)
    settle(qtbot, space)
    assert not aim.note.full_text.startswith("reached: ")


def test_an_offer_goes_with_the_result_that_it_was_made_for(
    qtbot: QtBot, space: WindowContent, session: Path
) -> None:
    open_transcript(qtbot, space, session)
    offer = Notice("info", "excerpt", "would keep more.", topic=RECOMMENDED_TOPIC)
    space.page.losses.offer_made.emit(offer)
    assert offer in space.bar.notices
    space.backend.set_value(PRESERVE, 0.5)
    settle(qtbot, space)
    assert offer not in space.bar.notices

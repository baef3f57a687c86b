"""The settings dialog on a made-up page: built from the page, filtered, edited, saved."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow, QPushButton
from pytestqt.qtbot import QtBot

from core.configuration.declarations import SETTINGS
from core.presentation.model import Notice
from core.settings.keys import LIMIT, PRESERVE, PROFILE, STRATEGY
from core.strategies.registry import COMPRESSION_STRATEGIES
from gui.actions import ActionSet
from gui.inspect.tuning.editors import ChoiceComboBox, FractionSpinBox
from gui.inspect.tuning.layer_dot import layer_text
from gui.settings.setting_row import CompletingField, LabelledRow, SettingRow
from gui.settings.settings_dialog import SettingsDialog
from gui.settings.window_sections import THEMES, ActionComboBox, window_sections
from gui.widgets.highlighted_label import word_spans
from gui.widgets.theme import theme
from tests.gui.fake_pages import settings_page


@pytest.fixture
def dialog(qtbot: QtBot) -> SettingsDialog:
    result = SettingsDialog(None, theme("light"))
    qtbot.addWidget(result)
    result.show_page(settings_page())
    result.show()
    return result


def _search(dialog: SettingsDialog, qtbot: QtBot, text: str) -> list[str]:
    dialog.field.clear()
    QTest.keyClicks(dialog.field, text)
    qtbot.waitUntil(lambda: not dialog._typing_timer.isActive())
    return [one.key for one in dialog.pane.shown_controls]


def test_every_declared_setting_has_a_row(dialog: SettingsDialog) -> None:
    assert {one.key for one in dialog.pane.controls} == {one.key for one in SETTINGS}
    assert not dialog.isModal()
    assert dialog.sections.item(0).text() == "Chat compression"


@pytest.mark.req("REQ-CS-008.1")
def test_the_strategy_is_a_dropdown_over_the_registered_names(dialog: SettingsDialog) -> None:
    editor = dialog.pane.row(STRATEGY).editor
    assert isinstance(editor, ChoiceComboBox)
    assert tuple(editor.itemText(at) for at in range(editor.count())) == COMPRESSION_STRATEGIES
    assert dialog.pane.sections[0].rows[0].control.key == STRATEGY


@pytest.mark.req("REQ-CS-008.2")
def test_the_profile_is_a_text_field_completed_from_the_saved_ones(
    qtbot: QtBot, dialog: SettingsDialog
) -> None:
    editor = dialog.pane.row(PROFILE).editor
    assert isinstance(editor, CompletingField)
    assert "local-qwen" in editor.known
    editor.selectAll()
    QTest.keyClicks(editor, "brand-new")
    with qtbot.waitSignal(dialog.value_changed) as signal:
        QTest.keyClick(editor, Qt.Key.Key_Return)
    assert signal.args == [PROFILE, "brand-new", False]


def test_a_completion_that_is_taken_counts(qtbot: QtBot, dialog: SettingsDialog) -> None:
    editor = dialog.pane.row(PROFILE).editor
    assert isinstance(editor, CompletingField)
    with qtbot.waitSignal(dialog.value_changed) as signal:
        editor.completer().activated.emit("local-qwen")
    assert signal.args == [PROFILE, "local-qwen", False]


def test_a_number_applies_at_once(qtbot: QtBot, dialog: SettingsDialog) -> None:
    editor = dialog.pane.row(PRESERVE).editor
    assert isinstance(editor, FractionSpinBox)
    with qtbot.waitSignal(dialog.value_changed) as signal:
        editor.setValue(30.0)
    assert signal.args == [PRESERVE, 0.3, False]


def test_each_row_says_where_its_value_comes_from(dialog: SettingsDialog) -> None:
    row = dialog.pane.row(PRESERVE)
    assert "profile tuning-a" in row._source.full_text
    assert row.reset.isVisible()
    assert not dialog.pane.row(LIMIT).reset.isVisible()
    assert dialog.pane.row(LIMIT)._unit.text() == "tokens"


def test_reset_names_its_key(qtbot: QtBot, dialog: SettingsDialog) -> None:
    with qtbot.waitSignal(dialog.reset_requested) as signal:
        dialog.pane.row(PRESERVE).reset.click()
    assert signal.args == [PRESERVE]


def test_a_saved_value_is_reset_in_the_file(qtbot: QtBot, dialog: SettingsDialog) -> None:
    row = next(one for one in dialog.findChildren(SettingRow) if one.control.layer == "saved")
    assert "settings file" in row.reset.toolTip()
    with qtbot.waitSignal(dialog.save_requested) as signal:
        row.reset.click()
    assert signal.args == [((row.control.key, None),)]


def test_search_finds_labels_keys_and_help_and_marks_them(qtbot: QtBot, dialog: SettingsDialog) -> None:
    assert _search(dialog, qtbot, "KEEP bott") == [PRESERVE]
    assert dialog.pane.row(PRESERVE).name.highlighted_texts == ("Keep", "bott")
    assert _search(dialog, qtbot, "compression.profile") == [PROFILE]
    assert dialog.pane.row(PROFILE).about.highlighted_texts == ("compression.profile",)
    assert dialog.help_card.text.startswith("Profile")


def test_the_card_and_the_list_follow_the_section_that_is_seen(qtbot: QtBot, dialog: SettingsDialog) -> None:
    titles = [section.title for section in dialog.pane.sections]

    def current() -> str:
        return titles[dialog.sections.currentRow()]

    dialog.sections.setCurrentRow(titles.index("Trigger"))
    assert dialog.help_card.text.startswith("Threshold")
    _search(dialog, qtbot, "high-density")
    qtbot.waitUntil(lambda: current() == "Density")
    _search(dialog, qtbot, "")
    qtbot.waitUntil(lambda: current() == titles[0])


def test_a_search_that_comes_and_goes_in_one_turn_shows_all_from_the_top(
    qtbot: QtBot, dialog: SettingsDialog
) -> None:
    """The rows never move between the two searches; the list must not keep the first result."""
    titles = [section.title for section in dialog.pane.sections]
    dialog.sections.setCurrentRow(titles.index("Trigger"))
    dialog.field.setText("high-density")
    dialog._on_typing_paused()
    assert titles[dialog.sections.currentRow()] == "Density"
    dialog.field.clear()
    qtbot.waitUntil(lambda: titles[dialog.sections.currentRow()] == titles[0])
    assert dialog.pane.verticalScrollBar().value() == 0


def test_a_search_without_a_match_says_so_and_offers_all(qtbot: QtBot, dialog: SettingsDialog) -> None:
    assert _search(dialog, qtbot, "zebra") == []
    assert dialog.pane._no_match_label.text() == "No setting matches “zebra”."
    dialog.pane._show_all.click()
    assert len(dialog.pane.shown_controls) == len(SETTINGS)


def test_ctrl_f_goes_to_the_search(qtbot: QtBot, dialog: SettingsDialog) -> None:
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    editor = dialog.pane.row(STRATEGY).editor
    assert editor is not None
    editor.setFocus()
    QTest.keyClick(dialog, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert dialog.focusWidget() is dialog.field


def test_sections_count_session_values_and_lead_to_their_rows(dialog: SettingsDialog) -> None:
    assert dialog.sections.item(0).data(Qt.ItemDataRole.UserRole) == "1"
    last = dialog.sections.count() - 1
    dialog.sections.setCurrentRow(last)
    bar = dialog.pane.verticalScrollBar()
    assert bar.value() == min(bar.maximum(), dialog.pane.sections[last].y())


def test_saving_hands_out_what_the_session_holds(qtbot: QtBot, dialog: SettingsDialog) -> None:
    with qtbot.waitSignal(dialog.save_requested) as signal:
        dialog.footer.save.click()
    assert signal.args == [((PROFILE, "haiku"), (PRESERVE, 0.25))]
    with qtbot.waitSignal(dialog.discard_requested) as signal:
        dialog.footer.discard.click()
    assert signal.args == [((PROFILE, None), (PRESERVE, None))]


def test_saving_to_a_profile_asks_for_its_name(qtbot: QtBot, dialog: SettingsDialog) -> None:
    dialog.footer.to_profile.click()
    assert not dialog.footer.save_to_profile.isEnabled()
    dialog.footer.name.setEditText("mine")
    with qtbot.waitSignal(dialog.profile_save_requested) as signal:
        dialog.footer.save_to_profile.click()
    assert signal.args == ["mine"]
    assert not dialog.footer.is_asking


def test_problems_and_notices_are_said_inside(dialog: SettingsDialog) -> None:
    assert "ANTHROPIC_API_KEY is empty" in dialog.message_list.text
    dialog.show_notice(Notice("error", "settings.toml cannot be written.", "Check the folder."))
    assert dialog.message_list.text.startswith("settings.toml cannot be written. Check the folder.")


def test_appearance_and_keys_are_the_actions_of_the_window(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = ActionSet(window)
    actions["theme-light"].setChecked(True)
    dialog = SettingsDialog(window, theme("light"), window_sections(actions))
    qtbot.addWidget(dialog)
    dialog.show_page(settings_page())
    dialog.show_page(settings_page({}))
    assert [section.title for section in dialog.pane.sections[-2:]] == ["Appearance", "Keyboard"]
    dialog.sections.setCurrentRow(dialog.sections.count() - 1)
    assert dialog.help_card.text.startswith("Keyboard\nWhat has a key.")
    box = dialog.findChildren(ActionComboBox)[0]
    assert box.currentText() == "Light"
    with qtbot.waitSignal(actions["theme-dark"].triggered):
        box.activated.emit(THEMES.index("theme-dark"))
    assert box.currentText() == "Dark"
    larger = next(one for one in dialog.findChildren(QPushButton) if one.text() == "Larger text")
    with qtbot.waitSignal(actions["larger"].triggered):
        larger.click()
    dialog.field.setText("ctrl+,")
    dialog._on_typing_paused()
    lines = [line.name.full_text for line in dialog.findChildren(LabelledRow) if not line.isHidden()]
    assert lines == ["Settings"]


def test_a_value_that_is_unset_says_what_holds_in_its_place(dialog: SettingsDialog) -> None:
    row = dialog.pane.row("context-limit")
    hint = "unset → 200,000, automatic compaction at 167,000"
    row.show_control(replace(row.control, value=None, hint=hint), ())
    assert row._source.text() == hint


def test_a_profile_without_a_key_is_one_click_from_its_form(qtbot: QtBot, dialog: SettingsDialog) -> None:
    with qtbot.waitSignal(dialog.profile_requested) as signal:
        dialog.edit.click()
    assert signal.args == ["haiku"]
    dialog.show_page(settings_page({}))
    assert dialog.edit.isHidden()


def test_a_page_without_session_values_leaves_nothing_to_save(dialog: SettingsDialog) -> None:
    dialog.show_page(settings_page({}))
    assert not dialog.footer.save.isEnabled()
    assert not dialog.footer.discard.isEnabled()
    assert dialog.message_list.isHidden()


def test_a_half_typed_text_survives_a_new_page(qtbot: QtBot, dialog: SettingsDialog) -> None:
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    editor = dialog.pane.row(PROFILE).editor
    assert isinstance(editor, CompletingField)
    editor.setFocus()
    QTest.keyClicks(editor, "xy")
    dialog.show_page(settings_page())
    assert editor.text() == "haikuxy"


@pytest.mark.parametrize("name", ["dark", "high-contrast"])
def test_it_paints_in_every_theme(dialog: SettingsDialog, name: str) -> None:
    dialog.set_theme(theme(name))
    assert not dialog.grab().isNull()


def test_matches_are_found_by_place() -> None:
    assert word_spans("Keep bottom", ("bot", "keep", "no")) == [(0, 4), (5, 8)]


def test_the_dot_names_the_profile_that_gave_a_value(dialog: SettingsDialog) -> None:
    given = replace(dialog.pane.row(PRESERVE).control, profile="tuning-a")
    assert layer_text(given, "session") == "session, profile tuning-a"
    assert layer_text(given, "saved") == "saved"

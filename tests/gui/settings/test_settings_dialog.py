"""The settings dialog on a made-up page: built from the page, filtered, edited, saved."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow, QPushButton
from pytestqt.qtbot import QtBot

from core.app.services.settings import SettingsService
from core.configuration.layers import SETTINGS, SettingLayers
from core.presentation.model import Notice
from core.settings.keys import LIMIT, PRESERVE, PROFILE, STRATEGY
from core.strategies.registry import COMPRESSION_STRATEGIES
from gui.actions import ActionSet
from gui.settings.setting_row import CompletingField, LabelledRow, SettingRow
from gui.settings.settings_dialog import SettingsDialog
from gui.settings.settings_pane import THEMES, ActionComboBox, window_sections
from gui.widgets.setting_editors import ChoiceComboBox, NumberField
from tests.gui.fake_pages import fake_settings_page
from tests.gui.recording_backend import RecordingBackend


@pytest.fixture
def dialog(qtbot: QtBot, backend: RecordingBackend) -> Iterator[SettingsDialog]:
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = ActionSet(window)
    actions["theme-light"].setChecked(True)
    result = SettingsDialog(window, backend.client, window_sections(actions))
    result.show_page(fake_settings_page())
    with qtbot.waitActive(result):
        result.show()
        result.activateWindow()
    backend.calls.clear()
    yield result
    window.close()


def _search(dialog: SettingsDialog, text: str) -> list[str]:
    dialog.field.clear()
    QTest.keyClicks(dialog.field, text)
    dialog.search()
    return [one.key for one in dialog.settings.shown_controls]


@pytest.mark.req("REQ-CS-008.1")
def test_the_strategy_is_a_dropdown_over_the_registered_names(dialog: SettingsDialog) -> None:
    editor = dialog.settings.row(STRATEGY).editor
    assert isinstance(editor, ChoiceComboBox)
    assert tuple(editor.itemText(at) for at in range(editor.count())) == tuple(COMPRESSION_STRATEGIES)
    assert dialog.settings.rows[0].control.key == STRATEGY


@pytest.mark.req("REQ-CS-008.2")
def test_the_profile_is_a_text_field_completed_from_the_saved_ones(
    dialog: SettingsDialog, backend: RecordingBackend
) -> None:
    editor = dialog.settings.row(PROFILE).editor
    assert isinstance(editor, CompletingField)
    assert "local-qwen" in editor.known
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, "brand-new")
    dialog.show_page(fake_settings_page())
    assert editor.text() == "brand-new"  # a new page does not take away what is being typed
    QTest.keyClick(editor, Qt.Key.Key_Return)
    editor.completer().activated.emit("local-qwen")
    assert backend.calls == [("set_value", (PROFILE, "brand-new")), ("set_value", (PROFILE, "local-qwen"))]


def test_each_row_says_where_its_value_comes_from_and_resets_it(
    dialog: SettingsDialog, backend: RecordingBackend
) -> None:
    row = dialog.settings.row(PRESERVE)
    assert isinstance(row.editor, NumberField)
    row.editor.setValue(30.0)
    row.reset.click()
    saved = next(one for one in dialog.findChildren(SettingRow) if one.control.layer == "saved")
    saved.reset.click()
    assert backend.calls == [
        ("set_value", (PRESERVE, 0.3)),
        ("reset", (PRESERVE,)),
        (SettingsService.save.__qualname__, (((saved.control.key, None),),)),
    ]
    assert "profile tuning-a" in row._source.full_text
    assert dialog.settings.row(LIMIT).reset.isHidden()
    hint = "not set: 200,000, automatic compaction at 167,000"
    row.show_control(replace(row.control, value=None, hint=hint), ())
    assert row._source.full_text == hint


def test_search_finds_labels_keys_and_help_and_marks_them(dialog: SettingsDialog) -> None:
    assert PRESERVE in _search(dialog, "KEEP bott")  # the name of its section matches as well
    assert dialog.settings.row(PRESERVE).name.highlighted_texts == ("Keep", "Bott")
    assert _search(dialog, "compression.profile") == [PROFILE]
    assert dialog.settings.row(PROFILE).about.highlighted_texts == ("compression.profile",)
    assert dialog.help_card.text.startswith("Profile")
    assert _search(dialog, "zebra") == []
    assert dialog.settings._no_match_label.text() == "No match for “zebra”"
    dialog.settings.show_all.click()
    assert len(dialog.settings.shown_controls) == len(SETTINGS)


def test_saving_hands_out_what_the_session_holds(dialog: SettingsDialog, backend: RecordingBackend) -> None:
    dialog.save.click()
    dialog.discard.click()
    dialog.ask_profile().textValueSelected.emit("mine")
    assert backend.calls == [
        (SettingsService.save.__qualname__, (((PROFILE, "haiku"), (PRESERVE, 0.25)),)),
        ("set_values", (((PROFILE, None), (PRESERVE, None)),)),
        (SettingsService.run_line.__qualname__, ("/profile save mine",)),
    ]
    dialog.show_page(fake_settings_page(SettingLayers()))
    assert not dialog.save.isEnabled()
    assert not dialog.discard.isEnabled()
    assert dialog.message_list.isHidden()


def test_problems_and_notices_are_said_inside(qtbot: QtBot, dialog: SettingsDialog) -> None:
    assert "ANTHROPIC_API_KEY is empty" in dialog.message_list.text
    dialog.show_notice(Notice("error", "settings.toml cannot be written.", "Check the folder."))
    assert dialog.message_list.text.startswith("settings.toml cannot be written. Check the folder.")
    with qtbot.waitSignal(dialog.profile_requested) as signal:
        [*(one for one in dialog.findChildren(QPushButton) if one.text() == "Edit profile…")][-1].click()
    assert signal.args == ["haiku"]


def test_appearance_and_keys_are_the_actions_of_the_window(qtbot: QtBot, dialog: SettingsDialog) -> None:
    assert [section.title for section in dialog.settings.sections[-2:]] == ["Appearance", "Keyboard"]
    dialog.sections.setCurrentRow(dialog.sections.count() - 1)
    assert dialog.help_card.text.startswith("Keyboard\nWhat has a key.")
    box = dialog.findChildren(ActionComboBox)[0]
    assert box.currentText() == "Light"
    box.activated.emit(THEMES.index("theme-dark"))
    assert box.currentText() == "Dark"
    _search(dialog, "ctrl+,")
    lines = [line.name.full_text for line in dialog.findChildren(LabelledRow) if not line.isHidden()]
    assert lines == ["Settings"]

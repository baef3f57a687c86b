"""The settings dialog on a made-up page; dialogs and command bar of the window: opened, filled,
updated."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow, QPushButton
from pytestqt.qtbot import QtBot

from core.app.rpc import call_of
from core.app.services.preview import PreviewService
from core.app.services.settings import ProfileService, SettingsService
from core.presentation.model import Notice
from core.presentation.preview_wording import strategy_hint
from core.settings.profile import Profile
from core.settings.schema import LIMIT, MODE, PRESERVE, PROFILE, STRATEGY
from core.settings_store.layers import SETTINGS, SettingLayers
from core.settings_store.profile_store import ProfileStore
from core.strategies.registry import COMPACTION_STRATEGIES, STRATEGIES
from gui.actions import ActionSet
from gui.profiles_dialog import ProfilesDialog
from gui.settings_dialog import SettingsDialog
from gui.settings_pane import (
    THEMES,
    ActionComboBox,
    CompletingField,
    HighlightedLabel,
    LabelledRow,
    SettingRow,
    window_sections,
    word_spans,
)
from gui.widgets.pickers import EDIT_PROFILES
from gui.widgets.setting_editors import HINT_ROLE, ChoiceComboBox, NumberField
from gui.window_content import WindowContent
from tests.gui.fake_pages import fake_settings_page
from tests.gui.recording_backend import RecordingBackend
from tests.gui.window_space import calls_from_now, open_file, settle


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
    return [one.key for one in dialog.settings.visible_controls]


@pytest.mark.req("REQ-CS-008.1")
def test_each_strategy_is_explained_and_the_sections_are_in_the_order_of_use(
    dialog: SettingsDialog,
) -> None:
    editor = dialog.settings.row(STRATEGY).editor
    assert isinstance(editor, ChoiceComboBox)
    hints = {
        editor.itemText(row): editor.itemData(row, HINT_ROLE)
        for row in range(editor.count())
    }
    assert hints == {one.name: strategy_hint(one) for one in STRATEGIES}
    titles = [section.title for section in dialog.settings.sections]
    assert titles[:4] == ["Chat compression", "Trigger", "Top and Bottom", "Summary"]
    assert titles.index("Prices") > titles.index("Stubs")


def test_the_strategy_is_a_dropdown_over_the_registered_names(
    dialog: SettingsDialog,
) -> None:
    editor = dialog.settings.row(STRATEGY).editor
    assert isinstance(editor, ChoiceComboBox)
    assert tuple(editor.itemText(at) for at in range(editor.count())) == tuple(
        COMPACTION_STRATEGIES
    )
    assert dialog.settings.rows[0].control.key == STRATEGY


@pytest.mark.req("REQ-CS-008.2")
def test_the_profile_is_a_text_field_completed_from_the_saved_ones(
    dialog: SettingsDialog, backend: RecordingBackend
) -> None:
    editor = dialog.settings.row(PROFILE).editor
    assert isinstance(editor, CompletingField)
    assert "local-qwen" in editor.completions
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, "brand-new")
    dialog.show_page(fake_settings_page())
    assert (
        editor.text() == "brand-new"
    )  # a new page does not take away what is being typed
    QTest.keyClick(editor, Qt.Key.Key_Return)
    editor.completer().activated.emit("local-qwen")
    assert backend.calls == [
        ("set_value", (PROFILE, "brand-new")),
        ("set_value", (PROFILE, "local-qwen")),
    ]


def test_each_row_says_where_its_value_comes_from_and_resets_it(
    dialog: SettingsDialog, backend: RecordingBackend
) -> None:
    row = dialog.settings.row(PRESERVE)
    assert isinstance(row.editor, NumberField)
    row.editor.setValue(30.0)
    row.reset.click()
    saved = next(
        one for one in dialog.findChildren(SettingRow) if one.control.layer == "saved"
    )
    saved.reset.click()
    assert backend.calls == [
        ("set_value", (PRESERVE, 0.3)),
        ("set_value", (PRESERVE, None)),
        (SettingsService.save.__qualname__, (((saved.control.key, None),),)),
    ]
    assert "profile tuning-a" in row.source.full_text
    assert dialog.settings.row(LIMIT).reset.isHidden()
    hint = "not set: 200,000, the agent compacted at 167,000"
    row.show_control(
        replace(row.control, value=None, note=replace(row.control.note, text=hint)), ()
    )
    assert row.source.full_text == hint


def highlighted(label: HighlightedLabel) -> list[str]:
    text = label.full_text
    return [text[start:end] for start, end in word_spans(text, label.words)]


def test_search_finds_labels_keys_and_help_and_marks_them(
    dialog: SettingsDialog,
) -> None:
    assert PRESERVE in _search(
        dialog, "KEEP bott"
    )  # the name of its section matches as well
    assert highlighted(dialog.settings.row(PRESERVE).name) == ["Keep", "Bott"]
    assert _search(dialog, "compression.profile") == [PROFILE]
    assert highlighted(dialog.settings.row(PROFILE).about) == ["compression.profile"]
    assert dialog.help_card.title.full_text == "Profile"
    assert _search(dialog, "zebra") == []
    assert dialog.settings.no_match_label.text() == "No match for “zebra”"
    dialog.settings.show_all.click()
    assert len(dialog.settings.visible_controls) == len(SETTINGS)


def test_saving_hands_out_what_the_session_holds(
    dialog: SettingsDialog, backend: RecordingBackend
) -> None:
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


def test_problems_and_notices_are_said_inside(
    qtbot: QtBot, dialog: SettingsDialog
) -> None:
    assert "ANTHROPIC_API_KEY is empty" in dialog.message_list.text
    dialog.show_notice(
        Notice("error", "settings.toml cannot be written.", "Check the folder.")
    )
    assert dialog.message_list.text.startswith(
        "settings.toml cannot be written. Check the folder."
    )
    with qtbot.waitSignal(dialog.profile_requested) as signal:
        [
            *(
                one
                for one in dialog.findChildren(QPushButton)
                if one.text() == "Edit profile…"
            )
        ][-1].click()
    assert signal.args == ["haiku"]


def test_appearance_and_keys_are_the_actions_of_the_window(
    qtbot: QtBot, dialog: SettingsDialog
) -> None:
    assert [section.title for section in dialog.settings.sections[-2:]] == [
        "Appearance",
        "Keyboard",
    ]
    dialog.sections.setCurrentRow(dialog.sections.count() - 1)
    assert dialog.help_card.title.full_text == "Keyboard"
    assert dialog.help_card.about.text().startswith("All actions that have a key.")
    box = dialog.findChildren(ActionComboBox)[0]
    assert box.currentText() == "Light"
    box.activated.emit(THEMES.index("theme-dark"))
    assert box.currentText() == "Dark"
    _search(dialog, "ctrl+,")
    lines = [
        line.name.full_text
        for line in dialog.findChildren(LabelledRow)
        if not line.isHidden()
    ]
    assert lines == ["Settings"]


def _settings(qtbot: QtBot, space: WindowContent) -> SettingsDialog:
    space.window.actions_by_id["settings"].trigger()
    settle(qtbot, space)
    return space.window.findChildren(SettingsDialog)[0]


def test_settings_change_the_session_and_follow_it(
    qtbot: QtBot, space: WindowContent
) -> None:
    dialog = _settings(qtbot, space)
    sent = calls_from_now(space)
    space.backend.set_value(PRESERVE, 0.3)
    assert call_of(PreviewService.change, ((PRESERVE, 0.3),), False) in sent
    assert call_of(SettingsService.page) in sent
    space.backend.notice.emit(Notice("error", "It cannot be.", ""))
    assert "It cannot be." in dialog.message_list.text
    space.backend.set_value(MODE, "safe")
    assert "It cannot be." not in dialog.message_list.text
    settle(qtbot, space)
    assert [dialog.settings.row(key).control.value for key in (PRESERVE, MODE)] == [
        0.3,
        "safe",
    ]
    dialog.close()
    open_file(qtbot, space)
    next(
        one
        for one in space.page.tuning.findChildren(QPushButton)
        if one.text() == "All settings…"
    ).click()
    assert dialog.isVisible()


def test_profiles_are_used_and_tested(qtbot: QtBot, space: WindowContent) -> None:
    ProfileStore().save(Profile(name="tuned", provider="offline", model="snapshot"))
    space.window.actions_by_id["profiles"].trigger()
    settle(qtbot, space)
    dialog = space.window.findChildren(ProfilesDialog)[0]
    dialog.test.click()
    assert dialog.testing.text()
    settle(qtbot, space)
    assert dialog.message_list.text == "Nothing to test. This profile calls no model."
    assert space.bar.notices == ()
    sent = calls_from_now(space)
    dialog.select("tuned")
    dialog.use.click()
    assert call_of(ProfileService.use, "tuned") in sent
    assert call_of(ProfileService.page) in sent
    settle(qtbot, space)
    assert space.toolbar.profile.currentText().startswith("tuned")


def test_the_toolbar_picks_profiles_and_edits_them(
    qtbot: QtBot, opened: WindowContent
) -> None:
    sent = calls_from_now(opened)
    picker = opened.toolbar.profile
    picker.picked.emit("offline")
    assert call_of(ProfileService.choose_summary_profile, "offline") in sent
    picker.setCurrentIndex(picker.findText("Edit profiles…"))
    picker.picked.emit(EDIT_PROFILES)
    assert picker.currentData() == "offline"
    assert opened.window.findChildren(ProfilesDialog)[0].isVisible()
    settle(qtbot, opened)


def test_the_bar_chooses_what_the_window_shows(
    qtbot: QtBot, space: WindowContent
) -> None:
    assert space.toolbar.choice_sources() == ()
    open_file(qtbot, space)
    bar = space.dialogs.open_bar()
    settle(qtbot, space)
    bar.show_text("high-density")
    first = bar.list.offers[0]
    assert (first.title, first.is_on) == ("Strategy: high-density", False)
    sent = calls_from_now(space)
    assert first.pick is not None
    for pick in (first.pick, ("profile", "offline")):
        bar.picked.emit(*pick)
        settle(qtbot, space)
    assert sent[0] == call_of(
        PreviewService.change, ((STRATEGY, "high-density"),), False
    )
    assert call_of(ProfileService.choose_summary_profile, "offline") in sent
    bar.picked.emit("message", "7")
    settle(qtbot, space)
    assert space.page.selected == ("before", 6)
    bar.picked.emit("setting", PRESERVE)
    settle(qtbot, space)
    dialog = space.window.findChildren(SettingsDialog)[0]
    assert dialog.settings.row(PRESERVE).isAncestorOf(dialog.focusWidget())
    bar.picked.emit("help", "modes.md")
    assert space.dialogs.open_help().page == "modes.md"

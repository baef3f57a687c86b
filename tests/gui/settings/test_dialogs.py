"""Dialogs and command bar of the window: opened by action, filled, updated."""

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.app.rpc import call_of
from core.app.services.preview import PreviewService
from core.app.services.settings import ProfileService, SettingsService
from core.configuration.profile_store import ProfileStore
from core.presentation.model import Notice
from core.settings.keys import MODE, PRESERVE, STRATEGY
from core.settings.profile import Profile
from gui.profiles.profiles_dialog import ProfilesDialog
from gui.settings.settings_dialog import SettingsDialog
from gui.widgets.pickers import EDIT_PROFILES
from gui.workspace import Workspace
from tests.gui.window_space import calls_from_now, open_file, settle


def _settings(qtbot: QtBot, space: Workspace) -> SettingsDialog:
    space.window.actions_by_id["settings"].trigger()
    settle(qtbot, space)
    return space.window.findChildren(SettingsDialog)[0]


def test_settings_change_the_session_and_follow_it(qtbot: QtBot, space: Workspace) -> None:
    dialog = _settings(qtbot, space)
    sent = calls_from_now(space)
    space.session.set_value(PRESERVE, 0.3)
    assert call_of(PreviewService.change, ((PRESERVE, 0.3),), False) in sent
    assert call_of(SettingsService.page) in sent
    space.session.notice.emit(Notice("error", "It cannot be.", ""))
    assert "It cannot be." in dialog.message_list.text
    space.session.set_value(MODE, "safe")
    assert "It cannot be." not in dialog.message_list.text
    settle(qtbot, space)
    assert [dialog.settings.row(key).control.value for key in (PRESERVE, MODE)] == [0.3, "safe"]
    dialog.close()
    open_file(qtbot, space)
    next(one for one in space.page.tuning.findChildren(QPushButton) if one.text() == "All settings…").click()
    assert dialog.isVisible()


def test_profiles_are_used_and_tested(qtbot: QtBot, space: Workspace) -> None:
    ProfileStore().save(Profile("tuned", "offline", "snapshot"))
    space.window.actions_by_id["profiles"].trigger()
    settle(qtbot, space)
    dialog = space.window.findChildren(ProfilesDialog)[0]
    dialog.test.click()
    assert not dialog.test.isEnabled()
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


def test_the_toolbar_picks_profiles_and_edits_them(qtbot: QtBot, opened: Workspace) -> None:
    sent = calls_from_now(opened)
    picker = opened.toolbar.profile
    picker.picked.emit("offline")
    assert call_of(ProfileService.use, "offline") in sent
    picker.setCurrentIndex(picker.findText("Edit profiles…"))
    picker.picked.emit(EDIT_PROFILES)
    assert picker.currentData() == "offline"
    assert opened.window.findChildren(ProfilesDialog)[0].isVisible()
    settle(qtbot, opened)


def test_the_bar_chooses_what_the_window_shows(qtbot: QtBot, space: Workspace) -> None:
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
    assert sent[0] == call_of(PreviewService.change, ((STRATEGY, "high-density"),), False)
    assert call_of(ProfileService.use, "offline") in sent
    bar.picked.emit("message", "7")
    settle(qtbot, space)
    assert space.page.selected == ("before", 6)
    bar.picked.emit("setting", PRESERVE)
    settle(qtbot, space)
    dialog = space.window.findChildren(SettingsDialog)[0]
    assert dialog.settings.row(PRESERVE).isAncestorOf(dialog.focusWidget())
    bar.picked.emit("help", "modes.md")
    assert space.dialogs.open_help().page == "modes.md"

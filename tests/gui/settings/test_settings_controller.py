"""Dialogs and command bar on a real worker with a fake handler: opened by action, filled, updated."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from core.app.rpc import Call
from core.app.services.preview import PreviewService
from core.app.services.profiles import ProfileService
from core.app.services.settings import SettingsService
from core.presentation.model import Notice
from core.settings.keys import MODE, PRESERVE, PROFILE, STRATEGY
from gui.profiles.profiles_dialog import ProfilesDialog
from gui.settings.settings_dialog import SettingsDialog
from gui.widgets.pickers import EDIT_PROFILES
from gui.workspace import Workspace
from tests.gui.window_space import open_file, settle, space

__all__ = ["space"]


def _commands(space: Workspace) -> list[object]:
    """Commands, and calls as (method, arguments)."""
    sent: list[object] = []

    def note(command: object) -> None:
        sent.append((command.method, command.arguments) if isinstance(command, Call) else command)

    space.session.started.connect(note)
    return sent


def _call(method: Callable[..., object], *arguments: object) -> tuple[str, tuple[object, ...]]:
    return method.__qualname__, arguments


def _settings(qtbot: QtBot, space: Workspace) -> SettingsDialog:
    space.window.actions_by_id["settings"].trigger()
    settle(qtbot, space)
    return space.window.findChildren(SettingsDialog)[0]


def _profiles(qtbot: QtBot, space: Workspace) -> ProfilesDialog:
    space.window.actions_by_id["profiles"].trigger()
    settle(qtbot, space)
    return space.window.findChildren(ProfilesDialog)[0]


def test_settings_open_from_the_menu_and_from_the_tuning_panel(qtbot: QtBot, space: Workspace) -> None:
    dialog = _settings(qtbot, space)
    assert dialog.pane.row(PROFILE).control.value == "haiku"
    dialog.close()
    open_file(qtbot, space)
    next(one for one in space.page.tuning.findChildren(QPushButton) if one.text() == "All…").click()
    assert dialog.isVisible()


def test_a_change_goes_to_the_session_and_the_page_comes_anew(qtbot: QtBot, space: Workspace) -> None:
    dialog = _settings(qtbot, space)
    sent = _commands(space)
    dialog.value_changed.emit(PRESERVE, 0.3, False)
    change = _call(PreviewService.change, ((PRESERVE, 0.3),), False)
    assert change in sent
    assert _call(SettingsService.page) in sent
    dialog.footer.save.click()
    assert _call(SettingsService.save, ((PROFILE, "haiku"), (PRESERVE, 0.25))) in sent
    settle(qtbot, space)


def test_the_session_can_be_kept_in_a_profile(qtbot: QtBot, space: Workspace) -> None:
    dialog = _settings(qtbot, space)
    sent = _commands(space)
    dialog.profile_save_requested.emit("mine")
    assert _call(SettingsService.run_line, "/profile save mine") in sent
    settle(qtbot, space)


def test_errors_that_follow_a_wish_are_said_in_its_dialog(qtbot: QtBot, space: Workspace) -> None:
    dialog = _settings(qtbot, space)
    dialog.value_changed.emit(MODE, "safe", False)
    space.session.notice.emit(Notice("error", "It cannot be.", ""))
    assert "It cannot be." in dialog.message_list.text
    settle(qtbot, space)


def test_profiles_open_and_use_sends_and_asks_anew(qtbot: QtBot, space: Workspace) -> None:
    dialog = _profiles(qtbot, space)
    sent = _commands(space)
    dialog.select("local-qwen")
    dialog.footer.use.click()
    assert _call(ProfileService.use, "local-qwen") in sent
    assert _call(ProfileService.page) in sent
    settle(qtbot, space)
    assert space.toolbar.profile.currentText() == "haiku"


def test_the_toolbar_picks_profiles_and_edits_them(qtbot: QtBot, space: Workspace) -> None:
    open_file(qtbot, space)
    sent = _commands(space)
    picker = space.toolbar.profile
    picker.picked.emit("offline")
    assert _call(ProfileService.use, "offline") in sent
    picker.setCurrentIndex(picker.findText("Edit profiles…"))
    picker.picked.emit(EDIT_PROFILES)
    assert picker.currentText() == "offline"
    assert space.window.findChildren(ProfilesDialog)[0].isVisible()
    settle(qtbot, space)


def test_the_bar_runs_lines_and_actions(qtbot: QtBot, space: Workspace) -> None:
    bar = space.dialogs.open_bar("/set comp")
    settle(qtbot, space)
    assert bar.list.offers[0].title == "compression.strategy"
    sent = _commands(space)
    bar.line_entered.emit("/set compression.mode safe")
    assert _call(SettingsService.run_line, "/set compression.mode safe") in sent
    bar.action_chosen.emit("settings")
    settle(qtbot, space)
    assert space.window.findChildren(SettingsDialog)[0].isVisible()


def test_the_bar_chooses_as_the_toolbar_does(qtbot: QtBot, space: Workspace) -> None:
    assert space.toolbar.choice_sources() == ()
    open_file(qtbot, space)
    bar = space.dialogs.open_bar()
    bar.show_text("high-density")
    first = bar.list.offers[0]
    assert (first.title, first.is_on) == ("Strategy: high-density", False)
    sent = _commands(space)
    assert first.pick is not None
    for pick in (first.pick, ("profile", "offline")):
        bar.picked.emit(*pick)
    assert sent[0] == _call(PreviewService.change, ((STRATEGY, "high-density"),), False)
    assert _call(ProfileService.use, "offline") in sent
    settle(qtbot, space)
    now = {picks.kind: picks.current for picks in space.toolbar.choice_sources()}
    assert now["strategy"] == space.toolbar.strategy.currentText()


def test_themes_reach_what_is_open(qtbot: QtBot, space: Workspace) -> None:
    dialog = _settings(qtbot, space)
    space.window.appearance.choose("dark")
    QApplication.processEvents()
    assert dialog.pane._theme.name == "dark"


def test_the_answer_to_a_test_is_said_in_the_dialog_only(qtbot: QtBot, space: Workspace) -> None:
    dialog = _profiles(qtbot, space)
    dialog.footer.test.click()
    assert not dialog.footer.test.isEnabled()
    settle(qtbot, space)
    assert dialog.message_list.text == f"{dialog.current.name} answered in 0.8 s."
    assert dialog.footer.test.isEnabled()
    assert space.bar.notices == ()

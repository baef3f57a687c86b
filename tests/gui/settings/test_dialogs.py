"""Dialogs and command bar on a real worker with a fake handler: opened by action, filled, updated."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.app.rpc import Call
from core.app.services.preview import PreviewService
from core.app.services.settings import ProfileService, SettingsService
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


def test_settings_change_the_session_and_follow_it(qtbot: QtBot, space: Workspace) -> None:
    dialog = _settings(qtbot, space)
    assert dialog.settings.row(PROFILE).control.value == "haiku"
    sent = _commands(space)
    space.session.set_value(PRESERVE, 0.3)
    assert _call(PreviewService.change, ((PRESERVE, 0.3),), False) in sent
    assert _call(SettingsService.page) in sent
    space.session.notice.emit(Notice("error", "It cannot be.", ""))
    assert "It cannot be." in dialog.message_list.text
    space.session.set_value(MODE, "safe")
    assert "It cannot be." not in dialog.message_list.text
    settle(qtbot, space)
    dialog.close()
    open_file(qtbot, space)
    next(one for one in space.page.tuning.findChildren(QPushButton) if one.text() == "All settings…").click()
    assert dialog.isVisible()


def test_profiles_are_used_and_tested(qtbot: QtBot, space: Workspace) -> None:
    space.window.actions_by_id["profiles"].trigger()
    settle(qtbot, space)
    dialog = space.window.findChildren(ProfilesDialog)[0]
    dialog.test.click()
    assert not dialog.test.isEnabled()
    settle(qtbot, space)
    assert dialog.message_list.text == f"{dialog.current.name} answered in 0.8 s."
    assert space.bar.notices == ()
    sent = _commands(space)
    dialog.select("local-qwen")
    dialog.use.click()
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
    assert picker.currentData() == "offline"
    assert space.window.findChildren(ProfilesDialog)[0].isVisible()
    settle(qtbot, space)


def test_the_bar_chooses_what_the_window_shows(qtbot: QtBot, space: Workspace) -> None:
    assert space.toolbar.choice_sources() == ()
    open_file(qtbot, space)
    bar = space.dialogs.open_bar()
    settle(qtbot, space)
    bar.show_text("high-density")
    first = bar.list.offers[0]
    assert (first.title, first.is_on) == ("Strategy: high-density", False)
    sent = _commands(space)
    assert first.pick is not None
    for pick in (first.pick, ("profile", "offline")):
        bar.picked.emit(*pick)
        settle(qtbot, space)
    assert sent[0] == _call(PreviewService.change, ((STRATEGY, "high-density"),), False)
    assert _call(ProfileService.use, "offline") in sent
    bar.picked.emit("message", "7")
    settle(qtbot, space)
    assert space.page.selected == ("before", 6)
    bar.picked.emit("setting", PRESERVE)
    settle(qtbot, space)
    dialog = space.window.findChildren(SettingsDialog)[0]
    assert dialog.settings.row(PRESERVE).isAncestorOf(dialog.focusWidget())
    bar.picked.emit("help", "modes.md")
    assert space.dialogs.open_help().page == "modes.md"

"""Opens the settings and profiles dialogs and the command bar, and connects them to the backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QMainWindow

from core.app.rpc import Call, is_call_of
from core.app.services.preview import PreviewService
from core.app.services.profiles import ProfileService
from core.app.services.settings import SettingsService
from core.presentation.model import Notice
from core.presentation.settings.model import ProfileRow, ProfilesPage, SettingsPage
from core.settings.schema import SettingChanges
from gui.actions import ActionSet
from gui.backend import BackendClient
from gui.widgets.appearance import AppearanceController
from gui.widgets.theme import Theme

if TYPE_CHECKING:  # imported on first use
    from gui.palette.command_bar import CommandBar
    from gui.profiles.profiles_dialog import ProfilesDialog
    from gui.settings.settings_dialog import SettingsDialog
    from gui.widgets.pickers import ChoiceSource

_SETTINGS_CHANGES = (SettingsService.save, SettingsService.run_line)
_PROFILE_CHANGES = (ProfileService.use, ProfileService.save, ProfileService.delete)
_REFUSED = ("", "limit")
"""Topics of the notices about a refused value."""
SAVE_LINE = "/profile save {}"
"""The line that saves the session's values in a profile."""


class DialogController(QObject):
    """Makes each dialog on first use, and updates it after every change."""

    picked = Signal(str, str)  # kind of a ChoiceSource, and the value
    profiles_listed = Signal(object)  # ProfilesPage

    def __init__(
        self,
        window: QMainWindow,
        session: BackendClient,
        actions: ActionSet,
        appearance: AppearanceController,
    ) -> None:
        super().__init__(window)
        self._window, self._session = window, session
        self._actions, self._appearance = actions, appearance
        self._settings: SettingsDialog | None = None
        self._profiles: ProfilesDialog | None = None
        self._bar: CommandBar | None = None
        self.picks: Callable[[], tuple[ChoiceSource, ...]] = tuple  # choices of the toolbar
        self._sender = ""  # the dialog that sent the last command: it shows the notices that follow
        session.started.connect(self._on_started)
        session.notice.connect(self._on_notice)
        session.idle.connect(self._on_idle)
        appearance.changed.connect(self._on_theme)

    def open_settings(self) -> SettingsDialog:
        if self._settings is None:
            self._settings = self._make_settings()
        self._load_settings()
        self._show(self._settings)
        return self._settings

    def open_profiles(self, name: str = "") -> ProfilesDialog:
        if self._profiles is None:
            self._profiles = self._make_profiles()
        self._load_profiles()
        self._profiles.select(name)
        self._show(self._profiles)
        return self._profiles

    def open_bar(self, text: str = "") -> CommandBar:
        """Show the command bar, or hide it."""
        if self._bar is None:
            self._bar = self._make_bar()
        self._bar.open_bar(text, self.picks())
        return self._bar

    def _make_settings(self) -> SettingsDialog:
        from gui.settings.settings_dialog import SettingsDialog
        from gui.settings.window_sections import window_sections

        window_parts = window_sections(self._actions)
        dialog, session = SettingsDialog(self._window, self._appearance.theme, window_parts), self._session
        dialog.value_changed.connect(session.set_value)
        dialog.reset_requested.connect(session.reset)
        dialog.discard_requested.connect(session.set_values)
        dialog.save_requested.connect(self._save_settings)
        dialog.profile_save_requested.connect(self._save_to_profile)
        dialog.profiles_requested.connect(self.open_profiles)
        dialog.profile_requested.connect(self.open_profiles)
        dialog.undo_requested.connect(session.undo)
        dialog.page_requested.connect(self._load_settings)
        undo = self._actions["undo"]
        undo.enabledChanged.connect(dialog.set_can_undo)
        dialog.set_can_undo(undo.isEnabled())
        return dialog

    def _make_profiles(self) -> ProfilesDialog:
        from gui.profiles.profiles_dialog import ProfilesDialog

        dialog = ProfilesDialog(self._window, self._appearance.theme)
        dialog.save_requested.connect(self._save_profile)
        dialog.delete_requested.connect(self._delete_profile)
        dialog.use_requested.connect(self.use_profile)
        dialog.test_requested.connect(self._test_profile)
        return dialog

    def _make_bar(self) -> CommandBar:
        from gui.palette.command_bar import CommandBar

        bar = CommandBar(self._window, self._actions, self._appearance.theme)
        bar.complete_requested.connect(self._complete)
        bar.line_entered.connect(self._run_line)
        bar.action_chosen.connect(self._actions.trigger)
        bar.picked.connect(self.picked)
        return bar

    def _show(self, dialog: QDialog) -> None:
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def use_profile(self, name: str) -> None:
        self._session.call(ProfileService.use, name)

    def _save_profile(self, row: ProfileRow, former: str, from_session: bool) -> None:
        assert self._profiles is not None
        call = self._session.call(ProfileService.save, row, former, from_session)
        call.done(self._profiles.finish_save)

    def _delete_profile(self, name: str) -> None:
        self._session.call(ProfileService.delete, name)

    def _test_profile(self, row: ProfileRow) -> None:
        assert self._profiles is not None
        answer = self._profiles.show_answer
        self._session.call(ProfileService.test, row).done(answer).failed(answer).cancelled(
            self._profiles.end_test
        )

    def _save_settings(self, values: SettingChanges) -> None:
        self._session.call(SettingsService.save, values)

    def _save_to_profile(self, name: str) -> None:
        self._run_line(SAVE_LINE.format(name))

    def _run_line(self, line: str) -> None:
        self._session.call(SettingsService.run_line, line)

    def _complete(self, text: str, cursor: int) -> None:
        assert self._bar is not None
        self._session.call(SettingsService.completions, text, cursor).done(self._bar.show_completions)

    def _load_settings(self) -> None:
        self._session.call(SettingsService.page).done(self._on_settings)

    def _load_profiles(self) -> None:
        self._session.call(ProfileService.page).done(self._on_profiles)

    def _on_settings(self, page: SettingsPage) -> None:
        if self._settings is not None:
            self._settings.show_page(page)

    def _on_profiles(self, page: ProfilesPage) -> None:
        self.profiles_listed.emit(page)
        if self._profiles is not None:
            self._profiles.show_page(page)

    def _on_started(self, command: object) -> None:
        """Load the pages again that a command changes."""
        is_profile_change = is_call_of(command, *_PROFILE_CHANGES)
        is_settings_change = is_call_of(command, *_SETTINGS_CHANGES)
        is_session_change = is_call_of(command, PreviewService.change)
        if is_profile_change and _is_visible(self._profiles):
            self._sender = "profiles"
        elif (is_settings_change or is_session_change) and _is_visible(self._settings):
            self._sender = "settings"
        is_draft = is_session_change and isinstance(command, Call) and command.arguments[-1:] == (True,)
        is_change = is_profile_change or is_settings_change or is_session_change
        is_change |= is_call_of(command, PreviewService.undo)
        if is_change and not is_draft and _is_visible(self._settings):
            self._load_settings()
        if is_profile_change or is_call_of(command, SettingsService.run_line):
            self._load_profiles()

    def _on_notice(self, notice: Notice) -> None:
        if self._profiles is not None and self._sender == "profiles":
            self._profiles.show_notice(notice)
        elif self._settings is not None and self._sender == "settings":
            self._settings.show_notice(notice)

    def show_refusal(self, notices: Sequence[Notice]) -> None:
        """A refused value resets the preview; the dialog shows the reason, too."""
        for notice in notices[:1]:
            if notice.topic in _REFUSED:
                self._on_notice(notice)

    def _on_idle(self) -> None:
        self._sender = ""

    def _on_theme(self, theme: Theme) -> None:
        for part in (self._settings, self._profiles, self._bar):
            if part is not None:
                part.set_theme(theme)


def _is_visible(dialog: QDialog | None) -> bool:
    return dialog is not None and dialog.isVisible()

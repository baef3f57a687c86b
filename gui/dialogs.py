"""Opens the dialogs of the window and the command bar, and keeps them up to date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow

from core.app.remote_methods import PreviewService, ProfileService, SettingsService
from core.app.rpc import Call, is_call_of
from core.presentation.dialog_model import ProfilesPage
from core.presentation.help_pages import FIRST_PAGE, help_pages
from core.presentation.model import Notice, PickerChoice
from gui import late
from gui.actions import ActionSet
from gui.backend import BackendClient
from gui.widgets.basic_widgets import bring_up

if TYPE_CHECKING:
    from gui.command_bar import CommandBar
    from gui.help_window import HelpWindow
    from gui.profiles_dialog import ProfilesDialog
    from gui.prompt_editor import PromptEditor
    from gui.settings_dialog import SettingsDialog
    from gui.widgets.pickers import ChoiceSource

_PROFILE_CHANGES = (
    ProfileService.use,
    ProfileService.choose_summary_profile,
    ProfileService.save,
    ProfileService.delete,
)
_SETTINGS_CHANGES = (
    SettingsService.save,
    SettingsService.run_line,
    PreviewService.change,
)
_REFUSED = ("", "limit")
"""Topics of the notices about a refused value."""


class DialogController(QObject):
    """Makes each dialog on first use, and updates it after every change."""

    picked = Signal(str, str)  # what was chosen in the command bar: kind and value
    profiles_listed = Signal(object)  # ProfilesPage

    def __init__(
        self, window: QMainWindow, client: BackendClient, actions: ActionSet
    ) -> None:
        super().__init__(window)
        self._window, self._client, self._actions = window, client, actions
        self._settings: SettingsDialog | None = None
        self._profiles: ProfilesDialog | None = None
        self._prompts: PromptEditor | None = None
        self._help: HelpWindow | None = None
        self._bar: CommandBar | None = None
        self._sender: SettingsDialog | ProfilesDialog | None = (
            None  # shows the notices of its last change
        )
        self.picks: Callable[[], tuple[ChoiceSource, ...]] = (
            tuple  # choices of the toolbar
        )
        self.message_count: Callable[[], int] = int
        client.started.connect(self._on_started)
        client.notice.connect(self._on_notice)
        client.idle.connect(self._on_idle)

    def open_settings(self, key: str = "") -> SettingsDialog:
        """Show the settings dialog, at one setting if it is named."""
        if self._settings is None:
            self._settings = late.SettingsDialog(
                self._window, self._client, late.window_sections(self._actions)
            )
            self._settings.profile_requested.connect(self.open_profiles)
            undo = self._actions["undo"]
            undo.enabledChanged.connect(self._settings.undo.setEnabled)
            self._settings.undo.setEnabled(undo.isEnabled())
        self._settings.load()
        bring_up(self._settings)
        if key:
            self._settings.show_setting(key)
        return self._settings

    def open_profiles(self, name: str = "") -> ProfilesDialog:

        if self._profiles is None:
            self._profiles = late.ProfilesDialog(self._window, self._client)
        self._load_profiles()
        self._profiles.select(name)
        bring_up(self._profiles)
        return self._profiles

    def open_prompts(self, name: str = "") -> PromptEditor:
        """Show the editor, with a prompt by name or the one that the strategy uses."""
        if self._prompts is None:
            self._prompts = late.PromptEditor(self._window, self._client)
        bring_up(self._prompts)
        self._prompts.begin(name)
        return self._prompts

    def open_request(self) -> PromptEditor:
        editor = self.open_prompts()
        editor.show_tab("request")
        return editor

    def open_help(self, page: str = "", heading: str = "") -> HelpWindow:
        """Show a page of the help; without a name the last one shown, or the first."""
        if self._help is None:
            self._help = late.HelpWindow(self._window, late.help_window_pages())
        self._help.show_page(page or self._help.page or FIRST_PAGE, heading)
        bring_up(self._help)
        return self._help

    def open_keys(self) -> HelpWindow:

        return self.open_help(late.KEYS)

    def open_bar(self, text: str = "") -> CommandBar:
        """Show the command bar, or hide it."""
        if self._bar is None:
            pages = tuple(PickerChoice(page.name, page.title) for page in help_pages())
            self._bar = late.CommandBar(
                self._window, self._client, self._actions, pages
            )
            self._bar.picked.connect(self._on_picked)
        self._bar.open_bar(text, self.picks(), self.message_count())
        return self._bar

    def _on_picked(self, kind: str, value: str) -> None:
        if kind == "setting":
            self.open_settings(value)
        elif kind == "help":
            self.open_help(value)
        else:
            self.picked.emit(kind, value)

    def choose_summary_profile(self, name: str) -> None:
        self._client.call(self, ProfileService.choose_summary_profile, name)

    def _load_profiles(self) -> None:
        self._client.call(self, ProfileService.page).done(self._on_profiles)

    def _on_profiles(self, page: ProfilesPage) -> None:
        self.profiles_listed.emit(page)
        if self._profiles is not None:
            self._profiles.show_page(page)

    def _on_started(self, command: Call) -> None:
        """Load the pages again that a command changes; its dialog shows the notices that follow."""
        is_profile_change = is_call_of(command, *_PROFILE_CHANGES)
        is_settings_change = is_call_of(command, *_SETTINGS_CHANGES)
        settings = (
            self._settings
            if self._settings is not None and self._settings.isVisible()
            else None
        )
        if (
            is_profile_change
            and self._profiles is not None
            and self._profiles.isVisible()
        ):
            self._sender = self._profiles
        elif is_settings_change and settings is not None:
            self._sender = settings
            settings.forget_notices()
        is_provisional = is_call_of(
            command, PreviewService.change
        ) and command.arguments[-1:] == (True,)
        is_change = (
            is_profile_change
            or is_settings_change
            or is_call_of(command, PreviewService.undo)
        )
        if is_change and not is_provisional and settings is not None:
            settings.load()
        if is_profile_change or is_call_of(command, SettingsService.run_line):
            self._load_profiles()

    def _on_notice(self, notice: Notice) -> None:
        if self._sender is not None:
            self._sender.show_notice(notice)

    def show_refusal(self, notices: Sequence[Notice]) -> None:
        """A refused value resets the preview; the dialog shows the reason, too."""
        for notice in notices[:1]:
            if notice.topic in _REFUSED:
                self._on_notice(notice)

    def _on_idle(self) -> None:
        self._sender = None

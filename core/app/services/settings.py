"""Settings, profiles and prompts for the window: command bar and dialogs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, assert_never

from core.app.messages import Event, RunCompactionCommand
from core.app.services.settings_commands import (
    CompleteLineCommand,
    DeleteProfileCommand,
    LoadProfilesCommand,
    LoadPromptCommand,
    LoadSettingsCommand,
    RevertPromptCommand,
    RunLineCommand,
    SaveProfileCommand,
    SavePromptCommand,
    SaveSettingsCommand,
    SettingsCommand,
    TryProfileCommand,
    UseProfileCommand,
)
from core.app.settings_files import UserConfiguration
from core.common.errors import InputError
from core.configuration.layers import SettingLayers
from core.configuration.slash_commands import (
    ProfileVerb,
    SlashCompact,
    SlashProfile,
    SlashSet,
    SlashUnset,
    complete_command,
    parse_command,
)
from core.presentation.model import Notice
from core.presentation.settings.model import CompletionList
from core.preview.options import Preview
from core.settings.keys import PROFILE
from core.settings.profile import OFFLINE


class SettingsHost(Protocol):
    """The part of the command handler that settings commands use."""

    @property
    def layers(self) -> SettingLayers:
        """The current settings."""

    @property
    def profile(self) -> str:
        """Name of the active profile."""

    @property
    def shown(self) -> Preview | None:
        """The preview that is shown."""

    def change(self, layers: SettingLayers, profile: str, keys: tuple[str, ...]) -> None:
        """Take over settings and active profile, preview again; ``keys`` changed."""

    def compact(self, command: RunCompactionCommand) -> None:
        """Run the strategy."""

    def is_cancelled(self) -> bool:
        """Return whether the user cancelled."""


class SettingsCommandHandler:
    def __init__(self, host: SettingsHost, emit: Callable[[Event], None]) -> None:
        self._host = host
        self._emit = emit
        self.office = UserConfiguration()

    def handle(self, command: SettingsCommand) -> None:
        """Carry out one command; raises FoldlineError for what the user can correct."""
        host, configuration = self._host, self.office
        match command:
            case RunLineCommand():
                self._run(command.text)
            case CompleteLineCommand():
                self._complete(command)
            case LoadSettingsCommand():
                self._settings_page()
            case SaveSettingsCommand():
                layers = configuration.save_settings(host.layers, dict(command.values))
                host.change(layers, host.profile, tuple(key for key, _ in command.values))
                self._settings_page()
            case LoadProfilesCommand():
                self._emit(configuration.profiles_page(host.profile))
            case UseProfileCommand():
                self._use(command.name)
            case SaveProfileCommand() | DeleteProfileCommand():
                self._change_profile(command)
            case TryProfileCommand():
                self._emit(configuration.try_profile(command.row, host.is_cancelled))
            case LoadPromptCommand() | SavePromptCommand() | RevertPromptCommand():
                self._prompt(command)
            case _:
                assert_never(command)

    def _settings_page(self) -> None:
        self._emit(self.office.settings_page(self._host.layers, self._host.profile, self._host.shown))

    def _run(self, text: str) -> None:
        """Run a line of the command bar (REQ-CS-007)."""
        host = self._host
        parsed = parse_command(text)
        match parsed:
            case SlashSet():
                host.change(host.layers.with_session(parsed.key, parsed.value), host.profile, (parsed.key,))
            case SlashUnset():
                host.change(host.layers.unset(parsed.key), host.profile, (parsed.key,))
            case SlashProfile():
                self._profile_line(parsed)
            case SlashCompact():
                host.compact(RunCompactionCommand(parsed.focus))
            case _:
                assert_never(parsed)

    def _profile_line(self, line: SlashProfile) -> None:
        configuration, host = self.office, self._host
        match line.verb:
            case ProfileVerb.LOAD:
                self._use(line.name)
            case ProfileVerb.SAVE:
                configuration.save_session(line.name, host.profile, host.layers)
                self._emit(Notice("info", f"Saved the profile {line.name}.", "", topic="profile"))
            case ProfileVerb.DELETE:
                self._change_profile(DeleteProfileCommand(line.name))
            case ProfileVerb.LIST:
                names = ", ".join(configuration.profiles.names())
                self._emit(Notice("info", "Profiles:", f"{names}. Active: {host.profile}.", topic="profile"))
            case _:
                assert_never(line.verb)

    def _complete(self, command: CompleteLineCommand) -> None:
        parsed = complete_command(command.text, command.cursor, self.office.profiles.names())
        entries = tuple(
            (one.text + (" " if one.needs_more else ""), one.text, one.description) for one in parsed
        )
        start = parsed[0].start if parsed else command.cursor
        self._emit(CompletionList(command.text, start, entries, _problem(command.text, bool(entries))))

    def _use(self, name: str) -> None:
        host = self._host
        layers = self.office.use(host.layers, name)
        keys = tuple({**host.layers.profile, **layers.profile})
        host.change(layers, name, keys)
        self._emit(self.office.profiles_page(name))
        self._warn_without_key(name)

    def _change_profile(self, command: SaveProfileCommand | DeleteProfileCommand) -> None:
        configuration, host = self.office, self._host
        active = host.profile
        if isinstance(command, DeleteProfileCommand):
            configuration.profiles.delete(command.name)
            former, current = command.name, OFFLINE
        else:
            configuration.save_profile(command, host.layers)
            former, current = command.former or command.row.name, command.row.name
        if former == active:
            host.change(configuration.use(host.layers, current), current, ())
        self._emit(configuration.profiles_page(host.profile))
        if former != active and host.layers.resolve().get(PROFILE) == former:
            host.change(_with_renamed_profile(host.layers, former, command), active, (PROFILE,))
        if isinstance(command, SaveProfileCommand):
            self._warn_without_key(current)

    def _warn_without_key(self, name: str) -> None:
        """Send a notice where the key of a profile that was saved or taken into use is missing."""
        if (notice := self.office.without_key(name)) is not None:
            self._emit(notice)

    def _prompt(self, command: LoadPromptCommand | SavePromptCommand | RevertPromptCommand) -> None:
        configuration, host = self.office, self._host
        request = (
            command
            if isinstance(command, LoadPromptCommand)
            else LoadPromptCommand(command.name, command.provider, command.model, command.level)
        )
        if isinstance(command, SavePromptCommand):
            configuration.save_prompt(command)
        elif isinstance(command, RevertPromptCommand):
            configuration.revert_prompt(command)
            request = replace(request, level="")
        writer = configuration.writer(host.layers.resolve(), host.profile).profile
        self._emit(configuration.prompt_page(request, writer, host.shown, ""))
        if not isinstance(command, LoadPromptCommand) and host.shown is not None:
            host.change(host.layers, host.profile, ())


def _with_renamed_profile(
    layers: SettingLayers, former: str, command: SaveProfileCommand | DeleteProfileCommand
) -> SettingLayers:
    """Return the layers in which a renamed profile for summaries has its new name."""
    if isinstance(command, DeleteProfileCommand) or layers.session.get(PROFILE) != former:
        return layers
    return layers.with_session(PROFILE, command.row.name)


def _problem(text: str, has_offers: bool) -> str:
    """Return what is wrong with a line; a line that can still become a command is not wrong."""
    if has_offers or not text.strip():
        return ""
    try:
        parse_command(text)
    except InputError as error:
        return str(error)
    return ""

"""The desk's drawer for settings, profiles and prompts: command bar and dialogs of the window."""

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
    """What the drawer needs of the desk around it."""

    @property
    def layers(self) -> SettingLayers:
        """The settings as they are."""

    @property
    def profile(self) -> str:
        """Name of the active profile."""

    @property
    def shown(self) -> Preview | None:
        """The preview that is seen."""

    def change(self, layers: SettingLayers, profile: str, keys: tuple[str, ...]) -> None:
        """Take over settings and active profile, preview anew; ``keys`` changed."""

    def compact(self, command: RunCompactionCommand) -> None:
        """Run the strategy."""

    def is_cancelled(self) -> bool:
        """True once the person asked to stop."""


class SettingsCommandHandler:
    """Carries out the commands that have to do with settings, profiles and prompts."""

    def __init__(self, room: SettingsHost, emit: Callable[[Event], None]) -> None:
        self._room = room
        self._emit = emit
        self.office = UserConfiguration()

    def handle(self, command: SettingsCommand) -> None:
        """Carry out one command; raises what a person can mend."""
        room, office = self._room, self.office
        match command:
            case RunLineCommand():
                self._run(command.text)
            case CompleteLineCommand():
                self._complete(command)
            case LoadSettingsCommand():
                self._settings_page()
            case SaveSettingsCommand():
                layers = office.save_settings(room.layers, dict(command.values))
                room.change(layers, room.profile, tuple(key for key, _ in command.values))
                self._settings_page()
            case LoadProfilesCommand():
                self._emit(office.profiles_page(room.profile))
            case UseProfileCommand():
                self._use(command.name)
            case SaveProfileCommand() | DeleteProfileCommand():
                self._change_profile(command)
            case TryProfileCommand():
                self._emit(office.try_profile(command.row, room.is_cancelled))
            case LoadPromptCommand() | SavePromptCommand() | RevertPromptCommand():
                self._prompt(command)
            case _:
                assert_never(command)

    def _settings_page(self) -> None:
        self._emit(self.office.settings_page(self._room.layers, self._room.profile, self._room.shown))

    def _run(self, text: str) -> None:
        """A line of the command bar (REQ-CS-007)."""
        room = self._room
        found = parse_command(text)
        match found:
            case SlashSet():
                room.change(room.layers.with_session(found.key, found.value), room.profile, (found.key,))
            case SlashUnset():
                room.change(room.layers.unset(found.key), room.profile, (found.key,))
            case SlashProfile():
                self._profile_line(found)
            case SlashCompact():
                room.compact(RunCompactionCommand(found.focus))
            case _:
                assert_never(found)

    def _profile_line(self, line: SlashProfile) -> None:
        office, room = self.office, self._room
        match line.verb:
            case ProfileVerb.LOAD:
                self._use(line.name)
            case ProfileVerb.SAVE:
                office.save_session(line.name, room.profile, room.layers)
                self._emit(Notice("info", f"Saved the profile {line.name}.", "", topic="profile"))
            case ProfileVerb.DELETE:
                self._change_profile(DeleteProfileCommand(line.name))
            case ProfileVerb.LIST:
                names = ", ".join(office.profiles.names())
                self._emit(Notice("info", "Profiles:", f"{names}. Active: {room.profile}.", topic="profile"))
            case _:
                assert_never(line.verb)

    def _complete(self, command: CompleteLineCommand) -> None:
        found = complete_command(command.text, command.cursor, self.office.profiles.names())
        entries = tuple((one.text + (" " if one.goes_on else ""), one.text, one.about) for one in found)
        start = found[0].start if found else command.cursor
        self._emit(CompletionList(command.text, start, entries, _problem(command.text, bool(entries))))

    def _use(self, name: str) -> None:
        room = self._room
        layers = self.office.use(room.layers, name)
        keys = tuple({**room.layers.profile, **layers.profile})
        room.change(layers, name, keys)
        self._emit(self.office.profiles_page(name))
        self._tell_key(name)

    def _change_profile(self, command: SaveProfileCommand | DeleteProfileCommand) -> None:
        office, room = self.office, self._room
        active = room.profile
        if isinstance(command, DeleteProfileCommand):
            office.profiles.delete(command.name)
            gone, now = command.name, OFFLINE
        else:
            office.save_profile(command, room.layers)
            gone, now = command.former or command.row.name, command.row.name
        if gone == active:
            room.change(office.use(room.layers, now), now, ())
        self._emit(office.profiles_page(room.profile))
        if gone != active and room.layers.resolve().get(PROFILE) == gone:
            room.change(_followed(room.layers, gone, command), active, (PROFILE,))
        if isinstance(command, SaveProfileCommand):
            self._tell_key(now)

    def _tell_key(self, name: str) -> None:
        """A profile was saved or taken into use: its key is not there, where that is so."""
        if (notice := self.office.without_key(name)) is not None:
            self._emit(notice)

    def _prompt(self, command: LoadPromptCommand | SavePromptCommand | RevertPromptCommand) -> None:
        office, room = self.office, self._room
        ask = (
            command
            if isinstance(command, LoadPromptCommand)
            else LoadPromptCommand(command.name, command.provider, command.model, command.level)
        )
        if isinstance(command, SavePromptCommand):
            office.save_prompt(command)
        elif isinstance(command, RevertPromptCommand):
            office.revert_prompt(command)
            ask = replace(ask, level="")
        writer = office.writer(room.layers.resolve(), room.profile).profile
        self._emit(office.prompt_page(ask, writer, room.shown, ""))
        if not isinstance(command, LoadPromptCommand) and room.shown is not None:
            room.change(room.layers, room.profile, ())


def _followed(
    layers: SettingLayers, gone: str, command: SaveProfileCommand | DeleteProfileCommand
) -> SettingLayers:
    """The layers in which the session's profile for summaries has the name it was given."""
    if isinstance(command, DeleteProfileCommand) or layers.session.get(PROFILE) != gone:
        return layers
    return layers.with_session(PROFILE, command.row.name)


def _problem(text: str, has_offers: bool) -> str:
    """What is wrong with a line as it stands; a line that can still become one is not wrong."""
    if has_offers or not text.strip():
        return ""
    try:
        parse_command(text)
    except InputError as error:
        return str(error)
    return ""

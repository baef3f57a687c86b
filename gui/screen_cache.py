"""Predicts the screen for a setting that was shown before, so that switching back is instant."""

from __future__ import annotations

from dataclasses import replace

from core.app.messages import (
    LOOKS,
    ChangeSettingsCommand,
    Command,
    CountSecretsCommand,
    ExportCommand,
    StopReadingCommand,
)
from core.app.rpc import Call
from core.app.services.list_commands import CopyMessageCommand, FilterRowsCommand, ToggleMarkCommand
from core.app.services.settings_commands import (
    CompleteLineCommand,
    LoadProfilesCommand,
    LoadPromptCommand,
    LoadSettingsCommand,
)
from core.presentation.bounded_cache import RecentCache
from core.presentation.checked_screen import ScreenChecks
from core.presentation.model import ChangeEffect, Screen
from core.presentation.screen_key import ScreenKey

MAX_SCREENS, MAX_BYTES = 4, 48_000_000
"""The largest number of cached screens, and the bytes of all but the newest."""
_SAME_KEY_COMMANDS = (
    *(
        *LOOKS,
        FilterRowsCommand,
        CopyMessageCommand,
        ToggleMarkCommand,
        LoadProfilesCommand,
        LoadPromptCommand,
        LoadSettingsCommand,
        CompleteLineCommand,
    ),
    *(CountSecretsCommand, ExportCommand, StopReadingCommand),
)
"""Commands after which the next screen has the same key as the one before."""
_ROW, _RUN, _PAIR, _NUMBER = 100, 250, 200, 8  # approximate bytes


def screen_bytes(screen: Screen) -> int:
    """Return the approximate bytes of a screen without the source rows, which all screens share."""
    stop_bytes = sum(3 * _NUMBER * len(handle.stops) for handle in screen.handles)
    row_bytes = _ROW * len(screen.after) + _RUN * len(screen.runs) + _NUMBER * len(screen.origin)
    return row_bytes + stop_bytes + 2 * len(screen.fates)


def _entry_bytes(entry: tuple[Screen, ScreenKey | None]) -> int:
    return screen_bytes(entry[0])


class PredictedAnswers:
    """Predicts answers from earlier screens; it must see every command and every screen in order.

    The command is sent to the worker all the same. Its screen confirms the predicted one or replaces it; if
    the work is cancelled or refused, the last received screen is shown again.
    """

    def __init__(self) -> None:
        self._cache: RecentCache[tuple[Screen, ScreenKey | None]] = RecentCache(
            MAX_SCREENS, MAX_BYTES, _entry_bytes
        )  # each with the key of the screen before it
        self._next_key: ScreenKey | None = None  # key of the next screen; None if unknown
        self._last_change = 0  # serial of the last command that changes the key
        self._predicted_serial = 0  # serial of the change whose screen is predicted; 0 for none
        self._shown: Screen | None = None
        self._latest: Screen | None = None  # the last one received
        self._final_key: ScreenKey | None = None  # key of the last screen that was not a draft

    @property
    def is_predicted(self) -> bool:
        """True while the shown screen is not confirmed."""
        return self._predicted_serial > 0

    @property
    def known_screens(self) -> tuple[Screen, ...]:
        """The cached screens, the newest first."""
        return tuple(screen for screen, _ in self._cache)

    def forget(self) -> None:
        self._cache.clear()
        self._next_key = self._final_key = self._shown = self._latest = None
        self._predicted_serial = 0

    def predict(self, serial: int, command: Command | Call) -> Screen | None:
        """Note a sent command; return its predicted screen if it is cached."""
        if isinstance(command, (*_SAME_KEY_COMMANDS, Call)):
            return None
        if isinstance(command, ChangeSettingsCommand) and command.draft:
            return None  # its values are sent again when the handle rests
        self._last_change = serial
        if (
            not isinstance(command, ChangeSettingsCommand)
            or command.scope is not None
            or command.model is not None
        ):
            self._cache.clear()
            self._next_key = None
            return None
        previous_key = self._next_key
        self._next_key = previous_key.with_values(command.values) if previous_key is not None else None
        if self._next_key is None or self._next_key == previous_key:
            return None
        return self._predict(serial, previous_key)

    def _predict(self, serial: int, previous_key: ScreenKey | None) -> Screen | None:
        """Return the cached screen for the next key, with its effect only if it followed the same screen."""
        entry = self._cache.find(lambda cached: cached[0].request_key == self._next_key)
        if entry is None:
            return None
        screen, cached_previous_key = entry
        effect: ChangeEffect | None = screen.effect if cached_previous_key == previous_key else None
        self._predicted_serial = serial
        self._shown = replace(screen, effect=effect, can_undo=True)
        return self._shown

    def receive(self, serial: int, screen: Screen) -> Screen | None:
        """Note a received screen; return it unless it is outdated or the same as the predicted one."""
        shown, predicted_serial = self._shown, self._predicted_serial
        self._store(screen)
        self._latest = screen
        if serial < predicted_serial:
            return None
        self._predicted_serial = 0
        if serial >= self._last_change and not screen.draft:
            self._next_key = screen.request_key
        self._shown = screen
        is_same = (
            predicted_serial > 0
            and shown is not None
            and replace(shown, generation=screen.generation) == screen
        )
        return None if is_same else screen

    def add_checks(self, checks: ScreenChecks) -> Screen | None:
        """Add the checks to the last received screen; return it if it is the shown one."""
        screen = self._latest
        if screen is None or screen.generation != checks.generation:
            return None
        self._latest = complete = checks.applied_to(screen)
        entry = self._cache.find(lambda cached: cached[0] is screen)
        if entry is not None:
            self._cache.remove()
            self._cache.add((complete, entry[1]))
        if self._shown is not screen:
            return None
        self._shown = complete
        return complete

    def _store(self, screen: Screen) -> None:
        if screen.request_key is None:
            return
        previous_key, self._final_key = self._final_key, screen.request_key
        if any(
            cached.request_key is not None
            and cached.request_key.other_digest != screen.request_key.other_digest
            for cached, _ in self._cache
        ):
            self._cache.clear()
        entry = self._cache.find(lambda cached: cached[0].request_key == screen.request_key)
        if entry is not None:
            self._cache.remove()
        self._cache.add((screen, previous_key))

    def finish(self) -> Screen | None:
        """Everything is answered: return the last received screen if a prediction was not confirmed."""
        if not self._predicted_serial:
            return None
        self._predicted_serial, self._next_key = 0, None
        self._shown = self._latest
        return self._latest

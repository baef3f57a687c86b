"""Screens that came before, by what they answer to: a switch that is thrown back shows its own at once."""

from __future__ import annotations

from dataclasses import replace

from core.app.messages import (
    LOOKS,
    ChangeSettingsCommand,
    Command,
    CountSecretsCommand,
    ExportCommand,
    LoadSessionsCommand,
    StopReadingCommand,
)
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

KEPT, ROOM = 4, 48_000_000
"""Screens that are kept, and the bytes that all but the newest may weigh."""
_STILL = (
    *(
        *LOOKS,
        FilterRowsCommand,
        CopyMessageCommand,
        ToggleMarkCommand,
        LoadProfilesCommand,
        LoadPromptCommand,
        LoadSettingsCommand,
        LoadSessionsCommand,
        CompleteLineCommand,
    ),
    *(CountSecretsCommand, ExportCommand, StopReadingCommand),
)
"""After these the next screen answers to the same as the one before."""
_ROW, _RUN, _PAIR, _NUMBER = 100, 250, 200, 8  # bytes, about


def screen_weight(screen: Screen) -> int:
    """About how many bytes a screen holds beside the rows of its source, which it shares with the others."""
    stops = sum(3 * _NUMBER * len(handle.stops) for handle in screen.handles)
    own = _ROW * len(screen.after) + _RUN * len(screen.runs) + _NUMBER * len(screen.origin)
    return own + stops + 2 * len(screen.fates)


def _weight(kept: tuple[Screen, ScreenKey | None]) -> int:
    return screen_weight(kept[0])


class PredictedAnswers:
    """Told of every command and every screen in order; it says what is to be shown. Knows no Qt.

    The worker is asked all the same. Its screen confirms what was shown before it, or takes its place; where
    none comes, for the work was cancelled or refused, the last one that did come is shown again.
    """

    def __init__(self) -> None:
        self._kept: RecentCache[tuple[Screen, ScreenKey | None]] = RecentCache(
            KEPT, ROOM, _weight
        )  # behind what it came
        self._asked: ScreenKey | None = None  # what the next screen answers to; None where that is not known
        self._changed = 0  # serial of the last command that changes what is asked
        self._ahead = 0  # serial of the change of which the screen is shown before it came; 0 none
        self._shown: Screen | None = None
        self._came: Screen | None = None  # the last one that came
        self._settled: ScreenKey | None = None  # what the last one answers to that was no draft

    @property
    def is_ahead(self) -> bool:
        """True while what is shown waits to be confirmed."""
        return self._ahead > 0

    @property
    def kept(self) -> tuple[Screen, ...]:
        """The screens that are kept, the newest first."""
        return tuple(one for one, _ in self._kept)

    def forget(self) -> None:
        """Another transcript: nothing that came before holds."""
        self._kept.clear()
        self._asked = self._settled = self._shown = self._came = None
        self._ahead = 0

    def sent(self, serial: int, command: Command) -> Screen | None:
        """Take in a command that was sent; the screen that will be its answer, if it is known."""
        if isinstance(command, _STILL):
            return None
        if isinstance(command, ChangeSettingsCommand) and command.draft:
            return None  # its values come again when the handle rests
        self._changed = serial
        if (
            not isinstance(command, ChangeSettingsCommand)
            or command.scope is not None
            or command.model is not None
        ):
            self._kept.clear()
            self._asked = None
            return None
        former = self._asked
        self._asked = former.changed(command.values) if former is not None else None
        if self._asked is None or self._asked == former:
            return None
        return self._known(serial, former)

    def _known(self, serial: int, former: ScreenKey | None) -> Screen | None:
        """The answer to what is asked now, as it will be behind what was asked before."""
        found = self._kept.find(lambda one: one[0].asked == self._asked)
        if found is None:
            return None
        screen, behind = found
        effect: ChangeEffect | None = screen.effect if behind == former else None
        self._ahead = serial
        self._shown = replace(screen, effect=effect, can_undo=True)
        return self._shown

    def came(self, serial: int, screen: Screen) -> Screen | None:
        """Take in a screen that came; None where it is too late, or nothing else than what is shown."""
        shown, ahead = self._shown, self._ahead
        self._keep(screen)
        self._came = screen
        if serial < ahead:
            return None
        self._ahead = 0
        if serial >= self._changed and not screen.draft:
            self._asked = screen.asked
        self._shown = screen
        is_same = ahead > 0 and shown is not None and replace(shown, generation=screen.generation) == screen
        return None if is_same else screen

    def checked(self, found: ScreenChecks) -> Screen | None:
        """Take in what the checks of the last screen that came have found; that screen as a whole, where
        it is what is shown."""
        former = self._came
        if former is None or former.generation != found.generation:
            return None
        self._came = whole = found.upon(former)
        kept = self._kept.find(lambda one: one[0] is former)
        if kept is not None:
            self._kept.drop()
            self._kept.put((whole, kept[1]))
        if self._shown is not former:
            return None
        self._shown = whole
        return whole

    def _keep(self, screen: Screen) -> None:
        if screen.asked is None:
            return
        former, self._settled = self._settled, screen.asked
        if any(one.asked is not None and one.asked.rest != screen.asked.rest for one, _ in self._kept):
            self._kept.clear()
        known = self._kept.find(lambda one: one[0].asked == screen.asked)
        if known is not None:
            self._kept.drop()
        self._kept.put((screen, former))

    def ended(self) -> Screen | None:
        """All is answered: the last screen that came, where another one is shown that nobody confirmed."""
        if not self._ahead:
            return None
        self._ahead, self._asked = 0, None
        self._shown = self._came
        return self._came

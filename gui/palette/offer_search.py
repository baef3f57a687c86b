"""Finds actions and choices for the command bar."""

from __future__ import annotations

from gui.action_table import ACTIONS
from gui.actions import ActionSet
from gui.language import tr
from gui.palette.offers import Suggestion, suggestions
from gui.widgets.pickers import ChoiceSource

OWN = "command"
"""The id of the action that opens the bar."""


class CommandFinder:
    """Searches a window's actions in their current state, and ``picks``."""

    def __init__(self, actions: ActionSet) -> None:
        self._actions = actions
        self.picks: tuple[ChoiceSource, ...] = ()

    def found(self, text: str) -> tuple[Suggestion, ...]:
        """Return the enabled actions and the choices that match; all actions for an empty text."""
        shown = [(row.id, self._actions[row.id]) for row in ACTIONS if row.id != OWN]
        enabled = [id for id, action in shown if action.isEnabled()]
        checked = [id for id, action in shown if action.isChecked()]
        return suggestions(text, enabled, checked, self.picks)

    def why_not(self, text: str) -> str:
        disabled = [row.id for row in ACTIONS if not self._actions[row.id].isEnabled()]
        if meant := suggestions(text, disabled):
            lack = self._actions.lack(meant[0].action)
            return tr("{title}: not now. {why}").format(title=meant[0].title, why=lack)
        return tr("Nothing here is called “{text}”.").format(text=text.strip())

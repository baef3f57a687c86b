"""Finds actions and choices for the command bar."""

from __future__ import annotations

from gui.action_table import ACTIONS
from gui.actions import ActionSet
from gui.language import tr
from gui.palette.offers import Suggestion, suggestions
from gui.widgets.pickers import ChoiceSource

COMMAND_BAR_ACTION = "command"
"""The id of the action that opens the bar."""


class CommandFinder:
    """Searches a window's actions in their current state, and ``choice_sources``."""

    def __init__(self, actions: ActionSet) -> None:
        self._actions = actions
        self.choice_sources: tuple[ChoiceSource, ...] = ()

    def find(self, text: str) -> tuple[Suggestion, ...]:
        """Return the enabled actions and the choices that match; all actions for an empty text."""
        shown = [(row.id, self._actions[row.id]) for row in ACTIONS if row.id != COMMAND_BAR_ACTION]
        enabled = [id for id, action in shown if action.isEnabled()]
        checked = [id for id, action in shown if action.isChecked()]
        return suggestions(text, enabled, checked, self.choice_sources)

    def no_match_reason(self, text: str) -> str:
        disabled = [row.id for row in ACTIONS if not self._actions[row.id].isEnabled()]
        if disabled_matches := suggestions(text, disabled):
            reason = self._actions.disabled_reason(disabled_matches[0].action)
            return tr("{title}: not now. {why}").format(title=disabled_matches[0].title, why=reason)
        return tr("Nothing here is called “{text}”.").format(text=text.strip())

"""The table of actions, from which menus, toolbar, shortcuts and the list of keys are built."""

from __future__ import annotations

from gui.action_declaration import ActionRow
from gui.conversation_actions import COMPACTION, CONVERSATION
from gui.window_actions import EDIT, FILE, HELP, VIEW

ACTIONS: tuple[ActionRow, ...] = (*FILE, *EDIT, *VIEW, *CONVERSATION, *COMPACTION, *HELP)

"""The table of actions: menus, toolbar, shortcuts and the list of keys are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget


@dataclass(frozen=True, slots=True)
class ActionRow:
    """One action. ``slot`` names a method of the object that carries actions out.

    ``needs`` is what must hold for it to be enabled: "", "open", "result", "undo", "selection" or
    "busy". ``local`` keys act only inside the message lists. ``group`` makes it one of several
    exclusive choices in a submenu of that name. ``rule`` draws a line above.
    """

    id: str
    menu: str
    text: str
    tip: str
    slot: str
    keys: tuple[str, ...] = ()
    needs: str = ""
    local: bool = False
    group: str = ""
    checkable: bool = False
    rule: bool = False


ACTIONS = (
    ActionRow("open", "File", "Open…", "Open a transcript.", "open_dialog", ("Ctrl+O",)),
    ActionRow(
        "sessions",
        "File",
        "Sessions…",
        "The sessions that agents left on this machine.",
        "sessions",
        ("Ctrl+Shift+O",),
    ),
    ActionRow(
        "compare-file",
        "File",
        "Compare with…",
        "Show another file of this session on the after side.",
        "compare_file",
        needs="open",
    ),
    ActionRow(
        "reload", "File", "Read again", "Read the file again; settings stay.", "reload", ("F5",), "open"
    ),
    ActionRow(
        "follow",
        "File",
        "Follow while it grows",
        "Take in what the agent adds to the file; the view stays where it is.",
        "follow_file",
        needs="open",
        checkable=True,
    ),
    ActionRow("close", "File", "Close", "Close the transcript.", "close_file", ("Ctrl+W",), "open"),
    ActionRow(
        "import-report",
        "File",
        "Import report…",
        "What was read, skipped, repaired and warned of.",
        "import_report",
        needs="open",
        rule=True,
    ),
    ActionRow(
        "export",
        "File",
        "Export…",
        "Write the result or the source to a file.",
        "export_dialog",
        ("Ctrl+E",),
        "result",
        rule=True,
    ),
    ActionRow("quit", "File", "Quit", "Close the window.", "quit", ("Ctrl+Q",), rule=True),
    ActionRow(
        "undo",
        "Edit",
        "Undo setting",
        "Take back the last change of a setting.",
        "undo",
        ("Ctrl+Z",),
        "undo",
    ),
    ActionRow(
        "find",
        "Edit",
        "Find in message…",
        "Find a text in the message that is shown.",
        "find_text",
        ("Ctrl+F",),
        "selection",
        rule=True,
    ),
    ActionRow(
        "settings",
        "Edit",
        "Settings…",
        "All settings, and where they are saved.",
        "settings_dialog",
        ("Ctrl+,",),
        rule=True,
    ),
    ActionRow("profiles", "Edit", "Profiles…", "Models to call, with their settings.", "profiles_dialog"),
    ActionRow(
        "command",
        "Edit",
        "Command bar",
        "Find an action by name, or type a line.",
        "command_bar",
        ("Ctrl+K",),
        rule=True,
    ),
    ActionRow("message", "View", "Message", "Show the message.", "show_message", ("Alt+1",), "open"),
    ActionRow("why", "View", "Why", "Show why it has its fate.", "show_why", ("Alt+2",), "open"),
    ActionRow("lint", "View", "Lint", "Show what a provider would refuse.", "show_lint", ("Alt+3",), "open"),
    ActionRow(
        "area", "View", "Next area", "Move the keyboard to the next area.", "next_area", ("F6",), rule=True
    ),
    ActionRow(
        "move-panels",
        "View",
        "Move panels",
        "Show title bars by which tuning and inspector are moved.",
        "move_panels",
        checkable=True,
    ),
    ActionRow(
        "larger", "View", "Larger text", "Make text larger.", "zoom_in", ("Ctrl++", "Ctrl+="), rule=True
    ),
    ActionRow("smaller", "View", "Smaller text", "Make text smaller.", "zoom_out", ("Ctrl+-",)),
    ActionRow("natural", "View", "Natural text size", "Text at its own size.", "zoom_natural", ("Ctrl+0",)),
    ActionRow(
        "theme-system",
        "View",
        "Follow the system",
        "Light or dark as the desktop is.",
        "use_theme",
        group="Theme",
        rule=True,
    ),
    ActionRow("theme-light", "View", "Light", "Light theme.", "use_theme", group="Theme"),
    ActionRow("theme-dark", "View", "Dark", "Dark theme.", "use_theme", group="Theme"),
    ActionRow(
        "theme-high-contrast",
        "View",
        "High contrast",
        "Black on white, strong lines.",
        "use_theme",
        group="Theme",
    ),
    ActionRow(
        "go-to",
        "Conversation",
        "Go to message…",
        "Go to a message by its number.",
        "go_to_dialog",
        ("Ctrl+G",),
        "open",
    ),
    ActionRow(
        "conversations",
        "Conversation",
        "Conversations of the file…",
        "Open another conversation of this file, or a sub-agent's.",
        "conversations",
        ("Ctrl+Shift+C",),
        "open",
        rule=True,
    ),
    ActionRow(
        "branches",
        "Conversation",
        "Branches…",
        "Read a session that forks along another branch.",
        "branches",
        ("Ctrl+Shift+B",),
        "open",
    ),
    ActionRow(
        "partner-back",
        "Conversation",
        "Previous pair partner",
        "Go to the call of this result.",
        "previous_partner",
        ("[",),
        "selection",
        local=True,
        rule=True,
    ),
    ActionRow(
        "partner-on",
        "Conversation",
        "Next pair partner",
        "Go to the result of this call.",
        "next_partner",
        ("]",),
        "selection",
        local=True,
    ),
    ActionRow(
        "other-end",
        "Conversation",
        "Other end of the ribbon",
        "Go to where this message went, or came from.",
        "other_end",
        ("O",),
        "selection",
        local=True,
    ),
    ActionRow(
        "put-back",
        "Conversation",
        "Put back",
        "Let the message stand in the result as it was, or compressed again.",
        "put_back",
        ("B",),
        "selection",
        local=True,
    ),
    ActionRow(
        "compact",
        "Compaction",
        "Compact",
        "Turn the preview into a run.",
        "compact",
        ("Ctrl+Return", "Ctrl+Enter"),
        "result",
    ),
    ActionRow(
        "cancel", "Compaction", "Cancel", "Stop what is going on.", "cancel", ("Esc",), "busy", rule=True
    ),
    ActionRow(
        "run",
        "Compaction",
        "How it went",
        "Tiers, counters, calls and tools of the run that is shown.",
        "show_run",
        ("Ctrl+R",),
        "result",
        rule=True,
    ),
    ActionRow(
        "prompts",
        "Compaction",
        "Prompts…",
        "Read and change the prompts that ask for a summary.",
        "prompts_window",
        rule=True,
    ),
    ActionRow("keys", "Help", "Keys", "All keys in one list.", "show_keys", ("F1",)),
    ActionRow("about", "Help", "About Foldline", "Version and licence.", "about"),
)
NOTHING = dict.fromkeys(("open", "result", "undo", "selection", "busy"), False)
"""What holds before any file is open."""


class Actions(QObject):
    """The QActions of a window by id, and which of them are enabled."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._by_id: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        for row in ACTIONS:
            self._by_id[row.id] = self._make(row, parent)

    def __getitem__(self, id: str) -> QAction:
        return self._by_id[id]

    def _make(self, row: ActionRow, parent: QWidget) -> QAction:
        action = QAction(row.text, self)
        action.setObjectName(row.id)
        action.setShortcuts([QKeySequence(key) for key in row.keys])
        action.setToolTip(f"{row.tip} ({row.keys[0]})" if row.keys else row.tip)
        action.setStatusTip("")
        action.setCheckable(bool(row.group) or row.checkable)
        if row.group:
            self._group(row.group).addAction(action)
        if row.local:
            action.setProperty("shortcutContext", "WidgetWithChildrenShortcut")
        else:
            parent.addAction(action)
        return action

    def connect_to(self, carrier: QObject) -> None:
        """Let an object with all the slots carry the actions out."""
        for row in ACTIONS:
            self._by_id[row.id].triggered.connect(getattr(carrier, row.slot))

    def _group(self, name: str) -> QActionGroup:
        if name not in self._groups:
            self._groups[name] = QActionGroup(self)
        return self._groups[name]

    def add_local_keys(self, widget: QWidget) -> None:
        """Make the local keys act inside ``widget``."""
        for row in ACTIONS:
            if row.local:
                widget.addAction(self._by_id[row.id])

    def enable(self, holds: Mapping[str, bool]) -> None:
        """Enable each action by what holds now; see ``ActionRow.needs``."""
        for row in ACTIONS:
            self._by_id[row.id].setEnabled(not row.needs or holds[row.needs])

    def check(self, id: str) -> None:
        """Mark one of several exclusive choices."""
        self._by_id[id].setChecked(True)

    def fill(self, menus: dict[str, QMenu]) -> None:
        """Fill the menus of MENUS, given by name; submenus are added to the dictionary."""
        for row in ACTIONS:
            menu = menus[row.menu]
            if row.rule:
                menu.addSeparator()
            if row.group:
                if row.group not in menus:
                    menus[row.group] = menu.addMenu(row.group)
                menu = menus[row.group]
            menu.addAction(self._by_id[row.id])

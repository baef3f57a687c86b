"""The table of actions, for menus, toolbar, shortcuts and the list of keys; and the QActions built
of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from operator import attrgetter

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from core.presentation.dialog_model import FileOpenedEvent
from core.presentation.screen_model import Screen
from gui.language import tr


@dataclass(frozen=True, slots=True)
class ActionRow:
    """One menu action. ``slot`` is a method of the window's content or of one of its parts, called
    with ``argument`` if there is one, with the state if the action is checkable.

    ``needs`` is the condition that enables it: "" or a key of ``gui.actions.UNMET_TEXTS``.
    ``local`` keys act only inside the message lists. ``group`` makes it one of several exclusive
    choices in a submenu with that name. ``separator_before`` draws a line above it.
    ``shows_inspect`` shows the Inspect view before it runs.
    """

    id: str
    menu: str
    text: str
    tip: str
    slot: str
    _: KW_ONLY
    keys: tuple[str, ...] = ()
    needs: str = ""
    local: bool = False
    group: str = ""
    checkable: bool = False
    separator_before: bool = False
    shows_inspect: bool = False
    argument: str | int | None = None


# fmt: off
ACTIONS: tuple[ActionRow, ...] = (
    ActionRow("open", "File", "Open…", "Open a transcript.", "commands.open_dialog", keys=("Ctrl+O",)),
    ActionRow("sessions", "File", "Sessions…", "The sessions that agents left on this machine.",
              "page_controller.show_sessions", keys=("Ctrl+Shift+O",)),
    ActionRow("compare-file", "File", "Compare with…",
              "Show another file of this session on the after side.", "commands.compare_file",
              needs="open"),
    ActionRow("compare-folder", "File", "Compare a folder…",
              "Compare strategies over every transcript of a folder.", "page_controller.choose_folder"),
    ActionRow("reload", "File", "Read again", "Read the file again; settings stay.",
              "file_watcher.read_again", keys=("F5",), needs="open"),
    ActionRow("follow", "File", "Follow while it grows",
              "Read what the agent adds to the file; the view stays where it is.", "file_watcher.follow",
              needs="open", checkable=True),
    ActionRow("close", "File", "Close", "Close the transcript.", "close_file", keys=("Ctrl+W",),
              needs="open"),
    ActionRow("import-report", "File", "Reading report…",
              "Show what was read, skipped and repaired, and the warnings.",
              "source.open_report", needs="open", separator_before=True),
    ActionRow("export", "File", "Export…", "Write the result or the source to a file.",
              "commands.export_dialog", keys=("Ctrl+E",), needs="result", separator_before=True),
    ActionRow("quit", "File", "Quit", "Close the window.", "window.close", keys=("Ctrl+Q",),
              separator_before=True),
    ActionRow("undo", "Edit", "Undo setting", "Take back the last change of a setting or a pin.",
              "backend.undo", keys=("Ctrl+Z",), needs="undo"),
    ActionRow("redo", "Edit", "Redo setting", "Make the change again that you took back last.",
              "backend.redo", keys=("Ctrl+Shift+Z",), needs="redo"),
    ActionRow("filter", "Edit", "Find…", "Show only messages that hold a text or meet a query.",
              "page.tools.filter_controller.open_bar", keys=("Ctrl+F", "/"), needs="result",
              separator_before=True, shows_inspect=True),
    ActionRow("next-match", "Edit", "Next match", "Go to the next message that was found.",
              "page.tools.step_match", keys=("F3",), needs="result", shows_inspect=True, argument=1),
    ActionRow("previous-match", "Edit", "Previous match", "Go to the previous message that was found.",
              "page.tools.step_match", keys=("Shift+F3",), needs="result", shows_inspect=True,
              argument=-1),
    ActionRow("copy-json", "Edit", "Copy as JSON", "Copy the message as the file has it.",
              "page.tools.copy", keys=("Ctrl+Shift+J",), needs="selection", local=True, separator_before=True,
              argument="json"),
    ActionRow("copy-markdown", "Edit", "Copy as Markdown",
              "Copy the message as text with headings for calls and results.", "page.tools.copy",
              keys=("Ctrl+C",), needs="selection", local=True, argument="markdown"),
    ActionRow("settings", "Edit", "Settings…", "All settings, and where they are saved.",
              "dialogs.open_settings", keys=("Ctrl+,",), separator_before=True),
    ActionRow("profiles", "Edit", "Profiles…", "Models to call, with their settings.",
              "dialogs.open_profiles"),
    ActionRow("command", "Edit", "Command bar", "Find an action by its name, or type a command.",
              "dialogs.open_bar", keys=("Ctrl+K",), separator_before=True),
    ActionRow("inspect", "View", "Inspect", "Before and after, message by message.",
              "page_controller.show_view", keys=("Ctrl+1",), needs="open", argument="inspect"),
    ActionRow("compare", "View", "Compare", "Strategies, presets and recorded compactions side by side.",
              "page_controller.show_view", keys=("Ctrl+2",), needs="open", argument="compare"),
    ActionRow("replay", "View", "Over time",
              "Replay the session: the size of each request under each strategy.",
              "page_controller.show_view", needs="open", argument="replay"),
    ActionRow("sweep", "View", "One setting",
              "Run one strategy with many values of one or two settings (Sweep).",
              "page_controller.show_view", needs="open", argument="sweep"),
    ActionRow("message", "View", "Message", "Show the message and why it has its fate.", "page.show_tab",
              keys=("Alt+1",), needs="open", separator_before=True, shows_inspect=True, argument="message"),
    ActionRow("losses", "View", "Losses", "Show what the result holds of the session, and what is gone.",
              "page.show_tab", keys=("Alt+2",), needs="open", shows_inspect=True, argument="losses"),
    ActionRow("lint", "View", "Checks", "Show what a provider would refuse.", "page.show_tab",
              keys=("Alt+3",),
              needs="open", shows_inspect=True, argument="checks"),
    ActionRow("next-view", "View", "Next view of the list", "Changes, Before or After.",
              "page.lists.next_view", keys=("V",), needs="open", local=True, shows_inspect=True),
    ActionRow("changes-only", "View", "Changes only", "Collapse runs of kept messages in Changes.",
              "page.lists.collapse_kept", needs="open", checkable=True, shows_inspect=True),
    ActionRow("area", "View", "Next area", "Move the keyboard to the next area.", "commands.next_area",
              keys=("F6",), separator_before=True),
    ActionRow("move-panels", "View", "Move panels",
              "Show title bars, by which you can move tuning and inspector.", "commands.move_panels",
              checkable=True),
    ActionRow("larger", "View", "Larger text", "Make text larger.", "window.appearance.zoom_by",
              keys=("Ctrl++", "Ctrl+="), separator_before=True, argument=1),
    ActionRow("smaller", "View", "Smaller text", "Make text smaller.", "window.appearance.zoom_by",
              keys=("Ctrl+-",), argument=-1),
    ActionRow("natural", "View", "Reset text size", "Show text at its normal size.",
              "window.appearance.zoom_by", keys=("Ctrl+0",), argument=0),
    ActionRow("theme-system", "View", "Follow the system", "Light or dark as the desktop is.",
              "window.appearance.choose", group="Theme", separator_before=True, argument="system"),
    ActionRow("theme-light", "View", "Light", "Light theme.", "window.appearance.choose", group="Theme",
              argument="light"),
    ActionRow("theme-dark", "View", "Dark", "Dark theme.", "window.appearance.choose", group="Theme",
              argument="dark"),
    ActionRow("theme-high-contrast", "View", "High contrast", "Black on white, strong lines.",
              "window.appearance.choose", group="Theme", argument="high-contrast"),
    ActionRow("go-to", "Conversation", "Go to message…", "Go to a message by its number.",
              "commands.go_to_dialog", keys=("Ctrl+G",), needs="open", shows_inspect=True),
    ActionRow("next-change", "Conversation", "Next change", "Go to the next messages that are not kept.",
              "page.tools.step_change", keys=("F8",), needs="result", shows_inspect=True, argument=1),
    ActionRow("previous-change", "Conversation", "Previous change",
              "Go to the previous messages that are not kept.", "page.tools.step_change", keys=("Shift+F8",),
              needs="result", shows_inspect=True, argument=-1),
    ActionRow("mark", "Conversation", "Mark",
              "Mark the message, or take its mark away; marks are remembered.", "page.tools.toggle_mark",
              keys=("M",), needs="selection", local=True, separator_before=True, shows_inspect=True),
    ActionRow("pin-keep", "Conversation", "Pin: keep",
              "Keep the message whole, whatever the strategy does. Once more takes the pin off.",
              "page.tools.toggle_pin", keys=("P",), needs="selection", local=True, shows_inspect=True,
              argument="keep"),
    ActionRow("pin-messages", "Conversation", "Pin all your messages",
              "Pin everything that you said and every instruction, so that it stays whole.",
              "page.tools.pin_messages", needs="result", shows_inspect=True),
    ActionRow("pin-drop", "Conversation", "Pin: drop",
              "Drop the message before all others. Once more takes the pin off.",
              "page.tools.toggle_pin", keys=("Shift+P",), needs="selection", local=True, shows_inspect=True,
              argument="drop"),
    ActionRow("must-keep", "Conversation", "Must keep",
              "Check whether the selected words or message survive in every result. This changes no result.",
              "page.tools.must_keep", keys=("K",), needs="selection", local=True, shows_inspect=True),
    ActionRow("note", "Conversation", "Note …",
              "Write a note on the message, kept beside its marks and pins.", "commands.write_note",
              keys=("Shift+M",),
              needs="selection", local=True, shows_inspect=True),
    ActionRow("next-missing", "Conversation", "Next missing sentence",
              "Go to the next sentence that the result does not hold word for word.",
              "page.step_missing", keys=("N",), needs="result", local=True, shows_inspect=True, argument=1),
    ActionRow("previous-missing", "Conversation", "Previous missing sentence",
              "Go to the previous sentence that the result does not hold word for word.",
              "page.step_missing", keys=("Shift+N",), needs="result", local=True, shows_inspect=True,
              argument=-1),
    ActionRow("next-mark", "Conversation", "Next mark", "Go to the next mark.", "page.tools.step_mark",
              needs="result", shows_inspect=True, argument=1),
    ActionRow("previous-mark", "Conversation", "Previous mark", "Go to the previous mark.",
              "page.tools.step_mark", needs="result", shows_inspect=True, argument=-1),
    ActionRow("filter-tool", "Conversation", "Filter by this tool",
              "Show only calls of this message's tool and their results.", "page.tools.filter_tool",
              needs="selection", local=True, shows_inspect=True),
    ActionRow("conversations", "Conversation", "Conversations of the file…",
              "Open another conversation of this file, or a sub-agent's.", "source.open_conversations",
              keys=("Ctrl+Shift+C",), needs="conversations", separator_before=True),
    ActionRow("branches", "Conversation", "Branches…", "Read another branch of a session that forks.",
              "source.open_branches", keys=("Ctrl+Shift+B",), needs="branches"),
    ActionRow("partner-back", "Conversation", "Previous pair partner", "Go to the call of this result.",
              "page.lists.list.step_partner", keys=("[",), needs="selection", local=True,
              separator_before=True, shows_inspect=True, argument=-1),
    ActionRow("partner-on", "Conversation", "Next pair partner", "Go to the result of this call.",
              "page.lists.list.step_partner", keys=("]",), needs="selection", local=True, shows_inspect=True,
              argument=1),
    ActionRow("other-end", "Conversation", "Other place",
              "Go to where this message went, or came from.", "page.lists.list.go_to_counterpart",
              keys=("O",), needs="selection", local=True, shows_inspect=True),
    ActionRow("put-back", "Conversation", "Put back",
              "Put the message back into the result as it was. Once more compacts it again.",
              "page.toggle_restored", keys=("B",), needs="selection", local=True, shows_inspect=True),
    ActionRow("compact", "Compaction", "Compact",
              "Keep this result as a run, which can be exported, compared and undone.", "backend.compact",
              keys=("Ctrl+Return", "Ctrl+Enter"), needs="result", shows_inspect=True),
    ActionRow("strategies", "Compaction", "Strategy…", "Choose how the conversation is made shorter.",
              "toolbar.strategy.showPopup", keys=("Ctrl+Shift+S",), needs="open"),
    ActionRow("program", "Compaction", "Other program…",
              "Use a program of your own as the strategy.", "commands.choose_program", needs="open",
              shows_inspect=True),
    ActionRow("cancel", "Compaction", "Cancel", "Stop what is going on.", "backend.cancel", keys=("Esc",),
              needs="busy", separator_before=True),
    ActionRow("run", "Compaction", "Compaction log",
              "Tiers, counters, calls and tools of the run that is shown.", "page.show_run_report",
              keys=("Ctrl+R",), needs="result", separator_before=True, shows_inspect=True),
    ActionRow("ask", "Compaction", "Ask a model…",
              "Ask a model whether reworded text says the same, and whether it finds what was compacted.",
              "ask.open_dialog", needs="result"),
    ActionRow("compact-again", "Compaction", "Compact again and again…",
              "Compact the result again and again, to see what is left of the facts each time.",
              "commands.compact_again", needs="compactable", shows_inspect=True),
    ActionRow("name-run", "Compaction", "Keep run as…", "Keep a run under a name.", "commands.name_run",
              needs="result", separator_before=True),
    ActionRow("compare-runs", "Compaction", "Compare runs…",
              "Show two runs as before and after of each other.", "commands.compare_runs", needs="result"),
    ActionRow("prompts", "Compaction", "Prompts…", "Read and change the prompts that ask for a summary.",
              "dialogs.open_prompts", separator_before=True),
    ActionRow("help", "Help", "Help", "Read and search all pages of the help.", "dialogs.open_help",
              keys=("F1",)),
    ActionRow("tour", "Help", "Take the tour",
              "Four notes explain the ruler, a handle, the list and Losses.", "take_tour"),
    ActionRow("keys", "Help", "Keys", "All keys in one list.", "dialogs.open_keys", keys=("Ctrl+F1",)),
    ActionRow("about", "Help", "About Foldline", "Version and licence.", "commands.about"),
)
# fmt: on


class ActionSet(QObject):
    page_wanted = (
        Signal()
    )  # emitted before an action that is only visible in the Inspect view

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._by_id: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._reasons: dict[str, str] = {}
        for row in ACTIONS:
            self._by_id[row.id] = self._make(row, parent)
        self.enable(missing_needs(None, None, selects=False, busy=False))

    def __getitem__(self, id: str) -> QAction:
        return self._by_id[id]

    def _make(self, row: ActionRow, parent: QWidget) -> QAction:
        action = QAction(tr(row.text), self)
        action.setObjectName(row.id)
        action.setShortcuts([QKeySequence(key) for key in row.keys])
        action.setToolTip(_tip(row))
        action.setStatusTip("")
        action.setCheckable(bool(row.group) or row.checkable)
        if row.shows_inspect:
            action.triggered.connect(self.page_wanted)
        if row.group:
            self._group(row.group).addAction(action)
        if row.local:
            action.setProperty("shortcutContext", "WidgetWithChildrenShortcut")
        else:
            parent.addAction(action)
        return action

    def trigger(self, id: str) -> None:
        """Trigger an action as its menu does; a disabled action does nothing."""
        self._by_id[id].trigger()

    def connect_to(self, content: QObject) -> None:
        """Let the actions call the slots of the window's content."""
        self._content = content
        for action in self._by_id.values():
            action.triggered.connect(self._on_triggered)

    def _on_triggered(self, checked: bool) -> None:
        row = next(row for row in ACTIONS if row.id == self.sender().objectName())
        slot = attrgetter(row.slot)(self._content)
        if row.checkable:
            slot(checked)
        elif row.argument is not None:
            slot(row.argument)
        else:
            slot()

    def _group(self, name: str) -> QActionGroup:
        if name not in self._groups:
            self._groups[name] = QActionGroup(self)
        return self._groups[name]

    def add_local_keys(self, widget: QWidget) -> None:
        for row in ACTIONS:
            if row.local:
                widget.addAction(self._by_id[row.id])

    def enable(self, reasons: Mapping[str, str]) -> None:
        """Enable the actions whose need is met; the tooltips of the others say what is missing."""
        changed = {
            need
            for need, reason in reasons.items()
            if self._reasons.get(need) != reason
        }
        self._reasons |= reasons
        for row in ACTIONS:
            if row.needs in changed:
                reason, action = reasons[row.needs], self._by_id[row.id]
                action.setEnabled(not reason)
                action.setToolTip(f"{_tip(row)}\n{tr(reason)}" if reason else _tip(row))

    def tip(self, id: str) -> str:
        return next(_tip(row) for row in ACTIONS if row.id == id)

    def disabled_reason(self, id: str) -> str:
        """Return why an action is disabled now, "" if it is enabled."""
        needs = next(row.needs for row in ACTIONS if row.id == id)
        if needs:
            return tr(self._reasons[needs])
        return ""

    def check(self, id: str) -> None:
        self._by_id[id].setChecked(True)

    def fill(self, menus: dict[str, QMenu]) -> None:
        """Fill the menus, given by name; submenus are added to the dictionary."""
        for row in ACTIONS:
            menu = menus[row.menu]
            menu.setToolTipsVisible(True)  # the tooltip of a disabled action says why
            if row.separator_before:
                menu.addSeparator()
            if row.group:
                if row.group not in menus:
                    menus[row.group] = menu.addMenu(tr(row.group))
                menu = menus[row.group]
            menu.addAction(self._by_id[row.id])


def _tip(row: ActionRow) -> str:
    tip = tr(row.tip)
    if row.keys:
        return f"{tip} ({row.keys[0]})"
    return tip


UNMET_TEXTS: Mapping[str, str] = {
    "open": "No transcript is open.",
    "result": "There is no preview yet.",
    "compactable": "There is no preview yet.",
    "undo": "There is no change to take back.",
    "redo": "There is no change to make again.",
    "selection": "No message is selected.",
    "conversations": "The file holds one conversation.",
    "branches": "The session has one branch.",
    "busy": "Nothing is running that could be stopped.",
}
"""The sentence for each condition that ``ActionRow.needs`` may name, shown while it is not met."""

_FILE_NEEDS = (
    "result",
    "compactable",
    "undo",
    "redo",
    "selection",
    "conversations",
    "branches",
)
_TWO_RESULTS_TEXT = "Two results are compared here. Go back to the preview to compact."


def missing_needs(
    file: FileOpenedEvent | None, screen: Screen | None, *, selects: bool, busy: bool
) -> dict[str, str]:
    """Return the sentence for each unmet condition, "" for a met one. ``selects``: a message is
    selected."""
    if file is None:
        return {
            **UNMET_TEXTS,
            **dict.fromkeys(_FILE_NEEDS, UNMET_TEXTS["open"]),
            "busy": _text_unless(busy, "busy"),
        }
    return {
        "open": "",
        "result": _text_unless(screen is not None, "result"),
        "compactable": _why_not_compactable(screen),
        "undo": _text_unless(screen is not None and screen.history.can_undo, "undo"),
        "redo": _text_unless(screen is not None and screen.history.can_redo, "redo"),
        "selection": _text_unless(selects, "selection"),
        "conversations": _text_unless(
            len(file.branching.conversations) > 1, "conversations"
        ),
        "branches": _text_unless(len(file.branching.branches) > 1, "branches"),
        "busy": _text_unless(busy, "busy"),
    }


def _text_unless(is_met: bool, need: str) -> str:
    if is_met:
        return ""
    return UNMET_TEXTS[need]


def _why_not_compactable(screen: Screen | None) -> str:
    """Only a compacted result can be compacted again."""
    if screen is None:
        return UNMET_TEXTS["compactable"]
    return _TWO_RESULTS_TEXT if screen.is_beside else screen.no_op

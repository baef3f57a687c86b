"""The rows of the menus File, Edit, View and Help: files, settings, what the window shows and how."""

from __future__ import annotations

from gui.action_row import ActionRow

FILE = (
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
        "compare-folder",
        "File",
        "Compare a folder…",
        "Compare strategies over every transcript of a folder.",
        "compare_folder",
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
)

EDIT = (
    ActionRow(
        "undo",
        "Edit",
        "Undo setting",
        "Take back the last change of a setting or a pin.",
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
        "filter",
        "Edit",
        "Filter messages…",
        "Show only messages that a query lets through.",
        "filter_rows",
        ("/",),
        "result",
        local=True,
        on_page=True,
    ),
    ActionRow(
        "copy-json",
        "Edit",
        "Copy as JSON",
        "Copy the message as the file has it.",
        "copy_json",
        ("Ctrl+Shift+J",),
        "selection",
        local=True,
        rule=True,
    ),
    ActionRow(
        "copy-markdown",
        "Edit",
        "Copy as Markdown",
        "Copy the message as text with headings for calls and results.",
        "copy_markdown",
        ("Ctrl+C",),
        "selection",
        local=True,
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
)

VIEW = (
    ActionRow(
        "inspect",
        "View",
        "Inspect",
        "Before and after, message by message.",
        "show_view",
        ("Ctrl+1",),
        "open",
    ),
    ActionRow(
        "compare",
        "View",
        "Compare",
        "Strategies, presets and recorded compactions side by side.",
        "show_view",
        ("Ctrl+2",),
        "open",
    ),
    ActionRow(
        "replay",
        "View",
        "Replay",
        "The session turn by turn, as each strategy would have had it.",
        "show_view",
        ("Ctrl+3",),
        "open",
    ),
    ActionRow(
        "sweep",
        "View",
        "Sweep",
        "One strategy over a range of one or two settings.",
        "show_view",
        ("Ctrl+4",),
        "open",
    ),
    ActionRow(
        "message", "View", "Message", "Show the message.", "show_message", ("Alt+1",), "open", rule=True
    ),
    ActionRow("why", "View", "Why", "Show why it has its fate.", "show_why", ("Alt+2",), "open"),
    ActionRow(
        "fidelity", "View", "Fidelity", "Show which facts are lost.", "show_fidelity", ("Alt+3",), "open"
    ),
    ActionRow("lint", "View", "Lint", "Show what a provider would refuse.", "show_lint", ("Alt+4",), "open"),
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
        "language-system",
        "View",
        "As the system",
        "The language of the desktop, where the window speaks it.",
        "use_language",
        group="Language",
    ),
    ActionRow("language-en", "View", "English", "The window in English.", "use_language", group="Language"),
    ActionRow("language-de", "View", "Deutsch", "The window in German.", "use_language", group="Language"),
)

HELP = (
    ActionRow("help", "Help", "Help", "Read and search all pages of the help.", "show_help", ("F1",)),
    ActionRow("keys", "Help", "Keys", "All keys in one list.", "show_keys", ("Ctrl+F1",)),
    ActionRow("about", "Help", "About Foldline", "Version and licence.", "about"),
)

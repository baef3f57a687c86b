"""What the links of notices do, by the names that notices give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from gui.backend import BackendClient

if TYPE_CHECKING:
    from gui.window_commands import WindowCommands


def notice_links(commands: WindowCommands, session: BackendClient) -> Mapping[str, Callable[[str], object]]:
    """What to do with the argument of a link, by its name; many name actions."""
    return {
        "set": session.set_text,
        "strategy": lambda name: session.set_strategy(name) if name else commands.strategies_requested.emit(),
        "compact": lambda _: session.compact(),
        "compact-offline": lambda _: session.compact(offline=True),
        "lint": lambda _: commands.action_requested.emit("lint"),
        "model": session.set_model,
        "undo": lambda _: session.undo(),
        "preview": lambda _: session.set_values(()),
        "recorded": lambda number: session.show_recorded(int(number)),
        "compare-file": session.compare_file,
        "reload": lambda _: commands.reload(),
        "follow": lambda _: commands.action_requested.emit("follow"),
        "compare": lambda _: commands.view_requested.emit("compare"),
        "replay": lambda _: commands.view_requested.emit("replay"),
        "export": lambda _: commands.export_dialog(),
        "prompts": commands.prompts.open_prompts,
        "settings": lambda _: commands.settings_dialog(),
        "profiles": commands.dialogs.open_profiles,
        "show": lambda path: QDesktopServices.openUrl(QUrl.fromLocalFile(path)),
        "open": lambda path: commands.open_requested.emit(path) if path else commands.open_dialog(),
        "import-report": lambda _: commands.import_report(),
    }

"""Dialogs, tabs and the tour of the window, each loaded when it is first opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.common.late_names import late_names

if TYPE_CHECKING:
    from gui.command_bar import CommandBar as CommandBar
    from gui.compare.folder_tabs import FolderTab as FolderTab
    from gui.compare.folder_tabs import TuneTab as TuneTab
    from gui.compare.one_setting_tab import OneSettingTab as OneSettingTab
    from gui.compare.over_time_tab import OverTimeTab as OverTimeTab
    from gui.compare.strategies_tab import StrategiesTab as StrategiesTab
    from gui.help_window import KEYS as KEYS
    from gui.help_window import HelpWindow as HelpWindow
    from gui.help_window import help_window_pages as help_window_pages
    from gui.profiles_dialog import ProfilesDialog as ProfilesDialog
    from gui.prompt_editor import PromptEditor as PromptEditor
    from gui.settings_dialog import SettingsDialog as SettingsDialog
    from gui.settings_pane import window_sections as window_sections
    from gui.tour import MARKS as MARKS
    from gui.tour import Tour as Tour
else:
    __getattr__ = late_names(
        __package__,
        {
            "CommandBar": ".command_bar",
            "FolderTab": ".compare.folder_tabs",
            "HelpWindow": ".help_window",
            "KEYS": ".help_window",
            "MARKS": ".tour",
            "OneSettingTab": ".compare.one_setting_tab",
            "OverTimeTab": ".compare.over_time_tab",
            "ProfilesDialog": ".profiles_dialog",
            "PromptEditor": ".prompt_editor",
            "SettingsDialog": ".settings_dialog",
            "StrategiesTab": ".compare.strategies_tab",
            "Tour": ".tour",
            "TuneTab": ".compare.folder_tabs",
            "help_window_pages": ".help_window",
            "window_sections": ".settings_pane",
        },
    )

"""The functions of ``core.presentation`` that make for the window of what a remote call yields.

A module of them is loaded when its first value is shown, in the worker.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from importlib import import_module
from typing import Any


class Presenter(StrEnum):
    """Module and function in ``core.presentation``."""

    COMPARE = "compare.pages.compare_page"
    CARDS = "compare.pages.strategy_cards"
    SWEEP = "compare.pages.sweep_page"
    REPLAY = "compare.pages.replay_page"
    FOLDER = "compare.pages.folder_page"
    TUNE = "compare.tune_page.tune_page"
    ASK = "ask_page.ask_page"
    SESSIONS = "session_rows.sessions_page"
    LIVE_SESSION = "session_rows.live_row"

    def load(self) -> Callable[[Any], Any]:
        module, _, function = self.value.rpartition(".")
        maker: Callable[[Any], Any] = getattr(
            import_module(f"..presentation.{module}", __package__), function
        )
        return maker

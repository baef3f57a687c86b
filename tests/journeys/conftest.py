"""The window and the files of every journey."""

from __future__ import annotations

from tests.core.analysis.chat_folder import folder
from tests.journeys.walks import space, transcript

__all__ = ["folder", "space", "transcript"]

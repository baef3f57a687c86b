"""The screen of a made-up session under a strategy, as the worker sends it."""

from __future__ import annotations

from functools import cache

from core.configuration.layers import SettingLayers
from core.presentation.lists.row_texts import message_rows
from core.presentation.model import FATES, Screen
from core.presentation.screen import preview_screen
from core.preview.preview import compute_preview
from core.settings.keys import LIMIT, STRATEGY
from tests.benchmarks.loops import agent_loop
from tests.builders import conversation

KEPT, SUMMARISED = FATES.index("kept"), FATES.index("summarised")
INSERTED = len(FATES)


@cache
def session_screen(strategy: str = "middle-out", messages: int = 412) -> Screen:
    source = conversation(*agent_loop(messages), model="claude-sonnet-4-5")
    layers = SettingLayers().with_session(STRATEGY, strategy).with_session(LIMIT, 200_000)
    preview = compute_preview(source, layers.resolve())
    return preview_screen(preview, message_rows(preview.messages, preview.counts))

"""A made-up session under a strategy: its screen and its tuning panel, as the worker sends them."""

from functools import cache

from core.presentation.lists.row_texts import message_rows
from core.presentation.model import FATES, ControlGroup
from core.presentation.preview_columns import preview_columns
from core.presentation.screen import preview_screen
from core.presentation.screen_model import Screen
from core.presentation.tuning_panel import control_groups
from core.preview.options import Preview
from core.preview.preview import compute_preview
from core.settings.schema import LIMIT, PRESERVE, STRATEGY
from core.settings_store.layers import SettingLayers
from tests.benchmarks.loops import agent_loop
from tests.support.builders import conversation

KEPT, SUMMARISED = FATES.index("kept"), FATES.index("summarised")
INSERTED = len(FATES)


@cache
def session_screen(strategy: str = "middle-out", messages: int = 412) -> Screen:
    preview = _preview(strategy, messages)
    return preview_screen(
        preview, message_rows(preview.messages, preview.source.counts)
    )


@cache
def session_groups(strategy: str = "middle-out") -> tuple[ControlGroup, ...]:
    return control_groups(preview_columns(_preview(strategy, 412)), _layers(strategy))


@cache
def _preview(strategy: str, messages: int) -> Preview:
    source = conversation(*agent_loop(messages), model="claude-sonnet-4-5")
    return compute_preview(source, _layers(strategy).resolve())


def _layers(strategy: str) -> SettingLayers:
    return SettingLayers(session={STRATEGY: strategy, LIMIT: 200_000, PRESERVE: 0.2})

"""Reports of test conversations."""

from typing import Any

from core.export.export import ExportedFile, export_history
from core.preview.options import Preview, PreviewOptions, SummaryOptions
from core.preview.preview import compute_preview
from core.reports.report_data import ReportInput, export_input
from core.settings.profile import Profile
from core.settings.schema import LIMIT, STRATEGY, SettingValue
from core.settings_store.layers import SettingLayers
from core.strategies.registry import COMPACTION_STRATEGIES
from core.transcript.model import Conversation

MIDDLE_OUT, TOP_DOWN, ONE_SHOT, HIGH_DENSITY = COMPACTION_STRATEGIES[:4]
KEY = "sk-" + "ant-api03-" + "a1B2c3D4e5F6g7H8i9J0"
"""Something that looks like a secret."""


def report_preview(
    talked: Conversation,
    strategy: str = MIDDLE_OUT,
    limit: int = 100_000,
    **settings: SettingValue,
) -> Preview:
    """Return a preview; in names of settings ``__`` is a dot and ``_`` a dash."""
    layers = SettingLayers().with_session(STRATEGY, strategy).with_session(LIMIT, limit)
    for name, value in settings.items():
        layers = layers.with_session(name.replace("__", ".").replace("_", "-"), value)
    return compute_preview(talked, layers.resolve(), PreviewOptions())


def report_input(
    talked: Conversation, strategy: str = MIDDLE_OUT, **settings: Any
) -> ReportInput:
    preview = report_preview(talked, strategy, **settings)
    return export_input(preview, result=True, format_reason="because of its fields")


def unwritten_preview(talked: Conversation) -> Preview:
    options = PreviewOptions(
        summary=SummaryOptions(
            profile=Profile(name="cheap", provider="openai", model="tiny-1"),
            is_written=False,
        )
    )
    return compute_preview(talked, SettingLayers().resolve(), options)


def report(
    talked: Conversation, to: str, strategy: str = MIDDLE_OUT, **settings: Any
) -> ExportedFile:
    return export_history(report_input(talked, strategy, **settings), to)

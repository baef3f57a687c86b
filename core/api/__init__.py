"""The public functions for scripts and agents, installed as ``foldline.api``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.api.arguments import AsyncSummarizer, Summarizer
from core.api.compaction import Compacted, acompact, compact
from core.api.inspection import (
    Checked,
    Repaired,
    check,
    expand,
    facts,
    is_due,
    lint,
    repair,
    size,
    trigger_size,
)
from core.api.loop import acompact_if_due, compact_if_due
from core.common.errors import (
    CompactionFailed,
    FoldlineError,
    InputError,
    StrategyError,
)
from core.common.json_value import MessageObject
from core.common.late_names import late_names
from core.llm.call_errors import is_overflow
from core.llm.protocol import SummaryRequest
from core.transcript.model import Conversation, Message

if TYPE_CHECKING:
    from core.engine.session import AgentSession as Session
    from core.engine.setup import environment_for
    from core.formats.registry import load_conversation as load
    from core.preview.options import PreviewOptions
    from core.preview.preview import compute_preview as preview
    from core.settings_store.layers import SettingLayers
else:
    __getattr__ = late_names(
        __package__,
        {
            "PreviewOptions": "..preview.options",
            "Session": "..engine.session:AgentSession",
            "SettingLayers": "..settings_store.layers",
            "environment_for": "..engine.setup",
            "load": "..formats.registry:load_conversation",
            "preview": "..preview.preview:compute_preview",
        },
    )

__all__ = [
    "VERSION",
    "AsyncSummarizer",
    "Checked",
    "Compacted",
    "CompactionFailed",
    "Conversation",
    "FoldlineError",
    "InputError",
    "Message",
    "MessageObject",
    "PreviewOptions",
    "Repaired",
    "Session",
    "SettingLayers",
    "StrategyError",
    "Summarizer",
    "SummaryRequest",
    "acompact",
    "acompact_if_due",
    "check",
    "compact",
    "compact_if_due",
    "environment_for",
    "expand",
    "facts",
    "is_due",
    "is_overflow",
    "lint",
    "load",
    "preview",
    "repair",
    "size",
    "trigger_size",
]

VERSION = 3
"""Grows whenever a function of this module changes what it takes or returns."""

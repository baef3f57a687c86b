"""The public functions for scripts and agents, installed as ``foldline.api``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

_LATE = {
    "PreviewOptions": ("..preview.options", "PreviewOptions"),
    "Session": ("..engine.session", "AgentSession"),
    "SettingLayers": ("..settings_store.layers", "SettingLayers"),
    "environment_for": ("..engine.setup", "environment_for"),
    "load": ("..formats.registry", "load_conversation"),
    "preview": ("..preview.preview", "compute_preview"),
}
"""Names whose modules take long to load: the module of each, and its name there."""


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, own = _LATE[name]
    return getattr(import_module(module, __package__), own)

"""The public functions for scripts and agents, installed as ``foldline.api``."""

from __future__ import annotations

from core.api.arguments import AsyncSummarizer, Summarizer
from core.api.compaction import Compacted, acompact, compact
from core.api.inspection import (
    Checked,
    check,
    expand,
    facts,
    is_due,
    lint,
    repair,
    size,
    trigger_size,
)
from core.common.errors import CompactionFailed, FoldlineError, InputError, StrategyError
from core.engine.session import AgentSession as Session
from core.export.message_dicts import MessageObject
from core.formats.registry import load_conversation as load
from core.llm.protocol import SummaryRequest
from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview as preview
from core.settings_store.layers import SettingLayers
from core.transcript.model import Conversation, Message

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
    "Session",
    "SettingLayers",
    "StrategyError",
    "Summarizer",
    "SummaryRequest",
    "acompact",
    "check",
    "compact",
    "expand",
    "facts",
    "is_due",
    "lint",
    "load",
    "preview",
    "repair",
    "size",
    "trigger_size",
]

VERSION = 3
"""Grows whenever a function of this module changes what it takes or returns."""

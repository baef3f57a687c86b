"""The public functions for scripts and agents, installed as ``foldline.api``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.api.arguments import (
    AsyncSummarizer,
    Messages,
    Pins,
    Settings,
    Summarizer,
)
from core.api.compaction import Compacted, Options, acompact, compact
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
from core.api.loop import After, Before, acompact_if_due, compact_if_due
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
from core.transcript.model import (
    Conversation,
    Message,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)

if TYPE_CHECKING:
    from core.engine.passes import environment_for
    from core.engine.session import AgentSession as Session
    from core.facts.model import Facts
    from core.formats.registry import load_conversation as load
    from core.lint.common_rules import LintFinding
    from core.losses.evidence import Losses
    from core.losses.must_keep import MustEvidence
    from core.preview.options import PreviewOptions
    from core.preview.preview import compute_preview as preview
    from core.settings_store.layers import SettingLayers
    from core.transcript.compaction import Fate
else:
    __getattr__ = late_names(
        __package__,
        {
            "Facts": "..facts.model",
            "Fate": "..transcript.compaction",
            "LintFinding": "..lint.common_rules",
            "Losses": "..losses.evidence",
            "MustEvidence": "..losses.must_keep",
            "PreviewOptions": "..preview.options",
            "Session": "..engine.session:AgentSession",
            "SettingLayers": "..settings_store.layers",
            "environment_for": "..engine.passes",
            "load": "..formats.registry:load_conversation",
            "preview": "..preview.preview:compute_preview",
        },
    )

__all__ = [
    "VERSION",
    "After",
    "AsyncSummarizer",
    "Before",
    "Checked",
    "Compacted",
    "CompactionFailed",
    "Conversation",
    "Facts",
    "Fate",
    "FoldlineError",
    "InputError",
    "LintFinding",
    "Losses",
    "Message",
    "MessageObject",
    "Messages",
    "MustEvidence",
    "Options",
    "Pins",
    "PreviewOptions",
    "Repaired",
    "Session",
    "SettingLayers",
    "Settings",
    "Speaker",
    "StrategyError",
    "Summarizer",
    "SummaryRequest",
    "Text",
    "ToolCall",
    "ToolResponse",
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

VERSION = 4
"""Grows whenever a function of this module changes what it takes or returns."""

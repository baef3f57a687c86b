"""The public functions for scripts, installed as ``foldline.api``."""

from __future__ import annotations

from core.configuration.layers import SettingLayers
from core.facts import extract_facts as facts
from core.formats.registry import load_conversation as load
from core.lint.lint import lint_messages as lint
from core.preview.preview import compute_preview as preview

compact = preview  # a preview contains the compaction

__all__ = ["SettingLayers", "compact", "facts", "lint", "load", "preview"]

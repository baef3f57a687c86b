"""What a script uses of Foldline; installed, it is ``foldline.api``."""

from __future__ import annotations

from core.configuration.layers import SettingLayers
from core.facts import extract as facts
from core.formats.registry import load
from core.lint.lint import lint
from core.preview.preview import preview
from core.preview.preview import preview as compact  # a preview holds the compaction

__all__ = ["SettingLayers", "compact", "facts", "lint", "load", "preview"]

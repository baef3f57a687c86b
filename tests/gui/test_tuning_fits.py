"""In the narrowest panel that a window of 1280 pixels gives, no text of any strategy is cut."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.formats import load
from core.preview import preview
from core.preview_values import Ask
from core.settings.layers import Layers
from core.strategies.keys import LIMIT, STRATEGY
from core.strategies.registry import COMPRESSION_STRATEGIES
from core.view.panel import groups
from core.view.scene import scene
from gui.texts import ElidedLabel
from gui.theme import theme
from gui.tuning.editors import FlagBox
from gui.tuning.group_box import GroupBox
from gui.tuning.panel import TuningPanel

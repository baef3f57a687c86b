"""A window whose comparisons, replays and sweeps are made up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from gui.workspace import Workspace
from tests.gui.fake_analysis import make_analysis_host
from tests.gui.window_space import shown_window


@pytest.fixture
def space(qapp: QApplication) -> Iterator[Workspace]:
    with shown_window(make_analysis_host, saves_state=False) as workspace:
        yield workspace

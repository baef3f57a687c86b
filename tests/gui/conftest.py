"""What most tests of the window need."""

from __future__ import annotations

import pytest

from tests.gui.recording_backend import RecordingBackend
from tests.gui.window_space import space
from tests.journeys.walks import transcript
from tests.warm_worker import warm_context, warm_workers

__all__ = ["space", "transcript", "warm_context", "warm_workers"]


@pytest.fixture
def backend() -> RecordingBackend:
    return RecordingBackend()

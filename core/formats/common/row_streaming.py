"""Streams messages while the rest of a file is still being read."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from core.formats.common.format import MessageObserver, ignore_messages
from core.transcript.model import Message

_INTERVAL = 0.02  # seconds; a faster read is shown as a whole


class RowPublisher:
    """Says when messages are due, so that readers construct them only to be shown."""

    def __init__(self, on_messages: MessageObserver) -> None:
        self._on_messages = on_messages
        self._due_at = math.inf if on_messages is ignore_messages else time.monotonic() + _INTERVAL

    @property
    def is_due(self) -> bool:
        """True if the messages read since the last ``show`` should be shown now."""
        return time.monotonic() >= self._due_at

    def show(self, messages: Sequence[Message]) -> None:
        """Pass on messages that later records are not expected to change."""
        if messages:
            self._on_messages(messages)
        self._due_at = time.monotonic() + _INTERVAL

"""Streams messages while the rest of a file is still being read."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from core.formats.common.format import MessageObserver, ignore_messages
from core.transcript.model import Message

_EVERY = 0.02  # seconds; a faster read is shown as a whole


class RowPublisher:
    """Says when messages are due, so that readers construct them only to be shown."""

    def __init__(self, seen: MessageObserver) -> None:
        self._seen = seen
        self._next = math.inf if seen is ignore_messages else time.monotonic() + _EVERY

    @property
    def is_due(self) -> bool:
        """True if the messages read since the last ``show`` should be shown now."""
        return time.monotonic() >= self._next

    def show(self, messages: Sequence[Message]) -> None:
        """Pass on messages that later records are not expected to change."""
        if messages:
            self._seen(messages)
        self._next = time.monotonic() + _EVERY

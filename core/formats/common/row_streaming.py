"""Hands messages on while the rest of a file is still being read, now and then."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from core.formats.common.format import MessageObserver, ignore_messages
from core.transcript.model import Message

_EVERY = 0.02  # seconds; what is read sooner than that is seen as a whole


class RowPublisher:
    """Asked after each record whether it is time, so that messages are made only to be seen."""

    def __init__(self, seen: MessageObserver) -> None:
        self._seen = seen
        self._next = math.inf if seen is ignore_messages else time.monotonic() + _EVERY

    @property
    def is_due(self) -> bool:
        """True where the messages read since the last call of ``show`` should be shown now."""
        return time.monotonic() >= self._next

    def show(self, messages: Sequence[Message]) -> None:
        """Hand on messages that nothing later in the file is expected to change."""
        if messages:
            self._seen(messages)
        self._next = time.monotonic() + _EVERY
